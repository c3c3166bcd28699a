"""Whatever the page: its tree is never larger than its bytes said, compiled or not."""

from __future__ import annotations

import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from tenax.page.bounds import most_nodes, tree_bound
from tenax.page.scan import scan

FORMATTING = ("a", "b", "code", "font", "i", "nobr", "tt")
OTHERS = (
    "address", "applet", "article", "br", "button", "caption", "center", "col", "colgroup", "dd",
    "desc", "div", "dl", "dt", "foreignobject", "form", "frameset", "g", "h1", "h2", "html", "img",
    "input", "li", "marquee", "math", "mi", "object", "option", "p", "path", "pre", "script",
    "section", "select", "span", "style", "svg", "table", "tbody", "td", "template", "textarea",
    "title", "tr", "ul", "x-y",
)  # fmt: skip
ODD = (
    "x", " ", "<!-- -->", "<!-- <b> -->", "<!--", "-->", "<![CDATA[", "]]>", "<!doctype html>", "<",
    "</", "< b", "\0", "<i c='</b>'>", "<b d='<b q>'>", "'>", '">', '<b a="', "<?x>", "</ b>",
    "<b/>", "<svg/>", "<path/>", "<object/>", "</br>", "<p", "<script>'<b z>'</script>",
    "<script><!--<script></script>", "<style>a>b</style>", "<svg><title>x</title>", "é", "</b c>",
)  # fmt: skip
BLOCKS = ("section", "blockquote", "center")


def tags(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(names).map(lambda name: f"<{name} a#>"),
        st.sampled_from(names).map(lambda name: f"<{name}>"),
        st.sampled_from(names).map(lambda name: f"</{name}>"),
        st.sampled_from(names).map(lambda name: f"</{name}>" * 9),
        st.sampled_from(names).map(lambda name: f"<{name}>" * 9),
    )


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    """A few tags again and again, each time with other attributes, and blocks behind them."""
    few = tuple(draw(st.lists(st.sampled_from(FORMATTING), min_size=1, max_size=2)))
    few += tuple(draw(st.lists(st.sampled_from(OTHERS), min_size=1, max_size=3)))
    piece = st.one_of(tags(few), tags(few), st.sampled_from(ODD))
    unit = "".join(draw(st.lists(piece, min_size=1, max_size=8)))
    block = draw(st.sampled_from(BLOCKS))
    times = draw(st.sampled_from((1, 3, 60)))
    around = f"<{block}>", f"</{block}>"
    repeated = "".join(unit.replace("#", str(n)) for n in range(times))
    if draw(st.booleans()):
        repeated = around[1].join(unit.replace("#", str(n)) for n in range(times))
    tail = "x".join(around) * draw(st.sampled_from((0, 5, 200)))
    return (around[0] + repeated + around[1] + tail).encode()


@given(pages())
def test_a_tree_is_never_larger_than_its_bound(body: bytes) -> None:
    document = turbohtml.parse(
        body, encoding="utf-8", positions=False, allow_declarative_shadow_roots=False
    )
    nodes = sum(1 for _ in document.descendants)
    assert nodes <= tree_bound(body)
    scanned = scan(body, "utf-8")
    assert scanned is None or nodes <= scanned.nodes


@given(pages())
def test_compiled_or_not_the_bound_of_a_page_is_the_same(body: bytes) -> None:
    assert most_nodes(body, "utf-8") == tree_bound(body)


@given(st.lists(st.sampled_from([*b"<>/='\"! \n-ab\0\xff", *b"<<<bbb>>>"])).map(bytes))
def test_compiled_or_not_the_bound_of_any_bytes_is_the_same(body: bytes) -> None:
    assert most_nodes(body, "windows-1252") == tree_bound(body)
