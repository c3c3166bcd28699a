"""Is Markdown what a machine can use: no signs, no hard spaces, links that lead somewhere?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.page.reading.chunks import SMALLEST, Chunk
from tenax.page.reading.document import Document
from tenax.page.reading.link_style import LinkStyle

URL = "https://docs.example/guide/page.html"
SENTENCE = "The kettle is filled to the mark, and then it is set on the plate until it sings. "
WORDS = f"<p>{SENTENCE * 3}</p>"


def document(html: str) -> Document:
    return Document(f"<main>{WORDS}{html}{WORDS}</main>".encode(), URL, "text/html; charset=utf-8")


def test_permalinks_of_every_kind_are_cut(subtests: pytest.Subtests) -> None:
    signs = {
        "sphinx": '<a class="headerlink" href="#x" title="Permalink to this">¶</a>',
        "docusaurus": '<a class="hash-link" href="#x" aria-label="Direct link">\u200b</a>',
        "github": '<a class="anchor" href="#x"><svg><path d="M0"/></svg></a>',
        "plain": ' <a href="#x">#</a>',
        "section": '<a href="#x">§</a>',
        "no words": '<a href="/elsewhere"><i></i></a>',
    }
    for name, sign in signs.items():
        with subtests.test(name):
            found = document(f'<h2 id="x">Filling{sign}</h2>')
            assert "## Filling\n" in found.markdown
            assert "¶" not in found.main_text


def test_what_a_link_says_or_shows_keeps_it() -> None:
    markdown = document(
        '<p>See <a href="#fill">how to fill</a>, <a href="/c">#7</a>'
        ' and <a href="#pic"><img src="p.png" alt="this"></a>.</p>'
    ).markdown
    assert f"[how to fill]({URL}#fill)" in markdown
    assert "[#7](https://docs.example/c)" in markdown
    assert f"[![this](https://docs.example/guide/p.png)]({URL}#pic)" in markdown


def test_hard_spaces_are_spaces_and_what_is_written_so_stays() -> None:
    markdown = document(
        "<ul><li>one&nbsp;</li></ul><table><tr><td>&nbsp;</td><td>x&#160;y</td></tr></table>"
        '<p><img src="a.png" alt="a&nbsp;b"></p><pre>write &amp;#160; here</pre>'
    ).markdown
    assert "\xa0" not in markdown
    assert re.findall("&#160;", markdown) == ["&#160;"]
    assert "write &#160; here" in markdown
    assert "| x y |" in markdown


def test_fragments_stay_and_cannot_end_the_link() -> None:
    markdown = document(
        f'<p>{SENTENCE}<a href="other.html#a)b c">there</a> <a href="#é">here</a></p>'
    ).markdown
    assert "[there](https://docs.example/guide/other.html#a%29b%20c)" in markdown
    assert f"[here]({URL}#%C3%A9)" in markdown


def test_links_are_written_as_they_are_wanted() -> None:
    found = document('<p>Take <a href="/a">one</a> or <a href="/b">two</a>.</p>')
    assert "Take one or two." in found.as_markdown(LinkStyle.NONE)
    foot = found.as_markdown(LinkStyle.FOOT)
    assert "Take [one][1] or [two][2]." in foot
    assert foot.endswith("[1]: https://docs.example/a\n[2]: https://docs.example/b")


def test_a_table_keeps_the_heads_of_its_columns() -> None:
    table = '<table><tr><th class="head">Type</th><th class="head">Size</th></tr><tr><td>b</td>'
    assert "| Type | Size |" in document(f"{table}<td>1</td></tr></table>").markdown


# Chunks.

LONG = f"<p>{SENTENCE * 5}</p>"
GUIDE = f"""<main><h1 id="top">Guide</h1>{LONG}
  <section id="fill"><h2>Filling<a href="#fill">¶</a></h2>{LONG}
    <h3><a name="mark"></a>The mark</h3>{LONG}<h3>No anchor</h3>{LONG}</section>
  <h2 id="boil">Boiling</h2><pre><code># no heading
b = 1</code></pre></main>"""


def chunks(most: int, html: str = GUIDE) -> list[Chunk]:
    return Document(html.encode(), URL, "text/html").chunks(most, LinkStyle.NONE)


def test_chunks_have_the_headings_above_them_and_the_anchor_of_their_own() -> None:
    assert [(c.path, c.anchor) for c in chunks(600)] == [
        (("Guide",), "top"),
        (("Guide", "Filling"), "fill"),
        (("Guide", "Filling", "The mark"), "mark"),
        (("Guide", "Filling", "No anchor"), ""),
        (("Guide", "Boiling"), "boil"),
    ]


def test_what_fits_stays_together_with_all_below_it() -> None:
    assert [c.path for c in chunks(1_500)] == [
        ("Guide",),
        ("Guide", "Filling"),
        ("Guide", "Boiling"),
    ]
    (whole,) = chunks(10_000)
    assert (whole.path, whole.anchor) == (("Guide",), "top")


def test_a_line_of_a_listing_is_no_heading() -> None:
    assert "# no heading\nb = 1" in chunks(600)[-1].text


def test_a_listing_that_is_cut_is_a_listing_in_each_piece() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(60))
    pieces = chunks(300, f"<main><h1>Code</h1>{LONG}<pre><code>{code}</code></pre></main>")
    listings = [piece.text for piece in pieces if "line_" in piece.text]
    assert len(listings) > 2
    assert all(text.count("```") == 2 for text in listings)
    assert "\n".join(listings).count("line_") == 60


@given(
    st.lists(
        st.tuples(st.sampled_from("123456"), st.text("ab \n#`\ufdd0\ufdd1", max_size=300)),
        max_size=8,
    ),
    st.integers(SMALLEST, 500),
)
def test_chunks_are_never_too_long_and_lose_no_word(
    parts: list[tuple[str, str]], most: int
) -> None:
    html = "".join(f"<h{n}>T{n}</h{n}><p>{text}</p>" for n, text in parts)
    found = Document(f"<main>{html}</main>".encode(), URL, "text/html")
    pieces = found.chunks(most)
    assert all(len(piece.text) <= most for piece in pieces)
    assert not any("\ufdd0" in piece.text or "\ufdd1" in piece.text for piece in pieces)
    said = "".join(piece.text for piece in pieces)
    assert said.count("a") + said.count("b") == len(re.findall("[ab]", found.markdown))
