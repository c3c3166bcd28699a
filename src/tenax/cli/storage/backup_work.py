"""How do a backup and its way back look from a terminal?"""

from __future__ import annotations

import shlex
from pathlib import Path

from tenax.cli.crawl.progress import LiveLine
from tenax.cli.terminal.say import EXIT_FINDINGS, as_json, fail, note, plural, size
from tenax.compose.lifecycle.backup import body_folder, open_backup
from tenax.ops.lifecycle.backup import CONTENT, Manifest, back_up, damage, read_manifest
from tenax.ops.lifecycle.restore import BackupDamaged, Restored, restore
from tenax.ops.plain import plain
from tenax.settings import Settings
from tenax.version import VERSION

_SHOWN = 10


class _Progress:
    """What is being done, on a line that goes away."""

    def __init__(self) -> None:
        self._line = LiveLine()

    def heard(self, what: str) -> None:
        if self._line.is_due:
            self._line.show(what)

    def clear(self) -> None:
        self._line.clear()


async def make_backup(settings: Settings, folder: Path, json: bool) -> int:
    progress = _Progress()
    try:
        async with open_backup(settings) as parts:
            made = await back_up(parts, folder, version=VERSION, heard=progress.heard)
        wrong = await _damage(folder, progress)
    finally:
        progress.clear()
    if json:
        as_json({**_facts(made), "damaged": wrong})
    else:
        _tell_made(made, folder)
    return _judge(made, wrong, folder)


async def check_backup(folder: Path, json: bool) -> int:
    made = read_manifest(folder)
    progress = _Progress()
    try:
        wrong = await _damage(folder, progress)
    finally:
        progress.clear()
    if json:
        as_json({**_facts(made), "damaged": wrong})
    elif not wrong:
        note(f"{folder}: whole. {_what(made)}, made {made.made_at} by Tenax {made.tenax}.")
    return _complain(wrong, folder)


async def bring_back(settings: Settings, folder: Path, json: bool) -> int:
    progress = _Progress()
    try:
        async with open_backup(settings, fresh=True) as parts:
            done = await restore(parts, folder, progress.heard)
    except BackupDamaged as error:
        progress.clear()
        return _complain(error.found, folder)
    finally:
        progress.clear()
    if json:
        as_json({
            **_facts(done.manifest),
            "restored_bodies": done.bodies,
            "findings": plain(done.findings),
            "keys_kept": done.keys_kept,
            "lists_kept": done.lists_kept,
        })  # fmt: skip
    else:
        _tell_restored(done, settings)
    return EXIT_FINDINGS if done.findings else 0


async def _damage(folder: Path, progress: _Progress) -> list[str]:
    stock = body_folder(folder / CONTENT)
    try:
        return await damage(stock, folder, progress.heard)
    finally:
        await stock.close()


def _judge(made: Manifest, wrong: list[str], folder: Path) -> int:
    if made.ledger.findings:
        note("  The ledger is not whole, and so is its copy (tenax audit tells more):")
        for finding in made.ledger.findings[:_SHOWN]:
            note(f"    {finding}")
    if made.missing:
        note(f"  {plural(made.missing, 'body', 'bodies')} could not be had from the store:")
        for name in made.missing_named:
            note(f"    {name}")
        note("  tenax audit --bodies names the pages they belong to.")
    code = _complain(wrong, folder)
    return EXIT_FINDINGS if made.ledger.findings or made.missing else code


def _complain(wrong: list[str], folder: Path) -> int:
    if not wrong:
        return 0
    fail(f"{folder}: this backup cannot be relied on; use another:", EXIT_FINDINGS)
    for line in wrong[:_SHOWN]:
        note(f"  {line}")
    if len(wrong) > _SHOWN:
        note(f"  and {len(wrong) - _SHOWN:,} more")
    return EXIT_FINDINGS


def _what(made: Manifest) -> str:
    rows = sum(table.rows for table in made.ledger.tables.values())
    pushed = sum(made.lists.values())
    parts = [
        f"{plural(rows, 'row')} of schema {made.ledger.schema}",
        f"{plural(made.bodies, 'body', 'bodies')} ({size(made.body_bytes)})",
        *([plural(len(made.keys), "key file")] if made.keys else []),
        *([plural(pushed, "pushed item")] if pushed else []),
    ]
    return ", ".join(parts)


def _tell_made(made: Manifest, folder: Path) -> None:
    note(f"{folder}: {_what(made)}.")
    if made.keys:
        note("  It has the keys that open secrets: keep it where nobody else can read it.")
    note(f"  Restore: tenax restore {shlex.quote(str(folder))} --data NEW-FOLDER")


def _tell_restored(done: Restored, settings: Settings) -> None:
    made = done.manifest
    note(f"Restored {_what(made)}, as it was at {made.made_at}.")
    for name in done.keys_kept:
        note(f"  {name}: another key is there and was left; secrets of the backup stay sealed.")
    for name in done.lists_kept:
        note(
            f"  {name}: this list is in use, or no Redis is set; what was pushed then is not in it."
        )
    if done.findings:
        note("  tenax audit finds:")
        for finding in done.findings[:_SHOWN]:
            note(f"    {finding.promise}: {finding.count:,}")
    else:
        note("  The audit finds nothing wrong.")
    note(f"  Search is made anew when it is asked: tenax reindex --data {settings.data}")


def _facts(made: Manifest) -> dict[str, object]:
    return {
        "made_at": made.made_at,
        "tenax": made.tenax,
        "schema": made.ledger.schema,
        "tables": {name: table.rows for name, table in made.ledger.tables.items()},
        "bodies": made.bodies,
        "missing_bodies": made.missing,
        "keys": sorted(made.keys),
        "lists": made.lists,
        "ledger_findings": made.ledger.findings,
    }
