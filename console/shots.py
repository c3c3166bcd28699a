"""Takes a picture of every page, in both sizes and themes: `python -m console.shots FOLDER`.

The demo's sites are crawled while a browser looks on; with `--address` and `--password` it looks at
a server that is there already. It fails when a page says something is wrong, or is too wide.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tenax.adapters.browser.chromium import find, missing

PASSWORD = "correct horse battery staple"
WAIT = 120_000
Theme = Literal["light", "dark"]
SIZES: dict[str, ViewportSize] = {
    "desk": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
THEMES: tuple[Theme, ...] = ("light", "dark")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--address", help="a server that is there already")
    parser.add_argument("--password", default=PASSWORD, help="of its admin")
    parser.add_argument("--only", default="", help="pages whose name has this in it")
    parser.add_argument("--whole", action="store_true", help="down to the foot of each page")
    parser.add_argument("--seconds", type=int, default=40, help="to let the demo go on before")
    args = parser.parse_args()
    chromium = find()
    if chromium is None:
        print(missing(), file=sys.stderr)
        return 1
    args.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        if args.address:
            wrong = take(browser, args.address, args.password, args)
        else:
            with demo() as (address, once):
                time.sleep(args.seconds)
                wrong = take(browser, address, once, args)
        browser.close()
    print("\n".join(wrong) or "Nothing is wrong.")
    return len(wrong) > 0


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """Its address, and the password that is good once."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tenax.cli", "demo", "--console", "--data", folder]
        said = Path(folder, "said")
        with said.open("w") as out, subprocess.Popen(command, stderr=out) as process:
            try:
                told = None
                while told is None:
                    time.sleep(0.2)
                    pattern = r"Serving at (\S+)\..*with the password (\S+)"
                    told = re.search(pattern, said.read_text(), re.S)
                yield told[1], told[2]
            finally:
                process.terminate()


def take(browser: Browser, address: str, password: str, args: argparse.Namespace) -> list[str]:
    """All pictures; what was wrong on the way."""
    wrong: list[str] = []
    first = browser.new_page()
    first.set_default_timeout(WAIT)
    log_in(first, address, password)
    pages = {name: at for name, at in addresses(first, address).items() if args.only in name}
    for size in SIZES:
        for theme in THEMES:
            context = browser.new_context(
                viewport=SIZES[size],
                color_scheme=theme,
                storage_state=first.context.storage_state(),
            )
            page = context.new_page()
            page.set_default_timeout(WAIT)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            for name, at in pages.items():
                page.goto(address + at)
                settled(page)
                width = page.evaluate("document.documentElement.scrollWidth")
                if width > SIZES[size]["width"]:
                    wrong.append(f"{name}: {width} wide on a {size}")
                picture = args.folder / f"{name}-{size}-{theme}.png"
                page.screenshot(path=picture, full_page=args.whole)
            for name, look in SHEETS.items():
                if args.only in name:
                    page.goto(address)
                    settled(page)
                    look(page, size)
                    page.wait_for_timeout(700)
                    page.screenshot(path=args.folder / f"{name}-{size}-{theme}.png")
                    page.keyboard.press("Escape")
            context.clear_cookies()
            page.goto(f"{address}/login")
            page.get_by_role("heading", name="Log in").wait_for()
            page.wait_for_timeout(300)
            page.screenshot(path=args.folder / f"login-{size}-{theme}.png")
            context.close()
    return wrong


def find_anything(page: Page, size: str) -> None:
    page.keyboard.press("/")
    page.get_by_role("combobox").fill("tent")


def more(page: Page, size: str) -> None:
    """What is behind the last tab of a phone, and the keys of a desk."""
    if size == "phone":
        page.get_by_role("button", name="More", exact=True).click()
    else:
        page.keyboard.press("?")


SHEETS = {"sheet-find": find_anything, "sheet-more": more}


def log_in(page: Page, address: str, password: str) -> None:
    page.goto(address)
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    if password != PASSWORD:
        page.get_by_label("New password").fill(PASSWORD)
        page.get_by_label("The same again").fill(PASSWORD)
        page.get_by_role("button", name="Choose it").click()
    page.get_by_role("heading", name="Overview").wait_for()


def addresses(page: Page, address: str) -> dict[str, str]:
    """Every page under a name; those of one thing with one that is worth looking at."""

    def first(path: str, *fields: str) -> str:
        found = page.request.get(address + path).json()["items"]
        if not found:
            return "nobody"
        for field in (0, *fields):
            found = found[field]
        return quote(str(found), safe="")

    host = first("/api/domains?sort=known&limit=1", "host", "name")
    blocked = first("/api/frontier/urls?state=blocked&limit=1", "url")
    done = first("/api/frontier/urls?state=done&limit=1", "url")
    stored = first("/api/pages?limit=1", "url_hash")
    product = first("/api/products?limit=1", "id")
    return {
        "overview": "/",
        "jobs": "/jobs",
        "job-new": f"/jobs/new?seed={done}",
        "job": "/jobs/demo",
        **{f"job-{t}": f"/jobs/demo?tab={t}"
           for t in ("urls", "pages", "products", "traps", "settings")},
        "frontier": "/frontier",
        "url-ask": "/url",
        "url": f"/url?u={done}",
        "url-blocked": f"/url?u={blocked}",
        "url-never": "/url?u=https%3A%2F%2Fnever.example%2F",
        "hosts": "/hosts",
        "host": f"/hosts/{host}",
        "pages": "/pages",
        "pages-search": "/pages?q=tent",
        "page": f"/pages/{stored}",
        "records": "/records",
        "products": "/products",
        "product": f"/products/{product}",
        "dead": "/dead",
        "alerts": "/alerts",
        "workers": "/workers",
        "proxies": "/proxies",
        "sites": "/sites",
        "settings": "/settings",
        **{f"settings-{t}": f"/settings?tab={t}" for t in ("users", "keys", "acts")},
        "nowhere": "/jobs/nobody",
    }  # fmt: skip


def settled(page: Page) -> None:
    page.locator(".same code").first.wait_for()
    page.locator(".skeleton").first.wait_for(state="detached")
    page.wait_for_timeout(700)


if __name__ == "__main__":
    sys.exit(main())
