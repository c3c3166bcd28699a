"""What a route answers: the type that its function returns, as JSON, and as a schema.

The function of a route says by its return type what it answers: a Struct, or a `Response` of other
types of content, which the route names. Times go out as ISO 8601 and bytes as hex (`plain`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import orjson
from fastapi.responses import Response
from msgspec import Struct

from tenax.ops.plain import plain

JSON = "application/json"


class Declared(Struct, frozen=True):
    """What a route answers, as its document says it."""

    answer: Any
    """A type; None when it is not JSON."""
    media: tuple[str, ...] = ()
    """Types of content besides JSON, or instead."""
    problems: tuple[int, ...] = ()
    """Statuses of errors that are this route's own."""
    status: int = 200
    also: tuple[int, ...] = ()
    """Other statuses of the same answer."""


def declare(
    function: Callable[..., Any],
    *,
    media: tuple[str, ...] = (),
    problems: tuple[int, ...] = (),
    status: int = 200,
    also: tuple[int, ...] = (),
) -> Declared:
    """By its return type. Raises `TypeError` when that does not say what it answers."""
    said = get_type_hints(function).get("return")
    parts = get_args(said) if isinstance(said, UnionType) else (said,)
    answers = [each for each in parts if not _is_response(each)]
    if len(answers) > 1 or (answers and not _is_struct(answers[0])):
        raise TypeError(f"{function.__qualname__} has to return a Struct, or a Response")
    if bool(media) != (len(answers) < len(parts)):
        raise TypeError(f"{function.__qualname__}: a Response says by `media` what is in it")
    return Declared(answers[0] if answers else None, media, problems, status, also)


def answering(function: Callable[..., Any], status: int) -> Callable[..., Any]:
    """The same for the framework, which knows nothing of Structs."""

    @wraps(function)
    async def answer(*given: Any, **named: Any) -> Response:
        told = await function(*given, **named)
        if isinstance(told, Response):
            return told
        made = Response(orjson.dumps(plain(told)), status, media_type=JSON)
        aside = named.get("response")
        if isinstance(aside, Response):
            made.status_code = aside.status_code or status
            made.raw_headers += aside.raw_headers
        return made

    return answer


def _is_response(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Response)


def _is_struct(kind: Any) -> bool:
    kind = get_origin(kind) or kind
    return isinstance(kind, type) and issubclass(kind, Struct)
