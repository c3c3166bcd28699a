"""Is a proxy banned for its own failures and for nothing else, and who goes next? (FE-11)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.fetch.proxies.choice import (
    ProxyPolicy,
    ProxyTry,
    Remark,
    Strategy,
    after,
    anew,
    believed,
    choose,
    disabled,
    enabled,
    parse_proxy,
    remark,
    replay,
    usable_from,
    verdicts,
    with_login,
)
from tenax.model import (
    Failure,
    Fault,
    Forbidden,
    Headers,
    Proxy,
    ProxyAddress,
    ProxyEvent,
    ProxyHealth,
    ProxyReport,
    ProxyScheme,
    Response,
)

POLICY = ProxyPolicy()
NOW = 1_790_000_000.0
NEW = ProxyHealth()
ANSWERED, FAILED, SHUNNED = ProxyEvent.ANSWERED, ProxyEvent.FAILED, ProxyEvent.SHUNNED


def report(event: ProxyEvent, at: float = NOW, ms: float = 100.0) -> ProxyReport:
    return ProxyReport(1, event, at, ms)


def happened(*events: ProxyEvent, at: float = NOW, health: ProxyHealth = NEW) -> ProxyHealth:
    return replay(health, [report(event, at) for event in events], POLICY)


# -- Bans


def test_three_failures_in_a_row_ban_for_five_minutes() -> None:
    assert happened(FAILED, FAILED).banned_until == 0
    assert happened(FAILED, FAILED, FAILED).banned_until == NOW + 300


def test_an_answer_ends_the_row() -> None:
    health = happened(FAILED, FAILED, ANSWERED, FAILED, FAILED)
    assert health.banned_until == 0
    assert (health.successes, health.failures) == (1, 4)


def test_being_turned_away_by_a_site_bans_at_once() -> None:
    assert happened(SHUNNED).banned_until == NOW + 300


def test_what_was_under_way_when_it_was_banned_adds_no_ban() -> None:
    health = happened(SHUNNED, SHUNNED, *[FAILED] * 9)
    assert (health.bans, health.banned_until) == (1, NOW + 300)
    assert health.failures == 11


def test_after_a_ban_the_row_starts_anew() -> None:
    later = happened(FAILED, FAILED, at=NOW + 301, health=happened(*[FAILED] * 3))
    assert later.bans == 1


def test_the_tenth_ban_puts_it_out_of_service() -> None:
    health = NEW
    for number in range(1, 11):
        assert usable_from(health) is not None
        health = happened(SHUNNED, at=NOW + number * 400, health=health)
        assert health.bans == number
    assert usable_from(health) is None
    assert health.disabled == "after 10 bans"


def test_a_hundred_answers_in_a_row_make_up_for_one_ban() -> None:
    banned = happened(SHUNNED, at=NOW + 400, health=happened(SHUNNED))
    assert happened(*[ANSWERED] * 99, at=NOW + 800, health=banned).bans == 2
    assert happened(*[ANSWERED] * 100, at=NOW + 800, health=banned).bans == 1
    assert happened(*[ANSWERED] * 200, at=NOW + 800, health=banned).bans == 0


def test_enabling_forgets_bans_and_keeps_figures() -> None:
    health = enabled(disabled(happened(ANSWERED, SHUNNED)))
    assert usable_from(health) == 0
    assert (health.successes, health.failures, health.bans) == (1, 1, 0)


def test_resetting_forgets_everything() -> None:
    assert anew(happened(ANSWERED, SHUNNED)) == NEW


def test_disabled_stays_disabled_whatever_happens() -> None:
    assert usable_from(happened(ANSWERED, SHUNNED, health=disabled(NEW))) is None


# -- Figures


def test_the_average_time_follows_the_newest_answers() -> None:
    health = replay(NEW, [report(ANSWERED, ms=100)] * 5, POLICY)
    assert health.average_ms == pytest.approx(100)
    health = replay(health, [report(ANSWERED, ms=500)] * 50, POLICY)
    assert health.average_ms == pytest.approx(500, rel=0.01)


def test_failures_leave_the_average_time_alone() -> None:
    assert happened(ANSWERED, FAILED, SHUNNED).average_ms == 100


def test_the_last_use_never_goes_back() -> None:
    health = replay(NEW, [report(FAILED, NOW), report(ANSWERED, NOW - 5)], POLICY)
    assert health.last_used_at == NOW


events = st.lists(st.tuples(st.sampled_from(ProxyEvent), st.floats(0, 1000)), max_size=40)


@given(events)
def test_every_event_is_counted_once(happening: list[tuple[ProxyEvent, float]]) -> None:
    health = replay(NEW, [report(event, NOW + at) for event, at in happening], POLICY)
    counted = Counter(event for event, _ in happening)
    assert health.successes == counted[ANSWERED]
    assert health.failures == counted[FAILED] + counted[SHUNNED]
    assert 0 <= health.bans <= POLICY.bans


@given(events, events)
def test_reports_of_two_processes_add_up_in_any_order(
    mine: list[tuple[ProxyEvent, float]], theirs: list[tuple[ProxyEvent, float]]
) -> None:
    ours = [report(event, NOW + at) for event, at in mine]
    others = [report(event, NOW + at) for event, at in theirs]
    one, other = replay(NEW, ours + others, POLICY), replay(NEW, others + ours, POLICY)
    assert (one.successes, one.failures) == (other.successes, other.failures)
    assert one.last_used_at == other.last_used_at


@given(events)
def test_a_ban_never_gets_shorter_by_what_happens(
    happening: list[tuple[ProxyEvent, float]],
) -> None:
    health = NEW
    for event, at in happening:
        then = after(health, report(event, NOW + at), POLICY)
        assert then.banned_until >= health.banned_until
        health = then


# -- Strategies


def proxy(id: int, *, priority: int = 100, uses: int = 0) -> Proxy:
    address = ProxyAddress(ProxyScheme.HTTP, "127.0.0.1", 3000 + id)
    health = ProxyHealth(successes=uses)
    return Proxy(f"p{id}", address, id, priority=priority, health=health)


def picked(
    usable: Sequence[Proxy], strategy: Strategy, times: int, under_way: dict[int, int] | None = None
) -> list[int]:
    chosen, last, rng = [], 0, Random(1)
    for _ in range(times):
        one = choose(usable, strategy, last=last, under_way=under_way or {}, rng=rng)
        last = one.id
        chosen.append(one.id)
    return chosen


def test_round_robin_takes_them_in_turn() -> None:
    assert picked([proxy(2), proxy(1), proxy(7)], Strategy.ROUND_ROBIN, 5) == [1, 2, 7, 1, 2]


def test_round_robin_goes_on_behind_one_that_vanished() -> None:
    two = [proxy(1), proxy(3)]
    assert choose(two, Strategy.ROUND_ROBIN, last=2, under_way={}, rng=Random()).id == 3


def test_priority_takes_the_lowest_and_shares_among_equals() -> None:
    pool = [proxy(1, priority=50), proxy(2, priority=10), proxy(3, priority=10)]
    assert picked(pool, Strategy.PRIORITY, 4) == [2, 3, 2, 3]


def test_least_used_takes_the_one_with_the_fewest_uses() -> None:
    pool = [proxy(1, uses=5), proxy(2, uses=3), proxy(3, uses=9)]
    assert picked(pool, Strategy.LEAST_USED, 1) == [2]


def test_requests_under_way_count_as_uses() -> None:
    pool = [proxy(1, uses=5), proxy(2, uses=3)]
    assert picked(pool, Strategy.LEAST_USED, 1, {2: 4}) == [1]


def test_random_takes_any_and_only_by_its_dice() -> None:
    pool = [proxy(1), proxy(2), proxy(3)]
    chosen = picked(pool, Strategy.RANDOM, 300)
    assert set(chosen) == {1, 2, 3}
    assert picked(pool, Strategy.RANDOM, 300) == chosen
    assert min(Counter(chosen).values()) > 70


@given(st.sets(st.integers(1, 50), min_size=1), st.sampled_from(Strategy), st.integers(0, 60))
def test_every_strategy_chooses_one_of_those_offered(
    ids: set[int], strategy: Strategy, last: int
) -> None:
    usable = [proxy(id) for id in ids]
    assert choose(usable, strategy, last=last, under_way={}, rng=Random(2)) in usable


# -- Blame

OK = Response("http://a/", 200, Headers(), b"")
TURNED_AWAY = Response("http://a/", 403, Headers(), b"")
DEAD = Failure(Fault.PROXY, "refused")
NO_WAY = Failure(Fault.PROXY, "answered 503", proxy_alive=True)
CUT = Failure(Fault.RESET, "reset")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (OK, Remark.DELIVERED),
        (replace(OK, status=404), Remark.DELIVERED),
        (replace(OK, status=500), Remark.DELIVERED),
        (TURNED_AWAY, Remark.SHUNNED),
        (replace(OK, status=429), Remark.SHUNNED),
        (replace(OK, status=503), Remark.SHUNNED),
        (DEAD, Remark.DEAD),
        (NO_WAY, Remark.DOUBTFUL),
        (CUT, Remark.DOUBTFUL),
        (Failure(Fault.READ_TIMEOUT, "slow"), Remark.DOUBTFUL),
        (Failure(Fault.TLS, "somebody in between"), Remark.DOUBTFUL),
        (Failure(Fault.TOO_LARGE, "big"), Remark.DELIVERED),
        (Failure(Fault.DNS, "no such name"), Remark.OURS),
        (Failure(Fault.INTERNAL, "bug"), Remark.OURS),
        (Forbidden("10.0.0.1"), Remark.OURS),
    ],
)
def test_what_one_answer_tells_of_a_proxy(
    answer: Response | Failure | Forbidden, expected: Remark
) -> None:
    assert remark(answer, POLICY) is expected


def tries(*answers: Response | Failure | Forbidden) -> list[ProxyTry]:
    return [
        ProxyTry(proxy(i), each, remark(each, POLICY)) for i, each in enumerate(answers, start=1)
    ]


def told(*answers: Response | Failure | Forbidden) -> dict[int, ProxyEvent]:
    return {tried.proxy.id: event for tried, event in verdicts(tries(*answers))}


def test_a_dead_proxy_failed_and_the_next_one_answered() -> None:
    assert told(DEAD, OK) == {1: FAILED, 2: ANSWERED}


def test_a_proxy_turned_away_where_another_got_through_is_shunned() -> None:
    assert told(TURNED_AWAY, OK) == {1: SHUNNED, 2: ANSWERED}


def test_a_page_forbidden_to_everybody_bans_nobody() -> None:
    """Otherwise ten forbidden pages would put a whole pool out of service."""
    assert told(TURNED_AWAY, TURNED_AWAY, TURNED_AWAY) == {1: ANSWERED, 2: ANSWERED, 3: ANSWERED}


def test_two_turned_away_where_a_third_got_through_are_both_shunned() -> None:
    assert told(TURNED_AWAY, TURNED_AWAY, OK) == {1: SHUNNED, 2: SHUNNED, 3: ANSWERED}


def test_turned_away_with_nobody_else_to_ask_is_held_against_the_proxy() -> None:
    assert told(TURNED_AWAY) == {1: SHUNNED}
    assert told(TURNED_AWAY, DEAD) == {1: SHUNNED, 2: FAILED}


def test_no_way_through_one_proxy_is_its_failure_once_another_has_one() -> None:
    assert told(NO_WAY, CUT, OK) == {1: FAILED, 2: FAILED, 3: ANSWERED}


def test_a_host_nobody_can_reach_costs_no_proxy_anything() -> None:
    """Otherwise one dead host would ban every proxy there is."""
    assert told(NO_WAY, NO_WAY, CUT) == {}


def test_our_own_trouble_is_nobodys_fault() -> None:
    assert told(Forbidden("10.0.0.1")) == {}
    assert told(NO_WAY, Failure(Fault.DNS, "?")) == {}


def end_of(*answers: Response | Failure | Forbidden, in_service: int = 3) -> object:
    ending = believed(tries(*answers), in_service)
    return None if ending is None else ending.answer


def test_an_answer_ends_the_fetch_whatever_came_before() -> None:
    assert end_of(DEAD, TURNED_AWAY, OK) == OK


def test_dead_proxies_say_nothing_about_a_host() -> None:
    assert end_of(DEAD, DEAD, DEAD) is None


def test_one_proxy_is_not_believed_when_it_says_a_host_is_unreachable() -> None:
    assert end_of(DEAD, NO_WAY, DEAD) is None


def test_two_proxies_that_cannot_reach_a_host_are_believed() -> None:
    ending = end_of(DEAD, NO_WAY, NO_WAY)
    assert isinstance(ending, Failure)
    assert (ending.fault, ending.proxy_alive) == (Fault.CONNECT_REFUSED, False)
    assert "p2: answered 503; p3: answered 503" in ending.detail


def test_an_only_proxy_is_believed_for_want_of_another() -> None:
    ending = end_of(NO_WAY, in_service=1)
    assert isinstance(ending, Failure)
    assert ending.fault is Fault.CONNECT_REFUSED
    assert end_of(DEAD, in_service=1) is None


def test_what_two_proxies_saw_of_a_host_keeps_its_name() -> None:
    assert end_of(CUT, DEAD, CUT) == CUT


def test_turned_away_twice_is_the_sites_answer() -> None:
    assert end_of(TURNED_AWAY, DEAD, TURNED_AWAY) == TURNED_AWAY
    assert end_of(TURNED_AWAY, DEAD, DEAD) is None


every_answer = st.sampled_from([OK, TURNED_AWAY, DEAD, NO_WAY, CUT, Forbidden("10.0.0.1")])


@given(st.lists(every_answer, max_size=4), st.integers(1, 5))
def test_a_proxy_fault_is_never_what_a_host_gets_told(
    answers: list[Response | Failure | Forbidden], in_service: int
) -> None:
    ending = end_of(*answers, in_service=in_service)
    assert not (isinstance(ending, Failure) and ending.fault is Fault.PROXY)


# -- Addresses


@pytest.mark.parametrize(
    ("text", "shown", "login"),
    [
        ("http://10.0.0.1:3128", "http://10.0.0.1:3128", ("", "")),
        ("10.0.0.1:3128", "http://10.0.0.1:3128", ("", "")),
        ("HTTPS://Proxy.Example:443/", "https://proxy.example:443", ("", "")),
        ("socks5://me:pw@[::1]:1080", "socks5://[::1]:1080", ("me", "pw")),
        ("socks5h://a.example:1080", "socks5://a.example:1080", ("", "")),
        ("http://localhost:8080", "http://127.0.0.1:8080", ("", "")),
        ("http://me@a.example:1", "http://a.example:1", ("me", "")),
        ("http://u%40x:p%3a%2F@a.example:1", "http://a.example:1", ("u@x", "p:/")),
        ("http://u:p@ss:w/rd@a.example:1", "http://a.example:1", ("u", "p@ss:w/rd")),
    ],
)
def test_a_proxy_is_read_as_people_write_it(text: str, shown: str, login: tuple[str, str]) -> None:
    address = parse_proxy(text)
    assert str(address) == shown
    assert (address.username, address.password) == login


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hunter2",
        "http://a.example",
        "http://me:hunter2",
        "http://me:hunter2@a.example",
        "http://me:hunter2@a.example:0",
        "http://me:hunter2@a.example:99999",
        "ftp://me:hunter2@a.example:21",
        "http://me:hunter2@a.example:1/path",
        "http://me:hunter2@a b:1",
        f"http://me:hunter2{'x' * 250}@a.example:1",
        "http://me:hunter2%0d%0aX@a.example:1",
    ],
)
def test_what_is_no_proxy_is_refused_without_repeating_it(text: str) -> None:
    """SEC-3: a typing error must not put a password on the screen or into a log."""
    with pytest.raises(ValueError, match=r".") as caught:
        parse_proxy(text)
    assert "hunter2" not in str(caught.value)


@given(st.text(max_size=80))
def test_any_text_is_a_proxy_or_a_plain_refusal(text: str) -> None:
    try:
        address = parse_proxy(text)
    except ValueError:
        return
    assert 0 < address.port < 65_536
    assert address.host


def test_a_login_may_be_given_apart_from_the_address() -> None:
    address = with_login(parse_proxy("http://a.example:1"), "me", "pässwörd")
    assert (address.username, address.password) == ("me", "pässwörd")
