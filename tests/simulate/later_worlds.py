"""Healthy sites and traps that were written last, different in kind from the others, and tried once
before the rule was mended (URL-6, decision 0031)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec.structs import replace

from tenax.model import Response
from tests.simulate.beside import below, beside, query, story
from tests.simulate.more_healthy import PHRASES, Page, made, paged
from tests.simulate.worlds import World, html, number, prose

# Healthy sites.


def stops(width: int = 22, height: int = 18) -> World:
    """A net of stops: each says its name and those of its neighbours, and nothing else is said."""

    def name(x: int, y: int) -> str:
        return f"{PHRASES[x % 16].split()[0]} {PHRASES[16 + y % 16].split()[1]}"

    pages: dict[str, Page] = {"/": ("Stops", "<p>Where to?</p>", ["/stop/0-0"])}
    for x in range(width):
        for y in range(height):
            near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
            there = [(a, b) for a, b in near if 0 <= a < width and 0 <= b < height]
            body = "".join(f"<p>to {name(a, b)}</p>" for a, b in there)
            pages[f"/stop/{x}-{y}"] = (name(x, y), body, [f"/stop/{a}-{b}" for a, b in there])
    return made("stops", pages)


def species(count: int = 420) -> World:
    """A narrow tree of names; a page says those above and below it, and the last ones only theirs.
    Deep, without an index, and each name was said by the page before."""
    dice = Random("species")
    above = {0: -1} | {n: dice.randrange(max(0, n - 12), n) for n in range(1, count)}
    below: dict[int, list[int]] = {n: [] for n in range(count)}
    for n, m in above.items():
        if m >= 0:
            below[m].append(n)
    names = [prose("species", n // 3, words=1) + prose("kind", n % 40, words=1) for n in above]

    def path(n: int) -> str:
        return f"/taxon/{names[n]}-{n}"

    pages: dict[str, Page] = {"/": ("Life", "", [path(0)])}
    for n in above:
        body = "".join(f"<p>{names[m]}</p>" for m in below[n])
        pages[path(n)] = (names[n], body, [path(m) for m in (*below[n], above[n]) if m >= 0])
    return made("species", pages)


def docket(days: int = 330) -> World:
    """A court's days by "next" alone; on two of three nothing is heard, and then it is over."""
    pages: dict[str, Page] = {"/": ("Court", "<p>Hearings</p>", ["/docket/1"])}
    case = 0
    for day in range(1, days + 1):
        links = [f"/docket/{d}" for d in (day - 1, day + 1) if 1 <= d <= days]
        heard = []
        if day % 3 == 0:
            case += 1
            heard = [f"/case/{case}"]
            parties = f"{PHRASES[case % 32]} against {PHRASES[case * 7 % 32]}"
            pages[heard[0]] = (parties, f"<p>{prose('case', case, words=25)}</p>", ["/"])
        said = "<p>One hearing</p>" if heard else "<p>No hearings</p>"
        pages[f"/docket/{day}"] = ("Hearings", said, heard + links)
    return made("docket", pages)


def numbered(count: int = 380) -> World:
    """Menus, lists and articles, all of them behind one script and a number."""
    pages: dict[str, Page] = {}
    for n in range(count):
        below = [f"/index.php?id={m}" for m in range(7 * n + 1, 7 * n + 8) if m < count]
        body = "" if below else f"<p>{prose('numbered', n, words=45)}</p>"
        up = f"/index.php?id={(n - 1) // 7}" if n > 7 else "/"
        pages[f"/index.php?id={n}" if n else "/"] = (f"Part {PHRASES[n % 32]}", body, [*below, up])
    return made("numbered", pages)


def words(count: int = 360) -> World:
    """Everything is in the first folder, by a word; lists of letters name all."""
    dice = Random("words")
    named = sorted({"".join(dice.choices("bdlmnrst", k=1) + dice.choices("aeioulnrst", k=7))
                    for _ in range(count)})  # fmt: skip
    letters = sorted({word[0] for word in named})
    pages: dict[str, Page] = {"/": ("Index", "", [f"/letter-{c}" for c in letters])}
    for c in letters:
        pages[f"/letter-{c}"] = (f"Letter {c}", "", [f"/{w}" for w in named if w[0] == c])
    for word in named:
        pages[f"/{word}"] = (word, f"<p>{prose('word', word, words=12)}</p>", ["/"])
    return made("words", pages)


