"""More healthy sites, most of them thin: what a rule against traps may not cost (URL-6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from tenax.model import Response
from tests.simulate.worlds import World, html, prose

Page = tuple[str, str, Iterable[str]]
"""Title, body and links."""
PHRASES = [prose("phrase", n, words=2) for n in range(32)]


def made(name: str, pages: dict[str, Page], depth: int = 1_000) -> World:
    """A site of these pages and no others."""

    def answer(path: str) -> Response | None:
        found = pages.get(path)
        return found and html(*found)

    return World(name, answer, frozenset(pages), depth=depth)


def figures(*seed: object) -> str:
    dice = Random(repr(seed))
    names = ("Highest", "Lowest", "Rain", "Wind", "Sunshine")
    return "".join(f"<p>{name}: {dice.uniform(0, 40):.1f} units</p>" for name in names)


def paged(
    pages: dict[str, Page], first: str, stem: str, links: list[str], size: int, title: str
) -> None:
    """Lists of so many links, of which each names the next one alone."""
    groups = [links[n : n + size] for n in range(0, len(links), size)]
    for n, group in enumerate(groups):
        more = [f"{stem}{n + 2}"] if n + 1 < len(groups) else []
        pages[first if n == 0 else f"{stem}{n + 1}"] = (title, "", group + more)


def captions(albums: int = 40, photos: int = 12) -> World:
    """Photographs with a caption out of 32; albums that name the next one alone."""
    pages: dict[str, Page] = {"/": ("Albums", "<p>Welcome.</p>", ["/album/0"])}
    for a in range(albums):
        shown = [f"/photo/{a * photos + n}" for n in range(photos)]
        more = [f"/album/{a + 1}"] if a + 1 < albums else []
        pages[f"/album/{a}"] = ("Album", f"<p>{PHRASES[a % 32]}</p>", shown + more)
        for path in shown:
            pages[path] = (PHRASES[hash_of(path) % 32], "<p>A photograph.</p>", [f"/album/{a}"])
    return made("captions", pages)


def hash_of(path: str) -> int:
    return Random(path).getrandbits(30)


def all_albums_at_once(albums: int = 50, photos: int = 10) -> World:
    """The same, with all albums on the first page, and photos that name their neighbours."""
    pages: dict[str, Page] = {
        "/": ("Albums", "", [f"/gallery/{a}/" for a in range(albums)]),
    }
    for a in range(albums):
        shown = [f"/gallery/{a}/{n}.html" for n in range(photos)]
        pages[f"/gallery/{a}/"] = (PHRASES[a % 32], "", shown)
        for n, path in enumerate(shown):
            near = [shown[m] for m in (n - 1, n + 1) if 0 <= m < photos]
            pages[path] = (PHRASES[hash_of(path) % 32], "", near)
    return made("gallery-folders", pages)


def stations(count: int = 400) -> World:
    """Measurements, named by lists that are turned."""
    pages: dict[str, Page] = {
        f"/station/{n}": ("Weather now", figures("station", n), ["/"]) for n in range(count)
    }
    paged(pages, "/", "/stations?page=", list(pages), 25, "Stations")
    return made("stations", pages)


def weather_archive(years: int = 2) -> World:
    """Days with figures, named by months, named by years; days name the next one, too."""
    pages: dict[str, Page] = {
        "/": ("Archive", "", [f"/weather/{2020 + y}" for y in range(years)]),
    }
    for y in range(2020, 2020 + years):
        pages[f"/weather/{y}"] = ("A year", "", [f"/weather/{y}/{m:02}" for m in range(1, 13)])
        for m in range(1, 13):
            days = [f"/weather/{y}/{m:02}/{d:02}" for d in range(1, 29)]
            pages[f"/weather/{y}/{m:02}"] = ("A month", "", days)
            for n, day in enumerate(days):
                pages[day] = ("A day", figures(day), days[n + 1 : n + 2])
    return made("weather-archive", pages)


def glossary(count: int = 300) -> World:
    """A line for each term, and two others to see."""
    pages: dict[str, Page] = {}
    for n in range(count):
        see = [f"/term/{(n * 7 + k) % count}" for k in (1, 2)]
        pages[f"/term/{n}"] = (prose("term", n, words=2), prose("meaning", n, words=9), see)
    pages["/"] = ("Glossary", "", ["/term/0", "/term/1", "/term/2"])
    return made("glossary", pages)


def shop(categories: int = 20, each: int = 20) -> World:
    """Categories, and things with a name, a price and a number."""
    pages: dict[str, Page] = {"/": ("Shop", "", [f"/c/{c}" for c in range(categories)])}
    for c in range(categories):
        things = [f"/c/{c}/{prose('slug', c, n, words=2).replace(' ', '-')}-{c * each + n}"
                  for n in range(each)]  # fmt: skip
        pages[f"/c/{c}"] = (PHRASES[c], "", things)
        for path in things:
            dice = Random(path)
            body = f"<p>{dice.randrange(5, 90)}.{dice.choice('059')}0 EUR</p>"
            body += f"<p>SKU {dice.randrange(10_000, 99_999)}</p>"
            pages[path] = (dice.choice(PHRASES), body, [f"/c/{c}"])
    return made("shop-categories", pages)


def api_docs(modules: int = 20, classes: int = 12) -> World:
    """Pages of which nearly all is the same on all of them."""
    same = f"<p>{prose('boilerplate', words=250)}</p>"
    pages: dict[str, Page] = {
        "/": ("Reference", "", [f"/api/m{m}/index.html" for m in range(modules)]),
    }
    for m in range(modules):
        inside = [f"/api/m{m}/c{c}.html" for c in range(classes)]
        pages[f"/api/m{m}/index.html"] = (f"Module m{m}", same, inside)
        for path in inside:
            pages[path] = ("Class", same + f"<p>{prose(path, words=8)}</p>", ["/", *inside])
    return made("api-docs", pages)


def mailing_list(months: int = 20, mails: int = 15) -> World:
    pages: dict[str, Page] = {
        "/": ("Archive", "", [f"/list/2024-{m:03}/threads.html" for m in range(months)]),
    }
    for m in range(months):
        mail = [f"/list/2024-{m:03}/msg{n:05}.html" for n in range(mails)]
        pages[f"/list/2024-{m:03}/threads.html"] = ("Threads", "", mail)
        for n, path in enumerate(mail):
            near = [mail[k] for k in (n - 1, n + 1) if 0 <= k < mails]
            said = prose(path, words=5 if n % 3 else 60)
            pages[path] = (f"Re: {PHRASES[n]}", f"<p>{said}</p>", near)
    return made("mailing-list", pages)


def matches(rounds: int = 34, each: int = 9) -> World:
    """Results: two of eighteen teams, and two figures under six."""
    teams = PHRASES[:18]
    pages: dict[str, Page] = {"/": ("League", "", [f"/round/{r}" for r in range(1, rounds + 1)])}
    for r in range(1, rounds + 1):
        played = [f"/match/{r * 20 + n}" for n in range(each)]
        pages[f"/round/{r}"] = (f"Round {r}", "", played)
        for n, path in enumerate(played):
            dice = Random(path)
            home, away = teams[n], teams[(n + r) % 18]
            score = f"<p>{home} {dice.randrange(6)} : {dice.randrange(6)} {away}</p>"
            pages[path] = ("Match", score, [f"/round/{r}"])
    return made("matches", pages)


def timetable(lines: int = 30, stops: int = 12) -> World:
    """Times of day, which are no news, and stops that many lines have."""
    pages: dict[str, Page] = {"/": ("Lines", "", [f"/line/{n}" for n in range(lines)])}
    for n in range(lines):
        names = [f"/line/{n}/stop/{s}" for s in range(stops)]
        pages[f"/line/{n}"] = (f"Line {n}", "", names)
        for s, path in enumerate(names):
            hours = "".join(f"<td>{h}:{(n * 7 + s) % 60:02}</td>" for h in range(5, 23))
            pages[path] = (PHRASES[(n + s) % 32], f"<table><tr>{hours}</tr></table>", [])
    return made("timetable", pages)


def languages(articles: int = 80) -> World:
    """Each article in three languages, of which each has words of its own."""
    pages: dict[str, Page] = {"/": ("Choose", "", ["/en/news/0", "/de/news/0", "/fr/news/0"])}
    for lang in ("en", "de", "fr"):
        for n in range(articles):
            words = " ".join(f"{word}{lang}" for word in prose(lang, n).split())
            others = [f"/{other}/news/{n}" for other in ("en", "de", "fr") if other != lang]
            more = [f"/{lang}/news/{n + 1}"] if n + 1 < articles else []
            pages[f"/{lang}/news/{n}"] = (f"News {lang}", f"<p>{words}</p>", others + more)
    return made("languages", pages)


def code_browser(folders: int = 15, files: int = 12) -> World:
    pages: dict[str, Page] = {"/": ("Source", "", [f"/src/d{d}/" for d in range(folders)])}
    for d in range(folders):
        below = [f"/src/d{d}/sub/f{n}.py" for n in range(files)]
        pages[f"/src/d{d}/"] = ("Folder", "", [f"/src/d{d}/sub/"])
        pages[f"/src/d{d}/sub/"] = ("Folder", "", below)
        for path in below:
            pages[path] = ("File", f"<pre>{prose('code', path, words=40)}</pre>", [])
    return made("code-browser", pages)


def statute(parts: int = 12, sections: int = 25) -> World:
    """Sections by next alone, and parts that name their first."""
    pages: dict[str, Page] = {"/": ("Act", "", [f"/act/part/{p}" for p in range(parts)])}
    total = parts * sections
    for p in range(parts):
        pages[f"/act/part/{p}"] = (f"Part {p}", "", [f"/act/section/{p * sections}"])
    for n in range(total):
        more = [f"/act/section/{n + 1}"] if n + 1 < total else []
        pages[f"/act/section/{n}"] = (f"Section {n}", prose("act", n, words=25), more)
    return made("statute", pages)


def staff(persons: int = 390) -> World:
    """A name out of two short lists, a room and a telephone; by letter."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    pages: dict[str, Page] = {"/": ("Staff", "", [f"/staff/{a}" for a in letters])}
    people: list[str] = []
    for n in range(persons):
        dice = Random(f"person {n}")
        path = f"/person/{prose('first', n % 20, words=1)}-{prose('last', n // 20, words=1)}-{n}"
        body = f"<p>Room {dice.randrange(100, 400)}</p><p>Telephone {dice.randrange(1000)}</p>"
        pages[path] = (path[8:].replace("-", " "), body, [])
        people.append(path)
    for n, a in enumerate(letters):
        pages[f"/staff/{a}"] = (f"Letter {a}", "", people[n * 15 : n * 15 + 15])
    return made("staff", pages)


