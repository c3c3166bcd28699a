"""PAGE-1: what a person would read on a page, as text and as Markdown, whatever kind it is."""

from __future__ import annotations

import pytest

from tenax.page.reading.document import Document
from tenax.page.reading.main_content import Markup, main_markdown, main_text
from tenax.page.reading.names import NamePart, parts_of
from tenax.page.reading.prose import scope_of

URL = "https://site.example/section/page.html"
FIRST = "The river rose in the night, and by morning the lower bridge could not be crossed."
SECOND = "Nobody was hurt, said the mayor, but it will take until autumn to mend what is broken."
THIRD = "Engineers have looked at the piers since, and they found that two of them had moved."
LAST = "Until then, a ferry goes every twenty minutes, also on Sundays, and costs nothing."
STORY = (FIRST, SECOND, THIRD, LAST) * 3
PARAGRAPHS = "".join(f"<p>{sentence}</p>" for sentence in STORY)
TEASERS = "".join(
    f'<li><a href="/{n}"><h3>Something else has happened, number {n}</h3></a>'
    f"<p>And a few words that make you curious, number {n}.</p></li>"
    for n in range(8)
)


def text_of(html: str) -> str:
    return main_text(Markup(html.encode(), "utf-8"))


def markdown_of(html: str) -> str:
    return main_markdown(Markup(html.encode(), "utf-8"), URL)


def page(article: str) -> str:
    return f"""<html><head><title>Flood</title></head><body>
        <div class="c1"><a href="/">Home</a> <a href="/news">News</a></div>
        <div class="c2"><div class="c3"><h1>The flood</h1>{article}</div>
        <div class="c4"><h2>More</h2><ul>{TEASERS}</ul></div></div>
        <div class="c5">Imprint, and who is responsible for what is written here.</div>
        </body></html>"""


CLUTTER = {
    "share": '<div class="share-bar">Tell your friends about this on all networks</div>',
    "related": '<div id="relatedArticles"><p>What the ferryman has to say about it.</p></div>',
    "comments": f'<div class="comments"><p>{"I do not believe a word of it. " * 40}</p></div>',
    "cookies": '<div id="cookie_notice"><p>We value your privacy and use cookies.</p></div>',
    "newsletter": '<form class="newsletter-signup"><p>Get our letter every Friday.</p></form>',
    "author": '<div class="author-bio"><p>Ann has written about rivers for twenty years.</p></div>',
    "byline": '<p class="byline">By our reporter at the river, on Monday</p>',
    "links": '<ul><li><a href="/a">All about rivers</a></li><li><a href="/b">Floods</a></li></ul>',
    "read on": '<p><a href="/c">Read also: the flood of ten years ago</a></p>',
    "hidden": '<div style="display: none"><p>You have used an ad blocker, have you not?</p></div>',
    "aside": "<aside><p>A bridge is a road over a river, says the dictionary.</p></aside>",
    "caption": '<figure><img src="x.jpg"><figcaption>The old bridge.</figcaption></figure>',
    "print": '<a class="print-link" href="#">Print this page</a>',
    "app": '<div class="app-download"><p>Read it wherever you are, in our new app.</p></div>',
    "player": '<div class="video-player"><p>Your browser cannot play this video.</p></div>',
    "helpful": '<div class="feedback"><p>Was this article of any help to you today?</p></div>',
    "nameless letter": '<div class="c9"><p>Get all of the news of the river by mail.</p><div><form>'
    '<input type="email"><button>Order</button></form></div></div>',
    "headed": '<div class="c9"><h3>You may also like</h3><div><p>What the ferryman has to say about'
    ' it, in his own words.</p><a href="/f">Read it</a></div></div>',
    "geleitet": "<section><h2>Das könnte Sie auch interessieren</h2><p>Was der Fährmann dazu"
    " sagt.</p></section>",
    "shariff": '<div class="shariff"><h5>Jetzt teilen, was der Fluss tat!</h5></div>',
    "verwandt": "<div><h2>Verwandte Themen</h2><p>Wie hoch der Fluss noch steigt.</p></div>",
    "rubrique": "<div><h3>Dans la même rubrique</h3><p>Le fleuve monte encore.</p></div>",
    "button": "<button>Listen to this article</button>",
    "dressed as a button": '<div class="wp-button"><span>Listen to this article</span></div>',
}


