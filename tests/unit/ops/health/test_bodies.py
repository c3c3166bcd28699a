"""Does the check of bodies find what is missing and what is damaged? (FR-10)"""

from __future__ import annotations

from pathlib import Path

import zstandard

from tenax.compose.crawler import Crawler
from tenax.ops.health.bodies import SOUND, THERE, Inspection, inspect
from tenax.testing import SimulatedWeb, crawl, page, simulate

HOME = "https://a.example/"


def inspected(change: bytes | None, *, count: int = 1) -> Inspection:
    """A crawl of three pages, after `count` of their body files were replaced or removed."""

    async def play(web: SimulatedWeb, app: Crawler) -> Inspection:
        web.at(HOME, page("home", "/one", "/two"))
        web.at("https://a.example/one", page("one"))
        web.at("https://a.example/two", page("two"))
        await crawl(app, HOME)
        spoil(Path(app.ledger.settings.data), change, count)
        return await inspect(app.ledger.pages, app.ledger.content)

    return simulate(play)


def spoil(folder: Path, change: bytes | None, count: int) -> None:
    for file in sorted(folder.rglob("*.zst"))[:count]:
        if change is None:
            file.unlink()
        else:
            file.write_bytes(change)


def test_bodies_as_they_were_stored_are_whole() -> None:
    assert inspected(None, count=0) == Inspection(3, ())


def test_a_missing_body_is_found_and_its_page_named() -> None:
    (finding,) = inspected(None).findings
    assert (finding.promise, finding.count) == (THERE, 1)
    assert "https://a.example/" in finding.rows[0]


def test_a_body_that_cannot_be_unpacked_is_damaged_not_missing() -> None:
    (finding,) = inspected(b"no zstd frame").findings
    assert finding.promise == SOUND


def test_another_body_under_the_name_is_found() -> None:
    (finding,) = inspected(zstandard.compress(b"other bytes"), count=3).findings
    assert (finding.promise, finding.count) == (SOUND, 3)


def test_bodies_that_were_to_be_kept_for_a_while_may_be_gone() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> Inspection:
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        spoil(Path(app.ledger.settings.data), None, 1)
        return await inspect(app.ledger.pages, app.ledger.content, since=app.parts.clock.now())

    assert simulate(play) == Inspection(0, ())
