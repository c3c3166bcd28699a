"""How do nouns read as JSON? Times as ISO 8601, bytes as hex, nothing as null, by their names."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, inspect

from tenax.model.record import AsTold
from tenax.ops.dates import iso

Made = TypeVar("Made", bound=Struct)
T = TypeVar("T")
_TIMES = frozenset({"at", "until", "since", "as_of"})
_TIME_ENDS = ("_at", "_until", "_before")


def is_time(name: str) -> bool:
    """Whether a field of this name is a time, if it is a number."""
    return name in _TIMES or name.endswith(_TIME_ENDS)


def plain(value: Any, name: str = "") -> Any:
    """A value made of nouns as JSON has it: times as ISO 8601, bytes as hex. A text that is empty
    unless something is known is null then."""
    if isinstance(value, Struct):
        return {
            item: None if blank and not told else plain(told, item)
            for item, blank in _fields(type(value))
            if (told := getattr(value, item)) is not UNSET
        }
    if isinstance(value, tuple | list):
        return [plain(item, name) for item in value]
    if isinstance(value, AsTold):
        return dict(value)
    if isinstance(value, dict):
        return {str(key): plain(item, str(key)) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    is_number = isinstance(value, float | int) and not isinstance(value, bool)
    return iso(value) if is_number and is_time(name) else value


def extended(kind: type[Made], known: Struct, **more: Any) -> Made:
    """A Struct with all that another has, and more."""
    return kind(**{name: getattr(known, name) for name in known.__struct_fields__}, **more)


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, bool], ...]:
    """Their names, and whether each is a text that is empty unless something is known."""
    names, defaults = kind.__struct_fields__, kind.__struct_defaults__
    usual = dict(zip(reversed(names), reversed(defaults), strict=False))
    return tuple((name, usual.get(name) == "") for name in names)


def understood(kind: type[T], told: Any) -> T:
    """What `plain` made of such a value, as that value again. Fields that are not known here are
    left out: those who answer may be newer."""
    whole: Any = kind
    return msgspec.convert(_understood(_type_of(whole), told, ""), kind)


@cache
def _type_of(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _understood(kind: inspect.Type, told: Any, name: str) -> Any:
    match kind:
        case inspect.UnionType(types=types):
            if told is None and any(isinstance(each, inspect.NoneType) for each in types):
                return None
            return _understood(next(t for t in types if not _is_nothing(t)), told, name)
        case inspect.Metadata(type=inner):
            return _understood(inner, told, name)
        case inspect.StructType(fields=fields):
            blank = dict(_fields(getattr(kind.cls, "__origin__", kind.cls)))
            return {
                each.name: "" if told[each.name] is None and blank[each.name]
                else _understood(each.type, told[each.name], each.name)
                for each in fields
                if each.name in told
            }  # fmt: skip
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return [_understood(item, each, name) for each in told]
        case inspect.DictType(value_type=value):
            return {key: _understood(value, each, key) for key, each in told.items()}
        case inspect.BytesType():
            return bytes.fromhex(told)
        case inspect.FloatType() | inspect.IntType() if is_time(name):
            return datetime.fromisoformat(told).timestamp() if told else 0.0
        case _:
            return told


def _is_nothing(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.NoneType)
