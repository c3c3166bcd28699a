"""Does a URL turn a page of the same list, as the well-known platforms spell it? (DISC-3)"""

from __future__ import annotations

import pytest

from tenax.urls.paging import NEXT, leads_on, place_of, stem_of, turn_of, turns

TURNED = [
    ("/catalog/", "/catalog/?PAGEN_1=2"),
    ("/catalog/?PAGEN_1=2", "/catalog/?PAGEN_1=3"),
    ("/c/hats.html", "/c/hats.html?p=2"),
    ("/collections/all", "/collections/all?page=2"),
    ("/viewforum.php?f=1", "/viewforum.php?f=1&start=25"),
    ("/showthread.php?t=5", "/showthread.php?t=5&page=2"),
    ("/forum/f12/", "/forum/f12/index2.html"),
    ("/forum/t5.html", "/forum/t5-p2.html"),
    ("/threads/x.12/", "/threads/x.12/page-2"),
    ("/topic/5-x/page/2/", "/topic/5-x/page/3/"),
    ("/index.php?/topic/5-x/", "/index.php?/topic/5-x/page/2/"),
    ("/index.php", "/?page=2"),
    ("/", "/index.php?page=2"),
    ("/news/", "/news/index2.html"),
    ("/news/index.html", "/news/index_2.html"),
    ("/news/index_2.html", "/news/index_3.html"),
    ("/list", "/list;page=2"),
    ("/blog/", "/blog/p2"),
    ("/blog/p2", "/blog/p3"),
    ("/blog/pg/2", "/blog/pg/3"),
    ("/a/b.html", "/a/b/page/2"),
    ("/hats", "/hats/seite-2"),
    ("/hats", "/hats/strona,2.html"),
    ("/hats", "/hats/sayfa/2/"),
    ("/x", "/x?query-14-page=2"),
    ("/x", "/x?1a2b_page=2"),
    ("/x", "/x?e-page-1a2b=2"),
    ("/x", "/x?page%5Bnumber%5D=2"),
    ("/x", "/x?currentPage=2"),
    ("/x?limitstart=0", "/x?limitstart=20"),
    ("/x", "/x?startAt=25"),
    ("/list.php?pn=1", "/list.php?pn=2"),
    ("/list.html", "/list_2.html"),
    ("/list.html", "/list-2.html"),
    ("/forum-12-1.html", "/forum-12-2.html"),
    ("/forum-12.html", "/forum-12-2.html"),
    ("/thread-5-1-1.html", "/thread-5-2-1.html"),
    ("/news", "/news?offset=1762241520670"),
    ("/news?offset=1762241520670", "/news?offset=1662241520670"),
    ("/news", "/news?page=0%2C1"),
    ("/news?page=0,1", "/news?page=0,2"),
    ("/news/", "/news/?nav-news=page-2"),
    ("/news/?nav-news=page-2", "/news/?nav-news=page-3"),
    ("/news/", "/news/nav-news/page-2/"),
    ("/web/news", "/web/news?_101_INSTANCE_a1B2_cur=2"),
    ("/spip.php?rubrique3", "/spip.php?rubrique3&debut_articles=10"),
    ("/news.html", "/news.page-2.html"),
    ("/zinas", "/zinas/lapa/2"),
    ("/uudised?leht=2", "/uudised?leht=3"),
    ("/xeber", "/xeber?sahife=2"),
    ("/list?nowPage=2", "/list?nowPage=3"),
    ("/find", "/find?tx_solr%5Bpage%5D=2"),
    ("/find?q[page]=2", "/find?q[page]=3"),
    ("/news", "/news?tx_news_pi1%5B%40widget_0%5D%5BcurrentPage%5D=2"),
]
MARKED = [
    ("/", "/search?updated-max=2024-05-01T00:00:00-07:00&max-results=7"),
    ("/search/label/A", "/search/label/A?updated-max=2024-05-01&max-results=20&start=20"),
    ("/", "/?before_time=1386000000"),
    ("/?before_time=1386000000", "/?before_time=1385000000"),
    ("/r/x/", "/r/x/?count=25&after=t3_abc"),
    ("/shop", "/shop?cursor=eyJsYXN0"),
    ("/shop?cursor=a", "/shop?cursor=b"),
    ("/search?q=x", "/search?q=x&phcursor=eyJhbGc"),
    ("/r/x/?count=25&after=t3_abc", "/r/x/?count=50&after=t3_bcd"),
]
NOT_TURNED = [
    ("/news?offset=1662241520670", "/news?offset=1762241520670"),
    ("/list?offset=40", "/list?offset=20"),
    ("/x?ym=2026-1", "/x?ym=2026-2"),
    ("/x?size=a-1", "/x?size=a-2"),
    ("/x", "/x?topic=33.15"),
    ("/x?topic=33.0", "/x?topic=34.0"),
    ("/x?price=0-50", "/x?price=50-100"),
    ("/x", "/x?occur=2"),
    ("/x", "/x?per_page=20"),
    ("/x", "/x?items-per-page=20"),
    ("/x", "/x?page_id=2"),
    ("/x", "/x?homepage=2"),
    ("/x", "/x?q[per_page]=20"),
    ("/x", "/x?q[homepage]=2"),
    ("/x", "/x?page[size]=20"),
    ("/x?page=3", "/x?page=2"),
    ("/post/", "/post-2/"),
    ("/post/", "/post/comment-page-2/"),
    ("/post", "/post?cpage=2"),
    ("/", "/?p=2"),
    ("/x", "/x/2"),
    ("/events", "/events?from=2024-05-01"),
    ("/a-1.html", "/a-2.html"),
    ("/news/12", "/news/13"),
    ("/viewtopic.php?t=5", "/viewtopic.php?t=5&p=36151819"),
    ("/a/page/2", "/b/page/3"),
    ("/x?sid=1", "/x?page=2&sid=2"),
]


