"""Sites of many small folders and what stands beside them, sites and traps of many ends: written
for a rule that judged fewer visits, which was not kept (URL-6, decision 0031)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tenax.model import Response
from tests.simulate.beside import query
from tests.simulate.more_healthy import PHRASES, Page, made, paged
from tests.simulate.worlds import Answer, World, html, prose

# Healthy sites.


def manual(folders: int = 40, pages: int = 9) -> World:
    """A manual of many chapters, each a folder; in every third one most pages are a signature."""
    found: dict[str, Page] = {}
    for f in range(folders):
        own = [f"/{_folder(f)}/{prose('page', f, n, words=1)}{n}.html" for n in range(pages)]
        for n, path in enumerate(own):
            is_thin = f % 3 == 0 and n > 1
            line = f"<pre>{PHRASES[(f + n) % 32]}({n})</pre>"
            body = line if is_thin else _text("page", f, n)
            found[path] = (PHRASES[(f * 7 + n) % 32], body, own[n + 1 : n + 2])
        found[f"/{_folder(f)}/index.html"] = (f"Chapter {f}", "", own)
    found["/"] = ("Manual", "", [f"/{_folder(f)}/index.html" for f in range(folders)])
    return made("manual", found)


def stubs(articles: int = 420) -> World:
    """An encyclopaedia: articles name some others; of three one is a stub, and names what nobody
    else does: another stub, as a rule."""
    found: dict[str, Page] = {}
    for n in range(articles):
        dice = Random(f"stub {n}")
        name = "/" if n == 0 else f"/wiki/Entry_{n}"
        if n % 3 == 2:
            links = [f"/wiki/Entry_{m}" for m in (n + 3,) if m < articles]
            title = f"{PHRASES[n % 32].split()[0]} {PHRASES[n // 3 % 32].split()[1]}"
            found[name] = (title, "<p>This is a stub. You can help by adding to it.</p>", links)
        else:
            ahead = [m for m in (n + 1, n + 2, n + 4) if m < articles and (m % 3 != 2 or m < 6)]
            links = [
                f"/wiki/Entry_{m}"
                for m in (*ahead, *(dice.randrange(1, articles // 4) for _ in range(3)))
                if m % 3 != 2
            ]
            links += ["/wiki/Entry_2"] * (n < 3)
            found[name] = (f"Entry {n}", _text("entry", n), links)
    return made("stubs", found)


def registers(parishes: int = 24, years: int = 8) -> World:
    """A folder for each parish, with lists by year, turned one by one; a baptism has a name and a
    day."""
    found: dict[str, Page] = {}
    for p in range(parishes):
        own = []
        for y in range(years):
            entries = [f"/{_folder(p)}/{1800 + y}-{n}" for n in range(2)]
            for n, path in enumerate(entries):
                dice = Random(f"baptism {p} {y} {n}")
                who = f"{dice.choice(PHRASES).split()[0].title()}, {dice.choice(PHRASES)}"
                found[path] = (who, f"<p>{dice.randrange(1, 29)} March {1800 + y}</p>", [])
            own += entries
        paged(found, f"/{_folder(p)}/", f"/{_folder(p)}/list/", own, 2, "Baptisms")
    found["/"] = ("Parishes", _text("parishes"), [f"/{_folder(p)}/" for p in range(parishes)])
    return made("registers", found)


def branches(wide: int = 3, deep: int = 5) -> World:
    """A tree of chapters with text, of which the leaves have two words and a number, if so much."""
    found: dict[str, Page] = {}
    level = [""]
    for depth in range(deep + 1):
        below = [f"{at}/{n}" for at in level for n in range(wide)] if depth < deep else []
        for at in level:
            own = [f"/b{path}" for path in below if path.rpartition("/")[0] == at]
            thin = f"<p>{PHRASES[(at.count('1') + len(at)) % 32]}</p>"
            body = _text("branch", at) if own else thin + f"<p>{Random(at).randrange(90)}</p>"
            found[f"/b{at}" if at else "/"] = (f"Chapter {at}", body, own)
        level = below
    return made("branches", found)


def assortment(groups: int = 45, items: int = 8) -> World:
    """Groups with a text and wares with a price, all numbered in one folder; a group names its
    wares and the group that follows."""
    found: dict[str, Page] = {}
    for g in range(groups):
        here = f"/item/{1000 + g * 20}"
        own = [f"/item/{1001 + g * 20 + n}" for n in range(items)]
        more = [f"/item/{1000 + g * 20 + 20}"] if g + 1 < groups else []
        found[here] = (PHRASES[g % 32].title(), _text("group", g), [*own, *more])
        for n, path in enumerate(own):
            price = f"<p>{Random(path).randrange(2, 60)}.{(n * 25) % 100:02} EUR</p>"
            found[path] = (PHRASES[(g * 5 + n) % 32], price, [here])
    found["/"] = ("Shop", "<p>Welcome.</p>", ["/item/1000"])
    return made("assortment", found)


def newspaper(articles: int = 300) -> World:
    """Articles that name the next two; every fourth is a picture with a name that others have as
    well."""
    found: dict[str, Page] = {}
    for n in range(articles):
        ahead = [f"/news/{m}" for m in (n + 1, n + 2) if m < articles]
        body = "<p>Picture of the day.</p>" if n % 4 == 3 else _text("news", n)
        title = PHRASES[n // 4 % 32] if n % 4 == 3 else f"News {n}"
        found["/" if n == 0 else f"/news/{n}"] = (title, body, ahead)
    return made("newspaper", found)


# Traps, each beside many small folders that are wanted.


def _folder(n: int) -> str:
    return f"{prose('folder', n, words=1)}{chr(97 + n % 26)}{chr(97 + n // 26)}"


def _text(*seed: object) -> str:
    return f"<p>{prose(*seed)}</p>"


def _rooms(
    name: str,
    within: Answer,
    is_trap: Callable[[str], bool],
    own: Callable[[str, int, int], list[str]],
    folders: int = 30,
    pages: int = 6,
    depth: int = 1_000,
) -> World:
    """So many folders of a few pages each, all of them good, each with something of its `own`."""
    wanted = {f"/{_folder(f)}/{n}": (f, n) for f in range(folders) for n in range(pages)}

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Rooms", "", [p for p, (_, n) in wanted.items() if n == 0])
        if path not in wanted:
            return within(path)
        f, n = wanted[path]
        more = [f"/{_folder(f)}/{m}" for m in range(pages) if m != n]
        return html(f"Room {f}, {n}", _text("room", f, n), [*more, *own(path, f, n)])

    return World(name, answer, frozenset({"/", *wanted}), is_trap, depth)


def rooms_with_agenda() -> World:
    """An agenda by weeks, in which nothing ever happens."""

    def within(path: str) -> Response | None:
        rest = path.removeprefix("/agenda/")
        if not path.startswith("/agenda/") or not rest.isdecimal():
            return None
        near = [f"/agenda/{int(rest) + step}" for step in (-1, 1, 4) if int(rest) + step > 0]
        days = "".join(f"<p>{day}</p>" for day in ("Monday", "Wednesday", "Friday"))
        return html(f"Week {rest}", f"{days}<p>Nothing is planned.</p>", near)

    return _rooms("rooms-with-agenda", within, lambda p: p.startswith("/agenda/"),
                  lambda path, f, n: [f"/agenda/{2900 + f}"])  # fmt: skip


def rooms_with_views() -> World:
    """Each page to be printed, in large letters and in three contrasts, of which each names the
    others."""
    kinds = ("print", "large", "dark", "light", "plain")

    def within(path: str) -> Response | None:
        kind, _, rest = path[1:].partition("/")
        folder, _, number = rest.partition("/")
        known = {_folder(f): f for f in range(30)}
        if kind not in kinds or folder not in known or not number.isdecimal() or int(number) > 5:
            return None
        f, n = known[folder], int(number)
        links = [f"/{other}/{rest}" for other in kinds if other != kind]
        return html(f"Room {f}, {n}", _text("room", f, n), [*links, f"/{rest}"])

    return _rooms("rooms-with-views", within, lambda p: p[1:].partition("/")[0] in kinds,
                  lambda path, f, n: [f"/print{path}"])  # fmt: skip


def rooms_with_pit() -> World:
    """A folder of nonsense that is made up while one reads it, three ways on from every page."""

    def within(path: str) -> Response | None:
        if not path.startswith("/zone/"):
            return None
        made_up = "".join(Random(path).choices("aeioubdfgklmnprst", k=400))
        words = " ".join(made_up[n : n + 5] for n in range(0, 400, 5))
        ways = [Random(f"{path} {n}").getrandbits(28) for n in range(3)]
        return html(words[:11], f"<p>{words}</p>", [f"/zone/{way:x}" for way in ways])

    return _rooms("rooms-with-pit", within, lambda p: p.startswith("/zone/"),
                  lambda path, f, n: ["/zone/0"] if n == 3 else [])  # fmt: skip


def wiki_with_forms() -> World:
    """Articles that name each other; each has a form for every section, and what links to it."""

    def answer(path: str) -> Response | None:
        q = query(path, "/w/index")
        if q is not None:
            if not q.get("title", "").isdecimal():
                return None
            n = int(q["title"])
            if q.get("action") == "edit":
                body = "<p>You have to sign in to change this.</p>"
                return html("Sign in", f"{body}<p>Entry {n}</p>", [f"/wiki/{n}"])
            links = [f"/w/index?title={m % 300}&limit={k}" for m in (n,) for k in (20, 50, 100)]
            links += [f"/w/index?title={n}&limit=50&from={Random(path).randrange(10**6)}"]
            return html(f"What names {n}", "", [*links, f"/wiki/{(n * 3) % 300}"])
        rest = path.removeprefix("/wiki/")
        n = 0 if path == "/" else int(rest) if rest.isdecimal() and path != rest else 300
        if n >= 300:
            return None
        dice = Random(f"wiki {n}")
        links = [
            f"/wiki/{m}" for m in (2 * n + 1, 2 * n + 2, dice.randrange(1, 300)) if 0 < m < 300
        ]
        links += [f"/w/index?title={n}&action=edit&section={k}" for k in range(4)]
        return html(f"Entry {n}", _text("form", n), [*links, f"/w/index?title={n}&limit=20"])

    wanted = frozenset({"/", *(f"/wiki/{n}" for n in range(1, 300))})
    return World("wiki-with-forms", answer, wanted, lambda p: p.startswith("/w/"), 1_000)


def releases(pages: int = 70, count: int = 12) -> World:
    """A manual that is kept as it was at each of twelve releases: in a few words of a page it
    differs."""
    names = [f"{prose('part', n, words=1)}{n}" for n in range(pages)]

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Manual", "<p>Read on.</p>", [f"/docs/{name}" for name in names])
        parts = path[1:].split("/")
        if parts[0] != "docs" or parts[-1] not in names or len(parts) not in (2, 3):
            return None
        release = parts[1].removeprefix("release-") if len(parts) == 3 else "0"
        if not release.isdecimal() or int(release) > count:
            return None
        n, at = names.index(parts[-1]), int(release)
        said = prose("manual", n, words=90).split()
        if (n + at) % 4 == 0:
            said[at : at + 2] = prose("change", n, at, words=2).split()
        links = [f"/docs/release-{r}/{names[n]}" for r in range(1, count + 1)]
        near = [f"/docs/release-{at}/{names[m]}" for m in (n + 1,) if at and m < pages]
        return html(names[n], f"<p>{' '.join(said)}</p>", [*links, *near])

    wanted = frozenset({"/", *(f"/docs/{name}" for name in names)})
    return World("releases", answer, wanted, lambda p: p.startswith("/docs/release-"), 1_000)


def thin_ends() -> World:
    """A maze of fresh words of which two of five pages end, in words that all of them have: what is
    put off neither for its words nor for want of ends. The depth of a job ends it."""

    def within(path: str) -> Response | None:
        if not path.startswith("/cave/"):
            return None
        if path != "/cave/0" and Random(f"end {path}").random() < 0.4:
            return html("A wall", "<p>You have to go back.</p>", [])
        made_up = "".join(Random(path).choices("aeioubdfgklmnprst", k=300))
        words = " ".join(made_up[n : n + 6] for n in range(0, 300, 6))
        ways = [Random(f"{path} {n}").getrandbits(28) for n in range(3)]
        return html(words[:13], f"<p>{words}</p>", [f"/cave/{way}" for way in ways])

    return _rooms("thin-ends", within, lambda p: p.startswith("/cave/"),
                  lambda path, f, n: ["/cave/0"] if n == 2 else [], depth=10)  # fmt: skip


def squares() -> World:
    """A map in squares, of which each names its neighbours: one in three is water, and gone."""

    def within(path: str) -> Response | None:
        place, _, row = path.removeprefix("/square/").partition("/")
        if not (path.startswith("/square/") and place.isdecimal() and row.isdecimal()):
            return None
        x, y = int(place), int(row)
        land = Random(f"land {x} {y}")
        if (x, y) != (500, 500) and land.random() < 0.35:
            return None
        moves = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        body = f"<p>{land.choice(PHRASES)}</p><p>{land.choice(PHRASES)}</p>"
        return html(f"Square {x} {y}", body, [f"/square/{a}/{b}" for a, b in moves])

    return _rooms("squares", within, lambda p: p.startswith("/square/"),
                  lambda path, f, n: ["/square/500/500"] if n == 1 else [])  # fmt: skip


FOLDERS: tuple[Callable[[], World], ...] = (
    manual, stubs, registers, rooms_with_agenda, rooms_with_views, rooms_with_pit, wiki_with_forms,
)  # fmt: skip
ENDS: tuple[Callable[[], World], ...] = (
    branches, assortment, newspaper, releases, thin_ends, squares,
)  # fmt: skip
