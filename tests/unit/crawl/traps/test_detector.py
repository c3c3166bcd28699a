"""When is a shape of URLs held to be a trap, and what keeps an honest one from it? (URL-6)"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tenax.crawl.traps.host_record import REST
from tenax.crawl.traps.shape_record import FEW, YieldPolicy

from tenax.crawl.traps.detector import Yields
from tenax.model import Page, Role, Target, Url
from tenax.ports import ShapeCounts

HOST = "a.example"
POLICY = YieldPolicy()
ENOUGH = POLICY.enough


def page(says: object = "", title: str = "", canonical: str = "") -> Page:
    """A page that says something of its own, or nothing but what all say."""
    wordings = tuple(hash((says, n)) & 0xFFFFFFFF for n in range(30)) if says else tuple(range(30))
    return Page(
        url=f"https://{HOST}/x", status=200, content_type="text/html", body=b"", fetched_at=0.0,
        content_hash=repr((says, title)).encode().ljust(32), title=title, canonical=canonical,
        sketch=wordings,
    )  # fmt: skip


def new(*shapes: str, host: str = HOST, role: Role = Role.PAGE) -> list[Target]:
    return [Target("", Url(""), b"", host, "", 1, 5, role=role, shape=shape) for shape in shapes]


def visit(yields: Yields, shape: str, *named: str, says: object = "", title: object = "") -> bool:
    _, fruitless = yields.judge(HOST, shape, page(says, str(title)), new(*named))
    return fruitless


def barren(shape: str = "/cal/N", visits: int = ENOUGH + 1) -> Yields:
    """After so many pages that said nothing and named more of their kind."""
    yields = Yields(POLICY)
    for n in range(visits):
        visit(yields, shape, shape, title=n)
    return yields


def test_a_shape_that_says_nothing_and_asks_for_more_is_refused() -> None:
    yields = barren()
    assert yields.refusal(HOST, "/cal/N") == "/cal/N: 20 of 21 visits brought nothing new"
    assert yields.refusal(HOST, "/other/N") == ""
    assert yields.refusal("b.example", "/cal/N") == ""


def test_nothing_is_concluded_from_a_few_visits() -> None:
    assert barren(visits=ENOUGH - 1).refusal(HOST, "/cal/N") == ""


def test_where_there_is_one_trap_the_next_is_known_sooner() -> None:
    yields = barren()
    for n in range(4):
        visit(yields, "/more/N", "/more/N", title=-n)
    assert yields.refusal(HOST, "/more/N") == "", "it has to be tried all the same"
    visit(yields, "/more/N", "/more/N", title="five")
    assert yields.refusal(HOST, "/more/N") == "/more/N: 5 of 5 visits brought nothing new"


def echo(yields: Yields, shape: str, *named: str) -> None:
    """A page that was there, word for word, and asks for more."""
    visit(yields, shape, *named, says="the same", title="The same")


def healthy(visits: int) -> Yields:
    """After so many pages that had something to say."""
    yields = Yields(POLICY)
    for n in range(visits):
        visit(yields, "/good/S", says=n + 1)
    return yields


def test_a_page_there_word_for_word_that_asks_for_more_is_known_in_half_the_time() -> None:
    yields = healthy(100)
    for n in range(ENOUGH // 2 + 1):
        assert yields.refusal(HOST, "/a/W/") == "", n
        echo(yields, "/a/W/", "/a/W/")
    assert yields.refusal(HOST, "/a/W/") == "/a/W/: 10 of 11 visits brought nothing new"


def test_such_pages_at_every_depth_are_one_trap() -> None:
    """Every room is entered from every other: deeper and deeper, in shape after shape."""
    yields = healthy(100)
    for _ in range(ENOUGH // 2 + 1):
        echo(yields, "/a/W/", "/a/W/W/")
    assert yields.refusal(HOST, "/a/W/W/") == "", "it has to be tried"
    echo(yields, "/a/W/W/", "/a/*/")
    why = "/a/: the last 11 visits brought nothing new: pages known word for word"
    assert yields.refusal(HOST, "/a/W/W/") == why
    assert yields.refusal(HOST, "/b/W/W/") == ""
    visit(yields, "/a/S", says="something else")
    assert yields.refusal(HOST, "/a/W/W/") == "", "the folder has more to say"


def test_where_nothing_else_was_found_three_of_them_are_enough() -> None:
    yields = barren()
    echo(yields, "/W/", "/a/W/")
    for _ in range(3):
        assert yields.refusal(HOST, "/a/W/") == ""
        echo(yields, "/a/W/", "/a/W/")
    assert yields.refusal(HOST, "/a/W/") == "/a/W/: 3 of 3 visits brought nothing new"


def test_two_kinds_that_bring_nothing_are_company() -> None:
    """Each would have been tried twenty times by itself; together they are left after five."""
    for kinds in (1, 2):
        yields = healthy(100)
        visit(yields, "/none/W", title="first")
        for kind in range(kinds):
            for n in range(6):
                visit(yields, f"/{'ab'[kind]}/N", f"/{'ab'[kind]}/N", title=(kind, n))
        assert (yields.refusal(HOST, "/a/N") != "") is (kinds == 2)


def test_what_brings_something_is_not_taken_for_its_neighbours() -> None:
    yields = barren()
    for n in range(50):
        visit(yields, "/list/N", "/list/N", says=n + 1 if n % 5 == 4 else "", title=-n)
        assert yields.refusal(HOST, "/list/N") == ""


def test_text_makes_every_visit_worth_it() -> None:
    yields = Yields(POLICY)
    for n in range(500):
        assert not visit(yields, "/a/N", "/a/N", says=n + 1, title=n)
    assert yields.refusal(HOST, "/a/N") == ""


def test_leading_to_text_makes_it_worth_it_too() -> None:
    yields = Yields(POLICY)
    for n in range(500):
        visit(yields, "/list/N", "/list/N", "/a/N", title=n)
        visit(yields, "/a/N", says=n + 1, title=n)
    assert yields.refusal(HOST, "/list/N") == ""


def test_a_page_that_asks_for_nothing_harms_nobody() -> None:
    yields = Yields(POLICY)
    for n in range(500):
        assert yields.judge(HOST, "/photo/N", page(title=str(n)), ()) == (
            ("/photo/N", False) if n == 0 else ("", False)
        )
    assert yields.refusal(HOST, "/photo/N") == ""


def test_the_same_page_under_the_same_title_is_fruitless_although_it_asks_for_nothing() -> None:
    yields = Yields(POLICY)
    for _ in range(ENOUGH + 1):
        visit(yields, "/go/N", says="home", title="Home")
    assert yields.refusal(HOST, "/go/N") != ""


def test_a_page_that_calls_itself_a_copy_and_is_one_is_fruitless() -> None:
    yields = Yields(POLICY)
    for n in range(ENOUGH + 1):
        yields.judge(HOST, "/a/N?print", page(title=str(n), canonical="https://a.example/a"), ())
    assert yields.refusal(HOST, "/a/N?print") != ""


def test_a_page_that_calls_itself_a_copy_and_says_something_new_is_not() -> None:
    yields = Yields(POLICY)
    for n in range(ENOUGH * 5):
        copy = page(says=n + 1, title=str(n), canonical="https://a.example/a")
        assert yields.judge(HOST, "/a/N?print", copy, ()) == ("/a/N?print", False)


def test_shapes_that_lead_to_each_other_are_one_trap() -> None:
    """Months that name days, and days that name months."""
    yields = Yields(POLICY)
    for n in range(2 * ENOUGH):
        visit(yields, "/month/N", "/day/N", title=n)
        visit(yields, "/day/N", "/month/N", title=-n)
    assert yields.refusal(HOST, "/month/N") != ""
    assert yields.refusal(HOST, "/day/N") != ""


def test_days_go_with_the_calendar_that_they_are_of() -> None:
    """They say nothing and ask for nothing; but of a calendar without end there is no last one."""
    yields = Yields(POLICY)
    for n in range(2 * ENOUGH):
        visit(yields, "/cal/N/N", "/cal/N/N", title=n)
    for n in range(5):
        assert yields.refusal(HOST, "/cal/N/N/N", "/cal/2031/02/11") == ""
        visit(yields, "/cal/N/N/N", title=-n - 1)
    assert yields.refusal(HOST, "/cal/N/N/N", "/cal/2031/02/11") != ""
    assert yields.refusal(HOST, "/cal/N/N/N", "/cal/8/77/3") == "", "no day: pictures, perhaps"


def test_the_days_of_a_calendar_that_has_nothing_are_fruitless() -> None:
    yields = Yields(POLICY)
    day = replace(page(title="4 May"), url=f"https://{HOST}/cal/2031/05/04")
    photo = replace(page(title="Photo"), url=f"https://{HOST}/cal/2031/05/harbour")
    assert not yields.judge(HOST, "/cal/N/N/N", day, ())[1]
    for n in range(2 * FEW):
        visit(yields, "/cal/N/N", "/cal/N/N", title=n)
    day, photo = replace(day, content_hash=b"x"), replace(photo, content_hash=b"y")
    assert yields.judge(HOST, "/cal/N/N/N", day, ())[1]
    assert not yields.judge(HOST, "/cal/N/N/W", photo, ())[1], "it asks for nothing"


def test_months_of_other_years_are_no_copies() -> None:
    yields = Yields(POLICY)
    for year in range(2026, 2035):
        month = replace(page(title=str(year)), url=f"https://{HOST}/cal/{year}/11")
        _, fruitless = yields.judge(HOST, "/cal/N/N", month, new("/cal/N/N"))
        assert fruitless is (year > 2026)


def test_views_of_one_path_are_refused_once_they_are_more_than_a_share() -> None:
    yields = Yields(POLICY)
    for n in range(ENOUGH):
        visit(yields, "/good/S", says=n + 1)
    for n, colour in enumerate("abcdefg"):
        there = replace(page(title=f"t{n}"), url=f"https://{HOST}/list?colour={colour}")
        yields.judge(HOST, "/W?colour", there, ())
    why = "/list?: 6 of 7 views said nothing new"
    assert yields.refusal(HOST, "/W?colour", "/list?colour=z") == why
    assert yields.refusal(HOST, "/W?colour", "/list?page=2") == ""
    for n in range(10 * ENOUGH):
        visit(yields, "/good/S", says=-n - 1)
    assert yields.refusal(HOST, "/W?colour", "/list?colour=z") == "", "few, by now"


def test_what_is_not_known_yet_counts_for_nothing() -> None:
    yields = Yields(POLICY)
    for n in range(500):
        visit(yields, "/shop/W/", "/shop/W/S", title=n)
    assert yields.refusal(HOST, "/shop/W/") == ""


def test_it_counts_for_a_little_once_that_is_known() -> None:
    """Months that name days: what they are worth is known when some days were visited."""
    yields = healthy(60)
    for n in range(10):
        assert not visit(yields, "/cal/N/N", "/cal/N/N", "/cal/N/N/N", title=n)
    for n in range(FEW):
        visit(yields, "/cal/N/N/N", title=-n - 1)
    assert visit(yields, "/cal/N/N", "/cal/N/N", "/cal/N/N/N", title="eleven")
    for n in range(ENOUGH - FEW - 2):
        assert yields.refusal(HOST, "/cal/N/N") == "", n
        visit(yields, "/cal/N/N", "/cal/N/N", "/cal/N/N/N", title=-100 - n)
    assert yields.refusal(HOST, "/cal/N/N") == "/cal/N/N: 19 of 20 visits brought nothing new"


def test_it_counts_for_nothing_where_that_is_worth_something() -> None:
    yields = healthy(60)
    for n in range(10):
        visit(yields, "/shop/W/", "/shop/W/", "/product/S", title=n)
    for n in range(FEW):
        visit(yields, "/product/S", says=-n - 1)
    visit(yields, "/shop/W/", "/shop/W/", title="a leaf")
    assert sum(record.fruitless for record in yields._at(HOST).shapes.values()) == 1


def test_lists_that_look_alike_are_worth_what_they_lead_to() -> None:
    """The same text and title on every page of a list; nobody has seen an article yet."""
    yields = Yields(POLICY)
    for _ in range(50):
        echo(yields, "/?page", "/article/N")
    assert yields.refusal(HOST, "/?page") == ""


def test_the_first_of_an_unknown_shape_have_to_be_known_soon() -> None:
    yields = Yields(POLICY)
    assert not yields.is_probe(HOST, "/shop/W/S", "/shop/W/")
    for n in range(10):
        visit(yields, "/shop/W/", "/shop/W/S", title=n)
    probes = [yields.is_probe(HOST, "/shop/W/S", "/shop/W/") for _ in range(10)]
    assert probes == [True] * 5 + [False] * 5
    assert not yields.is_probe(HOST, "/shop/W/", "/shop/W/")


def test_a_parameter_never_tried_is_tried_although_its_kin_are_barren() -> None:
    yields = Yields(POLICY)
    for n in range(2 * ENOUGH):
        visit(yields, "/W?sort,view", "/W?sort,view", title=n)
    assert yields.refusal(HOST, "/W?sort") != ""
    assert yields.refusal(HOST, "/W?page") == ""
    assert yields.refusal(HOST, "/W?page,sort") == ""


def test_one_find_makes_good_for_a_few_more() -> None:
    yields = barren(visits=40)
    assert yields.refusal(HOST, "/cal/N") != ""
    visit(yields, "/cal/N", says="an event at last")
    assert yields.refusal(HOST, "/cal/N") == ""


def test_a_busy_host_may_waste_a_share_of_its_visits() -> None:
    yields = barren()
    for n in range(1_000):
        visit(yields, "/a/N", says=n + 1, title=n)
    assert yields.refusal(HOST, "/cal/N") == ""


def test_a_maze_beside_a_trap_is_known_in_half_the_time() -> None:
    half = POLICY.endless // 2
    for yields, is_known in ((Yields(POLICY), False), (barren(), True)):
        for n in range(half):
            visit(yields, "/maze/W", "/maze/W", "/maze/W", "/maze/W", says=n + 1, title=n)
            yields.meet(HOST, "/maze/W", new=3, known=0)
        assert (yields.refusal(HOST, "/maze/W") != "") is is_known


def test_choices_that_multiply_are_known_though_they_say_something_now_and_then() -> None:
    for often, is_known in ((2, True), (4, False)):
        yields = healthy(60)
        for n in range(POLICY.endless // 5 + 1):
            says = "" if n % often == 1 else -n - 1
            visit(yields, "/f/W/*", "/f/W/*", "/f/W/*", "/f/W/*", says=says, title=n)
            yields.meet(HOST, "/f/W/*", new=3, known=0)
        assert (yields.refusal(HOST, "/f/W/*") != "") is is_known


def test_all_traps_of_a_host_have_one_budget() -> None:
    """A maze beside a calendar gets what the calendar has left of it."""
    yields = barren()
    for n in range(560):
        visit(yields, "/good/S", says=n + 1)
    for n in range(POLICY.endless // 3):
        visit(yields, "/maze/W", "/maze/W", "/maze/W", says=-n - 1, title=n)
        yields.meet(HOST, "/maze/W", new=2, known=0)
    assert yields.refusal(HOST, "/maze/W") != ""
    for n in range(1_000):
        visit(yields, "/good/S", says=n + 1_000)
    assert yields.refusal(HOST, "/maze/W") == "", "few, by now"


def test_what_is_in_doubt_waits_and_what_may_be_decided_by_it_waits_longer() -> None:
    yields = Yields(POLICY)
    for n in range(2 * FEW):
        visit(yields, "/cal/N", "/cal/N", title=n)
        visit(yields, "/photo/N", title=-n - 1)
        visit(yields, "/maze/W", "/maze/W", "/maze/W", says=n + 1)
        visit(yields, "/good/S", says=-n - 1)
    ranks = [yields.rank(HOST, shape, "") for shape in ("/cal/N", "/photo/N", "/maze/W", "/good/S")]
    assert ranks == [11, 12, 12, 0]
    assert yields.rank("b.example", "/cal/N", "") == 0


def test_an_index_that_names_others_is_read_when_its_turn_comes() -> None:
    """All of a manual's chapters are named early; behind their own pages they would be last."""
    yields = Yields(POLICY)
    visit(yields, "/manual/W", *["/manual/W"] * 19, says="contents")
    for n in range(FEW):
        visit(yields, "/manual/W", *["/manual/W/S"] * 30, says=n + 1, title=n)
    assert yields.puts_off(HOST, "/manual/W", "/manual/more", priority=2) == 0
    for n in range(FEW):
        visit(yields, "/maze/W", *["/maze/W"] * 4, says=-n - 1, title=-n - 1)
    assert yields.puts_off(HOST, "/maze/W", "/maze/more", priority=2) == 12


