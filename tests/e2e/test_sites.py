"""Do processes that crawl obey `tenax sites` at once, without being told otherwise? (HOST-7)"""

from __future__ import annotations

from tenax.demo import TreeSite, serving
from tests.e2e.command import Tenax, until

PAGES = 20_000


def test_two_processes_obey_rules_that_are_made_while_they_crawl(tenax: Tenax) -> None:
    site = TreeSite(pages=PAGES)
    with serving([site]) as web:
        assert tenax.run("sites", "set", "127.0.0.1", "delay=30").code == 0
        running = tenax.start_crawl(site.url, "--delay", "0", "--processes", "2")
        until(lambda: len(web.log) > 0, "robots.txt was asked for")
        # At 30 s a request this would take hours.
        assert tenax.run("sites", "set", "127.0.0.1", "delay=0", "concurrency=2").code == 0
        until(lambda: len(web.log) > 300, "the host is asked without delay")
        assert tenax.run("sites", "set", "127.0.0.1", "exclude=*").code == 0
        ended = running.wait()
    assert ended.code == 0
    assert len(web.log) < PAGES
    (left,) = tenax.live("SELECT count(*) FROM targets WHERE state IN ('pending', 'leased')")
    (url, reason), *_ = tenax.live(
        "SELECT origin || url, reason FROM targets JOIN hosts ON hosts.id = host_id"
        " WHERE targets.state = 'blocked'"
    )
    rule = "matches exclude * of the site rule 127.0.0.1 (ledger)"
    assert (left, reason) == ((0,), f"excluded: {rule}")
    assert rule in tenax.run("why", url).out
    host = site.url.split("/")[2]
    assert "exclude         *, by 127.0.0.1 (ledger)" in tenax.run("hosts", host).out
