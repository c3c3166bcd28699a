"""Is what is said of the time left honest?"""

from __future__ import annotations

import pytest

from tenax.hosts.pace import PacePolicy
from tenax.jobs.eta import least_time, time_left, visits_left
from tenax.model import Host, Job, JobSpec, JobState, Pace, State
from tenax.ports import Counts, JobProgress, Queue

SECOND = PacePolicy(delay=1.0)
NONE = PacePolicy(delay=0.0)


def job(max_pages: int | None = None) -> Job:
    return Job(1, "job", JobState.RUNNING, JobSpec(max_pages=max_pages), 0.0)


def pending(count: int, pages: int = 0, renewing: int = 0) -> Counts:
    return Counts({State.PENDING: count}, pages=pages, renewing=renewing)


def queue(waiting: int, crawl_delay: float = 0.0) -> Queue:
    return Queue(Host("a.example", "https://a.example", pace=Pace(crawl_delay)), waiting)


def lately(rate: float, *queues: Queue) -> JobProgress:
    return JobProgress(100.0, round(rate * 100), queues=queues)


def test_it_is_what_waits_at_the_rate_of_late() -> None:
    assert time_left(job(), pending(1_000), lately(10.0), NONE) == pytest.approx(100)


def test_one_host_with_most_of_it_takes_its_delay_for_each() -> None:
    """Ten visits a second over many hosts will not be kept up when one is left."""
    left = time_left(job(), pending(1_000), lately(10.0, queue(900)), SECOND)
    assert left == pytest.approx(900)


def test_what_the_host_asks_for_counts_as_the_delay() -> None:
    assert least_time(lately(1.0, queue(100, crawl_delay=30.0)), SECOND, 100) == 3_000


def test_a_host_without_a_delay_holds_nothing_up() -> None:
    assert time_left(job(), pending(1_000), lately(10.0, queue(900)), NONE) == pytest.approx(100)


def test_nobody_can_tell_before_anything_was_visited() -> None:
    assert time_left(job(), pending(1_000), JobProgress(), SECOND) is None


def test_nothing_left_takes_no_time() -> None:
    assert time_left(job(), pending(0), JobProgress(), SECOND) == 0


def test_a_page_limit_ends_it_earlier() -> None:
    assert visits_left(job(max_pages=50), pending(1_000, pages=20)) == 30
    assert time_left(job(max_pages=50), pending(1_000, pages=20), lately(10.0), NONE) == 3


def test_a_full_job_visits_its_pages_again_and_no_others() -> None:
    assert visits_left(job(max_pages=50), pending(1_000, pages=50, renewing=50)) == 50
    assert visits_left(job(max_pages=50), pending(1_000, pages=50)) == 0
