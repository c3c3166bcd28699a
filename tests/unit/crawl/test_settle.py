"""Every way a visit can end has exactly one consequence (FR-1, FE-6, FE-7)."""

from __future__ import annotations

from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.crawl.policy import RetryPolicy
from tenax.crawl.settle import Admitted, Lesson, Visit, settle, taught
from tenax.model import (
    FOR_A_BROWSER,
    Copy,
    Directives,
    Fault,
    Host,
    HostRules,
    LeasedTarget,
    Pace,
    Page,
    Reason,
    State,
    Target,
    Url,
)
from tenax.outcome import (
    NEVER_THE_TARGETS,
    RETRYABLE,
    Attempt,
    Duplicate,
    End,
    Failed,
    Garbage,
    Gone,
    Kept,
    Later,
    Moved,
    Outcome,
    Priced,
    Read,
    Refused,
    Settlement,
    Stale,
    Throttled,
    Unchanged,
    Unrendered,
    Waiting,
)
from tenax.urls.priority import LEAST

NOW = 1_790_000_000.0
POLICY = RetryPolicy(jitter=0.0)
PAGE = Page("https://a.example/", 200, "text/html", b"<p>x", NOW)
HIDDEN = Page("https://a.example/", 200, "text/html", b"<p>x", NOW, directives=Directives(True))
HOST = Host("a.example", "https://a.example", pace=Pace(backoff_until=NOW + 60))

ENDINGS: dict[Outcome, State] = {
    Read(PAGE): State.DONE,
    Read(HIDDEN): State.DONE,
    Unchanged(304): State.DONE,
    Duplicate(7): State.DONE,
    Stale(Fault.DNS): State.DONE,
    Moved("https://b.example/", 301, True): State.DONE,
    Gone(410): State.GONE,
    Garbage("captcha", "please prove"): State.REJECTED,
    Refused(Reason.ROBOTS, "line 3"): State.BLOCKED,
    Priced("1 EUR"): State.BLOCKED,
    Failed(Fault.TOO_LARGE, "over the limit"): State.FAILED,
    Throttled(429, 60.0): State.PENDING,
    Waiting(NOW + 9, "robots.txt"): State.PENDING,
    Unrendered("empty_shell", "no words"): State.PENDING,
    Failed(Fault.DNS, "no such host"): State.PENDING,
}


def visit(
    outcome: Outcome, attempts: int = 0, offer: Admitted | None = None, copy: Copy | None = None
) -> Settlement:
    leased = LeasedTarget(1, 2, "https://a.example/", 0, 5, attempts, copy)
    attempt = Attempt(NOW, outcome.word)
    visited = Visit(leased, 3, HOST, outcome, attempt, b"h" * 32, offer or Admitted())
    return settle(visited, NOW, POLICY, Random(0))


def test_every_outcome_there_is_has_an_ending_here() -> None:
    assert {type(outcome) for outcome in ENDINGS} == set(get_args(Outcome))


@pytest.mark.parametrize("outcome", ENDINGS, ids=lambda o: f"{o.word}-{ENDINGS[o]}")
def test_an_outcome_leads_to_its_state(outcome: Outcome) -> None:
    settled = visit(outcome)
    state = settled.next.state if isinstance(settled.next, End) else State.PENDING
    assert state is ENDINGS[outcome]


@pytest.mark.parametrize("outcome", ENDINGS, ids=lambda o: f"{o.word}-{ENDINGS[o]}")
def test_an_ending_says_why(outcome: Outcome) -> None:
    assert visit(outcome).next.reason


def test_only_a_read_page_that_may_be_indexed_is_stored() -> None:
    stored = {outcome for outcome in ENDINGS if visit(outcome).page is not None}
    assert stored == {Read(PAGE)}


