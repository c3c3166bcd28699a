"""Events reach those who are to be told, whatever fails on the way: none is lost or doubled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.model import Event, Fault, ScopeKind
from tenax.ops.events.delivery import RelayPolicy
from tenax.ops.events.relay import Relay, relaying
from tenax.ports import Unavailable
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, failing, page, run_virtually, scratch, simulate
from tests.schemas import check
from tests.simulate.mortal import Life, start_worker
from tests.simulate.sites import assert_whole, small_site

SETTINGS = Settings(contact="mailto:test@example.org", events="file:///events")
HOME = "https://a.example/"
POLICY = RelayPolicy(batch=3)


@dataclass
class Listener:
    """A sink that listens, as long as it is up."""

    heard: list[dict[str, Any]] = field(default_factory=list)
    tries: list[float] = field(default_factory=list)
    down: bool = False
    forgets_to_answer: int = 0
    """It hears so many batches, and the answer is lost."""
    dies_after: int | None = None
    """Whoever tells it so many batches never hears of anything again."""

    async def send(self, events: Sequence[Event]) -> None:
        self.tries.append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.01)
        if self.down:
            raise Unavailable("nobody listens.")
        self.heard += [check(event.value) for event in events]
        if self.dies_after is not None:
            self.dies_after -= 1
            if self.dies_after <= 0:
                await asyncio.get_running_loop().create_future()
        if self.forgets_to_answer:
            self.forgets_to_answer -= 1
            raise Unavailable("no answer.")

    async def close(self) -> None:
        pass

    @property
    def urls(self) -> list[str]:
        return [event["url"] for event in self.heard]

    @property
    def once(self) -> list[str]:
        """As a reader sees them who knows an event by its id."""
        return [event["url"] for event in {e["event_id"]: e for e in self.heard}.values()]


def relay_to(
    app: Crawler, sink: Listener, holder: str = "r1", policy: RelayPolicy = POLICY
) -> Relay:
    return Relay("events", holder, app.ledger.outbox, sink, app.parts.clock, policy)


async def pages_of(app: Crawler) -> list[str]:
    return sorted(record.url for record in await app.ledger.pages.find(limit=1_000))


def test_every_page_of_a_crawl_is_told_once() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 9)
        web.at("https://a.example/3", failing(Fault.RESET))
        sink = Listener()
        async with relaying([relay_to(app, sink)]):
            await crawl(app, HOME)
        told = [event for event in sink.heard if event["type"] == "webpage_fetched"]
        assert sorted(event["url"] for event in told) == await pages_of(app)
        (failed,) = [event for event in sink.heard if event["type"] == "webpage_failed"]
        assert (failed["url"], failed["fault"]) == ("https://a.example/3", "reset")

    simulate(story, SETTINGS)


def test_a_page_that_is_unchanged_is_not_told_again_and_a_new_one_is() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("one"), page("one"), page("two"))
        sink = Listener()
        for again in (False, True, True):
            await crawl(app, HOME, again=again)
        assert await relay_to(app, sink).drain()
        assert len(sink.heard) == 2
        assert sink.heard[0]["digest"] != sink.heard[1]["digest"]
        assert sink.heard[0]["event_id"] != sink.heard[1]["event_id"]
        for event in sink.heard:
            assert await app.ledger.content.get(bytes.fromhex(event["cache_key"])) is not None

    simulate(story, SETTINGS)


def test_while_nobody_listens_the_crawl_goes_on_and_all_is_told_afterwards() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 9)
        sink = Listener(down=True)
        said: list[str] = []
        relay = replace(relay_to(app, sink), say=said.append)
        running = asyncio.create_task(relay.run())
        await crawl(app, HOME)
        expected = await pages_of(app)
        assert len(expected) == 9
        await asyncio.sleep(3_600)
        assert sink.heard == []
        # Half a minute between tries, not a storm of them.
        assert len(sink.tries) < 140
        sink.down = False
        await asyncio.sleep(60)
        assert sorted(sink.urls) == expected
        assert len(said) == 2, said
        relay.stop()
        await running

    simulate(story, SETTINGS)


def test_what_was_heard_without_an_answer_is_told_again_under_the_same_id() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 9)
        await crawl(app, HOME)
        sink = Listener(forgets_to_answer=3)
        assert await relay_to(app, sink).drain()
        assert len(sink.heard) == 9 + 3 * 3
        assert sorted(sink.once) == await pages_of(app)

    simulate(story, SETTINGS)


def test_a_relay_that_dies_between_telling_and_remembering_is_followed_by_another() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 9)
        await crawl(app, HOME)
        for batches in (1, 2, 3):
            await app.ledger.outbox.move("events", 0.0)
            sink = Listener(dies_after=batches)
            first = asyncio.create_task(relay_to(app, sink, "first").run())
            await asyncio.sleep(1)
            assert len(sink.heard) == 3 * batches
            sink.dies_after = None
            second = asyncio.create_task(relay_to(app, sink, "second").drain(POLICY.drain))
            await asyncio.sleep(POLICY.lease / 2)
            assert len(sink.heard) == 3 * batches, "the first may still be at work"
            assert await second
            assert sorted(sink.once) == await pages_of(app)
            assert len(sink.heard) == 9 + 3, "only what was not remembered is told again"
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)

    simulate(story, SETTINGS)


def test_a_sink_that_hangs_is_not_waited_for_when_its_time_is_over() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 9)
        await crawl(app, HOME)
        now = asyncio.get_running_loop().time
        relay = relay_to(app, Listener(dies_after=1), "first")
        running = asyncio.create_task(relay.run())
        await asyncio.sleep(60)
        assert not running.done(), "while there is time it is waited for"
        stopped = now()
        relay.stop()
        await running
        assert now() - stopped < 5
        hanging = relay_to(app, Listener(dies_after=1), "second")
        stopped = now()
        assert not await hanging.drain(POLICY.drain)
        assert now() - stopped < POLICY.drain + 1
        assert await hanging.left() == 9, "what was not confirmed was not told"
        assert "no answer in time" in hanging.trouble

    simulate(story, SETTINGS)


def test_of_several_relays_one_is_at_work() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 9)
        sinks = [Listener(), Listener(), Listener()]
        relays = [relay_to(app, sink, f"r{n}") for n, sink in enumerate(sinks)]
        async with relaying(relays):
            await crawl(app, HOME)
            await asyncio.sleep(30)
            assert sum(1 for sink in sinks if sink.heard) == 1
        heard = [event for sink in sinks for event in sink.heard]
        assert sorted(event["url"] for event in heard) == await pages_of(app)

    simulate(story, SETTINGS)


def test_a_relay_survives_a_ledger_that_fails_for_a_while() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 4)
        await crawl(app, HOME)
        sink = Listener()
        relay = relay_to(app, sink)
        outbox = app.ledger.outbox
        broken = _Broken()
        relay.outbox = cast(Any, broken)
        running = asyncio.create_task(relay.run())
        await asyncio.sleep(100)
        assert 3 < broken.asked < 20
        relay.outbox = outbox
        await asyncio.sleep(60)
        assert sorted(sink.urls) == await pages_of(app)
        relay.stop()
        await running

    simulate(story, SETTINGS)


class _Broken:
    def __init__(self) -> None:
        self.asked = 0

    def __getattr__(self, _: str) -> Any:
        async def fail(*_: object) -> None:
            self.asked += 1
            raise Unavailable("the ledger is down.")

        return fail


def test_what_was_told_is_kept_for_a_while_and_then_forgotten() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 4)
        sink = Listener()
        policy = RelayPolicy(look=10.0)
        running = asyncio.create_task((relay := relay_to(app, sink, policy=policy)).run())
        await crawl(app, HOME)
        await asyncio.sleep(60)
        assert len(await app.ledger.outbox.read(0, 100)) == 4
        await asyncio.sleep(policy.keep + 60)
        assert await app.ledger.outbox.read(0, 100) == []
        assert len(sink.heard) == 4
        relay.stop()
        await running

    simulate(story, SETTINGS)


def test_a_relay_that_is_stopped_tells_no_more_and_lets_another_go_on_at_once() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 9)
        await crawl(app, HOME)
        sink = Listener()
        first = relay_to(app, sink, "first")
        running = asyncio.create_task(first.run())
        await asyncio.sleep(0.015)
        first.stop()
        await running
        assert 0 < len(sink.heard) < 9
        assert await relay_to(app, sink, "second").drain(1)
        assert sorted(sink.urls) == await pages_of(app)

    simulate(story, SETTINGS)


async def told_in_two_lives(
    folder: Path, last_step: int | None
) -> tuple[int, list[str], list[str]]:
    """A crawl that is killed at some step, and the next, which finishes it: its steps, the pages
    there are, and what was told."""
    web = SimulatedWeb()
    small_site(web, "a.example", 5)
    life = Life(last_step)
    sink = Listener()

    async def crawl_and_tell(app: Crawler) -> None:
        async with relaying([relay_to(app, sink, f"relay-{id(app)}", RelayPolicy(batch=2))]):
            await crawl(app, HOME, scope=ScopeKind.ANY)

    first = await start_worker(web, folder, life, crawl_and_tell, SETTINGS)
    await first.end()
    expected: list[str] = []

    async def finish(app: Crawler) -> None:
        await crawl_and_tell(app)
        await relay_to(app, sink, "last").drain(60)
        await assert_whole(app)
        expected.extend(await pages_of(app))

    await (await start_worker(web, folder, Life(), finish, SETTINGS)).end()
    await first.clear_away()
    return life.steps, expected, sink.once


def killed_at(step: int | None) -> tuple[int, list[str], list[str]]:
    with scratch() as folder:
        return run_virtually(told_in_two_lives(Path(folder), step))


def test_a_crawl_killed_at_any_step_tells_every_page_exactly_once_per_visit() -> None:
    steps, expected, told = killed_at(None)
    assert sorted(told) == expected
    for step in range(1, steps + 1, 7):
        _, expected, told = killed_at(step)
        assert sorted(told) == expected, f"killed at step {step}"
