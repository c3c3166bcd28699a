"""The DNS cache: the system's look-ups, each with a timeout, remembered for five minutes.

For clients that are told where to connect instead of finding out by themselves.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from tenax.model import Fault
from tenax.urls.addresses import literal_address

Resolver = Callable[[str], Awaitable[Sequence[str]]]

KEPT = 10_000
LONGEST = 10.0
"""Seconds for a look-up whose asker names no limit."""
SECONDS = 300.0
"""How long the addresses of a name are believed (FE-13)."""

_NAME = re.compile(r"[\w.~-]{1,255}", re.ASCII)


class Unknown(NamedTuple):
    """Why a host has no address for us."""

    fault: Fault
    detail: str


class CachedNames:
    """Literal addresses are their own; a name is asked for once in five minutes."""

    def __init__(self, resolver: Resolver | None = None) -> None:
        self._resolver = resolver or ask_system
        self._known: OrderedDict[str, tuple[float, Sequence[str]]] = OrderedDict()
        self._asking: set[asyncio.Future[Sequence[str]]] = set()

    async def look_up(self, host: str, seconds: float) -> Sequence[str] | Unknown:
        """Every address, in the order to try them; never empty."""
        if (literal := literal_address(host)) is not None:
            return (literal,)
        if not _NAME.fullmatch(host):
            return Unknown(Fault.PROTOCOL, f"{host[:80]!r} is no name to look up")
        until, addresses = self._known.get(host, (0.0, ()))
        now = asyncio.get_running_loop().time()
        if now < until:
            return addresses
        found = await self._ask(host, seconds)
        if not isinstance(found, Unknown):
            self._known[host] = (now + SECONDS, found)
            self._known.move_to_end(host)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return found

    async def address(self, name: str) -> str | None:
        """One address of a name, the same for all names that have the same ones."""
        found = await self.look_up(name, LONGEST)
        return None if isinstance(found, Unknown) else min(found)

    def close(self) -> None:
        """Give up what is being asked; whoever waits for it is cancelled."""
        for asking in self._asking:
            asking.cancel()

    async def _ask(self, host: str, seconds: float) -> Sequence[str] | Unknown:
        asking = asyncio.ensure_future(self._resolver(host))
        self._asking.add(asking)
        try:
            async with asyncio.timeout(seconds):
                found = await asking
        except TimeoutError:
            return Unknown(Fault.DNS, f"looking up {host} took over {seconds:g} s")
        except (socket.gaierror, UnicodeError) as error:
            return Unknown(Fault.DNS, f"{host}: {error}")
        except OSError as error:  # no descriptor or no thread left
            return Unknown(Fault.INTERNAL, f"{host} was not looked up: {error}")
        finally:
            self._asking.discard(asking)
        return found or Unknown(Fault.DNS, f"{host} has no address")


async def ask_system(host: str) -> Sequence[str]:
    loop = asyncio.get_running_loop()
    answers = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in answers))