def test_what_a_visit_found_and_learned_is_in_its_settlement() -> None:
    offer = Admitted(rejected={Reason.TRAP: 2}, kept=(("https://a.example/t", Reason.TRAP),))
    settled = visit(Read(PAGE), offer=offer)
    assert settled.rejected == {Reason.TRAP: 2}
    assert settled.kept_rejections == offer.kept
    assert settled.host is HOST
    assert (settled.target_id, settled.job_id, settled.assignment_id) == (1, 2, 3)
    assert settled.attempt is not None


def test_what_a_visit_taught_is_written_with_it() -> None:
    settled = visit(Read(PAGE))
    guess = Target("https://a.example/2", Url("https://a.example/2"), b"k", "a.example",
                   "https://a.example", 1, 5)  # fmt: skip
    rules, later = HostRules(origin="https://a.example"), replace(HOST, visits=9)
    with_it = taught(settled, Lesson((guess,), rules), later)
    assert (with_it.found, with_it.learned, with_it.host) == ((guess,), rules, later)
    assert replace(with_it, found=(), learned=None, host=HOST) == settled


def test_a_visit_that_taught_nothing_is_settled_as_it_was() -> None:
    settled = visit(Read(PAGE))
    assert taught(settled, Lesson(), HOST) is settled


def test_a_throttled_target_waits_for_its_host_and_spends_nothing() -> None:
    assert visit(Throttled(429, 60.0)).next == Later(NOW + 60, counts=False, reason="http 429")


def test_a_waiting_target_spends_nothing() -> None:
    assert visit(Waiting(NOW + 9, "why")).next == Later(NOW + 9, counts=False, reason="why")


@pytest.mark.parametrize(("priority", "sinks"), [(0, 0), (3, 0), (5, 0), (12, 7)])
def test_a_target_that_is_put_off_sinks_and_never_rises(priority: int, sinks: int) -> None:
    assert visit(Waiting(NOW, "why", priority)).next == Later(NOW, False, "why", sinks)


@pytest.mark.parametrize("fault", Fault)
def test_a_fault_is_retried_for_ever_or_twice_or_never(fault: Fault) -> None:
    """FE-7, FE-8: what is the host's fault or a proxy's costs the target no attempt."""
    first, second, third = (visit(Failed(fault, "x"), spent).next for spent in (0, 1, 2))
    if fault in NEVER_THE_TARGETS:
        assert first == second == third == Later(NOW + 1, counts=False, reason=f"{fault}: x")
    elif fault in RETRYABLE:
        assert first == Later(NOW + 1, counts=True, reason=f"{fault}: x")
        assert second == Later(NOW + 2, counts=True, reason=f"{fault}: x")
        assert third == End(State.FAILED, f"{fault}: x", fault, "x")
    else:
        assert first == End(State.FAILED, f"{fault}: x", fault, "x")


@given(spent=st.integers(0, 20), wait=st.none() | st.floats(0, 1e9))
def test_a_failure_never_leads_to_the_past(spent: int, wait: float | None) -> None:
    after = visit(Failed(Fault.RESET, "x", retry_after=wait), spent).next
    assert isinstance(after, End) or after.at > NOW


# Visited again: what becomes of the page that is there (FE-4, FE-5).

COPY = Copy(fetched_at=NOW - 60)
CONFIRMED = Unchanged(304, "304", '"v2"', "Sun, 06 Nov 1994 08:49:37 GMT")


@pytest.mark.parametrize("outcome", ENDINGS, ids=lambda o: f"{o.word}-{ENDINGS[o]}")
def test_without_a_copy_nothing_is_said_of_one(outcome: Outcome) -> None:
    settled = visit(outcome)
    assert (settled.renews, settled.kept, settled.stale) == (False, None, "")


