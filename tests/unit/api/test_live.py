"""Is everybody told the same, soon, for one look at the ledger, and does it end?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import orjson

from tenax.adapters.local.clock import SystemClock
from tenax.api.live import (
    MOST,
    MOST_STRANGERS,
    MOST_TOPICS,
    RIGHTS_EVERY,
    Figures,
    LiveHub,
    LiveTopic,
)
from tenax.ops.accounts.api_keys import digest_of
from tenax.ports import Unavailable
from tenax.ports.accounts import ApiRole
from tenax.ports.checks import AlertRecord
from tests.asking import Asker, ask, opened


class Ledger:
    """Figures that change with every look."""

    def __init__(self) -> None:
        self.looks = 0
        self.is_away = False
        self.is_still = False

    async def look(self) -> Figures:
        self.looks += 1
        if self.is_away:
            raise Unavailable("away")
        pages = 0 if self.is_still else self.looks
        return {"at": self.looks, "pages": pages, "a_second": {"pages": pages}}


async def told(stream: AsyncIterator[bytes]) -> tuple[str, Any]:
    """The next event that says something."""
    async for each in stream:
        lines = each.decode().splitlines()
        if lines[0].startswith("event: "):
            return lines[0][7:], orjson.loads(lines[1][6:])
    return "end", None


async def test_all_are_told_the_same_for_one_look() -> None:
    ledger = Ledger()
    hub = LiveHub(ledger.look, SystemClock())
    streams = [hub.listen() for _ in range(20)]
    firsts = [await told(stream) for stream in streams]
    assert {name for name, _ in firsts} == {"full"}
    before = ledger.looks
    ticks = [await told(stream) for stream in streams]
    assert {name for name, _ in ticks} == {"tick"}
    assert len({tick["pages"] for _, tick in ticks}) == 1
    assert ledger.looks - before <= 3
    hub.close()


async def test_nobody_looks_while_nobody_listens() -> None:
    ledger = Ledger()
    hub = LiveHub(ledger.look, SystemClock())
    async with aclosing(hub.listen()) as stream:  # type: ignore[type-var]  # a generator, as all such
        assert (await told(stream))[0] == "full"
    await asyncio.sleep(1.2)
    seen = ledger.looks
    await asyncio.sleep(1.2)
    assert ledger.looks == seen


async def test_a_newcomer_gets_what_was_before() -> None:
    hub = LiveHub(Ledger().look, SystemClock())
    first = hub.listen()
    for _ in range(3):
        await told(first)
    name, full = await told(hub.listen())
    assert name == "full"
    assert full["ring"][:2] == [{"at": n, "a_second": {"pages": n}} for n in (1, 2)], "not more"
    assert full["now"]["at"] == full["ring"][-1]["at"]
    assert full["now"]["pages"] > 0
    hub.close()


class Stepped:
    """A clock that looking takes time of, and that says how long it was slept by."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.time += seconds
        await asyncio.sleep(0)


async def test_what_a_look_takes_does_not_make_the_next_one_later() -> None:
    clock, ledger = Stepped(), Ledger()

    async def look() -> Figures:
        clock.time += 0.2 if ledger.looks < 4 else 3.0
        return await ledger.look()

    hub = LiveHub(look, clock)
    stream = hub.listen()
    for _ in range(6):
        await told(stream)
    hub.close()
    assert clock.slept[1:3] == [0.3, 0.3], "two looks in a second"
    assert 0.0 in clock.slept, "one that took too long is followed at once"


async def test_whoever_does_not_read_misses_ticks_and_holds_nobody_up() -> None:
    hub = LiveHub(Ledger().look, SystemClock())
    slow, quick = hub.listen(), hub.listen()
    await told(slow)
    await told(quick)
    last = [(await told(quick))[1]["pages"] for _ in range(5)][-1]
    first = [(await told(slow))[1]["pages"] for _ in range(2)]
    assert first[0] < last
    assert (await told(slow))[1]["pages"] > last, "those in between were missed"
    hub.close()


async def test_that_the_ledger_is_away_is_told_and_that_it_is_back() -> None:
    ledger = Ledger()
    hub = LiveHub(ledger.look, SystemClock())
    stream = hub.listen()
    await told(stream)
    ledger.is_away = True
    while (await told(stream))[0] != "away":
        pass
    ledger.is_away = False
    while (await told(stream))[0] != "tick":
        pass
    hub.close()


