"""Can this be kept as a record? Any typed value in, JSON out, or what is wrong with it."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, Final

import msgspec

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_LONGEST_KEY: Final = 500
_sorted = msgspec.json.Encoder(order="sorted")


class RecordInvalid(ValueError):
    """What a handler told cannot be kept: what, where, what to do."""


def fields_of(name: object, value: object, fields: Mapping[str, object]) -> dict[str, Any]:
    """The fields of a record as plain values; those of a dataclass or Struct are held to its types.
    Raises `RecordInvalid`."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RecordInvalid(
            f"record {name!r}: a name is a letter, then letters, digits, _ . or -, 64 at most."
        )
    plain = _typed(name, value) if value is not None else {}
    for field, each in fields.items():
        plain[field] = _plain(f"record {name!r}: {field}", each)
    if not plain:
        raise RecordInvalid(f"record {name!r}: it has no fields. Name some, or give a value.")
    _check(f"record {name!r}", plain)
    return plain


def key_of(name: str, key: object) -> str:
    """What a record is known by. Raises `RecordInvalid`."""
    if isinstance(key, int) and not isinstance(key, bool):
        key = str(key)
    is_text = isinstance(key, str) and 0 < len(key) <= _LONGEST_KEY
    if not isinstance(key, str) or not is_text or "\0" in key or not _is_unicode(key):
        raise RecordInvalid(
            f"record {name!r}: key={str(key)[:60]!r}: write a text of 1 to {_LONGEST_KEY}"
            " characters, or a whole number."
        )
    return key


def as_json(fields: Mapping[str, Any]) -> tuple[str, bytes]:
    """The fields as JSON in their own order, and a digest that does not depend on it."""
    return (
        msgspec.json.encode(fields).decode(),
        hashlib.blake2b(_sorted.encode(fields), digest_size=16).digest(),
    )


def _typed(name: str, value: object) -> dict[str, Any]:
    where = f"record {name!r}"
    if isinstance(value, Mapping):
        return {str(key): _plain(f"{where}: {key}", each) for key, each in value.items()}
    if not isinstance(value, msgspec.Struct) and (
        not is_dataclass(value) or isinstance(value, type)
    ):
        raise RecordInvalid(
            f"{where}: a {_kind(value)} is no record. Give a dataclass, a msgspec.Struct, a dict,"
            " or fields by name."
        )
    plain = _plain(where, value)
    try:
        # Neither a dataclass nor a Struct looks at what it is made of.
        msgspec.convert(plain, type(value), strict=True)
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at `$.")
        told = f"{place.rstrip('`')}: {text}" if place else text
        raise RecordInvalid(f"{where} ({_kind(value)}): {told}.") from None
    except TypeError:
        pass  # a type that nobody can read back: its values are plain, which is what counts
    if not isinstance(plain, dict):
        raise RecordInvalid(f"{where}: a {_kind(value)} has no fields by name.")
    return plain


def _plain(where: str, value: object) -> Any:
    if value is None or type(value) in (str, int, bool):
        return value
    try:
        return msgspec.to_builtins(value, str_keys=True, enc_hook=_cannot)
    except (TypeError, ValueError, RecursionError) as error:
        hint = _HINTS.get(_kind(value), "")
        raise RecordInvalid(f"{where}: {error}{hint}") from None


_HINTS: Final = {"Selection": " Did you mean its .text, or .attr(name)?"}


def _cannot(value: object) -> Any:
    raise TypeError(f"a {_kind(value)} cannot be stored.")


def _check(where: str, value: Any, depth: int = 0) -> None:
    """What JSON has no word for."""
    if depth > 50:
        raise RecordInvalid(f"{where}: nested too deep.")
    if isinstance(value, float) and not math.isfinite(value):
        raise RecordInvalid(f"{where}: {value} is no number that can be stored. Use None.")
    if isinstance(value, str) and not _is_unicode(value):
        raise RecordInvalid(f"{where}: the text has halves of characters (surrogates).")
    if isinstance(value, dict):
        for key, each in value.items():
            _check(f"{where}: {key}", each, depth + 1)
    elif isinstance(value, list | tuple):
        for each in value:
            _check(where, each, depth + 1)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(value: object) -> str:
    return type(value).__name__
