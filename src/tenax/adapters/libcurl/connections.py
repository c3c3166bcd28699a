"""Guards around libcurl's connection pool: idle connections that were spoken to, calls that hang.

Both are ways for a server to reach beyond its own answer: to have words of its own taken for
the answer to the next request, and to keep the whole event loop busy.
"""

from __future__ import annotations

import select
import socket
import struct
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable

from msgspec import Struct

Ends = tuple[str, str, int, int]
"""Peer, here, the peer's port, ours: what tells a connection from all others open now."""


class Idle:
    """Which descriptor belongs to a connection that is kept for the next request.

    libcurl looks at an idle connection once a second at most and takes what came in between
    for an answer. There is nothing to hear on an idle HTTP/1 connection: if there is, it was
    sent before anything was asked.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._polls: OrderedDict[Ends, tuple[select.poll, int]] = OrderedDict()

    def keep(self, ends: Ends, descriptors: Iterable[int]) -> None:
        """Remember the one of these descriptors that has these ends."""
        if (descriptor := with_ends(ends, descriptors)) is not None:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            self._polls[ends] = poll, descriptor
            self._polls.move_to_end(ends)
        if len(self._polls) > self._most:
            self._polls.popitem(last=False)

    def is_spoiled(self, ends: Ends) -> bool:
        """Whether something arrived there although nothing was asked."""
        kept = self._polls.get(ends)
        return kept is not None and bool(kept[0].poll(0))

    def descriptor(self, ends: Ends) -> int | None:
        kept = self._polls.get(ends)
        return None if kept is None else with_ends(ends, kept[1:])


def with_ends(ends: Ends, descriptors: Iterable[int]) -> int | None:
    """The one of these descriptors that has these ends."""
    return next((each for each in descriptors if _port_of(each) == ends[3]), None)


class Sending(Struct, frozen=True):
    """What the system tells of how a connection's data went (`struct tcp_info` of Linux)."""

    ago: float
    """Seconds since any were last sent."""
    trip: float
    """Smoothed seconds until they were acknowledged; each new one counts for an eighth."""
    swing: float
    """How far these go to and fro."""
    shortest: float


def sending(descriptor: int) -> Sending | None:
    """None where nobody can tell."""
    if sys.platform != "linux":
        return None
    borrowed = socket.socket(fileno=descriptor)
    try:
        told = borrowed.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
        ago, trip, swing, shortest = _TCP_INFO.unpack(told)
    except (OSError, struct.error):
        return None
    finally:
        borrowed.detach()
    return Sending(ago / 1_000, trip / 1e6, swing / 1e6, shortest / 1e6)


def came_by(told: Sending, since: float, answered: float) -> float:
    """Seconds from when a request was sent until its server has seen it, at the latest; `since`
    is how long ago that was, and the answer began after `answered`.

    What was lost, as in a cut of the network, the system sends again. And before it leaves it may
    wait, for seconds, until it is known who has the address: nothing tells that but how long the
    last trip seems to have taken. A server that is slow acknowledges at once all the same.
    """
    if since - told.ago > SENT_AGAIN:
        # Each time it may have waited: only the answer says that it has come.
        return answered
    longer = told.trip - told.shortest
    # One trip that is much longer moves the mean by an eighth and the swing by a quarter of that.
    has_jumped = told.swing > longer and longer * 8 > SENT_AGAIN
    return min(answered, longer * 8) if has_jumped else 0.0


SENT_AGAIN = 0.15
"""Seconds: the system waits longer than that before it sends anything again."""
_TCP_INFO = struct.Struct("=44xI20xII72xI")
"""How often any were sent again says less: what found no route is sent for the first time when
there is one."""


def _port_of(descriptor: int) -> int | None:
    try:
        borrowed = socket.socket(fileno=descriptor)
    except OSError:
        return None
    try:
        port: int = borrowed.getsockname()[1]
        return port
    except (OSError, IndexError):
        return None
    finally:
        borrowed.detach()


class Sentinel:
    """Hangs up on servers that keep libcurl inside one call for longer than they were given.

    OpenSSL reads on for as long as a handshake brings messages that mean nothing, and so do
    we: no timer of the event loop runs meanwhile. What is overdue here is overdue for libcurl
    too, so hanging up takes nothing from anyone.
    """

    def __init__(self) -> None:
        self._watched: dict[socket.socket, float] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def watch(self, connection: socket.socket, seconds: float) -> socket.socket:
        """Until `leave` with what is returned: a descriptor of its own, which libcurl cannot
        close and the system not give to somebody else in between."""
        own = connection.dup()
        with self._changed:
            self._watched[own] = time.monotonic() + seconds
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sentinel", daemon=True)
                self._thread.start()
            elif len(self._watched) == 1:
                self._changed.notify()
        return own

    def extend(self, own: socket.socket, seconds: float) -> None:
        with self._changed:
            if own in self._watched:
                self._watched[own] = time.monotonic() + seconds

    def leave(self, own: socket.socket) -> None:
        with self._changed:
            self._watched.pop(own, None)
        own.close()

    def close(self) -> None:
        """End the thread; what is still watched is left to its owners."""
        with self._changed:
            thread, self._thread = self._thread, None
            self._changed.notify()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        with self._changed:
            while self._thread is threading.current_thread():
                now = time.monotonic()
                for own in [own for own, until in self._watched.items() if until <= now]:
                    del self._watched[own]
                    _hang_up(own)
                earliest = min(self._watched.values(), default=None)
                self._changed.wait(None if earliest is None else max(0.01, earliest - now))


def _hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the other side was faster
