"""How do tests ask the API without a server? By its application, as a server would."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from msgspec import Struct
from starlette.routing import Match

from tenax.api.app import build
from tenax.api.document import document
from tenax.api.guard import GuardedRoute
from tenax.compose.api import Opened, open_api
from tenax.compose.crawler import open_crawler
from tenax.ops.accounts.api_keys import digest_of, new_key
from tenax.ops.accounts.limits import ApiPolicy
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings

HOSTILE = (
    "/api/jobs/%00",
    "/api/jobs?cursor=%00",
    "/api/why?url=%00",
    "/api/pages/..%2f..%2fetc%2fpasswd",
    "/api/pages/%2e%2e",
    "/api/domains/' OR 1=1 --".replace(" ", "%20"),
    "/api/jobs/'%3B%20DROP%20TABLE%20jobs%3B--",
    "/api/frontier/urls?host=%27%20OR%201%3D1&job=%22",
    "/api/pages?cursor=" + "A" * 5_000,
    "/api/pages?cursor=OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5",
    "/api/domains?cursor=IgAi",
    "/api/dead-letters?cursor=WzFlOTk5LDFd",
    "/api/dead-letters?cursor=W251bGwsMV0",
    "/api/jobs/" + "a" * 9_000,
    "/" + "a" * 20_000,
    "/api/products/99999999999999999999999999/prices",
    "/api/search?q=" + "%22" * 300,
    "/api/search?q=" + "x" * 2_000,
    "/api/why?url=" + "%F0%9F%92%A9" * 2_000,
    "/api/why?url=%FF%FE",
    "/api/frontier/urls?state=%00",
    "/api/jobs/\xff\xfe",
)
"""Addresses that somebody may ask who means no good."""


MUCH = ApiPolicy(*[10_000_000] * 5)
"""For who asks more than anybody may."""
_DOCUMENTS: dict[object, Any] = {}
"""By the routes that they are about."""


class Checked:
    """Is what is answered what the document says?"""

    def __init__(self, api: FastAPI) -> None:
        self._routes = [each for each in api.router.routes if isinstance(each, GuardedRoute)]
        key = tuple((each.path, *sorted(each.methods or ())) for each in self._routes)
        if key not in _DOCUMENTS:
            _DOCUMENTS[key] = document(api)
        self.document = _DOCUMENTS[key]

    def check(self, method: str, path: str, answer: Answer) -> None:
        operation = self._operation(method, path)
        if operation is None:
            return
        where = f"{method} {path}: {answer.status}"
        said = operation["responses"].get(str(answer.status))
        assert said is not None, f"{where} is not in the document"
        if "$ref" in said:
            said = self.document["components"]["responses"][said["$ref"].rpartition("/")[2]]
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if method == "HEAD" or answer.status == 304:
            return
        kinds = said["content"]
        assert kind in kinds or "image/*" in kinds, f"{where}: {kind} is not in the document"
        if kind.endswith(("/json", "+json")):
            _conform(kinds[kind]["schema"], self.document["components"], answer.json, where)

    def _operation(self, method: str, path: str) -> Any:
        for route in self._routes:
            scope = {"type": "http", "method": method, "path": unquote(path.partition("?")[0])}
            scope["method"] = "GET" if method == "HEAD" else method
            if route.matches(scope)[0] is Match.FULL:
                found = self.document["paths"].get(route.path, {})
                return found.get(scope["method"].lower())
        return None


def _conform(schema: Any, components: Any, value: Any, where: str) -> None:
    whole = {**schema, "components": components}
    wrong = best_match(Draft202012Validator(whole).iter_errors(value))
    assert wrong is None, f"{where}: {list(wrong.absolute_path)} {wrong.message}"


class Answer(Struct):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def is_problem(self) -> bool:
        """Whether it is all that RFC 9457 asks for."""
        told = self.json if self.headers["content-type"] == "application/problem+json" else {}
        return told.get("status") == self.status and {"type", "title", "detail"} <= set(told)


async def ask(
    api: FastAPI,
    path: str,
    method: str = "GET",
    key: str | None = None,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    client: str = "127.0.0.1",
) -> Answer:
    """One request; `path` as it stands in its first line."""
    raw, _, query = path.encode("latin-1").partition(b"?")
    given = {"host": "tenax.test", **(headers or {})}
    if key is not None:
        given["authorization"] = f"Bearer {key}"
    if body:
        given.setdefault("content-type", "application/json")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(raw.decode("latin-1")),
        "raw_path": raw,
        "query_string": query,
        "root_path": "",
        "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in given.items()],
        "client": (client, 1234),
        "server": ("tenax.test", 80),
    }
    sent: list[dict[str, Any]] = []
    parts = [body[n : n + 100_000] for n in range(0, len(body), 100_000)] or [b""]

    async def receive() -> dict[str, Any]:
        part = parts.pop(0) if parts else b""
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Any) -> None:
        sent.append(message)

    try:
        await api(scope, receive, send)
    except Exception:  # what is broken is answered, then told to the server
        if not sent:
            raise
    head = sent[0]
    told = {name.decode(): value.decode() for name, value in head["headers"]}
    return Answer(head["status"], told, b"".join(each.get("body", b"") for each in sent[1:]))


@asynccontextmanager
async def opened(folder: Path, settings: Settings | None = None) -> AsyncIterator[Opened]:
    settings = settings or Settings(data=str(folder / "data"))
    async with open_crawler(settings) as app, open_api(app.ledger, None, app) as made:
        yield made


class Asker:
    """An API with a key of each role."""

    def __init__(self, made: Opened) -> None:
        self.told: list[str] = []
        self.opened = made
        self.api = build(made, self.told.append)
        self.keys: dict[ApiRole, str | None] = {ApiRole.ANONYMOUS: None}
        self.checked = Checked(self.api)

    async def make_keys(self) -> None:
        for role in (ApiRole.USER, ApiRole.ADMIN):
            key = self.keys[role] = new_key()
            assert await self.opened.keys.add(role.value, role, digest_of(key))

    async def ask(
        self, path: str, method: str = "GET", role: ApiRole = ApiRole.ADMIN, body: Any = None
    ) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body else b""
        answer = await ask(self.api, path, method, self.keys[role], data)
        self.checked.check(method, path, answer)
        return answer


NULLS = ('"\\u0000"', '"a\\u0000b"', '["\\u0000"]', '{"a": "\\u0000"}')
ODD = (
    *NULLS, '"\\ud800"', '"https://a.example/\\udfff"', '["\\ud800"]', '{"\\ud800": "a"}', "1e400",
    "NaN", "9" * 5_000, "[" * 9_000 + "]" * 9_000,
)  # fmt: skip
"""What no field of a body is to be, as JSON has it."""
_PARTS = {"name": "mine", "domain": "a.example", "pattern": "a.example", "id": "1"}


async def told_oddly(
    asker: Asker, ways: Sequence[str] = ODD
) -> AsyncIterator[tuple[str, str, Answer]]:
    """What is asked, and what is answered, of bodies in which one field is odd: each field of each
    route, in each way."""
    paths = asker.checked.document["paths"]
    for path, operations in paths.items():
        real = re.sub(r"\{(\w+)\}", lambda part: _PARTS.get(part[1], "nobody"), path)
        for method, operation in operations.items():
            if "requestBody" not in operation:
                continue
            content = operation["requestBody"]["content"]["application/json"]
            usual = content.get("example") or {}
            usual |= {"wait": 0} if "wait" in usual else {}
            for field in _fields(content["schema"], asker.checked.document):
                for odd in ways:
                    rest = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in usual.items()
                            if k not in (field, "start")]  # fmt: skip
                    body = "{" + ", ".join([*rest, f"{json.dumps(field)}: {odd}"]) + "}"
                    answer = await asker.ask(real, method.upper(), body=body.encode())
                    yield f"{method} {real}", body[:200], answer


def _fields(schema: Any, whole: Any) -> list[str]:
    while "properties" not in schema:
        refers = [each for each in (schema, *schema.get("anyOf", ())) if "$ref" in each]
        if not refers:
            return ["headers", "cookies", "login_fields", "login", "delay", "another"]
        schema = whole["components"]["schemas"][refers[0]["$ref"].rpartition("/")[2]]
    return list(schema["properties"])
