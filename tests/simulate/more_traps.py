"""More traps, each beside a small site that is wanted (URL-6)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from urllib.parse import urlencode

from tenax.model import Response
from tests.simulate.beside import below, beside, query, story
from tests.simulate.more_healthy import PHRASES
from tests.simulate.worlds import World, html, number, prose


def converter() -> World:
    """Any sum in any of six currencies: fresh figures for ever."""
    codes = ("EUR", "USD", "GBP", "JPY", "CHF", "SEK")

    def within(path: str) -> Response | None:
        q = query(path, "/convert")
        if q is None or not q.get("amount", "").isdecimal():
            return None
        amount = int(q["amount"])
        got = amount * (1.07 + codes.index(q["to"]) * 0.31)
        links = [urlencode({**q, "amount": n}) for n in (amount + 1, amount + 10, amount * 2)]
        links += [urlencode({**q, "to": code}) for code in codes if code != q["to"]]
        body = f"<p>{amount} {q['from']} are {got:.2f} {q['to']}.</p>"
        return html("Converter", body, [f"/convert?{link}" for link in links])

    return beside("converter", ["/convert?from=EUR&to=USD&amount=1"], within, below("/convert"))


def lattice_of_figures() -> World:
    """Places with measurements that were made up; each names four around it."""

    def within(path: str) -> Response | None:
        x, _, y = path.removeprefix("/grid/").partition("/")
        if not path.startswith("/grid/") or not (x.isdecimal() and y.isdecimal()):
            return None
        dice = Random(path)
        a, b = int(x), int(y)
        near = [(a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)]
        body = f"<p>Height {dice.uniform(0, 900):.1f}</p><p>Depth {dice.uniform(0, 900):.1f}</p>"
        return html("Point", body, [f"/grid/{c}/{d}" for c, d in near])

    return beside("lattice-figures", ["/grid/5000/5000"], within, below("/grid/"))


def week_calendar() -> World:
    """Weeks that name their days, and days that name their hours; nothing is on."""

    def within(path: str) -> Response | None:
        week, day = number(path, "/week/"), number(path, "/day/")
        if week is not None:
            days = [f"/day/{week * 7 + d}" for d in range(7)]
            return html(f"Week {week % 52 + 1} of {2000 + week // 52}", "<p>Nothing is on.</p>",
                        [f"/week/{week - 1}", f"/week/{week + 1}", *days])  # fmt: skip
        if day is None:
            return None
        return html(f"Day {day % 28 + 1}", "<p>Nothing is on.</p>",
                    [f"/week/{day // 7}", f"/day/{day - 1}", f"/day/{day + 1}"])  # fmt: skip

    return beside("week-calendar", ["/week/1378"], within, lambda p: p[:5] in ("/week", "/day/"))


def agenda() -> World:
    """A day after the other, with three of twenty things to do."""

    def within(path: str) -> Response | None:
        day = number(path, "/agenda?day=")
        if day is None:
            return None
        said = "".join(f"<p>{p}</p>" for p in Random(path).sample(PHRASES[:20], 3))
        return html("Agenda", said, [f"/agenda?day={day + n}" for n in (-7, -1, 1, 7)])

    return beside("agenda-repeating", ["/agenda?day=9000"], within, below("/agenda"))


def translations() -> World:
    """Ten languages of which none was ever translated but the menu."""
    langs = ("de", "fr", "it", "es", "pt", "nl", "sv", "da", "pl", "cs")

    def within(path: str) -> Response | None:
        place, _, lang = path.partition("?hl=")
        n = number(place, "/story/")
        if n is None or n >= 60 or lang not in langs:
            return None
        menu = f"<nav>{prose('menu', lang, words=4)}</nav>"
        return html(f"Story {n}", menu + story(n), own(n))

    def own(n: int) -> list[str]:
        return [f"/story/{n}?hl={lang}" for lang in langs]

    return beside("translations-menu-only", [], within, lambda path: "?hl=" in path, own)


def related_searches() -> World:
    words = prose("dictionary", words=400).split()

    def within(path: str) -> Response | None:
        q = query(path, "/search")
        if q is None or "q" not in q:
            return None
        asked = q["q"].split()[:4]
        dice = Random(path)
        more = [" ".join([*asked[-2:], dice.choice(words)]) for _ in range(8)]
        shown = dice.sample(range(60), 8)
        body = "".join(f'<p><a href="/story/{n}">Story {n}</a></p>' for n in shown)
        return html(f"Results for {q['q']}", body, [f"/search?{urlencode({'q': m})}" for m in more])

    return beside("related-searches", ["/search?q=harbour"], within, below("/search"))


def random_article() -> World:
    """One of the stories, at an address of its own for each visit."""

    def within(path: str) -> Response | None:
        if not path.startswith("/random/"):
            return None
        dice = Random(path)
        n = dice.randrange(60)
        return html(f"Story {n}", story(n), [f"/random/{dice.getrandbits(48):012x}" for _ in "ab"])

    return beside("random-article", ["/random/0"], within, below("/random/"))


def tiles() -> World:
    """A map in folders: four around it, four below it, one above it."""

    def within(path: str) -> Response | None:
        parts = path.removeprefix("/tile/").split("/")
        if not path.startswith("/tile/") or len(parts) != 3 or not all(map(str.isdecimal, parts)):
            return None
        z, x, y = map(int, parts)
        near = [(z, x + 1, y), (z, x - 1, y), (z, x, y + 1), (z, x, y - 1), (z - 1, x // 2, y // 2)]
        near += [(z + 1, 2 * x + a, 2 * y + b) for a in (0, 1) for b in (0, 1)]
        return html(
            "Map", f"<p>{PHRASES[(x + y) % 9]}</p>", [f"/tile/{a}/{b}/{c}" for a, b, c in near]
        )

    return beside("tiles", ["/tile/12/2000/2000"], within, below("/tile/"))


def sort_filter_page() -> World:
    """Sixty stories by order, direction, number on a page, kind and page."""
    choices = {"sort": ("date", "name", "length"), "dir": ("up", "down"),
               "per": ("5", "10", "20"), "kind": ("long", "short", "any")}  # fmt: skip

    def within(path: str) -> Response | None:
        q = query(path, "/all")
        if q is None or any(value not in choices.get(k, (value,)) for k, value in q.items()):
            return None
        per, page = int(q.get("per", 10)), int(q.get("page", 1))
        shown = list(range(60))
        Random(str(sorted((k, v) for k, v in q.items() if k not in ("page", "per")))).shuffle(shown)
        part = shown[(page - 1) * per : page * per]
        if not part:
            return None
        body = "".join(f'<p><a href="/story/{n}">Story {n}</a></p>' for n in part)
        links = [{**q, k: v} for k, values in choices.items() for v in values if q.get(k) != v]
        links += [{**q, "page": str(page + 1)}] if page * per < 60 else []
        return html("All stories", body, [f"/all?{urlencode(link)}" for link in links])

    return beside("sort-filter-page", ["/all?sort=date"], within, below("/all"))


def print_views() -> World:
    """A printed view of each, which says when, and tells nobody where it belongs; and one more for
    letters. Here are four hundred stories."""
    pages = frozenset({"/", *(f"/post/{n}" for n in range(300))})

    def within(path: str) -> Response | None:
        if path == "/":
            return html("Posts", "", [f"/post/{n}" for n in range(300)])
        place, _, view = path.removeprefix("/post/").partition("/")
        if (
            not path.startswith("/post/")
            or not place.isdecimal()
            or view not in ("", "print", "mail")
        ):
            return None
        n = int(place)
        links = [] if view else [f"/post/{n}/print", f"/post/{n}/mail"]
        head = f"<p>Made for {view} on 2026-11-18</p>" if view else ""
        return html(f"Post {n}", head + story(n), links) if n < 300 else None

    return World("print-views", within, pages, lambda path: path.endswith(("/print", "/mail")), 100)


def login_links() -> World:
    """A link to log in on every page, the page to log in included."""

    def within(path: str) -> Response | None:
        q = query(path, "/login")
        if q is None or len(path) > 400:
            return None
        back = urlencode({"next": path})
        return html(
            "Log in", f"<p>To go on to {q.get('next')}</p>", [f"/login?{back}", f"/join?{back}"]
        )

    def either(path: str) -> Response | None:
        return within(path.replace("/join", "/login", 1) if path.startswith("/join") else path)

    def own(n: int) -> list[str]:
        return [f"/login?next=%2Fstory%2F{n}", f"/join?next=%2Fstory%2F{n}"]

    return beside("login-links", [], either, lambda p: p[:6] in ("/login", "/join?"), own)


def session_folders() -> World:
    """The whole site again below each session, which changes with every page."""

    def within(path: str) -> Response | None:
        if not path.startswith("/(S("):
            return None
        token, _, rest = path[4:].partition("))/")
        n = number("/" + rest, "/story/")
        if not token or n is None or n >= 60:
            return None
        fresh = f"{Random(path).getrandbits(60):015x}"
        return html(f"Story {n}", story(n), [f"/(S({fresh}))/story/{m}" for m in range(0, 60, 7)])

    return beside("session-folders", ["/(S(a1b2c3d4e5f60718))/story/1"], within, below("/(S("))


def tags_together() -> World:
    """Stories that have all of these tags, in every order of them."""
    tags = prose("tags", words=14).split()

    def within(path: str) -> Response | None:
        if not path.startswith("/tag/"):
            return None
        chosen = path.removeprefix("/tag/").split("+")
        if not set(chosen) <= set(tags):
            return None
        shown = [n for n in range(60) if all(t in prose("story", n).split() for t in chosen[:2])]
        body = "".join(f'<p><a href="/story/{n}">Story {n}</a></p>' for n in shown)
        links = ["/tag/" + "+".join([*chosen, t]) for t in tags if t not in chosen]
        return html(" and ".join(chosen), body, links)

    return beside("tags-together", [f"/tag/{t}" for t in sorted(set(tags))], within, below("/tag/"))


def shuffled_next() -> World:
    """The next page, for ever, with known sentences in another order."""

    def within(path: str) -> Response | None:
        n = number(path, "/more/")
        if n is None:
            return None
        said = Random(path).sample([prose("story", m) for m in range(30)], 5)
        return html("More", "".join(f"<p>{each}</p>" for each in said), [f"/more/{n + 1}"])

    return beside("shuffled-next", ["/more/0"], within, below("/more/"))


def relative_links() -> World:
    """Whatever is not there is the first page again, and its links lead further down."""

    def within(path: str) -> Response | None:
        if not path.startswith("/shop/"):
            return None
        links = [f"{path.rstrip('/')}/{name}" for name in ("tea", "cups", "pots", "sale")]
        return html("Our shop", f"<p>{prose('our shop')}</p>", links)

    return beside("relative-links", ["/shop/"], within, below("/shop/"))


def changes() -> World:
    """Differences between any two of thirty versions of sixty stories."""

    def within(path: str) -> Response | None:
        q = query(path, "/diff")
        if q is None or set(q) != {"of", "old", "new"}:
            return None
        old, new = int(q["old"]), int(q["new"])
        pairs = [(old + 1, new), (old, new + 1), (old - 1, new), (old, new - 1)]
        links = [
            urlencode({**q, "old": a, "new": b}) for a, b in pairs if 0 < a <= 30 and 0 < b <= 30
        ]
        body = f"<p>Version {old} and {new}</p>" + story(int(q["of"]))
        return html("Differences", body, [f"/diff?{link}" for link in links])

    def own(n: int) -> list[str]:
        return [f"/diff?of={n}&old=1&new=2"]

    return beside("differences", [], within, below("/diff"), own)


def baskets() -> World:
    """Everything can be put into the basket, wished for, and compared with what is in it."""

    def within(path: str) -> Response | None:
        q = query(path, "/basket")
        if q is None:
            return None
        held = q.get("ids", "").split("-")
        if len(held) > 12:
            return None
        more = [
            f"/basket?ids={'-'.join([*held, str(n)])}"
            for n in range(0, 60, 4)
            if str(n) not in held
        ]
        return html("Your basket", f"<p>{len(held)} things</p>", more)

    return beside("baskets", [], within, below("/basket"), lambda n: [f"/basket?ids={n}"])


def price_slider() -> World:
    """From so much to so much: the same sixty things."""

    def within(path: str) -> Response | None:
        q = query(path, "/prices")
        if q is None:
            return None
        low, high = int(q["min"]), int(q["max"])
        if low >= high:
            return html("Prices", "<p>Nothing costs that.</p>")
        shown = [n for n in range(60) if low <= n * 10 <= high][:20]
        body = "".join(f'<p><a href="/story/{n}">Story {n}</a> {n * 10} EUR</p>' for n in shown)
        steps = [(low + 5, high), (low, high + 5), (low + 50, high), (low, high - 15)]
        return html(f"{len(shown)} things", body, [f"/prices?min={a}&max={b}" for a, b in steps])

    return beside("price-slider", ["/prices?min=0&max=500"], within, below("/prices"))


def tracked() -> World:
    """Every link tells where one came from, by a number of its own."""

    def within(path: str) -> Response | None:
        place, _, _ = path.partition("?from_link=")
        n = number(place, "/story/")
        if n is None or n >= 60:
            return None
        dice = Random(path)
        links = [
            f"/story/{dice.randrange(60)}?from_link={dice.getrandbits(40):x}" for _ in range(5)
        ]
        return html(f"Story {n}", story(n), links)

    def own(n: int) -> list[str]:
        return [f"/story/{(n + 1) % 60}?from_link={n}f00ba4"]

    return beside("tracked", [], within, lambda path: "?from_link=" in path, own)


def disguised_pit() -> World:
    """Known sentences; a third of its pages name nothing new, and many name the same ones."""

    def within(path: str) -> Response | None:
        if not path.startswith("/pit/"):
            return None
        dice = Random(path)
        said = "".join(f"<p>{p}</p>" for p in dice.sample(PHRASES, 6))
        names = [
            f"/pit/{dice.choice(PHRASES).replace(' ', '-')}-{dice.randrange(10**6)}" for _ in "abcd"
        ]
        known = [f"/pit/hub-{dice.randrange(12)}"]
        is_end = dice.random() < 0.33 and "hub" not in path
        return html(dice.choice(PHRASES), said, known if is_end else known + names)

    return beside("disguised-pit", ["/pit/hub-0"], within, below("/pit/"))


def quiz() -> World:
    """Every answer leads to the next question: three to the power of twelve ends."""

    def within(path: str) -> Response | None:
        q = query(path, "/quiz")
        if q is None or len(q.get("a", "x")) > 12:
            return None
        given = q["a"]
        title = f"Question {len(given) + 1}"
        body = f"<p>{PHRASES[len(given)]}?</p><p>{given.count('a')} right</p>"
        return html(title, body, [f"/quiz?a={given}{c}" for c in "abc"])

    return beside("quiz", ["/quiz?a=a"], within, below("/quiz"))


def number_facts() -> World:
    """What there is to say of a number can be reckoned for any."""

    def within(path: str) -> Response | None:
        n = number(path, "/number/")
        if n is None or n > 10**9:
            return None
        body = f"<p>Its square is {n * n}.</p><p>Half of it is {n / 2}.</p>"
        return html(f"About {n}", body, [f"/number/{m}" for m in (n + 1, n + 2, 2 * n, 3 * n)])

    return beside("number-facts", ["/number/7"], within, below("/number/"))


MORE_TRAPS: tuple[Callable[[], World], ...] = (
    converter, lattice_of_figures, week_calendar, agenda, translations, related_searches,
    random_article, tiles, sort_filter_page, print_views, login_links, session_folders,
    tags_together, shuffled_next, relative_links, changes, baskets, price_slider, tracked,
    disguised_pit, quiz, number_facts,
)  # fmt: skip
