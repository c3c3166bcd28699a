"""Does the console show what it should, to whom it should, and do nothing that strangers wrote?

One server, one ledger and one Chromium for all of them; see `console_world`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Error, Locator, Page, Route, expect

from tenax.api.console_files import BUILT, POLICY
from tests.e2e.console_world import (
    DESK,
    JOB,
    PASSWORD,
    PHONE,
    WAIT,
    ConsoleWorld,
    Watched,
    console_world,
)
from tests.e2e.looks import Looks
from tests.live import absent

pytestmark = pytest.mark.alone
expect.set_options(timeout=WAIT)

ROOT = Path(__file__).parents[2]
AXE = ROOT / "console/node_modules/axe-core/axe.min.js"
SERIOUS = """axe.run(document, { resultTypes: ["violations"], selectors: false, preload: false })
    .then(found => found.violations
        .filter(each => ["serious", "critical"].includes(each.impact))
        .map(each => each.id + ": " + each.nodes.slice(0, 3).map(node => node.html).join(" ")))"""
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
AWAY = {"type": "about:blank", "title": "Service Unavailable", "status": 503,
        "detail": "The ledger is away."}  # fmt: skip
LIVE = "/api/live?jobs=true"
TABS = ("urls", "pages", "products", "traps", "settings")


EMPTY = {
    "/": ("Nothing has been visited yet.", "None: every host may be asked."),
    "/jobs": ("No job yet. Create one", "tenax crawl URL"),
    "/jobs/:name": (
        "Nothing was refused so far.",
        "Nothing waits.",
        "Nothing so far.",
        "Nothing: it does not run.",
    ),
    "/frontier": ("No URL is like that.",),
    "/hosts": ("No host is like that.",),
    "/hosts/:name": (
        "None of its URLs has been visited so far.",
        "It was not visited yet.",
        "Nothing was asked in the last ten minutes.",
        "none that are turned",
    ),
    "/pages": ("Nothing is stored that is like that.",),
    "/pages/:hash": ("Nothing was said about its use.", "No other page is."),
    "/products": ("No product is like that.",),
    "/products/:id": ("No price has been seen yet.",),
    "/records": ("No record is like that.", "No handler has been asked lately."),
    "/dead": ("No dead letters. URLs that were given up would be here.",),
    "/alerts": ("Nothing is wrong.",),
    "/workers": ("Nobody works. Start one: tenax worker",),
    "/proxies": ("None: every request goes out directly.",),
    "/sites": ("None: every host is treated alike.",),
}
"""What blocks say while there is nothing to show, by the pattern of their page."""


def emptied(told: object) -> object:
    """The same answer of a ledger that has nothing of it."""
    if isinstance(told, dict):
        counts = {"faults", "not_taken"}
        return {
            name: {} if name in counts else None if name == "next" else emptied(each)
            for name, each in told.items()
        }
    return [] if isinstance(told, list) else told


class Away:
    """The API, as long as it knows who asks and nothing else; and when it has nothing to tell."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.is_back = False

    def begin(self) -> None:
        self.is_back = False
        self._page.route(re.compile(r"/api/(?!auth/|live)"), self._answer)

    def end(self) -> None:
        self._page.unroute_all()

    def _answer(self, route: Route) -> None:
        if not self.is_back:
            route.fulfill(status=503, content_type="application/problem+json", json=AWAY)
            return
        answer = route.fetch()
        # Somebody who has no job sees no overview.
        is_kept = "/api/jobs?" in route.request.url and urlsplit(self._page.url).path == "/"
        route.fulfill(response=answer, json=answer.json() if is_kept else emptied(answer.json()))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[ConsoleWorld]:
    if not (BUILT / "index.html").exists() or not AXE.exists():
        absent("The console was not built: make console")
    with console_world(tmp_path_factory.mktemp("console"), chromium) as made:
        yield made