def test_an_article_among_nameless_blocks_is_found() -> None:
    assert text_of(page(f"<div>{PARAGRAPHS}</div>")).split("\n\n") == list(STORY)


@pytest.mark.parametrize("clutter", CLUTTER.values(), ids=CLUTTER)
def test_clutter_inside_and_after_an_article_is_left_out(clutter: str) -> None:
    inside = PARAGRAPHS.replace(f"<p>{LAST}</p>", f"{clutter}<p>{LAST}</p>", 1)
    assert text_of(page(f"<div>{inside}</div>")).split("\n\n") == list(STORY)
    assert text_of(page(f"<div>{PARAGRAPHS}</div>{clutter}")).split("\n\n") == list(STORY)


@pytest.mark.parametrize(
    "name",
    ["has-sidebar", "share", "newsletter", "related", "ad", "header", "widget"],
)
def test_a_name_that_lies_does_not_lose_the_article(name: str) -> None:
    assert text_of(page(f'<div class="{name}">{PARAGRAPHS}</div>')).split("\n\n") == list(STORY)


@pytest.mark.parametrize(
    "name",
    ["onetrust-consent-sdk", "CybotCookiebotDialog", "cookie-banner", "gdpr_modal",
     "widget_eu_cookie_law_widget", "redim-cookiehint-bottom"],
)  # fmt: skip
def test_the_question_for_consent_is_no_text_however_long_it_is(name: str) -> None:
    asked = "<p>Cookies of this kind count how often a page was seen, and by whom it was.</p>" * 80
    short = "".join(f"<p>{sentence}</p>" for sentence in STORY[:4])
    html = f'<html><body><div>{short}</div><div id="{name}">{asked}</div></body></html>'
    assert text_of(html).split("\n\n") == list(STORY[:4])


def test_a_note_is_read_without_what_is_called_clutter() -> None:
    note, others = f"{FIRST} {THIRD}", '<li><a href="/o">Another note</a></li>' * 30
    assert 100 < len(note) < 250
    html = f"<div class=post><p>{note}</p><p class=share-line>Share this with all</p></div>"
    text = text_of(f"<html><body><h1>Flood</h1>{html}<ul>{others}</ul></body></html>")
    assert text == note


@pytest.mark.parametrize("said", ["Recommended", "See also", "Related to the flood, or not"])
def test_a_heading_that_may_stand_above_a_part_of_the_text_cuts_none(said: str) -> None:
    html = page(f"<div>{PARAGRAPHS}<div><h3>{said}</h3><p>{FIRST} {LAST}</p></div></div>")
    assert f"{FIRST} {LAST}" in text_of(html)


def test_windows_that_scripts_open_are_no_text_however_many_there_are() -> None:
    """Each of them is short, and all of them together are longer than what the page says."""
    windows = "".join(
        f'<div class="location-popup"><div><p>{SECOND} Order number {n} now.</p></div></div>'
        for n in range(12)
    )
    short = "".join(f"<p>{sentence}</p>" for sentence in STORY[:3])
    text = text_of(f"<html><body><div><h1>Orders</h1>{short}</div>{windows}</body></html>")
    assert text.split("\n\n") == list(STORY[:3])


def test_clutter_that_holds_most_goes_where_enough_is_left() -> None:
    lines = f"<div><div class=promo-line>{FIRST} {THIRD}</div></div>" * 20
    html = f"<html><body><div class=promo-bar>{lines}</div><div>{PARAGRAPHS}</div></body></html>"
    assert text_of(html).split("\n\n") == list(STORY)


