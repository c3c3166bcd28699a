"""Do guesses find what no page names, and how many of them are in vain? (DISC-2, DISC-3)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import SupportsIndex

import pytest
from msgspec.structs import replace

from tenax.discover import archives
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import (
    Guess,
    GuessKind,
    GuessTally,
    merged,
    observe,
    propose,
    remembered,
    tallies,
    total,
)
from tenax.discover.sights import Result, result_of
from tenax.model import (
    Directives,
    Fault,
    HostRules,
    Page,
    PageSeries,
    PathAnswer,
    Reason,
    Role,
    UrlSource,
)
from tenax.outcome import (
    Duplicate,
    Failed,
    Garbage,
    Gone,
    Moved,
    Outcome,
    Priced,
    Read,
    Refused,
    Throttled,
    Unchanged,
    Waiting,
)
from tests.unit.discover.guessing import HOME, NOW, POLICY, Crawl, crawl

DAY = 86_400.0


def seen(
    rules: HostRules,
    path: str,
    *found: str,
    role: Role = Role.PAGE,
    result: Result = Result.READ,
    now: float = NOW,
) -> HostRules:
    urls = [f"{HOME}{each}" for each in found]
    return observe(rules, f"{HOME}{path}", role, result, urls, now, POLICY)


def guesses(rules: HostRules, visits: int = 1_000, **more: object) -> list[str]:
    _, asked = propose(rules, visits, NOW, POLICY, **more)  # type: ignore[arg-type]  # by name
    return [guess.url.removeprefix(HOME) for guess in asked]


def a_listing() -> HostRules:
    """Whose third and last known page was read."""
    rules = seen(HostRules(), "/list", "/list?page=2", "/list?page=3")
    return seen(rules, "/list?page=3", "/a")


def an_archive() -> HostRules:
    return seen(HostRules(), "/2025/03/", "/2025/03/slug")


# What a visit says


PAGE = Page(f"{HOME}/a", 200, "text/html", b"", NOW)


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (Read(PAGE), Result.READ),
        (Read(replace(PAGE, url=f"{HOME}/a/")), Result.READ),
        (Read(replace(PAGE, url="http://a.example/a")), Result.READ),
        (Read(replace(PAGE, directives=Directives(noindex=True))), Result.READ),
        (Read(replace(PAGE, url=f"{HOME}/")), Result.REPEATED),
        (Read(replace(PAGE, url=f"{HOME}/a?page=1")), Result.REPEATED),
        (Unchanged(304), Result.READ),
        (Duplicate(7), Result.REPEATED),
        (Moved("https://b.example/", 301, True), Result.REPEATED),
        (Gone(404), Result.GONE),
        (Garbage("soft_404", ""), Result.GONE),
        (Garbage("captcha", "", is_hard=True), Result.FAILED),
        (Refused(Reason.ROBOTS, ""), Result.REFUSED),
        (Priced(""), Result.REFUSED),
        (Failed(Fault.SERVER_ERROR, ""), Result.FAILED),
        (Throttled(429, None), Result.FAILED),
        (Waiting(NOW, ""), Result.FAILED),
    ],
    ids=lambda value: getattr(value, "word", str(value)),
)
def test_every_outcome_has_a_result(outcome: Outcome, result: Result) -> None:
    assert result_of(outcome, f"{HOME}/a") is result


def test_a_near_duplicate_repeats_another() -> None:
    assert result_of(Read(PAGE), PAGE.url, is_duplicate=True) is Result.REPEATED


# What is guessed, and when


def test_a_page_beyond_the_last_is_guessed_and_remembered() -> None:
    rules, asked = propose(a_listing(), 1, NOW, POLICY, waiting=100)
    assert asked == (Guess(f"{HOME}/list?page=4", Role.PAGINATION),)
    assert rules.asked == {"/list?page=4": NOW}
    assert propose(rules, 1, NOW, POLICY, waiting=100) == (rules, ())


def test_pages_between_are_proposed_once_and_one_first() -> None:
    rules = seen(HostRules(), "/list", "/list?page=2", "/list?page=3", "/list?page=7")
    rules, asked = propose(rules, 1_000, NOW, POLICY, waiting=100)
    assert [guess.url for guess in asked] == [f"{HOME}/list?page=4"]
    assert propose(rules, 1_000, NOW, POLICY, waiting=100) == (rules, ())
    rules = seen(rules, "/list?page=4", "/a", role=Role.PAGINATION)
    rules, asked = propose(rules, 1_000, NOW, POLICY, waiting=100)
    assert [guess.url for guess in asked] == [f"{HOME}/list?page={n}" for n in (5, 6)]
    rules = replace(rules, asked={})
    assert propose(rules, 1_000, NOW, POLICY, waiting=100) == (rules, ())


def test_archives_are_looked_for_when_little_is_left() -> None:
    rules = an_archive()
    assert guesses(rules, waiting=POLICY.few) == []
    assert "/2025/02/" in guesses(rules, waiting=POLICY.few - 1)


def test_and_once_a_day() -> None:
    rules = an_archive()
    rules, asked = propose(rules, 1_000, NOW + DAY, POLICY, waiting=100)
    assert asked
    assert rules.looked_at == NOW + DAY
    rules = replace(rules, asked={})
    assert propose(rules, 1_000, NOW + DAY + 60, POLICY, waiting=100) == (rules, ())


def test_nothing_is_guessed_at_a_host_that_never_answered() -> None:
    rules = seen(HostRules(), "/2025/03/slug", result=Result.GONE)
    assert guesses(rules) == []


def test_guesses_go_to_https_where_there_is_both() -> None:
    rules = seen(HostRules(), "/")
    rules = observe(rules, "http://a.example/b", Role.PAGE, Result.READ, [], NOW, POLICY)
    assert rules.origin == HOME


def test_a_job_gets_the_sources_it_wants() -> None:
    rules = merged(a_listing(), an_archive(), POLICY)
    assert guesses(rules, sources=()) == []
    assert guesses(rules, sources=(UrlSource.PAGINATION,)) == ["/list?page=4"]
    assert guesses(rules, sources=(UrlSource.SITEMAPS,)) == ["/sitemap.xml"]
    wanted = guesses(rules, sources=(UrlSource.ARCHIVES,))
    assert "/2025/02/" in wanted
    assert "/sitemap.xml" not in wanted


def test_no_sitemap_is_guessed_where_robots_names_one() -> None:
    rules = seen(HostRules(), "/")
    assert guesses(rules) == ["/sitemap.xml"]
    assert guesses(rules, has_sitemap=True) == ["/archive"]


def test_well_known_paths_are_tried_one_after_the_other() -> None:
    rules, asked = seen(HostRules(), "/"), []
    for _ in range(8):
        rules, more = propose(rules, 1_000, NOW, POLICY)
        asked += [guess.url.removeprefix(HOME) for guess in more]
        for guess in more:
            rules = observe(rules, guess.url, guess.role, Result.GONE, [], NOW, POLICY)
    sitemaps = ["/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml"]
    assert asked == [*sitemaps, "/archive", "/archives", "/sitemap"]


@pytest.mark.parametrize("answer", [PathAnswer.HIT, PathAnswer.UNASKED])
def test_one_sitemap_is_enough(answer: PathAnswer) -> None:
    """The site has it, or names it: the other places are not asked for."""
    rules = seen(HostRules(), "/")
    names = {"/sitemap.xml": PathAnswer.MISS}
    assert guesses(replace(rules, names=names)) == ["/sitemap_index.xml"]
    assert guesses(replace(rules, names=names | {"/wp-sitemap.xml": answer})) == ["/archive"]


def test_roles_tell_how_a_guess_is_read() -> None:
    rules = merged(a_listing(), an_archive(), POLICY)
    _, asked = propose(rules, 1_000, NOW, POLICY)
    roles = {guess.url.removeprefix(HOME): guess.role for guess in asked}
    assert roles["/list?page=4"] is Role.PAGINATION
    assert roles["/2025/02/"] is Role.ARCHIVE
    assert roles["/sitemap.xml"] is Role.SITEMAP


# What it costs


@pytest.mark.parametrize(("visits", "room"), [(0, 6), (100, 6), (150, 8), (10_000, 32)])
def test_what_waits_for_an_answer_counts_as_if_wasted(visits: int, room: int) -> None:
    """The listing has brought something once: that pays for two of its own."""
    rules = seen(HostRules(), "/list", "/list?page=2", "/list?page=3", "/list?page=900")
    rules, _ = propose(rules, 1, NOW, POLICY, waiting=100)
    rules = seen(rules, "/list?page=4", "/a", role=Role.PAGINATION)
    assert len(guesses(rules, visits)) == room


def test_waste_leaves_less_room_to_others() -> None:
    rules = HostRules()
    for name in "abcdef":
        rules = seen(rules, f"/{name}", f"/{name}?page=2", f"/{name}?page=3")
        rules = seen(rules, f"/{name}?page=3", f"/{name}-1")
    assert len(guesses(rules, 0)) == 4
    misses = {"/archive": PathAnswer.MISS, "/archives": PathAnswer.MISS}
    assert len(guesses(replace(rules, names=misses), 0)) == 2


def test_an_archive_has_its_own_trial_whatever_else_was_wasted() -> None:
    """Six of 69 articles were found where names had spent what there was (issue 17, 12)."""
    names = dict.fromkeys(archives.NAMES, PathAnswer.MISS)
    months = ["/2025/02/", "/2025/01/", "/2024/12/", "/2025/04/"]
    assert guesses(replace(an_archive(), names=names), 0) == months


def test_a_trial_ends_and_what_succeeds_goes_on() -> None:
    names = dict.fromkeys(archives.NAMES, PathAnswer.MISS)
    rules = replace(an_archive(), names=names)
    (key,) = rules.archives
    spent = tuple(range(202401, 202407))
    vain = replace(rules.archives[key], misses=spent, missing=spent)
    assert guesses(replace(rules, archives={key: vain}), 0) == []
    paid = replace(vain, hits=(202502,), there=(202502, 202503), dated=(202502, 202503))
    assert len(guesses(replace(rules, archives={key: paid}), 0)) == POLICY.earned


def test_a_kind_that_fails_and_fails_is_given_up() -> None:
    rules = HostRules()
    for number in range(20):
        path = f"/list-{number}/page/"
        rules = seen(rules, f"/list-{number}", f"{path}2", f"{path}3")
        rules = seen(rules, f"{path}3", f"/a-{number}")
        rules, asked = propose(rules, 10_000, NOW, POLICY, waiting=100)
        for guess in asked:
            rules = observe(rules, guess.url, guess.role, Result.GONE, [], NOW, POLICY)
    assert tallies(rules)[GuessKind.BEYOND] == GuessTally(0, 8)


def test_a_kind_that_succeeds_goes_first() -> None:
    rules = merged(a_listing(), an_archive(), POLICY)
    assert guesses(rules)[0] == "/list?page=4"
    rules = seen(rules, "/2025/02/", "/2025/02/slug", role=Role.ARCHIVE)
    assert guesses(rules)[0] == "/2025/01/"
    assert guesses(rules)[-2:] == ["/list?page=4", "/sitemap.xml"]


def test_a_listing_whose_end_is_not_read_yet_finds_a_guess_left() -> None:
    rules = seen(an_archive(), "/list", "/list?page=2", "/list?page=3")
    rules, _ = propose(rules, 0, NOW, POLICY)
    rules = seen(rules, "/list?page=3", "/a")
    assert guesses(rules, 0) == ["/list?page=4"]


def test_only_something_new_is_a_hit() -> None:
    rules, _ = propose(a_listing(), 1, NOW, POLICY, waiting=100)
    hit = seen(rules, "/list?page=4", "/b", role=Role.PAGINATION)
    miss = seen(rules, "/list?page=4", role=Role.PAGINATION)
    assert (total(hit), total(miss)) == (GuessTally(1, 0), GuessTally(0, 1))
    assert hit.asked == miss.asked == {}


def test_a_guess_without_an_answer_goes_on_waiting_for_a_day() -> None:
    rules, _ = propose(a_listing(), 1, NOW, POLICY, waiting=100)
    failed = seen(rules, "/list?page=4", role=Role.PAGINATION, result=Result.FAILED)
    assert failed is rules
    _, asked = propose(rules, 1, NOW + DAY - 1, POLICY, waiting=100)
    assert asked == ()
    _, asked = propose(rules, 1, NOW + DAY, POLICY, waiting=100, sources=(UrlSource.PAGINATION,))
    assert asked == (Guess(f"{HOME}/list?page=4", Role.PAGINATION),)


@pytest.mark.parametrize("result", [Result.KNOWN, Result.REFUSED])
def test_what_nobody_was_asked_for_costs_nothing(result: Result) -> None:
    rules, asked = propose(merged(a_listing(), an_archive(), POLICY), 150, NOW, POLICY)
    for guess in asked:
        rules = observe(rules, guess.url, guess.role, result, [], NOW, POLICY)
    assert (rules.asked, total(rules)) == ({}, GuessTally())


def test_a_page_visited_again_is_no_guess() -> None:
    rules, _ = propose(a_listing(), 1, NOW, POLICY, waiting=100)
    rules = seen(rules, "/list?page=4", "/b", role=Role.PAGINATION)
    again = seen(rules, "/list?page=4", role=Role.PAGINATION)
    assert total(again) == GuessTally(1, 0)
    assert not again.series["/list?page={n}"].ended


# What is remembered


def test_another_job_is_told_what_was_guessed_right() -> None:
    rules, _ = propose(merged(a_listing(), an_archive(), POLICY), 1_000, NOW, POLICY)
    rules = seen(rules, "/list?page=4", "/b", role=Role.PAGINATION)
    rules = seen(rules, "/list?page=5", "/c", role=Role.PAGINATION)
    rules = seen(rules, "/2025/02/", "/2025/02/slug", role=Role.ARCHIVE)
    rules = seen(rules, "/2025/01/", role=Role.ARCHIVE, result=Result.GONE)
    rules = seen(rules, "/archive", "/d", role=Role.ARCHIVE)
    assert [(guess.url.removeprefix(HOME), guess.role) for guess in remembered(rules)] == [
        ("/list?page=4", Role.PAGINATION),
        ("/list?page=5", Role.PAGINATION),
        ("/2025/02/", Role.ARCHIVE),
        ("/archive", Role.ARCHIVE),
    ]
    assert remembered(rules, (UrlSource.SITEMAPS,)) == []
    assert remembered(HostRules()) == []


def test_neither_of_two_processes_forgets_what_the_other_saw_end() -> None:
    rules, _ = propose(merged(a_listing(), an_archive(), POLICY), 1_000, NOW, POLICY)
    mine = seen(rules, "/list?page=4", role=Role.PAGINATION, result=Result.GONE)
    theirs = seen(rules, "/2025/02/", role=Role.ARCHIVE, result=Result.GONE)
    theirs = seen(theirs, "/list?page=3", "/new")
    for together in (merged(mine, theirs, POLICY), merged(theirs, mine, POLICY)):
        assert together.series["/list?page={n}"].ended == "page 4 is not there"
        assert together.archives["/{Y}"].missing == (202502,)
        assert total(together) == GuessTally(0, 2)
        assert "/2025/02/" not in together.asked
        assert "/2025/01/" in together.asked


def test_an_answer_of_either_process_is_heard() -> None:
    rules, _ = propose(seen(HostRules(), "/"), 1, NOW, POLICY)
    assert list(rules.asked) == ["/sitemap.xml"]
    answered = seen(rules, "/sitemap.xml", role=Role.SITEMAP, result=Result.GONE)
    assert merged(rules, answered, POLICY).asked == {}
    assert merged(rules, answered, POLICY).names == {"/sitemap.xml": PathAnswer.MISS}


def test_nothing_learned_is_the_same_object() -> None:
    rules = a_listing()
    assert seen(rules, "/about", "/b", "/c") is rules
    assert seen(rules, "/gone", result=Result.GONE) is rules
    assert merged(rules, rules, POLICY) is rules


# Whole sites


@dataclass
class News:
    """A newspaper of which the front names a twentieth: months list the rest, in pages."""

    years: range = range(2018, 2026)
    a_month: int = 24
    a_page: int = 10
    lists_all: bool = False
    """A month's first page names all its pages; else each names the next."""
    by_year: bool = False
    """Years have pages that name their months; the front names the last one."""
    newest_first: bool = False
    """The front names the newest twentieth; else any."""
    articles: dict[tuple[int, int], list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = Random(4)
        for year in self.years:
            for month in range(1, 13):
                if (year, month) == (2021, 8):
                    continue
                self.articles[year, month] = [
                    f"/news/{year}/{month:02d}/{rng.randint(1, 28):02d}/story-{number}"
                    for number in range(self.a_month + rng.randint(-4, 4))
                ]
        self.all = [path for paths in self.articles.values() for path in paths]
        self.known = set(self.all)
        few = len(self.all) // 20
        self.front = self.all[-few:] if self.newest_first else rng.sample(self.all, few)
        if self.by_year:
            self.front.append(f"/news/{self.years[-1]}/")

    def __call__(self, path: str) -> Sequence[str] | None:
        base, _, number = path.partition("?page=")
        if path == "/":
            return ["/about", *self.front]
        if path == "/about" or path in self.known:
            return ["/", "/about"]
        match base.strip("/").split("/"):
            case ["news", year] if self.by_year and int(year) in self.years:
                named = [f"{y}/{m:02d}" for y, m in self.articles if y == int(year)]
                return ["/", *(f"/news/{month}/" for month in named)]
            case ["news", year, month] if base.endswith("/"):
                return self._month(base, (int(year), int(month)), int(number or 1))
        return None

    def _month(self, base: str, month: tuple[int, int], page: int) -> Sequence[str] | None:
        paths = self.articles.get(month, [])
        shown = paths[(page - 1) * self.a_page : page * self.a_page]
        last = -(-len(paths) // self.a_page)
        pages = range(2, last + 1) if self.lists_all else range(page + 1, min(page + 1, last) + 1)
        return ["/", *shown, *(f"{base}?page={n}" for n in pages)] if shown else None


@pytest.mark.parametrize(
    "site",
    [
        News(),
        News(lists_all=True),
        News(by_year=True),
        News(newest_first=True),
        News(newest_first=True, by_year=True, lists_all=True),
        News(a_month=60, lists_all=True),
        News(a_month=6, a_page=2, lists_all=True),
    ],
    ids=["next", "all pages", "by year", "newest", "newest by year", "long", "short"],
)
def test_a_newspaper_is_found_through_its_archives(site: News) -> None:
    done = crawl(site)
    assert done.found(site.all) >= 0.95
    assert done.share_wasted < 0.05
    assert done.found(site.all) > 0.99, "what it really does"
    assert done.share_wasted < 0.03, "what it really does"


def shop(path: str) -> Sequence[str] | None:
    """Thirty categories, each of whose pages names the first five, though there are nine."""
    base, _, number = path.partition("?page=")
    if path == "/":
        return [f"/category/{n}" for n in range(30)]
    if path.startswith("/product/"):
        return ["/"]
    if not base.startswith("/category/") or not 1 <= int(number or 1) <= 9:
        return None
    category, page = base.removeprefix("/category/"), int(number or 1)
    products = [f"/product/{category}-{page}-{n}" for n in range(12)]
    return ["/", *products, *(f"{base}?page={n}" for n in range(2, 6))]


def test_a_shop_is_found_beyond_the_pages_it_names() -> None:
    done = crawl(shop)
    wanted = [f"/product/{c}-{p}-{n}" for c in range(30) for p in range(1, 10) for n in range(12)]
    assert done.found(wanted) == 1.0
    # One page too many in each category, and nothing at the well-known paths.
    assert len(done.wasted) == 30 + len(archives.NAMES)
    assert done.share_wasted < 0.02


def wordpress(path: str) -> Sequence[str] | None:
    """Sixty posts by month; short links that redirect to nothing new; ten posts a page."""
    months = [(2024, m) for m in range(1, 13)] + [(2025, m) for m in range(1, 7)]
    posts = {f"/{y}/{m:02d}/post-{y}-{m}-{n}/": (y, m, n) for y, m in months for n in range(4)}
    newest = list(reversed(posts))
    if path == "/":
        return [*newest[:10], "/page/2/", "/?p=7", "/?p=8", "/?p=9"]
    if path in posts or path in ("/?p=7", "/?p=8", "/?p=9"):
        return ["/"]
    parts = path.strip("/").split("/")
    if parts[0] == "page" and 2 <= int(parts[1]) <= 3:
        number = int(parts[1])
        later = [f"/page/{number + 1}/"] if number < 3 else []
        return ["/", *newest[(number - 1) * 10 : number * 10], *later]
    if len(parts) == 2 and parts[0].isdigit():
        return [p for p, (y, m, _) in posts.items() if [f"{y}", f"{m:02d}"] == parts] or None
    return None


def test_a_blog_is_found_by_its_months() -> None:
    done = crawl(wordpress)
    posts = [path for path in done.visited if "/post-" in path]
    assert len(posts) == 72
    assert not any(path.startswith("/?p=") and role for path, role in done.visited.items())
    assert len(done.wasted) <= POLICY.allowance + POLICY.trial


def blog(path: str) -> Sequence[str] | None:
    """Dated posts without archives, of which every page names the first three listing pages."""
    posts = [f"/{2026 - n // 60}/{12 - n // 5 % 12:02d}/01/post-{n}" for n in range(12, 412)]
    number = path.removeprefix("/page/") if path != "/" else "1"
    if path in posts:
        return ["/"]
    if not number.isdigit() or not 1 <= int(number) <= 20:
        return None
    page = int(number)
    return ["/", "/page/2", "/page/3", *posts[(page - 1) * 20 : page * 20]]


def test_a_listing_is_followed_although_archives_were_looked_for_in_vain() -> None:
    done = crawl(blog)
    assert sum("/post-" in path for path in done.visited) == 400
    assert done.share_wasted < 0.03


def test_a_site_with_neither_is_hardly_bothered() -> None:
    def site(path: str) -> Sequence[str] | None:
        if path == "/":
            return [f"/item/{n}" for n in range(300)]
        return ["/"] if path.startswith("/item/") else None

    done = crawl(site)
    assert done.wasted == list(archives.NAMES)


# Sites that mean ill


class CountedKey(str):
    """Tells how many pages of its listing were spelled."""

    __slots__ = ()
    spelled = 0

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        CountedKey.spelled += 1
        return super().replace(old, new, count)


def test_a_gap_of_a_hundred_thousand_is_not_walked() -> None:
    """Another listing has earned guesses, the wide one none: each page of its gap was looked at."""
    rules = seen(HostRules(), "/", "/l?page=2", "/l?page=3", "/l?page=99999")
    (key,) = rules.series
    wide = replace(rules.series[key], between=1, missed=(4, 5, 6))
    rich = PageSeries(2, 4, has_neighbours=True, read=4, filled=4, beyond=30)
    names = dict.fromkeys(archives.NAMES, PathAnswer.MISS)
    series = {CountedKey(key): wide, "/m?page={n}": rich}
    rules = replace(rules, series=series, names=names)
    asked = guesses(rules, 0, waiting=100)
    assert asked == ["/m?page=5"]
    assert CountedKey.spelled <= POLICY.at_once


def within_budget(done: Crawl, policy: GuessPolicy = POLICY) -> None:
    """What is wasted beyond is paid for by what was brought, or is one of few trials."""
    usual = max(policy.allowance, policy.share * len(done.visited))
    earned = policy.earned * total(done.rules).hits
    assert len(done.wasted) <= usual + earned + 2 * policy.trial


LURES = (
    "/2025/03/04/slug", "/2024/", "/news/2025/11/", "/l?page=1", "/l?page=2", "/l?page=99999",
    "/blog/page/2", "/blog/page/3", "/m?start=20", "/m?start=40", "/m?start=9980",
)  # fmt: skip


def test_one_that_has_nothing_but_lures() -> None:
    done = crawl(lambda path: LURES if path == "/" else None, check=within_budget)
    assert done.wasted


def test_one_that_answers_everything_with_the_same_page() -> None:
    done = crawl(lambda _: LURES, check=within_budget)
    assert len(done.visited) <= len(LURES) + 1 + POLICY.allowance + 2 * POLICY.trial


def test_one_that_is_good_until_it_is_trusted() -> None:
    asked = 0

    def site(path: str) -> Sequence[str] | None:
        nonlocal asked
        asked += 1
        good = asked < 400 or "?" not in path
        return [*LURES, *(f"/a/{asked}-{n}" for n in range(3))] if good else None

    done = crawl(site, most=1_500, check=within_budget)
    assert total(done.rules).hits > 10


def test_one_that_goes_on_and_on() -> None:
    """What always brings something new is no waste; and still it has an end."""
    policy = replace(POLICY, most_beyond=20)
    lures = [lure.replace("99999", "99") for lure in LURES]
    guessed = crawl(
        lambda path: [f"{path}x"] if path.startswith(("/l", "/b", "/m", "/2")) else lures,
        most=1_000,
        policy=policy,
        check=within_budget,
    )
    assert max(series.beyond for series in guessed.rules.series.values()) == 20
