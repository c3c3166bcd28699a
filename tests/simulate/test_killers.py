"""What becomes of a target that kills whatever is done with it? (FR-1)"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.compose.crawler import Crawler
from tenax.crawl.run import conclude
from tenax.model import State
from tenax.testing import SimulatedWeb, crawl, page, simulate, start_job
from tests.simulate.sites import assert_whole, record

HOME = "https://a.example/"


def test_a_target_that_three_processes_have_died_of_is_given_up_without_a_request() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("hello"))
        job = await start_job(app, HOME)
        target = await record(app, HOME)
        await sql(app, f"INSERT INTO crashes VALUES ({target.id}, 4, 0.0, '')")
        await app.run(job).run()
        await conclude(app.parts, job)
        assert web.urls(robots=True) == []
        target = await record(app, HOME)
        assert target.state is State.FAILED
        assert target.reason == "internal: killed its worker: 4 processes died of it"
        assert await sql(app, "SELECT fault FROM dead_letters") == [("internal",)]
        # Whoever has it tried again has it read, alone.
        assert await sql(app, "SELECT count FROM crashes") == [(1,)]
        await assert_whole(app)

    simulate(story)


def test_links_are_resolved_under_the_note_of_their_page() -> None:
    """Also if that fails: a note that stays would get its process killed for hanging."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        noted: list[str] = []
        note = app.parts.fetcher.note

        class Heard:
            def begin(self, target_id: int, url: str, *, goes_on: bool = False) -> None:
                noted.append(url)
                note.begin(target_id, url, goes_on=goes_on)

            def end(self) -> None:
                noted.append("end")
                note.end()

        app.parts.fetcher.note = Heard()
        web.at(HOME, page("hello", "/a"))
        web.at(HOME + "a", page("a"))
        await crawl(app, HOME)
        # Once for the body, once for its links.
        assert noted == [HOME, "end"] * 2 + [HOME + "a", "end"] * 2

    simulate(story)


async def sql(app: Crawler, text: str) -> list[tuple[object, ...]]:
    def work(connection: Connection) -> list[tuple[object, ...]]:
        result = connection.execute(sa.text(text))
        return [tuple(row) for row in result] if result.returns_rows else []

    return await app.ledger.database.write(work)
