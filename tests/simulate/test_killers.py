"""What becomes of a target that kills whatever is done with it? (FR-1)"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection

from tenax.compose.crawler import Crawler
from tenax.compose.replay import make_replay
from tenax.crawl.run import conclude
from tenax.fetch.reading import Died, Reading, examine
from tenax.model import Page, State
from tenax.model.record import RecordRule
from tenax.page.verdict.pattern_table import shipped
from tenax.page.verdict.validate import PageVerdict
from tenax.ports.handled import RecordFilter
from tenax.ports.replayed import PageFilter
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, simulate, start_job
from tests.simulate.sites import assert_whole, record

HOME = "https://a.example/"


def test_a_target_that_four_processes_have_died_of_is_given_up_without_a_request() -> None:
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


TITLES = Settings(
    contact="mailto:test@example.org",
    records=(RecordRule(name="titled", pattern="*", fields={"title": "title"}),),
)


class Copy:
    """A process of its own: it reads well, and what else is done there ends like this in turn."""

    def __init__(self, *ends: Died | None) -> None:
        self._ends = list(ends)

    async def read(self, reading: Reading) -> Page | PageVerdict | Died | None:
        return examine(reading, shipped())

    async def died(self, work: Callable[[], Awaitable[object]], seconds: float) -> Died | None:
        if (end := self._ends.pop(0)) is None:
            await work()
        return end


class Outcome(Struct):
    state: State
    records: int
    errors: list[str]
    deaths: list[tuple[object, ...]]
    noted: int


def visited(deaths: int, *ends: Died | None) -> Outcome:
    """A page that was in hand when so many processes died, and how its rehearsals end: that of its
    handler, then that of its links."""

    async def story(web: SimulatedWeb, app: Crawler) -> Outcome:
        fetcher, handling, copy = app.parts.fetcher, app.parts.handling, Copy(*ends)
        assert handling is not None
        fetcher.alone, fetcher.rehearsal, handling.rehearsal = copy, copy, copy
        noted: list[str] = []
        begin = app.ledger.reading_note.begin

        def heard(target_id: int, url: str, *, goes_on: bool = False) -> None:
            noted.append(url)
            begin(target_id, url, goes_on=goes_on)

        app.ledger.reading_note.begin = heard  # type: ignore[method-assign]
        web.at(HOME, page("hello"))
        job = await start_job(app, HOME)
        target = await record(app, HOME)
        await sql(app, f"INSERT INTO crashes VALUES ({target.id}, {deaths}, 0.0, '')")
        await app.run(job).run()
        await conclude(app.parts, job)
        await assert_whole(app)
        return Outcome(
            (await record(app, HOME)).state,
            len(await app.ledger.records.find(RecordFilter(name="titled"))),
            [failure.error for failure in await app.ledger.records.failures()],
            await sql(app, "SELECT count FROM crashes"),
            len(noted),
        )

    return simulate(story, TITLES)


def test_a_page_that_was_in_hand_at_every_kill_has_its_record_and_no_further_kill_counts() -> None:
    """Whoever kills a program kills it while it reads something (decision 0029)."""
    for deaths in (1, 3):
        assert visited(deaths, None, None) == Outcome(State.DONE, 1, [], [], 0)


def test_only_what_kills_a_process_of_its_own_is_not_done_with_a_page() -> None:
    segv, late = Died("SIGSEGV, read alone"), Died("it took more than 1 s", is_sure=False)
    by_handler = visited(1, segv, None)
    assert (by_handler.state, by_handler.records, by_handler.noted) == (State.DONE, 0, 0)
    assert "SIGSEGV" in by_handler.errors[0]
    assert by_handler.deaths == [(1,)], "the next visit rehearses it, too"
    by_links = visited(1, None, segv)
    assert (by_links.state, by_links.records) == (State.FAILED, 0)
    # Where it is not clear, a death counts as it always did.
    assert visited(2, late, late) == Outcome(State.DONE, 1, [], [], 2)
    assert visited(3, late, late).records == 0


def test_a_replay_does_not_ask_handlers_what_a_process_has_died_of() -> None:
    """It has nobody who would start it again."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("hello"))
        await crawl(app, HOME)
        target = await record(app, HOME)
        await sql(app, f"INSERT INTO crashes VALUES ({target.id}, 1, 0.0, '')")
        for end, failures in ((Died("SIGSEGV, read alone"), {"rule titled": 1}), (None, {})):
            replay = await make_replay(
                app.ledger, PageFilter(), dry=False, links=False, threads=False
            )
            replay._rehearsal = Copy(end)
            tally = await replay.stretch(0, target.id)
            assert (tally.handled, tally.failures) == (1, failures)
        assert await app.ledger.rereads.deadly(target.id, target.id + 9) == frozenset()
        assert len(await app.ledger.records.find(RecordFilter(name="titled"))) == 1

    simulate(story, TITLES)


async def sql(app: Crawler, text: str) -> list[tuple[object, ...]]:
    def work(connection: Connection) -> list[tuple[object, ...]]:
        result = connection.execute(sa.text(text))
        return [tuple(row) for row in result] if result.returns_rows else []

    return await app.ledger.database.write(work)
