"""Does a page that was made to take all memory cost a crawl that one page, and nothing else?"""

from __future__ import annotations

from dataclasses import dataclass

from bench.hostile_pages import opened
from tenax.demo import Reply, Site, SiteRequest, Truth, serving
from tests.e2e.command import Tenax

HOSTILE = {
    "formatting": b"<p>" + opened(480) + b"<p>x" * 500_000,
    "attributes": b"".join(b"<html a%d=1>" % n for n in range(40_000)),
    "tables": b"<table>" + opened(300) + b"<tr>x" * 200_000,
}


@dataclass
class BombSite(Site):
    """Ten healthy pages, and three that unpack to much more than they are."""

    name: str = "bombs"

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case ["robots.txt"]:
                return self.robots()
            case [path] if path in HOSTILE:
                return Reply(HOSTILE[path], codings=("gzip",))
            case _:
                links = [*HOSTILE, *(f"page/{n}" for n in range(1, 10))]
                return self.page(
                    f"Page {request.segments}",
                    "<p>A page of its own, healthy and short, with a few words to read.</p>"
                    + " ".join(f'<a href="/{link}">{link}</a>' for link in links),
                )

    def truth(self) -> Truth:
        return Truth(front=self.url)


def test_three_pages_that_would_take_gigabytes_are_told_and_the_others_stored(tenax: Tenax) -> None:
    with serving([BombSite()]) as web:
        ended = tenax.crawl(web.seeds[0], "--delay", "0", "--json")
        told = tenax.run("why", f"{web.seeds[0]}formatting")
        fetched = tenax.run("fetch", f"{web.seeds[0]}tables", allow_private="127.0.0.1/32")
    assert ended.code == 0, ended.err
    assert (ended.json["pages"], ended.json["failed"]) == (10, 3)
    assert "died" not in ended.err
    assert "Traceback" not in ended.err
    assert "too_large: a tree of up to" in told.out
    assert "too_large" in fetched.out + fetched.err
    letters = tenax.run("dead", "--json").out
    assert all(path in letters for path in HOSTILE)
    assert "too_large" in letters
    assert tenax.audit().code == 0
