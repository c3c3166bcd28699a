"""What do the verbs about jobs work with? The same for whoever asks: command, API or program."""

from __future__ import annotations

from msgspec import Struct

from tenax.crawl.admit import Admission
from tenax.crawl.policy import FeedPolicy
from tenax.crawl.traps.judgement import TrapPolicy
from tenax.hosts.pace import PacePolicy
from tenax.jobs.revisit_policy import RecrawlPolicy
from tenax.model import Job
from tenax.ports import Clock, Frontier, Jobs
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tenax.urls.sites import Sites


class JobContext(Struct, frozen=True):
    jobs: Jobs
    frontier: Frontier
    clock: Clock
    addresses: AddressRules
    traps: TrapPolicy
    feed: FeedPolicy
    recrawl: RecrawlPolicy
    gone: float
    """Seconds for which a 404 is remembered."""
    pace: PacePolicy
    sites: Sites
    pdf: bool = False
    """PDF files are read, so their URLs are as good as others."""

    def admission(self, job: Job) -> Admission:
        """The door of this job. Raises `ValueError` for wishes that cannot be meant."""
        door = Door(job.spec, self.addresses, self.clock.now(), self.sites, pdf=self.pdf)
        return Admission(job, door, self.traps)
