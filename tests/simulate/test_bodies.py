"""Bodies with a time to live: after every visit a page is readable, and its readers are told.

What Redis does is done here in memory, by the virtual clock; `tests/contract/test_shelf.py` has the
real one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.outages.bodies import Bodies
from tenax.model import Fault, Request, Response, State
from tenax.ops.events.delivery import RelayPolicy
from tenax.ports import Clock, Unavailable
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, failing, page, simulate, status
from tests.schemas import check
from tests.simulate.sites import state

HOME = "https://a.example/"
TTL = 3_600.0
SETTINGS = Settings(
    contact="mailto:test@example.org", events="file:///told", relay=RelayPolicy(unchanged=True)
)


@dataclass
class Expiring:
    """A shelf, and the store of what lies on it and nowhere else."""

    clock: Clock
    lying: dict[bytes, tuple[bytes, bytes, float]] = field(default_factory=dict)
    """By the hash of the URL: digest, body, and until when."""
    is_down: bool = False

    async def put(self, pages: Iterable[Sequence[bytes]]) -> None:
        for one in pages:
            if len(one) == 3:
                self.lying[one[0]] = (one[1], one[2], self.clock.now() + TTL)

    async def renew(self, pages: Sequence[tuple[bytes, bytes]]) -> list[bool]:
        if self.is_down:
            raise Unavailable("it is down")
        there = [self.of(url_hash, digest) is not None for url_hash, digest in pages]
        for (url_hash, _), is_there in zip(pages, there, strict=True):
            if is_there:
                self.lying[url_hash] = (*self.lying[url_hash][:2], self.clock.now() + TTL)
        return there

    def of(self, url_hash: bytes, digest: bytes) -> bytes | None:
        found = self.lying.get(url_hash, (b"", b"", 0.0))
        return found[1] if found[0] == digest and found[2] > self.clock.now() else None

    async def get(self, digest: bytes) -> bytes | None:
        found = (self.of(url_hash, digest) for url_hash in self.lying)
        return next((body for body in found if body is not None), None)

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        return [digest for digest in digests if await self.get(digest) is None]

    async def close(self) -> None:
        pass

    @property
    def readable(self) -> list[bytes]:
        return [body for _, body, until in self.lying.values() if until > self.clock.now()]


def on_shelf(app: Crawler, *, copies: bool = False) -> tuple[Crawler, Expiring]:
    """The same crawl with bodies on such a shelf: there and nowhere else, or as copies."""
    shelf = Expiring(app.parts.clock)
    bodies = Bodies(app.ledger.content, shelf) if copies else Bodies(shelf, shelf, expires=True)
    return replace(app, parts=replace(app.parts, bodies=bodies)), shelf


def tagged(request: Request) -> Response:
    """304 for whoever names the version."""
    if dict(request.headers).get("If-None-Match") == '"v1"':
        return status(304, etag='"v1"')
    return page("one", etag='"v1"')


def plain(request: Request) -> Response:
    """The same bytes for everybody."""
    return page("one")


async def told(app: Crawler) -> list[dict[str, Any]]:
    return [check(event.value) for event in await app.ledger.outbox.read(0, 100)]


def conditional(web: SimulatedWeb) -> list[bool]:
    asked = [r for r in web.requests if r.url == HOME]
    return ["If-None-Match" in dict(r.headers) for r in asked]


@pytest.mark.parametrize("server", [tagged, plain])
@pytest.mark.parametrize("wait", [TTL / 2, TTL + 1], ids=["in time", "expired"])
def test_a_page_that_has_not_changed_is_readable_after_every_visit_and_told(
    server: Any, wait: float
) -> None:
    """STORE-3, FE-4"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, server)
        app, shelf = on_shelf(app)
        for again in (False, True, True):
            await crawl(app, HOME, again=again)
            ((_, body, until),) = shelf.lying.values()
            assert b"one" in body
            assert until > app.parts.clock.now() + TTL - 60, "it has its whole time again"
            await app.parts.clock.sleep(wait)
        is_in_time = wait < TTL
        assert conditional(web)[1:] == [server is tagged and is_in_time] * 2
        events = await told(app)
        assert [event["unchanged"] for event in events] == [False, is_in_time, is_in_time]
        assert len({event["event_id"] for event in events}) == 3
        assert len({event["body_sha256"] for event in events}) == 1

    simulate(story, SETTINGS)


def test_a_body_that_expires_while_it_is_being_confirmed_is_fetched() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, tagged)
        app, shelf = on_shelf(app)
        await crawl(app, HOME)

        def slowly(request: Request) -> Response:
            shelf.lying.clear()
            return tagged(request)

        web.at(HOME, slowly)
        await crawl(app, HOME, again=True)
        assert conditional(web) == [False, True, False]
        assert len(shelf.readable) == 1
        assert await state(app, HOME) is State.DONE
        assert [event["unchanged"] for event in await told(app)] == [False, False]

    simulate(story, SETTINGS)


def test_a_host_that_fails_leaves_no_page_without_its_body() -> None:
    """A copy that has gone does not serve in its stead."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("one"))
        app, _ = on_shelf(app)
        await crawl(app, HOME)
        web.at(HOME, failing(Fault.TOO_LARGE))
        await crawl(app, HOME, again=True)
        assert await state(app, HOME) is State.DONE, "the earlier one serves"
        await app.parts.clock.sleep(TTL + 1)
        await crawl(app, HOME, again=True)
        assert await state(app, HOME) is State.FAILED
        assert [event["type"] for event in await told(app)] == ["webpage_fetched", "webpage_failed"]

    simulate(story, SETTINGS)


def test_while_the_store_cannot_tell_no_condition_is_sent() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, tagged)
        app, shelf = on_shelf(app)
        await crawl(app, HOME)
        shelf.is_down = True
        await crawl(app, HOME, again=True)
        assert conditional(web) == [False, False]
        assert await state(app, HOME) is State.DONE

    simulate(story, SETTINGS)


def test_a_copy_that_has_expired_is_laid_out_again_from_the_store() -> None:
    """No more is asked of the site than without copies."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, tagged)
        app, shelf = on_shelf(app, copies=True)
        await crawl(app, HOME)
        await app.parts.clock.sleep(TTL + 1)
        assert shelf.readable == []
        await crawl(app, HOME, again=True)
        assert conditional(web) == [False, True]
        (body,) = shelf.readable
        first, second = await told(app)
        assert (first["unchanged"], second["unchanged"]) == (False, True)
        assert sha256(body).hexdigest() == second["body_sha256"]

    simulate(story, SETTINGS)


def test_what_nobody_wants_to_know_is_not_told() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, tagged)
        for again in (False, True):
            await crawl(app, HOME, again=again)
        assert len(await told(app)) == 1

    simulate(story, replace(SETTINGS, relay=RelayPolicy()))
