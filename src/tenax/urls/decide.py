"""May a proposed URL enter a job? The one door every URL passes (URL-4).

Deciding is pure: the same candidate gets the same answer at any time, so `tenax why` asks
again instead of looking it up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tenax.model import Candidate, JobSpec, Reason, Rejected, Role, ScopeKind, Sends, Target
from tenax.urls.addresses import AddressRules, literal_address
from tenax.urls.domains import registrable_domain
from tenax.urls.filetypes import READ_WITH_AN_EXTRA, binary_extension
from tenax.urls.normalise import (
    KEY_BYTES,
    MAX_LENGTH,
    IdentityRules,
    host_of,
    name_of,
    normalise,
    parts_of,
    path_of,
    plain_escapes,
    posted_digest,
    resolve,
    seed_url,
    url_key,
)
from tenax.urls.patterns import HostPatterns, UrlPatterns
from tenax.urls.priority import FIRST, LAST, priority
from tenax.urls.shapes import shape_of
from tenax.urls.sites import SiteAtHost, Sites
from tenax.urls.traps import trap

_FIRST_CHECKS = (Reason.MALFORMED, Reason.SCHEME, Reason.TOO_LONG)
"""Made while the candidate is read; the others need what that found."""
_ASKED_FOR = (Role.SITEMAP, Role.FEED, Role.IMAGE)
_ALWAYS = 3
"""Checks that bind them too: what the URL is, and whom it leads to."""
_WEB = ("http://", "https://")
_PLAIN_ORIGIN = re.compile(r"https?://[A-Za-z0-9.:-]+", re.ASCII)
"""Whatever comes behind a slash, the parser finds the same host in it."""


class Door:
    """Decides for one job.

    A seed (depth 0, found on no page) is always in scope and never a trap, and needs no
    include pattern; every other rule binds it too. A sitemap or feed is read for its URLs alone:
    the job's wishes bind those, and of it only where it leads. So with pictures, which shops
    keep at hosts of their own.
    """

    def __init__(
        self,
        spec: JobSpec,
        addresses: AddressRules,
        now: float,
        sites: Sites | None = None,
        *,
        pdf: bool = False,
    ) -> None:
        """`sites` are rules that may change at any time (HOST-7); `pdf` says that such files are
        read."""
        self._sites = Sites() if sites is None else sites
        self._obeyed = self._sites.changes
        self.rules = IdentityRules(spec.drop_parameters, spec.drop_trailing_slash)
        self._max_depth = spec.max_depth
        self._this_year = datetime.fromtimestamp(now, UTC).year
        self._include = UrlPatterns("include", spec.include)
        self._exclude = UrlPatterns("exclude", spec.exclude)
        hosts = _HostRules(spec, addresses, self._sites)
        # Most links of a page lead to a handful of hosts.
        self._host = lru_cache(maxsize=4096)(hosts.judge)
        self._closed: Callable[[str], Reason | None] = lru_cache(maxsize=4096)(self._why_closed)
        self._at = lru_cache(maxsize=4096)(self._host_at)
        # What a URL is comes first, then where it leads, then what the job wants: of several
        # reasons the user gets the one that no setting of the job would change. The costly
        # checks are last.
        where: tuple[_Check, ...] = (
            (Reason.CREDENTIALS_IN_URL, _credentials),
            (Reason.PRIVATE_ADDRESS, _private_address),
            (Reason.BLOCKED_HOST, _blocked_host),
            (Reason.NOFOLLOW, _nofollow),
            (Reason.OUT_OF_SCOPE, _out_of_scope),
        )
        by_patterns: tuple[_Check, ...] = ((Reason.EXCLUDED, self._excluded),)
        wishes: tuple[_Check, ...] = (
            (Reason.TOO_DEEP, self._too_deep),
            (Reason.FILE_TYPE, _file_type_but_pdf if pdf else _file_type),
            (Reason.TRAP, self._trap),
        )
        self._checks = where + by_patterns + wishes
        # Every plain link to an open host passes the first ones.
        self._wishes = by_patterns + wishes if spec.include or spec.exclude else wishes
        self._all_wishes = by_patterns + wishes

    def decide(self, candidate: Candidate, href: str | None = None) -> Target | Rejected:
        """A target, or the first reason against it. Never raises.

        `href` is the candidate's URL resolved, where the caller has done that already.
        """
        if self._obeyed != self._sites.changes:
            self._heed_changes()
        sight = self._look(candidate, href)
        if isinstance(sight, Rejected):
            return sight
        is_page = candidate.role not in _ASKED_FOR
        verdict = self._judge(sight, self._checks if is_page else self._checks[:_ALWAYS])
        if candidate.sends is None or isinstance(verdict, Rejected):
            return verdict
        return _posted(verdict, candidate.sends)

    def closes(self, link: str) -> Reason | None:
        """Why no link to its host is followed, by a link as it stands on a page: most new ones
        lead elsewhere, and need not be resolved for that. None where more has to be known."""
        # Escaping makes three characters of one: what may become too long is told by its length.
        if not link.startswith(_WEB) or 3 * len(link) > MAX_LENGTH or not link.isascii():
            return None
        end = link.find("/", 8)
        return self._closed(link[:end]) if end > 0 else None

    def follow(self, href: str, depth: int, found_on: int) -> Target | Rejected:
        """What `decide` says of a link that a page names, resolved already.

        Most hosts are closed or open whatever the path: what they answer for all of their links
        is not asked for each.
        """
        candidate = Candidate(href, None, depth, found_on=found_on)
        if not href.startswith(_WEB) or len(href) > MAX_LENGTH:
            return self.decide(candidate, href)
        if self._obeyed != self._sites.changes:
            self._heed_changes()
        origin = href[: href.index("/", 8)]
        host, verdict = self._at(origin)
        if verdict is None or (verdict.prefixes and not verdict.closed):
            return self.decide(candidate, href)
        if verdict.closed is not None:
            return Rejected(href, verdict.closed[0], verdict.closed[1])
        sight = _Sight(candidate, href, origin, host, href[len(origin) :], False, verdict)
        is_plain = verdict.site is None or not verdict.site.has_patterns
        return self._judge(sight, self._wishes if is_plain else self._all_wishes)

    def unwanted(self, url: str, *, is_seed: bool) -> str | None:
        """Why the rules of its site are against a URL that was taken before; None when not."""
        if not self._sites:
            return None
        site = self._sites.of(host_of(url))
        return site.refusal(url, is_seed=is_seed) if site.has_patterns else None

    @property
    def changes(self) -> int:
        """Grows when the rules of sites change: who remembers verdicts looks at it."""
        return self._sites.changes

    def _heed_changes(self) -> None:
        """Forget what was decided by rules of sites that are others now."""
        self._obeyed = self._sites.changes
        self._host.cache_clear()
        self._at.cache_clear()

    def explain(self, candidate: Candidate) -> list[str]:
        """What each check says, in the order they are made, past the first refusal too."""
        sight = self._look(candidate)
        if isinstance(sight, Rejected):
            before = _FIRST_CHECKS[: _FIRST_CHECKS.index(sight.reason)]
            refusal = f"{sight.reason}: refused, {sight.detail}"
            return [*(f"{reason}: passed" for reason in before), refusal]
        lines = [f"{reason}: passed" for reason in _FIRST_CHECKS]
        for reason, check in self._checks:
            detail = check(sight)
            lines.append(f"{reason}: passed" if detail is None else f"{reason}: refused, {detail}")
        return lines

    def _why_closed(self, origin: str) -> Reason | None:
        href = resolve(f"{origin}/") if _PLAIN_ORIGIN.fullmatch(origin) else None
        closed = None if href is None else self._host(host_of(href)).closed
        return None if closed is None else closed[0]

    def _host_at(self, origin: str) -> tuple[str, _HostVerdict | None]:
        """The host of an origin and the verdict on it; None where credentials stand in between."""
        host = host_of(f"{origin}/")
        return host, None if "@" in origin else self._host(host)

    def _judge(self, sight: _Sight, checks: Sequence[_Check]) -> Target | Rejected:
        for reason, check in checks:
            detail = check(sight)
            if detail is not None:
                return Rejected(sight.href, reason, detail)
        return self._target(sight)

    def _look(self, candidate: Candidate, href: str | None = None) -> _Sight | Rejected:
        """Length is settled before anything is cut off and remembered: no page of a hostile
        site can fill the caches with megabytes.
        """
        href = href or resolve(candidate.url, candidate.base)
        if href is None:
            return Rejected(candidate.url, Reason.MALFORMED, "not a URL")
        if not href.startswith(_WEB):
            scheme = href.partition(":")[0]
            return Rejected(href, Reason.SCHEME, f"{scheme}, not http or https")
        if len(href) > MAX_LENGTH:
            detail = f"{len(href)} characters (limit {MAX_LENGTH})"
            return Rejected(href, Reason.TOO_LONG, detail)
        origin, host, path = parts_of(href)
        verdict = self._host(host)
        if verdict.malformed is not None:
            return Rejected(href, Reason.MALFORMED, verdict.malformed)
        is_seed = candidate.depth == 0 and candidate.found_on is None
        return _Sight(candidate, href, origin, host, path, is_seed, verdict)

    def _target(self, sight: _Sight) -> Target:
        candidate = sight.candidate
        identity = normalise(sight.href, self.rules)
        if candidate.priority is None:
            site = sight.verdict.site
            rank = (site and site.rules.priority) or priority(
                sight.path, candidate.depth, sight.is_seed
            )
        else:
            rank = min(max(candidate.priority, FIRST), LAST)
        return Target(
            sight.href,
            identity,
            url_key(identity),
            sight.host,
            sight.origin,
            candidate.depth,
            rank,
            candidate.found_on,
            role=candidate.role,
            shape=shape_of(sight.path if identity == sight.href else path_of(identity)),
        )

    def _excluded(self, sight: _Sight) -> str | None:
        if pattern := self._exclude.first_match(sight.href):
            return f"matches exclude {pattern}"
        if self._include and not sight.is_seed and not self._include.first_match(sight.href):
            return "matches no include pattern"
        site = sight.verdict.site
        return None if site is None else site.refusal(sight.href, is_seed=sight.is_seed)

    def _too_deep(self, sight: _Sight) -> str | None:
        depth = sight.candidate.depth
        if depth > self._max_depth:
            return f"depth {depth} (max_depth {self._max_depth})"
        return None

    def _trap(self, sight: _Sight) -> str | None:
        return None if sight.is_seed else trap(sight.path, self._this_year)


def _posted(target: Target, sends: Sends) -> Target:
    """The same URL, asked by sending something: another target, of no kind of URL (URL-3)."""
    key = posted_digest(target.identity, sends)[:KEY_BYTES]
    return replace(target, key=key, role=Role.POSTED, shape="", sends=sends)


class _Sight(Struct):
    """A candidate as the checks see it: resolved and cut up once."""

    candidate: Candidate
    href: str
    origin: str
    host: str
    path: str
    is_seed: bool
    verdict: _HostVerdict


_Check: TypeAlias = tuple[Reason, Callable[[_Sight], str | None]]


def _credentials(sight: _Sight) -> str | None:
    has_some = len(sight.origin) + len(sight.path) != len(sight.href)
    return "a user name or password before the host" if has_some else None


def _private_address(sight: _Sight) -> str | None:
    return sight.verdict.private


def _blocked_host(sight: _Sight) -> str | None:
    return sight.verdict.blocked


def _nofollow(sight: _Sight) -> str | None:
    return "the page asks not to follow it" if sight.candidate.nofollow else None


def _out_of_scope(sight: _Sight) -> str | None:
    verdict = sight.verdict
    if sight.is_seed or verdict.prefixes is None:
        return None
    if not verdict.prefixes:
        return verdict.outside
    # A site may spell its own folder /~me/ and /%7Eme/.
    path = plain_escapes(sight.path)
    return None if path.startswith(verdict.prefixes) else "scope prefix: outside the seeds' folders"


def _file_type(sight: _Sight) -> str | None:
    extension = binary_extension(sight.path)
    return None if extension is None else f".{extension} holds no text"


def _file_type_but_pdf(sight: _Sight) -> str | None:
    return None if binary_extension(sight.path) == READ_WITH_AN_EXTRA else _file_type(sight)


class _HostVerdict(NamedTuple):
    """All that a host alone decides about its URLs."""

    malformed: str | None = None
    private: str | None = None
    blocked: str | None = None
    outside: str = ""
    prefixes: tuple[str, ...] | None = None
    """The paths in scope must start with one of these; None: any path is."""
    closed: tuple[Reason, str] | None = None
    """The first of these that refuses every link to the host, whatever its path."""
    site: SiteAtHost | None = None
    """The rules of its site, where they say anything."""


class _HostRules:
    """Scope, allowed and blocked hosts of one job.

    Scope `host` admits `www.example.com` for the seed `example.com` and the other way round:
    nearly every site redirects one to the other, and a crawl must not end there.
    """

    def __init__(self, spec: JobSpec, addresses: AddressRules, sites: Sites) -> None:
        self._sites = sites
        self._scope = spec.scope
        self._addresses = addresses
        self._allowed = HostPatterns("allowed_hosts", spec.allowed_hosts)
        self._blocked = HostPatterns("blocked_hosts", spec.blocked_hosts, subdomains=True)
        self._folders = _folders_by_host(spec.starts)
        self._domains = (
            {registrable_domain(name_of(host)) for host in self._folders}
            if spec.scope is ScopeKind.DOMAIN
            else set()
        )

    def judge(self, host: str) -> _HostVerdict:
        if ".." in host or host[0] == ".":
            malformed = f"host {host} has an empty label"
            return _HostVerdict(malformed, closed=(Reason.MALFORMED, malformed))
        private = self._private(name_of(host))
        pattern = self._blocked.first_match(host)
        blocked = None if pattern is None else f"matches blocked_hosts {pattern}"
        outside, prefixes = self._scope_of(host)
        closed = None
        if private is not None:
            closed = Reason.PRIVATE_ADDRESS, private
        elif blocked is not None:
            closed = Reason.BLOCKED_HOST, blocked
        elif prefixes == ():
            closed = Reason.OUT_OF_SCOPE, outside
        site = self._sites.of(host)
        return _HostVerdict(
            None, private, blocked, outside, prefixes, closed, site if site.decided else None
        )

    def _private(self, name: str) -> str | None:
        """Only what the name itself tells; what it resolves to is judged when connecting."""
        if name == "localhost" or name.endswith(".localhost"):
            loopback = (self._addresses.judge("127.0.0.1"), self._addresses.judge("::1"))
            return f"{name} is {loopback[0]}" if all(loopback) else None
        address = literal_address(name)
        why = None if address is None else self._addresses.judge(address)
        return None if why is None else f"{address} is {why}"

    def _scope_of(self, host: str) -> tuple[str, tuple[str, ...] | None]:
        """Why a host is out of scope, and the folders of it that are in."""
        if self._scope is ScopeKind.ANY or self._allowed.first_match(host):
            return "", None
        if self._scope is ScopeKind.DOMAIN:
            domain = registrable_domain(name_of(host))
            return f"scope domain: no seed is in {domain}", None if domain in self._domains else ()
        folders = self._folders.get(host, ())
        outside = f"scope {self._scope}: no seed is on {host}"
        return outside, None if folders and self._scope is ScopeKind.HOST else folders


def _folders_by_host(seeds: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The folder of every seed, under its host and that host's www twin."""
    folders: dict[str, set[str]] = {}
    for seed in seeds:
        href = resolve(seed_url(seed))
        # A seed that is no web page opens no scope; offered itself, it is refused by name.
        if href is None or not href.startswith(("http://", "https://")):
            continue
        _, host, path = parts_of(href)
        folder = plain_escapes(path.partition("?")[0].rpartition("/")[0]) + "/"
        for name in (host, _twin(host)):
            folders.setdefault(name, set()).add(folder)
    return {host: tuple(sorted(paths)) for host, paths in folders.items()}


def _twin(host: str) -> str:
    """www.example.com ↔ example.com; an address has none."""
    bare = host.removeprefix("www.")
    if bare != host:
        return bare if "." in bare else host
    return host if literal_address(name_of(host)) else f"www.{host}"
