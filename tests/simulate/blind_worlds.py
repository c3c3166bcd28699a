"""Sites as other known software makes them, written after the rule of 2026-11-19 was final, and run
once on it before any of them was looked at (URL-6, decision 0031)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from itertools import permutations
from random import Random

from tenax.model import Response
from tests.simulate.beside import below, beside, query
from tests.simulate.more_healthy import PHRASES, Page, made, paged
from tests.simulate.worlds import World, html, prose

# Healthy sites.


def reviews(changes: int = 170) -> World:
    """A code review: changes with a message, what was voted, and the difference in each file."""
    people = [prose("reviewer", n, words=1) for n in range(9)]
    pages: dict[str, Page] = {}
    for n in range(1, changes + 1):
        dice = Random(f"change {n}")
        here = f"/c/lamp/+/{4000 + n * 3}"
        files = [f"{here}/{1 + dice.randrange(4)}/src/{prose('unit', dice.random(), words=1)}.c"]
        votes = "".join(f"<p>{who} +{dice.randrange(1, 3)}</p>" for who in dice.sample(people, 2))
        body = f"<p>{prose('change', n, words=16)}</p>{votes}<p>Merged</p>"
        pages[here] = (f"{PHRASES[n % 32]} ({4000 + n * 3})", body, files)
        for path in files:
            rows = "".join(f"<pre>{s} {prose('diff', n, s, words=7)};</pre>" for s in "+-")
            pages[path] = ("Difference", rows, [here])
    paged(pages, "/", "/q/status:merged,", [p for p in pages if p.count("/") == 4], 25, "Merged")
    return made("reviews", pages)


def library(records: int = 380) -> World:
    """A catalogue of books behind two scripts: an author out of sixty, a shelf, no word more."""
    detail, search = "/cgi-bin/opac-detail.pl?record={}", "/cgi-bin/opac-search.pl?author={}"
    authors = [f"{PHRASES[n % 32].split()[0]} {PHRASES[n // 2].split()[1]}" for n in range(60)]
    pages: dict[str, Page] = {"/": ("Catalogue", "", [search.format(a) for a in range(60)])}
    for a in range(60):
        pages[search.format(a)] = (
            f"Books of {authors[a]}", "", [detail.format(n) for n in range(a, records, 60)]
        )  # fmt: skip
    for n in range(records):
        dice = Random(f"book {n}")
        body = (
            f"<p>{authors[n % 60]}</p><p>{dice.randrange(1900, 2020)}, {dice.randrange(99)} p.</p>"
        )
        body += f"<p>{dice.choice('ABCDEF')}{dice.randrange(100, 999)}</p><p>On the shelf</p>"
        more = [search.format(n % 60), detail.format((n * 7 + 1) % records)]
        pages[detail.format(n)] = (dice.choice(PHRASES), body, more)
    return made("library", pages)


def classes(count: int = 300) -> World:
    """Documentation of classes: most of each was inherited, in ever other portions, and two of five
    have nothing of their own but a name."""
    methods = [f"<p>{PHRASES[n]}: {prose('method', n, words=22)}</p>" for n in range(32)]
    pages: dict[str, Page] = {}
    for n in range(count):
        dice = Random(f"class {n}")
        own = f"<p>{prose('class', n, words=12)}</p>" if n % 5 > 1 else ""
        name = prose("class name", n, words=2).title().replace(" ", "") + str(n)
        body = own + "".join(dice.sample(methods, 14))
        path = f"/api/org/lamp/{prose('package', n % 8, words=1)}/{name}.html"
        pages[path] = (f"Class {name}", body, ["/"])
    pages["/"] = ("All classes", "", [*pages])
    return made("classes", pages)


def gallery(works: int = 360) -> World:
    """A museum: works with maker, year, stuff and number; each maker names his, rooms name some."""
    stuffs = ["Oil on canvas", "Etching", "Bronze", "Chalk on paper"]
    pages: dict[str, Page] = {
        "/": ("Museum", "<p>Welcome.</p>", [f"/rooms/{n}" for n in range(12)])
    }
    for n in range(12):
        own = [f"/collection/works/{1900 + m}" for m in range(n, works, 36)]
        pages[f"/rooms/{n}"] = (f"Room {n}", "<p>Second floor</p>", own)
    for n in range(works):
        dice = Random(f"work {n}")
        body = f"<p>{dice.choice(stuffs)}</p><p>{dice.randrange(9, 200)} cm</p>"
        body += f"<p>Inv. {1900 + n}</p><p>Not on display</p>"
        links = [f"/collection/makers/{n % 40}", f"/collection/works/{1900 + (n + 36) % works}"]
        pages[f"/collection/works/{1900 + n}"] = (f"{dice.choice(PHRASES)}", body, links)
    for m in range(40):
        own = [f"/collection/works/{1900 + n}" for n in range(m, works, 40)]
        pages[f"/collection/makers/{m}"] = (prose("maker", m, words=2).title(), "", own)
    return made("gallery", pages)


# Traps, each beside what is wanted.


def changesets(count: int = 60, files: int = 30) -> World:
    """A history of a repository: each file, plain or annotated, as of each change, and graphs."""
    names = [f"{prose('path', n, words=1)}{n}.py" for n in range(files)]
    ids = [f"{Random(f'set {n}').getrandbits(48):012x}" for n in range(count)]

    def code(n: int, at: int) -> str:
        return "".join(
            f"<pre>{prose('code', n, k, at // (5 + k), words=8)}</pre>" for k in range(14)
        )

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Changes", "", [f"/rev/{id}" for id in ids])
        room, _, rest = path[1:].partition("/")
        id, _, name = rest.partition("/")
        if id not in ids:
            return None
        at = ids.index(id)
        near = [ids[m] for m in (at - 1, at + 1) if 0 <= m < count]
        if room == "rev" and not name:
            touched = names[at % files :][:3]
            links = [f"/{r}/{id}/{f}" for f in touched for r in ("file", "annotate", "diff")]
            links += [f"/rev/{other}" for other in near] + [f"/file/{id}/", f"/graph/{id}"]
            return html(f"Change {id}", f"<p>{prose('summary', at, words=20)}</p>", links)
        if room == "graph" and not name:
            return html("Graph", f"<p>{id}</p>", [f"/graph/{other}" for other in near])
        if room == "file" and not name:
            return html("Files", f"<p>{id}</p>", [f"/file/{id}/{f}" for f in names])
        if room not in ("file", "annotate", "diff") or name not in names:
            return None
        links = [f"/{r}/{other}/{name}" for other in near for r in ("file", "annotate", "diff")]
        return html(f"{name} at {id}", code(names.index(name), at), links)

    pages = frozenset({"/", *(f"/rev/{id}" for id in ids)})
    return World("changesets", answer, pages, lambda p: p != "/" and p[:5] != "/rev/", 1_000)


def bulletin(topics: int = 50, posts: int = 30) -> World:
    """A forum: topics in pages of ten, sorted in any way, marked, printed, and seen from each post;
    profiles for nobody who has not signed in."""

    def said(t: int, first: int) -> str:
        return "".join(f"<p>{prose('said', t, p, words=30)}</p>" for p in range(first, first + 10))

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Forum", "", [f"/viewtopic.php?t={t}" for t in range(topics)])
        if path.startswith("/memberlist.php?"):
            return html("Sign in", "<p>You have to sign in to see profiles.</p>", [])
        q = query(path, "/viewtopic.php")
        if q is None or not all(q.get(k, "0").isdecimal() for k in ("t", "p", "start", "st")):
            return None
        post = int(q.get("p", "0")) % 100
        t = int(q["t"]) if "t" in q else int(q.get("p", "0")) // 100
        first = int(q.get("start", str(post // 10 * 10)))
        if t >= topics or first not in (0, 10, 20):
            return None
        here = f"/viewtopic.php?t={t}"
        links = [f"{here}&start={n}" for n in (10, 20)]
        links += [f"/viewtopic.php?p={t * 100 + p}" for p in range(first, first + 10)]
        links += [f"{here}&start={first}&st={d}&sk={k}&sd={s}"
                  for d in (0, 1, 7, 30) for k in "tas" for s in "ad"]  # fmt: skip
        links += [
            f"{here}&start={first}&view=print",
            f"/memberlist.php?mode=view&u={t * 7 + first}",
        ]
        return html(f"Topic: {prose('topic', t, words=3)}", said(t, first), links)

    wanted = {f"/viewtopic.php?t={t}{more}" for t in range(topics)
              for more in ("", "&start=10", "&start=20")} | {"/"}  # fmt: skip
    return World("bulletin", answer, frozenset(wanted), lambda p: p not in wanted, 1_000)


def booking() -> World:
    """Rooms, and what each costs from any day to any later one."""
    first = date(2026, 11, 1)

    def within(path: str) -> Response | None:
        q = query(path, "/book")
        if q is None or not q.get("room", "").isdecimal():
            return None
        try:
            come, go = date.fromisoformat(q["from"]), date.fromisoformat(q["to"])
        except (KeyError, ValueError):
            return None
        dice = Random(path)
        body = f"<p>{(go - come).days} nights</p><p>{dice.randrange(60, 400)}.00 EUR</p>"
        body += "<p>Free</p>" if dice.random() < 0.7 else "<p>Nothing is free on these days.</p>"
        moves = [(come + timedelta(a), go + timedelta(b)) for a, b in
                 ((1, 1), (7, 7), (-1, -1), (0, 1), (28, 28))]  # fmt: skip
        links = [f"/book?room={q['room']}&from={a}&to={b}" for a, b in moves if a < b]
        return html("Your stay", body, links)

    return beside("booking", [], within, below("/book"),
                  lambda n: [f"/book?room={n}&from={first}&to={first + timedelta(2)}"])  # fmt: skip


def shuffled_query() -> World:
    """A list narrowed by five choices, which stand in any order and as often as one likes."""
    names = ("size", "tint", "make", "kind", "wood")

    def within(path: str) -> Response | None:
        place, mark, rest = path.partition("?")
        if place != "/list" or len(path) > 160:
            return None
        chosen = [pair for pair in rest.split("&") if pair] if mark else []
        dice = Random(path)
        shown = dice.sample(range(60), 4)
        links = [f"/story/{n}" for n in shown]
        for name in names:
            parts = [*chosen, f"{name}={dice.randrange(4)}"]
            orders = list(permutations(parts)) if len(parts) < 5 else [tuple(dice.sample(parts, 5))]
            links += [f"/list?{'&'.join(dice.choice(orders))}" for _ in range(2)]
        return html("List", "".join(f"<p>{PHRASES[n % 32]}</p>" for n in shown), links)

    return beside("shuffled-query", ["/list?size=1"], within, below("/list"))


BLIND_HEALTHY: tuple[Callable[[], World], ...] = (reviews, library, classes, gallery)
BLIND_TRAPS: tuple[Callable[[], World], ...] = (changesets, bulletin, booking, shuffled_query)
