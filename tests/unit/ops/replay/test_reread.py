"""Do stored pages say to today's code what they said when they were fetched, and what changed?"""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from tenax.compose.crawler import Crawler
from tenax.compose.replay import make_replay
from tenax.model import State
from tenax.ops.replay.reread import FIELDS, Example, ReplayTally
from tenax.page import bounds
from tenax.ports.replayed import PageFilter
from tenax.testing import SimulatedWeb, crawl, page, robots, simulate, status

HOME = "https://a.example/"
LONG = "words that make a text long enough to be compared with others of its kind, " * 3


def small_web(web: SimulatedWeb) -> None:
    web.at(
        HOME,
        page("Grüße", "/x", "/y", title="Home", x_robots_tag="noai", content_language="de"),
    )
    web.at("https://a.example/x", page(LONG, link='<https://a.example/c>; rel="canonical"'))
    web.at("https://a.example/y", status(200, "caf\u00e9", content_type="text/plain"))
    web.at("https://a.example/robots.txt", robots("User-agent: *\nContent-Signal: ai-train=no\n"))


async def replayed(
    app: Crawler, which: PageFilter | None = None, *, dry: bool = False, links: bool = False
) -> ReplayTally:
    replay = await make_replay(app.ledger, which or PageFilter(), dry=dry, links=links)
    return await replay.stretch(0, await app.ledger.rereads.last())


async def change(app: Crawler, text: str) -> None:
    await app.ledger.database.write(lambda c: c.execute(sa.text(text)))


async def titles(app: Crawler) -> list[str]:
    return [record.title for record in await app.ledger.pages.find()]


def test_what_was_just_read_says_the_same_again() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> ReplayTally:
        small_web(web)
        await crawl(app, HOME)
        return await replayed(app)

    tally = simulate(play)
    assert (tally.pages, tally.changed, tally.fields) == (3, 0, {})


def test_every_field_that_differs_is_told_and_written() -> None:
    worse = {
        "content_type": "'text/plain'", "charset": "'latin-1'", "title": "'old'",
        "description": "'old'", "canonical": "'https://old.example/'", "language": "'xx'",
        "published": "'1999-01-01'", "modified": "'1999-01-01'", "words": "99",
        "rights": """'[["meta robots", "old"]]'""",
        "content_hash": "x'00'", "simhash": "5", "link_count": "99",
    }  # fmt: skip
    assert worse.keys() == set(FIELDS)
    # Those that headers may have said, and one that has its own test on the ledger.
    kept = {"canonical", "language", "content_type", "charset", "simhash"}

    async def play(web: SimulatedWeb, app: Crawler) -> None:
        small_web(web)
        web.at(HOME, page(LONG, "/x", "/y", title="Home"))
        web.at("https://a.example/robots.txt", robots(""))
        await crawl(app, HOME)
        for field in FIELDS:
            if field in kept:
                continue
            (before, *_) = await app.ledger.pages.find()
            column = "links" if field == "link_count" else field
            await change(app, f"UPDATE pages SET {column} = {worse[field]} WHERE target_id = 1")
            tally = await replayed(app)
            assert tally.fields.get(field) == 1, field
            assert tally.written == 1
            assert (await app.ledger.pages.find())[0] == before
            assert await app.ledger.auditor.audit() == []

    simulate(play)


def test_what_only_headers_said_is_kept() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> None:
        small_web(web)
        await crawl(app, HOME)
        await change(app, "UPDATE pages SET title = 'old'")
        await replayed(app)
        home, linked, _ = await app.ledger.pages.find()
        assert home.language == "de"
        assert linked.canonical == "https://a.example/c"
        assert ("header x-robots-tag", "noai") in home.rights
        assert ("robots Content-Signal", "ai-train=no") in home.rights

    simulate(play)


def test_a_dry_run_tells_and_writes_nothing() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> tuple[ReplayTally, list[str]]:
        small_web(web)
        await crawl(app, HOME)
        await change(app, "UPDATE pages SET title = 'old' WHERE target_id = 1")
        return await replayed(app, dry=True), await titles(app)

    tally, after = simulate(play)
    assert (tally.changed, tally.written) == (1, 0)
    assert tally.examples == {"title": [Example(HOME, "old", "Home")]}
    assert "old" in after