def test_a_shape_that_was_good_is_not_put_off_for_a_few_silent_pages() -> None:
    yields = Yields(POLICY)
    for n in range(30):
        visit(yields, "/a/N", says=n + 1, title=n)
    for n in range(FEW + 1):
        visit(yields, "/a/N", title=f"silent {n}")
    assert yields.rank(HOST, "/a/N", "/a/99") == 10, "what is found from now on waits"
    assert yields.puts_off(HOST, "/a/N", "/a/99", priority=5) == 0
    for n in range(FEW):
        visit(yields, "/b/N", title=f"another {n}")
    assert yields.puts_off(HOST, "/b/N", "/b/99", priority=5) == 12


def test_only_so_many_are_put_off() -> None:
    yields = barren()
    off = [yields.puts_off(HOST, "/cal/N", "/cal/9", priority=5) for _ in range(1_000)]
    assert off == [11] * 250 + [0] * 750


def test_a_maze_is_endless_and_a_site_whose_links_meet_is_not() -> None:
    maze, wiki, listed = Yields(POLICY), Yields(POLICY), Yields(POLICY)
    for n in range(POLICY.endless + 10):
        for yields, known in ((maze, 0), (wiki, 1), (listed, 0)):
            visit(yields, "/w/S", *["/w/S"] * 6, says=n + 1, title=n)
            yields.meet(HOST, "/w/S", 6, known)
        listed.vouch(HOST, "/w/S")
    assert "without end" in maze.refusal(HOST, "/w/S")
    assert wiki.refusal(HOST, "/w/S") == ""
    assert listed.refusal(HOST, "/w/S") == ""


