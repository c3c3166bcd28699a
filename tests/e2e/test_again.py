"""Does `--again` ask only for what changed, and keep what a failing site no longer gives? (FE-4)"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tenax import open as open_library
from tenax.demo import Reply, SiteRequest, TreeSite, serving
from tests.e2e.command import Tenax


@dataclass
class LivingSite(TreeSite):
    """A site that remembers how it was asked, can change a page, and can break down."""

    pages: int = 12
    changed: str = ""
    is_down: bool = False
    conditions: list[str] = field(default_factory=list)

    def answer(self, request: SiteRequest) -> Reply:
        if request.path != "/robots.txt":
            self.conditions.append(request.headers.get("if-none-match", ""))
        if self.is_down:
            return Reply(b"down", 502)
        reply = super().answer(request)
        if request.path == self.changed:
            reply.body = reply.body.replace(b"</h1>", b" and news</h1>", 1)
        return reply


def checked(tenax: Tenax) -> dict[str, tuple[bool, str | None, int]]:
    """Of each page: whether it was confirmed, why it is stale, and the status of its last try."""
    ledger = sqlite3.connect(tenax.data / "ledger.db")
    try:
        rows = ledger.execute(
            "SELECT t.url, p.checked_at IS NOT NULL, p.stale, (SELECT status FROM attempts a"
            " WHERE a.target_id = t.id ORDER BY id DESC LIMIT 1)"
            " FROM pages p JOIN targets t ON t.id = p.target_id"
        ).fetchall()
    finally:
        ledger.close()
    return {url: (bool(is_checked), stale, status) for url, is_checked, stale, status in rows}


def test_a_second_round_stores_only_what_changed(tenax: Tenax) -> None:
    site = LivingSite()
    with serving([site]):
        assert tenax.crawl(site.url, "--delay", "0").code == 0
        first = {page.url: page.digest for page in tenax.pages()}
        assert set(site.conditions) == {""}

        site.conditions.clear()
        site.changed = "/p/3"
        between = datetime.now(UTC).isoformat()
        told = tenax.crawl(site.url, "--delay", "0", "--again")
        assert (told.code, "Visiting 12 URLs of" in told.err) == (0, True)
        assert "0 new pages and 12 visited again" in told.err
        assert len(site.conditions) == 12
        assert all(site.conditions)
    exported = tenax.run("export", "--since", between, "--changed", "--fields", "url")
    assert [json.loads(line)["url"] for line in exported.out.splitlines()] == [site.at("/p/3")]
    known = checked(tenax)
    assert known.pop("/p/3") == (False, None, 200)
    assert set(known.values()) == {(True, None, 304)}
    second = {page.url: page.digest for page in tenax.pages()}
    assert {url for url in first if first[url] != second[url]} == {site.at("/p/3")}
    assert tenax.audit().code == 0


def test_a_site_that_is_down_keeps_its_pages_and_is_healed_by_the_next_round(tenax: Tenax) -> None:
    site = LivingSite(pages=3)
    with serving([site]):
        assert tenax.crawl(site.url, "--delay", "0").code == 0
        site.is_down = True
        down = tenax.crawl(site.url, "--delay", "0", "--again", "--json")
        assert (down.code, down.json["pages"], down.json["renewed"]) == (0, 3, 3)
        assert set(checked(tenax).values()) == {(False, "bad_gateway", 502)}
        assert tenax.run("pages").out.count("stale") == 3
        assert "stored, but stale" in tenax.run("why", site.url).out
        assert tenax.run("pages", "--text", site.url).out

        site.is_down = False
        healed = tenax.crawl(site.url, "--delay", "0", "--again", "--json")
        assert (healed.code, healed.json["renewed"], healed.json["new_pages"]) == (0, 3, 0)
    assert set(checked(tenax).values()) == {(True, None, 304)}
    assert tenax.audit().code == 0


async def test_a_program_gets_the_pages_that_changed(tmp_path: Path) -> None:
    site = LivingSite()
    with serving([site]):
        async with open_library(tmp_path, allow_private=["127.0.0.1"], pace__delay=0.0) as crawl:
            first = [page.url async for page in crawl.run(site.url)]
            assert len(first) == 12
            site.changed = "/p/3"
            assert [page.url async for page in crawl.run(site.url)] == []
            changed = [page.url async for page in crawl.run(site.url, again=True)]
            assert changed == [site.at("/p/3")]
