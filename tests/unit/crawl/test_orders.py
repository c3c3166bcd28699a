"""What may a job be ordered to do, and what does it become? (FR-7)"""

from __future__ import annotations

import pytest

from tenax.crawl.orders import Order, Refusal, obey
from tenax.model import JobState

RUNNING, PAUSED, STOPPED, DONE = (
    JobState.RUNNING, JobState.PAUSED, JobState.STOPPED, JobState.DONE,
)  # fmt: skip


@pytest.mark.parametrize(
    ("order", "state", "then"),
    [
        (Order.START, STOPPED, RUNNING),
        (Order.PAUSE, RUNNING, PAUSED),
        (Order.RESUME, PAUSED, RUNNING),
        (Order.STOP, RUNNING, STOPPED),
        (Order.STOP, PAUSED, STOPPED),
    ],
)
def test_a_sensible_order_is_obeyed(order: Order, state: JobState, then: JobState) -> None:
    assert obey(order, state, has_work=True) is then


@pytest.mark.parametrize(
    ("order", "state"),
    [
        (Order.START, RUNNING), (Order.PAUSE, PAUSED), (Order.RESUME, RUNNING),
        (Order.STOP, STOPPED),
    ],
)  # fmt: skip
def test_ordering_what_is_the_case_already_changes_nothing(order: Order, state: JobState) -> None:
    assert obey(order, state, has_work=False) is state


@pytest.mark.parametrize(
    ("order", "state", "instead"),
    [
        (Order.START, PAUSED, ("resume",)),
        (Order.START, DONE, ("run",)),
        (Order.PAUSE, STOPPED, ("start",)),
        (Order.PAUSE, DONE, ("run",)),
        (Order.RESUME, STOPPED, ("start",)),
        (Order.RESUME, DONE, ("run",)),
        (Order.STOP, DONE, ()),
    ],
)
def test_an_order_that_makes_no_sense_is_refused_with_what_would(
    order: Order, state: JobState, instead: tuple[str, ...]
) -> None:
    answer = obey(order, state, has_work=False)
    assert isinstance(answer, Refusal)
    assert answer.instead == instead
    assert str(state) in answer.why


def test_a_finished_job_may_be_started_when_there_is_work_again() -> None:
    assert obey(Order.START, DONE, has_work=True) is RUNNING
    assert isinstance(obey(Order.PAUSE, DONE, has_work=True), Refusal)
