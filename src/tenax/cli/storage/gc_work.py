"""What do `tenax gc` and `tenax archive` show?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tenax.cli.crawl.progress import LiveLine
from tenax.cli.terminal.say import EXIT_INFRASTRUCTURE, as_json, at_data, fail, note, plural, size
from tenax.compose import open_ledger
from tenax.compose.lifecycle.upkeep import cleaning_parts, load_analysis
from tenax.ops.lifecycle.archive import read_archive
from tenax.ops.lifecycle.retention import REST, Cleaned, clean
from tenax.ports import Unavailable
from tenax.settings import Settings

_FEW = 4
_KINDS = {
    "attempts": ("attempt older than {:g} days", "attempts older than {:g} days", "attempts"),
    "bodies": ("body not seen for {:g} days", "bodies not seen for {:g} days", "bodies"),
    "pages": ("page not seen for {:g} days", "pages not seen for {:g} days", "pages"),
    "failed": (
        "failed URL, {:g} days after its job",
        "failed URLs, {:g} days after their job",
        "failed",
    ),
    "done": (
        "URL without a page, {:g} days after its job",
        "URLs without a page, {:g} days after their job",
        "done",
    ),
    "minutes": (
        "minute of statistics, {:g} days old",
        "minutes of statistics, {:g} days old",
        "stats",
    ),
    "sessions": ("session that is over", "sessions that are over", "sessions"),
}


async def collect(settings: Settings, yes: bool, fast: bool, json: bool) -> int:
    line = LiveLine()

    def heard(what: str) -> None:
        if what and line.is_due:
            line.show(what)

    async with open_ledger(settings, create=False) as ledger:
        parts = cleaning_parts(ledger)
        try:
            done = await clean(
                parts,
                settings.retention,
                everything=True,
                dry=not yes,
                rest=0.0 if fast or not yes else REST,
                heard=heard,
            )
        finally:
            line.clear()
    if done is None:
        return fail(
            "another process is cleaning up just now, or was killed in the last five minutes."
            " Run it again when that has ended.",
            EXIT_INFRASTRUCTURE,
        )
    if json:
        swept = done.swept
        as_json({
            "removed": yes,
            **{kind: done.kinds.get(kind, 0) for kind in _KINDS},
            "unreferenced_bodies": None if swept is None else swept.bodies,
            "unreferenced_bytes": None if swept is None else swept.size,
            "archived": done.archived,
        })  # fmt: skip
    else:
        _tell(done, settings, yes)
    return 0


def _tell(done: Cleaned, settings: Settings, yes: bool) -> None:
    lines = []
    for kind, (one, many, knob) in _KINDS.items():
        if count := done.kinds.get(kind, 0):
            days = getattr(settings.retention, knob)
            lines.append(plural(count, one.format(days), many.format(days)))
    if done.swept is not None and done.swept.bodies:
        what = plural(done.swept.bodies, "body", "bodies")
        lines.append(f"{what} that nothing refers to ({size(done.swept.size)})")
    if not lines:
        note("Nothing is too old." if yes else "Nothing to remove.")
        return
    note("Removed:" if yes else "To be removed:")
    for each in lines:
        note(f"  {each}")
    if done.archived:
        files = plural(len(done.archived), "file")
        note(f"  Archived first, in {files}: tenax archive {shlex.join(_shown(done.archived))}")
    if not yes:
        note(f"Nothing was removed. To do it: tenax gc --yes{at_data(settings)}")


def _shown(files: Sequence[str]) -> Sequence[str]:
    """All of a few; else the folder that they are in."""
    return files if len(files) <= _FEW else (files[0].rpartition("/")[0],)


def read_archives(files: list[Path], into: Path | None) -> int:
    rows = _rows(files)
    if into is None:
        for kind, row in rows:
            as_json({"kind": kind, **row})
        return 0
    count = load_analysis(into, rows)
    note(f"{into}: {plural(count, 'row')}, in the tables pages and failures.")
    return 0


def _rows(files: list[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in files:
        found = sorted(path.glob("*.gz")) if path.is_dir() else [path]
        if not found:
            raise Unavailable(f"{path}: nothing archived is here.")
        for each in found:
            yield from read_archive(each)
