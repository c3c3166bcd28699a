"""Can somebody who has never seen the console do what one does with it, by mouse and by keys alone?

From the first start to the last dead letter, in one go and in one window. Both times it is the same
walk; only the hand differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tenax.api.console_files import BUILT
from tenax.demo import Reply, SiteRequest, serving
from tenax.demo.shop import ShopSite
from tests.e2e.command import Tenax, until
from tests.e2e.console_world import PASSWORD, WAIT, Watched, flags, serve
from tests.live import absent

pytestmark = pytest.mark.alone
expect.set_options(timeout=WAIT)
AT_FIRST, SLOWLY = 2.0, 15.0
"""Seconds for an answer: some come soon, so that there is something to watch; the others take so
long that the job is not over before the newcomer has paused it, however busy the machine."""
SOON = 10
RESUMED, LEARNED = 0.5, 10
"""Once it was resumed that many answers take so long: workers learn within a second what was
changed, and it is not to be over by then."""


@dataclass
class SaleShop(ShopSite):
    """The demo's shop: two pages of it are broken, it is slow at first, a sale comes later."""

    is_slow: bool = field(default=True, init=False)
    slow_answers: int = field(default=0, init=False)
    resumed_answers: int = field(default=0, init=False)
    is_sale: bool = field(default=False, init=False)

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case ["broken", _]:
                return Reply(b"", status=302, headers=(("Location", request.path),))
            case ["product", _] if self.is_sale and request.path in self._by_path:
                product = self._by_path[request.path]
                whole, point, cents = product.price.partition(".")
                cheaper = replace(product, price=f"{int(whole) // 2}{point}{cents}")
                self.catalogue = tuple(
                    cheaper if each == product else each for each in self.catalogue
                )
                reply = self._product(cheaper)
                reply.modified = ""
                self.catalogue = tuple(
                    product if each == cheaper else each for each in self.catalogue
                )
                return reply
        reply = super().answer(request)
        if request.path == "/":
            links = "".join(f'<a href="/broken/{n}">Part {n}</a>' for n in (1, 2))
            reply.body = reply.body.replace(b"</h1>", f"</h1>{links}".encode())
        elif request.path != "/robots.txt" and self.is_slow:
            reply.delay = AT_FIRST if self.slow_answers < SOON else SLOWLY
            self.slow_answers += 1
        elif not self.is_slow:
            reply.delay = RESUMED if self.resumed_answers < LEARNED and not self.is_sale else 0.0
            self.resumed_answers += 1
            reply.body = reply.body.replace(b"</h1>", b"</h1><a href='/filter/late'>Late</a>")
        return reply


class Mouse:
    """Points at things, and types only where something is to be written."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def push(self, what: Locator) -> None:
        what.click()

    def write(self, where: Locator, text: str, *, is_sent: bool = False) -> None:
        where.fill(text)
        if is_sent:
            where.blur()

    def choose(self, where: Locator, told: str) -> None:
        where.select_option(label=told)

    def go(self, place: str, _: str) -> None:
        self.page.get_by_role("navigation", name="Main", exact=True).get_by_role(
            "link", name=re.compile(rf"^{place}")
        ).click()

    def open_first(self) -> None:
        self.page.locator("main a[data-row]").first.click()

    def find(self, text: str) -> None:
        self.page.get_by_role("button", name="Find anything").click()
        self.page.get_by_role("combobox").fill(text)
        self.page.get_by_role("option").first.click()


class Keys:
    """Goes from one thing to the next by Tab, as everybody without a mouse has to."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def push(self, what: Locator) -> None:
        self._reach(what)
        self.page.keyboard.press("Enter")

    def write(self, where: Locator, text: str, *, is_sent: bool = False) -> None:
        self._reach(where)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        if is_sent:
            self.page.keyboard.press("Enter")
            self.page.keyboard.press("Escape")

    def choose(self, where: Locator, told: str) -> None:
        self._reach(where)
        self.page.keyboard.type(told[:3])
        self.page.keyboard.press("Escape")

    def go(self, place: str, key: str) -> None:
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("g")
        self.page.keyboard.press(key)

    def open_first(self) -> None:
        expect(self.page.locator("main a[data-row]").first).to_be_visible()
        self.page.keyboard.press("j")
        self.page.keyboard.press("Enter")

    def find(self, text: str) -> None:
        self.page.keyboard.press("/")
        expect(self.page.get_by_role("combobox")).to_be_focused()
        self.page.keyboard.insert_text(text)
        expect(self.page.get_by_role("option").first).to_contain_text(text)
        self.page.keyboard.press("Enter")

    def _reach(self, what: Locator) -> None:
        expect(what).to_be_enabled()
        for _ in range(150):
            if what.evaluate("each => each === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not lead to {what}")


