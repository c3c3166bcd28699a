"""Does a person who looks on see what visits are doing, in whichever process?"""

from __future__ import annotations

from typing import Any

from tenax.demo import Reply, SiteRequest, TreeSite, serving
from tests.e2e.command import Tenax, until


class SilentSite(TreeSite):
    """Its robots.txt and its home are there; whatever they name takes very long."""

    def answer(self, request: SiteRequest) -> Reply:
        reply = super().answer(request)
        reply.delay = 0.0 if request.path in ("/robots.txt", "/") else 60.0
        return reply


def test_visits_that_hang_are_seen_with_their_step_and_process(tenax: Tenax) -> None:
    site = SilentSite(pages=50)
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0", "--processes", "2", feed__grace=0)
        host = site.url.split("/")[2]
        seen: list[dict[str, Any]] = []

        def some() -> bool:
            seen[:] = tenax.run("hosts", host, "--json").json["under_way"]
            return bool(seen) and all(each["step"] == "request" for each in seen)

        until(lambda: len(web.log) > 2, "its pages are asked for")
        until(some, "its visits are seen, on the wire")
        assert {each["pid"] for each in seen} <= {running.crawler, *running.children()}
        assert all(each["url"].startswith(site.url) and each["host"] == host for each in seen)
        told = tenax.run("hosts", host).out
        assert "under way   request for " in told
        assert f"(process {seen[0]['pid']}, as of " in told
        running.interrupt()
        assert running.wait().code == 130
    assert tenax.run("hosts", host, "--json").json["under_way"] == []
