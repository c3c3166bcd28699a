"""Does each visit say what it does, and since when?"""

from __future__ import annotations

from tenax.crawl.steps import MOST, Steps
from tenax.model import LeasedTarget, Step
from tests.ledgers import HandClock

HOST = "a.example"


def target(number: int = 1, path: str = "") -> LeasedTarget:
    return LeasedTarget(number, 7, f"https://{HOST}/{path or number}", 0, 5, 0)


def test_a_visit_begins_at_the_gate_and_tells_when_it_came_to_where_it_is() -> None:
    clock = HandClock()
    steps, began = Steps(clock), clock.time
    mark = steps.begin(target(), 3, HOST)
    (seen,) = steps.look().visits
    assert (seen.step, seen.since, seen.began_at) == (Step.GATE, began, began)
    clock.time += 5
    mark.enter(Step.REQUEST)
    clock.time += 2
    now = steps.look()
    (seen,) = now.visits
    assert (seen.step, seen.since, seen.began_at) == (Step.REQUEST, began + 5, began)
    assert (seen.url, seen.host, seen.job_id) == (f"https://{HOST}/1", HOST, 7)
    assert (now.at, now.steps) == (began + 7, {Step.REQUEST: 1})


def test_of_many_visits_those_that_began_first_are_told_and_the_others_counted() -> None:
    steps = Steps(HandClock())
    marks = [steps.begin(target(number), 3, HOST) for number in range(MOST + 10)]
    marks[-1].enter(Step.TURN)
    seen = steps.look()
    assert [visit.url for visit in seen.visits] == [mark.url for mark in marks[:MOST]]
    assert seen.steps == {Step.GATE: MOST + 9, Step.TURN: 1}


def test_a_long_url_is_cut() -> None:
    steps = Steps(HandClock())
    steps.begin(target(path="x" * 5_000), 3, HOST)
    (seen,) = steps.look().visits
    assert len(seen.url) < 600
    assert seen.url.endswith("x…")


def test_a_visit_whose_settlement_waits_is_under_way_until_that_is_written() -> None:
    steps = Steps(HandClock())
    steps.begin(target(), 3, HOST)
    steps.commits((1, 3))
    steps.leave((1, 3))
    assert steps.look().steps == {Step.COMMIT: 1}
    steps.end((1, 3))
    assert steps.look().visits == ()


def test_a_visit_that_its_visitor_left_without_a_settlement_is_over() -> None:
    steps = Steps(HandClock())
    steps.begin(target(), 3, HOST)
    steps.leave((1, 3))
    assert steps.look().visits == ()


def test_what_is_not_under_way_may_be_left_written_and_ended_again() -> None:
    """A visit that was given up is settled by somebody else."""
    steps = Steps(HandClock())
    for told in (steps.commits, steps.leave, steps.end):
        told((1, 3))
    assert steps.look().visits == ()


def test_the_visit_that_computed_for_long_is_remembered_until_it_is_no_news() -> None:
    clock = HandClock()
    steps = Steps(clock)
    mark = steps.begin(target(), 3, HOST)
    mark.enter(Step.REQUEST)
    clock.time += 30
    mark.enter(Step.READ)
    assert steps.culprit(0.0) == "", "whoever waits for the network holds up nobody"
    clock.time += 7
    mark.enter(Step.JUDGE)
    assert steps.culprit(clock.time - 1) == f"read of https://{HOST}/1 took 7.0 s"
    assert steps.culprit(clock.time + 1) == ""
