"""How does the report about storage look?"""

from __future__ import annotations

from tenax.cli.terminal.say import as_json, moment, note, size
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import open_ledger
from tenax.compose.lifecycle.upkeep import report_storage
from tenax.ops.lifecycle.storage import StorageReport
from tenax.ops.plain import plain
from tenax.settings import Settings


async def show_storage(settings: Settings, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        report = await report_storage(ledger)
    if json:
        as_json(plain(report))
    else:
        _tell(report)
    return 0


def _tell(report: StorageReport) -> None:
    rows = [
        [
            each.name,
            f"{each.rows:,}",
            size(each.size),
            _signed(each.rows_a_day),
            _grown(each.size_a_day),
        ]
        for each in report.tables
        if each.rows
    ]
    if report.bodies is not None:
        grown = _grown(report.body_bytes_a_day)
        rows.append(["bodies", f"{report.bodies:,}", size(report.body_bytes), "", grown])
    columns = [
        TableColumn("table"),
        TableColumn("rows", right=True),
        TableColumn("size", right=True),
        TableColumn("rows a day", right=True),
        TableColumn("size a day", right=True),
    ]
    print("\n".join(table(columns, rows, terminal_width())))
    if report.since is None:
        note("Growth is told from tomorrow on: nothing is known of other days yet.")
    else:
        note(f"Growth since {moment(report.since)}.")


def _signed(count: float | None) -> str:
    return "-" if count is None else f"{count:+,.0f}"


def _grown(count: float | None) -> str:
    if count is None:
        return "-"
    return f"{'-' if count < 0 else '+'}{size(abs(count))}"
