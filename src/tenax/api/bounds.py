"""What may a request set a knob to? What its policy declares, as the schema of a body says it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from pydantic import BeforeValidator, Field

from tenax.model.knobs import knob

STRICT = Field(strict=True)
"""What a body says has its type: `true` is no 1, and `1` no `true`."""


def _number(said: object) -> object:
    if isinstance(said, bool | str):
        raise ValueError("it should be a whole number")
    return said


WHOLE = BeforeValidator(_number)
"""The same of whole numbers, of which 3.0 is one in JSON. It stands behind their bounds."""


def bounds_of(policy: type[Struct], name: str) -> Any:
    """To stand beside the type: `Annotated[int, bounds_of(JobSpec, "max_pages")]`."""
    declared = knob(policy, name)
    unit: dict[str, Any] = {"unit": declared.unit} if declared.unit else {}
    return Field(ge=declared.least, le=declared.most, json_schema_extra=unit)
