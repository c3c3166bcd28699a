"""Is a cable that was pulled held against any host? In network namespaces (OBS-3)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tenax.demo import LoggedRequest
from tests.e2e.command import Tenax, until
from tests.e2e.politeness import Lateness, after_cuts, too_early

SERVER = """
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept
    def do_GET(self):
        self.at = time.monotonic()
        body = b"<html><title>%s</title><body><p>page %s</p>" % ((self.path.encode(),) * 2)
        body += b"".join(b'<a href="/%d">n</a>' % n for n in range(1, 60))
        robots = self.path == "/robots.txt"
        self.send_response(404 if robots else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        print(self.at, self.path, flush=True)

ThreadingHTTPServer(("198.51.100.1", 8000), Site).serve_forever()
"""


@dataclass
class Cable:
    """Two namespaces: a server in one, us in the other, and what joins them."""

    there: str
    here: str
    log: Path

    def _lines(self) -> list[str]:
        """The last may be half written."""
        return self.log.read_text().rpartition("\n")[0].splitlines()

    @property
    def asked(self) -> int:
        return len(self.paths)

    @property
    def paths(self) -> list[str]:
        return [line.split()[1] for line in self._lines()]

    @property
    def times(self) -> list[float]:
        return [float(line.split()[0]) for line in self._lines()]

    def pull_out(self) -> None:
        run("ip", "-n", self.here, "link", "set", "near", "down")

    def plug_in(self) -> None:
        run("ip", "-n", self.here, "link", "set", "near", "up")
        run("ip", "-n", self.here, "route", "add", "default", "via", "198.51.100.1")


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("needs root and iproute2")
    number = uuid.uuid4().hex[:6]
    there, here = f"tenax-{number}-a", f"tenax-{number}-b"
    if subprocess.run(["ip", "netns", "add", there], capture_output=True).returncode:
        pytest.skip("this kernel lets us make no network namespace")
    log = tmp_path / "server.log"
    server = None
    try:
        run("ip", "netns", "add", here)
        run("ip", "-n", there, "link", "add", "far", "type", "veth",
            "peer", "name", "near", "netns", here)  # fmt: skip
        run("ip", "-n", there, "addr", "add", "198.51.100.1/24", "dev", "far")
        run("ip", "-n", here, "addr", "add", "198.51.100.2/24", "dev", "near")
        run("ip", "-n", there, "link", "set", "far", "up")
        made = Cable(there, here, log)
        made.plug_in()
        with log.open("wb") as written:
            server = subprocess.Popen(
                ["ip", "netns", "exec", there, sys.executable, "-c", SERVER],
                stdout=written, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        yield made
    finally:
        if server is not None:
            server.kill()
            server.wait()
        for name in (there, here):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


SETTINGS: dict[str, object] = {
    "allow_private": "198.51.100.0/24", "care__again": 1, "pace__delay": 0.1,
    "fetch__limits__total": 3, "log__level": "info",
}  # fmt: skip
URL = "http://198.51.100.1:8000/"


def test_a_pulled_cable_is_held_against_nobody(tenax: Tenax, cable: Cable) -> None:
    crawl = tenax.start_inside(cable.here, "crawl", URL, "--quiet", **SETTINGS)
    until(lambda: cable.asked > 15 or not crawl.is_alive, "it is at work")
    cable.pull_out()
    until(lambda: "network_away" in crawl.err or not crawl.is_alive, "it noticed")
    cable.plug_in()
    ended = crawl.wait()
    assert ended.code == 0, ended.err
    assert "network_back" in ended.err
    for word in ("breaker_opened", "budget_spent", "outcome=failed"):
        assert word not in ended.err
    assert len(tenax.pages()) == 60
    assert tenax.live("SELECT count(*) FROM attempts WHERE outcome = 'failed'") == [(0,)]
    assert tenax.audit().code == 0


def test_a_request_that_was_given_up_is_not_sent_when_the_network_is_back(
    tenax: Tenax, cable: Cable
) -> None:
    """The system would, beside the one that is made then: the server would see both at once."""
    probed = SETTINGS | {"care__probe": "198.51.100.1:8000"}
    crawl = tenax.start_inside(cable.here, "crawl", URL, "--quiet", **probed)
    until(lambda: cable.asked > 15 or not crawl.is_alive, "it is at work")
    run("ip", "-n", cable.there, "link", "set", "far", "down")
    until(lambda: "network_away" in crawl.err or not crawl.is_alive, "it noticed")
    before = cable.asked
    run("ip", "-n", cable.there, "link", "set", "far", "up")
    ended = crawl.wait()
    assert ended.code == 0, ended.err
    assert len(tenax.pages()) == 60
    afterwards = cable.paths[before:]
    assert len(afterwards) == len(set(afterwards))


@pytest.mark.parametrize("side", ["there", "here"])
def test_a_request_that_was_held_up_on_its_way_counts_from_when_it_went(
    tenax: Tenax, cable: Cable, side: str
) -> None:
    """A cut too short to be noticed: the system sends the request again when it is over, and the
    next one must not follow at once because its answer was so long in coming."""
    delay = 2.0
    patient = SETTINGS | {
        "pace__delay": delay, "fetch__limits__total": 60,
        "job__max_pages": 6, "job__discover": "",
    }  # fmt: skip
    crawl = tenax.start_inside(cable.here, "crawl", URL, "--quiet", **patient)
    until(lambda: cable.asked >= 3 or not crawl.is_alive, "it is at work")
    before = cable.asked
    if side == "here":
        cable.pull_out()
    else:
        run("ip", "-n", cable.there, "link", "set", "far", "down")
    # The next request leaves within the cut. One that goes into a cut further off is sent again 3 s
    # later, and waits then for whoever has its address: so it comes up to 1 s after it last left.
    time.sleep(delay + 3.4)
    if side == "here":
        cable.plug_in()
    else:
        run("ip", "-n", cable.there, "link", "set", "far", "up")
    ended = crawl.wait()
    assert ended.code == 0, ended.err
    assert "network_away" not in ended.err
    assert cable.asked > before + 1
    gaps = [there - here for here, there in pairwise(cable.times)]
    assert gaps[before] > 0.95 * delay, gaps  # behind the one that was held up
    assert min(gaps[2:]) > delay / 2, gaps


def test_around_a_cut_requests_are_judged_by_their_number() -> None:
    def seen(*moments: float) -> list[LoggedRequest]:
        return [LoggedRequest(at, "s", "", "GET", f"/{at}", "", 200, 1) for at in moments]

    held_up = seen(1.0, 2.0, 6.2, 6.22, 20.0, 21.0)  # cut from 3 to 6: over at 10 at the latest
    told, found = after_cuts(held_up, 1.0, [(3.0, 6.0)])
    assert (told, found) == (seen(1.0, 2.0, 20.0, 21.0), [])
    many = seen(*(6.0 + n / 10 for n in range(12)))
    assert "12 requests" in after_cuts(many, 1.0, [(3.0, 6.0)])[1][0]
    assert too_early(after_cuts(seen(1.0, 1.1), 1.0, [(3.0, 6.0)])[0], 1.0, Lateness())
