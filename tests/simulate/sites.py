"""What do simulated crawls visit, and what must be true of all of them?"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from itertools import pairwise

from tenax.compose.crawler import Crawler
from tenax.model import State
from tenax.ports import PageRecord, TargetRecord
from tenax.testing import SimulatedWeb, page
from tenax.urls.normalise import IdentityRules, host_of, normalise

_RULES = IdentityRules(())
# A simulated moment is a float near 1.8e9: differences are exact to a microsecond.
_ROUNDING = 1e-5


def small_site(web: SimulatedWeb, host: str, pages: int) -> list[str]:
    """A home page that links to the other pages, which link back."""
    home = f"https://{host}/"
    others = [f"{home}{n}" for n in range(1, pages)]
    web.at(home, page("home", *others))
    for url in others:
        web.at(url, page(f"page {url}", home))
    return [home, *others]


def telling_site(web: SimulatedWeb, host: str, pages: int) -> list[str]:
    """The same, but each page says something of its own: none waits for the others."""
    home, *others = small_site(web, host, pages)
    for url in others:
        digits = sha256(url.encode()).hexdigest()
        own = " ".join(
            "".join(chr(ord("a") + int(d, 16)) for d in digits[n : n + 8]) for n in range(48)
        )
        web.at(url, page(own, home))
    return [home, *others]


def gaps(times: Iterable[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(times)]


def assert_polite(web: SimulatedWeb, delay: float = 1.0) -> None:
    """FR-5: whoever asked, two requests to one host are never closer than the delay."""
    for host in {host_of(request.url) for request in web.requests}:
        times = web.asked(host)
        assert times == sorted(times)
        too_close = [gap for gap in gaps(times) if gap < delay - _ROUNDING]
        assert not too_close, f"{host} was asked again after {min(too_close):.3f} s"


async def assert_whole(app: Crawler) -> None:
    """The ledger adds up, and every stored page has its body (FR-10)."""
    assert await app.ledger.auditor.audit() == []
    stored = await app.ledger.pages.find(limit=10_000)
    digests = [bytes.fromhex(record.digest) for record in stored if record.digest]
    assert await app.ledger.content.missing(digests) == []
    assert len({(r.job, r.url) for r in stored}) == len(stored)


async def record(app: Crawler, url: str) -> TargetRecord:
    (found,) = await app.ledger.pages.targets(normalise(url, _RULES), host_of(url))
    return found


async def state(app: Crawler, url: str) -> State:
    return (await record(app, url)).state


async def stored(app: Crawler) -> dict[str, PageRecord]:
    return {record.url: record for record in await app.ledger.pages.find(limit=10_000)}


async def outcomes(app: Crawler, urls: Iterable[str]) -> dict[str, State]:
    return {url: await state(app, url) for url in urls}
