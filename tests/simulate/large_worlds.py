"""Healthy sites of up to millions of pages, each made when it is asked for (URL-6): whoever has
seen three thousand of them has not yet seen an end, and must not take them for a maze."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from random import Random

from tenax.demo import TreeSite
from tenax.model import Response
from tests.simulate.beside import below, beside
from tests.simulate.worlds import Answer, World, html, number, prose

_KINDS = ("lamp", "chair", "teapot", "rug", "clock", "shelf", "mirror", "stool")


def _site(name: str, answer: Answer) -> World:
    """Which of its pages a crawl should see, it cannot say: as many as it may."""
    return World(name, answer, frozenset(), depth=10)


def _text(*seed: object, words: int = 60) -> str:
    return f"<p>{prose(*seed, words=words)}</p>"


def anywhere(pages: int, *seed: object, count: int) -> list[int]:
    dice = Random(repr(seed))
    return [dice.randrange(pages) for _ in range(count)]


def skewed(pages: int, *seed: object, count: int) -> list[int]:
    """As links are in real sites: the first of a ranking are named ever so often."""
    dice = Random(repr(seed))
    return [int(pages ** dice.random()) - 1 for _ in range(count)]


def numbered(
    name: str, before: str, pages: int, named: Callable[[int], Iterable[int]], words: int = 60
) -> World:
    """Pages with a number each, and words of their own."""

    def answer(path: str) -> Response | None:
        n = 0 if path == "/" else number(path, before)
        if n is None or n >= pages:
            return None
        links = [f"{before}{m}" for m in dict.fromkeys(named(n)) if m != n]
        return html(f"Entry {n}", _text(name, n, words=words), links)

    return _site(name, answer)


def big_tree(pages: int = 1_000_000, branches: int = 10, more: int = 9) -> World:
    """Each names those below it, and some anywhere."""

    def named(n: int) -> list[int]:
        below = [m for m in range(branches * n + 1, branches * n + branches + 1) if m < pages]
        return below + anywhere(pages, "tree", n, count=more)

    return numbered(f"big-tree-{pages:,}", "/t/", pages, named)


def demo_tree(pages: int = 2_000_000) -> World:
    site = TreeSite(pages=pages)
    return numbered(f"demo-tree-{pages:,}", "/p/", pages, site.neighbours)


def big_wiki(pages: int = 500_000, links: int = 30, is_skewed: bool = False) -> World:
    draw = skewed if is_skewed else anywhere
    kind = "skewed" if is_skewed else "uniform"
    return numbered(
        f"big-wiki-{kind}", "/wiki/", pages, lambda n: draw(pages, "wiki", n, count=links)
    )


def big_shop(products: int = 500_000, has_data: bool = False, related: int = 8) -> World:
    """Groups with lists of fifty, turned by a link; a product names others, anywhere."""
    groups = 40
    lists = products // groups // 50

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Shop", _text("shop"), [f"/group/{g}" for g in range(groups)])
        place, _, turned = path.partition("?page=")
        g, page = number(place, "/group/"), int(turned or 1)
        if g is not None and g < groups and 1 <= page <= lists:
            first = (g * lists + page - 1) * 50
            more = [f"{place}?page={page + 1}"] if page < lists else []
            return html(
                f"Group {g}", "", [f"/product/{n}" for n in range(first, first + 50)] + more
            )
        n = number(path, "/product/")
        if n is None or n >= products:
            return None
        dice = Random(f"product {n}")
        name, price = f"{prose('name', n, words=2)} {dice.choice(_KINDS)}", dice.randrange(5, 400)
        data = {
            "@context": "https://schema.org", "@type": "Product", "name": name, "sku": f"{n}",
            "offers": {"@type": "Offer", "price": f"{price}.50", "priceCurrency": "EUR"},
        }  # fmt: skip
        body = f"<p>{price}.50 EUR</p>" + _text("product", n, words=30)
        if has_data:
            body += f'<script type="application/ld+json">{json.dumps(data)}</script>'
        links = [f"/product/{m}" for m in anywhere(products, "related", n, count=related)]
        return html(name, body, [f"/group/{n // 50 // lists}", *links])

    return _site("big-shop-data" if has_data else "big-shop-plain", answer)


def big_forum(threads: int = 2_000_000) -> World:
    """Boards in pages of thirty; a thread names its authors and four like it, anywhere."""
    boards = 20
    lists = threads // boards // 30

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Forum", "", [f"/board/{b}" for b in range(boards)])
        place, _, turned = path.partition("?page=")
        b, page = number(place, "/board/"), int(turned or 1)
        if b is not None and b < boards and 1 <= page <= lists:
            first = (b * lists + page - 1) * 30
            more = [f"{place}?page={page + 1}"] if page < lists else []
            return html(f"Board {b}", "", [f"/thread/{t}" for t in range(first, first + 30)] + more)
        if (u := number(path, "/user/")) is not None and u < threads:
            return html(f"member{u}", f"<p>{u % 40} posts</p>")
        t = number(path, "/thread/")
        if t is None or t >= threads:
            return None
        said = "".join(_text("post", t, k, words=25) for k in range(4))
        users = [f"/user/{u}" for u in skewed(threads, "authors", t, count=4)]
        like = [f"/thread/{m}" for m in anywhere(threads, "like", t, count=4)]
        return html(f"Thread {t}", said, [*users, *like])

    return _site("big-forum", answer)


def big_archive(years: int = 60, stories: int = 40, is_scattered: bool = False) -> World:
    """Years, months and days, each in the folder of the one above; a day names its stories, each of
    them three others of its month, or of any. Months tell what was in the news, the front page of
    some stories."""

    def story(dice: Random, near: Sequence[str] = ()) -> str:
        year, month = near[:2] or (
            f"{1960 + dice.randrange(years)}",
            f"{dice.randrange(12) + 1:02}",
        )
        day = f"{year}/{month}/{dice.randrange(28) + 1:02}"
        n = dice.randrange(stories)
        return f"/{day}/{prose('title', day, n, words=2).replace(' ', '-')}-{n}"

    def answer(path: str) -> Response | None:
        if path == "/":
            latest = [story(Random(n)) for n in range(10)]
            return html("Archive", "", [*latest, *(f"/{1960 + y}/" for y in range(years))])
        parts = path.strip("/").split("/")
        if path.endswith("/") and len(parts) < 3:
            below = 12 if len(parts) == 1 else 28
            news = _text(path, words=20) if len(parts) == 2 else ""
            return html(" ".join(parts), news, [f"{path}{n + 1:02}/" for n in range(below)])
        if path.endswith("/"):
            day = "/".join(parts)
            named = [prose("title", day, n, words=2).replace(" ", "-") for n in range(stories)]
            return html(day, "", [f"{path}{name}-{n}" for n, name in enumerate(named)])
        dice, near = Random(path), () if is_scattered else parts
        return html(parts[-1], _text(path), [story(dice, near) for _ in range(3)])

    return _site("big-archive-scattered" if is_scattered else "big-archive", answer)


def deep_manual(branches: int = 12, depth: int = 6) -> World:
    """Chapters within chapters in folders; each names the way up, those below it and the next."""

    def answer(path: str) -> Response | None:
        at = [int(part) for part in path.strip("/").split("/")[1:]] if path != "/" else []
        if len(at) > depth or any(n >= branches for n in at):
            return None
        below = [[*at, n] for n in range(branches)] if len(at) < depth else []
        up = [at[:n] for n in range(1, len(at))]
        aside = [[*at[:-1], at[-1] + 1]] if at and at[-1] + 1 < branches else []
        links = ["/manual/" + "/".join(map(str, each)) for each in (*below, *up, *aside)]
        return html(f"Chapter {at}", _text("manual", at), links)

    return _site("deep-manual", answer)


LARGE: tuple[Callable[[], World], ...] = (
    big_tree, lambda: big_tree(200_000), demo_tree, big_wiki, lambda: big_wiki(is_skewed=True),
    lambda: big_shop(has_data=True), big_shop, big_forum, big_archive,
    lambda: big_archive(is_scattered=True), deep_manual,
)  # fmt: skip

# Written before the rule had its last change, and run once on the one before that.


def videos(films: int = 2_000_000) -> World:
    """By a query; a film names twelve of its channel and eight that many look at."""
    size = 60

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Films", "", [f"/watch?v={n}" for n in skewed(films, "home", count=30)])
        if (c := number(path, "/channel/")) is not None and c < films // size:
            own = range(c * size, c * size + 30)
            return html(f"Channel {c}", _text("channel", c), [f"/watch?v={n}" for n in own])
        n = number(path, "/watch?v=")
        if n is None or n >= films:
            return None
        first = n // size * size
        near = [first + m for m in anywhere(size, "near", n, count=12)]
        links = [f"/watch?v={m}" for m in (*near, *skewed(films, "far", n, count=8))]
        return html(f"Film {n}", _text("film", n, words=25), [f"/channel/{n // size}", *links])

    return _site("big-videos", answer)


def patents(count: int = 3_000_000) -> World:
    """The front page names the newest; each cites eight older ones, from any time."""

    def named(n: int) -> list[int]:
        if n == 0:
            return [*range(count - 50, count)]
        return [1 + m for m in anywhere(max(1, n - 1), "cites", n, count=8)]

    return numbered("big-patents", "/patent/", count, named)


def people(count: int = 1_000_000) -> World:
    """Ten friends in the same town of 150, five anywhere."""

    def named(n: int) -> list[int]:
        near = [n // 150 * 150 + m for m in anywhere(150, "near", n, count=10)]
        return [m for m in near if m < count] + anywhere(count, "far", n, count=5)

    return numbered("big-people", "/member/", count, named, words=20)


def questions(count: int = 5_000_000) -> World:
    """New ones in lists, tags with lists of forty; each names three tags and five like it."""
    tags = 2_000

    def answer(path: str) -> Response | None:
        place, _, turned = path.partition("?page=")
        page = int(turned or 1)
        if place in ("/", "/questions") and page <= count // 50:
            listed = range((page - 1) * 50, page * 50)
            return html(
                "Questions", "", [*(f"/q/{n}" for n in listed), f"/questions?page={page + 1}"]
            )
        if (t := number(place, "/tag/")) is not None and t < tags:
            some = anywhere(count, "tag", t, page, count=40)
            return html(f"Tag {t}", "", [*(f"/q/{n}" for n in some), f"{place}?page={page + 1}"])
        n = number(path, "/q/")
        if n is None or n >= count:
            return None
        own = [f"/tag/{t}" for t in skewed(tags, "tags", n, count=3)]
        like = [f"/q/{m}" for m in anywhere(count, "like", n, count=5)]
        return html(f"Question {n}", _text("question", n), [*own, *like])

    return _site("big-questions", answer)


def projects(users: int = 300_000) -> World:
    """A folder for each user, with six projects; a project names four of others."""

    def name(n: int) -> str:
        letters = "".join(chr(97 + n // 26**k % 26) for k in range(5))
        return f"/{letters}"

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Projects", "", [name(n) for n in skewed(users, "home", count=40)])
        parts = path.strip("/").split("/")
        own = [f"{name_}/project-{k}" for name_ in [f"/{parts[0]}"] for k in range(6)]
        if len(parts) == 1:
            return html(parts[0], _text(path, words=15), own)
        dice = Random(path)
        others = [f"{name(dice.randrange(users))}/project-{dice.randrange(6)}" for _ in range(4)]
        return html(parts[1], _text(path), [f"/{parts[0]}", *others])

    return _site("big-projects", answer)


def books(count: int = 1_000_000) -> World:
    """A book names its author, who names all of hers, and four that its readers have read."""

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Books", "", [f"/book/{n}" for n in anywhere(count, "home", count=25)])
        if (a := number(path, "/author/")) is not None and a < count // 7:
            return html(f"Author {a}", _text("author", a, words=12),
                        [f"/book/{n}" for n in range(a * 7, a * 7 + 7)])  # fmt: skip
        n = number(path, "/book/")
        if n is None or n >= count:
            return None
        read = [f"/book/{m}" for m in anywhere(count, "read", n, count=4)]
        return html(f"Book {n}", _text("book", n, words=35), [f"/author/{n // 7}", *read])

    return _site("big-books", answer)


def recipes(count: int = 200_000) -> World:
    """No list names them; each names six others, anywhere."""
    return numbered("big-recipes", "/recipe/", count, lambda n: anywhere(count, "r", n, count=6))


BLIND_LARGE: tuple[Callable[[], World], ...] = (
    videos, patents, people, questions, projects, books, recipes,
    lambda: big_wiki(2_000_000, links=12),
)  # fmt: skip


def one_product(links: int = 5) -> World:
    """No site: a maze with fresh nonsense on every page, each of which sells the same lamp."""
    data = {
        "@context": "https://schema.org", "@type": "Product", "name": "Lamp", "sku": "L-1",
        "offers": {"@type": "Offer", "price": "20.00", "priceCurrency": "EUR"},
    }  # fmt: skip
    sold = f'<script type="application/ld+json">{json.dumps(data)}</script>'

    def within(path: str) -> Response | None:
        if not path.startswith("/deal/"):
            return None
        dice = Random(path)
        more = [f"/deal/{prose(path, words=1)}-{dice.getrandbits(40):x}" for _ in range(links)]
        return html("Lamp", f"<p>20.00 EUR</p>{_text(path)}{sold}", more)

    return beside("one-product", ["/deal/start"], within, below("/deal/"))
