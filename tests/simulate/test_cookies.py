"""Does a site get back what it sets, in the same job, and does nobody else?"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.adapters.local.vault import KEY_FILE
from tenax.cli.explain.show_story import lines
from tenax.cli.look.show_hosts import cookie_lines
from tenax.compose.crawler import Crawler
from tenax.compose.why import books_of, house_of
from tenax.fetch.fetch_policy import FetchPolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import CookieNames, Request, Response, SiteRules, State
from tenax.ops.why.story import tell
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    crawl,
    open_test_app,
    page,
    redirect,
    run_virtually,
    simulate,
    status,
)

SHOP = "shop.example.org"
HOME = f"https://{SHOP}/"
SET = "sid=s3cr3t; Path=/; Domain=example.org"
_PLAIN = Settings(contact="mailto:test@example.org", pace=PacePolicy(delay=1.0))


class Shop:
    """A site that sets a cookie on its front page and says who came with which."""

    def __init__(self, web: SimulatedWeb, host: str = SHOP, set_cookie: str = SET) -> None:
        self.seen: list[tuple[str, str]] = []
        self.set_cookie = set_cookie
        self._host = host
        web.host(host, self)

    def __call__(self, request: Request) -> Response:
        path = request.url.removeprefix(f"https://{self._host}")
        sent = dict(request.headers).get("Cookie", "")
        if path == "/robots.txt":
            assert not sent
            return status(404, set_cookie="robots=1; Path=/")
        self.seen.append((path, sent))
        if path == "/":
            links = ("/a", "/moved", "https://other.example.org/")
            return page("Front", *links, set_cookie=self.set_cookie)
        return redirect("/b") if path == "/moved" else page(f"Page {path} of the shop")


async def cookies_at(app: Crawler, host: str = SHOP) -> list[CookieNames]:
    record = await app.ledger.hosts.get(host)
    assert record is not None
    return await app.ledger.hosts.cookies(record.host.id)


def on_one_ledger(
    folder: Path, *stories: tuple[Settings, Callable[[Crawler], Awaitable[None]]]
) -> Callable[[SimulatedWeb], None]:
    """Each with a process of its own, as it were."""

    async def main(web: SimulatedWeb) -> None:
        for settings, story in stories:
            async with open_test_app(web, folder, settings) as app:
                await story(app)

    return lambda web: run_virtually(main(web))


def test_what_a_site_sets_is_sent_back_to_it_on_every_hop_and_to_nobody_else() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web)
        other = Shop(web, "other.example.org", "own=1; Path=/")
        counts = await crawl(app, HOME, scope="any")
        assert counts.states == {State.DONE: 6}
        assert dict(shop.seen) == {
            "/": "", "/a": "sid=s3cr3t", "/moved": "sid=s3cr3t", "/b": "sid=s3cr3t",
        }  # fmt: skip
        assert dict(other.seen)["/"] == ""
        assert dict(other.seen)["/a"] == "own=1"
        (kept,) = await cookies_at(app)
        assert (kept.job, kept.names) == ("test", ("sid",))

    simulate(story, _PLAIN)


def test_no_job_has_the_cookies_of_another() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web)
        await crawl(app, HOME, name="one")
        shop.set_cookie = "sid=two; Path=/"
        await crawl(app, HOME, name="two")
        assert [sent for _, sent in shop.seen] == ["", *3 * ["sid=s3cr3t"], "", *3 * ["sid=two"]]
        assert [each.job for each in await cookies_at(app)] == ["one", "two"]

    simulate(story, _PLAIN)


def test_the_next_process_goes_on_with_them_and_the_ledger_holds_them_sealed(
    tmp_path: Path,
) -> None:
    web = SimulatedWeb()
    shop = Shop(web)

    async def first(app: Crawler) -> None:
        await crawl(app, HOME)

    async def second(app: Crawler) -> None:
        shop.seen.clear()
        await crawl(app, HOME, again=True)
        assert {sent for _, sent in shop.seen} == {"sid=s3cr3t"}

    on_one_ledger(tmp_path, (_PLAIN, first), (_PLAIN, second))(web)
    held = b"".join(file.read_bytes() for file in tmp_path.glob("*.db*"))
    assert b"sid" in held
    assert b"s3cr3t" not in held


def test_where_the_key_is_lost_the_crawl_begins_as_a_stranger_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    web = SimulatedWeb()
    shop = Shop(web)

    async def first(app: Crawler) -> None:
        await crawl(app, HOME)

    async def second(app: Crawler) -> None:
        shop.seen.clear()
        (tmp_path / KEY_FILE).unlink()
        assert (await crawl(app, HOME, again=True)).states == {State.DONE: 3}
        assert shop.seen[0] == ("/", "")

    with caplog.at_level(logging.WARNING):
        on_one_ledger(tmp_path, (_PLAIN, first), (_PLAIN, second))(web)
    assert "cookies of sites are not kept" in caplog.text


@pytest.mark.parametrize(
    "settings",
    [
        replace(_PLAIN, fetch=FetchPolicy(cookies=False)),
        replace(_PLAIN, sites=(SiteRules("*.example.org", keep_cookies=False),)),
    ],
)
def test_they_can_be_left_alone(settings: Settings, tmp_path: Path) -> None:
    web = SimulatedWeb()
    shop = Shop(web)

    async def story(app: Crawler) -> None:
        await crawl(app, HOME)
        assert {sent for _, sent in shop.seen} == {""}
        assert await cookies_at(app) == []

    on_one_ledger(tmp_path, (settings, story))(web)
    assert not (tmp_path / KEY_FILE).exists()


def test_one_site_can_have_them_where_others_do_not() -> None:
    rules = SiteRules(SHOP, keep_cookies=True)
    settings = replace(_PLAIN, fetch=FetchPolicy(cookies=False), sites=(rules,))

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web)
        await crawl(app, HOME)
        assert dict(shop.seen)["/a"] == "sid=s3cr3t"

    simulate(story, settings)


def test_pages_that_set_nothing_leave_nothing_behind(tmp_path: Path) -> None:
    web = SimulatedWeb()
    web.host(SHOP, lambda request: page(f"Nothing is set by {request.url}"))

    async def story(app: Crawler) -> None:
        await crawl(app, HOME)
        assert await cookies_at(app) == []

    on_one_ledger(tmp_path, (_PLAIN, story))(web)
    assert not (tmp_path / KEY_FILE).exists()


def test_a_site_that_tells_visitors_apart_by_url_or_cookie_has_each_page_once() -> None:
    """As servlets do: ids of sessions are in the links of whoever sends no cookie back."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        asked: list[str] = []

        def answer(request: Request) -> Response:
            path = request.url.removeprefix(HOME).partition(";")[0]
            is_known = "sid=" in dict(request.headers).get("Cookie", "")
            mark = "" if is_known else f";jsessionid={len(asked):032d}"
            asked.append(request.url)
            links = [f"/p{number}{mark}" for number in range(5)]
            return page(f"What is at {path}", *links, set_cookie=f"sid={len(asked)}; Path=/")

        web.host(SHOP, answer)
        counts = await crawl(app, HOME)
        assert counts.pages == 6
        assert len([url for url in asked if not url.endswith("robots.txt")]) == 6

    simulate(story, _PLAIN)


