"""Rules are bounded in memory over all hosts; what is let go of comes from the ledger again."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.hosts.robots_policy import RobotsPolicy
from tenax.model import ScopeKind, State
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, robots, simulate

MEMORY = 100_000
SETTINGS = Settings(contact="mailto:test@example.org")
LITTLE_ROOM = replace(SETTINGS, robots=RobotsPolicy(memory=MEMORY))
HOSTS = [f"https://h{n}.example" for n in range(8)]
RULES = "\n".join(f"Disallow: /private/{n}" for n in range(1_000))


def test_rules_of_many_hosts_stay_within_bounds_and_are_obeyed_all_the_same() -> None:
    """The rules of one take 49 kB: of eight hosts asked side by side, the room is for two."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for site in HOSTS:
            web.at(f"{site}/robots.txt", robots(f"User-agent: *\n{RULES}\nLicense: {site}/terms"))
            links = [f"{site}/private/{n}" for n in range(5)] + [f"{site}/{n}" for n in range(5)]
            web.at(f"{site}/", page(f"home of {site}", *links))
            for n in range(5):
                web.at(f"{site}/{n}", page(f"page {n} of {site}"))
        counts = await crawl(app, *(f"{site}/" for site in HOSTS), scope=ScopeKind.HOST)
        book = app.parts.gate._robots
        assert (counts.pages, counts.of(State.BLOCKED)) == (48, 40)
        asked = web.urls(robots=True)
        assert [asked.count(f"{site}/robots.txt") for site in HOSTS] == [1] * 8
        assert not [url for url in asked if "/private/" in url]
        assert 0 < book._size <= MEMORY
        assert len(book._known) == 2
        for record in await app.ledger.pages.find(limit=100):
            assert "robots License" in dict(record.rights)

    simulate(story, LITTLE_ROOM)
