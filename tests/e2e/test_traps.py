"""What do the demo web's traps cost an ordinary crawl? (URL-6)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tenax.cli.crawl.demo import settings_file
from tenax.demo import SITES, DemoWeb, Site, TreeSite, Truth, serving, truth
from tenax.model import JobSpec
from tenax.urls.normalise import IdentityRules, normalise
from tests.e2e.command import EVERY_SOURCE, Ended, Tenax

RULES = IdentityRules(JobSpec().drop_parameters, drop_trailing_slash=False)
NO_LIMIT = 1_000_000
PATIENCE = 400.0
"""Two thousand pages and more take a quarter of a minute on a quiet machine."""
pytestmark = pytest.mark.timeout(500)
SMALL = ("shop", "news", "docs", "traps")


@dataclass(frozen=True)
class Crawled:
    ended: Ended
    audit: Ended
    web: DemoWeb
    truths: dict[str, Truth]
    requests: int
    trapped: Counter[tuple[str, str]]
    """Requests by site and trap."""
    stored: set[str]
    why: str
    host: str
    spent: list[tuple[str, int, int]]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """The sites with traps, and healthy ones beside them, with no limit but the depth."""
    sites = (*SMALL, TreeSite(pages=1500))
    folder = tmp_path_factory.mktemp("traps")
    yield from crawl_of(folder, sites, job__max_pages=NO_LIMIT, pace__delay=0.0)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """All of the demo web as `tenax demo` crawls it, but for pages made by scripts."""
    yield from crawl_of(tmp_path_factory.mktemp("demo"), tuple(SITES))


def crawl_of(folder: Path, sites: Sequence[str | Site], **settings: object) -> Iterator[Crawled]:
    tenax = Tenax(folder)
    file = tenax.folder / "tenax.toml"
    file.write_text(settings_file(tenax.data))
    try:
        with serving(sites) as web:
            running = tenax.start_crawl(
                *web.seeds, "--job", "demo", "--config", str(file),
                browser__executable="/nowhere", job__discover=EVERY_SOURCE, **settings,
            )  # fmt: skip
            ended = running.wait(PATIENCE)
            truths = truth(web)
            trapped: Counter[tuple[str, str]] = Counter()
            asked = [visit for visit in web.log if visit.path != "/robots.txt"]
            for visit in asked:
                url = normalise(web.sites[visit.site].origin + visit.path, RULES)
                if trap := truths[visit.site].trap_of(url):
                    trapped[visit.site, trap.name] += 1
            stored = {str(normalise(page.final_url, RULES)) for page in tenax.pages()}
            front = web.sites["traps"].origin
            yield Crawled(
                ended, tenax.audit(), web, truths, len(asked), trapped, stored,
                why=tenax.run("why", front + _deferred(tenax)).out,
                host=tenax.run("hosts", front).out,
                spent=_spent(tenax),
            )  # fmt: skip
    finally:
        tenax.clean_up()


def test_the_crawl_ends_by_itself(crawled: Crawled) -> None:
    assert crawled.ended.code == 0, crawled.ended.err
    assert crawled.audit.code == 0, crawled.audit.out


def test_no_trap_takes_more_than_a_few_hundred_requests(crawled: Crawled) -> None:
    """The budget of a host, and what it takes to know them."""
    bounds = bounds_of(crawled)
    assert set(crawled.trapped) == set(bounds), "every trap was met"
    assert {name: n for name, n in crawled.trapped.items() if n > bounds[name]} == {}
    assert max(bounds.values()) <= 400


def test_the_budget_of_a_host_is_kept_by_all_that_are_under_way_at_once(crawled: Crawled) -> None:
    """Unpaced, so dozens are. What is left over may be spent once the job is done but for these."""
    over = {host: late - max(200, good // 10) for host, good, late in crawled.spent}
    assert {host: n for host, n in over.items() if n > 16} == {}
    assert max(over.values()) >= 0, "the budget of some host was spent"


def bounds_of(crawled: Crawled) -> dict[tuple[str, str], int]:
    truths = crawled.truths.items()
    return {(site, trap.name): trap.at_most for site, told in truths for trap in told.traps}


def test_so_it_is_of_the_demo(demo: Crawled) -> None:
    assert len(demo.trapped) == 10, "every trap was met"
    bounds = bounds_of(demo)
    assert {name: n for name, n in demo.trapped.items() if n > bounds[name]} == {}
    missed = {site: demo.truths[site].pages - demo.stored for site in demo.truths}
    assert {site: urls for site, urls in missed.items() if urls} == {}


@pytest.mark.parametrize("site", ["shop", "news", "docs", "traps", "tree"])
def test_everything_else_is_complete(crawled: Crawled, site: str) -> None:
    assert crawled.truths[site].pages - crawled.stored == set()


def test_what_was_deferred_is_told(crawled: Crawled) -> None:
    assert "deferred: " in crawled.why, crawled.why
    assert " visits brought nothing new" in crawled.why
    assert "fruitless   " in crawled.host
    assert " visits in job demo" in crawled.host


def _spent(tenax: Tenax) -> list[tuple[str, int, int]]:
    """By host the visits that brought something, and those of what was deferred."""
    query = (
        "SELECT hosts.name, sum(good), sum(late) FROM shapes"
        " JOIN hosts ON hosts.id = shapes.host_id GROUP BY hosts.name"
    )
    with tenax.ledger() as ledger:
        return [(str(name), int(good), int(late)) for name, good, late in ledger.execute(query)]


def _deferred(tenax: Tenax) -> str:
    """A path that was known, and not asked for in the end."""
    query = (
        "SELECT url FROM targets WHERE state = 'pending' AND url LIKE '/exhibits?%'"
        " AND reason LIKE 'deferred: %nothing new'"
    )
    with tenax.ledger() as ledger:
        return str(ledger.execute(query).fetchone()[0])
