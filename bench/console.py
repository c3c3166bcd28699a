"""How soon can somebody use the console, at a desk and on a slow phone, and what does it weigh?

    python -m bench.console [--pages 400] [--runs 5]

A browser that has seen nothing of it opens the overview of a ledger with some pages. It is usable
when figures, chart, rows of visits and the frontier are there. The phone is slow as those of web
performance reports are: 150 ms, 1.6 Mbit/s, a fourth of this processor.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, Popen, run
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

from bench.report import Table
from services.ports import free_ports
from tenax.adapters.browser.chromium import find, missing
from tenax.demo import TreeSite, serving

_PASSWORD = "correct horse battery staple"
_SETTINGS = {"TENAX_ALLOW_PRIVATE": "127.0.0.1/32", "TENAX_PACE__DELAY": "0"}
_DESK, _PHONE = (1440, 900), (390, 844)
_SLOW = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 93_750,
}
_WATCH = """addEventListener("DOMContentLoaded", () => {
    const all = () => /[1-9]/.test(document.querySelector(".tile:nth-child(3) dd")?.textContent)
        && document.querySelector(".plot canvas") && document.querySelector("table tbody tr")
        && /adds up/.test(document.querySelector(".sum")?.textContent);
    const look = () => {
        if (all()) window.usableAt = performance.now(); else requestAnimationFrame(look);
    };
    look();
});"""
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_LOADED = """["resource", "navigation"].flatMap(kind => performance.getEntriesByType(kind))
    .filter(each => !each.name.includes("/api/"))
    .map(each => [each.name, each.encodedBodySize])"""


class Seen(NamedTuple):
    painted: float
    usable: float
    """Milliseconds."""
    whole: int
    script: int
    """Bytes on the wire, of files."""
    files: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    chromium = find()
    if chromium is None:
        sys.exit(missing())
    with (
        tempfile.TemporaryDirectory() as folder,
        _server(Path(folder), args.pages) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        session = _session(browser, address)
        desk = [_open(browser, address, session, is_slow=False) for _ in range(args.runs)]
        phone = [_open(browser, address, session, is_slow=True) for _ in range(args.runs)]
        browser.close()
    print(_table(desk, phone).markdown())


@contextmanager
def _server(folder: Path, pages: int) -> Iterator[str]:
    (port,) = free_ports(1)
    tenax, data = (sys.executable, "-m", "tenax.cli"), ("--data", str(folder))
    environment = os.environ | _SETTINGS
    site = TreeSite(pages=pages)
    with serving([site]):
        crawl = (*tenax, "crawl", site.url, *data)
        run(crawl, env=environment, stdout=DEVNULL, stderr=DEVNULL, check=True)
    add = (*tenax, "user", "add", "admin", "--role", "admin", "--password-stdin", *data)
    run(add, env=environment, input=_PASSWORD, text=True, stdout=DEVNULL, check=True)
    command = (*tenax, "serve", "--port", str(port), *data)
    serve = Popen(command, env=environment, stdout=DEVNULL, stderr=DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        while not _answers(address):
            time.sleep(0.2)
        yield address
    finally:
        serve.terminate()
        serve.wait()


def _answers(address: str) -> bool:
    try:
        with urlopen(f"{address}/health", timeout=5):
            return True
    except (URLError, OSError):
        return False


def _session(browser: Browser, address: str) -> object:
    page = browser.new_page()
    page.goto(address)
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill(_PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Overview").wait_for()
    state = page.context.storage_state()
    page.context.close()
    return state


def _open(browser: Browser, address: str, session: object, *, is_slow: bool) -> Seen:
    width, height = _PHONE if is_slow else _DESK
    context = browser.new_context(
        viewport={"width": width, "height": height},
        storage_state=session,  # type: ignore[arg-type]  # as it was told
    )
    page = context.new_page()
    page.set_default_timeout(120_000)
    if is_slow:
        _slow_down(page)
    page.add_init_script(_WATCH)
    page.goto(address)
    page.locator("table tbody tr").first.wait_for()
    usable = 0.0
    while not usable:
        page.wait_for_timeout(50)
        usable = page.evaluate("window.usableAt ?? 0")
    files: list[tuple[str, int]] = page.evaluate(_LOADED)
    painted = page.evaluate(_PAINTED)
    context.close()
    script = sum(size for name, size in files if name.endswith(".js"))
    return Seen(painted, usable, sum(size for _, size in files), script, len(files))


def _slow_down(page: Page) -> None:
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", _SLOW)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})


def _table(desk: list[Seen], phone: list[Seen]) -> Table:
    def middle(name: str, seen: list[Seen]) -> float:
        return statistics.median(getattr(each, name) for each in seen)

    rows = [
        [
            told,
            f"{middle(name, desk) / per:,.{places}f}",
            f"{middle(name, phone) / per:,.{places}f}",
        ]
        for told, name, per, places in (
            ("first paint, s", "painted", 1000, 2),
            ("usable, s", "usable", 1000, 2),
            ("first load, kB", "whole", 1000, 1),
            ("of it script, kB", "script", 1000, 1),
            ("files", "files", 1, 0),
        )
    ]
    title = f"the console, median of {len(desk)} first visits each"
    return Table("console", title, ["", "desk", "slow phone"], rows, [])


if __name__ == "__main__":
    main()
