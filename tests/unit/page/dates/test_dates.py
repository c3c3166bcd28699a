"""PAGE-1: published and modified times as ISO 8601, or nothing."""

from __future__ import annotations

import pytest

from tenax.model import Headers, Response
from tenax.page.dates import Dates, find_dates, normalise_date
from tenax.page.html import parse
from tenax.page.metadata import read_metas
from tenax.page.read import read
from tenax.page.reading.document import Document
from tenax.page.rules import LISTED_PROPERTIES
from tenax.page.scan import scan
from tests import either_way

NOW = 1_800_000_000.0  # January 2027


def dates_of(html: str, url: str = "") -> Dates:
    tree = parse(html.encode(), "utf-8")
    return find_dates(tree, read_metas(tree, "tenax").first, NOW, url)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-05-01", "2024-05-01"),
        (" 2024-05-01T10:20:30Z ", "2024-05-01T10:20:30+00:00"),
        ("2024-05-01T10:20:30.123+0200", "2024-05-01T10:20:30+02:00"),
        ("2024-05-01 10:20", "2024-05-01T10:20:00"),
        ("20240501", "2024-05-01"),
        ("2024/5/1", "2024-05-01"),
        ("Wed, 01 May 2024 10:20:30 GMT", "2024-05-01T10:20:30+00:00"),
        ("2024-05-01T99:99", "2024-05-01"),
        ("20240501102030", "2024-05-01T10:20:30"),
        ("202405011020", "2024-05-01T10:20:00"),
        ("1714558830", "2024-05-01T10:20:30+00:00"),
        ("1714558830123", "2024-05-01T10:20:30+00:00"),
    ],
)
def test_dates_are_written_in_one_way(text: str, date: str) -> None:
    assert normalise_date(text, NOW) == date


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "0001-01-01", "1970-01-01", "2099-01-01", "2024-13-45", "2024" * 100,
     "5 May", "1234567890123456", "17145588301", "99999999999999", "123456789",
     "999999999", "9999-12-31T23:59:59-23:59", "03/04/2024"],
)  # fmt: skip
def test_what_is_no_plausible_date_is_dropped(text: str) -> None:
    assert normalise_date(text, NOW) == ""


def test_meta_tags_name_both_dates() -> None:
    assert dates_of(
        '<meta property="article:published_time" content="2024-05-01T10:00:00Z">'
        '<meta property="article:modified_time" content="2024-06-01">'
    ) == Dates("2024-05-01T10:00:00+00:00", "2024-06-01")


@pytest.mark.parametrize(
    "name", ["w-published-date", "cms:publication_date", "x.DatePublished", "ms.date"]
)
def test_systems_have_names_of_their_own(name: str) -> None:
    assert dates_of(f'<meta name="{name}" content="2024-05-01">').published == "2024-05-01"
    assert dates_of(f'<meta name="{name}-updated" content="2024-05-01">').published == ""


def test_an_implausible_date_gives_way_to_the_next_source() -> None:
    assert dates_of(
        '<meta property="article:published_time" content="0000-00-00">'
        '<meta itemprop="datePublished" content="2024-05-01">'
    ) == Dates("2024-05-01", "")


def test_structured_data_is_read_where_meta_tags_are_silent() -> None:
    assert dates_of(
        '<script type="application/ld+json">{"@graph": [{"@type": "WebSite"}, {"@type":'
        ' "Article", "datePublished": "2024-05-01", "dateModified": "2024-05-02"}]}</script>'
    ) == Dates("2024-05-01", "2024-05-02")


def test_the_date_of_a_review_is_not_the_date_of_the_page() -> None:
    assert dates_of(
        '<script type="application/ld+json">{"@type": "Product", "review":'
        ' [{"datePublished": "2024-05-01"}]}</script>'
    ) == Dates("", "")


@pytest.mark.parametrize("json", ["[" * 100_000, '{"datePublished": ', '{"datePublished": [1]}'])
def test_broken_structured_data_is_no_date(json: str) -> None:
    html = f'<script type="application/ld+json">{json} "datePublished"</script>'
    assert dates_of(html) == Dates("", "")


