"""Sites that file what they have by date, or in numbered pages.

Of an archive the front page names the newest articles only; of a shop it names the first page of
its list. Everything else has to be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from tenax.model import Request, Response
from tenax.testing import SimulatedWeb, page, status
from tenax.urls.normalise import path_of

HOST = "filed.example"
HOME = f"https://{HOST}"
_WORDS = (
    "harbour", "lantern", "orchard", "gravel", "thistle", "copper", "meadow", "ferry", "saddle",
    "walnut", "timber", "parish", "canal", "bellows", "anchor", "quarry", "velvet", "pepper",
)  # fmt: skip


@dataclass
class FiledSite:
    """Its pages by path, and which of them are worth finding."""

    pages: dict[str, Response] = field(default_factory=dict)
    worth: set[str] = field(default_factory=set)

    def add(self, path: str, text: str, links: Iterable[str] = (), head: str = "") -> None:
        answer = page(text, *links, title=f"{text[:40]} {path}")
        if head:
            body = (answer.body or b"").replace(b"<main>", head.encode() + b"<main>")
            answer = status(200, body.decode(), **{"content-type": "text/html; charset=utf-8"})
        self.pages[path] = answer

    def put_up(self, web: SimulatedWeb) -> None:
        def answer(request: Request) -> Response:
            return self.pages.get(path_of(request.url), status(404))

        web.host(HOST, answer)

    def wasted(self, asked: Iterable[str]) -> int:
        """Requests for what is not there."""
        return sum(path_of(url) not in self.pages for url in asked)


def prose(name: str) -> str:
    """A text of its own: no two pages are alike."""
    rng = Random(name)
    return f"{name} " + " ".join(rng.choice(_WORDS) for _ in range(60))


def months_back(year: int, month: int) -> Iterator[tuple[int, int]]:
    while True:
        yield year, month
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)


def archive(
    article: str,
    listing: str,
    *,
    months: int = 14,
    per_month: int = 3,
    quiet: Callable[[int], bool] = lambda _: False,
    on_front: int = 6,
) -> FiledSite:
    """`article` and `listing` are paths with {Y}, {M}, {D}, {slug}; `quiet` months have none."""
    site = FiledSite()
    articles: list[str] = []
    lists: dict[str, list[str]] = {}
    back = months_back(2026, 9)
    for number in range(months):
        year, month = next(back)
        if quiet(number):
            continue
        for each in range(per_month):
            filled = {"Y": str(year), "M": f"{month:02d}", "D": f"{27 - each:02d}"}
            path = _filled(article, slug=f"story-{number}-{each}", **filled)
            articles.append(path)
            lists.setdefault(_filled(listing, slug="", **filled), []).append(path)
    for path in articles:
        site.add(path, prose(path), ["/"])
    for path, named in lists.items():
        site.add(path, f"All of {path}", ["/", *named])
    site.add("/", "The Filed Herald", articles[:on_front])
    site.worth = set(articles)
    return site


def shop(
    first: str,
    later: Callable[[int], str],
    *,
    pages: int = 14,
    names: Callable[[int], Iterable[int]] = lambda n: [n + 1],
    link_rel: bool = False,
    a_rel: bool = False,
    says: str = "",
) -> FiledSite:
    """`later` is the path of page 2, 3 …; `names` which others a page names; what the anchor to the
    next one says."""
    site = FiledSite()

    def path_of_page(number: int) -> str:
        return first if number == 1 else later(number)

    for number in range(1, pages + 1):
        goods = [f"/goods/{Random(f'{number} {n}').randrange(10**6):06d}-thing" for n in range(3)]
        for path in goods:
            site.add(path, prose(path), [first])
            site.worth.add(path)
        others = [path_of_page(n) for n in names(number) if 1 <= n <= pages]
        head = ""
        if link_rel and number < pages:
            head = f'<link rel="next" href="{path_of_page(number + 1)}">'
        if a_rel and number < pages:
            head = f'<a rel="next" href="{path_of_page(number + 1)}">on</a>'
        if says and number < pages:
            head = f'<a href="{path_of_page(number + 1)}">{says.format(number + 1)}</a>'
        site.add(path_of_page(number), f"Goods, page {number}", [*goods, *others], head)
    site.add("/", "The Filed Shop", [first])
    return site


def _filled(path: str, **values: str) -> str:
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", value)
    return path


ARCHIVES: dict[str, Callable[[], FiledSite]] = {
    "months": lambda: archive("/{Y}/{M}/{slug}", "/{Y}/{M}/"),
    "days in months": lambda: archive("/news/{Y}/{M}/{D}/{slug}", "/news/{Y}/{M}/"),
    "days in years": lambda: archive("/{Y}/{M}/{D}/{slug}", "/{Y}/", months=40, per_month=1),
    "years": lambda: archive("/blog/{Y}/{slug}", "/blog/{Y}/", months=60, per_month=1),
    "quiet months": lambda: archive(
        "/{Y}/{M}/{slug}", "/{Y}/{M}/", months=46, quiet=lambda n: n % 2 == 1
    ),
    "mostly quiet": lambda: archive(
        "/{Y}/{M}/{slug}", "/{Y}/{M}/", months=69, quiet=lambda n: n % 3 > 0
    ),
    "in a section": lambda: archive("/a/b/{Y}/{M}/{slug}", "/a/b/{Y}/{M}/", on_front=3),
}
SHOPS: dict[str, Callable[[], FiledSite]] = {
    "?page, next only": lambda: shop("/shop", lambda n: f"/shop?page={n}"),
    "/page/N, next only": lambda: shop("/shop/", lambda n: f"/shop/page/{n}/"),
    "offsets, next only": lambda: shop("/list", lambda n: f"/list?start={(n - 1) * 24}"),
    "link rel=next": lambda: shop(
        "/shop", lambda n: f"/shop?page={n}", names=lambda n: [], link_rel=True
    ),
    "a rel=next, opaque": lambda: shop(
        "/shop", lambda n: f"/shop?after=x{n * 7919}y", names=lambda n: [], a_rel=True
    ),
    "bare numbers, says next": lambda: shop(
        "/list", lambda n: f"/list/{n}", names=lambda n: [], says="Next &raquo;"
    ),
    "offsets in the path, says next": lambda: shop(
        "/list", lambda n: f"/list/{(n - 1) * 24}", names=lambda n: [], says="下一页"
    ),
    "marks of time, says older": lambda: shop(
        "/label", lambda n: f"/label?max={n * 7919}", names=lambda n: [], says="Older Posts"
    ),
    "Bitrix": lambda: shop("/list/", lambda n: f"/list/?PAGEN_1={n}"),
    "?page=2 named once": lambda: shop(
        "/shop", lambda n: f"/shop?page={n}", names=lambda n: [2] if n == 1 else []
    ),
    "/page/2 named once": lambda: shop(
        "/shop", lambda n: f"/shop/page/{n}", names=lambda n: [2] if n == 1 else []
    ),
    "offset named once": lambda: shop(
        "/list", lambda n: f"/list?offset={(n - 1) * 24}", names=lambda n: [2] if n == 1 else []
    ),
    "3 and the last": lambda: shop(
        "/shop", lambda n: f"/shop?page={n}", names=lambda n: [2, 3, 14] if n == 1 else []
    ),
}