def addresses(world: ConsoleWorld) -> dict[str, list[str]]:
    """Every page, by the pattern of its route, with what is worth looking at."""
    job = f"/jobs/{quote(JOB, safe='')}"
    front = world.hostile
    site, host = quote(front, safe=""), front.split("/")[2]
    return {
        "/": ["/", "/?range=1h"],
        "/login": ["/login"],
        "/jobs": ["/jobs", "/jobs?state=paused"],
        "/jobs/new": [f"/jobs/new?seed={quote(world.hostile, safe='')}"],
        "/jobs/:name": [
            job, *(f"{job}?tab={tab}" for tab in TABS),
            "/jobs/shop?tab=products", "/jobs/nobody",
        ],
        "/url": [
            "/url", f"/url?u={site}page%2F5", f"/url?u={site}secret%2F1",
            "/url?u=https%3A%2F%2Fnever.example%2F%3Cb%3E", "/url?u=javascript%3Aalert(1)",
        ],
        "/frontier": ["/frontier", "/frontier?state=blocked"],
        "/hosts": ["/hosts", "/hosts?standing=trouble"],
        "/hosts/:name": [f"/hosts/{quote(host, safe='')}"],
        "/pages": ["/pages", "/pages?q=words"],
        "/pages/:hash": [f"/pages/{sha256(front.encode()).hexdigest()}"],
        "/products": ["/products"],
        "/products/:id": ["/products/1"],
        "/records": ["/records", "/records?name=nobody"],
        "/records/:id": ["/records/1"],
        "/dead": ["/dead"],
        "/alerts": ["/alerts", "/alerts?all=true"],
        "/workers": ["/workers"],
        "/proxies": ["/proxies"],
        "/sites": ["/sites"],
        "/settings": ["/settings"],
    }  # fmt: skip


def test_every_route_is_looked_at(world: ConsoleWorld) -> None:
    routes = (ROOT / "console/src/routes.ts").read_text()
    assert set(addresses(world)) == set(re.findall(r'^ *\["([^"]+)"', routes, re.M))


LOOKS = (("desk", DESK, "light"), ("desk", DESK, "dark"), ("phone", PHONE, "dark"),
         ("phone", PHONE, "light"))  # fmt: skip
"""One after the other, without loading anything again."""


@pytest.mark.parametrize("role", ["admin", "reader"])
def test_every_page_is_quiet_fits_and_can_be_used_by_all(world: ConsoleWorld, role: str) -> None:
    """No dialog, no error, no violation of the policy, no request elsewhere, nothing wider than the
    window, no serious finding of axe; at its foot what tells the same in a terminal; and it looks
    as it did when somebody last looked, at both sizes and in both themes."""
    found: dict[str, list[str]] = {}
    looks = Looks(world.browser)
    with world.page(role) as watched:
        page = watched.page
        all_of_them = addresses(world).items()
        for named, path in [(f"{at} {n}", p) for at, ps in all_of_them for n, p in enumerate(ps)]:
            watched.wrong.clear()
            watched.go(path)
            if path != "/login":
                page.locator(".same code").first.wait_for()
            watched.settle()
            wrong = found[path] = []
            for size, view, theme in LOOKS if role == "admin" else LOOKS[::2]:
                page.set_viewport_size(view)  # type: ignore[arg-type]  # two numbers
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
                # Charts are drawn anew for another theme, in the next frame.
                page.evaluate(FRAMES)
                if watched.width > view["width"]:
                    wrong.append(f"{size}: {watched.width} wide")
                if role == "admin":
                    wrong += looks.differs(page, f"{named} {size} {theme}")
                if theme == ("light" if size == "desk" else "dark"):
                    if not page.evaluate("'axe' in window"):
                        page.evaluate(AXE.read_text())
                    wrong += page.evaluate(SERIOUS)
                if path == "/dead" and role == "admin":
                    expect(page.get_by_label("Select this one").first, size).to_be_visible()
                if path == "/" and role == "admin":
                    wrong += sheets(watched, looks, f"{size} {theme}")
            wrong += [
                each for each in watched.wrong
                if path != "/jobs/nobody" or "404 (Not Found)" not in each
            ]  # fmt: skip
            page.set_viewport_size(DESK)  # type: ignore[arg-type]  # two numbers
    looks.close()
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def sheets(watched: Watched, looks: Looks, shown: str) -> list[str]:
    """What lies above pages: to find anything, and on a phone all places; none wider than it."""
    page, wrong = watched.page, []
    for name in ("Find anything", "More") if shown.startswith("phone") else ("Find anything",):
        button = "Find" if shown.startswith("phone") and name != "More" else name
        page.get_by_role("button", name=button, exact=True).last.click()
        dialog = page.get_by_role("dialog", name=name)
        dialog.wait_for()
        wrong += looks.differs(page, f"sheet {name} {shown}")
        wrong += page.evaluate(SERIOUS) if "light" in shown else []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    return wrong


