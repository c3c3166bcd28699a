"""Are the console's types those of the API as it is?"""

from __future__ import annotations

from console.api_types import FILE, api_document, types_of


async def test_they_are_fresh() -> None:
    stale = f"{FILE.name} is stale: run python -m console.api_types"
    assert FILE.read_text() == types_of(await api_document()), stale


def test_schemas_become_types() -> None:
    text = {"type": "string"}
    schemas = {
        "Colour": {"enum": ["red", "green"]},
        "Thing": {
            "description": "A thing. */ alert(1)",
            "properties": {
                "colour": {"$ref": "#/components/schemas/Colour"},
                "at": {"anyOf": [text, {"type": "null"}]},
                "pairs": {"type": "array", "items": {"prefixItems": [text, text], "type": "array"}},
                "sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
                "odd-name": {"type": "array", "items": {"anyOf": [text, {"type": "number"}]}},
            },
            "required": ["colour", "at"],
        },
    }
    answer = {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
    operation = {
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
            {"name": "q", "in": "query", "schema": text},
        ],
        "responses": {"200": {"content": answer}},
    }
    paths = {"/things/{id}": {"get": operation}}
    told = types_of({"components": {"schemas": schemas}, "paths": paths})
    for line in (
        'export type Colour = "red" | "green";',
        "/** A thing. *\\/ alert(1) */",
        "  colour: Colour;",
        "  at: string | null;",
        "  pairs?: [string, string][];",
        "  sizes?: Record<string, number>;",
        '  "odd-name"?: (string | number)[];',
        '  "GET /things/{id}": {',
        "    path: { id: number };",
        "    query: { q?: string };",
        "    body: undefined;",
        "    answer: Thing;",
    ):
        assert line in told.splitlines(), line
