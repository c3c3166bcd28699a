"""DISC-1: what a hostile sitemap or feed can cost. Bounds are those of the construction: memory as
traced, work as counted in steps and tags; no clock is asked."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tenax.discover.gathered import ListingPolicy
from tenax.discover.listings import listing_steps, read_listing
from tenax.model import Listing

URL = "https://a.example/sitemap.xml"
NOW = 1_790_000_000.0
POLICY = ListingPolicy()
MB = 1_000_000


def read(body: bytes, **policy: int) -> Listing | None:
    return read_listing(body, URL, "text/xml", replace(POLICY, **policy), now=NOW)


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


LAUGHS = (
    '<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]><urlset><url><loc>https://a.example/&i;</loc></url></urlset>"
)


@pytest.mark.parametrize(
    "body",
    [
        LAUGHS,
        "<!DOCTYPE urlset [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"
        "<urlset><url><loc>https://a.example/&a;</loc></url></urlset>",
        "<!DOCTYPE urlset [<!ENTITY % a SYSTEM 'http://b.example/x.dtd'> %a;]>"
        "<urlset><url><loc>https://a.example/1</loc></url></urlset>",
        "<!DOCTYPE urlset [<!ENTITY a 'x'>]><urlset><url><loc>/1</loc></url></urlset>",
        "<!DOCTYPE urlset [<!ATTLIST url a CDATA 'x'>]><urlset><url><loc>/1</loc></url></urlset>",
        "<!DOCTYPE urlset [<!ELEMENT url ANY>]><urlset><url><loc>/1</loc></url></urlset>",
        "<!DOCTYPE urlset [<!NOTATION a SYSTEM 'x'>]><urlset><url><loc>/1</loc></url></urlset>",
    ],
    ids=["laughs", "file", "parameter", "any", "attlist", "element", "notation"],
)
def test_documents_that_declare_anything_are_not_read(body: str) -> None:
    listing = read(body.encode())
    assert listing is not None
    assert listing.entries == ()
    assert listing.problem in ("uses XML entities", "declares its own document type")


def test_an_external_document_type_is_neither_fetched_nor_missed() -> None:
    body = b"<!DOCTYPE urlset SYSTEM 'http://b.example/x.dtd'><urlset><url><loc>/&x;1</loc></url></urlset>"
    listing = read(body)
    assert listing is not None
    assert [entry.url for entry in listing.entries] == ["https://a.example/&x;1"]


def deflated(head: bytes, filling: bytes, times: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(head), *(packer.compress(filling) for _ in range(times))]
    return b"".join([*parts, packer.flush()])


def test_a_bomb_is_given_up_when_its_ratio_shows() -> None:
    bomb = deflated(b"<urlset><url><loc>/1</loc></url>", b" " * MB, 60)
    assert len(bomb) < 100_000
    listing = read(bomb)
    assert listing is not None
    assert [entry.url for entry in listing.entries] == ["https://a.example/1"]
    assert listing.problem == "its gzip grows to more than 300 times its size"
    assert peak(lambda: read(bomb)) < MB


def test_a_bomb_below_that_ratio_ends_at_the_limit() -> None:
    small = replace(POLICY, limits=replace(POLICY.limits, body_bytes=3 * MB), ratio=10_000)
    bomb = deflated(b"<urlset>", b" " * MB, 60)
    listing = read_listing(bomb, URL, "", small, now=NOW)
    assert listing is not None
    assert listing.problem == "larger than the limit; the rest was not read"


def test_gzip_within_gzip_is_not_unpacked() -> None:
    listing = read(gzip.compress(gzip.compress(b"<urlset/>")))
    assert listing is not None
    assert listing.problem == "gzip within gzip"


def test_members_without_end_end() -> None:
    listing = read(gzip.compress(b"<urlset>") + gzip.compress(b"") * 5_000)
    assert listing is not None
    assert listing.problem == "its gzip has more than 4,096 members"


HOSTILE = {
    "deep": (b"<urlset>" + b"<a>" * 300_000, "tags nested more than 200 deep"),
    "tags": (b"<urlset>" + b"<a/>" * 30_000, "more than 20,000 tags; the rest was not read"),
    "names": (
        b"<urlset>" + b"".join(b"<a%d/>" % n for n in range(2_000)),
        "more than 1,000 different tags",
    ),
    "attributes": (
        b"<urlset><url " + b" ".join(b"a%d=''" % n for n in range(2_000)) + b">",
        "more than 1,000 different attributes",
    ),
    "attribute flood": (
        b"<urlset><url " + b" ".join(b"a%d=''" % n for n in range(100_000)) + b">",
        "a single tag or comment of more than 256 KB",
    ),
    "long attribute": (
        b"<urlset><url a='" + b"x" * 2 * MB,
        "a single tag or comment of more than 256 KB",
    ),
    "long name": (b"<urlset><" + b"x" * 2 * MB, "a single tag or comment of more than 256 KB"),
    "comment": (b"<urlset><!--" + b"x" * 2 * MB, "a single tag or comment of more than 256 KB"),
    "text": (b"<urlset><url><loc>" + b"x" * 2 * MB, "cut off: its XML ends early"),
    "cdata": (b"<urlset><url><loc><![CDATA[" + b"x" * 2 * MB, "cut off: its XML ends early"),
    "entities": (
        b"<urlset><url><loc>" + b"&nbsp;" * 300_000,
        "more than 20,000 tags; the rest was not read",
    ),
    "ampersands": (
        b"<urlset><url><loc>" + b"& " * 300_000,
        "full of ampersands that mean nothing; the rest was not read",
    ),
    "empty cdata": (
        b"<urlset><url><loc>& " + b"<![CDATA[]]>" * 20_000,
        "cut off: its XML ends early",
    ),
    "bases": (
        b"<urlset>" + b"<a xml:base='/x/'>" * 190 + b"</a>" * 190 + b"</urlset>",
        "",
    ),
    "lines": (
        b"https://a.example/1\n" + b"\n" * 2 * MB,
        "more than 20,000 lines; the rest was not read",
    ),
    "one line": (b"https://a.example/" + b"1" * 2 * MB, "1 URL over 2,083 characters"),
    "json objects": (
        b'{"version":"https://jsonfeed.org/version/1","items":[' + b"{}," * 300_000 + b"{}]}",
        "more than 250,000 objects",
    ),
}


@pytest.mark.parametrize(("body", "problem"), HOSTILE.values(), ids=HOSTILE)
def test_it_costs_no_more_than_its_bounds(body: bytes, problem: str) -> None:
    listing = read(body, tags=20_000)
    assert listing is not None
    assert listing.problem == problem
    room = len(body) + MB if body.startswith(b"{") else 2 * MB
    assert peak(lambda: read(body, tags=20_000)) < room


def test_json_nested_without_end_is_no_feed_that_can_be_read() -> None:
    body = b'{"version":"https://jsonfeed.org/version/1","x":' + b"[" * MB
    listing = read(body)
    assert listing is not None
    assert listing.problem.startswith("no JSON Feed that can be read")


def test_a_long_base_does_not_make_many_short_urls_outgrow_the_document() -> None:
    policy = replace(POLICY, limits=replace(POLICY.limits, body_bytes=2 * MB))
    urls = b"".join(b"<url><loc>%d</loc></url>" % n for n in range(20_000))
    base = b"https://a.example/" + b"b" * 2_000 + b"/"
    listing = read_listing(b"<urlset xml:base='" + base + b"'>" + urls, URL, "", policy, now=NOW)
    assert listing is not None
    assert sum(len(entry.url) for entry in listing.entries) <= 2 * MB
    assert "larger than the limit" in listing.problem


def test_memory_is_that_of_the_urls_and_not_of_the_document() -> None:
    noise = b"<description>" + b"x" * 2_000 + b"</description>"
    item = b"<item><link>https://a.example/%d</link>" + noise + b"</item>"
    body = b"<rss><channel>" + b"".join(item % n for n in range(5_000)) + b"</channel></rss>"
    assert len(body) > 10 * MB
    assert peak(lambda: read(body)) < 3 * MB


def test_a_large_document_is_read_in_small_steps() -> None:
    """Others are heard after each; the work of one is bounded by its bytes."""
    url = b"<url><loc>https://a.example/%d</loc></url>"
    body = b"<urlset>" + b"".join(url % n for n in range(50_000)) + b"</urlset>"
    for form in (body, gzip.compress(body)):
        steps = sum(1 for _ in listing_steps(form, URL, "", POLICY, now=NOW))
        assert steps >= len(body) / 16_384