def test_what_strangers_wrote_is_shown_and_not_obeyed(world: ConsoleWorld) -> None:
    with world.page("admin") as watched:
        page = watched.go(f"/jobs/{quote(JOB, safe='')}?tab=pages")
        rows = page.get_by_role("table", name="Pages of this job")
        expect(rows).to_contain_text("<script>alert(1)</script>")
        expect(rows).to_contain_text("⟨202e⟩gnp.exe⟨202c⟩ reversed ⟨2066⟩isolated⟨2069⟩")
        expect(rows).to_contain_text("zero⟨200b⟩width")
        assert page.title().startswith('prices"><img src=x onerror=alert(1)>⟨202e⟩gnp.exe')
        assert page.locator("main img, main script, main svg[onload]").count() == 0
        crawled = page.evaluate(
            """() => [...document.querySelectorAll("[href], [src], [action]")].map(each =>
                each.getAttribute("href") ?? each.getAttribute("src") ?? each.action)
                .filter(at => !/^\\/(?!\\/)/.test(at) && at !== "#main")"""
        )
        assert crawled == []
        assert watched.wrong == []


def test_the_browser_makes_no_html_of_any_text(world: ConsoleWorld) -> None:
    with world.page("admin") as watched:
        page = watched.page
        answer = page.goto(world.address + "/jobs")
        assert answer is not None
        assert answer.headers["content-security-policy"] == POLICY
        with pytest.raises(Error, match="TrustedHTML"):
            page.evaluate("document.body.innerHTML = '<b>x</b>'")


def test_the_first_load_is_small(world: ConsoleWorld) -> None:
    sizes: dict[str, int] = {}
    with world.page("admin") as watched:
        watched.go("/")
        watched.settle()
        for path in {path for path in watched.asked if path.startswith("/assets/")} | {"/"}:
            file = BUILT / path.lstrip("/") if path != "/" else BUILT / "index.html"
            packed = file.with_name(f"{file.name}.br")
            sizes[path] = (packed if packed.exists() else file).stat().st_size
    assert sum(size for path, size in sizes.items() if path.endswith(".js")) <= 60_000
    assert sum(sizes.values()) <= 120_000


def test_open_opened_the_console(world: ConsoleWorld) -> None:
    assert world.opened == world.address


# -- Who sees what


def test_nobody_sees_anything_but_figures_until_they_log_in(world: ConsoleWorld) -> None:
    with world.page() as watched:
        page = watched.go("/jobs")
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        expect(page.get_by_text("Stored")).to_be_visible()
        assert not [each for each in watched.asked if each.startswith("/api/jobs")]
        page.get_by_label("Name").fill("reader")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        # Where they wanted to be in the first place.
        expect(page.get_by_role("heading", name="Jobs")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def test_a_reader_sees_everything_and_no_act(world: ConsoleWorld) -> None:
    with world.page("reader") as watched:
        page = watched.go("/jobs/shop")
        expect(page.get_by_label("Progress")).to_contain_text("known =")
        for name in ("Pause", "Start", "Run again", "Delete…", "Change it"):
            assert page.get_by_role("button", name=name).count() == 0
        page = watched.go("/jobs/new")
        expect(page.get_by_role("main")).to_contain_text("created by admins")
        page = watched.go(f"/url?u={quote(world.hostile, safe='')}")
        expect(page.get_by_label("Answer")).to_contain_text("Fetched and stored")
        assert page.get_by_role("button", name="Try now").count() == 0
        assert watched.wrong == []


def test_a_session_that_ends_in_mid_work_costs_nothing(world: ConsoleWorld) -> None:
    with world.page() as watched:
        watched.log_in("admin")
        page = watched.page
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        watched.go("/jobs/new")
        page.get_by_label("Seeds, one a line").fill(world.hostile)
        page.get_by_label("Name").fill("expired")
        assert watched.call("POST", "/api/auth/logout")["status"] == 200
        page.get_by_role("button", name="Create", exact=True).click()
        dialog = page.get_by_role("dialog", name="Log in again")
        expect(dialog).to_be_visible()
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="expired")).to_be_visible()
        page.get_by_role("button", name="Delete…").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("heading", name="Jobs")).to_be_visible()


