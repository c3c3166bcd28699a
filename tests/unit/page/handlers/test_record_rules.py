"""Records without a program: do rules read what they say, or say what is wrong? (REC-2)"""

from __future__ import annotations

from typing import Any

import pytest

from tenax.model.record import FieldRule, RecordRule
from tenax.page.handlers.record_rules import handlers_of_rules, wrong_rules
from tests.unit.page.handlers.test_page_object import page

ITEMS = """<!doctype html><title>t</title><main>
<li data-id=7><b>One</b><i>1.299,50 €</i><u>12</u>
<time datetime="2026-05-31">May</time><a href="/1">x</a></li>
<li><b>Two</b><i>1,299.5</i><u>1,000</u></li>
<li><i>3</i></li></main>"""


def read(rule: RecordRule, html: str = ITEMS) -> list[dict[str, Any]]:
    (handler,) = handlers_of_rules([rule])
    return [told.fields for told in handler.function(page(html))]


def test_each_element_is_a_record_and_each_field_has_its_type() -> None:
    rule = RecordRule(
        "item", "*", each="li",
        fields={
            "name": FieldRule("b", required=True), "price": FieldRule("i", type="number"),
            "count": FieldRule("u", type="whole"), "id": FieldRule(attr="data-id"),
            "day": FieldRule("time", "datetime", "date"), "link": FieldRule("a", "href", "url"),
            "all": FieldRule("b,i", type="texts"), "raw": FieldRule("b", type="html"),
        },
    )  # fmt: skip
    one, two = read(rule)
    assert one == {
        "name": "One", "price": 1299.5, "count": 12, "id": "7", "day": "2026-05-31T00:00:00",
        "link": "https://a.example/1", "all": ["One", "1.299,50 €"], "raw": "<b>One</b>",
    }  # fmt: skip
    assert (two["price"], two["count"], two["id"], two["link"]) == (1299.5, 1000, None, None)


def test_without_each_there_is_one_record_a_page() -> None:
    assert read(RecordRule("item", ("*/a/*", "*"), {"name": "b"})) == [{"name": "One"}]


def test_what_is_not_of_its_type_is_an_error() -> None:
    for field in (FieldRule("b", type="number"), FieldRule("i", type="whole"),
                  FieldRule("b", type="date")):  # fmt: skip
        with pytest.raises(ValueError, match="is no"):
            read(RecordRule("item", "*", {"x": field}))


def test_a_key_is_a_field() -> None:
    (handler,) = handlers_of_rules([RecordRule("item", "*", {"name": "b"}, key="name")])
    (told,) = handler.function(page(ITEMS))
    assert told.key == "One"


def test_rules_that_cannot_be_followed_say_why(subtests: pytest.Subtests) -> None:
    wrong = [
        (RecordRule("item", "*", {}), "fields: name at least one"),
        (RecordRule("item", "*", {"a": "b["}), "fields.a: invalid CSS selector"),
        (RecordRule("item", "*", {"a": "b"}, each="["), "each: invalid CSS selector"),
        (RecordRule("item", "*", {"a": "b"}, key="c"), "key: 'c' is no field of it. It has a."),
        (RecordRule("an item", "*", {"a": "b"}), "record 'an item': a name is"),
        (RecordRule("item", "re:(", {"a": "b"}), "pattern: 're:(' is not a regular expression"),
        (RecordRule("item", "", {"a": "b"}), "pattern: name the pages"),
        (RecordRule("item", "*", {"a": 1}), "fields: a: a selector, or a table: Expected"),
        (RecordRule("item", "*", {"a": {"type": "int"}}), "fields: a: type: Invalid enum value"),
    ]
    for rule, why in wrong:
        with subtests.test(why):
            ((number, told),) = wrong_rules([RecordRule("fine", "*", {"a": "b"}), rule])
            assert (number, told.startswith(why)) == (2, True), told
