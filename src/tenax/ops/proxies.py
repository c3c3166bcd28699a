"""How does a proxy stand, in words? And what did a try through it come to?"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from tenax.model import Failure, Forbidden, Proxy, ProxyAddress, Response


def standing(proxy: Proxy, now: float) -> Literal["ok", "banned", "disabled"]:
    """`ok`, `banned` or `disabled`."""
    if proxy.health.disabled:
        return "disabled"
    return "banned" if proxy.health.banned_until > now else "ok"


def success_rate(proxy: Proxy) -> float | None:
    """The share of tries that worked; None when there were none."""
    tried = proxy.health.successes + proxy.health.failures
    return proxy.health.successes / tried if tried else None


class ProxyFacts(Struct, frozen=True):
    """All that may be shown: neither user nor password, only whether there are any (SEC-3)."""

    name: str
    group: str
    priority: int
    scheme: str
    host: str
    port: int
    login: bool
    """Whether it has a user and a password."""
    state: Literal["ok", "banned", "disabled"]
    banned_until: float | None
    disabled: str | None
    """Why it is out of service."""
    successes: int
    failures: int
    success_rate: float | None
    average_ms: float | None
    bans: int
    last_used_at: float | None


def facts(proxy: Proxy, now: float) -> ProxyFacts:
    health, state = proxy.health, standing(proxy, now)
    return ProxyFacts(
        name=proxy.name,
        group=proxy.group,
        priority=proxy.priority,
        scheme=proxy.address.scheme,
        host=proxy.address.host,
        port=proxy.address.port,
        login=proxy.has_login,
        state=state,
        banned_until=health.banned_until if state == "banned" else None,
        disabled=health.disabled or None,
        successes=health.successes,
        failures=health.failures,
        success_rate=success_rate(proxy),
        average_ms=round(health.average_ms, 1) if health.successes else None,
        bans=health.bans,
        last_used_at=health.last_used_at or None,
    )


def free_name(address: ProxyAddress, taken: Collection[str]) -> str:
    """host:port; numbered where several accounts share one."""
    plain = str(address).partition("://")[2]
    number, name = 1, plain
    while name in taken:
        number += 1
        name = f"{plain}#{number}"
    return name


def told(answer: Response | Failure | Forbidden) -> tuple[bool, str]:
    """Whether the proxy did its part, and what came of the request."""
    match answer:
        case Response(status=status, timing=timing):
            return True, f"http {status} in {timing.total_ms:.0f} ms"
        case Failure(fault=fault, detail=detail):
            return False, f"{fault}: {detail}"
        case Forbidden(address=address, why=why):
            return False, f"not asked: {address} may not be connected to ({why or 'not public'})"