def test_an_admin_lets_others_in_and_sees_what_they_did(world: ConsoleWorld) -> None:
    with world.page("admin") as watched:
        page = watched.go("/settings")
        # Its server was told some by the environment, some by a file.
        expect(page.get_by_role("region", name="pace")).to_contain_text(
            re.compile("0.01environment")
        )
        expect(page.get_by_role("region", name="alerting")).to_contain_text("tenax.toml")
        page = watched.go("/settings?tab=users")
        page.get_by_label("Name").fill("guest")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Add").click()
        users = page.get_by_role("table", name="Users")
        expect(users).to_contain_text("guest")
        page = watched.go("/settings?tab=keys")
        page.get_by_label("Name").fill("program")
        page.get_by_role("button", name="Make").click()
        dialog = page.get_by_role("dialog", name="The key")
        key = dialog.locator("code").last.inner_text()
        dialog.get_by_role("button", name="I have it").click()
        expect(page.get_by_role("table", name="Keys")).to_contain_text("program")
        expect(page.get_by_role("main")).not_to_contain_text(key)
        page.get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(page.get_by_role("main")).to_contain_text("No program has a key.")
        page = watched.go("/settings?tab=acts")
        acts = page.get_by_role("table", name="Acts")
        expect(acts).to_contain_text("DELETE /api/keys/program")
        expect(acts).to_contain_text("POST /api/users")
        page = watched.go("/settings?tab=users")
        page.get_by_role("row", name=re.compile("guest")).get_by_role("button").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(users).not_to_contain_text("guest")
        assert watched.wrong == []
    with world.page("reader") as watched:
        page = watched.go("/settings?tab=users")
        expect(page.get_by_role("alert")).to_contain_text("You may not see this.")


# -- What a block says while it has nothing to show


def test_every_page_tells_what_went_wrong_and_asks_again(world: ConsoleWorld) -> None:
    """Whatever the API answers: its words, the request, a way to try again; no page is blank. And
    when it is back and has nothing to tell, what would be here."""
    with world.page("admin") as watched:
        page, down = watched.page, Away(watched.page)
        for pattern, paths in addresses(world).items():
            path = next((each for each in paths if each not in ("/login", "/url")), "")
            if not path or path.startswith("/jobs/new"):
                continue
            down.begin()
            watched.go(path)
            told = page.get_by_role("main").get_by_role("alert")
            expect(told.first, path).to_contain_text("The ledger is away.")
            expect(told.first, path).to_contain_text("answered 503")
            watched.settle()
            down.is_back = True
            while told.count():
                # Some are asked again by what another one found, or by themselves.
                with suppress(Error):
                    told.first.get_by_role("button", name="Try again").click(timeout=2_000)
                watched.settle()
            for sentence in EMPTY.get(pattern, ()):
                expect(page.get_by_role("main"), path).to_contain_text(sentence)
            down.end()
        assert [each for each in watched.wrong if "503" not in each] == []


def test_what_was_there_stays_with_its_age_when_the_next_answer_fails(world: ConsoleWorld) -> None:
    with world.page("admin") as watched:
        page, down = watched.page, Away(watched.page)
        page.clock.install()
        # What the stream tells nothing of: of other answers it says that they are the same.
        watched.go(f"/hosts/{urlsplit(world.web.sites['shop'].url).netloc}")
        wrong = page.get_by_role("region", name="What its URLs bring")
        expect(wrong.locator("li").first).to_be_visible()
        down.begin()
        page.clock.fast_forward(31_000)
        expect(wrong).to_contain_text(re.compile(r"as of .*: The ledger is away\."))
        expect(wrong.locator(".stale li").first).to_be_visible()
        down.end()
        wrong.get_by_role("button", name="Try again").click()
        expect(wrong.locator(".fresh li").first).to_be_visible()


def test_what_takes_long_has_its_place_kept(world: ConsoleWorld) -> None:
    held: list[Route] = []
    with world.page("reader") as watched:
        page = watched.page
        page.route("**/api/jobs/shop/failures*", lambda route: held.append(route))
        watched.go("/jobs/shop")
        card = page.get_by_role("region", name="What went wrong")
        expect(card.locator(".skeleton")).to_be_visible()
        while not held:
            page.wait_for_timeout(20)
        held[0].continue_()
        expect(card.locator("li").first).to_be_visible()
        assert card.locator(".skeleton").count() == 0


