"""Write the console's types of the API from its OpenAPI document: `python -m console.api_types`.

With `--check` nothing is written, and the file has to be as it would be.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tenax.api.app import build
from tenax.api.document import document
from tenax.compose.api import open_api
from tenax.compose.crawler import open_crawler
from tenax.settings import Settings

FILE = Path(__file__).parent / "src" / "api.d.ts"
_HEAD = "// Written by `python -m console.api_types` from the API's document: do not edit it.\n"


async def api_document() -> dict[str, Any]:
    """The document of an API around an empty ledger: it is the same around any."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            open_crawler(Settings(data=folder)) as crawler,
            open_api(crawler.ledger, None, crawler) as opened,
        ):
            return document(build(opened))


def types_of(told: Mapping[str, Any]) -> str:
    """An interface for each schema, and one with all routes."""
    schemas = told["components"]["schemas"]
    blocks = [_HEAD]
    for name, schema in sorted(schemas.items()):
        blocks.append(_declared(name, schema))
    blocks.append("/** By method and path: what is asked, and what is answered. */")
    blocks.append("export interface Routes {")
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            blocks.append(f"  {json.dumps(f'{method.upper()} {path}')}: {{")
            blocks.extend(f"    {line}" for line in _route(operation))
            blocks.append("  };")
    blocks.append("}\n")
    return "\n".join(blocks)


def _declared(name: str, schema: Mapping[str, Any]) -> str:
    note = _note(schema)
    if "properties" not in schema:
        return f"{note}export type {name} = {_type(schema)};\n"
    needed = set(schema.get("required", ()))
    lines = [f"{note}export interface {name} {{"]
    for field, each in schema["properties"].items():
        mark = "" if field in needed else "?"
        lines.append(f"{_note(each, '  ')}  {_key(field)}{mark}: {_type(each)};")
    return "\n".join([*lines, "}\n"])


def _route(operation: Mapping[str, Any]) -> Iterator[str]:
    for where in ("path", "query"):
        given = [each for each in operation.get("parameters", ()) if each["in"] == where]
        fields = "; ".join(
            f"{_key(each['name'])}{'' if each.get('required') else '?'}: {_type(each['schema'])}"
            for each in given
        )
        yield f"{where}: {{ {fields} }};" if fields else f"{where}: {{}};"
    bodies = operation.get("requestBody", {}).get("content", {})
    body = next(iter(bodies.values()), None)
    yield f"body: {_type(body['schema']) if body else 'undefined'};"
    good = next(said for status, said in operation["responses"].items() if status < "300")
    content = good["content"]
    is_json = "application/json" in content
    yield f"answer: {_type(content['application/json']['schema']) if is_json else 'string'};"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(_type(each) for each in schema[key]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": each}) for each in kind)
    if kind == "array":
        return _array(schema)
    if kind == "object":
        return _object(schema)
    simple = {"string": "string", "integer": "number", "number": "number"}
    simple |= {"boolean": "boolean", "null": "null"}
    return simple.get(str(kind), "unknown")


def _array(schema: Mapping[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(_type(each) for each in schema['prefixItems'])}]"
    inner = _type(schema.get("items", {}))
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def _object(schema: Mapping[str, Any]) -> str:
    if "properties" in schema:
        fields = (f"{_key(name)}: {_type(each)}" for name, each in schema["properties"].items())
        return f"{{ {'; '.join(fields)} }}"
    more = schema.get("additionalProperties")
    return f"Record<string, {_type(more) if isinstance(more, Mapping) else 'unknown'}>"


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def _note(schema: Mapping[str, Any], indent: str = "") -> str:
    text = " ".join(str(schema.get("description", "")).split()).replace("*/", "*\\/")
    return f"{indent}/** {text} */\n" if text else ""


def main() -> int:
    text = types_of(asyncio.run(api_document()))
    if "--check" in sys.argv:
        if not FILE.exists() or FILE.read_text() != text:
            print(f"{FILE}: stale. Run python -m console.api_types", file=sys.stderr)
            return 1
        return 0
    FILE.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
