"""Are events told by signed requests, at least once, in order, and to nobody they must not?"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, field

from tenax.adapters.events.webhooks import WebhookSink
from tenax.compose.events import webhook_name
from tenax.compose.ledger import open_ledger
from tenax.crawl.event import alert_told, event_id
from tenax.model import Event, EventKind, JobSpec, JobState, Webhook
from tenax.ops.events.delivery import RelayPolicy
from tenax.ops.events.relay import Relay
from tenax.ports import Unavailable
from tenax.ports.events import ToldPartly
from tenax.settings import Settings
from tenax.urls.addresses import AddressRules
from tests.schemas import check

SECRET = "a secret of twenty-four characters"
LOOPBACK = AddressRules(("127.0.0.0/8",))
POLICY = RelayPolicy(look=0.01, backoffs=(0.01,), lease=1.0)


class Receiver(Struct):
    """A real server that remembers what it was sent."""

    status: int = 200
    heard: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    """Statuses of the next answers, before `status` is the answer to all."""
    holds: asyncio.Event | None = None
    """Until then it hears and does not answer."""
    port: int = 0
    hears: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        body = await reader.readexactly(int(headers["content-length"]))
        self.headers.append({"": first, **headers})
        self.raw.append(body)
        self.heard.append(json.loads(body))
        self.hears.set()
        if self.holds is not None:
            await self.holds.wait()
        status = self.answers.pop(0) if self.answers else self.status
        writer.write(f"HTTP/1.1 {status} Said\r\ncontent-length: 0\r\n\r\n".encode())
        writer.close()

    @property
    def ids(self) -> list[str]:
        return [each["event_id"] for each in self.heard]


@asynccontextmanager
async def listening(receiver: Receiver) -> AsyncIterator[Receiver]:
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", receiver.port)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        await server.wait_closed()


def hook_of(receiver: Receiver, *events: Any) -> Webhook:
    url = f"http://127.0.0.1:{receiver.port}/in?from=tenax"
    return Webhook(url, SECRET, events or ("job_ended", "alert", "product_changed"))


def event(number: int, kind: EventKind = EventKind.ALERT) -> Event:
    value = alert_told("disk", "raised", f"number {number}", 4.5, float(number))
    return Event(number, kind, bytes(32), value, float(number))


class Still:
    """A clock that stands still."""

    def now(self) -> float:
        return 1_700_000_000.5

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


async def test_an_event_is_one_signed_request() -> None:
    async with listening(Receiver()) as receiver:
        await WebhookSink(hook_of(receiver), LOOPBACK, Still()).send([event(1)])
    (told,), (headers,) = receiver.heard, receiver.headers
    assert check(receiver.raw[0]) == told
    assert (told["type"], told["rule"], told["value"]) == ("alert", "disk", 4.5)
    assert headers[""] == "POST /in?from=tenax HTTP/1.1"
    assert headers["content-type"] == "application/json"
    assert headers["webhook-id"] == told["event_id"]
    assert headers["webhook-timestamp"] == "1700000000"
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + receiver.raw[0]
    mac = base64.b64encode(hmac.digest(SECRET.encode(), signed, "sha256")).decode()
    assert headers["webhook-signature"] == f"v1,{mac}"


async def test_what_was_not_asked_for_is_passed_over() -> None:
    page, alert = event(1, EventKind.FETCHED), event(2)
    async with listening(Receiver()) as receiver:
        await WebhookSink(hook_of(receiver, "job_ended"), LOOPBACK, Still()).send([page, alert])
        assert receiver.heard == []
        await WebhookSink(hook_of(receiver, "alert"), LOOPBACK, Still()).send([page, alert])
    assert receiver.ids == [json.loads(alert.value)["event_id"]]


@pytest.mark.parametrize("status", [300, 302, 401, 404, 410, 429, 500, 503])
async def test_one_that_is_not_taken_is_told_again_and_those_before_it_are_not(status: int) -> None:
    async with listening(Receiver(answers=[200, status])) as receiver:
        sink = WebhookSink(hook_of(receiver), LOOPBACK, Still())
        with pytest.raises(ToldPartly) as partly:
            await sink.send([event(1), event(2), event(3)])
        assert partly.value.place == 1
        receiver.answers = [status]
        with pytest.raises(Unavailable, match=str(status)):
            await sink.send([event(2), event(3)])
        await sink.send([event(2), event(3)])
    assert [each["says"] for each in receiver.heard] == [
        "number 1", "number 2", "number 2", "number 2", "number 3",
    ]  # fmt: skip


@pytest.mark.parametrize("status", [400, 413, 415, 422])
async def test_one_that_its_receiver_will_never_take_holds_nobody_up(status: int) -> None:
    async with listening(Receiver(answers=[status])) as receiver:
        await WebhookSink(hook_of(receiver), LOOPBACK, Still()).send([event(1), event(2)])
    assert len(receiver.heard) == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254"])
async def test_an_address_that_is_not_public_is_told_nothing(host: str) -> None:
    async with listening(Receiver()) as receiver:
        hook = Webhook(f"http://{host}:{receiver.port}/", SECRET)
        with pytest.raises(Unavailable, match="allow_private") as refused:
            await WebhookSink(hook, AddressRules(), Still()).send([event(1)])
    assert receiver.heard == []
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("said", [b"", b"nonsense\r\n", b"HTTP/1.1 yes\r\n", b"A" * 20_000])
async def test_an_answer_that_is_none_is_no_answer(said: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    hook = Webhook(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", SECRET)
    async with server:
        with pytest.raises(Unavailable):
            await WebhookSink(hook, LOOPBACK, Still()).send([event(1)])


# -- From the ledger


def settings_of(folder: Path, receiver: Receiver) -> Settings:
    return Settings(
        data=str(folder),
        allow_private=("127.0.0.0/8",),
        webhooks=(hook_of(receiver),),
        relay=POLICY,
    )


async def test_a_job_that_is_done_is_told_once_by_a_receiver_that_was_down(tmp_path: Path) -> None:
    receiver = Receiver()
    async with listening(receiver):
        pass  # it has a port now, and is down
    settings = settings_of(tmp_path, receiver)
    async with open_ledger(settings) as ledger:
        job = await ledger.jobs.save("shop", JobSpec())
        for state in (JobState.DONE, JobState.DONE, JobState.STOPPED):
            await ledger.jobs.set_state(job.id, state)
        async with listening(Receiver()) as other:
            sink = WebhookSink(hook_of(receiver), LOOPBACK, ledger.clock)
            name = webhook_name(hook_of(receiver))
            relay = Relay(name, "one", ledger.outbox, sink, ledger.clock, POLICY)
            await relay.step()
            assert "webhook 127.0.0.1: cannot be told" in relay.trouble
            assert (await relay.left(), other.heard) == (1, [])
        async with listening(receiver):
            assert await relay.drain(30.0)
    (told,) = receiver.heard
    assert check(receiver.raw[0]) == told
    assert (told["type"], told["job"], told["pages"]) == ("job_ended", "shop", 0)


async def test_a_relay_that_dies_while_it_tells_leaves_the_event_to_the_next(
    tmp_path: Path,
) -> None:
    receiver = Receiver(holds=asyncio.Event())
    async with listening(receiver), open_ledger(settings_of(tmp_path, receiver)) as ledger:
        for number in range(3):
            value = alert_told("disk", "raised", f"number {number}", None, float(number))
            await ledger.outbox.put(EventKind.ALERT, bytes(32), value)
        sink = WebhookSink(hook_of(receiver), LOOPBACK, ledger.clock)
        first = Relay("hook", "first", ledger.outbox, sink, ledger.clock, POLICY)
        dying = asyncio.create_task(first.step())
        await receiver.hears.wait()
        dying.cancel()  # it heard, and whoever told it is gone before the answer
        await asyncio.gather(dying, return_exceptions=True)
        assert receiver.holds is not None
        receiver.holds.set()
        second = Relay("hook", "second", ledger.outbox, sink, ledger.clock, POLICY)
        assert await second.drain(60.0)
    assert receiver.ids[0] == receiver.ids[1], "the same event, by the same id"
    assert [each["says"] for each in receiver.heard[1:]] == ["number 0", "number 1", "number 2"]


async def test_what_nobody_is_told_of_is_not_written(tmp_path: Path) -> None:
    async with open_ledger(Settings(data=str(tmp_path))) as ledger:
        job = await ledger.jobs.save("shop", JobSpec())
        await ledger.jobs.set_state(job.id, JobState.DONE)
        assert await ledger.outbox.read(0, 10) == []


def test_each_alert_has_a_name_of_its_own() -> None:
    raised = json.loads(alert_told("disk", "raised", "", None, 1.0))["event_id"]
    cleared = json.loads(alert_told("disk", "cleared", "", None, 1.0))["event_id"]
    assert raised != cleared
    assert event_id(EventKind.JOB, "a", b"", 1.0) != event_id(EventKind.JOB, "b", b"", 1.0)
