"""Does a command that only looks load what crawls? By what is in memory when it has ended."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tenax.compose import upgrade_ledger
from tenax.settings import Settings

_PROGRAM = """
import sys
sys.argv = ["tenax", *sys.argv[1:]]
from tenax.cli.commands import run
try:
    run()
except SystemExit:
    pass
print(*sys.modules, sep="\\n")
"""
CRAWLING = {
    "tenax.compose.crawler", "tenax.crawl.run", "tenax.crawl.visit", "tenax.fetch.fetcher",
    "tenax.page.verdict.wall_patterns", "tenax.page.verdict.pattern_table", "tenax.page.verdict.validate", "tenax.adapters.libcurl.http",
    "tenax.adapters.browser", "pycurl", "curl_cffi", "playwright",
}  # fmt: skip
"""What asks the web, reads its answers and compares them with walls."""
MOST = 114
"""Modules of ours for `tenax products`: half of the 229 that it took when it opened a crawler."""
LOOKS = [
    ("products",), ("products", "--rates"), ("pages",), ("jobs",), ("jobs", "show", "nobody"),
    ("jobs", "create", "a", "https://a.example/"), ("dead", "return", "--all"),
    ("dead",), ("hosts",), ("audit",), ("links", "--broken"), ("why", "https://a.example/"),
    ("config",), ("proxies",), ("key", "api", "list"), ("relay", "--status"), ("search", "word"),
    ("export",),
]  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    asyncio.run(upgrade_ledger(Settings(data=str(folder))))
    return folder


def loaded(data: Path, *words: str) -> set[str]:
    command = [sys.executable, "-c", _PROGRAM, *words, "--data", str(data)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=data)
    return set(ended.stdout.splitlines())


def test_products_loads_half_of_what_it_did(data: Path) -> None:
    modules = loaded(data, "products", "--json")
    ours = {name for name in modules if name.partition(".")[0] == "tenax"}
    assert "tenax.adapters.sql.records.products" in ours
    assert len(ours) <= MOST
    assert not modules & {"turbohtml", "publicsuffixlist", "alembic", "brotli"}


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_who_only_looks_loads_nothing_that_crawls(data: Path, words: tuple[str, ...]) -> None:
    assert not loaded(data, *words) & CRAWLING


def test_who_crawls_loads_it(data: Path) -> None:
    """Or the names above would prove nothing."""
    loads = "import sys, tenax.compose.crawler as c; print(*sys.modules, sep='\\n')"
    command = [sys.executable, "-c", loads]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    besides = {
        "tenax.adapters.libcurl.http",
        "tenax.adapters.browser",
        "pycurl",
        "curl_cffi",
        "playwright",
    }
    assert set(ended.stdout.splitlines()) >= CRAWLING - besides
