"""Traps that were written after the rule, and tried once before it was mended (URL-6)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from urllib.parse import urlencode

from tenax.model import Response
from tests.simulate.beside import below, beside, query, story
from tests.simulate.more_healthy import PHRASES
from tests.simulate.worlds import World, html, number, prose


def units() -> World:
    """Any length in any of five units, by folders."""
    names = ("km", "mile", "yard", "foot", "inch")

    def within(path: str) -> Response | None:
        parts = path.split("/")
        if len(parts) != 5 or parts[1] != "convert" or not parts[2].isdecimal():
            return None
        n, one, two = int(parts[2]), *parts[3:]
        links = [(m, one, two) for m in (n + 1, n + 5, n * 10)] + [(n, two, one)]
        links += [(n, one, each) for each in names if each not in (one, two)]
        body = f"<p>{n} {one} = {n * (1 + names.index(two) * 0.77):.3f} {two}</p>"
        return html("Units", body, [f"/convert/{a}/{b}/{c}" for a, b, c in links])

    return beside("units", ["/convert/1/km/mile"], within, below("/convert/"))


def moon() -> World:
    """How much of it is lit, on any day."""

    def within(path: str) -> Response | None:
        n = number(path, "/moon/")
        if n is None:
            return None
        lit = f"<p>{Random(n).uniform(0, 100):.2f} percent</p><p>Rises at {n % 24}:{n % 60:02}</p>"
        return html("Moon", lit, [f"/moon/{m}" for m in (n - 1, n + 1, n + 28)])

    return beside("moon", ["/moon/20000"], within, below("/moon/"))


def rooms() -> World:
    """Nights and guests, for any date."""

    def within(path: str) -> Response | None:
        q = query(path, "/rooms")
        if q is None:
            return None
        day, nights, guests = int(q["day"]), int(q["nights"]), int(q["guests"])
        links = [(day + 1, nights, guests), (day - 1, nights, guests), (day, nights + 1, guests),
                 (day, nights, guests % 6 + 1)]  # fmt: skip
        body = (
            "<p>Sorry, there is no room.</p>" if (day + nights) % 3 else "<p>One room is left.</p>"
        )
        return html("Rooms", body, [f"/rooms?day={a}&nights={b}&guests={c}" for a, b, c in links])

    return beside("rooms", ["/rooms?day=500&nights=1&guests=2"], within, below("/rooms"))


def highlights() -> World:
    """Each story with any of its words marked, at an address of its own."""

    def within(path: str) -> Response | None:
        place, _, word = path.partition("?highlight=")
        n = number(place, "/story/")
        if n is None or n >= 60 or not word:
            return None
        return html(f"Story {n}", story(n).replace(word, f"<b>{word}</b>"), own(n))

    def own(n: int) -> list[str]:
        return [
            f"/story/{n}?highlight={word}" for word in sorted(set(prose("story", n).split()))[:25]
        ]

    return beside("highlights", [], within, lambda path: "?highlight=" in path, own)


def mail_a_friend() -> World:
    """A form for each page of four hundred, which repeats its title."""
    pages = frozenset({"/", *(f"/item/{n}" for n in range(400))})

    def within(path: str) -> Response | None:
        if path == "/":
            return html("Items", "", [f"/item/{n}" for n in range(400)])
        n, of = number(path, "/item/"), number(path, "/mail-a-friend?item=")
        if n is not None and n < 400:
            return html(f"Item {n}", story(n), [f"/mail-a-friend?item={n}"])
        if of is None or of >= 400:
            return None
        return html("Mail this to a friend", "<p>Your name</p><p>Your friend</p>", [])

    return World("mail-a-friend", within, pages, below("/mail-a-friend"), 1_000)


def special_pages() -> World:
    """What links here, by any number on a page, from any place."""

    def within(path: str) -> Response | None:
        place, _, rest = path.partition("?")
        n = number(place, "/special/links/")
        if n is None or n >= 60:
            return None
        q = dict(pair.split("=") for pair in rest.split("&") if "=" in pair)
        limit, start = int(q.get("limit", 20)), int(q.get("from", 0))
        body = "".join(
            f'<p><a href="/story/{m % 60}">Story</a></p>' for m in range(start, start + 5)
        )
        links = [f"{place}?limit={k}&from={start}" for k in (20, 50, 100, 250, 500)]
        links += [f"{place}?limit={limit}&from={start + limit}"]
        return html("What links here", body, links)

    return beside(
        "special-pages", [], within, below("/special/"), lambda n: [f"/special/links/{n}"]
    )


def webcam() -> World:
    """A picture for every ten minutes."""

    def within(path: str) -> Response | None:
        parts = path.split("/")[2:]
        if not path.startswith("/cam/") or len(parts) != 4 or not all(p.isdecimal() for p in parts):
            return None
        at = ((int(parts[0]) * 28 + int(parts[1])) * 24 + int(parts[2])) * 6 + int(parts[3]) // 10

        def spell(t: int) -> str:
            return f"/cam/{t // 4032}/{t // 144 % 28:02}/{t // 6 % 24:02}/{t % 6 * 10:02}"

        links = [spell(at + d) for d in (-144, -6, -1, 1, 6, 144)]
        return html("Webcam", f'<img src="/i.jpg"><p>{parts[2]}:{parts[3]}</p>', links)

    return beside("webcam", ["/cam/300/05/10/20"], within, below("/cam/"))


def names() -> World:
    """Names that nobody has, made of syllables, and four more of them."""

    def within(path: str) -> Response | None:
        if not path.startswith("/name/"):
            return None
        dice = Random(path)
        made = [
            "".join(dice.choices(["ka", "lo", "mi", "ren", "tu", "sha"], k=4)) for _ in range(12)
        ]
        more = [f"/name/{''.join(dice.choices('abcdefgh', k=9))}" for _ in range(4)]
        return html(made[0].title(), f"<p>{' '.join(made)}</p>", more)

    return beside("names", ["/name/first"], within, below("/name/"))


def log_window() -> World:
    """Twenty lines of a log from any line on; there are five hundred, and then they repeat."""

    def within(path: str) -> Response | None:
        n = number(path, "/log?from=")
        if n is None:
            return None
        lines = "".join(f"<p>{prose('line', m % 500, words=6)}</p>" for m in range(n, n + 20))
        return html("Log", lines, [f"/log?from={m}" for m in (n + 1, n + 10, n + 20, n + 100)])

    return beside("log-window", ["/log?from=0"], within, below("/log"))


def comparisons() -> World:
    """Any two of eighty things side by side."""

    def within(path: str) -> Response | None:
        one, _, two = path.removeprefix("/compare/").partition("-vs-")
        if not path.startswith("/compare/") or not (one.isdecimal() and two.isdecimal()):
            return None
        a, b = int(one), int(two)
        body = f"<p>{prose('story', a % 60)}</p><p>{prose('story', b % 60)}</p>"
        links = [
            f"/compare/{x}-vs-{y}"
            for x, y in ((a, b + 1), (a + 1, b), (b, a), (a, b + 7))
            if x < 80 > y
        ]
        return html("Compared", body, links)

    return beside("comparisons", ["/compare/0-vs-1"], within, below("/compare/"))


def routes() -> World:
    """From anywhere to anywhere by way of anywhere."""

    def within(path: str) -> Response | None:
        q = query(path, "/route")
        if q is None:
            return None
        dice = Random(path)
        towns = [dice.choice(PHRASES).replace(" ", "-") for _ in range(5)]
        links = [urlencode({**q, key: town}) for town in towns for key in ("from", "to", "via")]
        said = " ".join(q.values()).replace("-", " ")
        return html(
            "Route", f"<p>{said}</p><p>Turn left. Turn right.</p>", [f"/route?{e}" for e in links]
        )

    return beside("routes", ["/route?from=here&to=there"], within, below("/route"))


def categories() -> World:
    """Eight categories in any order below each other."""
    names = prose("categories", words=8).split()

    def within(path: str) -> Response | None:
        chosen = path.removeprefix("/in/").split("/")
        if not path.startswith("/in/") or not set(chosen) <= set(names) or len(chosen) > 6:
            return None
        body = "".join(f'<p><a href="/story/{n}">Story {n}</a></p>' for n in range(0, 60, 5))
        return html(
            " ".join(chosen), body, [f"{path}/{name}" for name in names if name not in chosen]
        )

    return beside(
        "categories", [f"/in/{name}" for name in sorted(set(names))], within, below("/in/")
    )


def addresses() -> World:
    """Four numbers with their neighbours, and what was found out about them."""

    def within(path: str) -> Response | None:
        parts = path.removeprefix("/ip/").split(".")
        if not path.startswith("/ip/") or len(parts) != 4 or not all(p.isdecimal() for p in parts):
            return None
        n = [int(p) for p in parts]
        at = ((n[0] * 256 + n[1]) * 256 + n[2]) * 256 + n[3]
        near = [at + d for d in (1, 2, 256, 65536)]
        spelled = [f"/ip/{m >> 24 & 255}.{m >> 16 & 255}.{m >> 8 & 255}.{m & 255}" for m in near]
        return html(
            "Address",
            f"<p>AS{Random(path).randrange(60000)}</p><p>{PHRASES[n[3] % 9]}</p>",
            spelled,
        )

    return beside("addresses", ["/ip/10.0.0.1"], within, below("/ip/"))


def switches() -> World:
    """Letters of four sizes, on three grounds, with and without pictures, for each story."""
    options = {"size": "1234", "ground": "abc", "pictures": "yn"}

    def within(path: str) -> Response | None:
        place, _, rest = path.partition("?")
        n = number(place, "/story/")
        if n is None or n >= 60 or not rest:
            return None
        chosen = dict(pair.split("=") for pair in rest.split("&"))
        links = [
            urlencode(sorted({**chosen, k: v}.items())) for k, vs in options.items() for v in vs
        ]
        return html(f"Story {n}", story(n), [f"{place}?{link}" for link in links])

    def own(n: int) -> list[str]:
        return [f"/story/{n}?{k}={v}" for k, vs in options.items() for v in vs]

    return beside(
        "switches", [], within, lambda path: path.startswith("/story/") and "?" in path, own
    )


def cursors() -> World:
    """More of the same ten, behind another cursor each time."""

    def within(path: str) -> Response | None:
        q = query(path, "/feed")
        if q is None:
            return None
        shown = Random(path).sample(range(60), 10)
        body = "".join(f'<p><a href="/story/{n}">Story {n}</a></p>' for n in shown)
        return html("Latest", body, [f"/feed?cursor={Random(path).getrandbits(64):016x}"])

    return beside("cursors", ["/feed?cursor=0"], within, below("/feed"))


def empty_archive() -> World:
    """Months and years without an entry, back to the beginning of time."""

    def within(path: str) -> Response | None:
        parts = path.removeprefix("/archive/").split("/")
        if (
            not path.startswith("/archive/")
            or not all(p.isdecimal() for p in parts)
            or len(parts) > 2
        ):
            return None
        year = int(parts[0])
        if len(parts) == 1:
            links = [f"/archive/{year}/{m:02}" for m in range(1, 13)]
            return html(f"Year {year}", "<p>No entries.</p>", [*links, f"/archive/{year - 1}"])
        return html("A month", "<p>No entries.</p>", [f"/archive/{year - 1}/{parts[1]}"])

    return beside("empty-archive", ["/archive/2026"], within, below("/archive/"))


def ancestors() -> World:
    """Everybody had two parents; their names and lives were made up."""

    def within(path: str) -> Response | None:
        if not path.startswith("/person/"):
            return None
        dice = Random(path)
        parents = [f"/person/{dice.getrandbits(44):x}" for _ in range(2)]
        return html(dice.choice(PHRASES), f"<p>{prose('life', path, words=40)}</p>", parents)

    return beside("ancestors", ["/person/1"], within, below("/person/"))


def results_by_time() -> World:
    """The state of a vote at any second."""

    def within(path: str) -> Response | None:
        n = number(path, "/vote?t=")
        if n is None:
            return None
        links = [f"/vote?t={m}" for m in (n + 1, n + 60, n + 3600)]
        return html("Vote", f"<p>Yes {n % 97} percent</p><p>No {100 - n % 97} percent</p>", links)

    return beside("results-by-time", ["/vote?t=1000"], within, below("/vote"))


def suggestions() -> World:
    """Whatever is not there is found, with eight things that are spelled alike."""

    def within(path: str) -> Response | None:
        if not path.startswith("/find/"):
            return None
        word, dice = path[6:], Random(path)
        alike = [word[:8] + dice.choice("aeiou") + dice.choice("rstln") for _ in range(8)]
        return html("Did you mean", "<p>We found nothing.</p>", [f"/find/{each}" for each in alike])

    return beside("suggestions", ["/find/lantern"], within, below("/find/"))


def redirectors() -> World:
    """Out by a page that says so; it can be left by a page that says so."""

    def within(path: str) -> Response | None:
        q = query(path, "/out")
        if q is None or len(path) > 600:
            return None
        body = f"<p>You are about to leave for {q.get('to', '')}</p>"
        return html("Leaving", body, [f"/out?{urlencode({'to': path + s})}" for s in ("", "&a=1")])

    def own(n: int) -> list[str]:
        return [f"/out?to=https%3A%2F%2Felsewhere.example%2F{n}%2F{k}" for k in range(3)]

    return beside("redirectors", [], within, below("/out"), own)


OTHER_TRAPS: tuple[Callable[[], World], ...] = (
    units, moon, rooms, highlights, mail_a_friend, special_pages, webcam, names, log_window,
    comparisons, routes, categories, addresses, switches, cursors, empty_archive, ancestors,
    results_by_time, suggestions, redirectors,
)  # fmt: skip
