"""Makes the pictures of the documentation: `.venv/bin/python docs/pictures/make.py`.

The demo's sites are crawled while a browser looks on; what it sees is what is kept. Of a terminal
it sees what commands have really printed; `terminal` as an argument makes that one alone. Pictures
of a running thing never come out the same twice: make them anew when it looks different.
"""

from __future__ import annotations

import html
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tenax.adapters.browser.chromium import find, missing
from tenax.demo import serving
from tenax.demo.shop import ShopSite

HERE = Path(__file__).parent
PASSWORD = "correct horse battery staple"
WAIT = 120_000
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 780}


def main() -> int:
    chromium = find()
    if chromium is None:
        print(missing(), file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take_terminal(browser)
        browser.close()
    if sys.argv[1:] == ["terminal"]:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        demo = [sys.executable, "-m", "tenax.cli", "demo", "--console", "--data", folder]
        said = Path(folder, "said")
        with said.open("w") as out, subprocess.Popen(demo, stderr=out) as process:
            try:
                address, once = begun(said)
                with sync_playwright() as playwright:
                    flags = ["--no-sandbox"]
                    browser = playwright.chromium.launch(executable_path=chromium, args=flags)
                    take(browser, address, once)
                    browser.close()
            finally:
                process.terminate()
    return 0


def begun(said: Path) -> tuple[str, str]:
    """Its address, and the password that is good once."""
    for _ in range(600):
        told = re.search(r"Serving at (\S+)\..*with the password (\S+)", said.read_text(), re.S)
        if told:
            return told[1], told[2]
        time.sleep(0.2)
    raise TimeoutError(said.read_text())


def take(browser: Browser, address: str, once: str) -> None:
    page = opened(browser, "light")
    log_in(page, address, once)
    page.wait_for_timeout(40_000)  # some of the crawl has to be in the chart
    shot(page, "console-overview-light")
    page.goto(f"{address}/jobs/demo")
    settled(page)
    shot(page, "console-job-light")
    state = page.context.storage_state()
    dark = opened(browser, "dark", state=state)
    dark.goto(f"{address}/jobs/demo?tab=urls&state=blocked")
    dark.locator("a[data-row]").first.click()
    settled(dark)
    shot(dark, "console-why-dark")
    phone = opened(browser, "light", PHONE, state)
    phone.goto(address)
    settled(phone)
    shot(phone, "console-phone-light")


TERMINAL = """<body style="margin:0"><pre style="margin:0;padding:20px 24px;display:inline-block;
font:15px/1.5 'DejaVu Sans Mono',monospace;background:#16181d;color:#d7dae0">%s</pre>"""


def take_terminal(browser: Browser) -> None:
    with serving([ShopSite()]) as web, tempfile.TemporaryDirectory() as folder:
        seed = web.seeds[0]
        typed = (
            f"tenax crawl {seed} --max-pages 40 --delay 0 --quiet",
            "tenax pages --limit 4",
            f"tenax why {seed}cart",
        )
        told = "\n\n".join(terminal(line, Path(folder)) for line in typed)
    page = browser.new_page(device_scale_factor=1.25)
    page.set_content(TERMINAL % told)
    page.locator("pre").screenshot(path=HERE / "terminal.png")
    print("terminal.png")


def terminal(line: str, folder: Path) -> str:
    """A command and what it printed, as HTML."""
    command = [sys.executable, "-m", "tenax.cli", *shlex.split(line)[1:]]
    ran = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={"TENAX_ALLOW_PRIVATE": "127.0.0.1", "COLUMNS": "100", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    said = html.escape(ran.stdout.strip())
    return f'<b style="color:#8fd18f">$ {html.escape(line)}</b>\n{said}'


def opened(browser: Browser, theme: str, view: dict[str, int] = DESK, state: object = None) -> Page:
    context = browser.new_context(
        viewport=view, color_scheme=theme, storage_state=state, device_scale_factor=1.5
    )
    page = context.new_page()
    page.set_default_timeout(WAIT)
    return page


def log_in(page: Page, address: str, once: str) -> None:
    page.goto(address)
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill(once)
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_label("The same again").fill(PASSWORD)
    page.get_by_role("button", name="Choose it").click()
    page.get_by_role("heading", name="Overview").wait_for()


def settled(page: Page) -> None:
    page.locator(".same code").first.wait_for()
    page.locator(".skeleton").first.wait_for(state="detached")
    page.wait_for_timeout(1_500)


def shot(page: Page, name: str) -> None:
    page.screenshot(path=HERE / f"{name}.png")
    print(f"{name}.png")


if __name__ == "__main__":
    sys.exit(main())
