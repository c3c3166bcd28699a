"""The OpenAPI 3.1 document: requests as the framework knows them, answers as our types say.

Every status that a route can give is in it, with its schema and an example; who may ask is its
security. Clients and the console's types are made from it.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import msgspec
from fastapi import FastAPI
from msgspec import Struct

from tenax.api.answering import JSON, Declared
from tenax.api.callers import COOKIE, CSRF
from tenax.api.examples import example
from tenax.api.guard import GuardedRoute, declared
from tenax.api.problems import MEDIA_TYPE, PROBLEMS, ProblemAnswer
from tenax.api.repeats import HEADER
from tenax.ops.plain import is_time
from tenax.ports.accounts import ApiRole

_REF = "#/components/schemas/{name}"
_ALWAYS = (400, 414, 422, 431, 500, 503)
"""Statuses that any request may get: an address that is none, one that is too long …"""
_LIMITS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_NUMBER = {"schema": {"type": "integer"}}


def document(api: FastAPI) -> dict[str, Any]:
    found: dict[str, Any] = deepcopy(api.openapi())
    routes = [each for each in api.router.routes if isinstance(each, GuardedRoute)]
    routes = [each for each in routes if each.include_in_schema]
    kinds = [said.answer for each in routes if (said := each.declared).answer is not None]
    kinds.append(ProblemAnswer)
    # By id: some are types that cannot be hashed.
    schemas, components = _schemas(list({repr(kind): kind for kind in kinds}.values()))
    parts = found.setdefault("components", {})
    of_requests = parts.get("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        of_requests.pop(name, None)
    known = parts["schemas"] = {**of_requests, **components}
    parts["responses"] = {f"Problem{status}": _problem(status) for status in PROBLEMS}
    parts["headers"] = dict.fromkeys(_LIMITS, _NUMBER)
    parts["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
        "csrf": {"type": "apiKey", "in": "header", "name": CSRF},
    }
    for route in routes:
        for method in route.methods or ():
            operation = found["paths"][route.path][method.lower()]
            schema = schemas.get(repr(route.declared.answer))
            operation["responses"] = _responses(route, method, schema, known)
            operation["security"] = _security(route, method)
            _requests(route, method, operation, known)
    return found


def _responses(
    route: GuardedRoute, method: str, schema: dict[str, Any] | None, known: dict[str, Any]
) -> dict[str, Any]:
    said, (role, counted) = route.declared, declared(route)
    content: dict[str, Any] = {}
    if schema is not None:
        content[JSON] = {"schema": schema, "example": example(schema, known)}
    for kind in said.media:
        content[kind] = {"schema": {"type": "string"}}
    good: dict[str, Any] = {"description": "As it was asked for.", "content": content}
    if counted:
        limits = {name: {"$ref": f"#/components/headers/{name}"} for name in _LIMITS}
        good["headers"] = limits
    responses = {str(status): good for status in (said.status, *said.also)}
    for status in sorted(set(_problems(method, role, counted, said))):
        refers = {"$ref": f"#/components/responses/Problem{status}"}
        responses.setdefault(str(status), refers)
    return responses


def _problem(status: int) -> dict[str, Any]:
    title, detail = PROBLEMS[status]
    shown = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    schema = {"$ref": _REF.format(name="ProblemAnswer")}
    answer: dict[str, Any] = {
        "description": detail,
        "content": {MEDIA_TYPE: {"schema": schema, "example": shown}},
    }
    if status in (429, 503):
        answer["headers"] = {"Retry-After": _NUMBER}
    return answer


def _problems(method: str, role: ApiRole, counted: bool, said: Declared) -> Iterator[int]:
    yield from _ALWAYS
    yield from said.problems
    yield 413
    if counted:
        yield from (401, 429)
    if role is not ApiRole.ANONYMOUS or method != "GET":
        yield 403
    if method == "POST":
        yield 409


def _security(route: GuardedRoute, method: str) -> list[dict[str, list[str]]]:
    role, _ = declared(route)
    if role is ApiRole.ANONYMOUS:
        return [{}, {"key": []}, {"session": []}]
    session: dict[str, list[str]] = {"session": []}
    return [{"key": []}, session if method == "GET" else {**session, "csrf": []}]


def _requests(
    route: GuardedRoute, method: str, operation: dict[str, Any], known: dict[str, Any]
) -> None:
    if method == "POST" and not route.is_secret:
        operation.setdefault("parameters", []).append({
            "name": HEADER.title(), "in": "header", "required": False,
            "description": "Repeating it within 24 h repeats the answer, not the act.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255},
        })  # fmt: skip
    for body in operation.get("requestBody", {}).get("content", {}).values():
        body.setdefault("example", example(body["schema"], known))


# -- Schemas of answers


def _schemas(kinds: list[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """By the `repr` of each type what refers to it; and all that they are made of."""
    found, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    docs = {kind.__name__: kind for kind in _structs(kinds)}
    told = {
        _name(name): _answered(schema, docs.get(schema.get("title", "").partition("[")[0]))
        for name, schema in components.items()
    }
    references = {repr(kind): _renamed(schema) for kind, schema in zip(kinds, found, strict=True)}
    return references, told


def _answered(schema: dict[str, Any], kind: type[Struct] | None) -> dict[str, Any]:
    """As `plain` writes it: everything is there, times are texts."""
    schema = _renamed(schema)
    if "properties" not in schema:
        return schema
    notes = _notes(kind) if kind else {}
    fields = {}
    for name, each in schema["properties"].items():
        is_needed = name in schema.get("required", ())
        is_needed = is_needed and "x-null-when" not in each
        field = _timed(each, is_needed) if is_time(name) else dict(each)
        if field.pop("default", None) == "":
            field = {"anyOf": [field, {"type": "null"}]}
        if note := notes.get(name):
            field["description"] = note
        fields[name] = field
    maybe = _unset(kind) if kind else ()
    needed = [name for name in fields if name not in maybe]
    return {**schema, "properties": fields, "required": needed}


def _unset(kind: type[Struct]) -> set[str]:
    """Fields that are there only where there is something to say."""
    usual = zip(reversed(kind.__struct_fields__), reversed(kind.__struct_defaults__), strict=False)
    return {name for name, default in usual if default is msgspec.UNSET}


def _timed(schema: dict[str, Any], needed: bool) -> dict[str, Any]:
    """A number becomes a time; one that may be 0 may be nothing."""
    moment = {"type": "string", "format": "date-time"}
    if schema.get("type") in ("number", "integer"):
        return moment if needed else {"anyOf": [moment, {"type": "null"}]}
    if schema.get("type") == "array":
        return {**schema, "items": _timed(schema["items"], True)}
    if "anyOf" in schema:
        return {**schema, "anyOf": [_timed(each, True) for each in schema["anyOf"]]}
    return schema


def _name(name: str) -> str:
    """`Listed_JobAnswer_` is what it is called that is written `ListPart[JobAnswer]`."""
    return re.sub(r"_+", "_", name).strip("_")


def _renamed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_renamed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("contentEncoding") == "base64":
        return {"type": "string", "pattern": "^[0-9a-f]*$"}
    return {
        key: _REF.format(name=_name(each.rpartition("/")[2])) if key == "$ref" else _renamed(each)
        for key, each in schema.items()
    }


def _structs(kinds: Iterable[Any]) -> Iterator[type[Struct]]:
    """All Structs in these types, the types of their fields, and so on."""
    seen: set[type[Struct]] = set()

    def walk(info: Any) -> Iterator[type[Struct]]:
        if isinstance(info, msgspec.inspect.StructType):
            kind = getattr(info.cls, "__origin__", info.cls)
            if kind not in seen:
                seen.add(kind)
                yield kind
                for field in info.fields:
                    yield from walk(field.type)
            return
        for name in ("item_type", "key_type", "value_type", "type"):
            if isinstance(part := getattr(info, name, None), msgspec.inspect.Type):
                yield from walk(part)
        for name in ("types", "item_types"):
            for part in getattr(info, name, ()):
                yield from walk(part)

    for kind in kinds:
        yield from walk(msgspec.inspect.type_info(kind))


@cache
def _notes(kind: type[Struct]) -> dict[str, str]:
    """What stands below each field in the source."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if not issubclass(each, Struct) or each is Struct:
            continue
        try:
            source = textwrap.dedent(inspect.getsource(each))
        except (OSError, TypeError):  # shipped without it
            continue
        body = ast.parse(source).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, note in zip(body.body, body.body[1:], strict=False):
            match field, note:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = " ".join(text.split())
    return found
