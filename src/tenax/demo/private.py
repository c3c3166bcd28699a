"""Which sites must be left alone? One says so in robots.txt, one can't say anything."""

from __future__ import annotations

from dataclasses import dataclass

from tenax.demo.site import Reply, Site, SiteRequest, listing, paragraphs
from tenax.demo.truth import Truth
from tenax.demo.words import TOWN, Dice, paragraph

ROOMS = ("diary", "letters", "photographs")


@dataclass
class PrivateSite(Site):
    """Closed to tenax by name, open to everyone else."""

    name: str = "private"
    title: str = "A Private Collection"
    tagline: str = "Visitors welcome, robots by arrangement."

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case ["robots.txt"]:
                return self._rules()
            case [""]:
                links = [(f"/{room}", room.capitalize()) for room in ROOMS]
                return self._room("The collection", listing(links))
            case [room] if room in ROOMS:
                return self._room(room.capitalize(), "")
            case _:
                return self.missing()

    def truth(self) -> Truth:
        closed = {self.at(path): "robots" for path in ("/", *(f"/{room}" for room in ROOMS))}
        return Truth(front=self.url, never=closed, never_under=(self.url,))

    def _rules(self) -> Reply:
        return self.robots("User-agent: tenax", "Disallow: /", "", "User-agent: *", "Allow: /")

    def _room(self, title: str, more: str) -> Reply:
        dice = Dice(self.name, title)
        text = paragraphs([paragraph(dice, TOWN) for _ in range(3)])
        return self.page(title, f"<h1>{title}</h1>\n{text}{more}")


@dataclass
class BrokenRobotsSite(PrivateSite):
    """Its robots.txt can't be read, so everything counts as closed (RFC 9309 section 2.3.1.4)."""

    name: str = "brokenrobots"
    title: str = "The House with the Broken Bell"
    tagline: str = "Ring twice; nobody will hear you."

    def _rules(self) -> Reply:
        return Reply(b"robots.txt is out of order\n", status=503, kind="text/plain", modified="")
