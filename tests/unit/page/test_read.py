"""What `read` makes of an answer (PAGE-1, PAGE-2, PAGE-3, ROB-3, ROB-4)."""

from __future__ import annotations

import hashlib

import pytest

from tenax.model import Directives, Headers, Page, Response
from tenax.page.read import read
from tenax.page.reading.document import Document

pytestmark = pytest.mark.usefixtures("either_way")

URL = "https://shop.example/kettles/steel.html"
NOW = 1_800_000_000.0


def page_of(
    body: str | bytes | None,
    content_type: str | None = "text/html; charset=utf-8",
    *headers: tuple[str, str],
    url: str = URL,
) -> Page:
    named = () if content_type is None else (("Content-Type", content_type),)
    raw = body.encode() if isinstance(body, str) else body
    return read(Response(url, 200, Headers((*named, *headers)), raw), fetched_at=NOW)


def test_a_page_says_who_it_is() -> None:
    page = page_of(
        "<!doctype html><html lang=en_us><head><title> Steel\n kettles </title>"
        '<meta name=Description content="All  our kettles.">'
        '<link rel=canonical href="/kettles/#top">'
        '<meta property="article:published_time" content="2024-05-01">'
        '<meta property="article:modified_time" content="2024-06-01T10:00:00Z">'
        "</head><body><h1>Kettles</h1><p>Made of steel.</p>",
        "text/html",
        ("ETag", '"abc"'),
        ("last-modified", "Wed, 01 May 2024 10:20:30 GMT"),
    )
    assert page.url == page.base == URL
    assert page.status == 200
    assert page.fetched_at == NOW
    assert page.content_type == "text/html"
    assert page.charset == "utf-8"
    assert page.title == "Steel kettles"
    assert page.description == "All our kettles."
    assert page.canonical == "https://shop.example/kettles/"
    assert page.language == "en-US"
    assert page.published == "2024-05-01"
    assert page.modified == "2024-06-01T10:00:00+00:00"
    assert page.words == 4
    assert page.etag == '"abc"'
    assert page.last_modified == "Wed, 01 May 2024 10:20:30 GMT"


def test_the_digest_is_of_the_bytes_and_the_content_hash_of_the_main_text() -> None:
    """PAGE-2: white space is no content, so the hash is of the text without it."""
    body = "<body><nav>Home</nav><main><p>Kettles  of\nsteel</p></main>"
    page = page_of(body)
    assert page.digest == hashlib.sha256(body.encode()).digest()
    assert page.content_hash == hashlib.sha256(b"Kettlesofsteel").digest()


@pytest.mark.parametrize(
    "body",
    [
        "<body><nav>Home</nav><main><p>Kettles</p><pre> a\n  b</pre></main>",
        "<body><div id=nav>Home</div><div><p>Kettles</p><p>1<p>2</div>",
        "<body><main>x<script>var a = 1</script><style>p {}</style><noscript>js</noscript></main>",
        "<nav>only</nav>",
        "<p>" + "word " * 10_000,
    ],
)
def test_the_hashed_text_is_the_main_text_of_the_document(body: str) -> None:
    text = Document(body.encode(), URL, "text/html").main_text
    bare = "".join(text.split()).encode()
    assert page_of(body).content_hash == hashlib.sha256(bare).digest()


def test_indenting_the_source_leaves_the_content_hash_alone() -> None:
    one = page_of("<main><p>Kettles</p><ul><li>steel</li><li>tin</li></ul></main>")
    two = page_of("<main>\n  <p>Kettles</p>\n  <ul>\n\t<li>steel\n<li>tin\n</ul>\n</main>\n")
    assert one.content_hash == two.content_hash
    assert one.content_hash != page_of("<main><p>Kettles</p>steel, tin</main>").content_hash


def test_a_body_without_text_has_no_content_hash() -> None:
    assert page_of("<img src=x>").content_hash == b""
    assert page_of("<img src=x>").words == 0


def test_words_are_counted_at_the_start_and_estimated_after_it() -> None:
    assert page_of("<p>one</p><p>two  three").words == 3
    assert page_of("<p>" + "four " * 10_000).words == pytest.approx(10_000, rel=0.02)
    assert page_of("four " * 10_000, "text/plain").words == pytest.approx(10_000, rel=0.02)
    assert page_of("").words == 0


