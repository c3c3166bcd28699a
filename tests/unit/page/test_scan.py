"""Which pages need no tree, and what is found on them in one pass?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tenax.page import native, rules
from tenax.page.charset import decode
from tenax.page.html import parse
from tenax.page.rules import FRAME_NAMES, LANDMARK_ROLES
from tenax.page.scan import Scanned, scan
from tenax.page.sketch import sketch
from tests.either_way import compiled, in_python, page_of, required

pytestmark = pytest.mark.skipif(not required(), reason="tenax.page._native was not built")

WORDS = "Plums and apples were carried to the old mill before the bell rang. " * 3


def scanned(html: str) -> Scanned:
    found = scan(html.encode(), "utf-8")
    assert found is not None, "a tree would have been built"
    return found


def main_of(html: str) -> str:
    return scanned(html).main.written.decode()


SURE = {
    "text alone": "plums",
    "a page as it should be": (
        "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>A &amp; B</title></head>\n"
        "<body><nav><a href=/>Home</a></nav>"
        f"<main><h1>Plums</h1><p>{WORDS}</p></main></body></html>\n"
    ),
    "no end tags where none are needed": (
        "<p>a<p>b<ul><li>c<li>d</ul><dl><dt>e<dd>f</dl><table><tr><td>g<td>h<tr><th>i</table>"
    ),
    "a block in a paragraph": "<p>a<div>b</div>c</p>d",
    "a stray end tag": "<div>a</span></b></div></section>b",
    "an unclosed span": "<div><span>a</div>b",
    "a table in a cell": "<table><tr><td><table><td>a</table>b</table>c",
    "formatting in a cell that is not closed": "<table><tr><td><b>a<td>c</table>d",
    "a drawing": '<p>a<svg viewBox="0 0 1 1"><g><path d="M0"/></g><title>t</title></svg>b</p>',
    "a script that looks like markup": "<script>if (a<b) '</p><p>'</script><p>a</p>",
    "a comment in a script": "<script><!-- a //--></script><p>a</p>",
    "raw text": "<textarea>\n<b>&lt;</textarea><style>p > a {}</style><iframe><p></iframe>a",
    "a choice": "<select><optgroup label=a><option>b<option>c</optgroup></select>d",
    "attributes of all kinds": (
        "<a href='x y' class=\"b\" data-c=d hidden e = f/><img src=g alt='>'>h</a><p CLASS=i>j"
    ),
    "ampersands": "<a href='?a=1&b=2&copy=3&amp;d'>a & b &c; &lt;&nbsp;&#233;&eacute; AT&T</a>",
    "a sign that is no tag": "a < b <3 c",
    "comments": "<!-- a --><p>b<!---->c<!-- d -- e --></p><?f?>",
    "scripts in the head and below it": (
        "<head><script>a</script><noscript><link rel=stylesheet href=b></noscript></head>"
        "<script>c</script><body>d"
    ),
    "white space around the body": " \n<html> <head> </head> <body> a </body> </html> \n",
    "an empty paragraph of an end tag": "a</p>b",
    "nothing at all": "",
    "formatting that overlaps a block": "<div><div><div><b><p>a</b>b</p>c",
    "a link in a link": "<a href=x>a<a href=y>b</a>",
    "formatting that goes on in the next paragraph": "<p><b>a<p>b</b>c",
    "four of a kind, of which one is forgotten": "<p><b><b><b><b>a<p>b</b></b></b></b>c",
    "a template": "a<template><p>b<template>c</template></template>d",
    "a form in a form": "<form>a<form>b</form>c",
    "a form across a block": "<div><div><form><div>a</form>b</div>c",
    "text behind the body": "<body>a</body>b<!-- c -->d",
    "half an entity": "<p>&notit; in &para</p>&#65 &#x; &# &#99999999;",
    "a control character by number": "<p>&#150;</p>",
    "a tag that never ends": "<p>a<b class=x",
    "a script that never ends": "<p>a<script>b",
    "a script in a comment of a script": "<script><!-- <script> </script> a --></script>b",
    "carriage returns": "<p>a\r\nb\rc</p>",
    "nothing but a menu": "<body><nav>a</nav> <aside>b<nav>c</nav></aside></body>",
    "a header that holds nearly everything": "<body><div id=header>a long menu</div>a",
    "a second body": "<body>a<body class=b>c",
    "many in one another": "<div>" * 60 + "a",
    "end tags of a table where none is": "a</td></tr>b</table><tr><td>c",
    "a drawing that ends with HTML": "<svg><g><path><p>a</p></svg>b",
    "a drawing that its end tag closes": "<p>a<svg><g><path></svg>b",
    "comments that end where they begin": "<!-->a<!--->b<!--c--!>d<!e></ f></>g",
}
UNSURE = {
    "formatting that overlaps a block of the layout": "<b><p>a</b>b</p>",
    "text that a table throws out": "<table>a<tr><td>b</table>",
    "frames": "<frameset><frame src=a></frameset>",
    "formulas": "<math><mi>x</mi></math>",
    "HTML in a drawing": "<svg><foreignObject><p>a</p></foreignObject></svg>",
    "a shadow root": "<div><template shadowrootmode=open>a</template></div>",
    "a zero": "<p>a\0b</p>",
    "what is asked for its ancestors, far below them": "<div>" * 60 + "<main>a",
    "too many in one another": "<div>" * 200 + "a",
}


_DOCTYPE = b"<!DOCTYPE html>"
_MENU = b"<div class=nav>menu one two</div>"
_TEXT = b"<p>some own text of the page that is longer than the menu is"

FOUND_BY_REVIEW = [
    (
        "comments push the body out of the first nine nodes",
        b"<head></head> <!--a--> <!--b--> <!--c--> <!--d--> <body>" + _MENU + _TEXT,
    ),
    (
        "only the first doctype counts",
        b"<!DOCTYPE foo><!DOCTYPE html><p>x<table><tr><td>y</table><span>"
        + _MENU + b"</span>" + _TEXT,
    ),
    ("the end of the page ends columns", b"<table><caption><col > </></html>\n"),
    ("the end of the body ends columns", b"<table><colgroup> </body>\n"),
    ("the end of a column ends all of them", b"<table><col> </col>\n<td>a"),
    ("torn names are the same to the tree", _DOCTYPE + b"<x\xff>a</x\xfe>" + _MENU + _TEXT),
    (
        "a role with a vertical tab behind it",
        _DOCTYPE + b'<div role="navigation \x0b">menu one two</div>' + _TEXT,
    ),
    (
        "a role with a no-break space behind it",
        _DOCTYPE + b'<div role="navigation \xc2\xa0">menu one two</div>' + _TEXT,
    ),
    (
        "a role with a reference behind it",
        _DOCTYPE + b'<div role="navigation &#32;">menu one two</div>' + _TEXT,
    ),
    (
        "a main role with a reference behind it",
        _DOCTYPE + b'<div role="main &#32;">menu one two</div>' + _TEXT,
    ),
    (
        "more footers in main than are looked at",
        _DOCTYPE + b"<main>text" + b"<footer>a</footer>" * 600 + b"</main>",
    ),
    (
        "unseen headers count among those that are looked at",
        _DOCTYPE + b"<body><noscript>" + b"<header>a</header>" * 400 + b"</noscript>" + _TEXT
        + b"<header>b</header>" * 300,
    ),
    (
        "a script ends a group of columns",
        _DOCTYPE + b"<table><colgroup><script></script> " + b"<tbody>" * 22
        + b"<tbody class=nav><tr><td>menu one</table>" + _TEXT,
    ),
    (
        "a cell forgets only what is in the last object",
        _DOCTYPE + b"<table><tr><td><i><object><b></td></tr></table>x" + _MENU + _TEXT,
    ),
    (
        "groups of options nest outside of a select",
        _DOCTYPE + b"<optgroup><optgroup></optgroup>" + _MENU + _TEXT,
    ),
    ("an object keeps the body open", _DOCTYPE + b"<object>a</body><!--c--> "),
    ("attributes that begin with =, compared with each other", b"<p>" + b"<b ='>" * 5 + b"a"),
    (
        "a source opens formatting again in one tree, and not in another",
        b"<p><a itemprop=datePublished></p><source>",
    ),
    ("an article without a word", b"<article><b><nav>a</nav></b></article>"),
    ("a second html element", b"<html></head><html> "),
    (
        "a doctype behind an end tag comes too late",
        b"</v><!DOCTYPE html><p>a<b role=search><table><tr><td>b",
    ),
    ("a doctype in the body", b"<p>a<!DOCTYPE html>b<table><!doctype foo><tr><td>c"),
    ("a comment in a drawing that is open behind the body", b"<svg>></body><!-->\n"),
    ("a second head", b"</head><head><title> "),
    ("what an object lets out of a template", b"<template><a href=b><object></template>c"),
    ("a doctype that the page ends in", b"a\r<!doctype"),
]  # fmt: skip


@pytest.mark.parametrize("html", SURE.values(), ids=SURE)
def test_these_need_no_tree(html: str) -> None:
    assert scan(html.encode(), "utf-8") is not None
    with compiled():
        one = page_of(html.encode())
    with in_python():
        assert page_of(html.encode()) == one


@pytest.mark.parametrize("html", UNSURE.values(), ids=UNSURE)
def test_of_these_the_tree_is_asked(html: str) -> None:
    assert scan(html.encode(), "utf-8") is None
    with compiled():
        one = page_of(html.encode())
    with in_python():
        assert page_of(html.encode()) == one


@pytest.mark.parametrize("body", [body for _, body in FOUND_BY_REVIEW], ids=dict(FOUND_BY_REVIEW))
def test_these_were_read_otherwise_once(body: bytes) -> None:
    with compiled():
        one = page_of(body)
    with in_python():
        assert page_of(body) == one


def test_of_two_byte_order_marks_the_second_is_text() -> None:
    body = b"\xff\xfe" * 2 + "<p>plums".encode("utf-16-le")
    with compiled():
        one = page_of(body, "text/html; charset=utf-16le")
    with in_python():
        assert page_of(body, "text/html; charset=utf-16le") == one


def test_bytes_that_are_no_text_are_sketched_alike() -> None:
    torn = b"a" * 1_700 + b"\x80" * 2_000 + b" b7\xff" * 70
    with compiled():
        one = sketch(torn)
    with in_python():
        assert sketch(torn) == one


def test_the_lines_of_a_page_are_its_texts_each_by_itself() -> None:
    main = scanned(f"<main><h1>Plums</h1><p>{WORDS}<b>Now</b></p></main>").main
    lines = [line.strip() for line in main.lines.decode().split("\n") if line.strip()]
    assert lines == ["Plums", WORDS.strip(), "Now"]


def test_links_are_those_of_the_tree_without_fragments() -> None:
    page = scanned('<a href="a#b"><i>1</i></a><a href="#c">2</a><area href="d?e=1&amp;f">')
    assert page.targets() == ["a", "d?e=1&f"]


def test_what_is_said_of_links_is_told_anchors_first() -> None:
    page = scanned("<area rel=ugc href=a><a rel=nofollow href='b#c'>1</a><a rel=license>2</a>")
    assert page.qualified() == [("nofollow", "b#c"), ("license", ""), ("ugc", "a")]


@pytest.mark.parametrize(
    "html",
    [
        f"<nav>menu</nav>{WORDS}<footer>imprint</footer>",
        f"<div class='site-header x'>menu</div>{WORDS}<div id=sidebar>more</div>",
        f"<div class=page><ul class=Menu><li>menu</ul>{WORDS}</div>",
        f"menu<main>{WORDS}<footer>shares</footer></main>more",
        f"<div role=' Navigation '>menu</div><div>{WORDS}</div><p hidden>more</p>",
        f"<div role=main>{WORDS}<nav>menu</nav></div>more",
        f"menu<article>{WORDS}</article>more",
        f"<script>a</script><noscript>menu</noscript>{WORDS}<style>b</style>",
    ],
)
def test_the_main_text_is_what_is_left_without_the_frame(html: str) -> None:
    assert main_of(f"<body>{html}</body>").strip() == WORDS.strip()


@pytest.mark.parametrize("share", [0.3, 0.4, 0.45, 0.55, 0.7])
def test_an_article_is_the_main_text_from_half_of_the_rest(share: float) -> None:
    own, rest = "a" * round(share * 1_000), "b" * (1_000 - round(share * 1_000))
    body = f"<body><p>{rest}</p><article>{own}</article></body>".encode()
    assert main_of(body.decode()) == (own if share > 0.5 else rest + own)
    with compiled():
        one = page_of(body)
    with in_python():
        assert page_of(body) == one


def test_a_header_that_holds_nearly_everything_is_no_frame() -> None:
    """It comes behind the rest, as where the tree puts it back."""
    assert main_of(f"<body><div id=header>{WORDS}</div>a</body>") == f"a{WORDS}"


def test_what_misnested_links_are_copied_to_is_told_as_often_as_the_tree_has_it() -> None:
    html = "<div><div><div><a href=x rel=ugc>a<div>b<a href=y>c</a></div>"
    page, tree = scanned(html), parse(html.encode(), "utf-8")
    assert sorted(page.targets()) == sorted(tree.targets()) == ["x", "x", "y"]
    assert page.qualified() == tree.qualified() == [("ugc", "x")] * 2


def test_elements_of_any_tag_are_told_for_their_property() -> None:
    html = (
        "<span itemprop=datePublished content=1>a</span><x-y itemprop=uploadDate>b</x-y>"
        "<abbr title=2>c</abbr><abbr>d</abbr><i itemprop=name>e</i><time itemprop=dateModified>"
    )
    told = [(tag.tag, tag.attr("content"), tag.attr("title")) for tag in scanned(html).dated]
    assert told == [
        ("span", "1", None), ("x-y", None, None), ("abbr", None, "2"), ("time", None, None),
    ]  # fmt: skip


def test_what_the_pass_was_not_asked_for_is_an_error_and_not_nothing() -> None:
    link = scanned("<link rel=alternate sizes=de href=x>").found["link"][0]
    with pytest.raises(LookupError, match="sizes"):
        link.attr("sizes")
    with pytest.raises(LookupError, match="text"):
        _ = link.text


def test_an_extension_that_was_compiled_with_other_rules_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert native._load() is not None
    monkeypatch.setattr(rules, "MOST_METAS", rules.MOST_METAS + 1)
    with pytest.warns(RuntimeWarning, match="built from other sources"):
        assert native._load() is None


def test_an_extension_that_is_called_otherwise_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of yesterday beside the Python of today would fail at every page."""
    newer = tmp_path / "native.py"
    newer.write_bytes(Path(native.__file__).read_bytes() + b"# another call\n")
    monkeypatch.setattr(native, "__file__", str(newer))
    with pytest.warns(RuntimeWarning, match="make setup"):
        assert native._load() is None


