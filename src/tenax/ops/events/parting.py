"""A deadline for an answer at graceful shutdown: who is to end waits until then, and no longer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tenax.ports import Unavailable

T = TypeVar("T")


async def answered(
    asking: Coroutine[Any, Any, T], parting: Coroutine[Any, Any, None], whom: str
) -> T:
    """What is answered, unless `parting` is over before: then nobody is there to hear it.

    `whom` is asked, as a user knows it.
    """
    asked, over = asyncio.ensure_future(asking), asyncio.ensure_future(parting)
    try:
        await asyncio.wait((asked, over), return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            return asked.result()
    finally:
        asked.cancel()
        over.cancel()
        await asyncio.gather(asked, over, return_exceptions=True)
    raise Unavailable(f"{whom}: there was no answer in time.")
