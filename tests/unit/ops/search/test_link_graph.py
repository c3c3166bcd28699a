"""Is the link graph what the stored bodies say?"""

from __future__ import annotations

from tenax.compose.crawler import Crawler
from tenax.ops.search.link_graph import freshen
from tenax.ports.graph import Linked
from tenax.testing import SimulatedWeb, crawl, page, simulate

HOME = "https://a.example/"


def test_links_are_read_from_bodies_by_the_rules_of_the_job() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home", "/x", "/x#part", "/x?utm_source=y", "mailto:a@b.example"))
        web.at("https://a.example/x", page("x", "/", "https://b.example/"))
        await crawl(app, HOME)
        job = await app.parts.jobs.get("test")
        assert job is not None
        graph = app.ledger.graph
        assert await freshen(graph, app.ledger.content, job) == 2
        assert await freshen(graph, app.ledger.content, job) == 0
        assert await graph.most_linked(job.id, 10) == [
            Linked(HOME, 1),
            Linked("https://a.example/x", 1),
            Linked("https://b.example/", 1),
        ]

    simulate(play)
