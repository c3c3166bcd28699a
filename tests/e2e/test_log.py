"""Does `--verbose` show every visit, as people or machines read it, and does too much memory end a
process in order? (OBS-2, OBS-3)"""

from __future__ import annotations

import json

from tenax.demo import TreeSite, serving
from tests.e2e.command import Tenax


def test_every_visit_of_every_process_is_a_line(tenax: Tenax) -> None:
    site = TreeSite(pages=30)
    with serving([site]):
        ended = tenax.crawl(
            site.url, "--verbose", "--json", "--delay", "0", "--processes", "2",
            log__format="json",
        )  # fmt: skip
    assert ended.code == 0, ended.err
    assert ended.json["pages"] == site.pages
    lines = [json.loads(line) for line in ended.err.splitlines() if line.startswith("{")]
    visits = [line for line in lines if line["event"] == "visit"]
    assert {line["url"] for line in visits if line["outcome"] == "read"} >= site.expected_urls()
    assert {line["job"] for line in visits} == {visits[0]["job"]}


def test_too_much_memory_ends_a_process_with_its_own_code(tenax: Tenax) -> None:
    site = TreeSite(pages=30)
    with serving([site]):
        ended = tenax.crawl(site.url, "--delay", "0.2", "--quiet", care__memory=1)
        assert ended.code == 4, ended.err
        assert "memory_full" in ended.err
        assert tenax.audit().code == 0
        again = tenax.crawl(site.url, "--delay", "0", "--quiet")
        assert again.code == 0, again.err
    assert len(tenax.pages()) == site.pages
