"""How do nouns read as JSON? Times as ISO 8601, bytes as hex, the rest by its names."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tenax.ops.dates import iso

_TIMES = frozenset({"at", "until", "since"})


def plain(value: Any, name: str = "") -> Any:
    """A value made of nouns as JSON has it: times as ISO 8601, bytes as hex."""
    if isinstance(value, Struct):
        return {item: plain(getattr(value, item), item) for item in value.__struct_fields__}
    if isinstance(value, tuple | list):
        return [plain(item, name) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item, str(key)) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    is_time = name in _TIMES or name.endswith(("_at", "_until", "_before"))
    return iso(value) if is_time and isinstance(value, float | int) else value
