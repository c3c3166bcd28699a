"""Is it known how large a tree may become before it is built, and no page refused in vain?"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import turbohtml

from bench.hostile_pages import SHAPES, XHTML_SHAPES, opened
from tenax.model import Headers, Response
from tenax.page import native
from tenax.page.bounds import MOST_NODES, most_nodes, tree_bound, why_too_large
from tenax.page.html import parse, parse_page
from tenax.page.product import extract
from tenax.page.read import read
from tenax.page.reading.document import Document
from tenax.page.scan import is_small, scan
from tenax.page.verdict.pattern_table import shipped
from tenax.page.verdict.validate import validate

HOSTILE = b"<title>t</title><p>" + opened(480) + b"<p>x" * 10_000
URL = "https://a.example/"
HTML = Headers((("Content-Type", "text/html"),))
XHTML = Headers((("Content-Type", "application/xhtml+xml"),))
SIZE = 3_000_000


def nodes(body: bytes) -> int:
    document = turbohtml.parse(
        body, encoding="utf-8", positions=False, allow_declarative_shadow_roots=False
    )
    return sum(1 for _ in document.descendants)


def numbered(unit: str, times: int = 300) -> bytes:
    return "".join(unit.replace("#", str(n)) for n in range(times)).encode()


LEFT_OPEN = {
    "by a block": "<b a#></section><section>",
    "by a comment": "<b a#><!--</b>-->",
    "by a comment that ends otherwise": "<b a#><!-- <i> --!></i></b --></b>",
    "in a comment that is none": "<b a#><![ <!-- </b> ]> <i>--></b>",
    "by a quote": "<b a#><i c='</b>'></i>",
    "by a quote behind a >": "<b a#><i c='></b>'></i>",
    "by a script": "<b a#><script>'</b>'</script>",
    "by a script in a script": "<b a#><script><!--<script></script></b></script>",
    "by a marker": "<b a#><object></b></object>",
    "by a cell": "<b a#><table><td></b></table>",
    "by a drawing": "<b a#><svg><desc></b></desc></svg>",
    "by a self-closing marker": "<b a#><svg><p></p><object/></svg></b></object>",
    "by a select": "<b a#><select></b></select>",
    "by a template": "<b a#><template></b></template>",
    "by nine blocks": "<b a#>" + "<div>" * 9 + "</b>" + "</div>" * 9,
    "by paragraphs that blocks closed": "<b a#>" + "<p><div></p>" * 9 + "</b>" + "</div>" * 9,
    "by headings": "<b a#>" + "<h1><div><h2></h1>" * 5 + "</b>" + "</div>" * 9,
    "by cells of no table": "<b a#>" + "<td>" + "<div>" * 9 + "</td></b>" + "</div>" * 9,
    "for another of its name": "<tt a#><nav><nav><tt></nav></tt></nav>",
    "as anchors around blocks": "<a a#>" + "<div>" * 9 + "</a>" + "</div>" * 9,
    "by another name": "<b a#></b\0>",
}


@pytest.mark.parametrize("why", LEFT_OPEN)
def test_formatting_that_may_be_left_open_counts_in_every_block_behind_it(why: str) -> None:
    body = b"<section>" + numbered(LEFT_OPEN[why]) + b"</section>" + b"<section>x</section>" * 300
    assert nodes(body) <= tree_bound(body) == most_nodes(body, "utf-8")
    assert tree_bound(body) > 90_000


CLOSED = {
    "in order": "<p><b a#>x</b></p>",
    "around blocks": "<a href=#><div><h2>x</h2><p>y</p></div></a>",
    "around a list without ends": "<font size=#><ul><li>x<li>y</ul></font>",
    "crosswise": "<b a#><i>x</b></i>",
    "in cells without ends": "<table><tr><td><font a#>x<td><font b#>y</table>",
    "around a table": "<font a#><table><tr><td>x</td></tr></table></font>",
    "around a drawing": '<a href=#><svg><title>t</title><path d="x"/><use/></svg>x</a>',
    "around a comment": "<a href=#><!-- x -->y</a>",
    "around a comment with tags": "<a href=#><!--<img src=x><b>-->y</a>",
    "around a script": "<a href=#><script>if (a > b) c()</script>y</a>",
    "by the next of its name": "<a name=#><p>x</p>",
    "again and again alike": "<p><font size=2>x",
    "without attributes": "<p><b><i>x",
    "in upper case": "<P><B A#>x</B></P>",
    "around a paragraph that is not closed": "<a href=#><p>x</a>",
}


@pytest.mark.parametrize("how", CLOSED)
def test_formatting_that_is_closed_counts_no_more(how: str) -> None:
    body = numbered(CLOSED[how])
    assert nodes(body) <= tree_bound(body) == most_nodes(body, "utf-8")
    # 45,000 at most; were each of the 300 open behind the other, it would be 90,000 or more.
    assert tree_bound(body) < 150 * 300


def test_attributes_count_wherever_they_are_copied() -> None:
    many = " ".join(f"a{n}" for n in range(1_000)).encode()
    behind = b"<p><font <" + many.replace(b" ", b" <") + b">" + b"<p>x" * 1_000
    for body in (
        b"<p><font " + many + b">" + b"<p>x" * 1_000,
        behind,
        b"".join(b"<html b%d=1>" % n for n in range(2_000)),
        b"".join(b"<body b%d=1>" % n for n in range(2_000)),
    ):
        assert tree_bound(body) == most_nodes(body, "utf-8") > 240_000


def test_what_the_parser_notes_down_counts() -> None:
    slashes = b"/" * 8_000 + b">"
    for body in (b"\0" * 4_000, b"<" * 1_000, b"<p " + slashes, b'<p a="<" ' + slashes):
        assert tree_bound(body) == most_nodes(body, "utf-8") >= 1_000


def test_a_count_without_end_ends() -> None:
    # The pass without a tree leaves a page with such a part to the tree.
    body = b"<noframes></noframes>" + b"<b a='<b \"" * 20_000
    assert scan(body, "utf-8") is None
    assert tree_bound(body) == most_nodes(body, "utf-8") > 1 << 40
    assert "no end of nodes" in why_too_large(body, "utf-8")


COMPILED = pytest.mark.skipif(native.NATIVE is None, reason="there is no compiled pass here")


@COMPILED
def test_what_the_pass_has_followed_is_not_refused_for_what_its_bytes_may_be() -> None:
    body = b"<title>t</title><p>x " + b"<b a='<b \"" * 20_000
    assert most_nodes(body, "utf-8") > MOST_NODES
    assert nodes(body) < 100
    page = read(Response(URL, 200, HTML, body), fetched_at=1.0)
    assert (page.title, page.too_large) == ("t", "")
    # Whoever asks for its text later gets it, too.
    assert Document(body, URL, "text/html").title == "t"


@COMPILED
@pytest.mark.parametrize(
    "unit",
    [
        "<p>x", "<br>", "<td>", "</p>", "<a href=#>", "<b><p></b>", "<!-->", "<", "<p a b c>",
        "<table><td>", "<template><td></template>", "<body b#=1>", "<html b#=1>",
        "<p " + "/" * 500 + ">", "<font a b c d e f g h i j k l><p>", "<svg><path/></svg>",
        "<script>x</script>",
    ],
)  # fmt: skip
def test_the_pass_never_counts_too_few_either(unit: str) -> None:
    body = b"<body>" + numbered(unit, 200)
    scanned = scan(body, "utf-8")
    if scanned is not None:
        assert nodes(body) <= scanned.nodes
    large = b"<body>" + numbered(unit, 600_000 // (1 if len(unit) < 20 else 20))
    assert not is_small(scan(large, "utf-8"), MOST_NODES)


def test_bytes_that_are_no_ascii_are_read_first() -> None:
    text = HOSTILE.decode()
    assert why_too_large(b"\xff\xfe" + text.encode("utf-16le"), "utf-16le")
    assert why_too_large(text.encode("utf-16be"), "utf-16be")
    assert not why_too_large("\ufeff<p>grüß".encode("utf-16le"), "utf-16le")


def test_a_page_that_is_too_large_is_told_and_not_read() -> None:
    page = read(Response(URL, 200, HTML, HOSTILE), fetched_at=1.0, products=True)
    count = most_nodes(HOSTILE, "utf-8")
    assert page.too_large == f"a tree of up to {count:,} nodes, more than 600,000"
    assert (page.title, page.words, page.links, page.body) == ("", 0, (), HOSTILE)
    assert page.digest
    assert page.content_type == "text/html"
    assert validate(Response(URL, 200, HTML, HOSTILE), page, shipped()) is None


def test_it_is_the_same_without_the_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    told = read(Response(URL, 200, HTML, HOSTILE), fetched_at=1.0)
    monkeypatch.setattr(native, "NATIVE", None)
    assert read(Response(URL, 200, HTML, HOSTILE), fetched_at=1.0) == told


def test_every_way_to_a_tree_is_bounded() -> None:
    tree = parse(HOSTILE, "utf-8")
    assert tree.too_large
    assert not tree.found["title"]
    assert parse_page(HOSTILE, "utf-8").text == ""
    assert extract(HOSTILE, URL) is None
    document = Document(HOSTILE, URL, "text/html")
    assert (document.title, document.text, document.main_text, document.markdown) == ("",) * 4
    assert (document.links, document.headings, document.content_hash) == ([], [], b"")


def test_xhtml_is_bounded_when_it_is_written_as_html() -> None:
    # In XHTML each of these is closed at once; in HTML none is.
    body = b'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>'
    body += b"".join(b"<b a%d='1'/>" % n for n in range(400)) + b"</p></body></html>"
    assert not read(Response(URL, 200, XHTML, body), fetched_at=1.0).too_large
    swollen = b"<html><body>" + b"<x/>" * 200_000 + b"</body></html>"
    assert not why_too_large(swollen, "utf-8")
    assert read(Response(URL, 200, XHTML, swollen), fetched_at=1.0).too_large


def test_data_in_a_page_may_hold_markup_that_is_too_large() -> None:
    told = json.dumps({"@type": "Article", "articleBody": HOSTILE.decode()}).encode()
    body = b"<script type=application/ld+json>" + told.replace(b"<", b"\\u003c") + b"</script>"
    assert Document(body, URL, "text/html").main_text == ""


@pytest.fixture(scope="module")
def taken() -> dict[str, dict[str, float | str]]:
    """What each shape took, in one process that forks for each."""
    child = subprocess.run(
        [sys.executable, "-m", "bench.hostile_pages", "--json", "--size", str(SIZE)],
        capture_output=True, check=True, timeout=300, env=os.environ,
    )  # fmt: skip
    rows = [json.loads(line) for line in child.stdout.splitlines()]
    return {row["shape"]: row for row in rows}


def test_there_are_many_shapes_of_hostile_pages() -> None:
    assert len(SHAPES) + len(XHTML_SHAPES) >= 75


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measured by /proc")
@pytest.mark.parametrize("shape", [*SHAPES, *XHTML_SHAPES])
def test_no_page_takes_more_than_its_share(
    taken: dict[str, dict[str, float | str]], shape: str
) -> None:
    row = taken[shape]
    assert row["end"] != "died"
    assert float(row["megabytes"]) <= 300
    assert float(row["seconds"]) <= 3.0
    assert int(row["nodes"]) <= int(row["bound"])
    if int(row["bound"]) > MOST_NODES:
        assert row["end"] == "too_large"