def votes(sessions: int = 12, each: int = 25) -> World:
    """Sixty members, each of whom has said yes or no; all pages are nearly alike."""
    members = [prose("member", n, words=2) for n in range(60)]
    pages: dict[str, Page] = {"/": ("Votes", "", [f"/session/{s}" for s in range(sessions)])}
    for s in range(sessions):
        own = [f"/vote/{s * each + n}" for n in range(each)]
        pages[f"/session/{s}"] = (f"Session {s}", "", own)
        for path in own:
            dice = Random(path)
            body = "".join(f"<p>{m}: {dice.choice(['yes', 'no', 'absent'])}</p>" for m in members)
            pages[path] = (f"Vote on {dice.choice(PHRASES)}", body, [f"/session/{s}"])
    return made("votes", pages)


def phone_book(count: int = 420) -> World:
    """A name out of few and a number that is spelled like a date."""
    first, last = [p.split()[0] for p in PHRASES], [p.split()[1] for p in PHRASES]
    pages: dict[str, Page] = {}
    for n in range(count):
        dice = Random(f"phone {n}")
        name = f"{dice.choice(first)} {dice.choice(last)}"
        called = f"<p>0{dice.randrange(30, 90)}/{dice.randrange(10**5, 10**6)}-{n % 10}</p>"
        pages[f"/entry/{name.replace(' ', '-')}-{n}"] = (name, called, [])
    paged(pages, "/", "/entries/", list(pages), 30, "Phone book")
    return made("phone-book", pages)


def parts(count: int = 400) -> World:
    """Spare parts by numbers, and what they are parts of; whoever has one finds some of the
    others, and from those the rest."""

    def path(n: int) -> str:
        return f"/part/{10 + n % 80}-{4000 + n * 13}-{n % 9}"

    pages: dict[str, Page] = {"/": ("Parts", "", [path(n) for n in range(6)])}
    for n in range(count):
        dice = Random(f"part {n}")
        links = [path(m) for m in (n * 2 + 4, n * 2 + 5) if m < count]
        links += [path(dice.randrange(n + 1))]
        body = f"<p>{path(n)[6:]}</p><p>{dice.choice(PHRASES)}</p>"
        pages[path(n)] = ("Spare part", body, links)
    return made("parts", pages)


# Traps.


def puzzles() -> World:
    """Eighty-one figures that were rolled, three more of the kind, and the solution."""

    def within(path: str) -> Response | None:
        for place, title in (("/puzzle/", "Puzzle"), ("/solution/", "Solution")):
            if path.startswith(place):
                dice = Random(path)
                rows = "".join(
                    f"<p>{' '.join(str(dice.randrange(1, 10)) for _ in range(9))}</p>"
                    for _ in range(9)
                )
                more = [f"/puzzle/{dice.randrange(10**7)}" for _ in range(3)]
                own = [f"/solution/{path.rpartition('/')[2]}"] if title == "Puzzle" else []
                return html(title, rows, own + more)
        return None

    return beside("puzzles", ["/puzzle/1"], within, lambda p: p[:8] in ("/puzzle/", "/solutio"))


def currencies() -> World:
    """Each story with its price in any of twelve currencies, and in any country."""
    codes = "EUR USD GBP JPY CHF SEK NOK DKK PLN CZK HUF RON".split()  # noqa: SIM905 - shorter

    def within(path: str) -> Response | None:
        place, _, rest = path.partition("?")
        n = number(place, "/story/")
        q = dict(pair.split("=") for pair in rest.split("&") if "=" in pair)
        if n is None or n >= 60 or not q or not set(q) <= {"cur", "to"}:
            return None
        price = 10 * n * (1 + codes.index(q.get("cur", "EUR")) * 0.173)
        body = f"{story(n)}<p>{price:.2f} {q.get('cur', 'EUR')}</p><p>To {q.get('to', '')}</p>"
        links = [f"{place}?cur={c}&to={q.get('to', 'de')}" for c in codes]
        links += [f"{place}?cur={q.get('cur', 'EUR')}&to={t}" for t in ("de", "fr", "uk", "us")]
        return html(f"Story {n}", body, links)

    return beside("currencies", [], within, lambda p: p.startswith("/story/") and "?" in p,
                  lambda n: [f"/story/{n}?cur={c}&to=de" for c in codes])  # fmt: skip


