"""Is a process that reads pages missed when it is gone, whenever that happens? (LIFE-3)"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE

import pytest

from tenax.cli.replay.work import _ReplayMember
from tenax.cli.terminal.children import Child
from tenax.ports import Unavailable


async def test_a_member_that_was_gone_before_it_was_asked_is_told() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "", stdin=PIPE, stdout=PIPE
    )
    await process.wait()
    assert process.stdin is not None
    process.stdin.close()
    with pytest.raises(Unavailable, match="--resume goes on"):
        await _ReplayMember(Child(process)).read((0, 10))