def test_the_time_in_the_only_article_is_its_date() -> None:
    one = "<article><h1>x</h1><time datetime=2024-05-01>May</time></article>"
    assert dates_of(f"<time datetime=2023-01-01>now</time>{one}").published == "2024-05-01"
    assert dates_of(one * 2).published == ""


@pytest.mark.parametrize(
    ("url", "published"),
    [
        ("https://a.example/2024/05/01/flood", "2024-05-01"),
        ("https://a.example/news/flood-2024-05-01.html", "2024-05-01"),
        ("https://a.example/film/2024/may/01/flood", "2024-05-01"),
        ("https://a.example/20240501/flood", "2024-05-01"),
        ("https://a.example/news/flood-20240501.html", "2024-05-01"),
        ("https://a.example/2024/05/", ""),
        ("https://a.example/n/120240501/flood", ""),
        ("https://a.example/20240501123456", ""),
        ("https://a.example/20241301/flood", ""),
        ("https://a.example/2024/map/01/flood", ""),
        ("https://a.example/2024/13/01/flood", ""),
        ("https://a.example/id/2024-05-0123", ""),
        ("https://a.example/2031/05/01/flood", ""),
    ],
)
def test_a_day_in_the_url_counts_when_the_page_declares_none(url: str, published: str) -> None:
    assert dates_of("<p>The flood</p>", url).published == published
    declared = '<meta property="article:published_time" content="2023-01-01">'
    assert dates_of(declared, url).published == "2023-01-01"


def test_times_count_when_they_are_named_as_the_date() -> None:
    other = '<time datetime="2024-01-01">'
    for name in ("entry-date", "about__pubdate", "pub-date"):
        named = f'<time class="{name}" datetime="2024-05-01">'
        assert dates_of(f"{other}x</time>{named}y</time>").published == "2024-05-01"


def test_the_first_time_may_be_the_day_when_all_others_are_later() -> None:
    def of(*days: str) -> str:
        found = dates_of("".join(f'<time datetime="{day}">x</time>' for day in days))
        assert not found.published
        return found.doubtful

    assert of("2024-01-01", "2024-03-01", "2024-02-02") == "2024-01-01"
    assert of("2024-03-01", "2024-02-02", "2024-01-01") == ""
    assert of("2024-01-01", "2024-02-02", "last week") == ""
    # The only one may be that of the last change.
    assert of("2024-01-01") == ""
    assert of("2024-01-01", "2024-01-01") == ""
    # Among many there may be one since when somebody is a member, or there is a forum.
    posts = [f"2024-02-{day:02}" for day in range(1, 10)]
    assert of("2024-01-01", "2006-10-18", *posts) == "2024-01-01"
    assert of("2024-01-01", "2006-10-18", *posts[:7]) == ""


def test_a_day_beside_the_headline_counts_before_times_of_what_is_older() -> None:
    """Posts of others that a text shows within itself are older than it is."""
    times = "<time datetime=2024-03-01>x</time><time datetime=2024-04-01>x</time>"

    def published(day: str) -> str:
        html = f"<title>How the flood came</title><h1>How the flood came</h1><p>{day}</p>{times}"
        headers = Headers((("Content-Type", "text/html; charset=utf-8"),))
        answer = Response("https://a.example/flood", 200, headers, html.encode())
        return read(answer, fetched_at=NOW).published

    assert published("May 31, 2024") == "2024-05-31"
    assert published("May 31, 2015") == "2024-03-01"
    assert published("by Ada") == "2024-03-01"


def test_a_date_of_nobody_says_what_gives_way_to_a_day_beside_the_headline() -> None:
    """It is as often that of the last change."""

    def published(meta: str, line: str) -> str:
        html = f"{meta}<title>How the flood came</title><h1>How the flood came</h1><p>{line}</p>"
        headers = Headers((("Content-Type", "text/html; charset=utf-8"),))
        body, url = html.encode(), "https://a.example/flood"
        found = read(Response(url, 200, headers, body), fetched_at=NOW).published
        assert Document(body, url, "text/html").published == found
        return found

    for name in ("date", "dc.date", "DCTERMS.date"):
        vague = f'<meta name="{name}" content="2024-06-02">'
        assert published(vague, "May 31, 2024") == "2024-05-31"
        assert published(vague, "by Ada") == "2024-06-02"
    named = '<meta property="article:published_time" content="2024-06-02">'
    assert published(named, "May 31, 2024") == "2024-06-02"