def test_what_is_said_where_there_is_nothing_to_discuss_is_the_text() -> None:
    replies = "".join(f"<article><p>{sentence}</p></article>" for sentence in STORY)
    note = f"<div><p>{SECOND} {THIRD}</p></div><div><p>{FIRST} {LAST}</p></div>"
    html = f"<html><body>{note}<div id='topicAndReplies'>{replies * 2}</div></body></html>"
    assert text_of(html).count(THIRD) >= 6


def test_a_text_that_opens_at_a_press_is_not_cut_with_what_opens_it() -> None:
    html = page(f"<div>{PARAGRAPHS}<div class='read-more'><p>{FIRST} {LAST}</p></div></div>")
    assert f"{FIRST} {LAST}" in text_of(html)
    html = page(f"<div>{PARAGRAPHS}<div class='read-more'>Read more of it</div></div>")
    assert "Read more" not in text_of(html)


def test_what_is_named_for_its_button_is_not_cut_with_it() -> None:
    cards = "".join(
        f'<div class="card cartButton"><h3>Kettle {n}</h3><p>It holds two litres, and whistles'
        f" when the water in it boils.</p><div class='cart-button'>Add to basket</div></div>"
        for n in range(12)
    )
    text = text_of(f"<html><body><h1>Kettles</h1><div>{cards}</div></body></html>")
    assert text.count("whistles") == 12
    assert "basket" not in text


TILES = "".join(
    f'<div class="tile"><a href="/{n}"><h3>Kettle number {n} is here</h3></a><p>It holds two '
    f"litres, whistles when they boil, and costs less than the one before it, number {n}.</p></div>"
    for n in range(12)
)


@pytest.mark.parametrize(
    "said",
    [
        '<meta property="og:type" content="article">',
        "<meta content=article property=og:type>",
        '<script type="application/ld+json">{"@type": "NewsArticle"}</script>',
        '<script type="application/ld+json">{"@type":["BlogPosting"]}</script>',
    ],
)
def test_rows_of_tiles_are_other_texts_where_a_page_says_that_it_is_one(said: str) -> None:
    story = "".join(f"<div><p>{sentence}</p></div>" for sentence in STORY * 2)
    html = "<html><head>{}</head><body><div><h1>News</h1>{}</div><div>{}</div></body></html>"
    assert "Kettle" in text_of(html.format("", story, TILES))
    assert "Kettle" in text_of(
        html.format('<meta property="og:type" content="website">', story, TILES)
    )
    assert "Kettle" not in text_of(html.format(said, story, TILES))


def test_what_editors_promoted_to_the_front_page_is_no_advertisement() -> None:
    assert parts_of("node--promoted") == 0
    assert parts_of("promo-box") & NamePart.OFFER


def test_names_that_would_take_everything_mean_something_else() -> None:
    blocks = "".join(f'<div class="promo"><p>{sentence}</p></div>' for sentence in STORY)
    assert text_of(f"<html><body>{blocks}</body></html>").split("\n\n") == list(STORY)


def test_line_breaks_make_paragraphs_too() -> None:
    text = text_of(page(f"<div>{'<br><br>'.join(STORY)}</div>"))
    assert [line for line in text.splitlines() if line.strip()] == list(STORY)


def test_a_lead_that_stands_outside_the_body_comes_first() -> None:
    body = "".join(f"<p>{sentence}</p>" for sentence in STORY[1:])
    html = f'<article><p class="intro">{FIRST}</p><img src=x><div class="article-body">{body}</div>'
    assert text_of(f"<html><body><main>{html}</article></main></body></html>").split(
        "\n\n"
    ) == list(STORY)


def test_a_lead_needs_no_name_but_leads_nowhere() -> None:
    body = "".join(f"<p>{sentence}</p>" for sentence in STORY[1:])
    html = (
        "<html><body><main><article><div class='x7'>{}</div><img src=x>"
        "<div class='article-body'>{}</div></article></main></body></html>"
    )
    assert text_of(html.format(FIRST, body)).split("\n\n") == list(STORY)
    linked = f'{FIRST} <a href="/f">The ferry</a>'
    assert text_of(html.format(linked, body)).split("\n\n") == list(STORY[1:])
    short = "Four minutes to read."
    assert text_of(html.format(short, body)).split("\n\n") == list(STORY[1:])