def strip(days: int = 150) -> World:
    """A picture and two words, one after the other."""
    pages: dict[str, Page] = {"/": ("Comic", "", [f"/strip/{days - 1}"])}
    for n in range(days):
        pages[f"/strip/{n}"] = (PHRASES[n % 32], "", [f"/strip/{n - 1}"] if n else [])
    return made("strip", pages)


def one_long_list(count: int = 600) -> World:
    """Names out of 32, one in five of them gone."""
    pages: dict[str, Page] = {
        f"/item/{n}": (PHRASES[n % 32], "<p>Ask for it.</p>", []) for n in range(count) if n % 5
    }
    pages["/"] = ("All", "", [f"/item/{n}" for n in range(count)])
    return made("one-long-list", pages)


def dictionary(letters: int = 20, words: int = 20) -> World:
    """Letters by "next" alone, and words with a few others each."""
    pages: dict[str, Page] = {"/": ("Dictionary", "", ["/letter/0"])}
    for a in range(letters):
        names = [f"/word/{prose('w', a, n, words=1)}{a * words + n}" for n in range(words)]
        more = [f"/letter/{a + 1}"] if a + 1 < letters else []
        pages[f"/letter/{a}"] = ("Letter", "", names + more)
        for path in names:
            pages[path] = (path[6:], f"<p>{prose(path, words=4)}</p>", [])
    return made("dictionary", pages)