@pytest.mark.parametrize("outcome", ENDINGS, ids=lambda o: f"{o.word}-{ENDINGS[o]}")
def test_a_copy_is_replaced_confirmed_dropped_or_marked_stale(outcome: Outcome) -> None:
    settled = visit(outcome, copy=COPY)
    assert settled.renews
    match outcome:
        case Read():
            assert settled.kept is (Kept.DROPPED if outcome.page is HIDDEN else None)
        case Unchanged():
            assert settled.kept is Kept.CHECKED
        case _ if isinstance(settled.next, Later):
            assert settled.kept is None, "the visit is not over"
        case _:
            assert settled.kept is Kept.STALE
            assert settled.stale == str(getattr(outcome, "fault", outcome.word))
    assert (settled.kept is Kept.STALE) == bool(settled.stale)


def test_what_nobody_was_asked_about_is_not_confirmed() -> None:
    """FE-5: else a copy served from the cache would get younger by that, and never be asked."""
    leased = LeasedTarget(1, 2, "https://a.example/", 0, 5, 0, COPY)
    served = Visit(leased, 3, HOST, Unchanged(None, "cache"), attempt=None)
    settled = settle(served, NOW, POLICY, Random(0))
    assert settled.kept is None
    assert settled.next == End(State.DONE, "unchanged: cache")


def test_what_confirmed_it_is_in_the_reason_and_the_validators_are_kept() -> None:
    settled = visit(CONFIRMED, copy=COPY)
    assert settled.next == End(State.DONE, "unchanged: 304")
    assert settled.validators == (CONFIRMED.etag, CONFIRMED.last_modified)


def test_a_stale_copy_ends_the_visit_and_says_what_failed() -> None:
    settled = visit(Stale(Fault.BAD_GATEWAY, "http 502", 502), copy=COPY)
    assert settled.next == End(State.DONE, "stale: bad_gateway")


def test_a_validator_of_any_length_is_kept_short() -> None:
    settled = visit(Unchanged(304, "304", '"' + "x" * 60_000 + '"'), copy=COPY)
    assert len(settled.validators[0]) == 1_000


@pytest.mark.parametrize(
    ("outcome", "stands"),
    [
        (Read(PAGE), 0),
        (Garbage("captcha", "please prove"), 0),
        (Unchanged(200, "same bytes"), 0),
        (Failed(Fault.INTERNAL, "killed its worker: SIGSEGV"), 1),
        (Stale(Fault.INTERNAL), 1),
        (Unchanged(304), None),
        (Gone(404), None),
        (Throttled(429, 60.0), None),
        (Failed(Fault.DNS, "no such host"), None),
    ],
    ids=lambda value: str(getattr(value, "word", value)),
)
def test_the_deaths_of_its_readers_stand_against_a_target_until_it_was_read(
    outcome: Outcome, stands: int | None
) -> None:
    leased = LeasedTarget(1, 2, "https://a.example/", 0, 5, 0, crashes=2)
    visited = Visit(leased, 3, HOST, outcome, Attempt(NOW, outcome.word))
    assert settle(visited, NOW, POLICY, Random(0)).crashes == stands
    # Of all others nothing is written: there is nothing to forget.
    assert visit(outcome).crashes is None


@pytest.mark.parametrize(
    "outcome", [Waiting(NOW + 9, "interrupted"), Throttled(429, 60.0), Unrendered("challenge", "")]
)
def test_what_waits_for_a_browser_goes_on_waiting_for_one(outcome: Outcome) -> None:
    """Or a worker without one would take it, ask in vain, and put it back."""
    leased = LeasedTarget(1, 2, "https://a.example/", 0, 5, 0, for_browser=True)
    next = settle(Visit(leased, 3, HOST, outcome, None), NOW, POLICY, Random(0)).next
    assert isinstance(next, Later)
    assert (next.at, next.counts) == (FOR_A_BROWSER, False)


def test_what_waits_for_a_browser_stands_behind_all_that_others_claim() -> None:
    """Claims walk their index by priority: 100,000 of these in front cost each of them 48 ms."""
    next = visit(Unrendered("empty_shell", "")).next
    assert isinstance(next, Later)
    assert 5 + next.sinks >= LEAST