def test_sections_that_look_alike_are_all_content() -> None:
    long = " ".join(STORY)
    sections = (
        f'<section class="s"><p>{long}</p></section><section class="s"><p>{FIRST}</p></section>'
    )
    assert text_of(f"<html><body><article>{sections}</article></body></html>").endswith(FIRST)


def test_documentation_keeps_headings_listings_and_tables() -> None:
    sections = "".join(
        f"<section><h2>Part {n}</h2><p>{FIRST}</p><pre>run({n})</pre>"
        f"<table><tr><td>key{n}</td><td>{SECOND}</td></tr></table></section>"
        for n in range(5)
    )
    html = f'<div class="document"><div class="body" role="main">{sections}</div></div>'
    text = text_of(f'{html}<div class="sphinxsidebar"><a href="/">Contents</a></div>')
    for n in range(5):
        assert f"Part {n}" in text
        assert f"run({n})" in text
        assert f"key{n}" in text
    assert "Contents" not in text


def test_cards_that_lead_elsewhere_are_left_out() -> None:
    cards = "".join(
        f'<div class="c7 n{n}"><h3><a href="/{n}">Another river, number {n}</a></h3>'
        f"<p>It rose as well, they say, though nobody was there to see it.</p></div>"
        for n in range(4)
    )
    text = text_of(f"<html><body><div>{PARAGRAPHS}<div>{cards}</div></div></body></html>")
    assert text.split("\n\n") == list(STORY)


@pytest.mark.parametrize(("tag", "stay"), [("article", False), ("section", True)])
def test_other_articles_behind_a_short_one_are_left_out(tag: str, stay: bool) -> None:
    """Half of the prose may be theirs; sections with linked headings may be what it is about."""
    others = "".join(
        f'<{tag} class="c7"><h3><a href="/{n}">Another river, number {n}</a></h3>'
        f"<p>{THIRD} {LAST}</p></{tag}>"
        for n in range(6)
    )
    text = text_of(f"<html><body><div>{PARAGRAPHS}<div>{others}</div></div></body></html>")
    assert ("Another river" in text) is stay
    assert text.startswith(FIRST)


def test_questions_that_lead_back_to_the_contents_are_kept() -> None:
    questions = "".join(
        f'<section class="q"><h3><a href="#contents">Question {n}</a></h3><p>{THIRD}</p></section>'
        for n in range(4)
    )
    text = text_of(f"<html><body><main><div>{PARAGRAPHS}</div>{questions}</main></body></html>")
    assert text.count(THIRD) == STORY.count(THIRD) + 4


@pytest.mark.parametrize(
    ("html", "tag"),
    [
        (f"<main>{PARAGRAPHS}</main><p>Imprint</p>", "main"),
        (f"<main><article>{PARAGRAPHS}</article></main>", "article"),
        (f"<article>{PARAGRAPHS}</article>{PARAGRAPHS}", "body"),
        (f"<article>{PARAGRAPHS}</article><article>{PARAGRAPHS}</article>", "body"),
        (f"<article><p>{FIRST}</p></article>", "body"),
    ],
    ids=["main", "article", "half of it", "two articles", "little"],
)
def test_the_rest_is_not_looked_at_when_one_element_has_nearly_all(html: str, tag: str) -> None:
    page = Markup(f"<html><body>{html}</body></html>".encode(), "utf-8").page()
    assert scope_of(page).tag == tag


def test_a_forum_keeps_every_post() -> None:
    posts = "".join(
        f'<div class="post"><div class="user">user{n}</div><div class="message">'
        f"Answer {n}: {FIRST} {SECOND}</div></div>"
        for n in range(6)
    )
    text = text_of(f"<html><body><div id=thread>{posts}</div></body></html>")
    assert [n for n in range(6) if f"Answer {n}:" in text] == list(range(6))


