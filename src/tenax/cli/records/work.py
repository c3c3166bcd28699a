"""How are records, what they were, and the rates of handlers shown?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import orjson

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    fail,
    indented,
    moment,
    note,
    plain,
    plural,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import open_ledger
from tenax.ops.records.facts import HandlerStanding, record_story, standings
from tenax.ops.records.wanted import RecordQuestion, UnclearQuestion, record_filter
from tenax.ports.handled import OwnRecords, RecordFilter, StoredRecord
from tenax.settings import Settings

_BATCH = 500
_ROOM = 80
"""Characters for the fields of one."""
_COLUMNS = (
    TableColumn("id", right=True), TableColumn("name", most=20), TableColumn("status"),
    TableColumn("fields", most=_ROOM, yields=True), TableColumn("URL", yields=True),
)  # fmt: skip


async def list_records(settings: Settings, asked: RecordQuestion, limit: int, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        jobs = await chosen_jobs(ledger, asked.job)
        if jobs is None:
            return EXIT_BAD_INPUT
        try:
            wanted = await record_filter(asked, jobs, ledger.pages, ledger.clock.now())
        except UnclearQuestion as error:
            flag = f"--{error.field.replace('_', '-')}"
            return fail(f"{flag} {getattr(asked, error.field)!r}: {error}", EXIT_BAD_INPUT)
        records = ledger.records
        if json:
            async for record in _each(records, wanted, limit):
                as_json(plain(record))
            return 0
        found = [record async for record in _each(records, wanted, limit)]
        if found:
            print("\n".join(table(_COLUMNS, [_row(r) for r in found], terminal_width())))
        total = await records.count(wanted)
        more = f"{len(found):,} of " if total > len(found) else ""
        end = "; --limit for more." if more else "."
        note(f"{more}{plural(total, 'record')}{end}" if total else "No records like that.")
        if not total and (names := await records.names(asked.job)):
            note(f"There are {', '.join(f'{n:,} {name}' for name, n in names.items())}.")
        return 0


async def show_record(settings: Settings, id: int, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        found = await ledger.records.get([id])
        if not found:
            return fail(f"no record {id} is stored. `tenax records` lists them.", EXIT_NOTHING)
        story = await record_story(ledger.records, found[0])
        if json:
            as_json(plain(story))
            return 0
        known_by = f", key {printable(story.key)}" if story.key else ""
        print(f"{story.name} {story.id}{known_by}\n{story.url}")
        print(f"{story.status}, last seen {moment(story.last_seen_at)}, told by {story.handler}\n")
        before: Mapping[str, Any] = {}
        for state in story.history:
            print(f"{moment(state.at)}  (version {printable(state.version)})")
            if state.data is None:
                print("    gone: its page told it no more")
            for name, value in (state.data or {}).items():
                if name not in before or before[name] != value:
                    print(f"    {printable(name)}: {_shown(value)}")
            for name in before:
                if state.data is not None and name not in state.data:
                    print(f"    {printable(name)}: no more")
            before = state.data or {}
        return 0


async def show_rates(settings: Settings, job: str | None, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        if await chosen_jobs(ledger, job) is None:
            return EXIT_BAD_INPUT
        found = await standings(ledger.records, job)
        if json:
            for each in found:
                as_json(each)
            return 0
        if not found:
            note("No handler has read a page yet: tenax crawl URL --handlers FILE.")
            return 0
        columns = (
            TableColumn("job", yields=True), TableColumn("handler"), TableColumn("version"),
            TableColumn("pages", right=True), TableColumn("records", right=True),
            TableColumn("failures", right=True), TableColumn("last day"),
        )  # fmt: skip
        print("\n".join(table(columns, [_rated(each) for each in found], terminal_width())))
        for each in found:
            if each.last_failure is not None:
                failed = each.last_failure
                print(f"\n{printable(each.handler)} failed last at {failed.url}:")
                print(indented(failed.error))
        return 0


async def _each(
    records: OwnRecords, wanted: RecordFilter, limit: int
) -> AsyncIterator[StoredRecord]:
    """So many at most; some at a time, however many that is."""
    after = 0
    while limit > 0 and (batch := await records.find(wanted, after, min(limit, _BATCH))):
        for record in batch:
            yield record
        after, limit = batch[-1].id, limit - len(batch)


def _row(record: StoredRecord) -> tuple[str, ...]:
    told = brief({name: _shown(value) for name, value in record.data.items()}, _ROOM)
    return str(record.id), record.name, record.status, told, record.url


def brief(fields: Mapping[str, str], room: int) -> str:
    """All fields in a line of that length: a long one is cut, so that it hides no other. Those that
    are left over after the short ones share what they leave."""
    left = room - sum(len(printable(name)) + 3 for name in fields)
    cut: dict[str, str] = {}
    for count, name in enumerate(sorted(fields, key=lambda name: len(fields[name]))):
        share = max(left // (len(fields) - count), 1)
        text = fields[name]
        cut[name] = text if len(text) <= share else f"{text[: share - 1]}…"
        left -= len(cut[name])
    return ", ".join(f"{printable(name)}={cut[name]}" for name in fields)


def _shown(value: Any) -> str:
    return printable(value if isinstance(value, str) else orjson.dumps(value).decode())


def _rated(each: HandlerStanding) -> tuple[str, ...]:
    return (
        printable(each.job), printable(each.handler), printable(each.version), f"{each.pages:,}",
        f"{each.records:,}", f"{each.failures:,}", each.last_day,
    )  # fmt: skip
