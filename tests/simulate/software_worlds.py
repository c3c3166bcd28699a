"""Sites as known software makes them: three that are wanted whole, three with views without number.
Written before the rule was last changed, and tried on what came of it (URL-6, decision 0031)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tenax.model import Response
from tests.simulate.beside import query, story
from tests.simulate.more_healthy import PHRASES, Page, made
from tests.simulate.worlds import World, html, number, prose

# Healthy sites.


def timetable(lines: int = 9, stops: int = 44) -> World:
    """Lines name their stops; at each a table of when a bus leaves, and where one can change."""
    pages: dict[str, Page] = {"/": ("Buses", "", [f"/line/{n}" for n in range(1, lines + 1)])}
    for line in range(1, lines + 1):
        own = [f"/line/{line}/stop/{n}" for n in range(stops)]
        pages[f"/line/{line}"] = (f"Line {line}", "", own)
        for n, path in enumerate(own):
            dice = Random(path)
            rows = "".join(
                f"<tr><td>{hour}</td><td>{dice.randrange(30):02}</td><td>{30 + dice.randrange(30)}"
                "</td></tr>"
                for hour in range(6, 22)
            )
            change = [f"/line/{1 + dice.randrange(lines)}/stop/{n}"] if n % 5 == 0 else []
            said = f"<p>{PHRASES[n % 32]}</p><table>{rows}</table>"
            pages[path] = (f"Line {line}", said, [*change, *own[n + 1 : n + 2]])
    return made("timetable", pages)


def museum(count: int = 380) -> World:
    """Cards of things: what, of what, from when; seen beside the next ones, and in no list."""
    things, stuffs = ("Bowl", "Coin", "Lamp", "Brooch", "Key"), ("bronze", "clay", "glass", "iron")

    def path(n: int) -> str:
        return f"/object/{1890 + n % 70}.{n // 70}.{n}"

    pages: dict[str, Page] = {"/": ("Collection", "<p>Begin here.</p>", [path(0), path(1)])}
    for n in range(count):
        dice = Random(f"card {n}")
        body = (
            f"<p>{dice.choice(stuffs)}</p><p>{dice.randrange(2, 40)} x {dice.randrange(2, 40)} cm"
            f"</p><p>{dice.randrange(2, 12)}th century</p><p>No picture.</p>"
        )
        near = [path(m) for m in (n - 1, n + 1, n + 2, n + 20) if 0 <= m < count]
        pages[path(n)] = (dice.choice(things), body, near)
    return made("museum", pages)


def law(books: int = 5, each: int = 80) -> World:
    """Articles of one sentence out of few words, each with the one before and the one after."""
    pages: dict[str, Page] = {"/": ("Code", "", [f"/code/book-{b}" for b in range(1, books + 1)])}
    for b in range(1, books + 1):
        first = (b - 1) * each + 1
        pages[f"/code/book-{b}"] = (f"Book {b}", "<p>Articles</p>", [f"/code/art-{first}"])
        for n in range(first, first + each):
            dice = Random(f"article {n}")
            body = f"<p>{dice.choice(PHRASES)} shall not {dice.choice(PHRASES)}.</p>"
            if n % 9 == 0:
                body = "<p>(repealed)</p>"
            near = [f"/code/art-{m}" for m in (n - 1, n + 1) if first <= m < first + each]
            see = [f"/code/art-{1 + dice.randrange(books * each)}"] if n % 7 == 0 else []
            pages[f"/code/art-{n}"] = (f"Article {n}", body, near + see)
    return made("law", pages)


# Traps, each beside what is wanted.


def revisions(titles: int = 90, each: int = 25) -> World:
    """A wiki: any page as it was at any time, and the difference between any two of these."""
    names = [prose("title", n, words=2).replace(" ", "_") + f"_{n}" for n in range(titles)]

    def text(n: int, at: int) -> str:
        words = prose("wiki", n, words=60).split()
        for k in range(at, each):
            words[Random(f"{n} {k}").randrange(60)] = "lantern"
        return f"<p>{' '.join(words)}</p>"

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Main page", "", [f"/wiki/{name}" for name in names])
        name = path.removeprefix("/wiki/")
        if path.startswith("/wiki/") and name in names:
            n = names.index(name)
            see = [f"/wiki/{names[(n * 3 + k) % titles]}" for k in (1, 2)]
            own = [f"/w/index.php?title={name}&action={a}" for a in ("history", "edit", "info")]
            return html(name.replace("_", " "), text(n, each), see + own)
        q = query(path, "/w/index.php")
        if q is None or q.get("title") not in names:
            return None
        n, name = names.index(q["title"]), q["title"]
        stem = f"/w/index.php?title={name}"
        olds = [f"{stem}&oldid={n * 1000 + k}" for k in range(each)]
        diffs = [f"{stem}&diff={n * 1000 + k}&oldid={n * 1000 + k - 1}" for k in range(1, each)]
        said = name.replace("_", " ")
        match q.get("action"):
            case "history":
                rows = "".join(
                    f"<p>{PHRASES[(n + k) % 32]} ({k * 37} bytes)</p>" for k in range(each)
                )
                return html(f"{said}: Revision history", rows, olds + diffs)
            case "edit":
                return html(f"View source for {said}", f"<pre>{text(n, each)}</pre>", [])
            case "info":
                return html(f"Information for {said}", f"<p>{n * 41} bytes, {each} edits</p>", [])
        if not q.get("oldid", "").isdecimal():
            return None
        k = int(q["oldid"]) % 1000
        near = [f"{stem}&oldid={n * 1000 + m}" for m in (k - 1, k + 1) if 0 <= m < each]
        head = (
            "<p>Difference between revisions</p>" if "diff" in q else "<p>This is an old one.</p>"
        )
        return html(said, head + text(n, k), near + diffs[k : k + 1])

    pages = frozenset({"/", *(f"/wiki/{name}" for name in names)})
    return World("revisions", answer, pages, lambda path: path.startswith("/w/"), 1_000)


def repository(files: int = 45, commits: int = 110) -> World:
    """A browser of a repository: every file at every commit, plain, blamed and with its log."""
    names = [f"src/{prose('file', n, words=1)}{n}.c" for n in range(files)]

    def source(n: int) -> str:
        return "".join(f"<pre>{prose('code', n, k, words=9)};</pre>" for k in range(12))

    def answer(path: str) -> Response | None:
        place, _, rest = path.partition("?id=")
        at = rest and int(rest[:7], 16) % 1009
        mark = f"?id={rest}" if rest else ""
        if path == "/":
            return html("Repository", "", ["/tree/", "/log/0"])
        n = number(path, "/log/")
        if n is not None and n < commits:
            own = [f"/commit/{_hash(m)}" for m in range(n, min(n + 10, commits))]
            return html("Log", "", own + ([f"/log/{n + 10}"] if n + 10 < commits else []))
        if place.startswith("/commit/"):
            known = {_hash(m): m for m in range(commits)}
            m = known.get(place.removeprefix("/commit/"))
            if m is None or rest:
                return None
            links = [f"/tree/?id={_hash(m)}", f"/tree/{names[m % files]}?id={_hash(m)}"]
            body = f"<p>{prose('message', m, words=18)}</p>"
            return html(f"Commit {_hash(m)}", body, [*links, f"/log/0?id={_hash(m)}"])
        if place == "/tree/":
            return html("Tree", f"<p>{at or 'master'}</p>", [f"/tree/{f}{mark}" for f in names])
        for kind in ("tree", "plain", "blame", "flog"):
            name = place.removeprefix(f"/{kind}/")
            if place.startswith(f"/{kind}/") and name in names:
                n = names.index(name)
                more = [f"/{k}/{name}{mark}" for k in ("plain", "blame", "flog")]
                if kind == "flog":
                    near = [f"/tree/{name}?id={_hash((n + m) % commits)}" for m in range(30)]
                    return html(f"Log of {name}", "", near)
                return html(f"{kind} {name}", source(n), more if kind == "tree" else [])
        if place == "/log/0" and rest:
            return html("Log", "", [f"/commit/{_hash(m)}" for m in range(10)])
        return None

    def is_trap(path: str) -> bool:
        return "?id=" in path or path.startswith(("/plain/", "/blame/", "/flog/"))

    pages = {
        "/",
        "/tree/",
        *(f"/tree/{f}" for f in names),
        *(f"/log/{n}" for n in range(0, commits, 10)),
    }
    pages |= {f"/commit/{_hash(m)}" for m in range(commits)}
    return World("repository", answer, frozenset(pages), is_trap, 1_000)


def _hash(m: int) -> str:
    return f"{Random(f'commit {m}').getrandbits(160):040x}"


def board(topics: int = 70, posts: int = 24) -> World:
    """A forum: each post has an address of its own that shows all of its topic, and every link has
    the session of who has not sent a cookie."""

    def said(t: int) -> str:
        return story(t) + "".join(f"<p>{prose('post', t, p, words=16)}</p>" for p in range(posts))

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Board", "", [f"/viewtopic.php?t={t}" for t in range(topics)])
        for place in ("/viewtopic.php", "/posting.php", "/memberlist.php"):
            q = query(path, place)
            if q is None:
                continue
            sid = f"{Random(path).getrandbits(64):016x}"
            if place != "/viewtopic.php":
                return html("Log in", "<p>You have to log in to do that.</p>", [f"/?sid={sid}"][:0])
            t = int(q["t"]) if "t" in q else int(q.get("p", "0")) // 100
            if not t < topics:
                return None
            links = [f"/viewtopic.php?p={t * 100 + p}" for p in range(posts)]
            links += [f"/posting.php?mode=quote&p={t * 100 + p}" for p in range(posts)]
            links += [f"/viewtopic.php?t={(t + 1) % topics}&view=next&sid={sid}"]
            links += [f"/memberlist.php?u={t}&sid={sid}"]
            return html(prose("subject", t, words=4), said(t), links)
        return None

    def is_trap(path: str) -> bool:
        return path != "/" and not (path.startswith("/viewtopic.php?t=") and "&" not in path)

    pages = frozenset({"/", *(f"/viewtopic.php?t={t}" for t in range(topics))})
    return World("board", answer, pages, is_trap, 1_000)


SOFTWARE: tuple[Callable[[], World], ...] = (
    timetable, museum, law, revisions, repository, board,
)  # fmt: skip
"""Three healthy ones and three traps: for the table, since not all of them are mastered."""
