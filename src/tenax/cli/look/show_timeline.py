"""How is a host's politeness shown? Each request, the gap before it, and what closed the host."""

from __future__ import annotations

from collections.abc import Iterator

from tenax.cli.look.show_hosts import find_host, unknown_host
from tenax.cli.terminal.say import as_json, duration, moment, note, plural, printable
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import open_ledger
from tenax.ops.hosts.politeness import Politeness, politeness
from tenax.settings import Settings


async def tell_timeline(settings: Settings, asked: str, minutes: int, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        record = await find_host(ledger, asked)
        if record is None:
            return await unknown_host(ledger, asked)
        told = await politeness(ledger.hosts, record.host, minutes, ledger.clock.now())
    if json:
        as_json(told)
        return 0
    if told.requests:
        columns = (
            TableColumn("left at"), TableColumn("gap", right=True),
            TableColumn("delay", right=True), TableColumn("status", right=True),
            TableColumn("took", right=True), TableColumn(""),
        )  # fmt: skip
        print("\n".join(table(columns, list(_rows(told)), terminal_width())))
    for each in told.incidents:
        until = f", until {moment(each.until)}" if each.until else ""
        why = f": {printable(each.why)}" if each.why else ""
        print(f"{moment(each.at)}  {each.kind}{until}{why}")
    requests = plural(len(told.requests), "request")
    note(f"{requests} to {record.host.name} in {plural(minutes, 'minute')}, {told.too_early:,} too"
         f" early.")  # fmt: skip
    return 0


def _rows(told: Politeness) -> Iterator[tuple[str, ...]]:
    last: float | None = None
    for each in told.requests:
        yield (
            moment(each.at),
            "-" if last is None else duration(each.at - last),
            duration(each.delay),
            "-" if each.status is None else str(each.status),
            f"{each.ms:,} ms",
            "too early" if each.too_early else "",
        )
        last = each.at
