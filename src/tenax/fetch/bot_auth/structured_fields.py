"""How are structured values written in HTTP fields? The part of RFC 9651 that signatures need.

What the grammar has no spelling for is a ValueError: these values come from our own settings
and keys, never from the web.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Bare: TypeAlias = str | int | bytes | bool
"""A String, an Integer, a Byte Sequence or a Boolean; nothing here needs the other kinds."""
Parameters: TypeAlias = Mapping[str, Bare]

_KEY = re.compile(r"[a-z*][a-z0-9_.*-]*")
_STRING = re.compile(r"[ -~]*")
_LARGEST = 999_999_999_999_999


def bare(value: Bare) -> str:
    """One value alone (sections 4.1.4 to 4.1.9)."""
    match value:
        case bool():
            return "?1" if value else "?0"
        case int():
            if abs(value) > _LARGEST:
                raise ValueError(f"{value} has more digits than a structured field may have")
            return str(value)
        case bytes():
            return f":{base64.b64encode(value).decode()}:"
        case str():
            return _string(value)


def item(value: Bare, parameters: Parameters | None = None) -> str:
    return bare(value) + _parameters(parameters or {})


def inner_list(items: Sequence[str], parameters: Parameters) -> str:
    """Of items already written."""
    return f"({' '.join(items)}){_parameters(parameters)}"


def dictionary(members: Mapping[str, str]) -> str:
    """Of members already written."""
    return ", ".join(f"{_key(name)}={written}" for name, written in members.items())


def _parameters(parameters: Parameters) -> str:
    return "".join(
        f";{_key(name)}" if value is True else f";{_key(name)}={bare(value)}"
        for name, value in parameters.items()
    )


def _key(name: str) -> str:
    if not _KEY.fullmatch(name):
        raise ValueError(f"{name!r} cannot be a key of a structured field")
    return name


def _string(text: str) -> str:
    if not _STRING.fullmatch(text):
        raise ValueError(f"{text!r} has characters that a structured field cannot hold")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
