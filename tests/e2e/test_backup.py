"""Does a crawl go on elsewhere from a backup that was made while it ran? By the site's log."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tenax.demo import Reply, SiteRequest, TreeSite, serving
from tests.e2e.command import Tenax, until


@dataclass
class UnhurriedSite(TreeSite):
    """Never done with everybody while it is held."""

    pages: int = 160
    most: int = 100
    asked: int = 0
    is_held: bool = True

    def answer(self, request: SiteRequest) -> Reply:
        self.asked += request.path != "/robots.txt"
        reply = super().answer(request)
        if self.is_held:
            reply.delay = 0.05 if self.asked <= self.most else 3_600.0
        return reply


def test_a_backup_of_a_live_crawl_goes_on_elsewhere_and_fetches_nothing_twice(
    tenax: Tenax,
) -> None:
    site, backup = UnhurriedSite(), str(tenax.folder / "backup")
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0")
        stored = "SELECT count(*) FROM pages"
        until(lambda: site.asked, "the crawl has begun")
        until(lambda: tenax.live(stored)[0][0] >= 20, "pages are stored")
        made = tenax.run("backup", backup)
        assert (made.code, running.is_alive) == (0, True), made.err
        running.kill()

        elsewhere = Tenax(tenax.folder / "elsewhere")
        elsewhere.folder.mkdir()
        restored = elsewhere.run("restore", backup)
        assert "The audit finds nothing wrong." in restored.err
        before = {page.url for page in elsewhere.pages()}
        assert 20 <= len(before) <= site.most
        told = elsewhere.run("doctor", "--recovery", "--bodies", "--json")
        said = {each["name"]: each["verdict"] for each in json.loads(told.out)}
        assert (told.code, said["audit"], said["bodies"]) == (0, "ok", "ok")
        assert said["leases"] == "warn", "what was under way then is nobody's"

        site.is_held = False
        web.log.clear()
        assert elsewhere.crawl(site.url, "--delay", "0").code == 0
        asked = [site.origin + each.path for each in web.log if each.path != "/robots.txt"]
    assert sorted(asked) == sorted(site.expected_urls() - before)
    assert {page.url for page in elsewhere.pages()} == site.expected_urls()
    assert elsewhere.audit().code == 0