FILTERED = {"/frontier": 5, "/hosts": 2, "/pages": 5, "/products": 10, "/dead": 3, "/records": 4}
"""How many filters that are typed or chosen each page has, at least."""
TYPED = {"number": "5", "date": "2026-01-02"}


def test_every_filter_is_in_the_address_and_holds_when_it_is_opened(world: ConsoleWorld) -> None:
    with world.page("reader") as watched:
        page = watched.page
        for path, least in FILTERED.items():
            watched.go(path)
            names = page.locator("search.filters [name]").evaluate_all(
                "fields => fields.map(each => [each.name, each.type])"
            )
            assert len(names) >= least, path
            for name, kind in names:
                watched.go(path)
                field = page.locator(f"search.filters [name={name}]")
                if kind == "select-one":
                    field.select_option(index=1)
                else:
                    field.fill(TYPED.get(kind, "shop"))
                    field.blur()
                value = field.input_value()
                expect(page, name).to_have_url(re.compile(rf"[?&]{name}={value}(&|$)"))
                watched.asked.clear()
                page.reload()
                expect(field, name).to_have_value(value)
                watched.settle()
                said = [each for each in watched.asked if each.startswith("/api/")]
                assert [each for each in said if f"{name}={value}" in each], (path, name, said)
        assert watched.wrong == []


# -- What is live


def test_twelve_windows_hold_one_connection_and_say_the_same(world: ConsoleWorld) -> None:
    with world.context("admin") as context:
        windows = [Watched(context.new_page(), world.address) for _ in range(12)]
        for each in windows:
            each.go("/")
            expect(each.page.locator(".live")).to_have_attribute("data-on", "true")
        streams = [path for each in windows for path in each.asked if path == LIVE]
        assert len(streams) == 1
        figures = {
            each.page.locator(".card[aria-label=Frontier] .hint").inner_text() for each in windows
        }
        assert len(figures) == 1
        # Whoever held it goes: another takes it over.
        first = next(each for each in windows if LIVE in each.asked)
        first.page.close()
        left = [each for each in windows if each is not first]
        left[0].page.wait_for_timeout(500)
        assert sum(each.asked.count(LIVE) for each in left) == 1
        expect(left[-1].page.locator(".live")).to_have_attribute("data-on", "true")


def test_a_lost_stream_is_told_and_comes_back_by_itself(world: ConsoleWorld) -> None:
    with world.page("admin") as watched:
        page = watched.go("/")
        live = page.locator(".live")
        expect(live).to_have_attribute("data-on", "true")
        world.restart()
        expect(live).to_have_text("live")
        expect(live).to_have_attribute("data-on", "true")
        # What was asked meanwhile may have failed; nothing else did.
        assert [each for each in watched.wrong if "ERR_" not in each] == []


@contextmanager
def a_waiting_job(world: ConsoleWorld, watched: Watched) -> Iterator[None]:
    """One that runs for as long as we like: `later`, whose only host is paused."""
    shop = world.web.sites["shop"].url
    pause = f"/api/admin/domains/{urlsplit(shop).netloc}"
    watched.go("/jobs")
    watched.call("POST", f"{pause}/pause")
    wanted = {"name": "later", "seeds": [f"{shop}never-seen"], "start": True}
    watched.call("POST", "/api/jobs", wanted)
    try:
        yield
    finally:
        watched.call("DELETE", "/api/jobs/later")
        watched.call("POST", f"{pause}/resume")