def test_a_hostile_server_gets_no_more_than_one_header_back() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        longest = 0

        def answer(request: Request) -> Response:
            nonlocal longest
            longest = max(longest, len(dict(request.headers).get("Cookie", "")))
            made = page(f"What is at {request.url}", *(f"/p{number}" for number in range(4)))
            more = tuple(
                ("set-cookie", f"n{number}.{len(request.url)}={'x' * 3_000}; Path=/")
                for number in range(2_000)
            )
            return replace(made, headers=type(made.headers)((*made.headers.pairs, *more)))

        web.host(SHOP, answer)
        assert (await crawl(app, HOME)).pages == 5
        assert 3_000 < longest <= 8_000

    simulate(story, _PLAIN)


def test_people_see_their_names_and_the_job_takes_them_along_when_it_goes() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        Shop(web)
        await crawl(app, HOME)
        kept = await cookies_at(app)
        assert cookie_lines(kept) == ["  cookies     sid in job test"]
        ledger = app.ledger
        house = house_of(ledger.settings, ledger.sites)
        told = await tell(HOME, books_of(ledger), house, ledger.clock.now())
        shown = "\n".join(lines(told, ledger.settings, ledger.clock.now()))
        assert "the host has set sid" in shown
        assert "s3cr3t" not in shown
        assert "s3cr3t" not in repr(told)
        while not (await ledger.jobs.delete(kept[0].job_id)).is_gone:
            pass
        assert await cookies_at(app) == []

    simulate(story, _PLAIN)
