"""How does a setting look as TOML?"""

from __future__ import annotations

import math
from typing import Any

import orjson
from msgspec import Struct

_WIDEST = 100


def toml_line(name: str, value: Any, source: str) -> str:
    """`name = value`, with who set it as a comment; a long list over several lines."""
    if value is None:
        return f"# {name} is not set"
    whole = f"{name} = {_value(value)}"
    if not isinstance(value, tuple) or len(whole) <= _WIDEST - len(source) - 4:
        return f"{whole}  # {source}"
    lines = [f"{name} = [  # {source}"]
    for item in value:
        text = f"{_value(item)},"
        if len(lines) > 1 and len(lines[-1]) + len(text) < _WIDEST:
            lines[-1] += f" {text}"
        else:
            lines.append(f"  {text}")
    return "\n".join([*lines, "]"])


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, Struct):
        value = {name: getattr(value, name) for name in value.__struct_fields__}
    if isinstance(value, dict):
        # TOML has no word for what is not set.
        told = {key: inner for key, inner in value.items() if inner is not None}
        pairs = (f"{_value(key)} = {_value(inner)}" for key, inner in told.items())
        return f"{{{', '.join(pairs)}}}"
    if value == math.inf:
        return "inf"
    # TOML's basic strings, other numbers and truth values are spelled as JSON's.
    return orjson.dumps(value).decode()
