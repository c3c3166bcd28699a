"""Which links of a page are found to turn it, by what their anchors say?"""

from __future__ import annotations

import pytest

from tenax.model import Headers, Page, Response
from tenax.page.pager.turning import _Here
from tenax.page.read import read
from tenax.urls.normalise import resolve
from tenax.urls.paging import place_of

SITE = "https://a.example"


def page(path: str, markup: str, content_type: str = "text/html; charset=utf-8") -> Page:
    body = f"<!doctype html><html><head><title>t</title></head><body>{markup}</body></html>"
    charset = content_type.partition("charset=")[2] or "utf-8"
    headers = Headers((("content-type", content_type),))
    return read(Response(SITE + path, 200, headers, body.encode(charset)), fetched_at=0.0)


@pytest.mark.parametrize(
    "anchor",
    [
        "<a href='/list/2'>Next</a>",
        "<a href='/list/2'>Next page »</a>",
        "<a href='/list/2'> Weiter </a>",
        "<a href='/list/2'>Page suivante</a>",
        "<a href='/list/2'>Siguiente ›</a>",
        "<a href='/list/2'>Следующая</a>",
        "<a href='/list/2'>下一页</a>",
        "<a href='/list/2'>次へ</a>",
        "<a href='/list/2'>다음</a>",
        "<a href='/list/2'>« Older posts</a>",
        "<a href='/list/2'>Next page (Knots)</a>",
        "<a href='/list/2'>›</a>",
        "<a href='/list/2'>&raquo;</a>",
        "<a href='/list/2'><span>Next</span><svg><title>Arrow</title></svg></a>",
        "<a href='/list/2' aria-label='Next page'><i class=icon></i></a>",
        "<a title='Go to next page' href='/list/2'><img src=r.png></a>",
        "<a class='page-link next' href='/list/2'><i></i></a>",
        "<li class='pagination-next'><a href='/list/2'><i></i></a></li>",
        "<a rel=next href='/list/2'>on</a>",
        "<A HREF=/list/2>Next</A>",
        "<a\n  class='x'\n  href=' /list/2 '\n>\n   Next\n</a>",
        "<a href='2'>Next</a>",
        "<a href='https://a.example/list/2#top'>Next</a>",
        "<a href='/list/2'><svg><path/></svg>Next</a>",
        "<a href='/list/2'><!-- arrow -->Next</a>",
        "<p>" + "2 " * 1_000 + "</p><a href='2'>Next</a>",
        "<p>" + "2 " * 1_000 + "</p><a href=2>Next</a>",
        "<script>var next = '/list/2'</script><a href='/list/2'>Next</a>",
        "<a href='/list/2'><img src=x alt=''></a> <a href='/list/2'>Next</a>",
        "<a href='/list/2'><img src=next.gif alt='다음 페이지'></a>",
        "<a href='/list/2'>Next 20 results</a>",
        "<a href='/list/2'>次の50件</a>",
        "<a href='/list/2'>older 50</a>",
        "<a href='/list/2'>Sljedeća »</a>",
        "<a href='/list/2'>Järgmine</a>",
        "<a href='/list/2'>შემდეგი</a>",
        "<a href='/list/2'>Xem thêm</a>",
    ],
)
def test_a_link_that_says_next_leads_on(anchor: str) -> None:
    found = page("/list/", f"<p>{anchor}</p>")
    assert found.onward
    assert found.turned == {found.onward}


@pytest.mark.parametrize(
    "anchor",
    [
        "<a href='/list/2'>Next post</a>",
        "<a href='/list/2'>Next month »</a>",
        "<a class='slick-next next' href='/list/2'></a>",
        "<a class='nav-next-post next' href='/list/2'>Of ships and men</a>",
        "<a href='/list/2' title='Next chapter'>Next</a>",
        "<a href='/list/2'>Our second shop</a>",
        "<a href='/list/2'>« Newer</a>",
        "<a href='/other/2'>Next</a>",
        "<a rel=next href='/list-of-ships'>Next</a>",
        "<a href='#2'>Next</a>",
        "<p title='/list/2'>Next</p><a href='/list/2'>x</a>",
        "<a href='/list?day=2'>Next</a>",
        "<a href='https://b.example/list/2'>Next</a>",
        "<a href='/list/2'><img src=ship.png alt='A ship'></a>",
        "<a href='/list/2'>Next 2 ships</a>",
    ],
)
def test_others_do_not(anchor: str) -> None:
    found = page("/list/", f"<p>{anchor}</p>")
    assert (found.onward, found.turned) == ("", frozenset())


def test_what_says_by_its_rel_that_it_leads_on_may_be_elsewhere_if_it_is_a_numbered_page() -> None:
    """Categories whose later pages are those of the search."""
    found = page("/c/hats", "<a rel=next href='/search?q=hats&page=2'>2</a>")
    assert found.onward == "/search?q=hats&page=2"
    assert found.turned == {found.onward}
    assert page("/c/hats", "<a rel=next href='/c/caps-of-2024'>on</a>").onward == ""
    assert page("/c/hats", "<a href='/search?q=caps&page=2'>Next</a>").onward == ""


def test_its_number_may_stand_in_what_the_link_starts_from() -> None:
    """A name without a number leads to no page of a list; where it is no mere name, one looks."""
    for base in (f"{SITE}/list/page/3/x", f"{SITE}/l;page=3;x/y", f"{SITE}/list"):
        here = _Here(f"{SITE}/other", base)
        for href in ("on", "a.html", "a/b.html", "a/", ".", "./", "../3", "?on", "page/4", "a;b"):
            url = resolve(href, base) or ""
            stands = place_of(url.removeprefix(SITE)) is not None
            assert (here.follows(href) is not None) is stands, (base, href)
    assert _Here(f"{SITE}/other", f"{SITE}/list/page/3/x").follows(".") is not None


