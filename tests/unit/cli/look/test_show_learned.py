"""Does `tenax hosts HOST` tell what the host has taught? (DISC-2, DISC-3)"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import Result

from tenax.cli.look.show_learned import learned_lines
from tenax.compose.crawler import open_crawler
from tenax.jobs.revisit_policy import RecrawlPolicy
from tenax.model import DateArchive, HostRules, JobSpec, PageSeries, PathAnswer
from tenax.ops.why.learned import Lessons, learned_facts
from tenax.settings import Settings
from tests.cli import invoke
from tests.ledgers import settlement, target

POLICY = RecrawlPolicy()
RULES = HostRules(
    origin="https://a.example",
    series={
        "/shop?page={n}": PageSeries(
            2, 39, has_neighbours=True, read=39, between=30, beyond=2, missed=(40,),
            ended="page 40 is not there",
        ),
        "/blog/page/{n}/": PageSeries(2, 1_200, has_neighbours=True, leads_on=True, read=1_200),
        "/forum?start={n}": PageSeries(20, 60, is_offset=True, units=(20, 1)),
        "/seen/once?page={n}": PageSeries(7, 7),
    },
    archives={
        "/news/{Y}": DateArchive(
            "/news/{Y}/", "/news/{Y}/{M}/", there=(2025, 201903, 202512),
            missing=(201902, 202001, 202002), hits=(201903,), misses=(201902, 202001, 202002),
        ),
        "/old/{Y}": DateArchive("/old/{Y}/", "/old/{Y}/{M}/", missing=(202501,), misses=(202501,)),
        "/item/{Y}": DateArchive("/item/{Y}/", "/item/{Y}/{M}/", has_ids=True),
    },
    names={"/archive": PathAnswer.HIT, "/sitemap.xml": PathAnswer.MISS},
    asked={"/news/2020/03/": 1.0},
)  # fmt: skip


def lessons(rules: HostRules | None, lastmod: str = "", visits: int = 1_000) -> Lessons:
    return Lessons.of(rules, {"lastmod": lastmod} if lastmod else {}, visits)


def test_everything_it_taught_is_told() -> None:
    assert learned_lines(lessons(RULES), POLICY) == [
        "Learned here",
        "  listings    /shop?page={n}  pages 2 … 39, 30 guessed between, 2 guessed beyond;"
        " ended: page 40 is not there",
        "              /blog/page/{n}/  pages 2 … 1,200; its last page names no next",
        "              /forum?start={n}  offsets 20 … 60",
        "  archives    /news/{Y}/  2025 … 2025",
        "              /news/{Y}/{M}/  2019-03 … 2025-12, 2 missing",
        "              /old/{Y}/{M}/  none: 2025-01 was tried",
        "  names       /archive brought something, /sitemap.xml brought nothing",
        "  guesses     40 asked, 34 brought something new, 6 wasted (0.6% of 1,000 visits);"
        " 1 waiting",
    ]


def test_a_host_that_taught_nothing_has_no_such_section() -> None:
    assert learned_lines(lessons(None), POLICY) == []


def test_long_lists_are_cut() -> None:
    many = {f"/{n:02d}?page={{n}}": PageSeries(2, 9, has_neighbours=True) for n in range(12)}
    lines = learned_lines(lessons(HostRules(series=many)), POLICY)
    assert len(lines) == 12
    assert lines[-1] == "              and 2 more"
    assert len(learned_facts(lessons(HostRules(series=many))).listings) == 12


@pytest.mark.parametrize(
    ("honesty", "told"),
    [
        ({"honest": 9.0, "lied": 1.0, "calm": 4.0}, "believed: of the changes it told of, 90%"),
        ({"honest": 1.0, "lied": 9.0, "calm": 4.0}, "not believed: of the changes it told of, 10%"),
        ({"calm": 2.0}, "not known yet whether it can be believed"),
    ],
)
def test_whether_its_sitemaps_tell_the_truth_is_told(honesty: dict[str, float], told: str) -> None:
    (_, line) = learned_lines(lessons(None, json.dumps(honesty)), POLICY)
    assert line.startswith(f"  lastmod     {told}")


def test_what_a_site_wrote_cannot_move_the_cursor() -> None:
    rules = HostRules(series={"/\x1b[2Jx?page={n}": PageSeries(1, 2, has_neighbours=True)})
    assert "\x1b" not in "".join(learned_lines(lessons(rules), POLICY))


def run(folder: Path, *arguments: str) -> Result:
    done = invoke(["hosts", *arguments, "--data", str(folder)])
    assert done.exit_code == 0, done.output
    return done


async def test_the_command_tells_it(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path), contact="mailto:test@example.org")
    async with open_crawler(settings) as opened:
        job = await opened.parts.jobs.save("job", JobSpec(seeds=("https://a.example/",)))
        await opened.parts.frontier.add(job.id, [target("https://a.example/")])
        (assignment,) = await opened.parts.frontier.claim([job.id], 1)
        visit = settlement(assignment, assignment.targets[0])
        taught = replace(visit, learned=RULES, host=assignment.host)
        await opened.parts.frontier.commit([taught], [assignment.id])
    told = await asyncio.to_thread(run, tmp_path, "a.example")
    assert "Learned here" in told.stdout
    assert "/news/{Y}/{M}/  2019-03 … 2025-12, 2 missing" in told.stdout
    facts = json.loads((await asyncio.to_thread(run, tmp_path, "a.example", "--json")).stdout)
    learned = facts["learned"]
    assert learned["listings"][0]["path"] == "/shop?page={n}"
    assert learned["archives"][0]["there"] == [2025, 201903, 202512]
    assert learned["names"] == {"/archive": "hit", "/sitemap.xml": "miss"}
    assert learned["guesses"] == {
        "asked": 40, "hits": 34, "wasted": 6, "wasted_share": 6.0, "waiting": 1,
    }  # fmt: skip