def test_an_open_page_asks_for_no_more_than_what_has_changed(world: ConsoleWorld) -> None:
    """The bench's listeners ask the same (`bench/live_listeners.py`): keep them in step."""
    told = {
        "/": "/api/domains?trouble=true&limit=20",
        "/jobs/later": "/api/jobs/later/failures?limit=12",
    }
    hostile = f"/api/admin/domains/{urlsplit(world.hostile).netloc}"
    with world.page("admin") as watched:
        page = watched.page
        page.clock.install()
        with a_waiting_job(world, watched):
            for path, asked in told.items():
                watched.asked.clear()
                watched.go(path)
                expect(page.get_by_role("main")).to_contain_text(re.compile("127.*paused"))
                watched.settle()
                page.wait_for_timeout(2_500)
                assert watched.asked.count(asked) == 1
                assert not {"/api/alerts", "/api/dead-letters/counts"} & set(watched.asked)
                # What was asked before the stream had told how it stands may be asked once more.
                asked_within_minutes(watched)
                curve = [] if path == "/" else ["/api/stats/timeseries"]
                for _ in range(2):
                    assert asked_within_minutes(watched) == curve
            watched.go("/")
            trouble = page.get_by_role("region", name="Hosts in trouble")
            paused = trouble.get_by_role("listitem").filter(has_text="paused")
            expect(paused).to_have_count(1)
            watched.call("POST", f"{hostile}/pause")
            page.clock.fast_forward(120_000)
            expect(paused).to_have_count(2)
            watched.call("POST", f"{hostile}/resume")


def asked_within_minutes(watched: Watched) -> list[str]:
    """Which routes, once two minutes have passed as far as the page knows."""
    watched.settle()
    watched.asked.clear()
    watched.page.clock.fast_forward(120_000)
    watched.page.wait_for_timeout(1_500)
    said = [path for path in watched.asked if path.startswith("/api/") and path != LIVE]
    return [path.partition("?")[0] for path in said]


def test_what_was_told_of_a_minute_is_not_spread_over_what_passed_since(
    world: ConsoleWorld,
) -> None:
    figures = dict.fromkeys(("failures", "bytes", "s2", "s3", "s4", "s5"), 0)

    def told(route: Route) -> None:
        at = datetime.now(UTC) - timedelta(seconds=30)
        item = {"at": at.isoformat(), "visits": 120, "pages": 120, **figures}
        route.fulfill(json={"step_seconds": 60, "items": [item]})

    hostile = f"/api/admin/domains/{urlsplit(world.hostile).netloc}"
    with world.page("admin") as watched:
        page = watched.page
        page.clock.install()
        page.route("**/api/stats/timeseries?job=later*", told)
        with a_waiting_job(world, watched):
            page.clock.fast_forward(20_000)
            watched.go("/jobs/later")
            card = page.get_by_role("region", name="Pages a second")
            rate = card.get_by_text(re.compile(r"pages/s [\d.]+")).first
            before = rate.inner_text()
            page.wait_for_timeout(2_500)
            page.clock.fast_forward(25_000)
            # The stream tells of it, and the chart is drawn anew.
            watched.call("POST", f"{hostile}/pause")
            page.wait_for_timeout(2_500)
            watched.call("POST", f"{hostile}/resume")
            assert rate.inner_text() == before


# -- What is done


def test_keys_lead_to_places_rows_and_help(world: ConsoleWorld) -> None:
    with world.page("admin") as watched:
        page = watched.go("/")
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        keys = page.keyboard
        for each in ("g", "j"):
            keys.press(each)
        expect(page.get_by_role("heading", name="Jobs", exact=True).first).to_be_visible()
        expect(page.locator("a[data-row]").first).to_be_visible()
        keys.press("j")
        keys.press("j")
        keys.press("k")
        name = page.evaluate("document.activeElement.textContent")
        keys.press("Enter")
        expect(page.locator("h1")).to_have_text(name)
        keys.press("/")
        box = page.get_by_role("combobox")
        expect(box).to_be_focused()
        keys.type(world.hostile)
        expect(page.get_by_role("option").first).to_contain_text("Why")
        keys.press("Enter")
        expect(page.get_by_label("Answer")).to_contain_text("Fetched and stored")
        before = page.evaluate("document.documentElement.dataset.theme ?? ''")
        keys.press("t")
        assert page.evaluate("document.documentElement.dataset.theme") != before
        keys.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Find anything")
        keys.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.go_back()
        expect(page.locator("h1")).to_have_text(name)
        assert watched.wrong == []


def test_refusals_are_told_by_reason(world: ConsoleWorld) -> None:
    with world.page("reader") as watched:
        page = watched.go(f"/jobs/{quote(JOB, safe='')}")
        card = page.get_by_role("region", name="Not taken at the door")
        expect(card).to_contain_text("out of scope")
        expect(card).to_contain_text("file type its ending promises no text")
        card.get_by_role("button", name=re.compile("out of scope")).click()
        expect(card).to_contain_text("http://elsewhere.example/")
        going = page.get_by_role("region", name="What went wrong")
        expect(going).to_contain_text("robots.txt line 3: Disallow: /secret")
        assert watched.wrong == []