async def test_streams_end_at_once_when_the_hub_is_closed() -> None:
    ledger = Ledger()
    ledger.is_still = True
    hub = LiveHub(ledger.look, SystemClock())
    stream = hub.listen()
    await told(stream)
    waiting = asyncio.create_task(told(stream))
    await asyncio.sleep(0)
    hub.close()
    async with asyncio.timeout(10):
        assert (await waiting)[0] == "end"
    assert hub.is_full(), "nobody is let in any more"


async def test_what_was_done_is_told_by_the_minute(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        body = {"name": "shop", "seeds": ["https://shop.example/"]}
        await asker.ask("/api/jobs", "POST", body=body)
        answer = await asker.ask("/api/stats/timeseries?minutes=60&step=5&job=shop")
        assert (answer.status, answer.json["step_seconds"]) == (200, 300)
        points = answer.json["items"]
        assert len(points) == 12
        done = {"visits", "pages", "failures", "bytes", "s2", "s3", "s4", "s5"}
        assert set(points[0]) == {"at", *done}
        assert (await asker.ask("/api/stats/timeseries?minutes=10080")).status == 422
        visits = await asker.ask("/api/visits?status=404&host=shop.example", role=ApiRole.USER)
        assert visits.json == {"items": [], "next": None}


async def test_who_asks_about_a_job_gets_its_part_for_one_look_at_it() -> None:
    ledger = Ledger()
    asked: list[LiveTopic] = []

    async def look_at(topic: LiveTopic) -> Figures:
        asked.append(topic)
        return {"job": {"name": topic.job, "pages": len(asked)}}

    hub = LiveHub(ledger.look, SystemClock(), look_at)
    shop = LiveTopic(job="shop")
    streams = [hub.listen(shop) for _ in range(10)]
    plain = hub.listen()
    fulls = [await told(stream) for stream in streams]
    assert {full["now"]["job"]["name"] for _, full in fulls} == {"shop"}
    assert "job" not in (await told(plain))[1]["now"]
    before = len(asked)
    ticks = [await told(stream) for stream in streams]
    assert len({tick["job"]["pages"] for _, tick in ticks}) == 1
    assert len(asked) - before <= 3, "one look for all ten"
    assert set(asked) == {shop}
    assert "job" not in (await told(plain))[1]
    hub.close()


async def test_only_so_many_different_things_are_looked_at() -> None:
    hub = LiveHub(Ledger().look, SystemClock())
    streams = [hub.listen(LiveTopic(host=f"{n}.example")) for n in range(MOST_TOPICS)]
    for stream in streams:
        await told(stream)
    assert hub.is_too_much(LiveTopic(job="one more"))
    assert not hub.is_too_much(LiveTopic(host="0.example"))
    hub.close()
    for stream in streams:
        await told(stream)
    assert not hub.is_too_much(LiveTopic(job="one more")), "those who left are forgotten"


async def test_whoever_does_not_say_who_they_are_leaves_room_for_those_who_do() -> None:
    hub = LiveHub(Ledger().look, SystemClock())
    strangers = [hub.listen(stranger=True) for _ in range(MOST_STRANGERS)]
    for stream in strangers:
        await told(stream)
    assert hub.is_full(stranger=True)
    assert not hub.is_full()
    known = [hub.listen() for _ in range(MOST - MOST_STRANGERS)]
    for stream in known:
        await told(stream)
    assert hub.is_full()
    await strangers[0].aclose()  # type: ignore[attr-defined]  # a generator, as all such are
    assert not hub.is_full(stranger=True)
    hub.close()


async def test_a_stream_that_is_asked_for_without_its_body_is_not_begun(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        async with asyncio.timeout(10):
            head = await ask(asker.api, "/api/live", "HEAD")
        assert (head.status, head.body) == (200, b"")
        assert head.headers["content-type"].startswith("text/event-stream")
        assert "etag" not in head.headers
        hub: LiveHub = asker.api.state.live
        assert hub.listeners == 0
        await asker.make_keys()
        missing = await ask(asker.api, "/api/live?job=nobody", "HEAD", asker.keys[ApiRole.USER])
        assert missing.status == 404


async def test_running_jobs_are_told_to_those_who_may_see_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        for name, start in (("shop", True), ("news", True), ("rests", False)):
            body = {"name": name, "seeds": [f"https://{name}.example/"], "start": start}
            assert (await asker.ask("/api/jobs", "POST", body=body)).status == 201
        narrow = {"name": "narrow", "role": "user", "jobs": ["news"]}
        key = (await asker.ask("/api/keys", "POST", body=narrow)).json["key"]
        keys = {"nobody": None, "user": asker.keys[ApiRole.USER], "narrow": key}
        path = "/api/live?jobs=true"
        asked = {who: asyncio.create_task(ask(asker.api, path, key=k)) for who, k in keys.items()}
        hub: LiveHub = asker.api.state.live
        while hub.listeners < len(keys):  # noqa: ASYNC110  # nobody tells when somebody comes
            await asyncio.sleep(0.01)
        hub.close()
        seen = {who: first_of((await task).body) for who, task in asked.items()}
    assert seen == {"nobody": None, "user": ["shop", "news"], "narrow": ["news"]}


async def test_who_is_told_of_jobs_need_not_ask_for_what_did_not_change(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        body = {"name": "shop", "seeds": ["https://shop.example/"], "start": True}
        assert (await asker.ask("/api/jobs", "POST", body=body)).status == 201
        whole = (await asker.ask("/api/jobs/shop/progress")).json
        hub: LiveHub = asker.api.state.live
        stream = hub.listen(LiveTopic(jobs=True))
        first = (await told(stream))[1]["now"]
        (shop,) = first["jobs"]
        mark = shop.pop("spec_mark")
        del whole["spec"]
        assert shop == whole, "all but what it was asked to do"
        assert (first["dead_letters"], first["alerts"]) == (0, 0)
        narrow = hub.listen(LiveTopic(jobs=True, among=("shop",)))
        assert not {"dead_letters", "alerts", "hosts_mark"} & set((await told(narrow))[1]["now"])

        now = made.ledger.clock.now()
        disk = AlertRecord(0, "disk", "", "3 % of the disk is free", 0.03, now, now)
        await made.ledger.alerts.write([disk], [], [])
        assert (await asker.ask("/api/jobs/shop", "PATCH", body={"max_depth": 3})).status == 200
        assert (await asker.ask("/api/admin/domains/shop.example/pause", "POST")).status == 200
        async with asyncio.timeout(10):
            while True:
                tick = (await told(stream))[1]
                said = tick["alerts"], tick["hosts_mark"] != first["hosts_mark"]
                if said == (1, True) and tick["jobs"][0]["spec_mark"] != mark:
                    break
        assert tick["jobs"][0]["waiting"] == [
            {"host": "shop.example", "until": None, "why": "paused"}
        ]
        hub.close()


def first_of(body: bytes) -> list[str] | None:
    """The jobs in the first event."""
    data = next(line for line in body.splitlines() if line.startswith(b"data: "))
    jobs = orjson.loads(data[6:])["now"].get("jobs")
    return None if jobs is None else [job["job"] for job in jobs]


async def test_a_stream_ends_soon_after_the_right_to_it(tmp_path: Path) -> None:
    """Of a key that was revoked and a session that was ended; others listen on."""
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        await made.users.add("uwe", ApiRole.USER, "a hash")
        uwe = await made.users.find("uwe")
        assert uwe is not None
        await made.users.open_session(uwe.id, b"s" * 32, made.ledger.clock.now() + 60)
        hub: LiveHub = asker.api.state.live
        kept, lost = (digest_of(asker.keys[r] or "") for r in (ApiRole.USER, ApiRole.ADMIN))
        found = await made.keys.find(lost)
        assert found is not None
        digests = (kept, lost, b"s" * 32, b"")
        streams = [hub.listen(digest=digest) for digest in digests]
        for stream in streams:
            assert (await told(stream))[0] == "full"
        await made.keys.revoke(found.name)
        await made.users.remove("uwe")
        async with asyncio.timeout(10):
            assert [(await rest(streams[n])) for n in (1, 2)] == ["end", "end"]
        assert hub.listeners == 2
        hub.close()


async def rest(stream: AsyncIterator[bytes]) -> str:
    while (said := await told(stream))[0] != "end":
        pass
    return said[0]


async def test_whether_they_still_may_is_asked_once_for_all_who_listen() -> None:
    asked: list[set[bytes]] = []

    async def lapsed(digests: set[bytes]) -> set[bytes]:
        asked.append(digests)
        return {b"one"} if len(asked) == 2 else set()

    clock = Stepped()
    hub = LiveHub(Ledger().look, clock, lapsed=lapsed)
    streams = [hub.listen(digest=digest) for digest in (b"one", b"two", b"one", b"")]
    for stream in streams:
        await told(stream)
    assert await rest(streams[0]) == "end"
    assert await rest(streams[2]) == "end"
    assert asked[:2] == [{b"one", b"two"}] * 2
    assert clock.time <= 2 * RIGHTS_EVERY + 1, "within seconds"
    hub.close()
