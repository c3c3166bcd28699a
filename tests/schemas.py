"""Is an event what its schema says? A second opinion, by a library of others."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker


def check(event: bytes) -> dict[str, Any]:
    """The event, if its schema holds; of these schemas every field is explained."""
    told: dict[str, Any] = json.loads(event)
    validator(told["type"]).validate(told)
    assert set(told) <= set(schema(told["type"])["properties"]), "a field without explanation"
    return told


@cache
def schema(kind: str) -> dict[str, Any]:
    text = files("tenax").joinpath("schemas", f"{kind}.json").read_text()
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def validator(kind: str) -> Any:
    Draft202012Validator.check_schema(schema(kind))
    return Draft202012Validator(schema(kind), format_checker=FormatChecker())