def test_what_other_consoles_do_not_tell(world: ConsoleWorld) -> None:
    """One look at each of the things that are the reason to open this one."""
    site = quote(world.hostile, safe="")
    host = f"/hosts/{quote(world.hostile.split('/')[2], safe='')}"
    job = f"/jobs/{quote(JOB, safe='')}"
    with world.page("admin") as watched:

        def region(path: str, name: str) -> Locator:
            if not watched.page.url.endswith(path):
                watched.go(path)
            return watched.page.get_by_role("region", name=name)

        # How fast it goes, as a chart and as numbers; where every URL stands, and that it adds up.
        rate = region("/?range=1h", "Crawl rate")
        rate.get_by_role("button", name="Table").click()
        expect(rate.locator("tbody tr").first).to_be_visible()
        expect(region("/?range=1h", "Frontier")).to_contain_text("adds up")
        expect(region("/?range=1h", "Status codes")).to_contain_text("404")
        visits = region("/?range=1h", "Latest visits")
        expect(visits.locator("td.on-title", has_text="An ordinary title")).not_to_have_count(0)
        # Every row, by a click.
        page = watched.go("/frontier")
        page.get_by_role("button", name="Audit every row").click()
        expect(page.get_by_role("status").last).to_contain_text("in exactly one state")
        # What comes next, in its order.
        page = watched.go("/frontier?job=shop&order=next")
        rows = page.get_by_role("table", name="URLs").locator("tbody tr")
        expect(rows.first).to_contain_text("pending")
        # Every attempt of one URL, and what kept a page from being one.
        page = watched.go(f"/url?u={site}broken")
        expect(page.get_by_role("main")).to_contain_text("Visit 3")
        expect(page.locator(".bars").first).to_be_attached()
        expect(page.get_by_role("region", name="Host")).to_contain_text("Breakerclosed")
        page = watched.go(f"/url?u={site}lost")
        expect(page.get_by_role("main")).to_contain_text(re.compile("garbage: soft_404: .*title"))
        page = watched.go("/url?u=https%3A%2F%2Fnever.example%2F")
        expect(page.get_by_label("Answer")).to_contain_text("Would be refused at the door")
        # A host: the line that decides about a path, what was learned, how politely it was asked.
        robots = region(host, "robots.txt")
        robots.get_by_label("May we fetch").fill("/secret/1")
        robots.get_by_label("May we fetch").blur()
        expect(robots).to_contain_text("no: line 3")
        expect(robots.locator("li.hit")).to_contain_text("Disallow: /secret")
        expect(robots.locator("li.others")).to_have_text(["User-agent: otherbot", "Disallow: /"])
        expect(region(host, "Learned")).to_contain_text("Client")
        expect(watched.page.get_by_label("Figures")).to_contain_text(re.compile("Too early"))
        kinds = region(host, "What its URLs bring")
        kinds.get_by_role("button", name=re.compile(r"page.\{n\}")).click()
        expect(kinds).to_contain_text("Visited like all others")
        expect(kinds.get_by_role("link").first).to_contain_text("/page/")
        watched.page.get_by_role("button", name="Pause").click()
        expect(watched.page.locator("header.subject .pill")).to_have_text("paused")
        watched.page.get_by_role("button", name="Resume").click()
        expect(watched.page.locator("header.subject .pill")).not_to_have_text("paused")
        # The map of traps, rights, near-duplicates, words of pages.
        shapes = region(f"{job}?tab=traps", "What its URLs bring")
        expect(shapes.locator("li").first).to_contain_text("%")
        expect(shapes).to_contain_text("/page/{n}")
        stored = f"/pages/{sha256(f'{world.hostile}page/12'.encode()).hexdigest()}"
        expect(region(stored, "Rights")).to_contain_text("ai-train=no")
        expect(region(stored, "Nearly the same").get_by_role("link").first).to_be_visible()
        page = watched.go("/pages?q=ordinary")
        found = page.get_by_role("table", name="Pages that were found")
        expect(found.locator("mark").first).to_have_text(re.compile("ordinary", re.I))
        # Who works on what, what is wrong, and what handlers told.
        expect(watched.go("/workers").get_by_role("main")).to_contain_text("active")
        expect(watched.go("/alerts").get_by_role("main")).to_contain_text("raised")
        page = watched.go("/records?name=title")
        expect(page.get_by_role("table", name="Handlers")).to_contain_text("titles")
        page.get_by_role("table", name="Records").get_by_role("link").first.click()
        expect(page.get_by_role("region", name="History")).to_contain_text("Found")
        expect(page.get_by_role("region", name="Fields")).to_contain_text("text")
        assert watched.wrong == []