def test_what_others_counted_counts() -> None:
    yields = Yields(POLICY)
    yields.learn(HOST, {"/cal/N": ShapeCounts(30, 29), "/a/N": ShapeCounts(50, 0)})
    assert yields.refusal(HOST, "/cal/N") == "/cal/N: 29 of 30 visits brought nothing new"
    yields.learn(HOST, {"/cal/N": ShapeCounts(31, 30)})
    assert yields.refusal(HOST, "/cal/N") == "/cal/N: 29 of 30 visits brought nothing new"


def test_what_others_doubt_waits_here_too() -> None:
    yields = Yields(POLICY)
    yields.learn(HOST, {"/cal/N": ShapeCounts(8, 8), "/a/N": ShapeCounts(8, 0)})
    for _ in range(FEW):
        yields.judge_closed(HOST, "/W?form")
    ranks = [yields.rank(HOST, shape, "") for shape in ("/cal/N", "/a/N", "/W?form")]
    assert ranks == [11, 0, 12]


def test_the_ledger_is_asked_now_and_then() -> None:
    yields = Yields(POLICY)
    assert [yields.is_due(HOST, now) for now in (0.0, 1.0, 59.0, 60.0, 61.0)] == [
        True, False, False, True, False,
    ]  # fmt: skip


def test_an_error_dressed_as_success_is_fruitless() -> None:
    yields = Yields(POLICY)
    for _ in range(ENOUGH):
        assert yields.judge_fake(HOST, "/gone/S") == ("/gone/S", True)
    assert yields.refusal(HOST, "/gone/S") != ""


