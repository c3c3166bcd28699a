"""PAGE-1: everything a stored body can tell later."""

from __future__ import annotations

import pytest

from tenax.model import Headers, Response
from tenax.page.read import read
from tenax.page.reading.document import Alternate, AnchoredLink, Document

URL = "https://shop.example/kettles/"

HTML = """<!doctype html><html lang="en"><head><title>Kettles</title>
<base href="/shop/">
<meta name="description" content="All kettles">
<meta name="robots" content="noarchive"><meta name="robots" content="nosnippet">
<meta property="og:title" content="OG Kettles"><meta property="og:image" content="/k.png">
<meta property="og:image" content="/second.png">
<meta property="article:published_time" content="2024-05-01">
<meta name="last-modified" content="2024-06-01">
<link rel="canonical" href="all"><link rel="stylesheet" href="s.css">
<link rel="alternate" hreflang="de-at" href="/de/" title="Deutsch">
<link rel="alternate" type="application/rss+xml" href="/feed.xml" title="News">
</head><body><nav><a href="/">Home</a></nav>
<main><h1>Our <b>kettles</b></h1><p>Made of <a href="steel#top" rel="Nofollow x">steel</a>.</p>
<h3></h3><h2>Care</h2><p>Wipe <a href="cloth"><img src="c.png" alt="a cloth"></a></p>
<a href="mailto:x@y">mail</a></main>
<footer>Imprint</footer></body></html>"""


@pytest.fixture
def document() -> Document:
    return Document(HTML.encode(), URL, "text/html; charset=utf-8")


def test_it_knows_what_the_page_says_about_itself(document: Document) -> None:
    assert document.title == "Kettles"
    assert document.description == "All kettles"
    assert document.language == "en"
    assert document.published == "2024-05-01"
    assert document.modified == "2024-06-01"
    assert document.base_url == "https://shop.example/shop/"
    assert document.canonical == "https://shop.example/shop/all"
    assert document.meta_robots == "noarchive, nosnippet"
    assert document.open_graph == {"title": "OG Kettles", "image": "/k.png"}


def test_headings_come_with_their_level(document: Document) -> None:
    assert document.headings == [(1, "Our kettles"), (2, "Care")]


def test_text_is_all_that_is_visible_and_main_text_the_pages_own(document: Document) -> None:
    assert document.text.split() == [
        "Home", "Our", "kettles", "Made", "of", "steel.", "Care", "Wipe", "mail", "Imprint",
    ]  # fmt: skip
    assert document.main_text.split() == document.text.split()[1:-1]


def test_markdown_is_of_the_main_content_with_absolute_links(document: Document) -> None:
    assert document.markdown.startswith(
        "# Our **kettles**\n\nMade of [steel](https://shop.example/shop/steel#top)."
    )
    assert "## Care" in document.markdown
    assert "Imprint" not in document.markdown


def test_links_are_absolute_and_carry_their_text(document: Document) -> None:
    shop = "https://shop.example/shop"
    assert document.links == [
        AnchoredLink(f"{shop}/all", "", ("canonical",), "link"),
        AnchoredLink("https://shop.example/de/", "Deutsch", ("alternate",), "link"),
        AnchoredLink("https://shop.example/", "Home", (), "a"),
        AnchoredLink(f"{shop}/steel", "steel", ("nofollow", "x"), "a"),
        AnchoredLink(f"{shop}/cloth", "a cloth", (), "a"),
    ]
    assert [link.nofollow for link in document.links] == [False, False, False, True, False]


def test_alternates_and_feeds_are_told_apart(document: Document) -> None:
    assert document.alternates == [Alternate("https://shop.example/de/", "", "de-AT", "Deutsch")]
    assert document.feeds == [
        Alternate("https://shop.example/feed.xml", "application/rss+xml", "", "News")
    ]


def test_reading_one_property_does_not_change_another(document: Document) -> None:
    fresh = Document(HTML.encode(), URL, "text/html; charset=utf-8")
    assert document.main_text
    assert document.markdown
    assert document.text == fresh.text
    assert document.links == fresh.links
    assert document.headings == fresh.headings


def test_the_language_is_detected_where_none_is_declared() -> None:
    german = "Der Wasserkocher aus Edelstahl ist nach zwei Minuten heiß und schaltet sich dann ab. "
    assert Document(f"<p>{german * 3}".encode(), URL, "text/html").language == "de"
    assert Document(b"<p>12 34", URL, "text/html").language == ""


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/json", "application/xml", "text/css"]
)
def test_what_is_not_html_is_its_text_and_nothing_else(content_type: str) -> None:
    body = b'{"a": "<a href=x>y</a> <h1>z</h1>"}'
    document = Document(body, URL, content_type)
    assert document.text == document.main_text == document.markdown == body.decode()
    assert (document.title, document.description, document.canonical) == ("", "", "")
    assert (document.links, document.headings, document.alternates, document.feeds) == (
        [], [], [], [],
    )  # fmt: skip
    assert document.base_url == URL
    assert document.published == document.modified == document.meta_robots == ""
    assert document.open_graph == {}


def test_binary_has_no_text() -> None:
    assert Document(b"\0\1\2", URL, "application/octet-stream").text == ""


def test_a_known_charset_is_not_guessed_again() -> None:
    document = Document("<p>ж".encode("koi8-r"), URL, "text/html", charset="koi8-r")
    assert document.text == "ж"


def test_dates_in_the_future_are_dropped_when_the_time_of_the_visit_is_known() -> None:
    body = b"<meta name=date content=2077-01-01>"
    assert Document(body, URL, "text/html").published == "2077-01-01"
    assert Document(body, URL, "text/html", fetched_at=1_800_000_000.0).published == ""


def test_a_template_that_is_a_shadow_root_is_no_trouble() -> None:
    """Found by a property: its text has no element around it."""
    body = b"\x00<template shadowrootmode>\x01\x01\x01\x01\x01\x01\x01\x80"
    document = Document(body, URL, "text/html")
    assert isinstance(document.main_text, str)
    assert document.language == ""


def test_dates_are_those_that_a_crawl_reads() -> None:
    html = "<title>The flood | Ada</title><main><h1>The flood</h1><p>May 31, 2024</p>Rain</main>"
    response = Response(URL, 200, Headers((("Content-Type", "text/html"),)), html.encode())
    page = read(response, fetched_at=1_800_000_000.0)
    document = Document(html.encode(), URL, "text/html", fetched_at=1_800_000_000.0)
    assert page.published == document.published == "2024-05-31"