def test_a_listing_keeps_its_entries() -> None:
    entries = "".join(f'<li><a href="/{n}">Kettle number {n}</a> {n} €</li>' for n in range(40))
    text = text_of(f"<html><body><nav>Menu</nav><main><h1>Kettles</h1><ul>{entries}</ul></main>")
    assert text.splitlines()[0] == "Kettles"
    assert all(f"Kettle number {n}" in text for n in range(40))
    assert "Menu" not in text


ENTRIES = "".join(
    f'<li><a href="/{n}">Kettle number {n} of the catalogue</a></li>' for n in range(150)
)


@pytest.mark.parametrize(
    "html",
    [f"<div><p>{FIRST}</p></div><div><ul>{ENTRIES}</ul></div>",
     f"<div>{FIRST} {SECOND} {THIRD} {LAST}<ul>{ENTRIES}</ul></div>"],
    ids=["apart", "together"],
)  # fmt: skip
def test_a_few_sentences_do_not_displace_what_a_listing_lists(html: str) -> None:
    text = text_of(f"<html><body><nav>Menu</nav><div><h1>Kettles</h1>{html}</div></body></html>")
    assert text.count("Kettle number") == 150
    assert FIRST in text


def test_a_product_page_keeps_its_description() -> None:
    html = f"""<html><body><div class="header">Shop</div><div class="product">
        <h1>Steel kettle</h1><span class="price">29.90 €</span><button>Add to cart</button>
        <div class="description"><p>{FIRST}</p><ul><li>1.7 litres, two years of warranty.</li></ul>
        <p>{SECOND}</p><p>{THIRD}</p></div></div>
        <div class="reviews"><p>{"Very good kettle, I bought three of them. " * 30}</p></div>"""
    text = text_of(html)
    assert FIRST in text
    assert "1.7 litres" in text
    assert "I bought three" not in text
    assert "Add to cart" not in text


@pytest.mark.parametrize(
    "sentence",
    [
        "昨夜、川の水位が上がり、朝には下流の橋が渡れなくなっていた。けが人はいなかった。",
        "昨夜河水上涨,到了早上,下游的桥已经无法通行。市长说,没有人受伤,但修复要等到秋天。",
        "밤사이 강물이 불어나 아침에는 아래쪽 다리를 건널 수 없었다. 다친 사람은 없었다고 한다.",
        "ارتفع منسوب النهر ليلا، وفي الصباح تعذر عبور الجسر السفلي، ولم يصب أحد بأذى.",
        "Ночью река поднялась, и утром по нижнему мосту уже нельзя было пройти.",
    ],
    ids=["ja", "zh", "ko", "ar", "ru"],
)
def test_prose_is_found_in_every_script(sentence: str) -> None:
    paragraphs = "".join(f"<p>{sentence}</p>" for _ in range(20))
    assert text_of(page(f"<div>{paragraphs}</div>")).split("\n\n") == [sentence] * 20


def test_a_short_post_is_not_drowned_by_what_is_around_it() -> None:
    form = "<p>Write what you think of this, log in or give your name.</p>" * 4
    html = f"""<html><body><div id="content"><div class="post hentry"><p>{FIRST}</p></div>
        <div class="comment-respond">{form}</div>
        </div><div class="sidebar"><h3>Lately</h3><a href="/1">Something else</a></div>"""
    assert text_of(html) == FIRST


def test_of_a_page_that_says_little_all_is_kept() -> None:
    html = '<html><body><nav>Menu</nav><h1>Hello</h1><p><a href="/x">Go on</a></p></body></html>'
    assert text_of(html).split() == ["Hello", "Go", "on"]
    assert markdown_of(html) == "# Hello\n\n[Go on](https://site.example/x)"


def test_what_scripts_would_show_is_read_from_structured_data() -> None:
    data = f'{{"@type": "NewsArticle", "articleBody": "{" ".join(STORY)}"}}'
    html = f'<html><body><script type="application/ld+json">{data}</script><div id=app></div>'
    assert text_of(html) == " ".join(STORY)


