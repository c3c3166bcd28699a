"""Are the rules of sites obeyed, and by a whole fleet when they change meanwhile? (HOST-7)"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tenax.compose.crawler import Crawler
from tenax.compose.why import books_of, house_of
from tenax.hosts.pace import PacePolicy
from tenax.model import Fault, Reason, SiteRules, State
from tenax.ops.sites.change import remove_rules, set_keys
from tenax.ops.why.story import Story, tell
from tenax.page.sites import site_parser
from tenax.ports.products import ProductFilter
from tenax.settings import Settings, SettingsError
from tenax.testing import (
    SimulatedWeb,
    crawl,
    failing,
    open_test_app,
    page,
    run_virtually,
    scratch,
    simulate,
    start_job,
    status,
)

CONTACT = "mailto:test@example.org"
HOSTS = ("a.example", "b.example")
NOTICED = 3.0
"""Seconds in which every process has to obey: it looks every second, and a request may be on its
way."""


async def order(app: Crawler, pattern: str, **wanted: Any) -> None:
    changed = await set_keys(app.ledger.site_context, pattern, wanted)
    assert isinstance(changed, SiteRules), changed


async def story_of(app: Crawler, url: str) -> Story:
    ledger, now = app.ledger, app.parts.clock.now()
    return await tell(url, books_of(ledger), house_of(ledger.settings, ledger.sites), now)


def site_of(host: str, count: int) -> Callable[[SimulatedWeb], None]:
    """A page that names all others and some tags; each of the others names another tag."""

    def build(web: SimulatedWeb) -> None:
        named = [f"/topic/{number}" for number in range(9)]
        named += [f"/p/{number}" for number in range(count)]
        web.at(f"https://{host}/", page(host, *named))
        for number in range(count):
            text = " ".join(f"word{number * 7 + n}" for n in range(30))
            web.at(f"https://{host}/p/{number}", page(f"page {text}", f"/topic/{number}"))
            web.at(f"https://{host}/topic/{number}", page(f"tag {text[::-1]}"))

    return build


def with_two(
    story: Callable[[SimulatedWeb, Crawler, Crawler], Awaitable[None]], settings: Settings
) -> None:
    """Two processes on one ledger, each with its own memory, and one web."""

    async def main() -> None:
        web = SimulatedWeb(latency=0.5)
        for host in HOSTS:
            site_of(host, 400)(web)
        with scratch() as folder:
            async with (
                open_test_app(web, Path(folder), settings, 1) as one,
                open_test_app(web, Path(folder), settings, 2) as two,
            ):
                await story(web, one, two)

    run_virtually(main())


@pytest.mark.parametrize("delay", [0.0, 0.5])
def test_a_change_made_while_two_processes_crawl_is_obeyed_by_both(delay: float) -> None:
    slow = 7.0

    async def story(web: SimulatedWeb, one: Crawler, two: Crawler) -> None:
        job = await start_job(one, *(f"https://{host}/" for host in HOSTS))
        runs = [app.run(job) for app in (one, two)]
        crawling = [asyncio.create_task(run.run()) for run in runs]
        await asyncio.sleep(5.0)
        assert any("/topic/" in url for url in web.urls())
        await order(one, "*.example", delay=slow, exclude=["*/topic/*"])
        changed_at = one.parts.clock.now()
        await asyncio.sleep(NOTICED)
        sent = len(web.requests)
        await asyncio.sleep(120.0)
        assert not [each.url for each in web.requests[sent:] if "/topic/" in each.url]
        for host in HOSTS:
            asked = [at for at in web.asked(host) if at >= changed_at + NOTICED]
            assert len(asked) > 10
            assert min(b - a for a, b in pairwise(asked)) >= slow
        # And back again: what is excluded no longer is found by whoever comes across it.
        assert await remove_rules(two.ledger.site_context, "*.example") is None
        await asyncio.sleep(slow + NOTICED)
        before = await one.parts.jobs.counts(job.id)
        await asyncio.sleep(10.0)
        after_all = await one.parts.jobs.counts(job.id)
        assert after_all.pages - before.pages > 20
        assert after_all.known > before.known
        assert after_all.rejected[Reason.EXCLUDED] == before.rejected[Reason.EXCLUDED] > 0
        for run in runs:
            run.stop()
        await asyncio.gather(*crawling)

    settings = Settings(contact=CONTACT, pace=PacePolicy(delay=delay))
    with_two(story, settings)


def test_what_was_taken_before_and_is_excluded_now_is_not_fetched_and_why_names_the_rule() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", page("home", "/topic/1", "/p/1"))
        job = await start_job(app, "https://a.example/", "https://a.example/topic/0")
        await order(app, "a.example", exclude=["*/topic/*"])
        await app.run(job).run()
        assert not [url for url in web.urls() if "/topic/" in url]
        told = (await story_of(app, "https://a.example/topic/0")).jobs[0]
        rule = "matches exclude */topic/* of the site rule a.example (ledger)"
        assert told.target is not None
        assert told.target.state is State.BLOCKED
        assert told.answer == f"blocked: excluded: {rule}"
        unseen = (await story_of(app, "https://a.example/topic/9")).jobs[0]
        assert unseen.answer == f"would be refused at the door: excluded: {rule}"

    simulate(story)


def test_a_site_has_its_own_delay_and_a_longer_crawl_delay_still_counts() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for host in (*HOSTS, "c.example"):
            web.at(f"https://{host}/", page(host, *(f"/{n}" for n in range(5))))
        web.at("https://b.example/robots.txt", status(200, "User-agent: *\nCrawl-delay: 4"))
        await order(app, "a.example", delay=3.0)
        await order(app, "b.example", delay=2.0)
        await crawl(app, *(f"https://{host}/" for host in (*HOSTS, "c.example")))
        least = {host: min(b - a for a, b in pairwise(web.asked(host)[1:])) for host in HOSTS}
        assert least["a.example"] >= 3.0
        assert least["b.example"] >= 4.0
        facts = (await story_of(app, "https://b.example/")).site
        assert [(fact.key, fact.value, fact.pattern) for fact in facts] == [
            ("delay", 2.0, "b.example")
        ]

    simulate(story, Settings(contact=CONTACT, pace=PacePolicy(delay=0.5)))


def test_a_delay_that_is_lowered_is_not_waited_out_by_who_waits_for_his_turn() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", page("home", *(f"/{n}" for n in range(5))))
        await order(app, "a.example", delay=600.0)
        job = await start_job(app, "https://a.example/")
        crawling = asyncio.create_task(app.run(job).run())
        await asyncio.sleep(5.0)
        assert len(web.requests) == 1
        await order(app, "a.example", delay=2.0)
        await asyncio.sleep(30.0)
        assert len(web.requests) == 7
        assert min(b - a for a, b in pairwise(web.asked("a.example"))) >= 2.0
        await crawling

    simulate(story)


def test_an_unreachable_robots_txt_is_taken_as_the_site_says() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for host in HOSTS:
            web.at(f"https://{host}/robots.txt", status(500))
            web.at(f"https://{host}/", page(host))
        await order(app, "b.example", robots_on_error="allow")
        await crawl(app, *(f"https://{host}/" for host in HOSTS))
        assert web.urls() == ["https://b.example/"]
        told = await story_of(app, "https://b.example/other")
        assert told.robots is not None
        assert told.robots.allowed

    simulate(story)


def test_a_site_takes_so_many_urls_and_why_names_the_rule() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site_of("a.example", 50)(web)
        await order(app, "*.example", max_pages=4)
        counts = await crawl(app, "https://a.example/")
        assert counts.known == 4
        assert counts.rejected[Reason.HOST_LIMIT] > 0
        told = (await story_of(app, "https://a.example/p/9")).jobs[0]
        assert "max_pages 4 by the site rule *.example (ledger)" in told.answer

    simulate(story)


def test_headers_set_while_a_crawl_runs_are_sent_and_kept_sealed() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site_of("a.example", 60)(web)
        job = await start_job(app, "https://a.example/")
        run = app.run(job)
        crawling = asyncio.create_task(run.run())
        await asyncio.sleep(5.0)
        await order(app, "a.example", headers={"X-Key": "k"}, cookies={"session": "s"})
        await asyncio.sleep(NOTICED)
        before = len(web.requests)
        await asyncio.sleep(10.0)
        run.stop()
        await crawling
        for asked in web.requests[before:]:
            sent = dict(asked.headers)
            assert (sent["X-Key"], sent["Cookie"]) == ("k", "session=s")
        assert not any("X-Key" in dict(asked.headers) for asked in web.requests[:4])

    simulate(story)


def test_a_group_of_proxies_named_while_a_crawl_runs_is_never_gone_around() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site_of("a.example", 60)(web)
        job = await start_job(app, "https://a.example/")
        run = app.run(job)
        crawling = asyncio.create_task(run.run())
        await asyncio.sleep(5.0)
        await order(app, "a.example", proxy="eu")
        await asyncio.sleep(NOTICED)
        before = len(web.requests)
        await asyncio.sleep(20.0)
        run.stop()
        await crawling
        # There is no proxy of that group: nothing leaves.
        assert len(web.requests) == before > 4

    simulate(story)


def test_a_site_names_the_parser_of_its_products() -> None:
    @site_parser("other.example", version="1")
    def cellar(_: Any) -> dict[str, str]:
        return {"name": "From the cellar", "price": "5.00 EUR"}

    markup = '<h1>Wine</h1><p class="price">9,99 €</p><button>Add to cart</button>'
    shop = status(
        200,
        f"<!doctype html><title>Wine</title><main>{markup}<p>{'A wine of the valley. ' * 20}</p>",
        **{"content-type": "text/html; charset=utf-8"},
    )

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for host in HOSTS:
            web.at(f"https://{host}/", shop)
        await order(app, "b.example", parser="cellar")
        await crawl(app, *(f"https://{host}/" for host in HOSTS), products=True)
        found = await app.ledger.products.find(ProductFilter())
        names = {each.product.url: each.product.name for each in found}
        assert names["https://b.example/"] == "From the cellar"
        assert names.get("https://a.example/") != "From the cellar"

    simulate(story)


def test_a_host_that_fails_is_no_reason_to_forget_its_rules() -> None:
    """The rules are the site's, whatever its host does meanwhile."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", failing(Fault.CONNECT_REFUSED), page("back", "/1", "/2"))
        await order(app, "a.example", delay=3.0)
        await crawl(app, "https://a.example/")
        asked = web.asked("a.example")
        assert min(b - a for a, b in pairwise(asked)) >= 3.0

    simulate(story)


def test_a_parser_that_nobody_has_is_told_before_anything_is_asked() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        raise AssertionError("it was opened")

    wrong = Settings(contact=CONTACT, sites=(SiteRules("a.example", parser="amazom"),))
    with pytest.raises(SettingsError, match=r"a\.example: parser: .*Did you mean 'amazon'"):
        simulate(story, wrong)
