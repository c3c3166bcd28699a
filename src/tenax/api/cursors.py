"""Pagination cursors: a place in a list, as text that means nothing to those who pass it on."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import msgspec

from tenax.api.problems import Problem

_LONGEST = 1_000
_MOST = 2**63 - 1
_decode_place = msgspec.json.Decoder(tuple[float, int])
_decode_number = msgspec.json.Decoder(int)
_decode_name = msgspec.json.Decoder(str)


def encode(place: int | str | tuple[float, int]) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).rstrip(b"=").decode()


def number(cursor: str | None) -> int:
    """The id to go on behind; 0 for the beginning."""
    if cursor is None:
        return 0
    found: int = _decoded(cursor, _decode_number)
    if not 0 <= found <= _MOST:
        raise _foreign()
    return found


def name(cursor: str | None) -> str:
    """The name to go on behind; empty for the beginning."""
    if cursor is None:
        return ""
    found: str = _decoded(cursor, _decode_name)
    if "\0" in found:
        raise _foreign()
    return found


def moment(cursor: str | None) -> tuple[float, int] | None:
    """The moment and id to go on behind; None for the beginning."""
    if cursor is None:
        return None
    at, id = _decoded(cursor, _decode_place)
    if not 0 <= id <= _MOST:
        raise _foreign()
    return at, id


def _decoded(cursor: str, decoder: msgspec.json.Decoder[Any]) -> Any:
    if len(cursor) > _LONGEST:
        raise _foreign()
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        return decoder.decode(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeEncodeError, binascii.Error, msgspec.DecodeError, ValueError):
        raise _foreign() from None


def _foreign() -> Problem:
    return Problem(400, "cursor: not one of ours. Use `next` of the answer before, as it stands.")