def test_what_cannot_be_had_is_no_find() -> None:
    """Every month has its own link to a form that robots.txt closes."""
    yields = Yields(POLICY)
    for n in range(3 * ENOUGH):
        visit(yields, "/cal/N", "/cal/N", "/W?next", title=n)
        yields.judge_closed(HOST, "/W?next")
    assert yields.refusal(HOST, "/cal/N") != ""


def test_other_hosts_are_always_a_find() -> None:
    yields = Yields(POLICY)
    for n in range(100):
        assert yields.judge(HOST, "/l/N", page(title=str(n)), new("/W", host="b.example")) == (
            "/l/N", False,
        )  # fmt: skip


def test_a_host_has_only_so_many_shapes_of_its_own() -> None:
    yields = Yields(POLICY)
    shapes = {yields.judge(HOST, f"/{n}/W", page(says=n + 1), ())[0] for n in range(700)}
    assert len(shapes) == 501
    assert REST in shapes


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["/a/N", "/b/N", "/W?x", "/W?x,y"]),
            st.lists(st.sampled_from(["/a/N", "/b/N", "/W?x", "/W?y", "/c/S"]), max_size=4),
        ),
        max_size=200,
    )
)
def test_no_shape_is_ever_refused_while_every_visit_says_something_new(
    visits: list[tuple[str, list[str]]],
) -> None:
    yields = Yields(YieldPolicy(endless=10_000))
    for n, (shape, named) in enumerate(visits):
        assert not visit(yields, shape, *named, says=n + 1, title=n)
        assert not yields.refusal(HOST, shape)


