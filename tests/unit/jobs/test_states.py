"""What may a job be ordered to do, and what does it become? (FR-7)"""

from __future__ import annotations

import pytest

from tenax.jobs.states import JobOrder, Refusal, obey
from tenax.model import JobState

RUNNING, PAUSED, STOPPED, DONE = (
    JobState.RUNNING, JobState.PAUSED, JobState.STOPPED, JobState.DONE,
)  # fmt: skip


@pytest.mark.parametrize(
    ("order", "state", "then"),
    [
        (JobOrder.START, STOPPED, RUNNING),
        (JobOrder.PAUSE, RUNNING, PAUSED),
        (JobOrder.RESUME, PAUSED, RUNNING),
        (JobOrder.STOP, RUNNING, STOPPED),
        (JobOrder.STOP, PAUSED, STOPPED),
    ],
)
def test_a_sensible_order_is_obeyed(order: JobOrder, state: JobState, then: JobState) -> None:
    assert obey(order, state, has_work=True) is then


@pytest.mark.parametrize(
    ("order", "state"),
    [
        (JobOrder.START, RUNNING), (JobOrder.PAUSE, PAUSED), (JobOrder.RESUME, RUNNING),
        (JobOrder.STOP, STOPPED),
    ],
)  # fmt: skip
def test_ordering_what_is_the_case_already_changes_nothing(
    order: JobOrder, state: JobState
) -> None:
    assert obey(order, state, has_work=False) is state


@pytest.mark.parametrize(
    ("order", "state", "instead"),
    [
        (JobOrder.START, PAUSED, ("resume",)),
        (JobOrder.START, DONE, ("run",)),
        (JobOrder.PAUSE, STOPPED, ("start",)),
        (JobOrder.PAUSE, DONE, ("run",)),
        (JobOrder.RESUME, STOPPED, ("start",)),
        (JobOrder.RESUME, DONE, ("run",)),
        (JobOrder.STOP, DONE, ()),
    ],
)
def test_an_order_that_makes_no_sense_is_refused_with_what_would(
    order: JobOrder, state: JobState, instead: tuple[str, ...]
) -> None:
    answer = obey(order, state, has_work=False)
    assert isinstance(answer, Refusal)
    assert answer.instead == instead
    assert str(state) in answer.why


def test_a_finished_job_may_be_started_when_there_is_work_again() -> None:
    assert obey(JobOrder.START, DONE, has_work=True) is RUNNING
    assert isinstance(obey(JobOrder.PAUSE, DONE, has_work=True), Refusal)


def test_a_job_at_its_page_limit_is_not_said_to_have_nothing_waiting() -> None:
    answer = obey(JobOrder.PAUSE, DONE, has_work=False)
    assert isinstance(answer, Refusal)
    assert answer.why == "it is done: nothing waits in it, or it has all its pages"