@pytest.mark.parametrize(
    ("moment", "day", "body", "expected"),
    [
        ("2024-06-01T02:25:54+00:00", "2024/05/31", "", "2024-05-31"),
        ("2024-06-01T02:25:54+00:00", "20240531", "", "2024-05-31"),
        ("2024-05-30T23:01:00+00:00", "2024/05/31", "", "2024-05-31"),
        ("2024-06-01T02:25:54+00:00", "2024/05/31", '"at":"2024-05-31T21:25:54.123-05:00"',
         "2024-05-31T21:25:54-05:00"),
        ("2024-06-01T02:25:54+00:00", "2024/05/31", "2024-05-31T21:25:54-0500",
         "2024-05-31T21:25:54-05:00"),
        # Another moment, or none.
        ("2024-06-01T02:25:54+00:00", "2024/05/31", "2024-05-31T20:25:54-05:00", "2024-05-31"),
        ("2024-06-01T02:25:54+00:00", "2024/05/31", "2024-05-31T29:25:54-99:99", "2024-05-31"),
        # Nowhere was it that day then.
        ("2024-06-01T11:25:54+00:00", "2024/05/31", "", "2024-06-01T11:25:54+00:00"),
        ("2024-05-30T09:01:00+00:00", "2024/05/31", "", "2024-05-30T09:01:00+00:00"),
        ("2024-06-07T02:25:54+00:00", "2024/05/31", "", "2024-06-07T02:25:54+00:00"),
        # It says where it was what time.
        ("2024-06-01T02:25:54+02:00", "2024/05/31", "", "2024-06-01T02:25:54+02:00"),
        ("2024-06-01T02:25:54", "2024/05/31", "", "2024-06-01T02:25:54"),
        ("2024-06-01T02:25:54+00:00", "x", "2024-05-31T21:25:54-05:00",
         "2024-06-01T02:25:54+00:00"),
    ],
)  # fmt: skip
def test_the_day_in_the_address_tells_which_day_it_was_there(
    moment: str, day: str, body: str, expected: str
) -> None:
    html = f'<meta property="article:published_time" content="{moment}"><script>{body}</script>'
    sent, url = html.encode(), f"https://a.example/{day}/flood"
    answer = Response(url, 200, Headers((("Content-Type", "text/html"),)), sent)
    assert read(answer, fetched_at=NOW).published == expected
    assert Document(sent, url, "text/html").published == expected


@pytest.mark.parametrize(
    "name",
    ["published_at", "govuk:first-published-at", "publication_date", "post_date", "displaydate",
     "cms.created", "originalPublicationDate", "date_posted", "w-published-date"],
)  # fmt: skip
def test_names_that_say_published_are_many(name: str) -> None:
    assert dates_of(f'<meta name="{name}" content="2024-05-01">').published == "2024-05-01"


@pytest.mark.parametrize(
    "name", ["article:publisher", "postage", "pub", "event_date", "update_date"]
)
def test_names_that_say_something_else_are_no_dates(name: str) -> None:
    assert dates_of(f'<meta name="{name}" content="2024-05-01">').published == ""


@pytest.mark.parametrize(
    "element",
    [
        '<span itemprop="datePublished" content="2024-05-01">spring</span>',
        '<div itemprop="dateCreated" content="2024-05-01">spring</div>',
        '<meta itemprop="uploadDate" content="2024-05-01">',
        '<time itemprop="dateCreated" datetime="2024-05-01">years ago</time>',
        '<abbr class="published" title="2024-05-01T10:00:00Z">1 May</abbr>',
        '<time itemprop="dateCreated" datetime="2024-05-01"></time>'
        '<p itemprop="datePublished" content="2024-06-01">a comment</p>',
    ],
)
def test_elements_of_any_tag_may_be_marked_as_the_date(element: str) -> None:
    assert dates_of(f"<p>By Ada</p>{element}").published[:10] == "2024-05-01"


