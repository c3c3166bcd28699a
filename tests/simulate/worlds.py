"""Sites of many kinds, healthy ones and traps, for crawls that must find all of the first (URL-6).

None of them is a site of the demo. A world answers for a path and query, knows which pages are
there, and which paths are a trap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from msgspec import Struct

from tenax.model import Request, Response
from tenax.testing import SimulatedWeb, status

_WORDS = """
    harbour lantern meadow copper thistle gravel window orchard kettle marsh feather saddle ribbon
    cellar hammer timber willow anchor basket chimney dapple ember fathom granite hollow ivory
    juniper kernel ladle mantle nettle oaken pebble quarry rafter sickle tallow umber velvet wicker
    yarrow zephyr amber bramble candle drizzle fennel gable hazel inkwell
""".split()  # noqa: SIM905 - a list of so many would be a page long
Answer = Callable[[str], Response | None]


class World(Struct, frozen=True):
    name: str
    answer: Answer
    pages: frozenset[str]
    """All that is there, traps apart."""
    is_trap: Callable[[str], bool] = lambda path: False
    depth: int = 10

    def serve(self, web: SimulatedWeb, host: str) -> str:
        def answer(request: Request) -> Response:
            path = request.url.removeprefix(f"https://{host}")
            found = None if path == "/robots.txt" else self.answer(path)
            return found or status(404, "<h1>Not found</h1>")

        web.host(host, answer)
        return f"https://{host}/"


def prose(*seed: object, words: int = 60) -> str:
    """Text that is another for every seed, of a few words that all pages use."""
    return " ".join(Random(repr(seed)).choices(_WORDS, k=words))


def html(title: str, body: str, links: Iterable[str] = (), frame: str = "") -> Response:
    named = "".join(f'<li><a href="{link}">{_label(link)}</a></li>' for link in links)
    return status(
        200,
        f"<!doctype html><html><head><title>{title}</title></head><body>{frame}<main>"
        f"<h1>{title}</h1>{body}<ul>{named}</ul></main>"
        "<footer><p>Written with care, and printed on paper.</p></footer></body></html>",
        **{"content-type": "text/html; charset=utf-8"},
    )


def _label(link: str) -> str:
    return link.rsplit("/", 1)[-1].partition("?")[0] or "home"


def number(path: str, before: str) -> int | None:
    rest = path.removeprefix(before)
    return int(rest) if path.startswith(before) and rest.isdecimal() else None


# Healthy sites: all of their pages are wanted.


def chain(pages: int = 600, ahead: int = 3) -> World:
    """Each page names its next few, and nothing else leads there."""

    def answer(path: str) -> Response | None:
        n = 0 if path == "/" else number(path, "/p/")
        if n is None or n >= pages:
            return None
        links = [f"/p/{m}" for m in range(n + 1, min(n + 1 + ahead, pages))]
        return html(f"Part {n}", f"<p>{prose('chain', n)}</p>", links)

    found = frozenset({"/", *(f"/p/{n}" for n in range(1, pages))})
    return World(f"chain-{ahead}", answer, found, depth=pages)


def tree(branches: int, depth: int, breadcrumbs: bool = False) -> World:
    """Every page names those below it, by numbers in its path."""

    def names(path: str) -> list[int] | None:
        parts = [part for part in path.strip("/").removeprefix("t").strip("/").split("/") if part]
        if any(not part.isdecimal() or int(part) >= branches for part in parts):
            return None
        return [int(part) for part in parts] if len(parts) <= depth else None

    def answer(path: str) -> Response | None:
        if path != "/" and not path.startswith("/t/"):
            return None
        at = names(path)
        if at is None:
            return None
        below = [f"/t/{'/'.join(map(str, [*at, n]))}" for n in range(branches)]
        up = [f"/t/{'/'.join(map(str, at[:n]))}" for n in range(1, len(at))] if breadcrumbs else []
        links = (below if len(at) < depth else []) + up
        return html(f"Chapter {at}", f"<p>{prose('tree', at)}</p>", links)

    found, level = {"/"}, [""]
    for _ in range(depth):
        level = [f"{at}/{n}" for at in level for n in range(branches)]
        found |= {f"/t{at}" for at in level}
    kind = "crumbs" if breadcrumbs else "bare"
    return World(f"tree-{branches}x{depth}-{kind}", answer, frozenset(found))


def wiki(pages: int = 700, links: int = 5) -> World:
    """Articles that name others, anywhere; each is named by one before it."""

    def named(n: int) -> list[int]:
        dice = Random(f"wiki {n}")
        own = [m for m in (2 * n + 1, 2 * n + 2) if m < pages]
        return own + [dice.randrange(pages) for _ in range(links)]

    def answer(path: str) -> Response | None:
        n = 0 if path == "/" else number(path, "/wiki/Article_")
        if n is None or n >= pages:
            return None
        return html(f"Article {n}", f"<p>{prose('wiki', n)}</p>",
                    [f"/wiki/Article_{m}" for m in named(n)])  # fmt: skip

    return World("wiki", answer,
                 frozenset({"/", *(f"/wiki/Article_{n}" for n in range(pages))}))  # fmt: skip


def catalogue(products: int = 400, related: int = 0, described: bool = False) -> World:
    """Name, price and number, and not a word more; lists of twenty, turned by a link."""
    lists = -(-products // 20)

    def answer(path: str) -> Response | None:
        page = 1 if path == "/" else number(path, "/shop?page=")
        if page is not None and 1 <= page <= lists:
            names = range((page - 1) * 20, min(page * 20, products))
            links = [f"/product/{n}" for n in names]
            if page < lists:
                links.append(f"/shop?page={page + 1}")
            return html("Shop", "<p>Everything we have.</p>", links)
        n = number(path, "/product/")
        if n is None or n >= products:
            return None
        dice = Random(f"product {n}")
        name = f"{dice.choice(_WORDS)} {dice.choice(_WORDS)}"
        body = f"<p>{dice.randrange(1, 40)}.{dice.choice(['00', '50', '99'])} EUR</p>"
        body += f"<p>SKU {10_000 + n * 7}</p>"
        if described:
            body += f"<p>{prose('described', n, words=30)}</p>"
        links = [f"/product/{(n + m) % products}" for m in range(1, related + 1)]
        return html(name, body, links)

    pages = {"/", *(f"/product/{n}" for n in range(products))}
    pages |= {f"/shop?page={n}" for n in range(2, lists + 1)}
    kind = ("described" if described else "thin") + (f"-related{related}" if related else "")
    return World(f"catalogue-{kind}", answer, frozenset(pages), depth=100)


def forum(threads: int = 120, replies: int = 3) -> World:
    """Boards, threads in pages, and profiles with a name and a number of posts."""
    boards = 6

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Forum", "<p>Boards</p>", [f"/board/{b}" for b in range(boards)])
        b = number(path, "/board/")
        if b is not None and b < boards:
            return html(f"Board {b}", "", [f"/thread/{t}" for t in range(b, threads, boards)])
        if (u := number(path, "/user/")) is not None and u < 2 * threads:
            return html(f"member{u:04}", f"<p>{u % 40} posts</p>")
        place, _, page = path.partition("?page=")
        t, n = number(place, "/thread/"), int(page or 1)
        if t is None or t >= threads or not 1 <= n <= replies:
            return None
        said = "".join(f"<p>{prose('post', t, n, k, words=25)}</p>" for k in range(4))
        links = [f"/user/{2 * t}", f"/user/{2 * t + 1}"]
        return html(f"Thread {t}", said, links + [f"{place}?page={n + 1}"] * (n < replies))

    pages = {"/", *(f"/board/{b}" for b in range(boards))}
    pages |= {f"/user/{u}" for u in range(2 * threads)}
    for t in range(threads):
        pages |= {f"/thread/{t}", *(f"/thread/{t}?page={n}" for n in range(2, replies + 1))}
    return World("forum", answer, frozenset(pages))


def archive(articles: int = 500) -> World:
    """Lists of titles by number, months without a word of their own, articles with text."""
    lists = articles // 10

    def answer(path: str) -> Response | None:
        page = 1 if path == "/" else number(path, "/news/page/")
        if page is not None and 1 <= page <= lists:
            links = [f"/news/{n}-story" for n in range((page - 1) * 10, page * 10)]
            return html("News", "", links + [f"/news/page/{page + 1}"] * (page < lists))
        n = number(path.removesuffix("-story"), "/news/")
        if n is None or n >= articles or not path.endswith("-story"):
            return None
        return html(f"Story {n}", f"<p>{prose('story', n)}</p>", ["/"])

    pages = {"/", *(f"/news/{n}-story" for n in range(articles))}
    pages |= {f"/news/page/{n}" for n in range(2, lists + 1)}
    return World("archive", answer, frozenset(pages), depth=100)


# Traps, each beside a small site that is wanted.


def _home(path: str, entries: list[str], pages: int = 40) -> Response | None:
    if path == "/":
        return html("Home", f"<p>{prose('home')}</p>",
                    [f"/about/{n}" for n in range(pages)] + entries)  # fmt: skip
    n = number(path, "/about/")
    if n is None or n >= pages:
        return None
    return html(f"About {n}", f"<p>{prose('about', n)}</p>", ["/", *entries])


_ABOUT = frozenset({"/", *(f"/about/{n}" for n in range(40))})


def _trap(name: str, entries: list[str], within: Answer, begins: tuple[str, ...]) -> World:
    def answer(path: str) -> Response | None:
        return _home(path, entries) or within(path)

    return World(name, answer, _ABOUT, lambda path: path.startswith(begins))


def tarpit(links: int = 5, leaves: float = 0.0, home: bool = True) -> World:
    """Fresh nonsense on every page, that names fresh pages."""

    def within(path: str) -> Response | None:
        if not path.startswith("/deep/"):
            return None
        dice = Random(path)
        is_leaf = dice.random() < leaves and not path.endswith("start")
        more = [] if is_leaf else [
            f"/deep/{dice.choice(_WORDS)}-{dice.getrandbits(40):x}" for _ in range(links)
        ]  # fmt: skip
        back = ["/", "/deep/start"] if home else []
        return html(f"On {dice.choice(_WORDS)}", f"<p>{prose('pit', path)}</p>", back + more)

    kind = f"{links}" + ("-leaves" if leaves else "") + ("" if home else "-nohome")
    return _trap(f"tarpit-{kind}", ["/deep/start"], within, ("/deep/",))


def nested_tarpit() -> World:
    """The same in folders, ever deeper, by words."""

    def within(path: str) -> Response | None:
        if not path.startswith("/lib/"):
            return None
        dice = Random(path)
        below = [f"{path.rstrip('/')}/{dice.choice(_WORDS)}{dice.randrange(99)}" for _ in range(4)]
        return html(f"Shelf {dice.choice(_WORDS)}", f"<p>{prose('lib', path)}</p>", below)

    return _trap("tarpit-nested", ["/lib/"], within, ("/lib/",))


def calendar(folders: bool) -> World:
    """Months and days without events, before and after."""

    def spell(*parts: str) -> str:
        return "/cal/" + "/".join(parts) if folders else "/cal?d=" + "-".join(parts)

    def within(path: str) -> Response | None:
        rest = path.removeprefix("/cal/" if folders else "/cal?d=")
        parts = rest.split("/" if folders else "-")
        if rest == path or not 2 <= len(parts) <= 3 or not all(p.isdecimal() for p in parts):
            return None
        months = int(parts[0]) * 12 + int(parts[1]) - 1
        year, month = divmod(months, 12)
        near = [divmod(m, 12) for m in (months - 1, months + 1)]
        links = [spell(f"{y}", f"{m + 1:02}") for y, m in near]
        if len(parts) == 2:
            links += [spell(f"{year}", f"{month + 1:02}", f"{d:02}") for d in range(1, 29)]
        grid = "".join(f"<td>{d}</td>" for d in range(1, 29))
        title = f"Events of {'.'.join(reversed(parts))}"
        return html(title, f"<table><tr>{grid}</tr></table><p>No events.</p>", links)

    entry = "/cal/2026/11" if folders else "/cal?d=2026-11"
    return _trap(f"calendar-{'path' if folders else 'query'}", [entry], within, ("/cal",))


def facets(by_path: bool) -> World:
    """Sixty things by colour, size, maker and order, in every combination."""
    choices = {
        "color": ["red", "green", "blue", "grey", "black"],
        "size": ["s", "m", "l", "xl"],
        "brand": ["acme", "bolt", "crane", "delta"],
        "sort": ["name", "price", "new"],
    }
    items = [
        (n, {k: Random(f"{n} {k}").choice(v) for k, v in choices.items() if k != "sort"})
        for n in range(60)
    ]

    def spell(chosen: dict[str, str]) -> str:
        if by_path:
            return "/find" + "".join(f"/{k}-{v}" for k, v in sorted(chosen.items()))
        return "/find?" + "&".join(f"{k}={v}" for k, v in chosen.items()) if chosen else "/find"

    def within(path: str) -> Response | None:
        n = number(path, "/thing/")
        if n is not None and n < 60:
            return html(f"{_WORDS[n % 40]} {_WORDS[-n % 37]}", f"<p>{prose('thing', n)}</p>")
        if not path.startswith("/find"):
            return None
        rest = path.removeprefix("/find")
        pairs = [p.split("-") for p in rest.split("/") if p] if by_path else [
            p.split("=") for p in rest.removeprefix("?").split("&") if p]  # fmt: skip
        if any(len(p) != 2 or p[1] not in choices.get(p[0], []) for p in pairs):
            return None
        chosen = dict(pairs)
        shown = [n for n, has in items if all(has.get(k, v) == v for k, v in chosen.items())]
        Random(chosen.get("sort", "")).shuffle(shown)
        body = "".join(
            f'<p><a href="/thing/{n}">{_WORDS[n % 40]} {_WORDS[-n % 37]}</a> {n}.50 EUR</p>'
            for n in shown[:20]
        )
        said = " ".join(f"{k} {v}" for k, v in chosen.items())
        links = [spell({**chosen, k: v}) for k, values in choices.items() for v in values
                 if chosen.get(k) != v]  # fmt: skip
        return html(f"{len(shown)} things {said}", body, links)

    world = _trap(f"facets-{'path' if by_path else 'query'}", ["/find"], within, ("/find",))
    return World(world.name, world.answer, _ABOUT | {f"/thing/{n}" for n in range(60)},
                 world.is_trap)  # fmt: skip


def sessions() -> World:
    """A session in the first folder of every link: the site again and again."""

    def within(path: str) -> Response | None:
        parts = path.strip("/").split("/")
        if len(parts) != 3 or parts[0] != "s":
            return None
        fresh = f"{Random(path).getrandbits(64):016x}"
        found = _home(f"/{parts[2].replace('.', '/')}", [])
        if found is None:
            return None
        n = parts[2].partition(".")[2]
        links = [f"/s/{fresh}/about.{m}" for m in range(40)]
        return html(f"About {n}", f"<p>{prose('about', int(n))}</p>", links)

    return _trap("sessions", ["/s/0123456789abcdef/about.1"], within, ("/s/",))


def soft_404() -> World:
    """Whatever is asked for is found, with the same words and links to more."""

    def within(path: str) -> Response | None:
        dice = Random(path)
        links = [f"/go/{dice.choice(_WORDS)}/{dice.choice(_WORDS)}{dice.randrange(999)}"
                 for _ in range(6)]  # fmt: skip
        body = f"<p>We looked everywhere for {path} and found these offers for you.</p>"
        return html("Welcome to our offers", body + f"<p>{prose('offers')}</p>", links)

    return _trap("soft-404", ["/go/one/two"], within, ("/go/",))


def echo_chain() -> World:
    """A counter that goes on by one, with a page that says nothing but the number."""

    def within(path: str) -> Response | None:
        n = number(path, "/seq?n=")
        if n is None:
            return None
        links = [f"/seq?n={m}" for m in (n + 1, n + 2, n * 2 + 1)]
        return html(f"Number {n}", f"<p>This is number {n}.</p>", links)

    return _trap("counter", ["/seq?n=1"], within, ("/seq",))


def healthy(scale: int = 1) -> tuple[World, ...]:
    """Sites of some hundred pages, or of so many times as many."""
    return (
        chain(240 * scale), chain(240 * scale, ahead=2), tree(3, 5), tree(2, 8), tree(7, 3),
        tree(4, 4, breadcrumbs=True), wiki(300 * scale), catalogue(240 * scale),
        catalogue(240 * scale, related=3), catalogue(240 * scale, related=4, described=True),
        forum(60 * scale), archive(250 * scale),
        *((tree(3, 6), tree(2, 9), tree(10, 3)) if scale > 1 else ()),
    )  # fmt: skip


def traps() -> tuple[World, ...]:
    return (
        tarpit(), tarpit(8, 0.2), tarpit(3, home=False), nested_tarpit(), calendar(True),
        calendar(False), facets(True), facets(False), sessions(), soft_404(), echo_chain(),
    )  # fmt: skip
