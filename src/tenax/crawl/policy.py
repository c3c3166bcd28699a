"""When is a failed target retried (exponential backoff, jitter), how long is a lease, what does a
process look after, and what does it log? Pure."""

from __future__ import annotations

from random import Random
from typing import Annotated, Literal

from msgspec import Meta, Struct

from tenax.model.knobs import SECONDS, AtLeastOne, Count, Seconds, Share, SomeSeconds
from tenax.ports.retry import Backoff


class RetryPolicy(Struct, frozen=True):
    attempts: AtLeastOne = 3
    """Tries in all before a target counts as failed (FE-7)."""
    base: Seconds = 1.0
    """Seconds before the second try; each further one waits twice as long."""
    cap: Seconds = 8.0
    """The longest of those waits."""
    jitter: Share = 0.2
    """The share by which a wait may be longer or shorter, so that retries don't march in step."""
    retry_after_cap: Seconds = 86_400.0
    """The longest wait a Retry-After may impose on the target."""


class CommitPolicy(Struct, frozen=True):
    gather: Seconds = 0.1
    """Seconds settlements may wait for company: one transaction costs as much as thirty rows."""
    lull: Seconds = 0.005
    """When none has come for this long, waiting for more would only starve the workers; no moment
    of it is waited when no other visit is under way."""
    enough: AtLeastOne = 64
    """A batch worth writing at once. Twenty new links weigh as much as one page."""
    most: AtLeastOne = 512
    """More than this waiting, and the workers are held up: memory is finite. Sixteen kilobytes of
    bodies weigh as much as one page."""
    tries: AtLeastOne = 3
    """How often a batch is tried before the crawl gives up on the ledger."""
    retry: Seconds = 0.2
    """Seconds before the second try, doubling."""


class LeasePolicy(Struct, frozen=True):
    seconds: Annotated[float, Meta(ge=1), SECONDS] = 300.0
    """How long a worker may be silent before its hosts are given to others (FR-4)."""
    silence: Annotated[float, Meta(ge=1), SECONDS] = 120.0
    """How long until it is counted out: it gets no share of unpaced hosts, and is taken for dead
    where its lock cannot be seen (OBS-3)."""
    horizon: Seconds = 20.0
    """Seconds of polite work in one assignment: short enough that new priorities get a say."""
    most_targets: AtLeastOne = 32
    """Targets of a paced host in one assignment, at most."""
    targets_per_slot: AtLeastOne = 8
    """Targets of an unpaced host in one assignment, per request under way."""

    def size(self, delay: float, slots: int) -> int:
        """How many targets an assignment carries at this delay."""
        if delay <= 0:
            return slots * self.targets_per_slot
        return max(1, min(self.most_targets, int(self.horizon / delay)))


class FeedPolicy(Struct, frozen=True):
    hosts: AtLeastOne = 2_000
    """Hosts held at once: at one request a second most of them are asleep."""
    claim: AtLeastOne = 200
    """Hosts asked for in one claim."""
    poll: SomeSeconds = 0.02
    """How soon an idle process looks for work again."""
    poll_most: SomeSeconds = 0.5
    """The longest such pause: it doubles while there is no work."""
    frontier_limit: Count = 100_000_000
    """URLs waiting in a job above which new seeds are turned away; fetching goes on (FR-8)."""
    heartbeat: SomeSeconds = 30.0
    """How often leases are renewed."""
    reclaim: SomeSeconds = 2.0
    """How often dead neighbours are looked for."""
    look: SomeSeconds = 1.0
    """How often the jobs are looked at: how soon a pause takes effect."""
    patience: Seconds = 130.0
    """When all that is left is due later than this, the crawl ends and says so."""
    patience_at_first: Seconds = 5.0
    """The same while no host of the job could ever be connected to: a mistyped name ends soon."""
    grace: Seconds = 2.0
    """Seconds a stopping crawl gives requests under way to finish."""


class CarePolicy(Struct, frozen=True):
    probe: tuple[str, ...] = ()
    """Who is connected to, as HOST:PORT, to find out whether our own network is there: away when
    none of them can be reached. Empty for a look at whether this machine has a route at all."""
    again: SomeSeconds = 30.0
    """Seconds between two looks while our network is away."""
    look: SomeSeconds = 5.0
    """Seconds between two looks at disk, memory and whether visits get on."""
    stall: Seconds = 300.0
    """Seconds without any visit getting on after which a process looks what is wrong; 0: never."""
    memory: Count = 0
    """Bytes of memory after which a process finishes what is under way and ends with code 4, to be
    started anew; 0 for no limit."""
    disk: Share = 0.05
    """The share of the data folder's disk below which no work is claimed; 0 for no limit."""


class LogPolicy(Struct, frozen=True):
    level: Literal["debug", "info", "warning", "error"] = "warning"
    """Which lines are written: `info` has one for each visit and each change in how a host is
    treated, `warning` only what goes wrong."""
    format: Literal["console", "json"] = "console"
    """How: for people, or one JSON object to a line."""
    traces: str = ""
    """Where a trace of each visit is sent, by OpenTelemetry (OTLP over HTTP); empty for nowhere."""

    @property
    def is_talkative(self) -> bool:
        return self.level in ("debug", "info")


def retry_at(
    spent: int, now: float, retry_after: float | None, policy: RetryPolicy, rng: Random
) -> float | None:
    """When to try again after `spent` earlier attempts and one more failure; None for never."""
    if spent + 1 >= policy.attempts:
        return None
    backoff = Backoff(policy.base, longest=policy.cap, jitter=policy.jitter)
    wait = backoff.pause(spent + 1, rng)
    asked = min(retry_after or 0.0, policy.retry_after_cap)
    return now + max(wait, asked)
