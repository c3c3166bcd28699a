"""How do tests ask the API without a server? By its application, as a server would."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI
from msgspec import Struct

from tenax.api.app import build
from tenax.compose.api import Opened, open_api
from tenax.compose.crawler import open_crawler
from tenax.ops.accounts.api_keys import digest_of, new_key
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
        "asgi": {"version": "3.0"},
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

    async def make_keys(self) -> None:
        for role in (ApiRole.USER, ApiRole.ADMIN):
            key = self.keys[role] = new_key()
            assert await self.opened.keys.add(role.value, role, digest_of(key))

    async def ask(
        self, path: str, method: str = "GET", role: ApiRole = ApiRole.ADMIN, body: Any = None
    ) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body else b""
        return await ask(self.api, path, method, self.keys[role], data)
