"""The promises of `AlertBook`, on every ledger."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.adapters.sql.reports.alerts import SqlAlerts
from tenax.ports.checks import AlertRecord
from tests.ledgers import START, Ledger

NEW = AlertRecord(0, "errors", "", "41 % of 90 visits failed", 0.41, START)


async def book(ledger: Ledger) -> SqlAlerts:
    return SqlAlerts((await ledger.worker()).database, ledger.clock)


async def test_one_looks_at_a_time_and_another_when_it_is_silent(ledger: Ledger) -> None:
    alerts = await book(ledger)
    assert await alerts.hold("a", 30.0)
    assert await alerts.hold("a", 30.0)
    assert not await alerts.hold("b", 30.0)
    ledger.clock.time += 31.0
    assert await alerts.hold("b", 30.0)
    assert not await alerts.hold("a", 30.0)
    assert await alerts.open() == []


async def test_an_alert_is_open_until_it_is_cleared(ledger: Ledger) -> None:
    alerts = await book(ledger)
    await alerts.write([NEW, replace(NEW, about="b")], [], [])
    first, second = await alerts.open()
    assert replace(first, id=0) == NEW
    assert await alerts.latest(None, 10, open_only=False) == []
    raised = replace(first, raised_at=START + 300.0)
    await alerts.write([], [raised], [second.id])
    assert await alerts.open() == [raised]
    assert await alerts.latest(None, 10, open_only=True) == [raised]
    cleared = replace(raised, cleared_at=START + 900.0)
    await alerts.write([], [cleared], [])
    assert await alerts.open() == []
    assert await alerts.latest(None, 10, open_only=True) == []
    assert await alerts.latest(None, 10, open_only=False) == [cleared]
    assert await alerts.latest(cleared.id, 10, open_only=False) == []


async def test_who_was_told_and_who_does_not_want_to_know(ledger: Ledger) -> None:
    alerts = await book(ledger)
    await alerts.write([replace(NEW, raised_at=START)], [], [])
    (alert,) = await alerts.untold(["log", "mail"])
    await alerts.heard(alert.id, "raised:log")
    assert [each.heard for each in await alerts.untold(["log", "mail"])] == [{"raised:log"}]
    await alerts.heard(alert.id, "raised:mail")
    assert await alerts.untold(["log", "mail"]) == []
    assert await alerts.silence(alert.id, START + 60.0)
    assert not await alerts.silence(alert.id + 1, START + 60.0)
    # Who writes down how it goes on knows nothing of either.
    await alerts.write([], [replace(alert, cleared_at=START + 1.0)], [])
    (over,) = await alerts.untold(["log", "mail"])
    assert over.heard == {"raised:log", "raised:mail"}
    assert over.silent_until == START + 60.0
    ledger.clock.time += 90_000.0
    assert await alerts.untold(["log", "mail"]) == []
    assert len(await alerts.latest(None, 9, open_only=False)) == 1
    ledger.clock.time += 90 * 86_400.0
    await alerts.write([], [], [])
    assert await alerts.latest(None, 9, open_only=False) == []


async def test_what_several_know_is_raised_once(ledger: Ledger) -> None:
    alerts = await book(ledger)
    assert await alerts.hold("a", 30.0)
    known = replace(NEW, what="server", about="ledger", raised_at=START + 100.0)
    assert await alerts.raise_once(known, START + 10.0)
    assert not await alerts.raise_once(known, START + 12.0), "it is open"
    assert await alerts.raise_once(replace(known, about="queue"), START + 12.0)
    first, _ = await alerts.open()
    await alerts.write([], [replace(first, cleared_at=START + 110.0)], [])
    assert not await alerts.raise_once(known, START + 12.0), "it was told, and is over"
    assert await alerts.raise_once(replace(known, raised_at=START + 200.0), START + 150.0)
    assert not await alerts.hold("b", 30.0), "who looks is another matter"
