"""Are archives by date learned from what succeeded, and followed back to their end? (DISC-2)"""

from __future__ import annotations

import pytest

from tenax.discover.archives import (
    NAMES,
    SITEMAP,
    dated,
    learn,
    learn_names,
    merged,
    months,
    path_at,
    years,
)
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.sights import Result, Sight
from tenax.model import DateArchive, PathAnswer, Role
from tests.unit.discover.guessing import NOW

POLICY = GuessPolicy()
DAY = 86_400.0


def read(
    known: dict[str, DateArchive],
    path: str,
    *found: str,
    role: Role = Role.PAGE,
    result: Result = Result.READ,
) -> dict[str, DateArchive]:
    return learn(known, Sight(path, role, result, bool(found), found), NOW, POLICY)


def guesses(known: dict[str, DateArchive], now: float = NOW) -> list[str]:
    return [
        path_at(archive, period)
        for archive in known.values()
        for period in (*months(archive, now, POLICY), *years(archive, now, POLICY))
    ]


@pytest.mark.parametrize(
    ("path", "period", "monthly", "yearly"),
    [
        ("/news/2025/03/17/slug", 202503, "/news/{Y}/{M}/", "/news/{Y}/"),
        ("/2025/3/17/slug.html", 202503, "/{Y}/{m}/", "/{Y}/"),
        ("/2025/03/slug", 202503, "/{Y}/{M}/", "/{Y}/"),
        ("/2025/03/17/48213", 202503, "/{Y}/{M}/", "/{Y}/"),
        ("/en/news/2025/slug", 2025, "/en/news/{Y}/{M}/", "/en/news/{Y}/"),
        ("/2025/03/17/", 202503, "/{Y}/{M}/", "/{Y}/"),
    ],
)
def test_what_is_filed_by_date_suggests_archives(
    path: str, period: int, monthly: str, yearly: str
) -> None:
    date = dated(path)
    assert date is not None
    assert not date.is_page
    assert (date.period, date.monthly, date.yearly) == (period, monthly, yearly)


@pytest.mark.parametrize(
    "path",
    [
        "/2025/", "/2025", "/news/2025/", "/news/2025/03/", "/news/2025/03", "/archive/2025-03/",
        "/archive/2025-03.html", "/2025/3/", "/2025/03/index.html", "/a/b/2025/12/",
    ],
)  # fmt: skip
def test_the_page_of_a_period_is_one(path: str) -> None:
    date = dated(path)
    assert date is not None
    assert date.is_page
    archive = DateArchive(date.yearly, date.monthly)
    assert path_at(archive, date.period) == path


@pytest.mark.parametrize(
    "path",
    [
        "/", "/news/", "/1234/", "/2025-review", "/product/20251", "/uploads/2025/03/photo.jpg",
        "/wp-content/uploads/2025/03/a.pdf", "/page/2025", "/events/2025/03/", "/calendar/2025/",
        "/2025/13/", "/news/2025/?page=2", "/a/b/c/2025/", "/12/2025/", "/1789/07/14/",
        "/{Y}/2025/", "/2025/03/" + "x" * 500,
    ],
)  # fmt: skip
def test_other_paths_are_not_dated(path: str) -> None:
    assert dated(path) is None


def test_where_no_date_was_ever_seen_none_is_guessed() -> None:
    known: dict[str, DateArchive] = {}
    for path in ("/", "/about", "/product/731", "/blog/a-post", "/2077/x"):
        known = read(known, path, "/x")
    assert guesses(known) == []


def test_nothing_is_guessed_before_something_was_read() -> None:
    known = read({}, "/", "/news/2025/03/17/slug", "/news/2025/02/")
    assert known["/news/{Y}"].dated == (202503,)
    assert known["/news/{Y}"].named == (202502,)
    assert guesses(known) == []
    assert guesses(read(known, "/news/2025/03/17/slug")) == ["/news/2025/03/"]


def test_months_whose_articles_are_all_linked_are_known_for_it() -> None:
    latest = [f"/2025/{month:02d}/01/slug" for month in (9, 10, 11)]
    known = read(read({}, "/", *latest), latest[-1])
    assert guesses(known) == ["/2025/09/"]
    known = read(known, "/2025/09/", role=Role.ARCHIVE)
    assert guesses(known)[0] == "/2025/08/"


def test_an_article_suggests_its_month_and_then_its_year() -> None:
    known = read({}, "/news/2025/03/17/slug")
    known = read(known, "/news/2024/01/17/slug")
    known = read(known, "/news/2024/09/17/slug")
    for path in ("/news/2024/01/", "/news/2025/03/", "/news/2024/"):
        assert guesses(known) == [path]
        known = read(known, path, role=Role.ARCHIVE, result=Result.GONE)
    assert guesses(known) == []


