"""What swallows crawlers? Calendars, sessions, recursion, mazes: pages without end or sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from urllib.parse import urlencode
from zlib import crc32

from tenax.demo.site import Reply, Site, SiteRequest, is_number, listing, paragraphs
from tenax.demo.truth import Trap, Truth
from tenax.demo.words import TOWN, Dice, fill, paragraph, slug

NOTES, ROOMS, LOBBIES = 6, 6, 3
LOST = ("old-offer", "spring-sale", "staff/2019/list")
FIRST_YEAR, LAST_YEAR = 1900, 9999
DEEPEST = 10**10
ORDERS = ["&".join(order) for order in permutations(("a=1", "b=2", "c=3"))]
DOORS = ("attic", "cellar", "kitchen", "library", "stable", "tower")
EXHIBITS = 12
VIEWS = {
    "sort": ("age", "maker", "name", "origin", "size", "value"),
    "view": ("cards", "grid", "list", "table"),
    "per": ("12", "24", "48", "96"),
    "light": ("day", "dusk", "night"),
    "labels": ("de", "en", "fr", "it"),
    "frame": ("gold", "none", "oak"),
}


@dataclass
class TrapsSite(Site):
    name: str = "traps"
    title: str = "The Labyrinth"
    tagline: str = "The way out is the way in."

    def answer(self, request: SiteRequest) -> Reply:
        path = request.path
        match request.segments:
            case [""]:
                return self._front()
            case ["robots.txt"]:
                return self.robots()
            case ["notes", number] if is_number(number, NOTES):
                return self._room(f"Note {number}", path, [("/", "Back to the entrance")])
            case ["calendar", year, month, *day]:
                return self._calendar(year, month, day)
            case ["session", room] if is_number(room, ROOMS):
                return self._session(int(room), request)
            case ["lobby", room] if is_number(room.partition(";")[0], LOBBIES):
                return self._lobby(int(room.partition(";")[0]), request)
            case ["a", *rest] if rest and set(rest) <= {"a", ""} and rest[-1] == "":
                return self._room(f"Corridor {len(rest)}", path, [("a/", "Onwards")])
            case ["grow"]:
                return self._grow(request)
            case ["deep", number] if is_number(number, DEEPEST):
                return self._room(f"Level {number}", path, [(f"/deep/{int(number) + 1}", "Down")])
            case ["lounge"]:
                return self._lounge(request)
            case ["mirror"] if sorted(request.query.split("&")) == ["a=1", "b=2", "c=3"]:
                links = [
                    (f"/mirror?{order}", f"Mirror {place}") for place, order in enumerate(ORDERS, 1)
                ]
                return self._room("The hall of mirrors", "mirror", links)
            case ["maze", *rest] if len(rest) == 1:
                return self._maze(path)
            case ["exhibits"]:
                return self._exhibits(request)
            case ["hall", *rooms] if rooms and rooms[-1] == "" and set(rooms[:-1]) <= set(DOORS):
                return self._hall(rooms[:-1])
            case ["missing", *rest] if any(rest):
                return self._soft_404()
            case _:
                return self.missing()

    def truth(self) -> Truth:
        paths = ["/", *(f"/notes/{number}" for number in _numbers(NOTES)), f"/mirror?{ORDERS[0]}"]
        paths += [f"/session/{number}" for number in _numbers(ROOMS)]
        paths += [f"/lobby/{number}" for number in _numbers(LOBBIES)]
        return Truth(
            front=self.url,
            pages=self.all_at(paths),
            garbage={self.at(f"/missing/{name}"): "soft_404" for name in LOST},
            traps=(
                Trap("a calendar without end", (self.at("/calendar/"),), at_most=150),
                Trap("a link relative to itself", (self.at("/a/"),), at_most=10),
                Trap("a growing query", (self.at("/grow"),), at_most=10),
                Trap("a chain without end", (self.at("/deep/"),), at_most=20),
                Trap("a fresh ticket per link", (self.at("/lounge"),), at_most=60),
                Trap("a maze of made-up pages", (self.at("/maze/"),), at_most=200),
                Trap("one list in thousands of views", (self.at("/exhibits?"),), at_most=400),
                Trap("rooms within rooms", (self.at("/hall/"),), at_most=150),
            ),
        )

    def _front(self) -> Reply:
        links = [(f"/notes/{number}", f"Note {number}") for number in _numbers(NOTES)]
        links += [(f"/missing/{name}", f"Lost: {name}") for name in LOST]
        links += [(f"/mirror?{order}", f"Mirror {place}") for place, order in enumerate(ORDERS, 1)]
        links += [
            ("/calendar/2026/11", "Events"),
            (f"/session/1?sid={_ticket('/')}", "Members"),
            (f"/lobby/1;jsessionid={_ticket('/').upper()}", "Lobby"),
            ("/a/", "The corridor"),
            ("/grow", "The growing question"),
            ("/deep/1", "The stairs"),
            (f"/lounge?visit={_ticket('/')}", "The lounge"),
            ("/maze/way-in", "The maze"),
            ("/exhibits?view=list", "Exhibits"),
            ("/hall/", "The hall"),
        ]
        return self._room("The entrance", "/", links)

    def _room(self, title: str, seed: str, links: Sequence[tuple[str, str]]) -> Reply:
        dice = Dice("traps", seed)
        text = paragraphs([paragraph(dice, TOWN) for _ in range(2)])
        return self.page(title, f"<h1>{title}</h1>\n{text}\n{listing(links)}")

    def _calendar(self, year: str, month: str, day: list[str]) -> Reply:
        """Month after month, each with a few empty days, until the year has no room left."""
        if not (len(year) == 4 and year.isdecimal() and month in _MONTHS and len(day) <= 1):
            return self.missing()
        months = int(year) * 12 + int(month) - 1
        if not FIRST_YEAR <= int(year) <= LAST_YEAR or (day and day[0] not in _DAYS):
            return self.missing()
        links = [
            (f"/calendar/{there // 12}/{there % 12 + 1:02d}", label)
            for step, label in (
                (-12, "A year ago"),
                (-1, "Before"),
                (1, "After"),
                (12, "Next year"),
            )
            if FIRST_YEAR <= (there := months + step) // 12 <= LAST_YEAR
        ]
        if not day:
            links += [(f"/calendar/{year}/{month}/{each}", f"The {each}th") for each in _DAYS]
        title = f"Events of {'/'.join((year, month, *day))}"
        text = "<p>Nothing has been announced for this time. Please look again later.</p>"
        return self.page(title, f"<h1>{title}</h1>\n{text}\n{listing(links)}")

    def _session(self, room: int, request: SiteRequest) -> Reply:
        """The same few rooms, at a new address from wherever one comes."""
        ticket = _ticket(request.target)
        links = [
            (f"/session/{each}?sid={ticket}", f"Members' room {each}") for each in _numbers(ROOMS)
        ]
        return self._room(f"Members' room {room}", f"session {room}", links)

    def _lobby(self, room: int, request: SiteRequest) -> Reply:
        ticket = _ticket(request.target).upper()
        links = [
            (f"/lobby/{each};jsessionid={ticket}", f"Lobby {each}") for each in _numbers(LOBBIES)
        ]
        return self._room(f"Lobby {room}", f"lobby {room}", links)

    def _grow(self, request: SiteRequest) -> Reply:
        asked = [each for each in request.query.split("&") if each]
        query = "&".join([*asked, f"step={len(asked) + 1}"])
        return self._room(f"Question {len(asked)}", "grow", [(f"/grow?{query}", "And then?")])

    def _lounge(self, request: SiteRequest) -> Reply:
        """A session parameter nobody has heard of: only the sameness of the pages gives it away."""
        tickets = [_ticket(f"{request.target} {door}") for door in range(3)]
        links = [(f"/lounge?visit={ticket}", "Another drink") for ticket in tickets]
        return self._room("The lounge", "lounge", links)

    def _maze(self, path: str) -> Reply:
        """Another text at every address, and from each of them the way to six more."""
        dice = Dice("maze", path)
        ways = [fill("{colour} {material} {place} {season}", dice, TOWN) for _ in range(6)]
        links = [(f"/maze/{slug(way)}-{dice.below(10**6)}", way.capitalize()) for way in ways]
        return self._room(ways[0].capitalize(), path, [*links, ("/", "The way out")])

    def _exhibits(self, request: SiteRequest) -> Reply:
        """Always the same twelve things: in whatever order, by whatever light."""
        chosen = {name: value for name, value in request.params.items() if name in VIEWS}
        links = [
            (f"/exhibits?{urlencode(sorted({**chosen, name: value}.items()))}", f"{name}: {value}")
            for name, values in VIEWS.items()
            for value in values
            if chosen.get(name) != value
        ]
        shown = Dice("exhibits", *sorted(chosen.values())).sample(range(EXHIBITS), EXHIBITS)
        text = paragraphs([paragraph(Dice("exhibit", each), TOWN, 1) for each in shown])
        return self.page("Exhibits", f"<h1>Exhibits</h1>\n{text}\n{listing(links)}")

    def _hall(self, rooms: list[str]) -> Reply:
        """Every room can be entered from every other, so the house is larger than the world."""
        here = rooms[-1] if rooms else "hall"
        links = [(f"{door}/", f"To the {door}") for door in DOORS if door != here]
        return self._room(f"The {here}", f"hall {here}", links)

    def _soft_404(self) -> Reply:
        main = (
            "<h1>Page not found</h1>\n<p>Sorry, the page you are looking for does not exist or has "
            "been removed. Please check the address, or go back to the entrance.</p>"
        )
        return self.page("Page not found", main)


_MONTHS = frozenset(f"{month:02d}" for month in range(1, 13))
_DAYS = ("04", "11", "18", "25")


def _numbers(last: int) -> list[str]:
    return [str(number) for number in range(1, last + 1)]


def _ticket(seed: str) -> str:
    return f"{crc32(seed.encode()):08x}{crc32(seed[::-1].encode()):08x}"
