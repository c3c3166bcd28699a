"""On which port can a server listen, and does something listen there?"""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Iterable

# Below what systems hand out to outgoing connections: while a server is down, a client that
# keeps trying must not be given the very port it is trying to reach.
_FIRST, _LAST = 20_000, 31_999


def free_ports(count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        port = random.randint(_FIRST, _LAST)
        if port not in found and is_free(port):
            found.append(port)
    return found


def is_free(port: int) -> bool:
    with socket.socket() as attempt:
        # As servers do: a port whose last connections are only fading away counts as free.
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def wait_for_free(ports: Iterable[int], patience: float = 5.0) -> bool:
    """Clients know these ports: give whoever holds them a moment to let go."""
    until = time.monotonic() + patience
    while not all(map(is_free, ports)):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def ask(port: int, question: bytes, *, wait: float = 1.0) -> bytes:
    """The first bytes that a server answers to these; empty when it does not."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
            connection.sendall(question)
            return connection.recv(1024)
    except OSError:
        return b""
