"""libcurl's multi interface on the event loop: all sockets wait in an epoll set of their own.

libcurl asks for a socket to be watched, and let go again, with every transfer. For that an event
loop makes a watcher, by half a dozen system calls; for an epoll set it takes one.
"""

from __future__ import annotations

import asyncio
import select
from typing import Any

import pycurl

Trouble = tuple[int, str]
"""libcurl's code, and what it says."""

_AT_ONCE = 64
"""Sockets that are heard before anybody else on the loop."""


class EpollMulti:
    """Runs transfers on the loop of the first of them."""

    def __init__(self) -> None:
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        self._epoll = select.epoll()
        self._watched: set[int] = set()
        self._under_way: dict[pycurl.Curl, asyncio.Future[Trouble | None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._soon: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0
        self._due_at = 0.0
        """When libcurl wants to be called at the latest; 0 when it does not say."""

    def setopt(self, option: int, value: Any) -> None:
        self._multi.setopt(option, value)

    async def perform(self, curl: pycurl.Curl) -> Trouble | None:
        """Run a transfer to its end; None when libcurl is content with it."""
        loop = self._loop or self._bind()
        ended: asyncio.Future[Trouble | None] = loop.create_future()
        self._under_way[curl] = ended
        try:
            self._multi.add_handle(curl)
            return await ended
        except pycurl.error as error:
            return _trouble(error)
        finally:
            if self._under_way.pop(curl, None) is not None:
                self._remove(curl)

    async def aclose(self) -> None:
        """Cancels what is under way and closes every connection."""
        loop, self._loop = self._loop, None  # so that nothing is begun by what is ended here
        for handle in (self._soon, self._timer):
            if handle is not None:
                handle.cancel()
        for curl, ended in self._under_way.items():
            self._remove(curl)
            ended.cancel()
        self._under_way.clear()
        if loop is not None:
            loop.remove_reader(self._epoll.fileno())
        self._multi.close()
        self._epoll.close()

    def _bind(self) -> asyncio.AbstractEventLoop:
        if self._multi.closed:
            raise RuntimeError("these transfers were closed")
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._epoll.fileno(), self._on_events)
        return self._loop

    def _on_socket(self, what: int, socket: int, _multi: object, _data: object) -> None:
        events = _EVENTS.get(what)
        if events is None:
            if socket in self._watched:
                self._watched.remove(socket)
                try:  # noqa: SIM105  # `suppress` takes longer than the call, twice a request
                    self._epoll.unregister(socket)
                except OSError:
                    pass  # closed already, and forgotten with that
        elif socket in self._watched:
            self._epoll.modify(socket, events)
        elif self._loop is not None:
            self._epoll.register(socket, events)
            self._watched.add(socket)

    def _on_events(self) -> None:
        for socket, events in self._epoll.poll(0, _AT_ONCE):
            if socket in self._watched:  # else it was ended by what was heard before
                self._act(socket, _ACTIONS.get(events, _ANYTHING))
        self._settle()

    def _on_timer(self, milliseconds: int) -> None:
        """Told by libcurl with every transfer: to call it at once, and then when the transfer would
        have taken too long. A timer that rings before then serves as well as one made for it."""
        loop = self._loop
        if loop is None:
            return
        if milliseconds == 0:
            # Not now: libcurl must not be called by what it has called.
            self._soon = self._soon or loop.call_soon(self._on_time)
            return
        self._due_at = loop.time() + milliseconds / 1000 if milliseconds > 0 else 0.0
        if self._due_at and (self._timer is None or self._rings_at > self._due_at):
            self._set_timer(loop)

    def _set_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = self._due_at
        self._timer = loop.call_at(self._rings_at, self._on_ring)

    def _on_ring(self) -> None:
        self._timer, loop = None, self._loop
        if loop is None or not self._due_at:
            return
        if self._due_at > loop.time():
            self._set_timer(loop)
        else:
            self._on_time()

    def _on_time(self) -> None:
        self._soon = None
        self._due_at = 0.0  # libcurl names the next time in the course of this
        self._act(pycurl.SOCKET_TIMEOUT, 0)
        self._settle()

    def _act(self, socket: int, action: int) -> None:
        try:
            self._multi.socket_action(socket, action)
        except pycurl.error as error:
            # libcurl itself is in trouble, and will tell of no end any more.
            for curl in list(self._under_way):
                self._end(curl, _trouble(error))

    def _settle(self) -> None:
        """Tell those whose transfers have ended."""
        _, well, badly = self._multi.info_read()
        for curl in well:
            self._end(curl, None)
        for curl, code, message in badly:
            self._end(curl, (code, message))

    def _end(self, curl: pycurl.Curl, trouble: Trouble | None) -> None:
        ended = self._under_way.pop(curl, None)
        if ended is None:
            return
        self._remove(curl)
        if not ended.done():
            ended.set_result(trouble)

    def _remove(self, curl: pycurl.Curl) -> None:
        try:  # noqa: SIM105  # as above
            self._multi.remove_handle(curl)
        except pycurl.error:
            pass


class PortableMulti(pycurl.AsyncCurlMulti):  # type: ignore[misc]  # pycurl has no types
    """The same by pycurl's own means, where there is no epoll."""

    async def perform(self, curl: pycurl.Curl) -> Trouble | None:
        try:
            await self.add_handle(curl)
        except pycurl.error as error:
            return _trouble(error)
        return None


def open_multi() -> EpollMulti | PortableMulti:
    return EpollMulti() if hasattr(select, "epoll") else PortableMulti()


def _trouble(error: pycurl.error) -> Trouble:
    code, message = error.args
    return code, message


_READABLE, _WRITABLE = 1, 4  # EPOLLIN and EPOLLOUT, which not every system's `select` names
_EVENTS = {
    pycurl.POLL_IN: _READABLE,
    pycurl.POLL_OUT: _WRITABLE,
    pycurl.POLL_INOUT: _READABLE | _WRITABLE,
}
_ACTIONS = {_READABLE: pycurl.CSELECT_IN, _WRITABLE: pycurl.CSELECT_OUT}
_ANYTHING: int = pycurl.CSELECT_IN | pycurl.CSELECT_OUT
"""Both, or that the socket is in trouble: libcurl finds out itself."""