def test_a_body_we_did_not_read_leaves_what_the_headers_say() -> None:
    page = page_of(
        None,
        "image/png",
        ("X-Robots-Tag", "noindex"),
        ("ETag", "x"),
        ("Link", '<https://a.example/l>; rel="license", </c>; rel=canonical'),
        ("Content-Language", "de, en"),
    )
    assert page.body is None
    assert page.digest == page.content_hash == b""
    assert page.content_type == "image/png"
    assert page.links == ()
    assert page.directives.noindex
    assert page.etag == "x"
    assert page.canonical == "https://shop.example/c"
    assert page.language == "de"
    assert ("header link rel=license", "https://a.example/l") in page.rights


@pytest.mark.parametrize("content_type", [None, "application/octet-stream"])
def test_a_page_without_a_type_is_recognised(content_type: str | None) -> None:
    page = page_of("<!doctype html><title>x</title><a href=y>z</a>", content_type)
    assert page.content_type == "text/html"
    assert page.links == ("y",)


def test_binary_bytes_are_kept_without_being_read() -> None:
    page = page_of(b"\0\1\2\3<a href=x>", "application/octet-stream")
    assert page.digest
    assert page.content_hash == b""
    assert page.links == ()


@pytest.mark.parametrize("content_type", ["text/plain", "application/json", "application/rss+xml"])
def test_text_that_is_not_html_has_words_but_no_links(content_type: str) -> None:
    page = page_of('<title>x</title> <a href="y">z</a>', content_type)
    assert page.words == 3
    assert page.content_hash
    assert page.title == ""
    assert page.links == ()


def test_the_charset_is_settled_before_parsing() -> None:
    page = page_of("<title>Чайник</title>".encode("koi8-r"), "text/html; charset=koi8-r")
    assert (page.title, page.charset) == ("Чайник", "koi8-r")
    undeclared = page_of("<title>Žluťoučký kůň</title>".encode(), "text/html")
    assert (undeclared.title, undeclared.charset) == ("Žluťoučký kůň", "utf-8")
    marked = page_of("<title>x</title>".encode("utf-16"), "text/html; charset=koi8-r")
    assert (marked.title, marked.charset) == ("x", "utf-16le")


def test_xhtml_keeps_what_follows_a_self_closing_script() -> None:
    body = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="cs"><head>'
        '<script src="x"/><title>T</title></head><body><p>One</p><p>Two <a href="y">z</a></p>'
        "</body></html>"
    )
    page = page_of(body, "application/xhtml+xml")
    assert (page.title, page.language, page.links) == ("T", "cs", ("y",))
    assert page.content_hash == hashlib.sha256(b"OneTwoz").digest()


def test_broken_xhtml_is_read_as_html() -> None:
    page = page_of("<title>T</title><p>&nbsp;<br><a href=y>z", "application/xhtml+xml")
    assert (page.title, page.links) == ("T", ("y",))


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("/other/", "https://shop.example/other/"),
        ("https://cdn.example/x#f", "https://cdn.example/x"),
        ("//cdn.example", "https://cdn.example/"),
        ("javascript:alert(1)", URL),
        ("data:text/html,x", URL),
        ("http://[broken", URL),
        ("", URL),
    ],
)
def test_the_base_element_is_honoured_when_it_is_of_the_web(base: str, expected: str) -> None:
    page = page_of(f'<base href="{base}"><base href="/second/"><a href=y>')
    assert page.base == expected
    assert page.links == ("y",)


def test_the_canonical_resolves_against_the_base() -> None:
    assert page_of("<base href=/b/><link rel=canonical href=c>").canonical == (
        "https://shop.example/b/c"
    )
    assert page_of("<link rel=canonical href=mailto:a@b>").canonical == ""


def test_the_title_of_a_drawing_is_not_the_title_of_the_page() -> None:
    assert page_of("<svg><title>Icon</title></svg><p>x").title == ""
    assert page_of("<meta property=og:title content=Fallback><p>x").title == "Fallback"


