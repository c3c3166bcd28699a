"""What is a large plain site like? Any number of small pages, none far from the front."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tenax.demo.site import Reply, Site, SiteRequest, is_number
from tenax.demo.truth import Truth
from tenax.demo.words import TOWN, Dice, sentence

DEPTH = 9
"""No page is further than this from the front page: the default depth limit is 10."""


@dataclass
class TreeSite(Site):
    """`pages` pages with about `links` links each, every answer after `delay` seconds.

    Page n links to its children in a tree that reaches every page, then here and there.
    """

    name: str = "tree"
    title: str = "The Index"
    tagline: str = "One page leads to another."
    pages: int = 5000
    links: int = 20
    delay: float = 0.0

    def __post_init__(self) -> None:
        if self.pages < 1 or self.links < 1:
            raise ValueError(
                f"TreeSite(pages={self.pages}, links={self.links}): both must be at least 1."
            )
        self._branches = max(self.links // 2, _branches_for(self.pages))

    def answer(self, request: SiteRequest) -> Reply:
        reply = self._choose(request)
        reply.delay = self.delay
        return reply

    def truth(self) -> Truth:
        return Truth(front=self.url, pages=frozenset(self.expected_urls()))

    def expected_urls(self) -> set[str]:
        """Every page, as the URL its links spell."""
        return {self.origin + _path(number) for number in range(self.pages)}

    def neighbours(self, number: int) -> list[int]:
        """The pages that page `number` links to, its children first."""
        first = number * self._branches + 1
        found = dict.fromkeys(range(first, min(first + self._branches, self.pages)))
        # Multiplying by a large odd number scatters as well as dice do, at no cost.
        start, wanted = number * 2_654_435_761, self.links - len(found)
        for step in range(1, wanted + 1):
            found[(start + step * 40_503 + step * step) % self.pages] = None
        found.pop(number, None)
        return list(found)

    def _choose(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self._page(0)
            case ["p", number] if is_number(number, self.pages - 1):
                return self._page(int(number))
            case ["robots.txt"]:
                return self.robots()
            case _:
                return self.missing()

    def _page(self, number: int) -> Reply:
        stock = _stock()
        turn, place = divmod(number, len(stock))
        text = " ".join([stock[(place * step + turn) % len(stock) - step] for step in (1, 7, 61)])
        links = " ".join(
            [f'<a href="{_path(each)}">Page {each}</a>' for each in self.neighbours(number)]
        )
        title = f"Page {number}"
        return self.page(title, f"<h1>{title}</h1>\n<p>{text}</p>\n<p>{links}</p>")


@cache
def _stock() -> list[str]:
    """Sentences to choose from: making new ones for every page would be most of its cost."""
    dice = Dice("tree")
    return [sentence(dice, TOWN) for _ in range(1021)]


def _path(number: int) -> str:
    return f"/p/{number}" if number else "/"


def _branches_for(pages: int) -> int:
    """The fewest branches with which a tree of DEPTH levels holds that many pages."""
    branches = 2
    while (branches ** (DEPTH + 1) - 1) // (branches - 1) < pages:
        branches += 1
    return branches