def test_what_a_job_waits_for_and_who_works_on_what(world: ConsoleWorld) -> None:
    """As the API tells it of a job that waits, and of a worker with hands full."""
    soon = datetime.now(UTC) + timedelta(minutes=30, seconds=20)
    until = {"host": "shop.example", "until": soon.isoformat(), "why": "told to wait"}
    queue = {"host": "shop.example", "waiting": 1_204}
    visit = {
        "url": f"{world.hostile}page/3",
        "host": "h",
        "step": "fetch",
        "since": soon.isoformat(),
    }
    running = {"state": "running", "pending": 1_204, "deferred": 0, "seconds_left": 5.0,
               "queues": [queue], "waiting": [until]}  # fmt: skip
    held = [{"host": "shop.example", "lease_ends_at": soon.isoformat(), "slots": 1}]
    under_way = {"at": soon.isoformat(), "steps": {"fetch": 1}, "visits": [visit]}

    def changed(route: Route, **more: object) -> None:
        answer = route.fetch()
        told = answer.json()
        one = told["items"][0] if "items" in told else told
        one.update(more)
        route.fulfill(response=answer, json=told)

    with world.page("reader") as watched:
        page = watched.page
        page.route("**/api/jobs/shop/progress", lambda route: changed(route, **running))
        page.route("**/api/workers", lambda route: changed(route, held=held, under_way=under_way))
        watched.go("/jobs/shop")
        progress = page.get_by_label("Progress").first
        # It is not done before that host is open, however fast the others are.
        expect(progress).to_contain_text(
            re.compile(r"≈ 30 min left; shop\.example told to wait until")
        )
        waits = page.get_by_role("region", name="Waiting for")
        expect(waits).to_contain_text("1,204 URLs wait")
        watched.go("/workers")
        main = page.get_by_role("main")
        expect(main).to_contain_text(re.compile("shop.examplelease ends"))
        # When that is tried next, and what that depends on.
        page.route("**/api/why?*", lambda route: waits_in_line(route, soon.isoformat()))
        main.get_by_role("link", name=re.compile("page.3")).click()
        answer = page.get_by_label("Answer")
        expect(answer).to_contain_text("pending")
        expect(answer).to_contain_text(
            re.compile(r"Attempt 2 of 3, not before .* \(in (29|30) min.*\); the host waits\.")
        )
        assert watched.wrong == []


def waits_in_line(route: Route, not_before: str) -> None:
    answer = route.fetch()
    told = answer.json()
    for job in told["jobs"]:
        if job["target"]:
            job["target"]["state"] = "pending"
        job["next"] = {"what": "attempt 2 of 3", "not_before": not_before,
                       "because": "the host waits"}  # fmt: skip
    route.fulfill(response=answer, json=told)


def test_an_alert_is_silenced(world: ConsoleWorld) -> None:
    with world.page("admin") as watched:
        page = watched.go("/alerts")
        page.get_by_role("button", name="Silence").first.click()
        expect(page.get_by_role("table", name="Alerts")).to_contain_text("silenced")
        assert watched.wrong == []


def test_a_job_is_run_again_and_stopped(world: ConsoleWorld) -> None:
    """What one browser does, another sees without being touched."""
    with world.page("admin") as watched, world.page("reader") as other:
        there = other.go("/jobs/shop").locator("header.subject .pill")
        expect(there).to_have_text("done")
        page = watched.go("/jobs/shop")
        page.get_by_role("button", name="Run again").click()
        expect(there).to_have_text("running")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("header.subject .pill")).to_have_text("stopped")
        expect(there).to_have_text("stopped")
        assert watched.wrong == other.wrong == []