OFFERS = "".join(
    f'<div class="c7 n{n}"><h3><a href="/{n}">Kettle number {n}</a></h3>'
    f"<p>Holds {n} litres, and whistles as soon as they boil.</p></div>"
    for n in range(1, 7)
)


@pytest.mark.parametrize("name", ["c8", "carousel", "teaser-list", "header-box", "promo-grid"])
def test_cards_stay_where_they_are_what_the_page_is_for(name: str) -> None:
    sections = "".join(
        f"<section><h2>Reason {n}</h2><p>All that boils water is here, in one place.</p>"
        f"<p>It is sent to you within two days, or you pay nothing.</p></section>"
        for n in range(1, 13)
    )
    links = "".join(f'<li><a href="/{n}">All that is made of copper {n}</a></li>' for n in range(5))
    html = f"""<html><body><nav>Menu</nav><main><h1>Kettles</h1>{sections}
        <section class="{name}">{OFFERS}</section><ul>{links}</ul></main></body></html>"""
    text = text_of(html)
    assert [n for n in range(1, 7) if f"Kettle number {n}" in text] == list(range(1, 7))
    assert text.count("and whistles") == 6
    assert text.count("made of copper") == 5
    assert "Menu" not in text


@pytest.mark.parametrize(
    "panel",
    [
        '<div class="accordion__panel" hidden>',
        '<div class="tab-pane" style="display:none">',
        '<dd class="faq-answer" style="display: none; height: 0">',
        '<div role="tabpanel" hidden>',
    ],
)
def test_what_opens_when_it_is_pressed_is_read(panel: str) -> None:
    closed = f"{panel}<p>Two years, if you keep the box.</p></div>"
    html = page(f"<div>{PARAGRAPHS}<h3>How long is the warranty?</h3>{closed}</div>")
    assert "if you keep the box" in text_of(html)
    hidden = closed.replace(panel, '<div class="box" style="display:none">')
    assert "if you keep the box" not in text_of(html.replace(closed, hidden))


def test_what_a_name_leaves_as_white_space_is_no_text() -> None:
    blank = "\n" + " " * 400
    posts = "".join(f'{blank}<div class="share"><p>{s}</p></div>{blank}' for s in STORY[:3])
    html = f"<html><body><main><form>{posts}</form></main></body></html>"
    assert [s for s in STORY[:3] if s in text_of(html)] == list(STORY[:3])


def test_an_id_that_repeats_its_heading_names_no_clutter() -> None:
    section = '<section id="more-on-popular-rivers"><h2>2. More on popular rivers</h2>'
    html = page(f"<div>{PARAGRAPHS}{section}<p>{LAST}</p></section></div>")
    assert text_of(html).endswith(f"2. More on popular rivers\n\n{LAST}")
    template = html.replace("2. More on popular rivers", "Elsewhere on this site")
    assert "Elsewhere" not in text_of(template)


def test_the_part_with_the_headline_is_preferred() -> None:
    other = f"<p>{' '.join(STORY[:4])}</p><p>{' '.join(STORY[1:4])}</p>"
    html = f"""<html><body><div class="a"><h1>The flood</h1><div>{PARAGRAPHS}</div></div>
        <div class="b"><h2>Who we are</h2>{other}</div></body></html>"""
    assert text_of(html).split("\n\n") == list(STORY)
    without = html.replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    assert "Who we are" in text_of(without)


def test_lines_between_breaks_count_like_paragraphs() -> None:
    """A lone article beside them is not all of the page, and cards behind them lead elsewhere."""
    told = "<br><br>".join(STORY * 2)
    teaser = f"<article>{''.join(f'<p>{sentence}</p>' for sentence in STORY[:11])}</article>"
    text = text_of(f"<html><body><div>{told}</div>{teaser}</body></html>")
    assert text.count(FIRST) >= 6
    cards = "".join(
        f'<div class="c7"><h3><a href="/{n}">Another river, number {n}</a></h3>'
        f"<p>It rose as well, they say, though nobody was there to see it.</p></div>"
        for n in range(4)
    )
    text = text_of(f"<html><body><div>{told}<div>{cards}</div></div></body></html>")
    assert "Another river" not in text
    assert text.count(FIRST) == 6


