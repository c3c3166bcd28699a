"""A client that is opened when it is first needed: most crawls never need it."""

from __future__ import annotations

from collections.abc import Callable

from tenax.model import Failure, Forbidden, Request, Response
from tenax.ports import Transport


class Lazily:
    """Stands for a transport until somebody sends something."""

    def __init__(self, name: str, open: Callable[[], Transport]) -> None:
        self.name = name
        self._open = open
        self._transport: Transport | None = None

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        if self._transport is None:
            self._transport = self._open()
        return await self._transport.send(request)

    async def close(self) -> None:
        if self._transport is not None:
            await self._transport.close()
