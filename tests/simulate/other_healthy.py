"""Healthy sites that were written after the rule, and tried once (URL-6)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.simulate.more_healthy import PHRASES, Page, figures, hash_of, made, paged
from tests.simulate.worlds import World, prose


def museum(rooms: int = 22, objects: int = 20) -> World:
    """A material, a century and a number."""
    pages: dict[str, Page] = {"/": ("Museum", "", [f"/room/{r}" for r in range(rooms)])}
    for r in range(rooms):
        shown = [f"/object/{r * objects + n}" for n in range(objects)]
        pages[f"/room/{r}"] = (f"Room {r}", "", shown)
        for path in shown:
            dice = Random(path)
            body = f"<p>{dice.choice(PHRASES[:10])}</p><p>{dice.randrange(2, 20)}th century</p>"
            pages[path] = (f"Object {path[8:]}", body, [f"/room/{r}"])
    return made("museum", pages)


def recipes(count: int = 260) -> World:
    """Lines of ingredients, out of sixty; by lists that are turned."""
    pages: dict[str, Page] = {}
    for n in range(count):
        dice = Random(f"recipe {n}")
        lines = "".join(f"<p>{dice.randrange(1, 9)} {dice.choice(PHRASES)}</p>" for _ in range(7))
        pages[f"/recipe/{prose('dish', n, words=2).replace(' ', '-')}-{n}"] = ("Dish", lines, ["/"])
    paged(pages, "/", "/recipes/page/", list(pages), 12, "Recipes")
    return made("recipes", pages)


def podcast(seasons: int = 14, episodes: int = 22) -> World:
    """Seasons that name the next one alone, episodes with a title and a length."""
    pages: dict[str, Page] = {"/": ("Podcast", "", ["/season/1"])}
    for s in range(1, seasons + 1):
        told = [f"/season/{s}/episode/{e}" for e in range(1, episodes + 1)]
        more = [f"/season/{s + 1}"] if s < seasons else []
        pages[f"/season/{s}"] = (f"Season {s}", "", told + more)
        for path in told:
            pages[path] = (PHRASES[hash_of(path) % 32], f"<p>{hash_of(path) % 60} minutes</p>", [])
    return made("podcast", pages)


def houses(districts: int = 20, each: int = 18) -> World:
    pages: dict[str, Page] = {"/": ("Houses", "", [f"/in/d{d}" for d in range(districts)])}
    for d in range(districts):
        offered = [f"/house/{d * 100 + n}.html" for n in range(each)]
        pages[f"/in/d{d}"] = (PHRASES[d], "", offered)
        for path in offered:
            dice = Random(path)
            body = f"<p>{dice.randrange(90, 900)}000</p><p>{dice.randrange(40, 300)} sqm</p>"
            pages[path] = (f"{dice.randrange(1, 8)} rooms", body, [])
    return made("houses", pages)


def exam(topics: int = 15, each: int = 20) -> World:
    """Four answers out of thirty."""
    pages: dict[str, Page] = {"/": ("Exam", "", [f"/topic/{t}" for t in range(topics)])}
    for t in range(topics):
        asked = [f"/question/{t * each + n}" for n in range(each)]
        pages[f"/topic/{t}"] = (f"Topic {t}", "", asked)
        for n, path in enumerate(asked):
            choices = "".join(f"<p>{c}</p>" for c in Random(path).sample(PHRASES[:30], 4))
            pages[path] = (f"Question {n}", choices, asked[n + 1 : n + 2])
    return made("exam", pages)


def lyrics(artists: int = 10, albums: int = 4, songs: int = 8) -> World:
    pages: dict[str, Page] = {"/": ("Lyrics", "", [f"/artist/{a}" for a in range(artists)])}
    for a in range(artists):
        own = [f"/artist/{a}/album/{b}" for b in range(albums)]
        pages[f"/artist/{a}"] = (PHRASES[a], "", own)
        for album in own:
            sung = [f"{album}/song/{n}" for n in range(songs)]
            pages[album] = ("Album", "", sung)
            for song in sung:
                pages[song] = ("Song", f"<p>{prose(song, words=70)}</p>", [album])
    return made("lyrics", pages)


def rivers(stations: int = 6, months: int = 5, days: int = 14) -> World:
    """Levels: station, month, day."""
    pages: dict[str, Page] = {"/": ("Rivers", "", [f"/river/{s}" for s in range(stations)])}
    for s in range(stations):
        own = [f"/river/{s}/2025-{m:02}" for m in range(1, months + 1)]
        pages[f"/river/{s}"] = (PHRASES[s], "", own)
        for month in own:
            measured = [f"{month}/{d}" for d in range(1, days + 1)]
            pages[month] = ("A month", "", measured)
            for day in measured:
                pages[day] = ("Levels", figures(day), [])
    return made("rivers", pages)


def patents(count: int = 350) -> World:
    """Each cites three older ones; the first page names the latest ten."""
    pages: dict[str, Page] = {}
    for n in range(count):
        cited = (
            sorted({Random(f"cite {n} {k}").randrange(n) for k in range(3)} | {n - 1}) if n else []
        )
        pages[f"/patent/US{7_000_000 + n}"] = (
            f"Patent {n}", f"<p>{prose('patent', n, words=22)}</p>",
            [f"/patent/US{7_000_000 + c}" for c in cited],
        )  # fmt: skip
    pages["/"] = ("Patents", "", [f"/patent/US{7_000_000 + count - n}" for n in range(1, 11)])
    return made("patents", pages)


def parish(letters: int = 20, names: int = 5, persons: int = 4) -> World:
    """A name out of few, and two years."""
    pages: dict[str, Page] = {"/": ("Register", "", [f"/letter-{a}" for a in range(letters)])}
    for a in range(letters):
        own = [f"/name/{a}-{prose('surname', a, n, words=1)}" for n in range(names)]
        pages[f"/letter-{a}"] = ("Letter", "", own)
        for name in own:
            people = [f"{name}/{p}" for p in range(persons)]
            pages[name] = ("Family", "", people)
            for path in people:
                born = 1600 + hash_of(path) % 250
                pages[path] = (
                    prose(path, words=1),
                    f"<p>{born} to {born + hash_of(path) % 80}</p>",
                    [],
                )
    return made("parish", pages)


def mirror(level: int = 3, width: int = 4) -> World:
    """Folders of files, of which each has a page with its size."""
    pages: dict[str, Page] = {}

    def grow(at: str, left: int) -> None:
        files = [f"{at}pkg-{left}.{n}.tar.html" for n in range(width)]
        below = [f"{at}{prose(at, n, words=1)}{n}/" for n in range(width)] if left else []
        pages[at] = ("Folder", "", files + below)
        for path in files:
            pages[path] = ("File", f"<p>{hash_of(path) % 10**6} bytes</p>", [])
        for path in below:
            grow(path, left - 1)

    grow("/pub/", level)
    pages["/"] = ("Mirror", "", ["/pub/"])
    return made("mirror", pages)


def comic(days: int = 320) -> World:
    """Nothing but a picture and its date; all of them are named by one page, too."""
    strips = [f"/comic/{n}" for n in range(days)]
    pages: dict[str, Page] = {
        path: ("Comic", "", [*strips[max(0, n - 1) : n], *strips[n + 1 : n + 2]])
        for n, path in enumerate(strips)
    }
    pages["/all"] = ("All", "", strips)
    pages["/"] = ("Comic", "", [strips[-1], "/all"])
    return made("comic-with-list", pages)


def elements(count: int = 110) -> World:
    """Four properties of each, on pages of their own."""
    pages: dict[str, Page] = {"/": ("Elements", "", [f"/element/{n}" for n in range(count)])}
    for n in range(count):
        own = [f"/element/{n}/{what}" for what in ("mass", "melting", "density")]
        pages[f"/element/{n}"] = (f"Element {n}", "", own)
        for path in own:
            pages[path] = (path.rpartition("/")[2], f"<p>{hash_of(path) / 10**6:.3f}</p>", [])
    return made("elements", pages)


def codes(count: int = 420) -> World:
    """Fifty towns, and codes that belong to them."""
    pages: dict[str, Page] = {}
    for n in range(count):
        pages[f"/code/{1000 + n * 7}"] = (f"{PHRASES[n % 25]}", "<p>Area code</p>", ["/"])
    paged(pages, "/", "/codes?page=", list(pages), 35, "Codes")
    return made("codes", pages)


def press(albums: int = 24, each: int = 16) -> World:
    """The same long notice below each photograph, with a caption out of 32."""
    notice = f"<p>{prose('notice', words=70)}</p>"
    pages: dict[str, Page] = {"/": ("Press", "", [f"/set/{a}" for a in range(albums)])}
    for a in range(albums):
        shown = [f"/picture/{a}-{n}" for n in range(each)]
        pages[f"/set/{a}"] = (PHRASES[a], "", shown)
        for path in shown:
            pages[path] = (PHRASES[hash_of(path) % 32], notice, [f"/set/{a}"])
    return made("press", pages)


def tournament(players: int = 60, rounds: int = 5) -> World:
    """Players with their matches, matches with a result; each names the other."""
    pages: dict[str, Page] = {"/": ("Cup", "", [f"/player/{p}" for p in range(players)])}
    played: dict[int, list[str]] = {p: [] for p in range(players)}
    for r in range(rounds):
        for n in range(players // 2):
            one, two = n, (n + r + players // 2) % players
            path = f"/result/{r}-{n}"
            played[one].append(path)
            played[two].append(path)
            score = f"<p>{hash_of(path) % 7} {hash_of(path + 'b') % 7}</p>"
            pages[path] = ("Result", score, [f"/player/{one}", f"/player/{two}"])
    for p in range(players):
        pages[f"/player/{p}"] = (PHRASES[p % 32], "", played[p])
    return made("tournament", pages)


def thesaurus(count: int = 300) -> World:
    """Words that name words."""
    pages: dict[str, Page] = {}
    words = [f"/w/{prose('th', n, words=1)}{n}" for n in range(count)]
    for n, path in enumerate(words):
        near = [words[(n * 3 + k) % count] for k in range(1, 7)]
        pages[path] = (path[3:], "", near)
    pages["/"] = ("Thesaurus", "", words[:10])
    return made("thesaurus", pages)


def shelves(ranges: int = 30, each: int = 12) -> World:
    """Books by shelf; each shelf names the next."""
    pages: dict[str, Page] = {"/": ("Library", "", ["/shelf/0"])}
    for s in range(ranges):
        books = [f"/book/978{hash_of(f'{s} {n}')}" for n in range(each)]
        pages[f"/shelf/{s}"] = ("Shelf", "", [*books, *([f"/shelf/{s + 1}"] * (s + 1 < ranges))])
        for path in books:
            pages[path] = (prose(path, words=4), f"<p>ISBN {path[6:]}</p>", [])
    return made("shelves", pages)


def questions(count: int = 200) -> World:
    pages: dict[str, Page] = {
        f"/faq/{n}": (
            prose("q", n, words=5),
            prose("a", n, words=18),
            [f"/faq/{n + 1}"] * (n < count - 1),
        )
        for n in range(count)
    }
    pages["/"] = ("Questions", "", ["/faq/0"])
    return made("questions", pages)


def versions(each: int = 90) -> World:
    """Two versions of a manual, of which each page differs by a sentence."""
    pages: dict[str, Page] = {"/": ("Manual", "", ["/v1/0.html", "/v2/0.html"])}
    for version in ("v1", "v2"):
        for n in range(each):
            body = f"<p>{prose('manual', n, words=90)}</p><p>{prose(version, n, words=12)}</p>"
            more = [f"/{version}/{m}.html" for m in (2 * n + 1, 2 * n + 2) if m < each]
            pages[f"/{version}/{n}.html"] = (f"Chapter {n}", body, more)
    return made("versions", pages)


def sightings(count: int = 380) -> World:
    """Where and when a bird was seen: two coordinates, and one of twelve birds."""
    pages: dict[str, Page] = {}
    for n in range(count):
        dice = Random(f"bird {n}")
        body = f"<p>{dice.uniform(40, 60):.4f} {dice.uniform(0, 20):.4f}</p>"
        pages[f"/sighting?id={n}"] = (dice.choice(PHRASES[:12]), body, [])
    paged(pages, "/", "/sightings?page=", list(pages), 30, "Sightings")
    return made("sightings", pages)


OTHER_HEALTHY: tuple[Callable[[], World], ...] = (
    museum, recipes, podcast, houses, exam, lyrics, rivers, patents, parish, mirror, comic,
    elements, codes, press, tournament, thesaurus, shelves, questions, versions, sightings,
)  # fmt: skip
