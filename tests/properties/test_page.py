"""Whatever the bytes: `read` and `Document` answer, agree with each other, and stay in bounds."""

from __future__ import annotations

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from tenax.model import Headers, Page, Response
from tenax.page.charset import decide_charset, decode
from tenax.page.directives import read_directives
from tenax.page.links import clean_href
from tenax.page.read import read
from tenax.page.reading.document import Document

URL = "https://a.example/b/c"
TAGS = (
    "a", "area", "article", "aside", "base", "body", "div", "footer", "h1", "header", "html",
    "iframe", "link", "main", "meta", "nav", "noscript", "p", "pre", "script", "style", "svg",
    "table", "td", "template", "textarea", "time", "title", "ul", "li", "math", "select",
)  # fmt: skip
ATTRIBUTES = (
    "href=x", "href='#y'", "href=mailto:z", "rel=nofollow", "rel=canonical", "rel=alternate",
    "hidden", "role=main", "role=banner", "id=header", "class='nav x'", "name=robots",
    "content=noindex", "property=article:published_time", "content=2024-01-01", "lang=en",
    "type=application/ld+json", "datetime=2024", "shadowrootmode=open", "charset=koi8-r", "x=\0",
)  # fmt: skip
CONTENT_TYPES = (
    "text/html", "text/html; charset=utf-8", "text/html; charset=shift_jis", "text/plain", "",
    "application/xhtml+xml", "application/json", "application/octet-stream", "x; charset=utf-16",
)  # fmt: skip

tags = st.builds(
    lambda close, tag, attributes: f"<{'/' if close else ''}{tag} {' '.join(attributes)}>",
    st.booleans(), st.sampled_from(TAGS), st.lists(st.sampled_from(ATTRIBUTES), max_size=3),
)  # fmt: skip
pieces = st.one_of(tags, st.sampled_from(["text ", "&amp;", "<!--", "-->", "<", '{"x":1}', "ž"]))
markup = st.lists(pieces, max_size=40).map("".join)
bodies = st.one_of(
    st.binary(max_size=300),
    markup.map(str.encode),
    st.builds(lambda a, b, c: a.encode() + b + c.encode(), markup, st.binary(max_size=20), markup),
)
content_types = st.sampled_from(CONTENT_TYPES)


def page_of(body: bytes, content_type: str) -> Page:
    headers = Headers((("Content-Type", content_type),))
    return read(Response(URL, 200, headers, body), fetched_at=1_800_000_000.0)


@settings(max_examples=300, deadline=None)
@given(bodies, content_types)
def test_any_bytes_are_read(body: bytes, content_type: str) -> None:
    page = page_of(body, content_type)
    assert page.digest == hashlib.sha256(body).digest()
    assert len(set(page.links)) == len(page.links) <= 1_000
    assert page.unfollowed <= set(page.links)
    assert all(href and "#" not in href for href in page.links)
    assert all(href.encode("utf-8") and "\0" not in href for href in page.links)
    assert page == page_of(body, content_type)


@settings(max_examples=200, deadline=None)
@given(bodies, content_types)
def test_the_document_agrees_with_what_was_read(body: bytes, content_type: str) -> None:
    page = page_of(body, content_type)
    document = Document(body, URL, content_type, fetched_at=1_800_000_000.0)
    assert page.content_hash == document.content_hash
    assert (page.title, page.description, page.canonical, page.base) == (
        document.title, document.description, document.canonical, document.base_url,
    )  # fmt: skip
    assert (page.published, page.modified) == (document.published, document.modified)
    assert (page.content_type, page.language) in {
        (document.content_type, ""), (document.content_type, document.language),
    }  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(bodies, content_types)
def test_every_view_of_a_document_can_be_had(body: bytes, content_type: str) -> None:
    document = Document(body, URL, content_type)
    assert isinstance(document.text, str)
    assert isinstance(document.markdown, str)
    assert all(link.url.startswith("http") for link in document.links)
    assert all(1 <= level <= 6 for level, _ in document.headings)
    assert isinstance(document.open_graph, dict)
    assert isinstance(document.alternates + document.feeds, list)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.one_of(st.none(), st.text(max_size=60)))
def test_any_bytes_have_a_charset_and_decode(body: bytes, header: str | None) -> None:
    text = decode(body, decide_charset(body, header).name)
    assert text.encode("utf-8").decode("utf-8") == text


@given(st.text(max_size=200))
def test_text_without_a_declaration_survives_as_utf8(text: str) -> None:
    body = text.replace("<", "").replace("\x1b", "").encode("utf-8", "replace")
    if not body.startswith((b"\xef\xbb\xbf", b"\0<")):
        assert decode(body, decide_charset(body, None).name) == body.decode()


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="noindexfl,: ;_aurt0123456789-TZ")))
def test_any_directive_text_is_read_and_only_ever_restricts(value: str) -> None:
    alone = read_directives(value, "tenax", 0.0)
    assert read_directives(f"none, {value}", "tenax", 0.0) == (True, True)
    assert isinstance(alone.noindex, bool)


@given(st.text(max_size=100))
def test_cleaning_an_href_twice_changes_nothing(raw: str) -> None:
    assert clean_href(clean_href(raw)) == clean_href(raw)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["One", "two <b>three</b>", "<p>four</p>", "<i>five</i>"])), st.text()
)
def test_the_frame_of_a_page_never_changes_its_hash(content: list[str], noise: str) -> None:
    """PAGE-2."""
    safe = noise.replace("<", "").replace("&", "")

    def page(frame: str) -> bytes:
        main = "".join(content) + "<p>end</p>"
        return (
            f"<body><header>{frame}</header><nav>{frame}</nav><main>{main}</main>"
            f"<aside>{frame}</aside><footer>{frame}</footer>"
        ).encode("utf-8", "replace")

    quiet, noisy = page_of(page(""), CONTENT_TYPES[1]), page_of(page(safe), CONTENT_TYPES[1])
    assert quiet.content_hash == noisy.content_hash != b""
