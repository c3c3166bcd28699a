"""What is a flaky site like? Some pages fail at first, each in its own way, then recover."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tenax.demo.site import Cut, Reply, Site, SiteRequest, is_number, listing, paragraphs
from tenax.demo.truth import Truth
from tenax.demo.words import TOWN, Dice, paragraph

FAILURES = ("unavailable", "error", "reset", "throttled", "truncated")


@dataclass
class FlakySite(Site):
    """Page n of `pages` fails `times` times when it is one of the `failing` first even ones.

    By default five failures in all: a host that fails six times within minutes is locked for
    a while by a careful crawler, and a demo should not take that long.
    """

    name: str = "flaky"
    title: str = "Loose Contact"
    tagline: str = "Please try again; it usually works."
    pages: int = 12
    failing: int = 5
    times: int = 1
    asked: Counter[str] = field(default_factory=Counter, init=False)

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self._front()
            case ["robots.txt"]:
                return self.robots()
            case ["item", number] if is_number(number, self.pages):
                return self._item(int(number), request.path)
            case _:
                return self.missing()

    def truth(self) -> Truth:
        paths = ["/", *(f"/item/{number}" for number in range(1, self.pages + 1))]
        return Truth(front=self.url, pages=self.all_at(paths))

    def failure(self, number: int) -> str | None:
        """How page `number` fails at first; None for the healthy ones."""
        order = number // 2
        if number % 2 or order > self.failing:
            return None
        return FAILURES[(order - 1) % len(FAILURES)]

    def _front(self) -> Reply:
        links = [(f"/item/{number}", _title(number)) for number in range(1, self.pages + 1)]
        text = paragraphs([paragraph(Dice("flaky"), TOWN)])
        return self.page("Items", f"<h1>Items, most of them in order</h1>\n{text}{listing(links)}")

    def _item(self, number: int, path: str) -> Reply:
        self.asked[path] += 1
        failure = self.failure(number)
        if failure and self.asked[path] <= self.times:
            return self._fail(failure, number)
        return self._healthy(number)

    def _healthy(self, number: int) -> Reply:
        dice = Dice("flaky", number)
        text = paragraphs([paragraph(dice, TOWN) for _ in range(3)])
        after = number % self.pages + 1
        more = f'<p><a href="/item/{after}">Next: {_title(after)}</a></p>'
        return self.page(_title(number), f"<h1>{_title(number)}</h1>\n{text}\n{more}")

    def _fail(self, failure: str, number: int) -> Reply:
        wait = (("Retry-After", "1"),)
        match failure:
            case "unavailable":
                return Reply(b"<h1>Back in a second</h1>", status=503, headers=wait, modified="")
            case "error":
                return Reply(b"<h1>Something broke</h1>", status=500, modified="")
            case "throttled":
                return Reply(b"<h1>Too many requests</h1>", status=429, headers=wait, modified="")
            case "reset":
                return Reply(cut=Cut.RESET)
            case _:
                reply = self._healthy(number)
                reply.cut = Cut.TRUNCATED
                return reply


def _title(number: int) -> str:
    dice = Dice("flaky", "title", number)
    return f"Item {number}: the {dice.pick(TOWN['colour'])} {dice.pick(TOWN['material'])} box"
