"""What do the commands of `tenax alerts` do? Show alerts and rules, and silence alerts."""

from __future__ import annotations

from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    as_json,
    fail,
    moment,
    note,
    plural,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import open_ledger
from tenax.jobs.durations import tell_duration
from tenax.ops.alerts.facts import alert_facts, rule_facts, state_of
from tenax.ops.alerts.silence import silenced_until
from tenax.settings import Settings

_COLUMNS = (
    TableColumn("id"), TableColumn("state"), TableColumn("what"), TableColumn("raised"),
    TableColumn("told", yields=True),
)  # fmt: skip

_RULE_COLUMNS = (
    TableColumn("what"), TableColumn("raised at"), TableColumn("for"),
    TableColumn("of", yields=True), TableColumn("name"),
)  # fmt: skip


async def list_alerts(settings: Settings, wants_all: bool, limit: int, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        found = await ledger.alerts.latest(None, limit, open_only=not wants_all)
        now = ledger.clock.now()
    if json:
        for alert in found:
            as_json(alert_facts(alert, now))
        return 0
    if not found:
        note("Nothing is wrong." if not wants_all else "There was no alert yet.")
        return 0
    rows = [
        (str(a.id), state_of(a, now), a.what, moment(a.raised_at), printable(a.told)) for a in found
    ]
    print("\n".join(table(_COLUMNS, rows, terminal_width())))
    note(f"{plural(len(rows), 'alert')}. What to do about each: docs/howto/operate.md")
    return 0


def list_rules(settings: Settings, json: bool) -> int:
    found = rule_facts(settings.alerts)
    if json:
        for rule in found:
            as_json(rule)
        return 0
    rows = [
        (
            rule.what,
            f"{'more' if rule.is_upper else 'less'} than {rule.threshold:g}",
            tell_duration(round(rule.lasting)) if rule.lasting else "at once",
            printable(" ".join(f"{key}={value}" for key, value in rule.of.items())),
            printable(rule.name or ""),
        )
        for rule in found
    ]
    print("\n".join(table(_RULE_COLUMNS, rows, terminal_width())))
    note("Yours are [[alerts]] in the settings: docs/reference/settings.md#alerts")
    return 0


async def silence_alert(settings: Settings, id: int, how_long: str) -> int:
    async with open_ledger(settings, create=False) as ledger:
        try:
            until = silenced_until(how_long, ledger.clock.now())
        except ValueError as error:
            return fail(f"--for: {error}", EXIT_BAD_INPUT)
        if not await ledger.alerts.silence(id, until):
            return fail(f"there is no alert {id}: see `tenax alerts --all`.", EXIT_BAD_INPUT)
    note(f"Nobody is told of alert {id} until {moment(until)}.")
    return 0
