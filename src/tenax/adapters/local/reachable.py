"""Can anybody out there be reached, and is there somebody of this name? A connection to those
named, or a look at this machine's routes, for which nothing is sent; names by the system."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence

_LIMIT = 5.0
_NOBODY = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_FAR = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))
"""Addresses that are nobody's (RFC 5737, RFC 3849): the way to them is everybody's."""


async def is_reachable(places: Sequence[str]) -> bool:
    """Whether one of these, as HOST:PORT, takes a connection; without any, whether there is a route
    to the world."""
    if not places:
        return has_route()
    tries = [asyncio.ensure_future(_connects(place)) for place in places]
    try:
        for each in asyncio.as_completed(tries):
            if await each:
                return True
        return False
    finally:
        for task in tries:
            task.cancel()
        await asyncio.gather(*tries, return_exceptions=True)


def has_route() -> bool:
    for address, family in _FAR:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as one:
                # A datagram socket is only told where its datagrams would go.
                one.connect((address, 9))
                return True
        except OSError:
            continue
    return False


async def _connects(place: str) -> bool:
    host, _, port = place.rpartition(":")
    try:
        async with asyncio.timeout(_LIMIT):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


async def unknown_names(
    names: Iterable[str],
    ask: Callable[[str], Awaitable[object]] | None = None,
    is_online: Callable[[], bool] = has_route,
) -> tuple[list[str], list[str]]:
    """Those that nobody has, and those that could not be looked up: a network that is away, ours or
    a name server's, says nothing of names."""
    wanted = list(dict.fromkeys(names))
    found = await asyncio.gather(*(_is_known(name, ask or _look_up) for name in wanted))
    nobody = [name for name, there in zip(wanted, found, strict=True) if there is False]
    unsure = [name for name, there in zip(wanted, found, strict=True) if there is None]
    if nobody and not is_online():
        return [], [*nobody, *unsure]
    return nobody, unsure


async def _is_known(name: str, ask: Callable[[str], Awaitable[object]]) -> bool | None:
    try:
        async with asyncio.timeout(_LIMIT):
            await ask(name)
    except socket.gaierror as error:
        return False if error.errno in _NOBODY else None
    except (OSError, TimeoutError, UnicodeError):
        return None
    return True


async def _look_up(name: str) -> object:
    return await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