@pytest.mark.parametrize(("here", "there"), TURNED)
def test_a_url_tells_by_itself_that_it_turns_a_page(here: str, there: str) -> None:
    assert turns(here, there)
    assert there.startswith(stem_of(here)), "it is not even looked at"
    assert not turns(there, here)


@pytest.mark.parametrize(("here", "there"), MARKED)
def test_a_mark_of_where_to_go_on_turns_a_page(here: str, there: str) -> None:
    """Which of two comes first cannot be told by it."""
    assert turns(here, there)
    assert there.startswith(stem_of(here))


@pytest.mark.parametrize(("here", "there"), NOT_TURNED)
def test_other_numbers_turn_none(here: str, there: str) -> None:
    assert not turns(here, there)


@pytest.mark.parametrize(
    ("here", "there", "said"),
    [
        ("/list.html", "/list_2.html", 2),
        ("/list.html", "/list-3.html", 3),
        ("/forum-12-1.html", "/forum-12-2.html", 2),
        ("/forum-12-1.html", "/forum-12-2.html", NEXT),
        ("/forum-12.html", "/forum-12-2.html", 2),
        ("/thread-5-1-1.html", "/thread-5-2-1.html", 2),
        ("/topic-k5-Tips.html", "/topic-k5-o10-Tips.html", 2),
        ("/list", "/list/2", 2),
        ("/list", "/list/1", 2),
        ("/list", "/list/20", 2),
        ("/list/20", "/list/40", 3),
        ("/list", "/list/2", NEXT),
        ("/list/2", "/list/3", NEXT),
        ("/issue/archive", "/issue/archive/2", NEXT),
        ("/list?id=5", "/list?id=5&no=2", 2),
        ("/list?id=5", "/list?id=5&no=21", 3),
        ("/x?gclid=a", "/x?p=2", 2),
        ("/x", "/x?ref=pager&page=2", 2),
        ("/viewtopic.php?t=1", "/viewtopic.php?t=1&sid=a&start=15", 2),
        ("/", "/search?updated-max=2024-05-01T00:00:00-07:00&max-results=7", NEXT),
        ("/search/label/A", "/search/label/A?updated-max=2024-05-01&max-results=20", NEXT),
        ("/", "/?before_time=1386000000", NEXT),
        ("/?before_time=1386000000", "/?before_time=1385000000", NEXT),
        ("/r/x/", "/r/x/?count=25&after=t3_abc", NEXT),
        ("/shop?after=x1y", "/shop?after=x2y", NEXT),
        ("/news", "/news?offset=1762241520670", NEXT),
        ("/news", "/news?next=123&n=31", NEXT),
        ("/", "/latest/?offset=10", NEXT),
        ("/w/index.php?title=Log", "/w/index.php?title=Log&offset=2024|9&limit=50", NEXT),
        ("/wiki/Category:A", "/w/index.php?title=Category:A&pagefrom=B", NEXT),
        ("/index.php?topic=33.0", "/index.php?topic=33.15", 2),
        ("/index.php?topic=33.15", "/index.php?topic=33.30", 3),
        ("/index.php?board=5.0", "/index.php?board=5.20", NEXT),
        ("/list/", "/list/list_4_2.html", 2),
        ("/list/index.html", "/list/list_4_2.html", NEXT),
        ("/list/recent", "/list/recent?skip=25&show=25", 26),
        ("/index.php?cPath=3", "/index.php?cPath=3&page=2&sort=2a", 2),
        ("/archive", "/archive?sort=new&offset=12", NEXT),
        ("/find?page=2&start=21", "/find?page=3&start=41", 3),
        ("/find?pg=2&counter=60", "/find?pg=3&counter=90", NEXT),
        ("/list?currentPage=2&cHash=0aa1", "/list?currentPage=3&cHash=0bb2", NEXT),
        ("/find?q=x&page=2&qid=70&ref=pg_2", "/find?q=x&page=3&qid=71&ref=pg_3", 3),
    ],
)
def test_where_an_anchor_says_so_it_is_believed(here: str, there: str, said: int) -> None:
    turn = turn_of(here, there)
    assert turn is not None
    assert leads_on(turn, said)


