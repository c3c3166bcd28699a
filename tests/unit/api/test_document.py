"""Is the document of the API one that clients can be made from? (API-1)"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.responses import Response
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from tenax.api.document import document
from tenax.api.guard import Doors
from tenax.ports.accounts import ApiRole
from tests.asking import Asker, opened


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    async def make() -> dict[str, Any]:
        async with opened(tmp_path_factory.mktemp("document")) as made:
            return document(Asker(made).api)

    return asyncio.run(make())


def operations(told: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_it_is_valid(told: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(told).validate()
    assert told["openapi"].startswith("3.1")


def test_every_answer_has_a_schema_and_an_example_of_it(told: dict[str, Any]) -> None:
    components = told["components"]
    for name, operation in operations(told):
        for status, said in operation["responses"].items():
            if "$ref" in said:
                said = components["responses"][said["$ref"].rpartition("/")[2]]
            assert said["content"], f"{name}: {status} says nothing"
            for kind, content in said["content"].items():
                if kind.endswith(("/json", "+json")):
                    schema = {**content["schema"], "components": components}
                    wrong = list(Draft202012Validator(schema).iter_errors(content["example"]))
                    assert not wrong, f"{name}: {status}: {wrong[0].message}"


HOMONYMS = {
    "asked": "how often a guess was; for which URL somebody does",
    "lasting": "seconds that a rule of alerts waits; a duration as it is typed",
    "new": "how many URLs; a password",
    "status": "of an answer; of a product, of a record",
    "value": "of an alert; of a setting",
}
"""What is one word in English. None is a field that one would compare with the other."""


def test_what_is_called_alike_is_a_number_everywhere_or_nowhere(told: dict[str, Any]) -> None:
    """A price is text in a product as among what was found, `link_count` a number in both."""
    kinds: dict[str, dict[bool, set[str]]] = {}
    for name, schema in told["components"]["schemas"].items():
        for each, said in schema.get("properties", {}).items():
            several = said.get("anyOf", [said])
            for kind in {one.get("type") for one in several} - {None, "null", "object"}:
                is_number = kind in ("integer", "number")
                if is_number or kind == "string":
                    kinds.setdefault(each, {}).setdefault(is_number, set()).add(name)
    both = {each: by for each, by in kinds.items() if len(by) == 2 and each not in HOMONYMS}
    assert both == {}
    assert "links" not in kinds, "how many there are is link_count"


def test_so_has_every_body(told: dict[str, Any]) -> None:
    for name, operation in operations(told):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            schema = {**content["schema"], "components": told["components"]}
            wrong = list(Draft202012Validator(schema).iter_errors(content["example"]))
            assert not wrong, f"{name}: {wrong[0].message}"


def test_no_answer_is_any_object_at_all(told: dict[str, Any]) -> None:
    for name, schema in told["components"]["schemas"].items():
        if schema.get("type") == "object":
            assert schema.get("properties"), name


def test_who_may_ask_is_its_security(told: dict[str, Any]) -> None:
    for name, operation in operations(told):
        is_open = operation["x-role"] == ApiRole.ANONYMOUS
        assert ({} in operation["security"]) == is_open, name
        assert ("401" in operation["responses"]) == (name != "GET /health"), name
        if not is_open and not name.startswith("GET"):
            assert {"session": [], "csrf": []} in operation["security"], name


def test_times_nothing_and_bytes_are_told_as_they_are_answered(told: dict[str, Any]) -> None:
    schemas = told["components"]["schemas"]
    moment = {"type": "string", "format": "date-time"}
    summary = schemas["JobSummary"]["properties"]
    assert summary["created_at"] == moment
    assert summary["ended_at"]["anyOf"] == [moment, {"type": "null"}]
    url = schemas["UrlRecord"]["properties"]["reason"]
    assert url["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert "description" in summary["seconds_left"]
    assert set(schemas["JobDetail"]["required"]) == set(schemas["JobDetail"]["properties"])


@pytest.mark.parametrize("kind", ["dict", "nothing", "list", "response"])
def test_a_route_that_does_not_say_what_it_answers_keeps_the_api_from_starting(kind: str) -> None:
    async def a_dict() -> dict[str, Any]:
        return {}

    async def nothing():  # type: ignore[no-untyped-def]
        return {}

    async def a_list() -> list[int]:
        return []

    async def a_response() -> Response:
        return Response()

    answers = {"dict": a_dict, "nothing": nothing, "list": a_list, "response": a_response}
    with pytest.raises(TypeError, match=answers[kind].__name__):
        Doors(FastAPI()).get("/odd", answers[kind], ApiRole.USER)
