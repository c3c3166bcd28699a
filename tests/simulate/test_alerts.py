"""Is somebody told when a crawl goes wrong, until they have heard it, and when it is over?"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import pytest
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.reports.alerts import SqlAlerts
from tenax.compose.crawler import Crawler
from tenax.compose.health import make_alert_watch
from tenax.demo.catalogue import products
from tenax.model import Request, Response, Webhook
from tenax.ops.alerts.rules import AlertRule, AlertWhat
from tenax.ops.alerts.watch import AlertWatch
from tenax.ports import ProcessHealth, Unavailable
from tenax.ports.checks import AlertRecord
from tenax.testing import SimulatedWeb, VirtualClock, crawl, page, simulate, start_job, status
from tests.simulate.test_counts import PATIENT
from tests.simulate.test_log import logged
from tests.simulate.test_products import SHOP, Shop
from tests.simulate.test_self_care import HOSTS, Web, told

T = TypeVar("T")


class Post:
    """A sink that is deaf for a while."""

    def __init__(self) -> None:
        self.is_deaf = True
        self.tried = 0
        self.heard: list[tuple[str, str]] = []

    async def send(self, event: str, alert: AlertRecord) -> None:
        self.tried += 1
        if self.is_deaf:
            raise Unavailable("nobody is at home.")
        self.heard.append((event, alert.what))


def watch(
    app: Crawler, post: Post, health: Callable[[], Awaitable[ProcessHealth]] | None = None
) -> AlertWatch:
    made = make_alert_watch(app.ledger, health)
    made._sinks = {**made._sinks, "post": post}
    made._symptoms._free = lambda: 0.5  # whatever this machine's disk is like
    return made


def test_errors_are_told_after_five_minutes_and_until_they_were_heard(
    caplog: pytest.LogCaptureFixture,
) -> None:
    post = Post()
    broken = True

    def script(request: Request) -> Response:
        if request.url.endswith("robots.txt"):
            return status(404)
        number = int(request.url.rpartition("/")[2] or 0)
        if broken and number % 2:
            return status(403)
        return page(f"page {number}", *(f"/{n}" for n in range(number, number + 9)))

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        nonlocal broken
        for name in "abcdefgh":
            web.host(f"{name}.example", script)
        await start_job(app, *(f"https://{name}.example/" for name in "abcdefgh"))
        run = app.serve_jobs()
        working = asyncio.create_task(run.run())
        watching = asyncio.create_task(watch(app, post).run())
        await asyncio.sleep(200.0)
        assert await app.ledger.alerts.latest(None, 9, open_only=True) == []
        await asyncio.sleep(400.0)
        found = await app.ledger.alerts.latest(None, 9, open_only=True)
        assert "errors" in {alert.what for alert in found}
        assert post.heard == []
        assert 2 < post.tried < 60
        post.is_deaf = False
        await asyncio.sleep(60.0)
        assert ("raised", "errors") in post.heard
        broken = False
        await asyncio.sleep(3_000.0)
        assert ("cleared", "errors") in post.heard
        assert post.heard.count(("raised", "errors")) == 1
        run.stop()
        await working
        watching.cancel()

    with caplog.at_level(logging.WARNING, "tenax"):
        simulate(story, PATIENT)
    events = [(line["event"], line.get("what")) for line in logged(caplog)]
    assert ("alert_raised", "errors") in events
    assert ("alert_cleared", "errors") in events


def test_nobody_is_told_of_what_was_silenced() -> None:
    post = Post()
    post.is_deaf = False

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        now = VirtualClock().now
        record = AlertRecord(0, "disk", "", "1 % is free", 0.01, now(), now())
        await app.ledger.alerts.write([record], [], [])
        (alert,) = await app.ledger.alerts.open()
        await app.ledger.alerts.silence(alert.id, now() + 100.0)
        looking = watch(app, post)
        looking._symptoms._free = lambda: 0.01
        await looking.look()
        assert post.heard == []
        await asyncio.sleep(101.0)
        await looking.look()
        assert post.heard == [("raised", "disk")]

    simulate(story)


def test_webhooks_are_told_through_the_outbox() -> None:
    hook = Webhook("https://hooks.example.org/", "x" * 24)

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        looking = watch(app, Post())
        looking._symptoms._free = lambda: 0.01
        await looking.look()
        await looking.look()
        assert await app.ledger.outbox.hold("test", "me", 60.0) is not None
        told = [json.loads(event.value) for event in await app.ledger.outbox.read(0, 10)]
        assert [(each["type"], each["rule"], each["state"]) for each in told] == [
            ("alert", "disk", "raised")
        ]

    simulate(story, replace(PATIENT, webhooks=(hook,)))


def test_of_two_who_watch_one_tells() -> None:
    post = Post()
    post.is_deaf = False

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        both = [watch(app, post), watch(app, post)]
        for each in both:
            each._symptoms._free = lambda: 0.01
        for _ in range(3):
            for each in both:
                await each.look()
        assert post.heard == [("raised", "disk")]

    simulate(story)


def test_products_are_told_of_by_rules_of_ones_own() -> None:
    """Once when one has become cheaper, or can be had again; and that it is over, a day later."""
    post = Post()
    post.is_deaf = False
    brand = products(SHOP)[1].brand
    rules = (
        AlertRule(AlertWhat.PRICE_DROP, threshold=0.1, brand=brand.upper(), name="mine"),
        AlertRule(AlertWhat.IN_STOCK, host="shop.example"),
        AlertRule(AlertWhat.PRICE_RISE, host="elsewhere.example"),
        AlertRule(AlertWhat.SILENT_WORKER, off=True),
    )

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web, most=24)
        mine = [url for url, good in shop.goods.items() if good.brand == brand]
        away = next(url for url, good in shop.goods.items() if good.availability == "OutOfStock")
        looking = watch(app, post)
        await crawl(app, f"{SHOP}/")
        await looking.look()
        assert post.heard == []
        await asyncio.sleep(86_400.0)
        for url in shop.goods:
            shop.reprice(url, str(round(float(shop.goods[url].price) * 0.8)))
        shop.goods[away] = replace(shop.goods[away], availability="InStock")
        await crawl(app, f"{SHOP}/", again=True)
        for each in (looking, looking, watch(app, post)):
            await asyncio.sleep(60.0)
            await each.look()
        raised = await app.ledger.alerts.latest(None, 99, open_only=True)
        cheaper = [alert for alert in raised if alert.what == "price_drop"]
        assert len(cheaper) == len(mine) > 0
        assert all(alert.told.startswith("20% cheaper, ") for alert in cheaper)
        assert all(alert.about.startswith("mine: ") for alert in cheaper)
        (back,) = [alert for alert in raised if alert.what == "in_stock"]
        assert back.told == f"can be had again: {shop.goods[away].name} ({away})"
        assert len(post.heard) == len(mine) + 1, "each of them once"
        await asyncio.sleep(86_400.0)
        await looking.look()
        assert await app.ledger.alerts.latest(None, 99, open_only=True) == []
        assert [event for event, _ in post.heard].count("cleared") == len(mine) + 1

    simulate(story, replace(PATIENT, alerts=rules))


def test_a_server_that_is_away_for_a_minute_is_told_by_name() -> None:
    post = Post()
    post.is_deaf = False
    away: dict[str, str] = {}

    async def health() -> ProcessHealth:
        return ProcessHealth({"redis": "", "disk": "full", "loop": "9 s late"} | away, frozenset())

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        looking = watch(app, post, health)
        await looking.look()
        away["redis"] = "nobody answers"
        for _ in range(5):
            await asyncio.sleep(15.0)
            await looking.look()
        assert post.heard == []
        await asyncio.sleep(15.0)
        await looking.look()
        (alert,) = await app.ledger.alerts.latest(None, 9, open_only=True)
        assert (alert.about, alert.told) == ("redis", "redis is away: nobody answers")
        away.clear()
        await looking.look()
        assert post.heard == [("raised", "server"), ("cleared", "server")]

    simulate(story)


@pytest.mark.parametrize("lost", ["hold", "open", "untold"])
def test_a_ledger_that_was_waited_for_in_the_middle_of_a_look_is_told_of(lost: str) -> None:
    """An adapter waits for it instead of giving up: then the look goes on as if nothing was."""
    post = Post()
    post.is_deaf = False

    class Waited(SqlAlerts):
        is_away = True

        async def hold(self, holder: str, seconds: float) -> bool:
            await self._wait("hold")
            return await super().hold(holder, seconds)

        async def open(self) -> list[AlertRecord]:
            await self._wait("open")
            return await super().open()

        async def untold(self, sinks: Sequence[str]) -> list[AlertRecord]:
            await self._wait("untold")
            return await super().untold(sinks)

        async def _wait(self, question: str) -> None:
            if self.is_away and question == lost:
                self.is_away = False
                await asyncio.sleep(90.0)

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        looking = watch(app, post)
        looking._book = Waited(app.ledger.database, app.ledger.clock)
        for _ in range(3):
            await looking.look()
        assert post.heard == [("raised", "server"), ("cleared", "server")]

    simulate(story)


@pytest.mark.parametrize("lost", ["hold", "open"])
def test_a_ledger_that_was_away_is_told_of_when_it_is_back(lost: str) -> None:
    """Also when it goes, or comes and goes, in the middle of a look."""
    post = Post()
    post.is_deaf = False

    class Away(SqlAlerts):
        is_away = True

        async def hold(self, holder: str, seconds: float) -> bool:
            self._answer("hold")
            return await super().hold(holder, seconds)

        async def open(self) -> list[AlertRecord]:
            self._answer("open")
            return await super().open()

        def _answer(self, question: str) -> None:
            if self.is_away and question == lost:
                raise Unavailable("the database is away.")

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        looking = watch(app, post)
        book = looking._book = Away(app.ledger.database, app.ledger.clock)
        for _ in range(6):
            with pytest.raises(Unavailable):
                await looking.look()
            await asyncio.sleep(15.0)
        book.is_away = False
        for _ in range(2):
            await looking.look()
        assert post.heard == [("raised", "server"), ("cleared", "server")]
        (alert,) = await book.latest(None, 9, open_only=False)
        assert alert.told == "the ledger did not answer for 1 minute 30 seconds"

    simulate(story)


@pytest.mark.parametrize("first_is", ["dead", "dying", "new"])
def test_who_knows_of_no_outage_of_the_ledger_keeps_nobody_else_from_telling(first_is: str) -> None:
    """Whoever looks may die meanwhile, or of a page that its worker reads as soon as it is back, or
    have begun only then: chaos runs found that nobody told of the outage."""
    post = Post()
    post.is_deaf = False

    class Waiting:
        """As the database waits for its server."""

        def __init__(self, inner: Transactions) -> None:
            self.inner = inner
            self.back_at = 0.0

        async def write(self, work: Callable[[Connection], T]) -> T:
            await asyncio.sleep(self.back_at - asyncio.get_running_loop().time())
            return await self.inner.write(work)

        async def read(self, work: Callable[[Connection], T]) -> T:
            return await self.inner.read(work)

    class Dying(SqlAlerts):
        async def open(self) -> list[AlertRecord]:
            raise asyncio.CancelledError

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        database = Waiting(app.ledger.database)
        first, second = watch(app, post), watch(app, post)
        for each in (first, second):
            each._book = SqlAlerts(database, app.ledger.clock)  # type: ignore[arg-type]
        await first.look()
        await second.look()
        database.back_at = asyncio.get_running_loop().time() + 90.0
        if first_is == "dying":
            first._book = Dying(database, app.ledger.clock)  # type: ignore[arg-type]
            dying = asyncio.create_task(first.look())
            await asyncio.sleep(0.0)  # it is asked first, and so is first to look
        watching = [asyncio.create_task(second.run())]
        await asyncio.sleep(89.9)
        if first_is == "new":
            watching.append(asyncio.create_task(watch(app, post).run()))
        await asyncio.sleep(300.0)
        for task in watching:
            task.cancel()
        if first_is == "dying":
            assert dying.cancelled()
        assert post.heard == [("raised", "server"), ("cleared", "server")]
        (alert,) = await second._book.latest(None, 9, open_only=False)
        assert alert.told == "the ledger did not answer for 1 minute 30 seconds"

    simulate(story)


def test_of_one_outage_only_one_tells() -> None:
    post = Post()
    post.is_deaf = False

    class Waited(SqlAlerts):
        is_away = False

        async def hold(self, holder: str, seconds: float) -> bool:
            if self.is_away:
                await asyncio.sleep(90.0)
            return await super().hold(holder, seconds)

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        watching = [watch(app, post) for _ in range(3)]
        books = [Waited(app.ledger.database, app.ledger.clock) for _ in watching]
        for each, book in zip(watching, books, strict=True):
            each._book = book
            await each.look()
            book.is_away = True
        looking = [asyncio.create_task(each.run()) for each in watching]
        await asyncio.sleep(80.0)
        for book in books:
            book.is_away = False
        await asyncio.sleep(30.0)
        # Whoever looks ends, and the next one takes over: it remembers, but it was told.
        for task in looking:
            task.cancel()
            await asyncio.sleep(100.0)
        assert post.heard == [("raised", "server"), ("cleared", "server")]

    simulate(story)


def test_a_network_that_is_away_is_told_whoever_of_the_workers_is_cut_off() -> None:
    """Whoever looks for alerts may crawl nothing, or on another machine."""
    post = Post()
    post.is_deaf = False
    web = Web(away=(5.0, 200.0))

    async def story(app: Crawler) -> None:
        await start_job(app, *(f"https://{name}/" for name in HOSTS))
        run = app.serve_jobs()
        working = asyncio.create_task(run.run())
        watching = asyncio.create_task(watch(app, post).run())
        await asyncio.sleep(180.0)
        (alert,) = await app.ledger.alerts.latest(None, 9, open_only=True)
        assert (alert.what, alert.about) == ("server", "network")
        assert alert.told.startswith("1 of 1 workers have no network: ")
        await asyncio.sleep(120.0)
        assert post.heard == [("raised", "server"), ("cleared", "server")]
        run.stop()
        await working
        watching.cancel()

    told(web, story, probe=web.probe)
