"""By which client is a host asked? (FE-9)"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.fetch.client_choice import ClientTry, WayPolicy, after, first, learn
from tenax.model import Client, Fault, Habit
from tenax.outcome import Failed, Garbage, Gone, Outcome

NOW = 1_790_000_000.0
POLICY = WayPolicy()
ALL = frozenset(Client)
HTTP, CURL, BROWSER = Client
DAY = 86_400.0


def next_of(client: Client, outcome: Outcome | None, *, js: bool = False) -> Client | None:
    return after(client, outcome, js, ALL, Habit(), NOW)


def taught(*tries: tuple[tuple[Client, bool], ...], habit: Habit | None = None) -> Habit:
    habit = habit or Habit()
    for page in tries:
        habit = learn(habit, [ClientTry(*each) for each in page], NOW, POLICY)
    return habit


SAVED = ((HTTP, False), (BROWSER, True))


@pytest.mark.parametrize("fault", [Fault.RESET, Fault.TLS, Fault.PROTOCOL])
def test_what_servers_do_to_clients_they_dislike_goes_to_the_next_one(fault: Fault) -> None:
    assert next_of(HTTP, Failed(fault, "")) is CURL
    assert next_of(CURL, Failed(fault, "")) is BROWSER
    assert next_of(BROWSER, Failed(fault, "")) is None


@pytest.mark.parametrize(
    "outcome",
    [Failed(Fault.DNS, ""), Failed(Fault.SERVER_ERROR, ""), Gone(404), Garbage("captcha", ""),
     Failed(Fault.CONNECT_REFUSED, ""), Failed(Fault.READ_TIMEOUT, ""), None],
)  # fmt: skip
def test_what_would_meet_any_client_goes_to_none(outcome: Outcome | None) -> None:
    assert next_of(HTTP, outcome) is None


def test_a_page_that_needs_javascript_goes_to_the_browser_at_once() -> None:
    assert next_of(HTTP, Garbage("needs_javascript", ""), js=True) is BROWSER
    assert next_of(BROWSER, Garbage("needs_javascript", ""), js=True) is None


def test_a_client_that_is_not_installed_is_passed_over() -> None:
    reset = Failed(Fault.RESET, "")
    assert after(HTTP, reset, False, {HTTP, BROWSER}, Habit(), NOW) is BROWSER
    assert after(HTTP, reset, False, {HTTP}, Habit(), NOW) is None


def test_three_pages_in_a_row_teach_the_host_for_a_day() -> None:
    assert first(taught(SAVED, SAVED), NOW, None) is HTTP
    habit = taught(SAVED, SAVED, SAVED)
    assert first(habit, NOW, None) is BROWSER
    assert first(habit, NOW + DAY - 1, None) is BROWSER
    assert first(habit, NOW + DAY, None) is HTTP


def test_a_page_the_main_client_got_ends_the_row() -> None:
    assert first(taught(SAVED, SAVED, ((HTTP, True),), SAVED), NOW, None) is HTTP


def test_successes_of_different_clients_are_no_row() -> None:
    by_curl = ((HTTP, False), (CURL, True))
    assert first(taught(SAVED, by_curl, SAVED), NOW, None) is HTTP
    assert first(taught(by_curl, by_curl, by_curl), NOW, None) is CURL


def test_now_and_then_the_main_client_is_tried_again_and_may_win() -> None:
    alone = ((BROWSER, True),)
    habit = taught(SAVED, SAVED, SAVED, *[alone] * (POLICY.recheck - 1))
    assert first(habit, NOW, None) is BROWSER
    habit = taught(alone, habit=habit)
    assert first(habit, NOW, None) is HTTP
    assert taught(((HTTP, True),), habit=habit) == Habit()
    assert first(taught(SAVED, habit=habit), NOW, None) is BROWSER, "believed anew"


def test_a_person_may_insist() -> None:
    assert first(Habit(), NOW, BROWSER) is BROWSER


LOST = ((HTTP, False), (CURL, False), (BROWSER, False))


def test_a_host_nobody_gets_a_page_from_is_not_asked_thrice_each_time() -> None:
    habit = taught(LOST, LOST, LOST)
    reset = Failed(Fault.RESET, "")
    assert after(HTTP, reset, False, ALL, Habit(), NOW) is CURL
    assert after(HTTP, reset, False, ALL, habit, NOW) is None
    assert after(HTTP, reset, False, ALL, habit, NOW + POLICY.respite) is CURL


def test_one_page_nobody_could_get_does_not_switch_the_others_off() -> None:
    reset = Failed(Fault.RESET, "")
    assert after(HTTP, reset, False, ALL, taught(LOST), NOW) is CURL
    assert after(HTTP, reset, False, ALL, taught(LOST, LOST), NOW) is CURL


def test_where_another_client_has_got_something_it_is_never_switched_off() -> None:
    """Such a host answers nobody else: an hour without it would be an hour of dead letters."""
    reset = Failed(Fault.RESET, "")
    by_curl = ((HTTP, False), (CURL, True))
    habit = taught(by_curl, *[LOST] * 10)
    assert after(HTTP, reset, False, ALL, habit, NOW) is CURL


def test_what_was_learned_outlives_a_page_that_nobody_could_get() -> None:
    by_curl = ((HTTP, False), (CURL, True))
    habit = taught(by_curl, by_curl, by_curl, ((CURL, False), (BROWSER, False)))
    assert first(habit, NOW, None) is HTTP, "it may be the one that is welcome now"
    assert first(taught(by_curl, habit=habit), NOW, None) is CURL
    assert first(taught(((HTTP, True),), habit=habit), NOW, None) is HTTP


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(Client), st.booleans()), min_size=1, max_size=3),
        max_size=60,
    )
)
def test_whatever_happens_there_is_a_client_to_begin_with(
    pages: list[list[tuple[Client, bool]]],
) -> None:
    habit = taught(*(tuple(page) for page in pages))
    assert first(habit, NOW, None) in ALL
    assert 0 <= habit.wins <= POLICY.wins
    assert habit.until in (0.0, NOW + POLICY.remember)