def test_a_shape_that_failed_twice_is_not_tried_on_every_older_article() -> None:
    known = read({}, "/2025/03/17/slug")
    for path in ("/2025/03/", "/2025/"):
        known = read(known, path, role=Role.ARCHIVE, result=Result.GONE)
    known = read(known, "/2024/03/17/slug")
    assert guesses(known) == ["/2024/03/"]
    known = read(known, "/2024/03/", role=Role.ARCHIVE, result=Result.GONE)
    known = read(known, "/2023/03/17/slug")
    assert guesses(known) == []


def test_a_month_that_brought_something_suggests_its_neighbours() -> None:
    known = read({}, "/news/2025/03/", "/news/2025/03/17/slug")
    assert guesses(known) == [
        f"/news/{month}/" for month in ("2025/02", "2025/01", "2024/12", "2025/04")
    ]


def test_what_is_certain_goes_before_what_is_doubtful() -> None:
    known = read({}, "/2025/03/", "/a")
    for path in ("/2025/02/04/slug", "/2019/07/04/slug", "/2021/07/04/slug"):
        known = read(known, path)
    between, certain = ["/2025/01/", "/2024/12/"], ["/2019/07/", "/2021/07/", "/2025/02/"]
    assert guesses(known) == [*between, *certain, "/2025/04/"]
    known = read(known, "/2019/07/", "/b")
    back = ["/2019/06/", "/2019/05/", "/2019/04/"]
    between = ["/2025/01/", "/2024/12/", "/2019/08/"]
    assert guesses(known) == [*between, *back[:1], *certain[1:], *back[1:], "/2025/04/"]


def test_a_month_that_is_there_but_brought_nothing_leads_on_when_it_has_articles() -> None:
    known = read({}, "/2025/03/04/slug")
    known = read(known, "/2025/03/", role=Role.ARCHIVE)
    assert guesses(known) == ["/2025/02/", "/2025/01/", "/2024/12/", "/2025/04/"]
    known = read(known, "/2025/02/", role=Role.ARCHIVE)
    (archive,) = known.values()
    assert (archive.there, archive.misses) == ((202502, 202503), (202502, 202503))
    assert "/2024/11/" not in guesses(known)


def test_gaps_say_that_the_archive_has_ended() -> None:
    known = read({}, "/2025/03/", "/a")
    while guesses(known):
        for path in guesses(known):
            is_there = path >= "/2024/06/"
            result = Result.READ if is_there else Result.GONE
            found = (f"{path}a",) if is_there else ()
            known = read(known, path, *found, role=Role.ARCHIVE, result=result)
    (archive,) = known.values()
    assert archive.there == (*range(202406, 202413), *range(202501, 202513))
    assert archive.missing == archive.misses == (202403, 202404, 202405)
    assert set(archive.hits) == {*archive.there} - {202503}


def test_a_page_that_names_no_content_leads_no_further_back() -> None:
    """A calendar has a page for every month there ever was."""
    known = read({}, "/diary/2025/03/", "/diary/2025/02/", "/diary/2025/03/?page=2")
    assert guesses(known) == []


def test_a_month_that_has_only_begun_is_not_asked_for_yet() -> None:
    first_days = NOW - 20 * DAY
    known = read({}, "/2025/11/", "/a")
    assert "/2025/12/" not in guesses(known, first_days)
    assert "/2025/12/" in guesses(known)
    known = read(known, "/2025/12/01/slug")
    assert "/2025/12/" in guesses(known, first_days)


def test_nothing_is_asked_for_that_has_not_come_yet() -> None:
    known = read({}, "/2025/12/", "/a")
    assert [path for path in guesses(known) if path.startswith("/2026")] == []


def test_years_are_followed_where_years_have_pages() -> None:
    known = read({}, "/2025/", *(f"/2025/{month:02d}/" for month in (1, 2, 3)))
    known = read(known, "/2025/03/", "/2025/03/slug")
    # Its months are left to the page of the year, as that names them.
    assert guesses(known) == ["/2024/"]
    known = read(known, "/2024/", "/2024/01/", role=Role.ARCHIVE)
    assert guesses(known) == []
    known = read(known, "/2024/01/", "/2024/01/slug")
    assert guesses(known) == ["/2023/"]
    known = read(known, "/2023/", role=Role.ARCHIVE, result=Result.GONE)
    assert "/2022/" not in guesses(known)


