"""Which proxy may be used, which is next, and who is to blame when a visit through one fails?

Pure: state, event and time give a state (FE-11). What makes it fair is evidence: a site that turns
everybody away says nothing about a proxy, and a proxy's word alone says nothing about a host.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Annotated, TypeAlias
from urllib.parse import unquote

from msgspec import Meta, Struct
from msgspec.structs import replace

from tenax.model import (
    Failure,
    Fault,
    Forbidden,
    Proxy,
    ProxyAddress,
    ProxyEvent,
    ProxyHealth,
    ProxyReport,
    ProxyScheme,
    Response,
)
from tenax.model.knobs import AtLeastOne, Seconds

Answer: TypeAlias = Response | Failure | Forbidden


class Strategy(StrEnum):
    """Which of the usable proxies goes next."""

    ROUND_ROBIN = "round_robin"
    PRIORITY = "priority"
    LEAST_USED = "least_used"
    RANDOM = "random"


class ProxyPolicy(Struct, frozen=True):
    group: str = ""
    """The group of proxies that hosts are asked through; empty to connect directly."""
    strategy: Strategy = Strategy.ROUND_ROBIN
    """Who goes next: round_robin, priority, least_used or random."""
    tries: AtLeastOne = 3
    """Proxies tried in one fetch, at most."""
    failures: AtLeastOne = 3
    """Failures in a row that ban a proxy."""
    ban: Seconds = 300.0
    """Seconds a ban lasts."""
    bans: AtLeastOne = 10
    """Bans that put a proxy out of service, until it is enabled by hand."""
    forgive: AtLeastOne = 100
    """Answers in a row after which one ban is forgiven."""
    shunned: tuple[Annotated[int, Meta(ge=100, le=999)], ...] = (403, 429, 503)
    """Answers of a site that ban a proxy at once, unless every proxy tried gets them."""
    pair_delay: Seconds = 0.0
    """Seconds between requests to one host through one proxy; the host's own delay, if longer."""
    patience: Seconds = 5.0
    """The longest a fetch waits in place for a proxy; beyond it goes back to the frontier."""
    pin: bool = True
    """Ask proxies for the address that was judged, through a tunnel, and never for a name."""
    sync: Seconds = 5.0
    """Seconds between exchanges of what was learned with other processes, by the ledger."""
    fading: Annotated[float, Meta(ge=0.001, le=1)] = 0.1
    """The weight of the newest answer in the average time."""


# The address.

