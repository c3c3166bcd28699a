"""When have enough views of one path been seen, and what keeps an honest list from it? (URL-6)"""

from __future__ import annotations

from tenax.crawl.traps.shape_record import FEW, YieldPolicy
from tenax.crawl.traps.views import Views

from tenax.model import Target, Url

HOST = "a.example"
COLOURS = ("red", "blue", "green", "sand", "black", "white", "amber")


def to(path: str, host: str = HOST) -> Target:
    url = f"https://{host}{path}"
    return Target(url, Url(url), b"", host, f"https://{host}", 1, 5)


def seen(views: Views, url: str, *named: Target, says: bool = False) -> bool:
    return views.judge(HOST, url, named, says_nothing=not says)


def barren(views: int = FEW) -> Views:
    """After so many views of /list that said nothing and led to the next."""
    known = Views(YieldPolicy())
    for colour in COLOURS[:views]:
        assert seen(known, f"/list?colour={colour}", to(f"/list?colour={colour}&sort=name"))
    return known


def test_whoever_has_seen_some_has_seen_them_all() -> None:
    views = barren()
    assert views.refusal(HOST, "/list?colour=pink") == "/list?: 5 of 5 views said nothing new"
    assert views.refusal(HOST, "/list") == "", "the path itself is no view"
    assert views.refusal(HOST, "/other?colour=pink") == ""
    assert views.refusal("b.example", "/list?colour=pink") == ""
    assert barren(FEW - 1).refusal(HOST, "/list?colour=pink") == ""


def test_the_reason_is_the_same_for_all() -> None:
    views = barren()
    why = views.refusal(HOST, "/list?colour=pink")
    seen(views, "/list?colour=grey")
    assert views.refusal(HOST, "/list?colour=gold") == why


def test_a_parameter_that_was_never_there_is_tried() -> None:
    views = barren()
    assert views.refusal(HOST, "/list?brand=elk") == ""
    assert views.refusal(HOST, "/list?colour=pink&brand=elk") == ""
    seen(views, "/list?brand=elk")
    assert views.refusal(HOST, "/list?colour=pink&brand=elk") != ""


def test_the_first_view_is_the_list_itself() -> None:
    for said, is_known in ((1, True), (2, True), (3, False)):
        views = Views(YieldPolicy())
        for number in range(said + FEW):
            seen(views, f"/list?colour=c{number}x", says=number < said)
        assert (views.refusal(HOST, "/list?colour=pink") != "") is is_known


def test_views_wait_when_half_of_them_were_barren() -> None:
    views = barren(views=2)
    assert not views.is_doubtful(HOST, "/list?colour=pink"), "two are no sign"
    seen(views, "/list?colour=pink", says=True)
    assert views.is_doubtful(HOST, "/list?colour=grey")
    assert not views.is_doubtful(HOST, "/list?brand=elk"), "never tried"
    assert not views.is_doubtful(HOST, "/list?page=2"), "a list"
    assert not views.is_doubtful(HOST, "/other?colour=pink")
    for number in range(2):
        seen(views, f"/list?colour=c{number}x", says=True)
    assert not views.is_doubtful(HOST, "/list?colour=grey"), "they say something after all"


def test_pages_of_a_list_are_turned_however_little_they_say() -> None:
    views = Views(YieldPolicy())
    for number in range(1, 50):
        seen(views, f"/list?page={number}", to(f"/list?page={number + 1}"))
    assert views.refusal(HOST, "/list?page=50") == ""
    assert views.refusal(HOST, "/list?page=50&year=2026") == ""


def test_a_view_that_says_something_or_leads_on_makes_good_for_those_before() -> None:
    for url, named, says in (
        ("/list?colour=pink", (), True),
        ("/list?colour=pink", (to("/product/1"),), False),
        ("/list?colour=pink", (to("/list?colour=grey", "b.example"),), False),
    ):
        views = barren()
        assert not seen(views, url, *named, says=says)
        assert views.refusal(HOST, "/list?colour=gold") == ""


def test_a_path_that_has_often_brought_something_is_not_left_for_a_few_bad_ones() -> None:
    """As a wiki that has everything at /index.php: pages, and forms to edit them."""
    views = Views(YieldPolicy())
    for number in range(FEW):
        seen(views, f"/index.php?title=Article{number}x", says=True)
    for number in range(3 * FEW):
        seen(views, f"/index.php?title=Article{number}x&action=edit")
    assert views.refusal(HOST, "/index.php?title=News") == ""


def test_a_host_of_very_many_paths_is_no_burden() -> None:
    views = Views(YieldPolicy())
    for number in range(10_000):
        seen(views, f"/{number}?view=list")
    assert len(views._paths) <= 4_096
