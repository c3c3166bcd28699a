"""Whatever a host shows, are guesses few, bounded and never repeated in vain? (DISC-2, DISC-3)"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.discover import archives, pagination
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import merged, observe, propose, remembered, tallies, total
from tenax.discover.sights import Result
from tenax.model import HostRules, Role
from tenax.urls import paging
from tests.unit.discover.guessing import HOME, NOW

POLICY = GuessPolicy(most_series=8, most_archives=4)

numbers = st.integers(0, 12) | st.integers(0, 3_000)
paths = st.one_of(
    st.builds("/l?page={}".format, numbers),
    st.builds("/{}/page/{}".format, st.sampled_from("ab"), numbers),
    st.builds("/l?start={}".format, numbers.map(lambda n: n * 20)),
    st.builds("/?p={}".format, numbers),
    st.builds("/item/{}".format, numbers),
    st.builds(
        "{}/{}/{:02d}/{}".format,
        st.sampled_from(["", "/news"]), st.integers(1988, 2027), st.integers(1, 13),
        st.sampled_from(["", "slug", "17/slug"]),
    ),
    st.builds("/{}/".format, st.integers(1988, 2027)),
    st.sampled_from(["/", "/about", *archives.NAMES]),
)  # fmt: skip
results = st.sampled_from(list(Result))
visits = st.lists(
    st.tuples(paths, st.sampled_from(list(Role)), results, st.lists(paths, max_size=4)),
    max_size=30,
)


def learned(
    steps: list[tuple[str, Role, Result, list[str]]], *, guessing: bool = True
) -> HostRules:
    rules = HostRules()
    for number, (path, role, result, found) in enumerate(steps):
        urls = [f"{HOME}{each}" for each in found]
        rules = observe(rules, f"{HOME}{path}", role, result, urls, NOW + number, POLICY)
        if guessing:
            rules, _ = propose(rules, number, NOW + number, POLICY)
    return rules


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3), results)
def test_no_text_makes_it_raise(url: str, found: list[str], result: Result) -> None:
    for each in (url, f"https://{url}", f"{HOME}/{url}"):
        rules = observe(HostRules(), each, Role.PAGE, result, found, NOW, POLICY)
        propose(rules, 10, NOW, POLICY)


@given(st.text(max_size=40).map("/{}".format) | paths)
def test_a_glance_misses_nothing_that_could_be_learned(path: str) -> None:
    lowered = path.lower()
    if paging.place_of(path) is not None:
        assert any(mark in lowered for mark in paging.MARKS)
    if archives.dated(path) is not None or path.removesuffix("/") in archives.NAMES:
        assert any(mark in lowered for mark in archives.MARKS)
    if archives._beside_ids(path, 2026):
        assert archives.may_be_id(f"{HOME}{path}")


@given(st.text(max_size=40).map("/{}".format) | paths)
def test_a_place_leads_back_to_its_path(path: str) -> None:
    place = paging.place_of(path)
    if place is not None:
        assert pagination.path_at(place.key, place.number) == path


@given(visits, st.integers(0, 5_000))
def test_proposals_are_bounded_and_new(
    steps: list[tuple[str, Role, Result, list[str]]], many: int
) -> None:
    rules = learned(steps)
    after, guesses = propose(rules, many, NOW + 100, POLICY)
    tally, budget = total(rules), max(POLICY.allowance, POLICY.share * many)
    budget += POLICY.earned * tally.hits + 2 * POLICY.trial
    if guesses:
        assert tally.misses + len(rules.asked) + len(guesses) <= budget
    assert len(after.asked) <= max(POLICY.at_once, len(rules.asked))
    urls = [guess.url for guess in guesses]
    assert len(set(urls)) == len(urls)
    assert not {url.removeprefix(HOME) for url in urls} & set(rules.asked)
    assert len(after.series) <= POLICY.most_series
    assert len(after.archives) <= POLICY.most_archives


@given(visits)
def test_never_more_than_one_page_beyond_the_last(
    steps: list[tuple[str, Role, Result, list[str]]],
) -> None:
    rules, _ = propose(learned(steps), 10_000, NOW + 100, POLICY)
    beyond: dict[str, int] = {}
    for path in rules.asked:
        place = paging.place_of(path)
        if place is not None and place.key in rules.series:
            series = rules.series[place.key]
            if place.number > series.high:
                assert place.number <= series.high + pagination.step(series) or series.ended
                beyond[place.key] = beyond.get(place.key, 0) + 1
    assert max(beyond.values(), default=0) <= 1


@given(visits, visits)
def test_what_ended_is_never_guessed_again(
    before: list[tuple[str, Role, Result, list[str]]],
    after: list[tuple[str, Role, Result, list[str]]],
) -> None:
    rules = learned(before)
    ended = {key for key, series in rules.series.items() if series.ended}
    missed = {key: series.missed for key, series in rules.series.items()}
    for number, (path, role, result, found) in enumerate(after):
        urls = [f"{HOME}{each}" for each in found]
        rules = observe(rules, f"{HOME}{path}", role, result, urls, NOW + number, POLICY)
        rules, guesses = propose(rules, 10_000, NOW + number, POLICY)
        for guess in guesses:
            place = paging.place_of(guess.url.removeprefix(HOME))
            assert place is None or place.key not in ended
    for key in ended & rules.series.keys():
        assert rules.series[key].ended
        assert set(missed[key]) <= set(rules.series[key].missed)


@given(visits, visits)
def test_two_views_are_merged_whichever_comes_first(
    one: list[tuple[str, Role, Result, list[str]]],
    other: list[tuple[str, Role, Result, list[str]]],
) -> None:
    wide = replace(POLICY, most_series=100, most_archives=100)
    mine, theirs = learned(one), learned(other)
    together, turned = merged(mine, theirs, wide), merged(theirs, mine, wide)
    assert replace(together, asked={}) == replace(turned, asked={})
    assert tallies(together) == tallies(turned)
    assert merged(mine, mine, wide) == mine
    again = merged(together, theirs, wide)
    assert replace(again, asked={}) == replace(together, asked={})
    for view in (mine, theirs):
        for key, series in view.series.items():
            assert not series.ended or together.series[key].ended
        assert total(together).misses >= sum(len(each.missed) for each in view.series.values())
    remembered(together)
