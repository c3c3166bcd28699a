"""DISC-1: any document is read, and a sitemap says to us what its writer meant."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from xml.sax.saxutils import escape

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.discover.dates import moment
from tenax.discover.gathered import ListingPolicy
from tenax.discover.listings import read_listing
from tenax.model import Listing, ListingEntry, Role

URL = "https://a.example/sitemap.xml"
NOW = 1_790_000_000.0
SMALL = replace(ListingPolicy(), urls=20, alternates=10, tags=500)

FRAGMENTS = [
    b"<urlset>", b"<sitemapindex>", b"<rss>", b"<rdf:RDF>", b"<feed xml:base='//b.example/'>",
    b"<url>", b"</url>", b"<sitemap>", b"<item>", b"</item>", b"<entry>", b"<loc>", b"</loc>",
    b"https://a.example/", b"/x", b"?a=1&b=2", b"&amp;", b"&nbsp;", b"&#0;", b"&#x110000;",
    b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?xml version='1.0' encoding='utf-16'?>",
    b"<!DOCTYPE a [", b"<!ENTITY a 'b'>", b"]>", b"<lastmod>", b"2024-01-02", b"</lastmod>",
    b"<link href='/y' rel='alternate next'/>", b"<link>", b"</link>", b"\n", b"\r\n", b" ",
    b"\x1f\x8b\x08", b"\xff\xfe", b"\xef\xbb\xbf", b"\0", b"\xc3", b"{", b'"version":', b'"items":',
    b'"https://jsonfeed.org/version/1"', b"[", b"]", b"}", b",", b"<html>", b"\xef\xbf\xbf",
]  # fmt: skip
documents = st.one_of(
    st.binary(max_size=300),
    st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(b"".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(lambda f: b"<urlset>" + b"".join(f)),
    st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(lambda f: gzip.compress(b"".join(f))),
)
words = st.text(
    st.characters(
        exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"], exclude_characters="\ufffe\uffff"
    ),
    max_size=30,
)
# As documents spell them: the door makes URLs of them.
addresses = words.map(lambda word: f"https://a.example/{word}")
times = st.none() | st.integers(946_684_800, int(NOW)).map(float)
entries = st.lists(
    st.builds(ListingEntry, addresses, times, st.booleans()),
    max_size=15,
    unique_by=lambda entry: entry.url,
)


@given(documents, st.sampled_from(["", "text/xml; charset=latin-1", "text/html; charset=utf-7"]))
def test_any_bytes_are_read_within_the_limits(body: bytes, content_type: str) -> None:
    listing = read_listing(body, URL, content_type, SMALL, now=NOW)
    if listing is not None:
        assert listing.kind in (Role.SITEMAP, Role.FEED)
        assert len(listing.entries) <= SMALL.urls + SMALL.alternates
        for entry in listing.entries:
            assert entry.url.lower().startswith(("http://", "https://"))
            assert len(entry.url) <= 2_083
        assert len({entry.url for entry in listing.entries}) == len(listing.entries)


@given(documents)
def test_reading_is_repeatable(body: bytes) -> None:
    first = read_listing(body, URL, "", SMALL, now=NOW)
    assert read_listing(body, URL, "", SMALL, now=NOW) == first


@given(
    entries,
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(["", "sm:"]),
    st.booleans(),
    st.booleans(),
)
def test_what_a_sitemap_says_is_what_is_read(
    meant: list[ListingEntry], encoding: str, prefix: str, is_literal: bool, is_packed: bool
) -> None:
    def spelled(entry: ListingEntry) -> str:
        item = "sitemap" if entry.is_sitemap else "url"
        literal = is_literal and "]]>" not in entry.url
        loc = f"<![CDATA[{entry.url}]]>" if literal else escape(entry.url)
        date = ""
        if entry.modified is not None:
            when = datetime.fromtimestamp(entry.modified, UTC).isoformat()
            date = f"<{prefix}lastmod>{when}</{prefix}lastmod>"
        return f"<{prefix}{item}>{date}<{prefix}loc>{loc}</{prefix}loc></{prefix}{item}>"

    text = f"<{prefix}urlset>{''.join(map(spelled, meant))}</{prefix}urlset>"
    body = text.encode(encoding)
    listing = read_listing(
        gzip.compress(body) if is_packed else body, URL, "", ListingPolicy(), now=NOW
    )
    assert listing == Listing(Role.SITEMAP, tuple(meant))


@given(st.text(max_size=80))
def test_a_date_is_of_our_time_or_none(text: str) -> None:
    at = moment(text, NOW)
    assert at is None or 631_152_000 <= at <= NOW + 86_400
