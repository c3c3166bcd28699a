"""Is a request that left too early called so, by the delay and by silences that were asked for?"""

from __future__ import annotations

from tenax.model import Incident, IncidentKind
from tenax.ops.hosts.politeness import judged
from tenax.outcome import RequestStart


def early(*moments: float, delay: float = 1.0, incidents: tuple[Incident, ...] = ()) -> list[float]:
    starts = [RequestStart(at, 200, 5.0, delay) for at in moments]
    return [each.at for each in judged(starts, incidents) if each.too_early]


def test_a_request_within_the_delay_of_the_one_before_is_too_early() -> None:
    assert early(10.0, 11.0, 12.005) == []
    assert early(10.0, 10.9, 12.0) == [10.9]
    assert early(12.0, 10.0, 10.9) == [10.9], "in whichever order they were written down"


def test_a_host_without_a_delay_has_no_request_too_early() -> None:
    assert early(10.0, 10.0, 10.001, delay=0.0) == []


def test_the_delay_in_force_when_it_left_counts() -> None:
    starts = [RequestStart(10.0, 200, 5.0, 4.0), RequestStart(11.0, 200, 5.0, 1.0)]
    assert not any(each.too_early for each in judged(starts, ()))


def test_a_request_in_a_silence_that_was_asked_for_is_too_early() -> None:
    silence = Incident(20.0, IncidentKind.SILENCE, "429", 80.0)
    assert early(10.0, 20.0, 50.0, 80.0, delay=0.0, incidents=(silence,)) == [50.0]
    reset = Incident(40.0, IncidentKind.RESET)
    assert early(30.0, 50.0, delay=0.0, incidents=(reset, silence)) == [30.0]
    paused = Incident(20.0, IncidentKind.PAUSED)
    assert early(10.0, 50.0, incidents=(paused,)) == []