@dataclass
class Newcomer:
    hand: Mouse | Keys
    watched: Watched
    shop: SaleShop

    @property
    def page(self) -> Page:
        return self.watched.page

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def pill(self) -> Locator:
        return self.page.locator("header.subject .pill")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    if not (BUILT / "index.html").exists():
        absent("The console was not built: make console")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=chromium, args=flags())
        yield made
        made.close()


@contextmanager
def first_start(folder: Path, browser: Browser) -> Iterator[tuple[Watched, SaleShop, str]]:
    tenax, shop = Tenax(folder), SaleShop()
    try:
        with serving([shop]):
            running = serve(tenax)
            until(lambda: "not shown again" in running.err, "it told the password")
            (address,) = re.findall(r"Serving at (http://\S+)\.", running.err)
            (once,) = re.findall(r"once, with the password (\S+)", running.err)
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            yield Watched(context.new_page(), address), shop, once
            context.close()
    finally:
        tenax.clean_up()


@pytest.mark.parametrize("hand", [Mouse, Keys])
def test_a_newcomer_does_all_that_one_does(
    tmp_path: Path, browser: Browser, hand: type[Mouse] | type[Keys]
) -> None:
    with first_start(tmp_path, browser) as (watched, shop, once):
        newcomer = Newcomer(hand(watched.page), watched, shop)
        logs_in(newcomer, once)
        makes_a_job(newcomer)
        watches_it(newcomer)
        pauses_excludes_and_resumes(newcomer)
        learns_why_a_url_was_refused(newcomer)
        resets_the_host(newcomer)
        finds_a_price_history(newcomer)
        returns_dead_letters(newcomer)
        assert watched.wrong == []


def logs_in(newcomer: Newcomer, once: str) -> None:
    page, hand = newcomer.page, newcomer.hand
    page.goto(newcomer.watched.address)
    hand.write(page.get_by_label("Name"), "admin")
    hand.write(page.get_by_label("Password"), once)
    hand.push(newcomer.button("Log in"))
    hand.write(page.get_by_label("New password"), PASSWORD)
    hand.write(page.get_by_label("The same again"), PASSWORD)
    hand.push(newcomer.button("Choose it"))
    expect(page.get_by_role("heading", name="Nothing has been crawled yet")).to_be_visible()


def makes_a_job(newcomer: Newcomer) -> None:
    """With the preview: what it would take and refuse is told before it starts."""
    page, hand, url = newcomer.page, newcomer.hand, newcomer.shop.url
    hand.push(page.get_by_role("main").get_by_role("link", name="New job"))
    hand.write(page.get_by_label("Seeds, one a line"), url)
    hand.write(page.get_by_label("Name"), "shop")
    hand.write(page.get_by_label("Pages at most"), "80")
    asked = f"{url}cart\n{url}pages/about\nhttp://elsewhere.example/"
    hand.write(page.get_by_label("Ask about more URLs"), asked)
    door = page.get_by_role("region", name="At the door")
    expect(door).to_contain_text("3 of 4 URLs would be taken")
    refused = door.get_by_role("button", name=re.compile("refused: .*elsewhere"))
    hand.push(refused)
    expect(door).to_contain_text("✕ out of scope: refused")
    hand.push(newcomer.button("Create and start"))
    expect(page.get_by_role("heading", name="shop")).to_be_visible()


def watches_it(newcomer: Newcomer) -> None:
    """Figures change by the stream: nothing is asked for meanwhile but now and then."""
    page, watched = newcomer.page, newcomer.watched
    progress = page.get_by_label("Progress").first
    expect(newcomer.pill()).to_have_text("running")
    expect(progress).to_contain_text(re.compile(r"✓ \d+ known = .*[1-9]\d* done"))
    before = watched.asked.count("/api/jobs/shop/progress")
    done = int(progress.inner_text().partition(" done")[0].rpartition(" ")[2])
    for more in (1, 2):
        pattern = "|".join(str(n) for n in range(done + more, done + more + 10))
        expect(progress).to_contain_text(re.compile(rf"\b({pattern}) done"))
    assert watched.asked.count("/api/jobs/shop/progress") - before <= 2
    assert "/api/live?jobs=true" in watched.asked
    rate = page.get_by_role("region", name="Pages a second, and URLs waiting")
    expect(rate).to_contain_text(re.compile(r"waiting \d"))


