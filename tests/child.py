"""A child process of the tests: it does as it is told, and notes in a file how it ended.

Told something with a `start`, it starts a child of its own, whose process id it answers.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tenax.cli.terminal.children import Child, Parent, live, understood
from tenax.ports import Unavailable


async def life(parent: Parent) -> int:
    own: list[Child] = []
    while line := await parent.told():
        told: dict[str, Any] = understood(line, dict)
        if told.get("fail"):
            raise Unavailable("The ledger is gone.")
        if told.get("deaf"):
            await asyncio.sleep(3_600)
        if file := told.get("start"):
            own.append(await Child.start("tests.child", answers=True))
            await own[-1].tell({"wait": file})
            parent.answer(own[-1].pid)
        elif file := told.get("wait"):
            parent.answer("waiting")
            await parent.gone()
            await asyncio.to_thread(Path(file).write_text, "ended in order")
            return 0
        else:
            parent.answer(len(line))
    return 7


if __name__ == "__main__":
    live(life)