def test_a_script_may_be_told_to_show_the_page_from_elsewhere_on() -> None:
    found = page(
        "/wiki/Category:Hats",
        "<a href='/w/index.php?title=Category:Hats&amp;pagefrom=M'>next page</a>",
    )
    assert found.onward == "/w/index.php?title=Category:Hats&pagefrom=M"


def row(*numbers: int, at: str = "/list/{}") -> str:
    return " ".join(f"<a href='{at.format(n)}'>{n}</a>" for n in numbers)


def test_a_row_of_numbers_is_turned() -> None:
    found = page("/list/", f"<b>1</b> {row(2, 3, 4)} … {row(37)}")
    assert found.onward == "/list/2"
    assert found.turned == {"/list/2", "/list/3", "/list/4", "/list/37"}


def test_from_within_a_list_only_later_pages_are() -> None:
    found = page("/list/3", f"{row(1, 2)} <b>3</b> {row(4, 5)}")
    assert found.onward == "/list/4"
    assert found.turned == {"/list/4", "/list/5"}


def test_entries_may_be_counted_instead_of_pages() -> None:
    anchors = "<a href='/list/20'>2</a><a href='/list/40'>3</a><a href='/list/41'>4</a>"
    assert page("/list", anchors).turned == {"/list/20", "/list/40"}


@pytest.mark.parametrize(
    "numbers", [(2019, 2020, 2021), (36, 37, 38, 39), (14, 15, 16)], ids=["years", "sizes", "other"]
)
def test_a_row_that_begins_elsewhere_is_none(numbers: tuple[int, ...]) -> None:
    assert page("/list", row(*numbers)).turned == frozenset()


def test_a_row_may_count_entries_from_one_to_another() -> None:
    anchors = "<a href='/list?skip=25&show=25'>26-50</a> <a href='/list?skip=50&show=25'>51-75</a>"
    assert page("/list", anchors).onward == "/list?skip=25&show=25"
    assert page("/list", "<a href='/list/26'>26-50</a>").turned == frozenset()


@pytest.mark.parametrize("at", ["index_{}.shtml", "?page={}"])
def test_where_pages_are_counted_from_nothing_the_second_is_the_next(at: str) -> None:
    """The first page may have a number, too: what the anchor says tells them apart."""

    def rows(first: int) -> str:
        numbers = range(first, first + 3)
        return "".join(f"<a href='{at.format(n)}'>{n + 2 - first}</a>" for n in numbers)

    assert page("/news/index.shtml", rows(1)).onward == at.format(1)
    first = f"<a href='{at.format(1)}'>1</a>"
    assert page("/news/index.shtml", first + rows(2)).onward == at.format(2)


def test_the_page_of_number_0_is_where_one_is() -> None:
    anchors = "<a href='?page=0'>1</a><a href='?page=1'>2</a><a href='?page=2'>3</a>"
    assert page("/news", anchors).onward == "?page=1"
    assert page("/news", "<a href='?page=0'>1</a>").onward == ""
    assert page("/news?page=0", anchors).onward == "?page=1"


def test_a_month_is_none() -> None:
    assert page("/events/2026/11/", row(*range(1, 31), at="/events/2026/11/{}")).turned == set()


def test_a_url_that_says_it_by_itself_needs_no_anchor() -> None:
    found = page("/list", "<a href='?page=3'>x</a><a href='?page=2'>y</a><a href='?page=1'>z</a>")
    assert found.onward == "?page=2"
    assert found.turned == frozenset()


def test_pages_may_be_counted_from_0() -> None:
    found = page("/list", "<a href='?page=0'>1</a><a href='?page=1'>2</a><a href='?page=2'>3</a>")
    assert found.onward == "?page=0" or found.onward == "?page=1"


def test_ampersands_are_found_however_they_are_spelled() -> None:
    anchors = "<a href='/l?a=1&amp;x=2&#038;z=3'>2</a><a href='/l?a=1&x=3&amp;z=3'>3</a>"
    assert page("/l?a=1&z=3", anchors).turned == {"/l?a=1&x=2&z=3", "/l?a=1&x=3&z=3"}


def test_words_are_read_in_the_charset_of_the_page() -> None:
    found = page("/list/", "<a href='/list/2'>Следующая</a>", "text/html; charset=windows-1251")
    assert found.onward == "/list/2"


def test_urls_may_have_letters_of_all_languages() -> None:
    for spelled in ("/шапки/2", f"{SITE}/шапки/2", "/%D1%88%D0%B0%D0%BF%D0%BA%D0%B8/2"):
        found = page("/%D1%88%D0%B0%D0%BF%D0%BA%D0%B8/", f"<a href='{spelled}'>Далее</a>")
        assert found.onward == spelled


def test_a_page_of_links_alike_is_looked_at_a_bounded_number_of_times() -> None:
    """Nothing is searched for ever: a page may have a thousand links that could be one."""
    anchors = "".join(f"<a href='/list?x={n}'>{n}</a>" for n in range(2, 1_000))
    assert 20 < len(page("/list", anchors).turned) <= 30


@pytest.mark.parametrize(
    "markup",
    [
        "<a href='/list/2",
        "<a href='/list/2'",
        "<a href='/list/2'>",
        "<a href=/list/2><a href=/list/2>",
    ],
)
def test_what_is_cut_off_says_nothing_and_raises_nothing(markup: str) -> None:
    body = f"<title>t</title>{markup}".encode()
    response = Response(f"{SITE}/list", 200, Headers((("content-type", "text/html"),)), body)
    assert read(response, fetched_at=0.0).onward == ""