def test_short_texts_are_counted_by_their_nodes() -> None:
    assert scanned("<table><tr><td>one</td><td>two</td></table>three four").main.words == 4


def test_other_charsets_are_read_as_well() -> None:
    body = "<title>Größe</title><p>Äpfel</p>".encode("windows-1252")
    found = scan(body, "windows-1252")
    assert found is not None
    assert found.main.written.decode() == "Äpfel"
    assert found.found["title"][0].text == "Größe" == decode(body, "windows-1252")[7:12]


def test_what_is_looked_up_in_c_is_short_and_plain() -> None:
    """`native/names.c` keeps names of up to 15 letters, and compares them as ASCII."""
    for name in FRAME_NAMES + LANDMARK_ROLES:
        assert len(name) <= 15
        assert name.isascii()
        assert name == name.lower()


def test_bodies_that_no_tree_could_be_built_of_in_time_are_read_in_time() -> None:
    long = [f"<font a{n}={'b' * 10_000}>" for n in range(40)]
    for hostile in (
        "<a" + " b" * 500_000, "<!--" * 300_000, "&" * 1_000_000, "<b>" * 300_000,
        "".join(long) + "<p>a" * 200_000, "".join(long * 200), "<a href=b><p>c" * 100_000,
        "<div><div><div>" + "<a href=b><div>c" * 100_000, "<div>" * 100 + "</x>" * 500_000,
        "<script><!--<script>" * 100_000, "<template>" * 100_000, "<svg><g>" * 100_000,
    ):  # fmt: skip
        scan(hostile.encode(), "utf-8")


def test_links_in_noframes_are_the_trees_business_in_the_head_too() -> None:
    for page in (b"<html><head><noframes ><a href=v>", b"<p>x<noframes><a href=v></a></noframes>"):
        assert scan(page, "utf-8") is None
        assert parse(page, "utf-8").targets() == ["v"]


def test_what_stands_in_noscript_on_an_empty_page_is_the_trees_business() -> None:
    page = b"<n><section ><noscript><footer>t"
    assert scan(page, "utf-8") is None
    assert scan(b"<p>x</p><noscript><footer>t</footer></noscript>", "utf-8") is not None