@pytest.mark.parametrize(
    ("here", "there", "said"),
    [
        ("/cal?month=5", "/cal?month=6", NEXT),
        ("/cal", "/cal?month=6&year=2024", NEXT),
        ("/events/2024/05/", "/events/2024/06/", NEXT),
        ("/events/2024/05/", "/events/2024/05/3", 3),
        ("/events", "/events?tribe-bar-date=2024-06-01", NEXT),
        ("/events", "/events?start=2024-06-01", NEXT),
        ("/g?photo=1", "/g?photo=2", NEXT),
        ("/book/chapter-1", "/book/chapter-2", NEXT),
        ("/book/chapter-1", "/book/chapter-2", 2),
        ("/order?step=1", "/order?step=2", NEXT),
        ("/x", "/x?limit=24", 24),
        ("/x", "/x?sort=2", 2),
        ("/x", "/x?rating=4", 4),
        ("/x", "/x/2024", 2024),
        ("/x", "/x?page=7", 2),
        ("/archives/1234", "/archives/1235", NEXT),
        ("/a/one", "/a/two", NEXT),
        ("/blog/post", "/blog?before=2024-01-01", NEXT),
        ("/docs/17/i.html", "/docs/current/i.html", NEXT),
        ("/x?page=3", "/x?page=2", 2),
        ("/x", "/y/2", 2),
        ("/x?a=1&b=1", "/x?a=2&b=2", 2),
        ("/x?topic=33.0", "/x?topic=33.7", 3),
        ("/x?topic=33.0", "/x?topic=34.15", 2),
        ("/x?price=0-50", "/x?price=0-100", 100),
        ("/x?ym=2026-1", "/x?ym=2026-2", 2),
        ("/blog/", "/blog/knots_4_to_2.html", NEXT),
        ("/list", "/list?sort=price&page=1", 1),
        ("/p/x", "/p/x?qty=2", 2),
        ("/p/x", "/p/x?stars=3", 3),
        ("/?page_id=31", "/?page_id=47", NEXT),
        ("/", "/?page_id=1204", NEXT),
        ("/index.php?topic=8.0", "/index.php?topic=8.0;prev_next=next", NEXT),
        ("/find?page=3&start=41", "/find?page=4&start=21", NEXT),
        ("/find?page=2&price=20", "/find?page=3&price=40", NEXT),
    ],
)
def test_but_not_where_something_else_is_counted(here: str, there: str, said: int) -> None:
    turn = turn_of(here, there)
    assert turn is None or not leads_on(turn, said)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/catalog/?PAGEN_1=2", "/catalog/?PAGEN_1={n}"),
        ("/list;page=2", "/list;page={n}"),
        ("/hats/sayfa/2/", "/hats/sayfa/{n}/"),
        ("/x?1a2b_page=2", "/x?1a2b_page={n}"),
    ],
)
def test_such_lists_are_learned(path: str, key: str) -> None:
    place = place_of(path)
    assert place is not None
    assert (place.key, place.number) == (key, 2)


@pytest.mark.parametrize("path", ["/x?per_page=20", "/x?page_id=2", "/post?cpage=2"])
def test_others_are_not(path: str) -> None:
    assert place_of(path) is None


@pytest.mark.parametrize("text", ["", "?", ";", "/" + "a/1" * 400, "/?" + "&a=1" * 200, "/٣", "/²"])
def test_nothing_raises(text: str) -> None:
    for here, there in ((text, "/list?page=2"), ("/list", text), (text, text)):
        turn = turn_of(here, there)
        assert turn is None or not turns(here, there) or turn.new