_PROXY = re.compile(
    r"(?:(?P<scheme>[a-z0-9+]+)://)?(?:(?P<login>.*)@)?"
    r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?/?",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_SECRET = 255
"""Bytes of a user or a password in SOCKS5 (RFC 1929)."""


def parse_proxy(text: str) -> ProxyAddress:
    """A proxy from `[scheme://][user:password@]host:port`. Errors never repeat what was typed."""
    match = _PROXY.fullmatch(text.strip())
    if match is None:
        raise ValueError("not a proxy. Write http://HOST:PORT, https://… or socks5://….")
    scheme = (match["scheme"] or "http").lower().replace("socks5h", "socks5")
    if scheme not in list(ProxyScheme):
        raise ValueError("unknown kind of proxy. Use http, https or socks5.")
    port = int(match["port"] or 0)
    if not 0 < port < 65_536:
        raise ValueError("the proxy's port is missing or none. Write it behind the host: HOST:3128")
    user, _, password = (match["login"] or "").partition(":")
    host = match["host"].strip("[]").lower()
    # RFC 6761 6.3: it is the loopback, whoever is asked. A name's address needs permission,
    # one that stands in the settings has it.
    host = "127.0.0.1" if host == "localhost" else host
    address = ProxyAddress(ProxyScheme(scheme), host, port)
    return with_login(address, unquote(user), unquote(password))


def with_login(address: ProxyAddress, username: str, password: str) -> ProxyAddress:
    for what, secret in (("user", username), ("password", password)):
        if len(secret.encode()) > _LONGEST_SECRET:
            raise ValueError(f"the {what} of a proxy has {_LONGEST_SECRET} bytes at most.")
        if any(char in secret for char in "\r\n\0"):
            raise ValueError(f"the {what} of a proxy cannot hold a line break or NUL.")
    return replace(address, username=username, password=password)


# Health.


def after(health: ProxyHealth, report: ProxyReport, policy: ProxyPolicy) -> ProxyHealth:
    """How a proxy is doing once this has happened to it as well."""
    used = replace(health, last_used_at=max(health.last_used_at or 0.0, report.at))
    match report.event:
        case ProxyEvent.ANSWERED:
            return _answered(used, report.ms, policy)
        case ProxyEvent.FAILED:
            failed = replace(
                used, failures=used.failures + 1, failed_in_row=used.failed_in_row + 1,
                worked_in_row=0,
            )  # fmt: skip
            is_enough = failed.failed_in_row >= policy.failures
            return _banned(failed, report.at, policy) if is_enough else failed
        case ProxyEvent.SHUNNED:
            return _banned(
                replace(used, failures=used.failures + 1, worked_in_row=0), report.at, policy
            )


def replay(health: ProxyHealth, reports: Iterable[ProxyReport], policy: ProxyPolicy) -> ProxyHealth:
    """What several reports come to, those of several processes too: counts add, bans stay."""
    for report in reports:
        health = after(health, report, policy)
    return health


def enabled(health: ProxyHealth) -> ProxyHealth:
    """Back in service, with what was held against it forgotten and its figures kept."""
    return replace(
        health, disabled="", bans=0, banned_until=0.0, failed_in_row=0, worked_in_row=0
    )  # fmt: skip


def disabled(health: ProxyHealth, why: str = "by hand") -> ProxyHealth:
    return replace(health, disabled=why)


def anew(_health: ProxyHealth) -> ProxyHealth:
    """As if it had just been added."""
    return ProxyHealth()


def usable_from(health: ProxyHealth) -> float | None:
    """From when it may be used; None when somebody has to enable it first."""
    return None if health.disabled else health.banned_until


def _answered(health: ProxyHealth, ms: float, policy: ProxyPolicy) -> ProxyHealth:
    row = health.worked_in_row + 1
    is_forgiven = row >= policy.forgive and health.bans > 0
    weight = policy.fading if health.successes else 1.0
    return replace(
        health,
        successes=health.successes + 1,
        failed_in_row=0,
        worked_in_row=0 if is_forgiven else row,
        bans=health.bans - 1 if is_forgiven else health.bans,
        average_ms=health.average_ms + weight * (ms - health.average_ms),
    )


def _banned(health: ProxyHealth, at: float, policy: ProxyPolicy) -> ProxyHealth:
    """One ban per incident: what was under way when it was banned adds nothing."""
    if health.banned_until > at or health.disabled:
        return health
    bans = health.bans + 1
    why = f"after {bans} bans" if bans >= policy.bans else ""
    return replace(
        health, bans=bans, banned_until=at + policy.ban, failed_in_row=0, disabled=why
    )  # fmt: skip


# Whose turn.


def choose(
    usable: Sequence[Proxy],
    strategy: Strategy,
    *,
    last: int,
    under_way: Mapping[int, int],
    rng: Random,
) -> Proxy:
    """One of them. `last` is the id of the one chosen before, `under_way` requests by id."""
    match strategy:
        case Strategy.ROUND_ROBIN:
            return _next_in_line(usable, last)
        case Strategy.PRIORITY:
            first = min(proxy.priority for proxy in usable)
            return _next_in_line([p for p in usable if p.priority == first], last)
        case Strategy.LEAST_USED:
            return min(usable, key=lambda p: (under_way.get(p.id, 0) + _uses(p), p.id))
        case Strategy.RANDOM:
            return rng.choice(usable)


def _next_in_line(proxies: Sequence[Proxy], last: int) -> Proxy:
    in_line = sorted(proxies, key=lambda proxy: proxy.id)
    return next((proxy for proxy in in_line if proxy.id > last), in_line[0])


def _uses(proxy: Proxy) -> int:
    return proxy.health.successes + proxy.health.failures


# Blame.


class Remark(StrEnum):
    """What one try through one proxy tells, taken alone."""

    DELIVERED = "delivered"
    SHUNNED = "shunned"
    """The site answered what it answers to those it turns away; maybe to everybody."""
    DOUBTFUL = "doubtful"
    """There was no answer, and proxy or site may be the reason."""
    DEAD = "dead"
    """The proxy itself failed."""
    OURS = "ours"
    """Nothing that another proxy would change."""


class ProxyTry(Struct, frozen=True):
    proxy: Proxy
    answer: Answer
    remark: Remark


_OURS = frozenset({Fault.DNS, Fault.INTERNAL})
_DELIVERED = frozenset({Fault.TOO_LARGE, Fault.ENCODING, Fault.TOO_MANY_REDIRECTS})


def remark(answer: Answer, policy: ProxyPolicy) -> Remark:
    match answer:
        case Forbidden():
            return Remark.OURS
        case Response(status=status):
            return Remark.SHUNNED if status in policy.shunned else Remark.DELIVERED
        case Failure(fault=Fault.PROXY, proxy_alive=is_alive):
            return Remark.DOUBTFUL if is_alive else Remark.DEAD
        case Failure(fault=fault):
            if fault in _OURS:
                return Remark.OURS
            return Remark.DELIVERED if fault in _DELIVERED else Remark.DOUBTFUL


def verdicts(tries: Sequence[ProxyTry]) -> list[tuple[ProxyTry, ProxyEvent]]:
    """What the tries of one fetch say of each proxy; nothing where nothing is known.

    Turned away or without an answer where others fared better: the proxy's fault. All alike:
    the site's doing. Turned away with nobody else to ask: the proxy's fault until shown.
    """
    seen = Counter(tried.remark for tried in tries)
    reached = seen[Remark.DELIVERED] + seen[Remark.SHUNNED]
    found = []
    for tried in tries:
        match tried.remark:
            case Remark.DELIVERED:
                found.append((tried, ProxyEvent.ANSWERED))
            case Remark.DEAD:
                found.append((tried, ProxyEvent.FAILED))
            case Remark.DOUBTFUL if reached:
                found.append((tried, ProxyEvent.FAILED))
            case Remark.SHUNNED:
                is_everybody = seen[Remark.SHUNNED] > 1 and not seen[Remark.DELIVERED]
                event = ProxyEvent.ANSWERED if is_everybody else ProxyEvent.SHUNNED
                found.append((tried, event))
            case _:
                pass
    return found


def believed(tries: Sequence[ProxyTry], in_service: int) -> ProxyTry | None:
    """The try that ends the fetch; None when they only tell of the proxies' own trouble.

    Bad news about a site needs two proxies to tell it, unless only one is `in_service`.
    """
    if not tries:
        return None
    if tries[-1].remark in (Remark.DELIVERED, Remark.OURS):
        return tries[-1]
    needed = min(2, max(in_service, 1))
    for kind in (Remark.SHUNNED, Remark.DOUBTFUL):
        told = [tried for tried in tries if tried.remark is kind]
        if len(told) >= needed:
            return _of_the_host(told)
    return None


def trouble(tries: Sequence[ProxyTry]) -> str:
    """What went wrong through which proxy, for people."""
    return "; ".join(f"{tried.proxy.name}: {_said(tried.answer)}" for tried in tries)


def _of_the_host(told: Sequence[ProxyTry]) -> ProxyTry:
    """The last of them; where proxies say they cannot reach the host, it is the host's fault."""
    last = told[-1]
    if not (isinstance(last.answer, Failure) and last.answer.fault is Fault.PROXY):
        return last
    detail = f"cannot be reached through a proxy: {trouble(told)}"
    fault = Fault.CONNECT_REFUSED
    answer = replace(last.answer, fault=fault, detail=detail[:300], proxy_alive=False)
    return replace(last, answer=answer)


def _said(answer: Answer) -> str:
    match answer:
        case Response(status=status):
            return f"http {status}"
        case Failure(detail=detail):
            return detail
        case Forbidden(address=address):
            return f"{address} may not be connected to"
