"""Does an index come to have what the ledger has, and only that?"""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.compose.search import make_index, open_search
from tenax.crawl.run import revisit
from tenax.model import JobState
from tenax.ops.search.indexing import IndexTally
from tenax.ops.search.query import parse
from tenax.settings import SettingsError, load
from tenax.testing import SimulatedWeb, crawl, page, simulate

HOME = "https://a.example/"
X = "https://a.example/x"


async def freshened(app: Crawler) -> IndexTally:
    async with open_search(app.ledger) as (_, indexer):
        return await indexer.freshen()


async def behind(app: Crawler) -> int:
    async with open_search(app.ledger) as (_, indexer):
        return await indexer.behind()


async def found(app: Crawler, query: str) -> set[str]:
    async with open_search(app.ledger) as (index, _):
        return {hit.doc.url for hit in (await index.search(parse(query))).hits}


def small_web(web: SimulatedWeb) -> None:
    web.at(HOME, page("all about kettles", "/x", title="Home"))
    web.at(X, page("the teapot", title="X"), page("the saucepan", title="X"))


def test_what_is_stored_can_be_found() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> None:
        small_web(web)
        await crawl(app, HOME)
        assert [await behind(app), await behind(app)] == [2, 2], "looking changes nothing"
        assert await freshened(app) == IndexTally(put=2)
        assert await behind(app) == 0
        assert await found(app, "kettles") == {HOME}
        assert await found(app, "host:a.example job:test") == {HOME, X}

    simulate(play)


def test_only_what_changed_is_put_again() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> None:
        small_web(web)
        await crawl(app, HOME)
        await freshened(app)
        assert await freshened(app) == IndexTally(same=2)
        job = await app.parts.jobs.get("test")
        assert job is not None
        await app.parts.jobs.set_state(job.id, JobState.RUNNING)
        await revisit(app.parts, job)
        await app.run(job).run()
        assert await freshened(app) == IndexTally(put=1, same=1)
        assert await found(app, "saucepan") == {X}
        assert await found(app, "teapot") == set()

    simulate(play)


def test_what_a_replay_changes_is_put_again() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> None:
        small_web(web)
        await crawl(app, HOME)
        await freshened(app)
        update = "UPDATE pages SET title = 'renamed' WHERE target_id = 1"
        await app.ledger.database.write(lambda c: c.execute(sa.text(update)))
        assert (await freshened(app)).put == 1
        assert await found(app, "renamed") == {HOME}

    simulate(play)


def test_what_is_gone_is_removed() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> None:
        small_web(web)
        await crawl(app, HOME)
        await freshened(app)
        while not (await app.parts.jobs.delete(1)).is_gone:
            pass
        assert await freshened(app) == IndexTally(removed=2)
        assert await found(app, "") == set()

    simulate(play)


def test_an_index_that_was_lost_is_made_again() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> None:
        small_web(web)
        await crawl(app, HOME)
        await freshened(app)
        async with open_search(app.ledger) as (index, indexer):
            await index.clear()
            assert await indexer.freshen() == IndexTally(put=2)

    simulate(play)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("solr://h", "unknown scheme 'solr'. Use fts5:, postgresql:"),
        ("postgresql:", "not in PostgreSQL"),
        ("opensearch:", "names no host"),
        ("redis://u:secret@h", "unknown scheme 'redis'"),
    ],
)
def test_a_wrong_url_is_told_and_no_secret_with_it(url: str, told: str) -> None:
    settings = replace(load({}, environment={}).settings, search=url)
    with pytest.raises(SettingsError, match=told) as error:
        make_index(settings)
    assert "secret" not in str(error.value)
