"""What is a slow site like? Every answer takes its time, and one page arrives in drops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tenax.demo.site import Reply, Site, SiteRequest, is_number, listing, paragraphs
from tenax.demo.truth import Truth
from tenax.demo.words import TOWN, Dice, fill, paragraph

PAGES = 6


@dataclass
class SlowSite(Site):
    name: str = "slow"
    title: str = "The Tide Clock"
    tagline: str = "Everything here takes as long as it takes."
    delay: float = 0.3
    """Before the first byte of every answer, robots.txt included."""
    crawl_delay: float = 0.5
    drip: float = 0.05
    """Between the twenty pieces of the page that drips."""

    def answer(self, request: SiteRequest) -> Reply:
        reply = self._choose(request)
        reply.delay = self.delay
        return reply

    def truth(self) -> Truth:
        paths = ["/", "/drip", *(f"/hour/{number}" for number in range(1, PAGES + 1))]
        return Truth(front=self.url, pages=self.all_at(paths))

    def _choose(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self._front()
            case ["robots.txt"]:
                return self.robots(
                    "User-agent: *", f"Crawl-delay: {self.crawl_delay:g}", "Disallow:"
                )
            case ["drip"]:
                return self._story(
                    "The tap that was never mended", "drip", 8, chunked=True, drip=self.drip
                )
            case ["hour", number] if is_number(number, PAGES):
                return self._story(self._heading(int(number)), number, 4)
            case _:
                return self.missing()

    def _front(self) -> Reply:
        links = [(f"/hour/{number}", self._heading(number)) for number in range(1, PAGES + 1)]
        main = paragraphs([paragraph(Dice("slow"), TOWN)])
        main += listing([*links, ("/drip", "The tap that was never mended")])
        return self.page("A site in no hurry", f"<h1>A site in no hurry</h1>\n{main}")

    def _story(self, title: str, seed: str, length: int, **reply: Any) -> Reply:
        dice = Dice("slow", seed)
        main = paragraphs([paragraph(dice, TOWN) for _ in range(length)])
        return self.page(title, f"<h1>{title}</h1>\n{main}", **reply)

    def _heading(self, number: int) -> str:
        headline = fill(
            Dice("slow", "title", number).pick(TOWN["headline"]), Dice("slow", number), TOWN
        )
        return headline[0].upper() + headline[1:]