def visit_at(yields: Yields, path: str, says: object) -> bool:
    """A visit of a page in some folder, which names the next one of its folder."""
    there = replace(page(says, title=str(says)), url=f"https://{HOST}{path}")
    return yields.judge(HOST, "/N/W.html", there, new("/N/W.html"))[1]


def test_copies_of_a_site_below_other_folders_are_no_traps() -> None:
    yields = Yields(POLICY)
    for n in range(100):
        for version in range(8):
            assert not visit_at(yields, f"/3.{version}/library/page{n}.html", says=n + 1)
    assert yields.refusal(HOST, "/N/W.html") == ""


def test_more_copies_than_a_site_would_have_are() -> None:
    yields = Yields(POLICY)
    for session in range(300):
        visit_at(yields, f"/{session}/page.html", says="the same")
    assert yields.refusal(HOST, "/N/W.html")


def test_a_name_that_is_a_hash_is_no_copy() -> None:
    yields = Yields(POLICY)
    for session in range(10):
        for n in range(10):
            visit_at(yields, f"/{session:016x}abcdef/page{n}.html", says=n + 1)
    assert yields.refusal(HOST, "/N/W.html")


def test_what_repeats_pages_that_said_nothing_is_no_copy() -> None:
    yields = Yields(POLICY)
    for year in range(2026, 2036):
        for month in range(12):
            visit_at(yields, f"/{year}/{month}.html", says="nothing planned")
    assert yields.refusal(HOST, "/N/W.html")
