"""What may be asked for after each kind of answer to /robots.txt? (ROB-1, ROB-2)"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tenax.hosts.robots import MAX_BYTES, parse
from tenax.hosts.robots_policy import (
    Access,
    RobotsAnswer,
    RobotsPolicy,
    access,
    is_fresh,
    is_past,
    is_worth_retrying,
    record_answer,
    retry_delays,
    sign_of_robots,
)
from tenax.hosts.signs import AMBIGUOUS, OURS, URL_SPECIFIC, Probed, Sign, Unreached
from tenax.model import Breaker, Fault, HostTrouble, RobotsRecord
from tenax.outcome import SITE_WIDE

ORIGIN = "https://a.example"
POLICY = RobotsPolicy()
NOW = 1_000_000_000.0
HOUR, DAY = 3_600.0, 86_400.0
RULES = b"User-agent: *\nDisallow: /private/\n"


def after(
    *answers: RobotsAnswer, policy: RobotsPolicy = POLICY, every: float = HOUR
) -> RobotsRecord:
    """The record after these answers; the last one came at NOW."""
    record: RobotsRecord | None = None
    for age, answer in zip(reversed(range(len(answers))), answers, strict=True):
        record = record_answer(record, ORIGIN, answer, NOW - age * every, policy)
    assert record is not None
    return record


def answered(status: int, body: bytes = b"", cache_control: str = "") -> RobotsAnswer:
    return RobotsAnswer(status=status, body=body, cache_control=cache_control)


GOOD = answered(200, RULES)
UNREACHABLE = [
    *(answered(status) for status in (429, 500, 502, 503, 504, 599)),
    *(RobotsAnswer(fault=fault) for fault in Fault if fault is not Fault.TOO_MANY_REDIRECTS),
    RobotsAnswer(status=200, body=b"User-agent: *\n", fault=Fault.RESET),
    RobotsAnswer(),
    answered(101),
    answered(999),
]
UNAVAILABLE = [
    *(answered(status) for status in (400, 401, 402, 403, 404, 405, 408, 410, 418, 451)),
    *(answered(status) for status in (300, 301, 302, 307)),
    RobotsAnswer(fault=Fault.TOO_MANY_REDIRECTS),
    RobotsAnswer(status=301, fault=Fault.TOO_MANY_REDIRECTS),
]


@pytest.mark.parametrize("status", [200, 201, 203, 204, 206])
def test_a_success_means_rules(status: int) -> None:
    assert access(after(answered(status, RULES)), NOW, POLICY)[0] is Access.RULES


def test_a_success_keeps_the_text() -> None:
    record = after(GOOD)
    assert (record.text, record.good_at, record.error) == (RULES.decode(), NOW, "")


def test_the_rules_of_a_record_can_be_asked() -> None:
    assert not parse(after(GOOD).text).decide("/private/x", "tenax").allowed


@pytest.mark.parametrize("answer", UNAVAILABLE)
def test_an_unavailable_file_means_everything_is_allowed(answer: RobotsAnswer) -> None:
    assert access(after(answer), NOW, POLICY)[0] is Access.ALLOW_ALL


@pytest.mark.parametrize("answer", UNAVAILABLE)
def test_an_unavailable_file_makes_the_old_copy_void(answer: RobotsAnswer) -> None:
    assert after(GOOD, answer).good_at == 0


def test_a_refused_file_is_named_in_the_reason() -> None:
    assert "403" in access(after(answered(403)), NOW, POLICY)[1]


@pytest.mark.parametrize("answer", UNREACHABLE)
def test_an_unreachable_file_never_seen_means_nothing_is_allowed(answer: RobotsAnswer) -> None:
    assert access(after(answer), NOW, POLICY)[0] is Access.DISALLOW_ALL


@pytest.mark.parametrize("answer", UNREACHABLE)
def test_an_unreachable_file_leaves_the_last_good_copy_in_force(answer: RobotsAnswer) -> None:
    record = after(GOOD, answer)
    assert (access(record, NOW, POLICY)[0], record.text) == (Access.RULES, RULES.decode())


@pytest.mark.parametrize("answer", UNREACHABLE)
def test_an_unreachable_file_is_asked_for_again_after_an_hour(answer: RobotsAnswer) -> None:
    record = after(GOOD, answer)
    assert [is_fresh(record, NOW + HOUR - 1), is_fresh(record, NOW + HOUR)] == [True, False]


def test_a_good_copy_survives_many_failures_but_keeps_its_age() -> None:
    record = after(GOOD, *[answered(503)] * 5)
    assert record.good_at == NOW - 5 * HOUR


@pytest.mark.parametrize(
    ("age", "expected"),
    [(29 * DAY, Access.RULES), (30 * DAY, Access.RULES), (30 * DAY + 1, Access.DISALLOW_ALL)],
)
def test_the_last_good_copy_serves_for_thirty_days(age: float, expected: Access) -> None:
    record = after(GOOD, answered(503), every=0)
    assert access(record, NOW + age, POLICY)[0] is expected


def test_a_missing_file_that_becomes_unreachable_means_nothing_is_allowed() -> None:
    assert access(after(answered(404), answered(503)), NOW, POLICY)[0] is Access.DISALLOW_ALL


def test_an_unreachable_file_that_comes_back_counts_at_once() -> None:
    record = after(answered(503), GOOD)
    assert access(record, NOW, POLICY)[0] is Access.RULES


def test_the_reason_for_silence_names_the_fault() -> None:
    record = after(RobotsAnswer(fault=Fault.CONNECT_TIMEOUT, detail="10 s"))
    assert "connect_timeout: 10 s" in access(record, NOW, POLICY)[1]


LENIENT = replace(POLICY, on_error="allow")


@pytest.mark.parametrize("answer", UNREACHABLE)
def test_under_on_error_allow_an_unreachable_file_means_everything(answer: RobotsAnswer) -> None:
    assert access(after(answer), NOW, LENIENT)[0] is Access.ALLOW_ALL


def test_under_on_error_allow_the_last_good_copy_still_comes_first() -> None:
    assert access(after(GOOD, answered(503)), NOW, LENIENT)[0] is Access.RULES


def test_under_on_error_allow_the_reason_says_so() -> None:
    assert "robots_on_error = allow" in access(after(answered(503)), NOW, LENIENT)[1]


@pytest.mark.parametrize(
    ("cache_control", "life"),
    [
        ("", DAY),
        ("max-age=3600", HOUR),
        ("public, MAX-AGE = 3600, must-revalidate", HOUR),
        ('max-age="3600"', HOUR),
        ("max-age=10", 300.0),
        ("max-age=604800", DAY),
        ("max-age=0", DAY),
        ("max-age=-5", DAY),
        ("no-store, no-cache", DAY),
        ("s-maxage=60", DAY),
        ("x-max-age=60", DAY),
        ("max-age=" + "9" * 50, DAY),
        ("max-age=soon", DAY),
    ],
)
def test_cache_control_may_shorten_a_day_but_never_lengthen_it(
    cache_control: str, life: float
) -> None:
    assert after(answered(200, RULES, cache_control)).expires_at == NOW + life


def test_cache_control_does_not_postpone_the_next_try_at_an_unreachable_file() -> None:
    assert after(answered(503, b"", "max-age=86400")).expires_at == NOW + HOUR


def test_a_confirmed_copy_is_as_good_as_new() -> None:
    record = after(GOOD, answered(304))
    assert (record.text, record.good_at) == (RULES.decode(), NOW)


def test_a_confirmed_copy_means_rules() -> None:
    assert access(after(GOOD, answered(304)), NOW, POLICY)[0] is Access.RULES


def test_confirming_a_copy_we_never_had_means_nothing_is_allowed() -> None:
    assert access(after(answered(404), answered(304)), NOW, POLICY)[0] is Access.DISALLOW_ALL


def test_the_text_kept_has_no_characters_a_database_refuses() -> None:
    text = after(answered(200, b"\xef\xbb\xbfDisallow: /\x00caf\xe9\n")).text
    assert text == "Disallow: /caf%E9\n"


def test_a_transfer_may_cost_more_than_is_read() -> None:
    assert POLICY.max_bytes > MAX_BYTES


def test_retries_wait_two_and_four_seconds() -> None:
    assert retry_delays(POLICY) == (2.0, 4.0)


@pytest.mark.parametrize(
    ("answer", "worth"),
    [
        (answered(200), False),
        (answered(404), False),
        (answered(429), False),
        (answered(503), True),
        (RobotsAnswer(fault=Fault.READ_TIMEOUT), True),
        (RobotsAnswer(fault=Fault.TOO_MANY_REDIRECTS), False),
        (RobotsAnswer(fault=Fault.TLS), False),
        (RobotsAnswer(fault=Fault.TOO_LARGE), False),
    ],
)
def test_only_passing_failures_are_worth_a_second_try(answer: RobotsAnswer, worth: bool) -> None:
    assert is_worth_retrying(answer) is worth


# -- What it says about the host


def sign(answer: RobotsAnswer, *before: RobotsAnswer, policy: RobotsPolicy = POLICY) -> Sign | None:
    record = after(*before, answer, policy=policy)
    return sign_of_robots(answer, record, NOW - 1, NOW, policy)


def lost(fault: Fault) -> RobotsAnswer:
    return RobotsAnswer(fault=fault)


@pytest.mark.parametrize("fault", sorted(SITE_WIDE | AMBIGUOUS))
def test_a_host_that_cannot_be_reached_is_the_breakers_business(fault: Fault) -> None:
    assert sign(lost(fault)) == Unreached(NOW - 1, fault)


def test_with_a_copy_that_serves_or_no_need_of_one_it_is_a_failure_like_others() -> None:
    refused = lost(Fault.CONNECT_REFUSED)
    assert sign(refused, GOOD) == Probed(NOW - 1, Fault.CONNECT_REFUSED)
    careless = replace(POLICY, on_error="allow")
    assert sign(refused, policy=careless) == Probed(NOW - 1, Fault.CONNECT_REFUSED)


@pytest.mark.parametrize("fault", sorted((URL_SPECIFIC | OURS) - {Fault.TOO_MANY_REDIRECTS}))
def test_a_file_that_cannot_be_read_says_nothing_about_its_host(fault: Fault) -> None:
    assert sign(lost(fault)) is None


@pytest.mark.parametrize("status", [200, 304, 404, 429, 500])
def test_any_answer_of_its_own_shows_that_the_host_is_there(status: int) -> None:
    assert sign(answered(status)) == Probed(NOW - 1)


@pytest.mark.parametrize("status", [502, 503, 504])
def test_an_answer_of_what_stands_before_it_does_not(status: int) -> None:
    assert sign(answered(status)) == Probed(NOW - 1, Fault.BAD_GATEWAY)


def test_a_host_that_led_us_on_to_one_that_is_away_is_there() -> None:
    assert sign(RobotsAnswer(fault=Fault.DNS, is_elsewhere=True)) == Probed(NOW - 1)


def test_a_failure_to_reach_it_counts_until_the_breaker_may_probe() -> None:
    record = after(lost(Fault.DNS))
    assert not is_past(record, None)
    assert is_past(record, HostTrouble(breaker=Breaker(1, NOW + 30)))
    assert not is_past(record, HostTrouble(breaker=Breaker(1, NOW - 30)))


@pytest.mark.parametrize("status", [404, 429, 500, 503])
def test_what_it_answered_counts_whatever_the_breaker_does(status: int) -> None:
    """RFC 9309: an hour, or a day."""
    assert not is_past(after(answered(status)), HostTrouble(breaker=Breaker(1, NOW + 30)))


def test_no_failure_counts_from_before_a_person_reset_the_host() -> None:
    for answer in (answered(503), lost(Fault.DNS)):
        assert is_past(after(answer), HostTrouble(reset_at=NOW + 1))
        assert not is_past(after(answer), HostTrouble(reset_at=NOW - 1))
    assert not is_past(after(GOOD), HostTrouble(reset_at=NOW + 1))


def test_a_file_that_leads_to_a_host_that_is_away_is_asked_for_again_with_its_breaker() -> None:
    """And the copy serves meanwhile, as of any other that cannot be had."""
    good = record_answer(None, "https://a.example", RobotsAnswer(200, b"x"), 100.0, RobotsPolicy())
    led = RobotsAnswer(detail="leads to …", is_elsewhere=True, again_at=530.0)
    away = record_answer(good, "https://a.example", led, 500.0, RobotsPolicy())
    assert (away.expires_at, away.good_at, away.text) == (530.0, 100.0, "x")
    assert access(away, 500.0, RobotsPolicy())[0] is Access.RULES
    assert sign_of_robots(led, away, 499.0, 500.0, RobotsPolicy()) == Probed(499.0)
