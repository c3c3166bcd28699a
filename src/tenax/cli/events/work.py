"""How does a relay run from a terminal, and a reader of what it told?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_WORK_LEFT,
    as_json,
    duration,
    fail,
    note,
    plain,
    plural,
)
from tenax.compose import Ledger, open_ledger
from tenax.compose.events import is_told, make_source, open_relays
from tenax.compose.health import telling_health
from tenax.jobs.durations import parse_duration
from tenax.model import EventKind
from tenax.ops.events.consume import Consumer
from tenax.ops.events.relay import Relay
from tenax.settings import Settings, SettingsError


class RelayOrder(Struct, frozen=True):
    """One `tenax relay` as the user asked for it."""

    settings: Settings
    until_empty: bool
    since: str | None
    status: bool
    forget: str | None
    quiet: bool
    as_json: bool


async def run_relay(order: RelayOrder) -> int:
    if order.status or order.forget is not None:
        async with open_ledger(order.settings, create=False) as ledger:
            return await _look_after(ledger, order)
    if not is_told(order.settings):
        raise SettingsError(
            "events is not set: nobody is to be told. Set it to kafka://HOST:PORT or file:///PATH."
        )
    async with open_ledger(order.settings) as ledger:
        also = ledger.own_sinks()
        relays = open_relays(
            order.settings, ledger.outbox, ledger.clock, note, also, ledger.tallies.own
        )
        async with relays as opened:
            if order.since is not None:
                await _go_back(ledger, opened, order)
            crew = _RelayCrew(opened)
            async with (
                telling_health(ledger, None, opened),
                interruptible(crew, ledger) as interruption,
            ):
                try:
                    is_empty = await crew.run(until_empty=order.until_empty)
                except asyncio.CancelledError:
                    if not interruption.count:
                        raise
                    return EXIT_INTERRUPTED
        told = sum(relay.told for relay in opened)
        if order.as_json:
            as_json({"told": told, "interrupted": interruption.count > 0})
        elif not order.quiet:
            note(f"{plural(told, 'event')} told.")
        return 0 if is_empty or not order.until_empty else EXIT_WORK_LEFT


async def _look_after(ledger: Ledger, order: RelayOrder) -> int:
    if order.forget is None:
        await _tell_status(ledger, order.as_json)
        return 0
    if not await ledger.outbox.forget(order.forget):
        return fail(f"nobody of the name {order.forget!r} was told anything.", EXIT_BAD_INPUT)
    note(f"Nothing is kept for {order.forget} any more.")
    return 0


class _RelayCrew:
    """The relays of one process."""

    def __init__(self, relays: Sequence[Relay]) -> None:
        self._relays = relays

    def stop(self) -> None:
        for relay in self._relays:
            relay.stop()

    async def run(self, *, until_empty: bool) -> bool:
        """Until stopped; whether nothing was left, as far as that was asked."""
        if until_empty:
            return all(await asyncio.gather(*(relay.drain() for relay in self._relays)))
        await asyncio.gather(*(relay.run() for relay in self._relays))
        return True


async def _go_back(ledger: Ledger, relays: Sequence[Relay], order: RelayOrder) -> None:
    try:
        age = parse_duration(order.since or "")
    except ValueError as error:
        raise SettingsError(f"--since: {error}") from error
    for relay in relays:
        again = await ledger.outbox.move(relay.name, ledger.clock.now() - age)
        if not order.quiet:
            note(f"{relay.name}: {plural(again, 'event')} of the last {order.since} again.")


async def _tell_status(ledger: Ledger, wants_json: bool) -> None:
    backlogs = await ledger.outbox.backlogs()
    if wants_json:
        as_json([plain(backlog) for backlog in backlogs])
        return
    now = ledger.clock.now()
    if not backlogs:
        note("Nobody was told anything yet.")
    for each in backlogs:
        waits = f", the oldest for {duration(now - each.oldest)}" if each.oldest else ""
        by = f"told by {each.holder}" if each.holder else "no relay is at work"
        print(f"{each.sink}: {plural(each.waiting, 'event')} not told{waits}; {by}")


class ConsumeOrder(Struct, frozen=True):
    """One `tenax consume` as the user asked for it."""

    settings: Settings
    group: str
    from_beginning: bool
    links: bool
    kind: EventKind
    limit: int | None
    until_empty: bool


async def run_consume(order: ConsumeOrder) -> int:
    async with open_ledger(order.settings) as ledger:
        source = make_source(
            order.settings,
            ledger.clock,
            order.kind,
            order.group,
            from_beginning=order.from_beginning,
        )
        consumer = Consumer(source, ledger.content, ledger.clock, _print, order.links, order.limit)
        try:
            async with interruptible(consumer, ledger) as interruption:
                try:
                    await consumer.run(until_empty=order.until_empty)
                except asyncio.CancelledError:
                    if not interruption.count:
                        raise
        finally:
            await source.close()
    more = f", {consumer.again:,} of them again" if consumer.again else ""
    note(f"{plural(consumer.told + consumer.again, 'event')} read{more}.")
    if consumer.bodiless:
        note(f"  The content store had no body for {consumer.bodiless:,} of them.")
    if consumer.unreadable:
        note(
            f"  {plural(consumer.unreadable, 'message is', 'messages are')} no event, and left out."
        )
    return 0


def _print(event: dict[str, Any]) -> None:
    as_json(event)
