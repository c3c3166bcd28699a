"""Does what was given up come back when its site has recovered? (FE-8)"""

from __future__ import annotations

from dataclasses import dataclass

from tenax.demo import Reply, SiteRequest, TreeSite, serving
from tests.e2e.command import Tenax


@dataclass
class SickSite(TreeSite):
    """A site that has a bad page until it is healed."""

    pages: int = 8
    is_sick: bool = True

    def answer(self, request: SiteRequest) -> Reply:
        if self.is_sick and request.path == "/p/3":
            return Reply(b"out of order", 500)
        return super().answer(request)


def test_a_dead_letter_is_returned_and_stored_once_its_page_is_healed(tenax: Tenax) -> None:
    site = SickSite()
    with serving([site]) as web:
        bad = site.at("/p/3")
        first = tenax.crawl(site.url, "--delay", "0")
        assert first.code == 0
        assert f"1 dead letter: see tenax dead --data {tenax.data}" in first.err
        assert [visit.path for visit in web.log].count("/p/3") == 3

        shown = tenax.run("dead", "--json").json
        assert (shown["url"], shown["fault"], shown["attempts"]) == (bad, "server_error", 3)
        history = tenax.run("dead", "show", bad, "--json").json["history"]
        assert [each["status"] for each in history] == [500, 500, 500]
        assert tenax.audit().code == 0

        site.is_sick = False
        assert tenax.run("dead", "return", "--all", "--json").json["returned"] == 1
        assert tenax.audit().code == 0
        asked = len(web.log)
        second = tenax.crawl(site.url, "--delay", "0", "--json")
        assert (second.json["new_pages"], second.json["state"]) == (1, "done")
        assert [visit.path for visit in list(web.log)[asked:]] == ["/p/3"]
    assert {page.url for page in tenax.pages()} == site.expected_urls()
    assert tenax.run("dead", "--json").out == ""
    assert tenax.audit().code == 0
