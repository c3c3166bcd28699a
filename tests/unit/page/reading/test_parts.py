"""PAGE-1: pages made of parts: what they offer, headings that open, forms, words side by side."""

from __future__ import annotations

import pytest

from tenax.page.reading.main_content import Markup, main_markdown, main_text
from tenax.page.reading.names import NamePart, parts_of

URL = "https://site.example/offer.html"
SAYS = "It holds two litres, whistles when they boil, and costs less than the one before it"


def text_of(html: str) -> str:
    return main_text(Markup(html.encode(), "utf-8"))


def markdown_of(html: str) -> str:
    return main_markdown(Markup(html.encode(), "utf-8"), URL)


def part(n: int, name: str = "x", inside: str = "") -> str:
    return f'<section class="{name}"><h2>Part {n}</h2>{inside}<p>{SAYS}, {n}.</p></section>'


def page(body: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body><div><h1>What we do</h1>{body}</div></body></html>"


@pytest.mark.parametrize("name", ["promo-container", "hero-banner"])
def test_what_a_page_is_made_of_stays_whatever_it_is_called(name: str) -> None:
    """Each of them holds little, and all of them half of it."""
    text = text_of(page("".join(part(n, name if n % 2 else "x") for n in range(40))))
    assert [n for n in range(40) if f"{SAYS}, {n}." in text] == list(range(40))


def test_what_one_part_is_called_for_its_place_goes() -> None:
    parts = "".join(part(n) for n in range(12))
    text = text_of(page(f'{parts}<div class="promo-box"><p>{SAYS}, today only.</p></div>'))
    assert "today only" not in text
    assert f"{SAYS}, 11." in text


def test_a_number_in_a_name_says_nothing() -> None:
    assert parts_of("ad-slot") & NamePart.CLUTTER
    assert parts_of("ad2") & NamePart.CLUTTER
    assert not parts_of("tab-ad58f0c1")


@pytest.mark.parametrize("read", [text_of, markdown_of])
@pytest.mark.parametrize(
    "opener",
    ["<h3><button>Delivery abroad</button></h3>", "<button>Do you ship abroad?</button>"],
    ids=["in a heading", "a question"],
)
def test_a_heading_that_opens_what_is_below_it_is_none_to_press(opener: str, read) -> None:  # type: ignore[no-untyped-def]
    parts = "".join(part(n, inside="<button>Order now</button>") for n in range(12))
    said = read(page(f"{parts}<div>{opener}<div><p>{SAYS}, 99.</p></div></div>"))
    assert "abroad" in said
    assert "Order now" not in said


def test_a_form_goes_with_its_labels_and_what_one_agrees_to() -> None:
    agreed = f"<p>I agree. {SAYS}, and so on.</p>" * 2
    form = f"<form><label>Your name</label><input><textarea></textarea>{agreed}</form>"
    text = text_of(page("".join(part(n) for n in range(12)) + f"<div>{form}</div>"))
    assert "Your name" not in text
    assert "I agree" not in text
    assert f"{SAYS}, 11." in text


def test_a_form_that_is_the_page_stays() -> None:
    """Some systems put all of a page into one."""
    parts = "".join(part(n) for n in range(12))
    text = text_of(f"<html><body><form>{page(parts)}<input type=email></form></body></html>")
    assert f"{SAYS}, 11." in text


@pytest.mark.parametrize("read", [text_of, markdown_of])
def test_words_that_only_a_style_sheet_keeps_apart_are_two(read) -> None:  # type: ignore[no-untyped-def]
    rated = "<p><span>Rated</span><span>4.9</span><a href=/r>Reviews</a><a href=/s>Shipping</a></p>"
    said = read(page("".join(part(n, inside=rated) for n in range(12))))
    assert "Rated 4.9 " in said
    assert "ReviewsShipping" not in said


@pytest.mark.parametrize(
    ("markup", "word"),
    [
        ("<span>T</span><span>here</span>", "There"),
        ("<pre><span>print</span><span>ed</span></pre>", "printed"),
        ("<b>un</b><span>done</span>", "undone"),
        ("<span>北京</span><span>大学</span>", "北京大学"),
        ("<span>4</span><span>.9</span>", "4.9"),
    ],
    ids=["first letter", "code", "within a word", "Chinese", "a sign between"],
)
def test_what_is_one_word_stays_one(markup: str, word: str) -> None:
    assert word in text_of(page("".join(part(n, inside=markup) for n in range(12))))


SOLD = '<script type="application/ld+json">{"@type": "Product", "name": "Kettle"}</script>'


@pytest.mark.parametrize(("head", "times"), [(SOLD, 1), ("", 2)], ids=["a product", "any other"])
def test_what_a_product_page_says_twice_is_read_once(head: str, times: int) -> None:
    twice = f"<div><span><p>{SAYS}, for narrow windows.</p></span></div>"
    text = text_of(page(f"{twice}{''.join(part(n) for n in range(12))}{twice}", head))
    assert text.count("for narrow windows") == times
    assert text.count(SAYS) == 12 + times


def test_the_headline_of_a_page_of_parts_is_one_of_them() -> None:
    said = "<div>It says it shortly, and with an end.</div>" * 3
    parts = "".join(f"<section><h2>Part {n}</h2>{said}</section>" for n in range(12))
    assert text_of(page(parts)).startswith("What we do")
    article = '<meta property="og:type" content="article">'
    assert not text_of(page(parts, article)).startswith("What we do")


def test_of_a_page_with_hardly_a_sentence_what_nobody_sees_is_left_out() -> None:
    entries = "".join(
        f"<li><a href=/{n}><span>Kettle {n}</span><span>{n} kr</span></a></li>" for n in range(60)
    )
    hidden = '<div role="dialog">Your basket is empty.</div>'
    text = text_of(f"<html><body><main>{hidden}<ul>{entries}</ul></main></body></html>")
    assert "Kettle 59 59 kr" in text
    assert "basket" not in text


@pytest.mark.parametrize(("head", "stay"), [(SOLD, True), ("", False)], ids=["a product", "a text"])
def test_what_one_chooses_of_a_product_belongs_to_it(head: str, stay: bool) -> None:
    """Of a text, a row of links leads elsewhere."""
    sizes = "".join(f'<li><a href="/kettle?size={n}">{n} litres</a></li>' for n in range(2, 9))
    said = "".join(f"<p>{SAYS}, and the {n}th.</p>" for n in range(12))
    text = text_of(page(f"<div>{said}<ul>{sizes}</ul></div>", head))
    assert ("8 litres" in text) is stay
    assert "the 11th" in text


def test_touching_words_are_looked_for_in_a_multiple_of_the_text_and_no_more() -> None:
    pair = "<span>Rated</span><span>highly</span>"
    flat = text_of(page("".join(part(n) for n in range(12)) + f"<p>{SAYS}.</p>{pair * 2_000}"))
    assert flat.count("Rated highly") == 2_000
    words = 2_000
    nested = "<span>word " * words + "<a>too</a></span>" * words
    assert "Ratedhighly" in text_of(page(f"<div><p>{SAYS}.</p>{nested}</div><p>{SAYS}.</p>{pair}"))
