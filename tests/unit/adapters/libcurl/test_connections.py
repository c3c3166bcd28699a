"""Are idle connections watched, and calls that stick ended, without touching anything else?"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tenax.adapters.libcurl.connections import (
    Ends,
    Idle,
    Sending,
    Sentinel,
    came_by,
    sending,
    with_ends,
)


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Our end of a connection, and the server's."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    with ours, theirs:
        yield ours, theirs


def ends_of(connection: socket.socket) -> Ends:
    here, peer = connection.getsockname(), connection.getpeername()
    return (peer[0], here[0], peer[1], here[1])


# -- Idle connections


def test_a_silent_connection_is_not_spoiled(pair: tuple[socket.socket, socket.socket]) -> None:
    idle = Idle(most=9)
    idle.keep(ends_of(pair[0]), [pair[0].fileno()])
    assert not idle.is_spoiled(ends_of(pair[0]))


@pytest.mark.parametrize("act", ["speaks", "hangs up"])
def test_a_connection_that_was_spoken_to_is_spoiled(
    pair: tuple[socket.socket, socket.socket], act: str
) -> None:
    ours, theirs = pair
    idle = Idle(most=9)
    idle.keep(ends_of(ours), [ours.fileno()])
    if act == "speaks":
        theirs.send(b"HTTP/1.1 200 OK")
    else:
        theirs.shutdown(socket.SHUT_RDWR)
    assert idle.is_spoiled(ends_of(ours))


def test_the_descriptor_with_these_ends_is_found_among_those_tried(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    """Two addresses of a host may have been tried at once, and one given up."""
    ours, theirs = pair
    idle = Idle(most=9)
    with socket.socket() as other, open(os.devnull) as file:
        idle.keep(ends_of(ours), [999_999, file.fileno(), other.fileno(), ours.fileno()])
    theirs.send(b"x")
    assert idle.is_spoiled(ends_of(ours))


def test_of_a_connection_nobody_kept_nothing_is_said() -> None:
    assert not Idle(most=9).is_spoiled(("127.0.0.1", "127.0.0.1", 80, 50_000))


def test_the_oldest_are_forgotten_first(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    idle = Idle(most=2)
    _, here, peer_port, port = ends_of(ours)
    names = [(f"127.0.0.{n}", here, peer_port, port) for n in range(3)]
    for name in names:
        idle.keep(name, [ours.fileno()])
    theirs.send(b"x")
    assert [idle.is_spoiled(name) for name in names] == [False, True, True]


# -- Calls that stick


@pytest.fixture
def sentinel() -> Iterator[Sentinel]:
    sentinel = Sentinel()
    yield sentinel
    sentinel.close()


def test_what_is_overdue_is_hung_up_on(
    sentinel: Sentinel, pair: tuple[socket.socket, socket.socket]
) -> None:
    """However deep in a call its owner is: here, in a read without an end."""
    ours, _ = pair
    own = sentinel.watch(ours, 0.05)
    ours.settimeout(5)
    assert ours.recv(1) == b""
    sentinel.leave(own)


def test_what_is_left_in_time_is_left_alone(
    sentinel: Sentinel, pair: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = pair
    sentinel.leave(sentinel.watch(ours, 0.02))
    other, far = socket.socketpair()
    with other, far:
        own = sentinel.watch(other, 0.05)
        far.settimeout(5)
        assert far.recv(1) == b""  # later than the first would have been
        sentinel.leave(own)
    theirs.send(b"x")
    assert ours.recv(1) == b"x"


def test_more_time_can_be_given(
    sentinel: Sentinel, pair: tuple[socket.socket, socket.socket]
) -> None:
    ours, _ = pair
    started = time.monotonic()
    own = sentinel.watch(ours, 0.02)
    sentinel.extend(own, 0.2)
    ours.settimeout(5)
    assert ours.recv(1) == b""
    assert time.monotonic() - started >= 0.2
    sentinel.leave(own)


def test_a_descriptor_given_to_somebody_else_is_not_hung_up_on(sentinel: Sentinel) -> None:
    """Its number may belong to the ledger by then."""
    overdue, other = socket.socketpair()
    own = sentinel.watch(overdue, 0.05)
    other.settimeout(5)
    number = overdue.detach()
    os.close(number)
    innocent, friend = socket.socketpair()
    with innocent, friend:
        assert number in (innocent.fileno(), friend.fileno())
        assert other.recv(1) == b""
        friend.send(b"x")
        assert innocent.recv(1) == b"x"
    other.close()
    sentinel.leave(own)


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    sentinel = Sentinel()
    near, far = socket.socketpair()
    with near, far:
        sentinel.leave(sentinel.watch(near, 60.0))
        sentinel.close()
        sentinel.close()
    assert threading.active_count() == before


def test_a_request_that_was_sent_once_came_when_it_left(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    """What is sent again after a cut is in `tests/e2e/test_network_cut.py`."""
    ours, theirs = pair
    before = time.perf_counter()
    ours.sendall(b"GET / HTTP/1.1\r\n\r\n")
    assert theirs.recv(100)
    told = sending(ours.fileno())
    assert told is not None
    assert 0.0 <= told.ago <= time.perf_counter() - before + 0.01
    assert 0.0 < told.shortest <= told.trip
    assert came_by(told, told.ago, 3.0) == 0.0
    assert ours.fileno() >= 0, "it was only borrowed"
    assert with_ends(ends_of(ours), [999_999, theirs.fileno(), ours.fileno()]) == ours.fileno()


def test_when_a_request_came_at_the_latest(subtests: pytest.Subtests) -> None:
    """As seen in namespaces: a cut of 4 s, requests sent some seconds before its end, and an
    answer that was ready at once or one second later."""
    cases = {
        "nobody was late": (Sending(3.0, 0.0002, 0.0001, 0.0001), 3.0, 2.5, 0.0),
        "sent again": (Sending(1.04, 0.0002, 0.0003, 0.00001), 3.06, 3.06, 3.06),
        "sent again, and waited for the address": (
            Sending(1.05, 0.1275, 0.255, 0.00001), 4.13, 4.13, 4.13,
        ),
        "waited for the address, sent once": (
            Sending(2.1, 0.134, 0.268, 0.00001), 2.1, 2.0, 8 * 0.13399,
        ),
        "waited for the address, answered at once": (
            Sending(1.03, 0.1275, 0.255, 0.00001), 1.03, 1.01, 1.01,
        ),
        "a path that goes to and fro": (Sending(2.0, 0.130, 0.025, 0.08), 2.0, 2.0, 0.0),
        "a little longer once": (Sending(2.0, 0.012, 0.02, 0.001), 2.0, 2.0, 0.0),
    }  # fmt: skip
    for name, (told, since, answered, wanted) in cases.items():
        with subtests.test(name):
            assert came_by(told, since, answered) == pytest.approx(wanted)