def test_a_page_that_was_fetched_meanwhile_is_left_alone() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> int:
        small_web(web)
        await crawl(app, HOME)
        await change(app, "UPDATE pages SET title = 'old' WHERE target_id = 1")
        replay = await make_replay(app.ledger, PageFilter(), dry=False, links=False)
        rereads = replay._rereads
        between = rereads.between

        async def late(which: PageFilter, after: int, last: int) -> object:
            found = await between(which, after, last)
            await change(app, "UPDATE pages SET digest = x'00' WHERE target_id = 1")
            return found

        rereads.between = late  # type: ignore[method-assign, assignment]  # a visit in between
        return (await replay.stretch(0, 100)).written

    assert simulate(play) == 0


def test_only_the_pages_asked_for_are_read() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> list[int]:
        small_web(web)
        web.at("https://b.example/", page("other"))
        await crawl(app, HOME)
        await crawl(app, "https://b.example/", name="second")
        (newest, *_) = await app.ledger.pages.find(newest=True)
        wishes = (
            PageFilter(job="second"),
            PageFilter(host="a.example"),
            PageFilter(since=newest.fetched_at),
            PageFilter(job="second", host="a.example"),
        )
        counts = [await app.ledger.rereads.count(wish) for wish in wishes]
        assert counts == [(await replayed(app, wish)).pages for wish in wishes]
        return counts

    assert simulate(play) == [1, 3, 1, 0]


def test_lost_bodies_are_counted_and_their_records_stay() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> ReplayTally:
        small_web(web)
        await crawl(app, HOME)
        await change(app, "UPDATE pages SET title = 'old', digest = x'00' WHERE target_id = 1")
        return await replayed(app)

    tally = simulate(play)
    assert (tally.pages, tally.lost, tally.changed) == (2, 1, 0)


def test_links_that_are_not_known_go_through_the_door_of_the_job() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> tuple[int, int, int]:
        small_web(web)
        web.at("https://a.example/x", page("x", "/new", "https://elsewhere.example/"))
        await crawl(app, HOME)
        ids = "(SELECT id FROM targets WHERE url LIKE '%/new')"
        await change(app, f"DELETE FROM attempts WHERE target_id IN {ids}")
        await change(app, "DELETE FROM dead_letters")
        await change(app, "DELETE FROM targets WHERE url LIKE '%/new'")
        first, second = await replayed(app, links=True), await replayed(app, links=True)
        counts = await app.parts.jobs.counts(1)
        return first.found, second.found, counts.of(State.PENDING)

    assert simulate(play) == (1, 0, 1)


def test_a_page_that_asks_not_to_be_kept_is_told() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> ReplayTally:
        small_web(web)
        await crawl(app, HOME)
        pairs = '[["header x-robots-tag", "noindex"]]'
        await change(app, f"UPDATE pages SET rights = '{pairs}' WHERE target_id = 1")
        return await replayed(app)

    assert simulate(play).unwanted == 1


def test_tallies_add_up_and_keep_few_examples() -> None:
    one, other = ReplayTally(pages=1), ReplayTally(pages=2, changed=1)
    for number in range(5):
        other.note("title", Example(str(number), "a", "b"))
    one.note("title", Example("first", "a", "b"))
    one.add(other)
    assert (one.pages, one.changed, one.fields) == (3, 1, {"title": 6})
    assert [example.url for example in one.examples["title"]] == ["first", "0", "1"]


def test_a_stored_page_that_would_take_too_much_memory_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> tuple[ReplayTally, list[str]]:
        small_web(web)
        await crawl(app, HOME)
        # It was read by older code, which took no offence.
        monkeypatch.setattr(bounds, "MOST_NODES", 14)
        return await replayed(app), await titles(app)

    tally, kept = simulate(play)
    assert (tally.too_large, tally.pages, tally.changed, tally.lost) == (2, 1, 0, 0)
    assert "Home" in kept
