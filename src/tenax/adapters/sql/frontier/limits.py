"""Quotas of new URLs: a job's, each host's, and of sitemaps and feeds each host's again. They are
counted in the transaction that adds them.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Lookup, Statement
from tenax.adapters.sql.frontier.tallies import counts
from tenax.adapters.sql.schema.tables import hosts, is_listing, lanes, targets
from tenax.discover.gathered import ListingPolicy
from tenax.model import JobSpec, Reason, Role, Target
from tenax.urls.priority import LAST
from tenax.urls.sites import Sites

_ids = Lookup(sa.select(hosts.c.name, hosts.c.id), hosts.c.name)
_listings = Statement(
    ("host", "job", "listed", "most"),
    lambda _: sa.select(sa.func.count()).select_from(
        sa.select(targets.c.id)
        .where(targets.c.host_id == sa.bindparam("host"), targets.c.job_id == sa.bindparam("job"))
        .where(is_listing, targets.c.role == sa.bindparam("listed"))
        .limit(sa.bindparam("most", type_=sa.Integer))
        .subquery()
    ),
)


class JobLimits(Struct):
    """What binds a job in one transaction; what is let in counts against it."""

    per_host: int | None
    room: int | None
    """New targets the job still takes; None for any number."""
    sites: Sites | None = None
    """Whose rules may bind some hosts besides."""

    def within(
        self, connection: Connection, host_id: int, job_id: int, wanted: list[Target]
    ) -> tuple[list[Target], list[tuple[str, Reason]]]:
        """Split what is new into what the limits still allow and what they do not."""
        at_host = sa.and_(targets.c.host_id == host_id, targets.c.job_id == job_id)
        keys = sa.select(targets.c.key).where(at_host, targets.c.key.in_([t.key for t in wanted]))
        existing = set(connection.execute(keys).scalars())
        fresh = [t for t in wanted if t.key not in existing]
        beyond: list[tuple[str, Reason]] = []
        most = self._most(wanted)
        if most is not None:
            known = connection.execute(
                sa.select(lanes.c.known).where(lanes.c.host_id == host_id, lanes.c.job_id == job_id)
            ).scalar()
            room = max(0, most - (known or 0))
            beyond += [(t.url, Reason.HOST_LIMIT) for t in fresh[room:]]
            fresh = fresh[:room]
        if self.room is not None:
            beyond += [(t.url, Reason.JOB_LIMIT) for t in fresh[self.room :]]
            fresh = fresh[: self.room]
            self.room -= len(fresh)
        return fresh, beyond

    def _most(self, wanted: list[Target]) -> int | None:
        """Of the host, which all of these are of: the smaller one, of the job's and its site's."""
        by_site = self.sites.of(wanted[0].host).rules.max_pages if self.sites and wanted else None
        limits = [most for most in (self.per_host, by_site) if most is not None]
        return min(limits, default=None)


def within_budget(
    connection: Connection, place: tuple[int, int], wanted: list[Target], policy: ListingPolicy
) -> tuple[list[Target], list[Target], set[Role]]:
    """Split what is to be added at one host, for one job, into what is taken, and the sitemaps and
    feeds beyond what is asked for of each kind. Past some, those taken wait behind pages. Last, of
    which kind that is news.

    What nobody found was asked for by a person, and has no bounds but counts.
    """
    beyond: set[bytes] = set()
    behind: set[bytes] = set()
    news: set[Role] = set()
    for role in LISTING_ROLES:
        named = [t for t in wanted if t.role == role and t.found_on is not None]
        if named:
            known = _known(connection, place, [target.key for target in named])
            fresh = [target.key for target in named if target.key not in known]
            taken = count_listings(connection, place, role, policy.budget) if fresh else 0
            if taken < policy.budget < taken + len(fresh):
                news.add(role)
            beyond.update(fresh[max(0, policy.budget - taken) :])
            behind.update(fresh[max(0, policy.ahead - taken) :])
    if not behind and not beyond:
        return wanted, [], news
    taken_now = [
        replace(t, priority=max(t.priority, BEHIND_PAGES)) if t.key in behind else t
        for t in wanted
        if t.key not in beyond
    ]
    return taken_now, [target for target in wanted if target.key in beyond], news


def count_listings(connection: Connection, place: tuple[int, int], role: Role, most: int) -> int:
    """How many documents of this role a job has of a host; no more than so many are counted."""
    ((count,),) = _listings.run(connection, *place, role.value, most)
    return int(count)


def _known(connection: Connection, place: tuple[int, int], keys: list[bytes]) -> set[bytes]:
    host_id, job_id = place
    at_host = sa.and_(targets.c.host_id == host_id, targets.c.job_id == job_id)
    known: set[bytes] = set()
    for start in range(0, len(keys), _AT_ONCE):
        some = targets.c.key.in_(keys[start : start + _AT_ONCE])
        known.update(connection.execute(sa.select(targets.c.key).where(at_host, some)).scalars())
    return known


LISTING_ROLES = (Role.SITEMAP, Role.FEED)
BEHIND_PAGES = LAST - 1
_AT_ONCE = 1_000


def is_limited(spec: JobSpec, sites: Sites) -> bool:
    """Whether two who add to the job at once have to see what the other has added."""
    by_job = spec.max_urls is not None or spec.max_pages_per_host is not None
    return by_job or sites.has_limits


def binding(
    connection: Connection, job_id: int, spec: JobSpec, sites: Sites, proposed: int
) -> JobLimits | None:
    """What binds this job, if anything does; nearly always nothing."""
    room: int | None = None
    if spec.max_urls is not None:
        left = spec.max_urls - counts(connection, job_id).known
        room = max(0, left) if left < proposed else None
    if room is None and spec.max_pages_per_host is None and not sites.has_limits:
        return None
    return JobLimits(spec.max_pages_per_host, room, sites if sites.has_limits else None)


def objections(
    connection: Connection,
    job_id: int,
    spec: JobSpec,
    sites: Sites,
    proposals: Sequence[Target],
) -> list[Reason | None]:
    """Why each of these would not be new to the job if it were added now."""
    names = {target.host for target in proposals}
    ids = dict(_ids.run(connection, names))
    limits = binding(connection, job_id, spec, sites, len(proposals)) or JobLimits(None, None)
    why: dict[bytes, Reason | None] = {}
    for name in names:
        wanted = {target.key: target for target in proposals if target.host == name}
        new, beyond = limits.within(connection, ids.get(name, 0), job_id, [*wanted.values()])
        over = dict(beyond)
        why |= {key: over.get(wanted[key].url, Reason.KNOWN) for key in wanted}
        why |= dict.fromkeys((target.key for target in new), None)
    return [why[target.key] for target in proposals]
