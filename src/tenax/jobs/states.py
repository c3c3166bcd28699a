"""What may a person order a job to do, and what does it become then? Pure (FR-7)."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from tenax.model import JobState


class JobOrder(StrEnum):
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"


class Refusal(Struct, frozen=True):
    """An order that makes no sense as the job stands."""

    why: str
    instead: tuple[str, ...] = ()
    """Commands of `tenax jobs` that would."""


_LEADS_TO = {
    JobOrder.START: JobState.RUNNING,
    JobOrder.PAUSE: JobState.PAUSED,
    JobOrder.RESUME: JobState.RUNNING,
    JobOrder.STOP: JobState.STOPPED,
}
_FROM = {
    JobOrder.START: (JobState.STOPPED,),
    JobOrder.PAUSE: (JobState.RUNNING,),
    JobOrder.RESUME: (JobState.PAUSED,),
    JobOrder.STOP: (JobState.RUNNING, JobState.PAUSED),
}
_INSTEAD = {
    (JobOrder.START, JobState.PAUSED): ("resume",),
    (JobOrder.START, JobState.DONE): ("run",),
    (JobOrder.PAUSE, JobState.STOPPED): ("start",),
    (JobOrder.PAUSE, JobState.DONE): ("run",),
    (JobOrder.RESUME, JobState.STOPPED): ("start",),
    (JobOrder.RESUME, JobState.DONE): ("run",),
}


def obey(order: JobOrder, state: JobState, *, has_work: bool) -> JobState | Refusal:
    """The state the job is in then. Ordering what is the case already is no mistake.

    One that is done may be started when there is something for it again, such as new seeds.
    """
    wanted = _LEADS_TO[order]
    if state is wanted or state in _FROM[order]:
        return wanted
    if order is JobOrder.START and state is JobState.DONE and has_work:
        return wanted
    return Refusal(_WHY[state], _INSTEAD.get((order, state), ()))


_WHY = {
    JobState.RUNNING: "it is running",
    JobState.PAUSED: "it is paused",
    JobState.STOPPED: "it is stopped",
    JobState.DONE: "it is done: nothing waits in it, or it has all its pages",
}