def test_what_is_read_from_structured_data_is_in_the_markdown_too() -> None:
    data = f'{{"@type": "NewsArticle", "articleBody": "{" ".join(STORY)}"}}'
    html = f'<html><body><script type="application/ld+json">{data}</script><div id=app></div>'
    assert markdown_of(html) == text_of(html) == " ".join(STORY)


def test_a_page_hidden_until_scripts_show_it_is_read() -> None:
    html = f'<html><body style="visibility:hidden"><div style="display:none">{PARAGRAPHS}</div>'
    assert text_of(html).split("\n\n") == list(STORY)


def test_soft_hyphens_do_not_break_words() -> None:
    assert "brok­en".replace("\xad", "") in text_of(f"<p>{FIRST} It is brok&shy;en.</p>")


@pytest.mark.parametrize("html", ["", "<html></html>", "<p></p>", "<nav>Menu</nav>", "\0<", "<a>"])
def test_next_to_nothing_is_no_problem(html: str) -> None:
    text_of(html)
    markdown_of(html)


def test_markdown_has_structure_pictures_and_absolute_links() -> None:
    html = f"""<h1>The flood</h1><p>{FIRST} See <a href="../map">the map</a>.</p>
        <figure><img src="data:image/gif;base64,R0" data-src="bridge.jpg" alt="Bridge">
        <figcaption>As it was</figcaption></figure>
        <h2>Costs</h2><ol><li>Piers</li><li>Road</li></ol>
        <table><tr><th>Part</th><th>Price</th></tr><tr><td>Pier</td><td>9</td></tr></table>
        <pre><code class="language-python">flood()</code></pre>
        <div class="highlight-shell"><pre>ferry --free</pre></div>
        <p>{SECOND}</p><p>{THIRD}</p><div class="share">Share it</div>"""
    markdown = markdown_of(f"<html><body><nav>Menu</nav><article>{html}</article></body></html>")
    for expected in (
        "# The flood",
        "[the map](https://site.example/map)",
        "![Bridge](https://site.example/section/bridge.jpg)",
        "As it was",
        "## Costs",
        "1. Piers\n2. Road",
        "| Part | Price |",
        "```python\nflood()\n```",
        "```shell\nferry --free\n```",
    ):
        assert expected in markdown
    assert "Menu" not in markdown
    assert "Share it" not in markdown


def test_the_hash_does_not_depend_on_how_a_page_is_read() -> None:
    bare, cluttered = (
        Document(page(f"<div>{PARAGRAPHS}</div>{more}").encode(), URL, "text/html; charset=utf-8")
        for more in ("", CLUTTER["related"])
    )
    assert bare.main_text == cluttered.main_text
    assert bare.content_hash != cluttered.content_hash


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("relatedArticles", NamePart.CLUTTER),
        ("related_articles", NamePart.CLUTTER),
        ("js-share-buttons", NamePart.CLUTTER),
        ("ad-slot-3", NamePart.CLUTTER),
        ("comments-area", NamePart.DISCUSSION),
        ("entry-content", NamePart.BODY),
        ("articleBody", NamePart.BODY),
        ("sidebar-left", NamePart.FRAME),
        ("standfirst", NamePart.LEAD),
        ("article__introduction", NamePart.LEAD),
        ("wp-caption-text", NamePart.CAPTION),
    ],
)
def test_names_are_understood_however_they_are_written(name: str, part: int) -> None:
    assert parts_of(name) & part


@pytest.mark.parametrize(
    "name", ["commentary", "shareholder", "adventure", "thread-1a103d6", "elementor-widget", "row"]
)
def test_words_that_only_look_like_clutter_are_none(name: str) -> None:
    assert not parts_of(name) & (NamePart.CLUTTER | NamePart.DISCUSSION | NamePart.FRAME)
