"""Cookie jars of a held host, one for each job: from the ledger with its lease, sealed; back to it
with the visits that changed them. What cannot be opened or sealed is forgotten, never a visit.
"""

from __future__ import annotations

import logging

import msgspec

from tenax.fetch.cookies.jar import Jar
from tenax.model import Assignment, KeptCookies
from tenax.model.cookie import JarContent
from tenax.ports import Clock, Seals, Unavailable
from tenax.urls.sites import Sites

log = logging.getLogger(__name__)
_REMEMBERED = 4_096
_NOBODY = 0
"""The job of visits that leave nothing behind."""


class CookieKeeper:
    """Opens and seals jars, and knows where there are any."""

    def __init__(self, clock: Clock, sites: Sites, seals: Seals, *, is_wanted: bool) -> None:
        self.clock = clock
        self._sites = sites
        self._seals = seals
        self._is_wanted = is_wanted
        self._own: dict[str, Jar] = {}
        """Of sessions at hosts, for visits of no job: a login for each would be too many."""
        self._has_failed = False

    def at(self, assignment: Assignment) -> HostJars:
        return HostJars(self, assignment.host.name, dict(assignment.jars))

    def is_kept(self, host: str) -> bool:
        """Whether what this host sets is sent back to it. A login is nothing without."""
        if not self._sites:
            return self._is_wanted
        rules = self._sites.of(host).rules
        if rules.login is not None:
            return True
        return self._is_wanted if rules.keep_cookies is None else rules.keep_cookies

    def has_login(self, host: str) -> bool:
        return self._sites.of(host).rules.login is not None

    def own(self, host: str) -> Jar:
        if not self.has_login(host):
            self._own.pop(host, None)
            return Jar(self.clock)
        if host not in self._own and len(self._own) >= _REMEMBERED:
            del self._own[next(iter(self._own))]
        return self._own.setdefault(host, Jar(self.clock))

    def open(self, sealed: bytes, belongs_to: str) -> JarContent:
        try:
            return msgspec.json.decode(self._seals.open(sealed, belongs_to), type=JarContent)
        except (Unavailable, msgspec.DecodeError) as error:
            self._tell(error)
            return JarContent()

    def seal(self, content: JarContent, belongs_to: str) -> KeptCookies | None:
        if not content.cookies:
            return KeptCookies()
        try:
            sealed = self._seals.seal(msgspec.json.encode(content).decode(), belongs_to)
        except Unavailable as error:
            self._tell(error)
            return None
        return KeptCookies(tuple(dict.fromkeys(each.name for each in content.cookies)), sealed)

    def _tell(self, error: Exception) -> None:
        """Once: it would be the same for every host."""
        if not self._has_failed:
            self._has_failed = True
            log.warning("cookies of sites are not kept beyond this process: %s", error)


class HostJars:
    """The jars of one host, for as long as it is held; each is opened when its job comes by."""

    def __init__(self, keeper: CookieKeeper, host: str, sealed: dict[int, bytes]) -> None:
        self._keeper = keeper
        self._host = host
        self._sealed = sealed
        self._jars: dict[int, Jar] = {}

    def of(self, job_id: int) -> Jar | None:
        """None where cookies are not to be kept."""
        if not self._keeper.is_kept(self._host):
            return None
        jar = self._jars.get(job_id)
        if jar is None:
            jar = self._jars[job_id] = self._opened(job_id)
        if jar.login and not self._keeper.has_login(self._host):
            # Whoever takes the login out of the rules is a stranger again.
            jar.become(Jar(self._keeper.clock), b"")
        return jar

    def take_changes(self, job_id: int) -> KeptCookies | None:
        """For the settlement of a visit of this job; None where there is nothing new."""
        jar = self._jars.get(job_id)
        content = None if jar is None or job_id == _NOBODY else jar.take_changes()
        return None if content is None else self._keeper.seal(content, self._name(job_id))

    def _opened(self, job_id: int) -> Jar:
        if job_id == _NOBODY:
            return self._keeper.own(self._host)
        sealed = self._sealed.get(job_id)
        if sealed is None:
            return Jar(self._keeper.clock)
        return Jar(self._keeper.clock, self._keeper.open(sealed, self._name(job_id)))

    def _name(self, job_id: int) -> str:
        """What they belong to: a jar moved to another job or host does not open there."""
        return f"cookies of {self._host} in job {job_id}"
