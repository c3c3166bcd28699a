"""PAGE-1 and PAGE-2: visible text, and the main text that the content hash is made of."""

from __future__ import annotations

import pytest

from tenax.page.html import parse
from tenax.page.text import main_part, main_text, plain_text, visible_text

ARTICLE = "<h1>The kettle</h1><p>It boils in <b>two</b> minutes.</p><ul><li>steel<li>glass</ul>"
WORDS = ["The", "kettle", "It", "boils", "in", "two", "minutes."]


def main_of(html: str) -> str:
    return main_text(parse(html.encode(), "utf-8"))


def visible_in(html: str) -> str:
    return visible_text(parse(html.encode(), "utf-8"))


def page(header: str = "", nav: str = "", aside: str = "", footer: str = "") -> str:
    return (
        f"<title>Kettles</title><body><header>{header}<nav>{nav}</nav></header>"
        f"<main>{ARTICLE}<aside>{aside}</aside></main><footer>{footer}</footer>"
    )


@pytest.mark.parametrize("part", ["header", "nav", "aside", "footer"])
def test_what_frames_a_page_does_not_change_its_main_text(part: str) -> None:
    assert main_of(page(**{part: "New! <a href=x>Sale until Sunday</a>"})) == main_of(page())


@pytest.mark.parametrize("part", ["header", "nav", "aside", "footer"])
def test_nor_does_it_without_a_main_element(part: str) -> None:
    def without(html: str) -> str:
        return html.replace("<main>", "<div>").replace("</main>", "</div>")

    changed = without(page(**{part: "New! <a href=x>Sale until Sunday</a>"}))
    assert main_of(changed) == main_of(without(page()))


@pytest.mark.parametrize(
    "layout",
    [
        "<div role=banner>{frame}</div><div role=main>{article}</div>",
        "<div role=navigation>{frame}</div><div>{article}</div>",
        "<div id=header>{frame}</div><div id=content>{article}</div><div id=footer>{frame}</div>",
        "<div id=wrap><div class='big SideBar'>{frame}</div><div>{article}</div></div>",
        "<div><div>{frame}</div></div><article>{article}</article>",
        "<nav>{frame}</nav><article>{article}</article><footer>{frame}</footer>",
        "<main>{article}<footer>{frame}</footer></main>",
        "<p hidden>{frame}</p><noscript>{frame}</noscript><div>{article}</div>",
    ],
)
def test_the_main_text_is_found_in_many_layouts(layout: str) -> None:
    text = main_of("<body>" + layout.format(frame="Log in", article=ARTICLE))
    assert "Log in" not in text
    assert text.split()[:7] == WORDS


def test_a_change_of_the_content_changes_the_main_text() -> None:
    assert main_of(page()) != main_of(page().replace("two", "three"))


def test_markup_and_white_space_around_the_words_do_not() -> None:
    loose = page().replace("<p>", "\n\n<div>\t<p class=x>  ").replace("</p>", "\n</p></div>")
    assert main_of(loose) == main_of(page())


def test_the_header_of_an_article_belongs_to_it() -> None:
    assert main_of("<article><header><h1>Tea</h1></header><p>Hot.</p></article>") == "Tea\n\nHot."


def test_a_lone_teaser_is_not_taken_for_the_page() -> None:
    text = main_of(f"<body><div>{ARTICLE}</div><article>Also read</article>")
    assert text.split()[:7] == WORDS


def test_several_articles_are_all_main_text() -> None:
    text = main_of("<body><nav>x</nav><article>One</article><article>Two</article>")
    assert text.split() == ["One", "Two"]


def test_an_empty_main_element_is_passed_over() -> None:
    assert main_of(f"<main id=app></main><div>{ARTICLE}</div>").split()[:7] == WORDS


def test_a_page_that_is_all_navigation_still_has_a_text() -> None:
    assert main_of("<body><nav>Home <a href=x>Shop</a></nav><footer>Imprint</footer>").split() == [
        "Home", "Shop", "Imprint",
    ]  # fmt: skip


def test_a_wrapper_that_happens_to_be_called_header_is_kept() -> None:
    text = main_of(f"<body><div id=header>{ARTICLE * 3}</div><div>x</div>")
    assert "kettle" in text
    assert "x" in text.split()


def test_a_page_hidden_until_scripts_show_it_has_a_text() -> None:
    assert main_of(f"<html hidden><body hidden>{ARTICLE}").split()[:7] == WORDS


def test_no_words_is_no_text() -> None:
    assert main_of("") == ""
    assert main_of("<script>var x</script><style>p{}</style><img src=x>") == ""


@pytest.mark.parametrize(
    "html",
    [
        "<a role=main hidden>gone\xa0</a><p>x",
        "<nav role=main>gone\xa0</nav><p>x",
        "<nav><main>gone</main></nav><p>x",
        "<aside><article>gone</article></aside><p>x",
        "<div hidden><article>gone</article></div><p>x",
    ],
)
def test_what_was_cut_out_is_never_taken_for_the_main_part(html: str) -> None:
    """Rendering a detached element as Markdown can crash the parser library."""
    main = main_part(parse(html.encode(), "utf-8"))
    assert main.to_markdown() is not None
    assert main.parent is not None


@pytest.mark.parametrize(
    "unseen",
    [
        "<noscript><div role=main>Turn on scripts</div></noscript>",
        "<iframe role=main></iframe>",
        "<iframe><p role=main>No frames</p></iframe>",
        "<style role=main>p {}</style>",
        "<svg><style><g role=main>drawn</g></style></svg>",
        "<svg><iframe><g role=main>drawn</g></iframe></svg>",
        "<template><div role=main>later</div></template>",
    ],
)
def test_what_is_not_seen_is_not_the_main_region_whatever_its_role(unseen: str) -> None:
    assert main_of(f"<body>{unseen}<p>Words of the page.</p>") == "Words of the page."
    assert main_of(f"<body>{unseen}<p>Not this</p><div role=main>This</div>") == "This"


def test_visible_text_leaves_out_what_no_one_sees() -> None:
    assert (
        visible_in(
            "<title>t</title><p>seen<p hidden>h<p style='display: none'>s<template>e</template>"
            "<noscript>n</noscript><script>j</script><style>c</style><nav>menu</nav><iframe>i</iframe>"
        )
        == "seen\n\nmenu"
    )


def test_entities_and_line_breaks_are_read_as_a_browser_reads_them() -> None:
    assert (
        visible_in("<p>a&amp;b &lt;c&gt; &bogus; &#x41;&#0;<br>d") == "a&b <c> &bogus; A\ufffd\nd"
    )


def test_plain_text_is_as_it_is() -> None:
    assert plain_text("\n x  ž\n".encode(), "utf-8") == "x  ž"
