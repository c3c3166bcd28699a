"""Does a crawl go on elsewhere from a backup that was made while it ran? By the site's log."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

from tenax.demo import Reply, SiteRequest, TreeSite, serving
from tests.e2e.command import Tenax, until
from tests.postgres import empty_database


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


def place(kind: str, name: str) -> dict[str, Any]:
    """The settings of a ledger that is empty: a file in the data folder, or a database."""
    if kind == "sqlite":
        return {}
    return {"database": asyncio.run(empty_database(name))}


def stored(tenax: Tenax, ledger: dict[str, Any]) -> set[str]:
    told = tenax.run("export", "--format", "jsonl", "--fields", "url", **ledger)
    assert told.code == 0, told.err
    return {json.loads(line)["url"] for line in told.out.splitlines()}


@pytest.mark.parametrize(
    ("kind", "other"),
    [("sqlite", "sqlite"), ("postgresql", "postgresql"), ("postgresql", "sqlite")],
)
def test_a_backup_of_a_live_crawl_goes_on_elsewhere_and_fetches_nothing_twice(
    tenax: Tenax, kind: str, other: str
) -> None:
    site, backup = UnhurriedSite(), str(tenax.folder / "backup")
    here, there = place(kind, "here"), place(other, "there")
    if here:
        assert tenax.run("db", "upgrade", **here).code == 0
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0", **here)
        until(lambda: site.asked, "the crawl has begun")
        until(lambda: len(stored(tenax, here)) >= 20, "pages are stored")
        made = tenax.run("backup", backup, **here)
        assert (made.code, running.is_alive) == (0, True), made.err
        running.kill()

        elsewhere = Tenax(tenax.folder / "elsewhere")
        elsewhere.folder.mkdir()
        restored = elsewhere.run("restore", backup, **there)
        assert "The audit finds nothing wrong." in restored.err
        before = stored(elsewhere, there)
        assert 20 <= len(before) <= site.most
        told = elsewhere.run("doctor", "--recovery", "--bodies", "--json", **there)
        said = {each["name"]: each["verdict"] for each in json.loads(told.out)}
        assert (told.code, said["audit"], said["bodies"]) == (0, "ok", "ok")
        assert said["leases"] == "warn", "what was under way then is nobody's"

        site.is_held = False
        web.log.clear()
        assert elsewhere.crawl(site.url, "--delay", "0", **there).code == 0
        asked = [site.origin + each.path for each in web.log if each.path != "/robots.txt"]
    assert sorted(asked) == sorted(site.expected_urls() - before)
    assert stored(elsewhere, there) == site.expected_urls()
    assert elsewhere.run("audit", "--bodies", **there).code == 0