def pauses_excludes_and_resumes(newcomer: Newcomer) -> None:
    page, hand = newcomer.page, newcomer.hand
    hand.push(newcomer.button("Pause"))
    expect(newcomer.pill()).to_have_text("paused")
    hand.push(page.get_by_role("navigation", name="Of this job").get_by_text("Settings"))
    hand.write(page.get_by_label("Not these"), "*/filter/*")
    hand.push(newcomer.button("Change it"))
    expect(page.get_by_role("status").last).to_contain_text("Changed.")
    newcomer.shop.is_slow = False
    hand.push(newcomer.button("Resume"))
    expect(newcomer.pill()).to_have_text("done")


def learns_why_a_url_was_refused(newcomer: Newcomer) -> None:
    page, hand = newcomer.page, newcomer.hand
    hand.push(page.get_by_role("navigation", name="Of this job").get_by_text("Progress"))
    card = page.get_by_role("region", name="Not taken at the door")
    hand.push(card.get_by_role("button", name=re.compile("^excluded")))
    hand.push(card.get_by_role("link", name=re.compile("filter.late")))
    expect(page.get_by_label("Answer")).to_contain_text("refused at the door: excluded")
    expect(page.get_by_role("main")).to_contain_text("matches exclude */filter/*")
    # And of one that nobody has ever seen.
    hand.find(f"{newcomer.shop.url}cart?add=1")
    expect(page.get_by_label("Answer")).to_contain_text("not known")
    expect(page.get_by_role("main")).to_contain_text("forbidden by line 2")


def resets_the_host(newcomer: Newcomer) -> None:
    page, hand = newcomer.page, newcomer.hand
    hand.go("Hosts", "h")
    expect(page.get_by_role("heading", name="Hosts", exact=True).first).to_be_visible()
    hand.open_first()
    expect(page.get_by_role("region", name="Politeness")).to_be_visible()
    expect(page.get_by_label("Figures")).to_contain_text(re.compile(r"Too early\s*0 of \d+"))
    hand.push(newcomer.button("Reset…"))
    hand.push(page.get_by_role("dialog").get_by_role("button", name="Reset"))
    expect(page.get_by_role("status").last).to_contain_text("Reset: it is asked again.")


def finds_a_price_history(newcomer: Newcomer) -> None:
    """The sale begins, everything is visited again, and what is cheaper now can be found."""
    page, hand = newcomer.page, newcomer.hand
    newcomer.shop.is_sale = True
    hand.go("Jobs", "j")
    hand.open_first()
    hand.push(newcomer.button("Run again"))
    expect(page.get_by_role("status").last).to_contain_text("visited again")
    cheaper = "/api/products?cheaper=true"
    until(lambda: newcomer.watched.call("GET", cheaper)["json"]["items"], "the sale is seen")
    hand.go("Products", "r")
    hand.choose(page.locator("select[name=cheaper]"), "cheaper than at first")
    expect(page).to_have_url(re.compile("cheaper=true"))
    hand.open_first()
    expect(page.get_by_label("Offer")).to_contain_text("cheaper")
    history = page.get_by_role("region", name="Price history")
    hand.push(history.get_by_role("button", name="Table"))
    expect(history.locator("tbody tr")).to_have_count(3)


def returns_dead_letters(newcomer: Newcomer) -> None:
    page, hand = newcomer.page, newcomer.hand
    hand.go("Dead letters", "d")
    faults = page.get_by_role("navigation", name="Faults")
    hand.push(faults.get_by_role("link", name=re.compile("too many redirects")))
    expect(page).to_have_url(re.compile("fault=too_many_redirects"))
    hand.push(newcomer.button("Return all of this filter…"))
    hand.push(page.get_by_role("dialog").get_by_role("button", name="Return 2"))
    expect(page.get_by_role("status").last).to_contain_text("2 letters returned.")