def test_the_day_of_a_film_counts_where_there_is_no_other() -> None:
    film = '<meta itemprop="uploadDate" content="2023-01-01">'
    own = '<p itemprop="datePublished" content="2024-05-01">x</p>'
    data = '<script type="application/ld+json">{"datePublished": "2024-05-02"}</script>'
    assert dates_of(film).published == "2023-01-01"
    assert dates_of(film + own).published == "2024-05-01"
    assert dates_of(film + data).published == "2024-05-02"


def test_what_is_marked_as_changed_was_not_published_then() -> None:
    marked = '<span itemprop="dateModified" content="2024-06-01">x</span>'
    assert dates_of(marked) == Dates("", "2024-06-01")
    assert dates_of('<abbr class="updated" title="2024-06-01">x</abbr>') == Dates("", "2024-06-01")
    both = "<time class=updated datetime=2024-06-01></time><time datetime=2024-05-01></time>"
    assert dates_of(f"<article>{both}</article>").published == "2024-05-01"
    one = '<time class="published updated" datetime=2024-06-01></time>'
    other = "<time datetime=2024-05-01></time>"
    assert dates_of(f"<article>{one}{other}</article>").published == "2024-06-01"


@pytest.mark.parametrize(
    "script",
    [
        '{"datePublished": "2024-05-01", "name": "two\nlines"}',
        '{"datePublished": "2024-05-01",}',
        '/* made by hand */ {"datePublished": "2024-05-01"}',
        '{\n// when\n"datePublished": "2024-05-01"}',
        "{&quot;datePublished&quot;: &quot;2024-05-01&quot;}",
        '<!-- {"datePublished": "2024-05-01"} -->',
        '{"datePublished": "May 1, 2024"}',
        '{"dateCreated": "2024-05-01"}',
        '{"@type": "VideoObject", "uploadDate": "2024-05-01"}',
        '{"uploadDate": "2024-04-01", "dateCreated": "2024-05-01"}',
        '{"mainEntity": {"datePublished": "2024-05-01", "comment": {"datePublished": "2025"}}}',
    ],
)
def test_json_ld_is_mended(script: str) -> None:
    html = f'<script type="application/ld+json">{script}</script>'
    assert dates_of(html).published == "2024-05-01"


def test_of_many_things_that_a_page_is_about_none_has_its_date() -> None:
    things = '{"mainEntity": [{"datePublished": "2024-05-01"}, {"datePublished": "2024-05-02"}]}'
    html = f'<script type="application/ld+json">{things}</script>'
    assert dates_of(html).published == ""


@pytest.mark.parametrize(
    "html",
    [
        "<p>x</p><span itemprop=datePublished content=2024-05-01>x</span>",
        "<p><abbr class=published title=2024-05-01>x</abbr><abbr>y</abbr></p>",
        "<main><h1>The flood came</h1><p>31 May 2024</p><p>It rained.</p></main>",
        "<div itemprop=datePublished content=2023-05-01>x</div>" * 60,
        "<script type=text/javascript>a</script><script>b</script>" * 30
        + '<script type=\'\n application/LD+json \'>{"datePublished": "2024-05-01"}</script>',
    ],
)
def test_pages_say_the_same_with_and_without_a_tree(html: str) -> None:
    body = f"<!doctype html><title>The flood came</title><body>{html}".encode()
    with either_way.in_python():
        by_tree = either_way.page_of(body)
    assert by_tree.published
    if either_way.required():
        with either_way.compiled():
            assert scan(body, "utf-8") is not None
            assert either_way.page_of(body) == by_tree


def test_a_tree_is_asked_for_all_that_the_pass_tells_of() -> None:
    assert all("date" in name.lower() for name in LISTED_PROPERTIES)
    html = "".join(f'<p itemprop="{name}"></p>' for name in (*LISTED_PROPERTIES, "name", "Dates"))
    assert len(parse(html.encode(), "utf-8").dated) == len(LISTED_PROPERTIES)


def test_a_change_is_read_from_times_where_the_day_is_known() -> None:
    known = '<meta property="article:published_time" content="2024-05-01">'
    change = "<time itemprop=dateModified datetime=2024-06-01></time>"
    assert dates_of(known + change) == Dates("2024-05-01", "2024-06-01")
