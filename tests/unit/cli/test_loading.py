"""Does a command that only looks load what crawls? By what is in memory when it has ended."""

from __future__ import annotations

import asyncio
import json
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
for name, each in sys.modules.items():
    print(name + "/" * hasattr(each, "__path__"))
"""
_ALL = """
import json, sys
from tenax.cli.commands import run
looks, crawling, told = json.loads(sys.argv[1]), sys.argv[2:], []
for words in looks:
    sys.argv = ["tenax", *words]
    try:
        run()
    except SystemExit:
        pass
    told.append([name for name in crawling if name in sys.modules])
print(json.dumps(told))
"""
CRAWLING = {
    "tenax.compose.crawler",
    "tenax.crawl.run",
    "tenax.crawl.visit",
    "tenax.fetch.fetcher",
    "tenax.page.verdict.wall_patterns",
    "tenax.page.verdict.pattern_table",
    "tenax.page.verdict.validate",
    "tenax.adapters.libcurl.http",
    "tenax.adapters.browser.transport",
    "pycurl",
    "curl_cffi",
    "playwright",
}
"""What asks the web, reads its answers and compares them with walls."""
MOST = 120
"""Modules of ours for `tenax products`, folders not counted: half of the 214 that it took when it
opened all that crawls, and thirteen that came since: the help, and policies and tables of alerts,
retention, timelines, counts, records and cookies."""
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


def loaded(data: Path, *words: str) -> list[str]:
    """What is in memory then; folders end with a slash."""
    command = [sys.executable, "-c", _PROGRAM, *words, "--data", str(data)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=data)
    return ended.stdout.splitlines()


def bare(modules: list[str]) -> set[str]:
    return {name.rstrip("/") for name in modules}


def test_products_loads_half_of_what_it_did(data: Path) -> None:
    modules = loaded(data, "products", "--json")
    ours = [name for name in modules if name.startswith("tenax.") and not name.endswith("/")]
    assert "tenax.adapters.sql.records.products" in ours
    assert len(ours) <= MOST
    assert not bare(modules) & {"turbohtml", "publicsuffixlist", "alembic", "brotli"}


def test_who_only_looks_loads_nothing_that_crawls(data: Path) -> None:
    """One after the other in one process: what is loaded when one has ended, it has loaded, or one
    before it, which is named first."""
    looks = [[*words, "--data", str(data)] for words in LOOKS]
    command = [sys.executable, "-c", _ALL, json.dumps(looks), *sorted(CRAWLING)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=data)
    told = json.loads(ended.stdout.splitlines()[-1])
    assert len(told) == len(LOOKS)
    assert [(words, found) for words, found in zip(LOOKS, told, strict=True) if found] == []


def test_who_crawls_loads_it(data: Path) -> None:
    """Or the names above would prove nothing."""
    loads = "import sys, tenax.compose.crawler as c; print(*sys.modules, sep='\\n')"
    command = [sys.executable, "-c", loads]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    own = {name for name in CRAWLING if name.startswith("tenax.") and ".adapters." not in name}
    assert set(ended.stdout.splitlines()) >= own


def test_the_version_is_told_without_loading_any_command(data: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM, "--version"], capture_output=True, text=True, check=True
    )
    said, *modules = ended.stdout.splitlines()
    assert said.startswith("tenax ")
    assert not [name for name in modules if name.endswith("command")]


def test_no_garbage_is_looked_for_among_what_is_being_loaded(data: Path) -> None:
    """It took an eighth of the time: a hundred and fifty looks, before anything was done."""
    counted = (
        "import atexit, gc\nfrom tenax.cli import main\n"
        "looks = lambda: print(sum(each['collections'] for each in gc.get_stats()))\n"
        "atexit.register(looks)\nlooks()\nmain()"
    )
    command = [sys.executable, "-c", counted, "pages", "--json", "--data", str(data)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    before, *_, after = ended.stdout.split()
    assert int(after) - int(before) < 20