def test_what_the_site_names_is_not_guessed() -> None:
    known = read({}, "/2025/03/", "/a")
    known = read(known, "/archive", "/2025/02/", "/2025/01/", "/2025/04/")
    assert guesses(known) == ["/2024/12/"]


def test_ids_are_no_years() -> None:
    known = read({}, "/product/2024", "/x")
    assert guesses(known) == ["/product/2023", "/product/2025"]
    assert guesses(read(known, "/product/731", "/x")) == []
    assert guesses(read(known, "/product/2077", "/x")) == []
    # But numbers beside real months mean nothing.
    known = read(read({}, "/news/731"), "/news/2025/03/17/slug")
    assert guesses(known) == ["/news/2025/03/"]


def test_a_month_without_a_leading_zero_stays_without() -> None:
    known = read({}, "/2025/12/", "/a")
    known = read(known, "/2025/9/", "/b")
    assert guesses(known)[:3] == ["/2025/11/", "/2025/10/", "/2025/8/"]


def test_pages_are_asked_for_as_the_site_spells_them() -> None:
    known = read({}, "/2025/03/17/slug")
    known = read(known, "/2025/03.html", "/a")
    assert "/2025/02.html" in guesses(known)


def test_what_may_not_be_asked_for_is_no_waste() -> None:
    known = read({}, "/2025/03/17/slug")
    sight = Sight("/2025/03/", Role.ARCHIVE, Result.REFUSED, False, was_asked=True)
    (archive,) = learn(known, sight, NOW, POLICY).values()
    assert (archive.missing, archive.hits, archive.misses) == ((202503,), (), ())


def test_nothing_new_is_the_same_object() -> None:
    known = read({}, "/2025/03/17/slug", "/a")
    assert read(known, "/2025/03/18/other", "/b") is known
    assert read(known, "/about", "/c") is known


def test_as_many_shapes_are_remembered_as_allowed() -> None:
    known: dict[str, DateArchive] = {}
    for day in (1, 2):
        known = read(known, f"/kept/2025/0{day}/01/slug")
    for number in range(100):
        known = read(known, f"/section-{number}/2025/03/01/slug")
    assert len(known) == POLICY.most_archives
    assert "/kept/{Y}" in known


@pytest.mark.parametrize(
    ("role", "result", "brought", "answer"),
    [
        (Role.ARCHIVE, Result.READ, True, PathAnswer.HIT),
        (Role.ARCHIVE, Result.REPEATED, True, PathAnswer.HIT),
        (Role.ARCHIVE, Result.READ, False, PathAnswer.MISS),
        (Role.ARCHIVE, Result.GONE, False, PathAnswer.MISS),
        (Role.ARCHIVE, Result.KNOWN, False, PathAnswer.UNASKED),
        (Role.ARCHIVE, Result.REFUSED, False, PathAnswer.UNASKED),
        (Role.PAGE, Result.READ, True, PathAnswer.UNASKED),
    ],
)
def test_a_well_known_path_has_one_answer(
    role: Role, result: Result, brought: bool, answer: PathAnswer
) -> None:
    names = learn_names({}, Sight("/archive", role, result, brought))
    assert names == {"/archive": answer}
    again = Sight("/archive", Role.PAGE, Result.GONE, brought=False)
    assert learn_names(names, again) is names


def test_a_path_that_the_site_names_is_not_guessed() -> None:
    sight = Sight("/", Role.PAGE, Result.READ, True, ("/a", "/archive/", "/sitemap"))
    assert learn_names({}, sight) == {
        "/archive": PathAnswer.UNASKED,
        "/sitemap": PathAnswer.UNASKED,
    }


def test_a_sitemap_that_was_looked_for_in_vain_counts() -> None:
    sight = Sight(SITEMAP, Role.SITEMAP, Result.GONE, brought=False)
    assert learn_names({}, sight) == {SITEMAP: PathAnswer.MISS}
    assert SITEMAP in NAMES


def test_two_views_know_together_what_each_knows() -> None:
    mine = read(read({}, "/2025/03/", "/a"), "/2025/02/", role=Role.ARCHIVE, result=Result.GONE)
    theirs = read(read({}, "/2025/02/17/slug"), "/2024/", "/2024/01/")
    (ours,), (others,) = mine.values(), theirs.values()
    together = merged(ours, others)
    assert together == merged(others, ours)
    assert (together.there, together.missing) == ((2024, 202503), (202502,))
    seen = read({}, "/2025/02/", "/a")
    assert merged(ours, *seen.values()).missing == ()