def beyond_the_end() -> World:
    """A list of stories in six pages; each page behind the last is empty, and names the next."""

    def within(path: str) -> Response | None:
        n = number(path, "/list/page/")
        if n is None:
            return None
        shown = [f"/story/{m}" for m in range(10 * n, min(60, 10 * n + 10))]
        body = "" if shown else "<p>There is nothing here yet.</p>"
        return html(f"Stories, page {n}", body, [*shown, f"/list/page/{n + 1}"])

    def is_trap(path: str) -> bool:
        return (number(path, "/list/page/") or 0) > 5

    return beside("beyond-the-end", ["/list/page/0"], within, is_trap)


def quotes() -> World:
    """A form below each of thirty answers to each story, with the answer in it."""

    def answer_of(n: int, m: int) -> str:
        return prose("answer", n, m, words=14)

    def within(path: str) -> Response | None:
        q = query(path, "/reply")
        if q is None or not (q.get("to", "").isdecimal() and q.get("post", "").isdecimal()):
            return None
        said = answer_of(int(q["to"]), int(q["post"]))
        return html("Your answer", f"<p>Somebody wrote</p><blockquote>{said}</blockquote>")

    plain = beside("quotes", [], within, below("/reply"))

    def answer(path: str) -> Response | None:
        n = number(path, "/story/")
        if n is None or n >= 60:
            return plain.answer(path)
        said = "".join(f"<p>{answer_of(n, m)}</p>" for m in range(30))
        return html(f"Story {n}", story(n) + said, [f"/reply?to={n}&post={m}" for m in range(30)])

    return replace(plain, answer=answer)


def letter_case() -> World:
    """The server does not mind how a path is spelled, and spells it anew in each link."""

    def within(path: str) -> Response | None:
        n = number(path.lower(), "/story/")
        if n is None or n >= 60:
            return None
        dice = Random(path)

        def spelled(m: int) -> str:
            return "".join(dice.choice((c, c.upper())) for c in "/story/") + str(m)

        return html(f"Story {n}", story(n), [spelled(dice.randrange(60)) for _ in range(6)])

    def is_trap(path: str) -> bool:
        return path.lower().startswith("/story/") and not path.startswith("/story/")

    return beside("letter-case", ["/Story/1", "/STORY/2"], within, is_trap)


def doorways() -> World:
    """No jobs of any kind in any town, and where else one could look."""
    titles = [prose("title", n, words=1) for n in range(40)]
    towns = [prose("town", n, words=2).replace(" ", "-") for n in range(90)]

    def within(path: str) -> Response | None:
        if not path.startswith("/jobs/"):
            return None
        title, _, town = path.removeprefix("/jobs/").partition("-in-")
        dice = Random(path)
        body = f"<p>0 {title} jobs in {town.replace('-', ' ')}</p><p>Be told of new ones.</p>"
        more = [f"/jobs/{dice.choice(titles)}-in-{town}" for _ in range(5)]
        more += [f"/jobs/{title}-in-{dice.choice(towns)}" for _ in range(5)]
        return html(f"{title} jobs", body, [*more, f"/story/{dice.randrange(60)}"])

    return beside("doorways", [f"/jobs/{titles[0]}-in-{towns[0]}"], within, below("/jobs/"))


LATER_HEALTHY: tuple[Callable[[], World], ...] = (
    stops, species, docket, numbered, words, votes, phone_book, parts,
)  # fmt: skip
LATER_TRAPS: tuple[Callable[[], World], ...] = (
    puzzles, currencies, beyond_the_end, quotes, letter_case, doorways,
)  # fmt: skip
