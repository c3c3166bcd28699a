"""What does robots.txt say about a URL, which line says it, and how old is that?"""

from __future__ import annotations

from msgspec import Struct

from tenax.hosts.robots import parse
from tenax.hosts.robots_policy import Access, RobotsPolicy, access, is_fresh
from tenax.model import RobotsRecord
from tenax.urls.normalise import origin_of, path_of


class RobotsAdvice(Struct, frozen=True):
    origin: str
    allowed: bool | None
    """None while robots.txt was never asked for."""
    why: str
    access: Access | None = None
    line: int = 0
    """The line that decided; 0 when none did."""
    rule: str = ""
    group: str = ""
    status: int | None = None
    error: str = ""
    fetched_at: float = 0.0
    expires_at: float = 0.0
    is_fresh: bool = False
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    rights: tuple[tuple[str, str], ...] = ()


def advise(
    url: str, record: RobotsRecord | None, token: str, policy: RobotsPolicy, now: float
) -> RobotsAdvice:
    """What the stored record means for this URL. Nothing is fetched."""
    origin = origin_of(url)
    if record is None:
        return RobotsAdvice(origin, None, "never asked for; that comes before the first visit")
    rules = parse(record.text)
    right, why = access(record, now, policy)
    verdict = rules.decide(path_of(url), token)
    decided = right is Access.RULES
    if decided and verdict.line:
        why = f"line {verdict.line}: {verdict.rule}"
    elif decided:
        why = "no rule is about this URL"
    return RobotsAdvice(
        origin=origin,
        allowed=verdict.allowed if decided else right is Access.ALLOW_ALL,
        why=why,
        access=right,
        line=verdict.line if decided else 0,
        rule=verdict.rule if decided else "",
        group=verdict.group if decided else "",
        status=record.status,
        error=record.error,
        fetched_at=record.fetched_at,
        expires_at=record.expires_at,
        is_fresh=is_fresh(record, now),
        crawl_delay=rules.crawl_delay(token),
        sitemaps=rules.sitemaps,
        rights=rules.rights(path_of(url), token),
    )
