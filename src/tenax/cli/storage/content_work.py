"""How does moving bodies look from a terminal?"""

from __future__ import annotations

import asyncio

from tenax.cli.crawl.progress import LiveLine
from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_FINDINGS, as_json, fail, note, plural, size
from tenax.compose.content import open_move
from tenax.ops.lifecycle.relocate import RelocationProgress, SameStore, move
from tenax.ops.secrets import masked
from tenax.settings import Settings


async def move_bodies(settings: Settings, source: str, target: str, keep: bool, json: bool) -> int:
    line = LiveLine()
    so_far = RelocationProgress()

    def heard(moved: RelocationProgress) -> None:
        nonlocal so_far
        so_far = moved
        if line.is_due:
            line.show(_told(moved, keep))

    try:
        async with open_move(settings, source, target) as (old, new):
            await move(old, new, keep=keep, heard=heard)
    except SameStore:
        return fail(
            f"content move: --to {masked('content', target)} is where the bodies are already."
            " Nothing is moved.",
            EXIT_BAD_INPUT,
        )
    except asyncio.CancelledError:
        note(f"\nInterrupted: {_told(so_far, keep)}. Run it again for the rest.")
        raise
    finally:
        line.clear()
    if json:
        as_json({
            "moved": so_far.bodies,
            "bytes": so_far.size,
            "already": so_far.already,
            "damaged": so_far.damaged,
            "damaged_digests": so_far.named,
        })  # fmt: skip
    else:
        _tell(so_far, keep)
    if not keep and target != settings.content:
        note(f"  New pages still go to the old place: set content to {masked('content', target)}.")
    return EXIT_FINDINGS if so_far.damaged else 0


def _told(moved: RelocationProgress, keep: bool) -> str:
    what = "copied" if keep else "moved"
    there = f", {moved.already:,} were there already" if moved.already else ""
    return f"{plural(moved.bodies, 'body', 'bodies')} ({size(moved.size)}) {what}{there}"


def _tell(moved: RelocationProgress, keep: bool) -> None:
    note(f"{_told(moved, keep)}.")
    if not moved.damaged:
        return
    note(f"  {plural(moved.damaged, 'body is', 'bodies are')} damaged and left in place:")
    for name in moved.named:
        note(f"    {name}")
    if moved.damaged > len(moved.named):
        note(f"    and {moved.damaged - len(moved.named):,} more")
    note("  tenax audit --bodies names the pages they belong to.")
