"""Who hears of everything that happens in this process: visits that are written, hosts that are
treated otherwise, probes. Counts them, and logs them where anybody listens (OBS-1, OBS-2)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from tenax.crawl.observe.troubled_hosts import TroubledHosts
from tenax.crawl.observe.visit_counts import count_visits
from tenax.crawl.observe.visit_log import HOSTS, VISITS, log_change, log_event, log_visit
from tenax.fetch.tally import Tally
from tenax.hosts.changes import host_changes
from tenax.hosts.conduct import HostPolicies
from tenax.model import Host
from tenax.outcome import Settlement


class Observer:
    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.hosts = TroubledHosts()

    def visited(self, settlements: Sequence[Settlement], name_of: Callable[[int], str]) -> None:
        """These visits are in the ledger; `name_of` tells the name of a job."""
        count_visits(self.tally, settlements)
        if VISITS.isEnabledFor(logging.INFO):
            for settlement in settlements:
                log_visit(settlement, name_of(settlement.job_id))

    def treated(self, before: Host, after: Host, policies: HostPolicies) -> None:
        """Something about the host is not as it was."""
        self.hosts.heard(after)
        for change in host_changes(before, after, policies):
            self.tally.changes[change.what] = self.tally.changes.get(change.what, 0) + 1
            if HOSTS.isEnabledFor(logging.INFO):
                log_change(change)

    def probed(self, host: str, passed: bool) -> None:
        """A host that was away was asked whether it is back."""
        result = "passed" if passed else "failed"
        self.tally.probes[result] = self.tally.probes.get(result, 0) + 1
        log_event(HOSTS, logging.INFO, "probe", host=host, result=result)
