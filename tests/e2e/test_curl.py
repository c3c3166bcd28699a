"""Can everything be done with curl alone, from logging in to logging out? (SPEC 12)"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenax.demo import Reply, SiteRequest, TreeSite, serving
from tests.e2e.command import PATIENCE, Tenax, until
from tests.e2e.test_serve import start, state

PASSWORD = "correct horse battery staple"


class SickSite(TreeSite):
    """A site with a page that is given up, and a robots.txt."""

    def answer(self, request: SiteRequest) -> Reply:
        if request.path == "/robots.txt":
            return Reply(b"User-agent: *\nDisallow: /private\n")
        if request.path == "/p/3":
            return Reply(b"out of order", 500)
        return super().answer(request)


class Curl:
    """curl with a jar for its cookies, at one server."""

    def __init__(self, port: int, folder: Path) -> None:
        self._base = f"http://127.0.0.1:{port}"
        self._jar = str(folder / "cookies")
        self._token: tuple[str, ...] = ()

    def __call__(self, method: str, path: str, body: object = None, status: int = 200) -> Any:
        given = (
            () if body is None else ("-H", "Content-Type: application/json", "-d", json.dumps(body))
        )
        said = self._run("-X", method, *self._token, *given, "-w", "\n%{http_code}", path)
        told, _, code = said.rpartition("\n")
        assert int(code) == status, f"{method} {path}: {code} {told}"
        return json.loads(told)

    def log_in(self, password: str) -> Any:
        self._token = ()
        told = self("POST", "/api/auth/login", {"name": "admin", "password": password})
        self._token = ("-H", f"X-CSRF-Token: {told['csrf_token']}")
        return told

    def listen(self, path: str, lines: int) -> list[str]:
        """The first lines of a stream."""
        command = ("curl", "-sN", "-b", self._jar, "-m", str(PATIENCE), self._base + path)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as stream:
            assert stream.stdout is not None
            found = [line for line, _ in zip(stream.stdout, range(lines), strict=False)]
            stream.terminate()
        return found

    def _run(self, *arguments: str) -> str:
        *rest, path = arguments
        command = ("curl", "-s", "-m", str(PATIENCE), "-b", self._jar, "-c", self._jar, *rest)
        ended = subprocess.run((*command, self._base + path), capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout


@pytest.fixture
def tenax(tmp_path: Path) -> Iterator[Tenax]:
    made = Tenax(tmp_path)
    yield made
    made.clean_up()


@pytest.mark.skipif(shutil.which("curl") is None, reason="this machine has no curl")
def test_all_of_it_by_curl(tenax: Tenax, tmp_path: Path) -> None:
    site = SickSite(pages=12)
    with serving([site]):
        running, port = start(tenax, retry__attempts=1, similar__distance=0)
        once = re.search(r"with the password (\S+)", running.err)
        assert once is not None, running.err
        curl = Curl(port, tmp_path)
        # Log in, with a password of one's own.
        assert curl.log_in(once[1])["must_choose_password"]
        curl("POST", "/api/auth/password", {"old": once[1], "new": PASSWORD})
        assert curl.log_in(PASSWORD)["role"] == "admin"
        assert curl("GET", "/api/auth/me")["name"] == "admin"
        # A job: what would it take? Then create it.
        wanted = {"seeds": [site.url], "exclude": ["*calendar*"]}
        asked = [f"{site.url}p/1", f"{site.url}calendar/2031", "https://elsewhere.example/"]
        told = curl("POST", "/api/jobs/preview", {**wanted, "urls": asked})
        assert [each["taken"] for each in told["items"]][-3:] == [True, False, False]
        curl("POST", "/api/jobs", {**wanted, "name": "shop", "start": True}, status=201)
        # Watch it.
        events = curl.listen("/api/live?job=shop", 4)
        data = json.loads(next(each for each in events if each.startswith("data: "))[6:])
        assert data["now"]["job"]["job"] == "shop"
        until(lambda: state(tenax, "shop") == "done", "it is done")
        # Pause; add a URL; go on.
        curl("POST", "/api/jobs/shop/run")
        assert curl("POST", "/api/jobs/shop/pause")["state"] == "paused"
        added = curl("POST", "/api/frontier/add", {"job": "shop", "urls": [f"{site.url}private/x"]})
        assert added["new"] == 1
        # Reset a host, and read the line of its robots.txt that decides.
        host = site.url.split("/")[2]
        curl("POST", f"/api/admin/domains/{host}/reset")
        robots = curl("GET", f"/api/domains/{host}/robots?path=/private/x")
        assert (robots["allowed"], robots["line"]) == (False, 2)
        told = curl("GET", f"/api/domains/{host}/timeline?minutes=60")
        assert told["requests"]
        assert "reset" in [each["kind"] for each in told["incidents"]]
        # Dead letters by filter: how many, then return them.
        which = {"host": host, "fault": "server_error"}
        meant = curl("POST", "/api/dead-letters/return", {**which, "dry_run": True})
        assert meant["returned"] == 1
        assert curl("POST", "/api/dead-letters/return", which)["returned"] == 1
        assert curl("GET", "/api/dead-letters")["items"] == []
        # What changed since yesterday.
        assert curl("GET", "/api/products?changed_since=1d")["items"] == []
        newest = curl("GET", "/api/pages?newest=true&limit=3")["items"]
        assert len(newest) == 3
        # Purge pages: how many, then do it.
        meant = curl("DELETE", f"/api/admin/pages?host={host}&dry_run=true")
        assert curl("DELETE", f"/api/admin/pages?host={host}")["pages"] == meant["pages"] > 0
        assert curl("GET", "/api/pages")["items"] == []
        assert curl("GET", "/api/audit")["adds_up"]
        # And out.
        assert curl("POST", "/api/auth/logout")["logged_out"]
        curl("GET", "/api/jobs", status=401)
        running.interrupt(signal.SIGTERM)
        assert running.wait().code == 0
    assert tenax.audit().code == 0
