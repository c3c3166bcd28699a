"""Does a relay answer probes as the other roles do? (MODE-3)"""

from __future__ import annotations

import json
import urllib.request
from typing import Any

from services.ports import free_ports
from tests.e2e.command import Tenax, until


def test_a_relay_says_that_it_is_ready_and_goes_when_it_is_told(tenax: Tenax) -> None:
    (port,) = free_ports(1)
    events = f"file:///{tenax.folder}/events"
    relay = tenax.start("relay", events=events, health__port=port)
    until(lambda: (answer(port) or {}).get("status") == "ready", "ready")
    relay.interrupt()
    assert relay.wait().code in (0, 130)


def answer(port: int) -> dict[str, Any] | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=60) as said:
            read: dict[str, Any] = json.load(said)
            return read
    except OSError:
        return None
