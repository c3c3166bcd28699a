"""Is it seen whether this machine reaches anybody? By a connection, or by its routes alone."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from services.ports import free_ports
from tenax.adapters.local.reachable import is_reachable
from tenax.adapters.local.resources import Machine
from tenax.adapters.local.systemd import interval, is_watched, notify

LOOK = "from tenax.adapters.local.reachable import has_route; print(has_route())"


async def test_one_of_those_named_is_enough() -> None:
    async def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    there = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    nobody = f"127.0.0.1:{free_ports(1)[0]}"
    assert await is_reachable([nobody, there])
    assert not await is_reachable([nobody, "no-such-name.invalid:80"])
    server.close()


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None, reason="needs root and iproute2"
)
def test_a_machine_without_a_network_has_no_route() -> None:
    """In a namespace of its own: as if the cable was pulled."""
    name = f"tenax-{uuid.uuid4().hex[:8]}"
    inside = ["ip", "netns", "exec", name]
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode:
        pytest.skip("this kernel lets us make no network namespace")
    try:
        look = [*inside, sys.executable, "-c", LOOK]
        assert subprocess.run(look, capture_output=True, text=True).stdout == "False\n"
        for order in (
            "link add cable type veth peer name end", "link set end up",
            "addr add 198.51.100.2/24 dev cable",
            "link set cable up", "route add default via 198.51.100.1",
        ):  # fmt: skip
            done = subprocess.run([*inside, "ip", *order.split()], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        assert subprocess.run(look, capture_output=True, text=True).stdout == "True\n"
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def test_the_disk_and_our_memory_are_seen(tmp_path: Path) -> None:
    machine = Machine(str(tmp_path))
    free = machine.free()
    assert free is not None
    assert 0.0 <= free <= 1.0
    assert machine.resident() > 1_000_000
    assert Machine(str(tmp_path / "nowhere")).free() is None


def test_systemd_is_told_where_it_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    assert not is_watched()
    place = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(place)
        listener.settimeout(60.0)
        monkeypatch.setenv("NOTIFY_SOCKET", place)
        monkeypatch.setenv("WATCHDOG_USEC", "30000000")
        notify("WATCHDOG=1")
        assert listener.recv(100) == b"WATCHDOG=1"
    assert is_watched()
    assert interval() == 10.0
    notify("READY=1")  # nobody listens any more, and that is no trouble


@pytest.mark.timeout(120)
def test_one_that_hears_nothing_of_systemd_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        for _ in range(1_000):  # many times what waits to be heard
            notify("WATCHDOG=1")
        assert listener.recv(100) == b"WATCHDOG=1"
