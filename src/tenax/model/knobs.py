"""What may a setting be? Numbers with their bounds and unit as types, and the same in words.

A policy declares its fields with these. msgspec checks them while settings are read; what messages,
the API's schema and the reference say of them is taken from the same declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

S = TypeVar("S", bound=Struct)

SECONDS = Meta(extra_json_schema={"unit": "seconds"})
BYTES = Meta(extra_json_schema={"unit": "bytes"})
PER_SECOND = Meta(extra_json_schema={"unit": "requests a second"})
DAYS = Meta(extra_json_schema={"unit": "days"})
PER_MINUTE = Meta(extra_json_schema={"unit": "requests a minute"})

Seconds: TypeAlias = Annotated[float, Meta(ge=0), SECONDS]
SomeSeconds: TypeAlias = Annotated[float, Meta(ge=0.001), SECONDS]
"""Where none at all would mean a loop without rest, or a limit that nothing can keep."""
Days: TypeAlias = Annotated[float, Meta(ge=0), DAYS]
Bytes: TypeAlias = Annotated[int, Meta(ge=1), BYTES]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
AtLeastOne: TypeAlias = Annotated[int, Meta(ge=1)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Name: TypeAlias = Annotated[str, Meta(min_length=1)]


class Knob(Struct, frozen=True):
    """What one setting may be, as declared."""

    kind: Literal["number", "whole number", "text", "switch", "word", "table"]
    """Of a list, that of its items."""
    least: float | None = None
    most: float | None = None
    """Of numbers; of texts, how many characters."""
    unit: str = ""
    words: tuple[str, ...] = ()
    """All there are, where it is one of a few."""
    is_list: bool = False

    @property
    def range(self) -> str:
        """In short, as a table shows it."""
        match self.kind:
            case "word":
                told = _one_of(f"`{word}`" for word in self.words)
            case "switch":
                told = "`true` or `false`"
            case "number" | "whole number":
                told = self._bounds if self._is_closed else f"≥ {self._bounds}"
            case "text" if self.least:
                told = "text, not empty"
            case _:
                told = self.kind
        return f"list: {told}" if self.is_list else told

    def demand(self, value: object) -> str:
        """What to do instead of setting it, or an item of it, to this."""
        match self.kind:
            case "word":
                return f"use {_one_of(self.words)}"
            case "switch":
                return "use true or false"
            case "text" if isinstance(value, str) and self.most is not None:
                return f"use {self._bounds} characters"
            case "text" if isinstance(value, str):
                return "must not be empty"
            case "text" | "table":
                return f"must be a {self.kind}"
        at_least = "" if self._is_closed else "at least "
        if _is_number(value, whole=self.kind == "whole number"):
            return f"{'use' if self._is_closed else 'must be'} {at_least}{self._bounds}"
        return f"must be a {self.kind}, {at_least}{self._bounds}"

    @property
    def plural(self) -> str:
        """What a list has."""
        return {"switch": "switches"}.get(self.kind, f"{self.kind}s")

    @property
    def _is_closed(self) -> bool:
        return self.most is not None

    @property
    def _bounds(self) -> str:
        if self.most is not None:
            return f"{_figure(self.least or 0)} to {_figure(self.most)} {self.unit}".rstrip()
        unit = self.unit.removesuffix("s") if self.least == 1 else self.unit
        return f"{_figure(self.least or 0)} {unit}".rstrip()


class OutOfBounds(ValueError):
    """A value is not what its declaration allows: which, and what to do."""


def checked(policy: S) -> S:
    """A policy that was put together by hand, held to what it declares; else `OutOfBounds`."""
    try:
        return msgspec.convert(msgspec.to_builtins(policy), type(policy))
    except msgspec.ValidationError as error:
        name, *inside = _STEP.findall(str(error).partition(" - at `$.")[2])
        value, bounds = getattr(policy, name), knob(type(policy), name)
        if bounds.kind == "table" and len(inside) == 2:
            item = value[int(inside[0])]
            wrong, within = getattr(item, inside[1]), knob(type(item), inside[1])
            which = f"{name}, number {int(inside[0]) + 1}: {inside[1]}"
            raise OutOfBounds(f"{which} = {wrong!r:.60}: {within.demand(wrong)}.") from error
        if bounds.is_list:
            raise OutOfBounds(f"{name}: must be a list of {bounds.plural}.") from error
        raise OutOfBounds(f"{name} = {value!r}: {bounds.demand(value)}.") from error


_STEP = re.compile(r"[^.\[\]`]+")


def without_bounds(policy: type[Struct]) -> type[Struct]:
    """The same fields in the same order, of the same types and with no bounds."""
    kinds = get_type_hints(policy)
    fields = [(each.name, kinds[each.name], _default(each)) for each in structs.fields(policy)]
    return msgspec.defstruct(policy.__name__, fields, frozen=True)


def knob(owner: type[Struct], name: str) -> Knob:
    """What a field of a policy may be."""
    from msgspec.inspect import type_info

    return _read(type_info(get_type_hints(owner, include_extras=True)[name]))


def _read(info: Any) -> Knob:
    """From the type as msgspec sees it."""
    from msgspec import inspect

    match info:
        case inspect.Metadata():
            return structs.replace(
                _read(info.type), unit=(info.extra_json_schema or {}).get("unit", "")
            )
        case inspect.UnionType():
            return next(
                _read(kind) for kind in info.types if not isinstance(kind, inspect.NoneType)
            )
        case inspect.VarTupleType():
            return structs.replace(_read(info.item_type), is_list=True)
        case inspect.IntType():
            return Knob("whole number", info.ge, info.le)
        case inspect.FloatType():
            return Knob("number", info.ge, info.le)
        case inspect.StrType():
            return Knob("text", info.min_length, info.max_length)
        case inspect.BoolType():
            return Knob("switch")
        case inspect.LiteralType():
            return Knob("word", words=tuple(map(str, info.values)))
        case inspect.EnumType():
            return Knob("word", words=tuple(str(member.value) for member in info.cls))
        case inspect.StructType() | inspect.DictType():
            return Knob("table")
    raise TypeError(f"nothing says what a setting of the type {info} may be")


def _default(field: structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.field(default_factory=field.default_factory)
    return field.default


def _one_of(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _is_number(value: object, *, whole: bool) -> bool:
    """A text from the environment is one when it reads as one."""
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return False
    return not isinstance(value, bool) and number is not None and (not whole or number % 1 == 0)


def _figure(number: float) -> str:
    """As people write it: a port without a comma, a million with two."""
    if number != int(number):
        return f"{number:g}"
    return f"{int(number):,}" if abs(number) >= 1e6 else str(int(number))
