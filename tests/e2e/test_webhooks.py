"""Is a webhook told by the command as users run it, also by one that is killed while it tells?"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tenax.demo import TreeSite, serving
from tests.e2e.command import Tenax, until
from tests.schemas import check

TABLE = """
[[webhooks]]
url = "http://127.0.0.1:{port}/hook"
secret = "twenty-four characters or more"
events = ["job_ended"]
"""


class Receiver:
    """Real, and asked by others: it calls `heard` before it answers."""

    def __init__(self, heard: Callable[[], None] = lambda: None) -> None:
        self.told: list[dict[str, Any]] = []
        self.heard = heard

    @contextmanager
    def listening(self, port: int = 0) -> Iterator[int]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                assert self.headers["webhook-id"] == json.loads(body)["event_id"]
                receiver.told.append(check(body))
                receiver.heard()
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def test_a_job_that_is_done_is_told_whatever_dies_on_the_way(tenax: Tenax) -> None:
    receiver = Receiver()
    with receiver.listening() as port:
        pass  # it has a port, and is down
    (tenax.folder / "tenax.toml").write_text(TABLE.format(port=port))
    private = {"allow_private": "127.0.0.1/32", "relay__lease": "2", "relay__backoffs": "0.2"}
    site = TreeSite(pages=4)
    with serving([site]):
        crawl = tenax.crawl(
            site.url, "--delay", "0", "--job", "tree", relay__drain="0.5", **private
        )
    assert crawl.code == 0, crawl.err
    assert "webhook 127.0.0.1: cannot be told" in crawl.err, crawl.err
    status = tenax.run("relay", "--status", **private)
    assert "webhook:127.0.0.1:" in status.out
    with receiver.listening(port):
        relay = tenax.start("relay", **private)
        receiver.heard = lambda: relay.interrupt(signal.SIGKILL)
        until(lambda: not relay.is_alive, "the relay was killed while it told")
        relay.wait()
        receiver.heard = lambda: None
        again = tenax.run("relay", "--until-empty", "--json", **private)
    assert (again.code, again.json["told"]) == (0, 1), again.err
    first, second = receiver.told
    assert first == second, "the same event, by the same id"
    assert (first["type"], first["job"], first["pages"]) == ("job_ended", "tree", 4)
    assert "twenty-four" not in tenax.run("config", **private).out