def games(count: int = 320) -> World:
    """Codes that nobody reads, by lists of forty."""
    pages: dict[str, Page] = {}
    for n in range(count):
        dice = Random(f"game {n}")
        moves = " ".join(f"{dice.choice('abcdefgh')}{dice.randrange(1, 9)}" for _ in range(30))
        pages[f"/game/{n}"] = (f"{PHRASES[n % 32]} and others", f"<p>{moves}</p>", ["/"])
    paged(pages, "/", "/games/page/", list(pages), 40, "Games")
    return made("games", pages)


def board(threads: int = 250) -> World:
    """One sentence each, and profiles without a word."""
    pages: dict[str, Page] = {}
    for n in range(threads):
        pages[f"/t/{n}"] = ("Thread", f"<p>{prose('b', n, words=6)}</p>", [f"/u/{n % 120}"])
    names = list(pages)
    for u in range(120):
        pages[f"/u/{u}"] = ("Member", f"<p>Joined long ago.</p><p>{u % 9} posts</p>", [])
    paged(pages, "/", "/?page=", names, 10, "Board")
    return made("board", pages)


def folders_with_orders(depth: int = 3, width: int = 5) -> World:
    """Folders as servers list them; each can be had in eight orders, which are the trap."""
    pages: dict[str, Page] = {}

    def grow(at: str, level: int) -> None:
        files = [f"{at}file{n}.txt.html" for n in range(width)]
        below = [f"{at}dir{n}/" for n in range(width)] if level < depth else []
        orders = [f"{at}?C={c};O={o}" for c in "NMSD" for o in "AD"]
        pages[at] = (f"Index of {at}", "", files + below + orders)
        for path in files:
            pages[path] = ("File", f"<p>{prose(path, words=30)}</p>", [])
        for path in below:
            grow(path, level + 1)

    grow("/", 1)

    def answer(path: str) -> Response | None:
        place, mark, order = path.partition("?C=")
        found = pages.get(place)
        if found is None or (mark and place[-1] != "/"):
            return None
        title, body, links = found
        some = list(links)
        Random(order).shuffle(some)
        return html(title, body, some)

    return World("folders-with-orders", answer, frozenset(pages), lambda path: "?C=" in path)


MORE_HEALTHY: tuple[Callable[[], World], ...] = (
    captions, all_albums_at_once, stations, weather_archive, glossary, shop, api_docs,
    mailing_list, matches, timetable, languages, code_browser, statute, staff, strip,
    one_long_list, dictionary, games, board, folders_with_orders,
)  # fmt: skip
