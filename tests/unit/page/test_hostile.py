"""Pages made to hurt: bounded work, no exception, whatever nests or repeats."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tenax.model import Headers, Response
from tenax.page.read import read
from tenax.page.reading.document import Document

URL = "https://hostile.example/"
HTML = Headers((("Content-Type", "text/html; charset=utf-8"),))
# Generous against busy machines: what is quadratic here takes minutes.
SECONDS = 5.0

NESTED = {
    name: unit * 100_000
    for name, unit in {
        "div": b"<div>",
        "bold": b"<b>x",
        "anchor": b"<a href=x>y",
        "drawn anchor": b"<svg><a href=x>",
        "heading": b"<h1>x",
        "list": b"<ul><li>x",
        "quote": b"<blockquote>x",
        "table": b"<table><tr><td>x",
        "header": b"<header><i>x",
        "footer in main": b"<main><footer>x",
        "navigation": b"<nav>x",
        "article": b"<article><time datetime=2024-01-01>",
        "role": b"<p role=main><p role=banner hidden>",
        "two roles": b"<nav role=main>x</nav><header role=main>",
        "template": b"<template>x",
        "shadow root": b"<div><template shadowrootmode=open>x",
        "named": b"<div id=header>x",
        "formatting": b"<i><p>",
        "noscript": b"<div><noscript>x",
        "select": b"<select><option>x",
        "body of text": b"<div class=article-body>A sentence of some length, on every level.",
        "lead": b"<div class=intro>A sentence of some length, on every level.",
        "figure": b"<figure><figcaption>A sentence of some length, on every level.",
        "hidden prose": b"<div hidden>A sentence of some length, on every level.",
    }.items()
}
FLOODS = {
    "one long line": b"x" * 5_000_000,
    "one long word of links": b"".join(b"<a href=/%d>y</a>" % n for n in range(100_000)),
    "attributes": b"<p " + b"".join(b"a%d=1 " % n for n in range(200_000)) + b">x",
    "metas": b"<meta name=robots content=noindex><meta property=og:x content=y>" * 50_000,
    "bases": b"<base href=x>" * 100_000,
    "canonicals": b"<link rel=canonical href=x><link rel=license href=y>" * 50_000,
    "relations": b"".join(b"<a rel='x%d nofollow' href=x></a>" % n for n in range(100_000)),
    "long relation": b"<a href=x rel='" + b"nofollow " * 300_000 + b"'>",
    "long href": b"<a href='" + b"/" * 3_000_000 + b"'>",
    "long title": b"<title>" + b" x" * 2_000_000,
    "titles": b"<svg><title>x</title></svg>" * 50_000,
    "scripts": b'<script type="application/ld+json">{"datePublished": "x"}</script>' * 30_000,
    "times": b"<article>" + b"<time datetime=0000-00-00 itemprop=datePublished></time>" * 50_000,
    "nulls": b"\0" * 2_000_000 + b"<a href='\0x'>\0",
    "broken entities": b"&#xFFFFFFF; &#55296; &notanentity &" * 100_000,
    "open tags": b"<" * 2_000_000,
    "open comments": b"<!--" * 500_000,
    "open quotes": b"<a href='" * 300_000,
    "landmarks": b"<nav>x</nav><aside>y</aside><header>z</header>" * 50_000,
    "hidden": b"<p hidden>x</p>" * 100_000,
    "spaces": b"<pre>" + b" \n" * 2_000_000,
    "long canonical": b"<link rel=canonical href='/" + b"x" * 3_000_000 + b"'><base href=//a>",
    "robots": b"<meta name=robots content='" + b"unavailable_after: x," * 200_000 + b"'>",
    "language": b"<html lang='" + b"en-" * 500_000 + b"'>",
    "siblings": b"<br>" * 1_000_000,
}


@pytest.mark.parametrize("body", NESTED.values(), ids=NESTED.keys())
def test_endless_nesting_is_read_in_bounded_time(body: bytes) -> None:
    assert _seconds_to_read(body) < SECONDS


@pytest.mark.parametrize("body", FLOODS.values(), ids=FLOODS.keys())
def test_floods_are_read_in_bounded_time(body: bytes) -> None:
    assert _seconds_to_read(body) < SECONDS


@pytest.mark.parametrize("body", NESTED.values(), ids=NESTED.keys())
def test_the_document_of_endless_nesting_is_bounded_too(body: bytes) -> None:
    started = time.process_time()
    document = Document(body, URL, "text/html; charset=utf-8")
    results = (
        document.title, document.headings, document.text, document.main_text, document.markdown,
        document.links, document.alternates, document.language, document.published,
    )  # fmt: skip
    assert len(results) == 9
    assert time.process_time() - started < 2 * SECONDS


@pytest.mark.parametrize(
    "body", [b"<!---->" * 200, b"<!-- -->" * 200 + b"<x", b"<?xml" + b" " * 2_000, b" " * 2_000]
)
def test_sniffing_a_type_and_a_charset_does_not_backtrack(body: bytes) -> None:
    headers = Headers((("Content-Type", "; charset=" + " " * 60_000 + ";"),))
    started = time.process_time()
    read(Response(URL, 200, headers, body), fetched_at=0.0)
    assert time.process_time() - started < SECONDS


def test_headers_of_any_length_are_read_in_bounded_time() -> None:
    long = "x" * 60_000
    headers = Headers(
        tuple(
            (name, value)
            for name in ("Content-Type", "Link", "X-Robots-Tag", "ETag", "Content-Language")
            for value in (long, "<" * 60_000, ":," * 30_000, '<a>; rel="' * 6_000, "charset=" * 9)
        )
    )
    started = time.process_time()
    page = read(Response(URL, 200, headers, b"<p>x"), fetched_at=0.0)
    assert time.process_time() - started < SECONDS
    assert len(page.etag) <= 1_000


def test_any_number_of_nested_elements_does_not_exhaust_the_stack() -> None:
    """In a process of its own: a stack that overflows takes everything with it. Of 8 MB each level
    could have 32 bytes, less than any call takes."""
    script = (
        "from tenax.model import Headers, Response\n"
        "from tenax.page.reading.document import Document\n"
        "from tenax.page.read import read\n"
        "for unit in (b'<div>', b'<b>', b'<main><div>', b'<svg>'):\n"
        "    body = unit * 250_000 + b'x'\n"
        "    headers = Headers((('Content-Type', 'text/html'),))\n"
        "    page = read(Response('https://a.example/', 200, headers, body), fetched_at=0.0)\n"
        "    document = Document(body, page.url, 'text/html')\n"
        "    document.markdown, document.text, document.headings\n"
        "print('survived')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, timeout=100, check=False,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )  # fmt: skip
    assert done.stdout == "survived\n", done.stderr


def _seconds_to_read(body: bytes) -> float:
    started = time.process_time()
    page = read(Response(URL, 200, HTML, body), fetched_at=1_800_000_000.0)
    spent = time.process_time() - started
    assert len(page.links) <= 1_000
    assert len(page.title) <= 1_000
    assert len(page.rights) <= 50
    assert len(page.canonical) + len(page.base) < 20_000
    return spent
