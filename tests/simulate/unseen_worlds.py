"""Sites as other known software makes them, written while the rule had its last change and not run
before it was final (URL-6, decision 0031)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tenax.model import Response
from tests.simulate.beside import below, beside, query, story
from tests.simulate.more_healthy import PHRASES, Page, made, paged
from tests.simulate.worlds import World, html, number, prose

# Healthy sites.


def genealogy(count: int = 420) -> World:
    """Persons with a name and years, and who their parents, partner and children are."""
    first = [p.split()[0] for p in PHRASES]
    last = [p.split()[1] for p in PHRASES[:12]]
    parents = {n: Random(f"parents {n}").sample(range(max(0, n - 40), n), 2)
               for n in range(2, count)}  # fmt: skip
    children: dict[int, list[int]] = {n: [] for n in range(count)}
    for n, both in parents.items():
        for m in both:
            children[m].append(n)

    def name(n: int) -> str:
        dice = Random(f"name {n}")
        return f"{dice.choice(first)} {dice.choice(last)}"

    pages: dict[str, Page] = {"/": ("Family tree", "", ["/person/I1"])}
    for n in range(count):
        kin = [*parents.get(n, [1 - n]), *children[n]]
        body = f"<p>{1700 + n // 2}-{1750 + n // 2}</p>" + "".join(f"<p>{name(m)}</p>" for m in kin)
        pages[f"/person/I{n + 1}"] = (name(n), body, [f"/person/I{m + 1}" for m in kin])
    return made("genealogy", pages)


def minutes(count: int = 330) -> World:
    """Meetings of a parish council by "previous meeting" alone: present, apologies, adjourned."""
    names = [prose("councillor", n, words=1) for n in range(18)]
    pages: dict[str, Page] = {"/": ("Council", "<p>Last meeting</p>", [f"/minutes/{count}"])}
    for n in range(1, count + 1):
        dice = Random(f"meeting {n}")
        came = "".join(f"<p>{who}</p>" for who in dice.sample(names, 7))
        said = f"<p>It was resolved to {prose('motion', n, words=14)}.</p>" if n % 4 == 0 else ""
        before = [f"/minutes/{n - 1}"] if n > 1 else []
        pages[f"/minutes/{n}"] = ("Minutes", f"<p>Present</p>{came}{said}", before)
    return made("minutes", pages)


def parts_of_a_machine(width: int = 6, depth: int = 3) -> World:
    """A catalogue of spare parts by drawing: groups, drawings, numbers, and nothing said twice."""
    pages: dict[str, Page] = {}

    def grow(at: str, level: int) -> None:
        below_it = [f"{at}/{n:02}" for n in range(1, width + 1)] if level < depth else []
        dice = Random(at)
        body = f"<p>Fig. {dice.randrange(100, 999)}-{dice.randrange(10, 99)}</p>"
        up = [at.rpartition("/")[0] or "/"]
        pages[at or "/"] = (dice.choice(PHRASES), body, below_it + (up if at else []))
        for path in below_it:
            grow(path, level + 1)

    grow("/epc", 0)
    pages["/"] = ("Spare parts", "", ["/epc"])
    return made("drawings", pages)


def hymnal(count: int = 360) -> World:
    """Hymns with their first line and metre; indices by metre, and neighbours of one tune."""
    pages: dict[str, Page] = {}
    for n in range(1, count + 1):
        dice = Random(f"hymn {n}")
        body = f"<p>{prose('hymn', n, words=9)}</p><p>{dice.choice(['8.8.8.8', '8.6.8.6'])}</p>"
        near = [f"/hymn/{m}" for m in (n - 1, n + 1) if 1 <= m <= count]
        pages[f"/hymn/{n}"] = (f"Hymn {n}", body, near)
    paged(pages, "/", "/index/", list(pages), 40, "Index")
    return made("hymnal", pages)


def chess_openings(count: int = 380) -> World:
    """Positions by moves: each names the moves that are known from it; many meet again."""
    moves = "e4 e5 d4 d5 Nf3 Nc6 c4 c5 Bb5 a6 g3 g6 Nf6 O-O".split()  # noqa: SIM905 - shorter
    dice = Random("openings")
    below_it: dict[int, list[int]] = {n: [] for n in range(count)}
    for n in range(1, count):
        below_it[dice.randrange(max(0, n - 30), n)].append(n)
        if n % 5 == 0:
            below_it[dice.randrange(max(0, n - 30), n)].append(n)

    def path(n: int) -> str:
        return f"/position/{Random(f'key {n}').getrandbits(48):012x}" if n else "/position/start"

    pages: dict[str, Page] = {"/": ("Openings", "", [path(0)])}
    for n in range(count):
        body = "".join(
            f"<p>{moves[m % 14]} {Random(f'{n} {m}').randrange(100)}%</p>" for m in below_it[n]
        )
        pages[path(n)] = ("Position", body, [path(m) for m in below_it[n]])
    return made("openings", pages)


def herbarium(sheets: int = 400) -> World:
    """Sheets out of a few collectors, places and plants; each names those of its collector."""
    pages: dict[str, Page] = {"/": ("Herbarium", "", ["/sheet/K000001"])}
    for n in range(sheets):
        dice = Random(f"sheet {n}")
        body = "".join(f"<p>{dice.choice(PHRASES)}</p>" for _ in range(3)) + "<p>Dried.</p>"
        near = [m for m in (n + 1, n + 7, n - 7, n + 31) if 0 <= m < sheets]
        pages[f"/sheet/K{n + 1:06}"] = (
            dice.choice(PHRASES), body, [f"/sheet/K{m + 1:06}" for m in near],
        )  # fmt: skip
    return made("herbarium", pages)


def bus_fares(zones: int = 20) -> World:
    """What a ride costs from any zone to any other: as many pages as there are pairs."""
    pages: dict[str, Page] = {
        "/": ("Fares", "", [f"/fares/{a}" for a in range(zones)]),
    }
    for a in range(zones):
        pages[f"/fares/{a}"] = (f"From {a}", "", [f"/fares/{a}/{b}" for b in range(zones)])
        for b in range(zones):
            body = f"<p>{1.2 + abs(a - b) * 0.35:.2f} EUR</p><p>Children half.</p>"
            pages[f"/fares/{a}/{b}"] = ("Fare", body, ["/"])
    return made("fares", pages)


# Traps, each beside what is wanted.


def colour_mixer() -> World:
    """A colour, and those a little lighter, darker, redder and bluer, for ever."""

    def within(path: str) -> Response | None:
        code = path.removeprefix("/colour/")
        if not path.startswith("/colour/") or len(code) != 6:
            return None
        red, green, blue = (int(code[n : n + 2], 16) for n in (0, 2, 4))
        near = [(red + a, green + b, blue + c) for a, b, c in
                ((5, 5, 5), (-5, -5, -5), (9, 0, 0), (0, 0, 9))]  # fmt: skip
        body = f"<p>rgb {red} {green} {blue}</p><p>{100 * red // 256}% red</p>"
        links = [f"/colour/{r % 256:02x}{g % 256:02x}{b % 256:02x}" for r, g, b in near]
        return html(f"Colour {code}", body, links)

    return beside("colours", ["/colour/336699"], within, below("/colour/"))


def dead_end_maze() -> World:
    """Three of five pages name two more, the others none; what they say is put together."""

    def within(path: str) -> Response | None:
        if not path.startswith("/cellar/"):
            return None
        dice = Random(path)
        said = f"<p>{dice.choice(PHRASES)}, {dice.choice(PHRASES)}</p>"
        links = [f"/cellar/{dice.getrandbits(40):010x}" for _ in range(2)]
        return html("Cellar", said, links if dice.random() < 0.6 else [])

    entries = [f"/cellar/{n:010x}" for n in range(12)]
    return beside("dead-ends", entries, within, below("/cellar/"))


def mirror_of_days() -> World:
    """A diary of a machine: uptime, the days beside it, and the same one last year."""

    def within(path: str) -> Response | None:
        n = number(path, "/status/day/")
        if n is None:
            return None
        body = f"<p>All systems operational.</p><p>{Random(n).randrange(97, 100)}% up</p>"
        return html("Status", body, [f"/status/day/{m}" for m in (n - 1, n + 1, n - 365) if m > 0])

    return beside("status-days", ["/status/day/738000"], within, below("/status/"))


def page_builder() -> World:
    """Any story with any of its boxes open or closed, by a query that grows."""
    boxes = [f"b{n}" for n in range(9)]

    def within(path: str) -> Response | None:
        place, _, _ = path.partition("?")
        n = number(place, "/story/")
        q = query(path, place)
        if n is None or n >= 60 or q is None:
            return None
        opened = {box for box in q.get("open", "").split(".") if box in boxes}
        links = [f"{place}?open={'.'.join(sorted(opened ^ {box}))}" for box in boxes]
        return html(f"Story {n}", story(n) + "".join(f"<p>{b} is open</p>" for b in opened), links)

    return beside("boxes", [], within, lambda p: p.startswith("/story/") and "?" in p,
                  lambda n: [f"/story/{n}?open={box}" for box in boxes])  # fmt: skip


def seat_map() -> World:
    """Which seats are free, by performance, block and how far it is enlarged."""

    def within(path: str) -> Response | None:
        parts = path.removeprefix("/seats/").split("/")
        if not path.startswith("/seats/") or len(parts) != 3 or not all(map(str.isdecimal, parts)):
            return None
        show, block, zoom = map(int, parts)
        free = " ".join(f"{Random(path).randrange(1, 40)}{c}" for c in "ABCD")
        near = [(show + 1, block, zoom), (show, (block + 1) % 30, zoom), (show, block, zoom + 1)]
        return html("Seats", f"<p>Free: {free}</p>", [f"/seats/{a}/{b}/{c}" for a, b, c in near])

    return beside("seats", ["/seats/1/1/1"], within, below("/seats/"))


UNSEEN_HEALTHY: tuple[Callable[[], World], ...] = (
    genealogy, minutes, parts_of_a_machine, hymnal, chess_openings, herbarium, bus_fares,
)  # fmt: skip
UNSEEN_TRAPS: tuple[Callable[[], World], ...] = (
    colour_mixer, dead_end_maze, mirror_of_days, page_builder, seat_map,
)  # fmt: skip
