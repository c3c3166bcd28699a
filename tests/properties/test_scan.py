"""Whatever the page: the compiled pass says what the tree says, or nothing."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tenax.page.html import parse
from tenax.page.scan import scan
from tenax.page.similar import simhash
from tenax.page.sketch import sketch
from tenax.page.text import bare, main_region, written
from tests.either_way import compiled, in_python, page_of, required

pytestmark = pytest.mark.skipif(not required(), reason="tenax.page._native was not built")

BLOCKS = (
    "address", "article", "aside", "blockquote", "center", "details", "div", "dl", "fieldset",
    "figure", "footer", "form", "h1", "h2", "header", "li", "main", "nav", "ol", "p", "pre",
    "section", "ul",
)  # fmt: skip
INLINE = (
    "a", "abbr", "b", "button", "code", "em", "i", "label", "my-own", "object", "q", "small",
    "span", "strong", "sub", "time", "u",
)  # fmt: skip
VOID = ("area", "base", "br", "embed", "hr", "img", "input", "link", "meta", "wbr")
ODD = (
    "body", "caption", "col", "frameset", "head", "html", "iframe", "image", "math", "noscript",
    "option", "script", "select", "style", "svg", "table", "tbody", "td", "template", "textarea",
    "title", "tr", "xmp",
)  # fmt: skip
ATTRIBUTES = (
    "href=x", 'href="y#z"', "href='/a?b=1&c=2&copy=3'", 'href="&amp;#x"', "rel=nofollow",
    "rel=license", "rel=canonical", "role=main", "role=navigation", 'role=" Search "', "role=img",
    "hidden", "class=nav", 'class="x NavBar y"', "id=footer", "class=content", "id='a&b'",
    "lang=en", "xml:lang=de", 'content="2024-05-06"', "content=noindex", "name=robots",
    "name=date", "itemprop=datePublished", "datetime=2024-05-06", "pubdate", "type=hidden",
    "type=application/ld+json", "title='a>b'", "src=f", "HREF=Q", "a=b/", "/",
)  # fmt: skip
TEXTS = (
    "text ", "words and words ", " ", "\n", "a", "&amp;", "&nbsp;", "&copy", "&copy;", "&notit;",
    "&#65;", "&#x41;", "&#150;", "&unknown;", "x<y ", "< ", "日本", "ž", "\u00a0", "12.5", "&",
    "<!-- c -->", "<!---->", "<?pi?>", "</>", "\t", '{"datePublished":"2024-01-02"}',
    "A long sentence with many words in it, which is prose. ",
)  # fmt: skip

attributes = st.lists(st.sampled_from(ATTRIBUTES), max_size=2).map(
    lambda chosen: "".join(f" {attribute}" for attribute in chosen)
)
texts = st.sampled_from(TEXTS)
voids = st.builds(lambda tag, given: f"<{tag}{given}>", st.sampled_from(VOID), attributes)
special = st.sampled_from([
    "<script>var a</script>", "<script type=application/ld+json>{}</script>", "<style>a{}</style>",
    "<script><!-- <script> </script>", "<textarea>\n&lt;b></textarea>", "<title>T &amp; t</title>",
    "<select><option>a<option>b</select>", "<iframe><p></iframe>", "<iframe src=/g></iframe>",
    "<noframes><a href=n>n</a></noframes>", "<ruby>a<rt>b<rp>c</ruby>",
    '<svg role=img><g><path d="x"/></g><title>t</title><style>.a</style></svg>',
])  # fmt: skip
cells = st.builds(
    lambda tag, given, inside, end: f"<{tag}{given}>{inside}{end and f'</{tag}>'}",
    st.sampled_from(["td", "th"]), attributes, st.deferred(lambda: contents), st.booleans(),
)  # fmt: skip
tables = st.builds(
    lambda given, before, rows, end: f"<table{given}>{before}{''.join(rows)}{end}",
    attributes,
    st.sampled_from(["", "<caption>c</caption>", "<colgroup><col></colgroup>", "<tbody>", "\n"]),
    st.lists(st.lists(cells, max_size=2).map(lambda row: f"<tr>{''.join(row)}"), max_size=2),
    st.sampled_from(["</table>", "</tbody></table>", ""]),
)
elements = st.builds(
    lambda tag, given, inside, end: f"<{tag}{given}>{inside}{end and f'</{tag}>'}",
    st.sampled_from(BLOCKS + INLINE), attributes, st.deferred(lambda: contents),
    st.sampled_from([True] * 9 + [False]),
)  # fmt: skip
contents: st.SearchStrategy[str] = st.lists(
    st.one_of(texts, texts, elements, elements, voids, tables, special), max_size=4
).map("".join)
soup = st.lists(
    st.one_of(
        texts,
        st.builds(
            lambda close, tag, given: f"<{close}{tag}{given}>",
            st.sampled_from(["", "/"]), st.sampled_from(BLOCKS + INLINE + VOID + ODD), attributes,
        ),
    ),
    max_size=20,
).map("".join)  # fmt: skip
pages = st.builds(
    lambda *parts: "".join(parts).encode(),
    st.sampled_from(["", "<!DOCTYPE html>", '<!DOCTYPE html PUBLIC "x" "y">', "<?xml?>"]),
    st.sampled_from(["", "<html lang=en>", "<head><title>T</title><link rel=next href=n></head>"]),
    st.sampled_from(["", "<body>", "<body class=x hidden>", "<body role=main>"]),
    st.one_of(contents, contents, soup),
    st.sampled_from(["", "</body>", "</body></html>\n", "</body><!-- c -->\n\n", "</html> x"]),
)


@settings(max_examples=400)
@given(pages)
@example(b"<main hidden>a</main>b")
@example(b"<body>a</body>b<!-- c -->d e")
@example(b"<pre><!-- c -->\na\nb</pre>")
@example(b"<p>\xc2</b>\xa0a</p>")
@example(b"<ul><li hidden><ul></li>plums</ul></ul>apples")
def test_a_page_reads_the_same_either_way(body: bytes) -> None:
    with compiled():
        one = page_of(body)
    with in_python():
        assert page_of(body) == one
    found = scan(body, "utf-8")
    if found is not None:
        # To the letter: of white space the hashes would not tell.
        assert found.main.written == written(main_region(parse(body, "utf-8"))[1])


@given(pages, st.integers(0, 500), st.binary(max_size=8))
def test_so_does_a_page_that_was_damaged(body: bytes, place: int, damage: bytes) -> None:
    damaged = body[:place] + damage + body[place + 3 :]
    with compiled():
        one = page_of(damaged)
    with in_python():
        assert page_of(damaged) == one


@given(st.one_of(st.text(max_size=200), st.text("ag 7\n.日", max_size=4_000)))
def test_hashes_are_the_same_either_way(said: str) -> None:
    text = written(said * 7)
    with compiled():
        plain = bare(text)
        hashed, wordings = simhash(plain), sketch(text)
    with in_python():
        assert (bare(text), simhash(plain), sketch(text)) == (plain, hashed, wordings)


@pytest.mark.parametrize("count", [40, 400, 4_000, 60_000])
def test_hashes_of_many_words_are_the_same_either_way(count: int) -> None:
    """More pieces and wordings than are kept."""
    dice = Random(count)
    text = written(" ".join("".join(dice.choices("abegjmpqvwxz é", k=9)) for _ in range(count)))
    with compiled():
        plain = bare(text)
        hashed, wordings = simhash(plain), sketch(text)
    with in_python():
        assert (bare(text), simhash(plain), sketch(text)) == (plain, hashed, wordings)