def test_one_meta_tag_may_serve_two_readers() -> None:
    page = page_of("<meta name=description property=og:title content=Both>")
    assert (page.title, page.description) == ("Both", "Both")


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=PT-br>", "pt-BR"),
        ("<html lang='zh-hans-cn'>", "zh-Hans-CN"),
        ("<html lang=''><meta http-equiv=content-language content='fr, en'>", "fr"),
        ("<html lang='{{ lang }}'>", "de"),
        ("<p>", "de"),
    ],
)
def test_the_language_is_what_the_page_declares_first(html: str, language: str) -> None:
    assert page_of(html, "text/html", ("Content-Language", "de")).language == language


def test_directives_come_from_headers_and_meta_tags_for_all_and_for_us() -> None:
    page = page_of(
        "<meta name=ROBOTS content=nofollow><meta name=googlebot content=noindex>",
        "text/html",
        ("X-Robots-Tag", "otherbot: noindex"),
    )
    assert page.directives == Directives(nofollow=True, source="meta robots: nofollow")
    ours = page_of("<meta name=Tenax content=none>")
    assert ours.directives == Directives(True, True, "meta tenax: none")


def test_rights_are_kept_as_they_were_written() -> None:
    page = page_of(
        '<meta name=robots content="noai, noimageai"><meta name=tdm-reservation content=1>'
        "<link rel=license href=/licence><a rel=license href='https://cc.example/by'>CC</a>",
        "text/html",
        ("X-Robots-Tag", "noimageai"),
        ("X-Robots-Tag", "googlebot: noindex"),
        ("Content-Usage", "train-ai=n"),
        ("Content-Signal", "ai-train=no"),
        ("TDM-Reservation", "1"),
        ("tdm-policy", "https://a.example/policy"),
    )
    assert page.rights == (
        ("header x-robots-tag", "noimageai"),
        ("header x-robots-tag", "googlebot: noindex"),
        ("header content-usage", "train-ai=n"),
        ("header content-signal", "ai-train=no"),
        ("header tdm-reservation", "1"),
        ("header tdm-policy", "https://a.example/policy"),
        ("meta robots", "noai, noimageai"),
        ("meta tdm-reservation", "1"),
        ("link rel=license", "https://shop.example/licence"),
        ("link rel=license", "https://cc.example/by"),
    )
    assert page.directives == Directives()


def test_the_feeds_it_names_are_absolute_and_no_links() -> None:
    """DISC-1"""
    page = page_of(
        "<base href='https://shop.example/news/'>"
        "<link rel=alternate type='application/rss+xml' href='feed.xml#x'>"
        "<link rel='Feed ALTERNATE' type='Application/Atom+XML; charset=utf-8' href='/atom'>"
        "<link rel=alternate type=application/feed+json href='//b.example/feed.json'>"
        "<link rel=alternate type=application/rss+xml href=feed.xml>"
        "<link rel=alternate type=application/rss+xml href=''>"
        "<link rel=alternate type=application/rss+xml>"
        "<link rel=alternate type=application/rss+xml href='feed:https://c.example/'>"
        "<link rel=alternate type=application/json href=/wp-json/1>"
        "<link rel=stylesheet type=application/rss+xml href=/style>"
        "<link rel=alternate hreflang=de href=/de>"
    )
    assert page.feeds == (
        "https://shop.example/news/feed.xml",
        "https://shop.example/atom",
        "https://b.example/feed.json",
    )
    assert page.links == ("/de",)


def test_of_very_many_feeds_the_first_ten_are_taken() -> None:
    link = "<link rel=alternate type=application/rss+xml href=/{}>"
    page = page_of("".join(link.format(n) for n in range(30)))
    assert page.feeds == tuple(f"https://shop.example/{n}" for n in range(10))


def test_frames_of_the_same_site_are_links() -> None:
    frames = ["/menu", "https://m.a.example/x", "https://www.a.example/y", "https://ads.example/z"]
    markup = "".join(f"<iframe src='{src}'></iframe>" for src in frames)
    body = f"<!doctype html><title>t</title><p><a href=/b>b</a><a href=/menu>m</a>{markup}"
    page = page_of(body, url="https://www.a.example/")
    assert page.links == ("/b", "/menu", *frames[1:3])
