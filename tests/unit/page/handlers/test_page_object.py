"""What does a page say to a handler, and what may it tell of it?"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tenax.model import Headers, Response
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.page.handlers.storable import as_json
from tenax.page.read import read

URL = "https://a.example/quote/1"
HTML = """<!doctype html><html lang="en"><title>A quote</title>
<meta property="og:type" content="article">
<script type="application/ld+json">{"@type": "Quotation", "text": "Be."}</script>
<body><main><h1>Quotes</h1>
<div class="quote" itemscope itemtype="https://schema.org/Quotation">
  <p class="text" itemprop="text"> Be   <b>good</b>.<script>track()</script></p>
  <a class="author" href="/author/ada">Ada</a><i class=tag>one</i><i class=tag>two</i></div>
<a class="next" href="2#top">next</a></main></body></html>"""


def page(html: str = HTML) -> CrawledPage:
    headers = Headers((("content-type", "text/html; charset=utf-8"),))
    response = Response(URL, 200, headers, html.encode())
    return CrawledPage(read(response, fetched_at=1_790_000_000.0), 2, "job")


def test_selectors_find_text_and_attributes() -> None:
    it = page()
    assert it.css(".text").text == "Be good."
    assert it.css(".author").attr("href") == "/author/ada"
    assert it.css(".tag").texts == ["one", "two"]
    assert [tag.text for tag in it.css(".quote").css(".tag")] == ["one", "two"]
    assert [tag.text for tag in it.css(".tag").all()] == ["one", "two"]
    assert (it.css(".tag").first.text, it.css(".tag")[-1].text) == ("one", "two")
    assert len(it.css(".tag")[1:]) == 1
    assert it.css(".author").attrs("href") == ["/author/ada"]
    assert it.css("b").html == "<b>good</b>"


def test_what_is_not_there_is_empty_and_false() -> None:
    nothing = page().css(".nobody")
    assert not nothing
    assert (nothing.text, nothing.attr("href"), nothing.html, nothing.tag) == ("", "", "", "")
    assert (nothing.texts, nothing.all(), nothing.css("a").text) == ([], [], "")


def test_xpath_finds_elements_texts_and_numbers() -> None:
    it = page()
    assert it.xpath("//i").texts == ["one", "two"]
    assert it.xpath("//a/@href").texts == ["/author/ada", "2#top"]
    assert it.xpath("count(//i)").text == "2"
    assert it.css(".quote").xpath(".//i").texts == ["one", "two"]


def test_what_is_no_selector_says_so() -> None:
    for ask in (page().css, page().xpath):
        with pytest.raises(ValueError, match=r"\[|node test"):
            ask("p[[")


def test_a_page_tells_what_it_tells_machines() -> None:
    it = page()
    assert it.json_ld == [{"@type": "Quotation", "text": "Be."}]
    assert it.structured.open_graph == {"type": "article"}
    assert it.structured.microdata[0]["text"] == ["Be good.track()"]
    assert it.open_graph == {"type": "article"}


def test_facts_are_properties() -> None:
    it = page()
    assert (it.url, it.status, it.title, it.language) == (URL, 200, "A quote", "en")
    assert (it.depth, it.job, it.content_type, it.charset) == (2, "job", "text/html", "utf-8")
    assert it.absolute("2#top") == "https://a.example/quote/2"
    assert [link.url for link in it.links] == [
        "https://a.example/author/ada",
        "https://a.example/quote/2",
    ]
    assert "Be **good**." in it.markdown
    assert "Be good." in it.main_text


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Quote:
    text: str
    likes: int


class Price(msgspec.Struct):
    amount: Decimal
    since: date


def test_records_are_made_of_any_typed_value() -> None:
    it = page()
    assert it.record("a", text="x", n=1).fields == {"text": "x", "n": 1}
    assert it.record("a", {"b": Colour.RED, "c": [1, 2]}).fields == {"b": "red", "c": [1, 2]}
    assert it.record("a", Quote("x", 3), more=True).fields == {
        "text": "x",
        "likes": 3,
        "more": True,
    }
    price = it.record("a", Price(Decimal("1.20"), date(2026, 5, 31)), key=7)
    assert (price.fields, price.key) == ({"amount": "1.20", "since": "2026-05-31"}, "7")


def test_what_cannot_be_stored_is_told_with_record_and_field(subtests: pytest.Subtests) -> None:
    it = page()
    loop: list[object] = []
    loop.append(loop)
    wrong: list[tuple[str, dict[str, Any], str]] = [
        (
            "a",
            {"node": it.css("b")},
            "node: a Selection cannot be stored. Did you mean",
        ),
        ("a", {"n": math.nan}, "record 'a': n: nan is no number"),
        ("a", {"n": object()}, "record 'a': n: a object cannot be stored"),
        ("a", {"n": "\ud800"}, "record 'a': n: the text has halves"),
        ("a", {}, "record 'a': it has no fields"),
        ("no name", {"n": 1}, "record 'no name': a name is a letter"),
    ]
    for name, fields, why in wrong:
        with subtests.test(why), pytest.raises(ValueError, match=why.replace(".", r"\.")):
            it.record(name, **fields)
    with pytest.raises(ValueError, match=r"record 'a' \(Quote\): likes: Expected `int`, got `str`"):
        it.record("a", Quote("x", "many"))  # type: ignore[arg-type]  # what is to be found
    with pytest.raises(ValueError, match="a Selection is no record"):
        it.record("a", it.css("b"))
    with pytest.raises(ValueError, match="key=''"):
        it.record("a", key="", n=1)
    with pytest.raises(ValueError, match="record 'a': n: "):
        it.record("a", n=loop)


def test_a_digest_does_not_depend_on_the_order_of_fields() -> None:
    one, other = as_json({"a": 1, "b": {"c": 2, "d": 3}}), as_json({"b": {"d": 3, "c": 2}, "a": 1})
    assert one[1] == other[1]
    assert one[0] != other[0]
    assert as_json({"a": 2})[1] != as_json({"a": 1})[1]


def test_following_nothing_is_nothing() -> None:
    it = page()
    assert it.follow(it.css("a.nobody").attr("href")).href == ""
    assert it.follow(None).href == ""
    assert it.follow(it.css("a.next").attr("href"), priority=1).href == "2#top"
    with pytest.raises(ValueError, match=r"Did you mean \.attr"):
        it.follow(it.css("a"))  # type: ignore[arg-type]  # what is to be found
    with pytest.raises(ValueError, match=r"1 .first. to 10"):
        it.follow("x", priority=11)
