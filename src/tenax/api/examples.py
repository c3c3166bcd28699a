"""Examples for the document: of each schema a value that it allows, and that can be read."""

from __future__ import annotations

from typing import Any

_BY_NAME: dict[str, Any] = {
    "url": "https://shop.example/p/48213",
    "asked": "https://shop.example/p/48213",
    "final_url": "https://shop.example/p/48213",
    "canonical": "https://shop.example/p/48213",
    "found_on": "https://shop.example/c/audio",
    "origin": "https://shop.example",
    "host": "shop.example",
    "domain": "shop.example",
    "pattern": "*.shop.example",
    "job": "prices",
    "name": "prices",
    "title": "Headphones",
    "brand": "Acme",
    "currency": "EUR",
    "price": "129.00",
    "language": "en",
    "content_type": "text/html",
    "charset": "utf-8",
    "password": "correct horse battery staple",
    "role": "user",
    "schedule": "every 6h",
    "detail": "",
    "status": 200,
}
_MOMENT = "2026-11-18T12:04:10.000Z"


def example(schema: dict[str, Any], known: dict[str, Any], name: str = "", depth: int = 0) -> Any:
    """A value of this schema; `known` has what it refers to."""
    if "$ref" in schema:
        return example(known[schema["$ref"].rpartition("/")[2]], known, name, depth + 1)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _first(schema["anyOf"], known, name, depth)
    if "oneOf" in schema:
        return _first(schema["oneOf"], known, name, depth)
    match schema.get("type"):
        case "object":
            return {
                key: example(each, known, key, depth + 1)
                for key, each in schema.get("properties", {}).items()
            }
        case "array":
            return _array(schema, known, name, depth)
        case "string":
            return _text(schema, name)
        case "integer" | "number":
            return _number(schema, name)
        case "boolean":
            return True
        case _:
            return None


def _first(schemas: list[dict[str, Any]], known: dict[str, Any], name: str, depth: int) -> Any:
    """Deep inside, nothing rather than something: an example is to be read."""
    empty = {"type": "null"}
    if depth > 2 and empty in schemas:
        return None
    return example(next(each for each in schemas if each != empty), known, name, depth)


def _array(schema: dict[str, Any], known: dict[str, Any], name: str, depth: int) -> list[Any]:
    if "prefixItems" in schema:
        return [example(each, known, name, depth + 1) for each in schema["prefixItems"]]
    if depth > 2 and not schema.get("minItems"):
        return []
    singular = name.removesuffix("s")
    return [example(schema.get("items", {}), known, singular, depth + 1)]


def _text(schema: dict[str, Any], name: str) -> str:
    if schema.get("format") == "date-time":
        return _MOMENT
    if "[0-9a-f]" in schema.get("pattern", ""):
        return "6f" * 32
    found = _BY_NAME.get(name, "")
    text = found if isinstance(found, str) else ""
    return text or "x" * schema.get("minLength", 0)


def _number(schema: dict[str, Any], name: str) -> int | float:
    usual = _BY_NAME.get(name, 1)
    number = usual if isinstance(usual, int | float) else 1
    least, most = schema.get("minimum", number), schema.get("maximum", number)
    found = max(least, min(most, number))
    return found if isinstance(found, int | float) else 1
