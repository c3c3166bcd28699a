"""What is a shop like to crawl? Products worth having, amid facets that multiply without end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlencode

from tenax.demo import markup
from tenax.demo.catalogue import BRANDS, BY_TAG, CATEGORIES, display, products, reviews
from tenax.demo.files import png
from tenax.demo.site import Reply, Site, SiteRequest, is_number, paragraphs
from tenax.demo.truth import Trap, TrueProduct, Truth
from tenax.demo.words import SHELF, Dice, paragraph, slug

PER_PAGE = 8
CLEARANCE_PAGES = 4
ORPHANS = 2
"""The last products are in the sitemap and in no list."""
FACETS: dict[str, tuple[str, ...]] = {
    "color": ("red", "blue", "green", "sand", "black", "white"),
    "size": ("s", "m", "l", "xl", "one"),
    "brand": tuple(slug(brand) for brand in BRANDS),
    "sort": ("price", "name", "newest", "rating"),
}
SERVICE = {
    "about": "About us",
    "shipping": "Shipping and returns",
    "repairs": "Repairs",
    "contact": "Contact",
}


@dataclass
class ShopSite(Site):
    name: str = "shop"
    title: str = "Fell & Fern"
    tagline: str = "Outdoor goods that are repaired, not replaced."
    catalogue: tuple[TrueProduct, ...] = field(default=(), init=False)

    def place(self, origins: Mapping[str, str]) -> None:
        super().place(origins)
        self.catalogue = products(self.origin)
        self._by_path = {self._path(each): each for each in self.catalogue}
        self._images = {
            url.removeprefix(self.origin) for each in self.catalogue for url in each.images
        }

    def menu(self) -> Sequence[tuple[str, str]]:
        return (("/", "Home"), ("/shop/", "All products"), *_category_links())

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self._front()
            case ["robots.txt"]:
                return self._rules()
            case ["sitemap.xml"]:
                return self._sitemap()
            case ["shop", "filter"]:
                return self._facets_in_query(request)
            case ["filter", *facets]:
                return self._facets_in_path([each for each in facets if each])
            case ["shop", ""]:
                return self._shelf("All products", "/shop/", self._listed, request)
            case ["shop", "clearance", ""]:
                return self._clearance(request)
            case ["shop", category, ""] if category in _CATEGORY_BY_SLUG:
                name = _CATEGORY_BY_SLUG[category]
                items = [each for each in self._listed if each.category == name]
                return self._shelf(name, f"/shop/{category}/", items, request)
            case ["product", _] if request.path in self._by_path:
                return self._product(self._by_path[request.path])
            case ["img", _] if request.path in self._images:
                return Reply(png(request.path), kind="image/png")
            case ["pages", page] if page in SERVICE:
                return self._prose(SERVICE[page], page)
            case ["admin", "press-kit"]:
                return self._prose("Press kit", "press-kit")
            case ["cart" | "search"] | ["admin", *_] | ["account", "login"]:
                return self._prose("Not for robots", request.path, modified="")
            case _:
                return self.missing()

    def truth(self) -> Truth:
        closed = [f"/cart?add={each.sku}" for each in self.catalogue]
        closed += ["/cart", "/admin/", *(f"/search?q={slug(kind)}" for kind in CATEGORIES)]
        orphans = frozenset(each.url for each in self.catalogue[-ORPHANS:])
        deeper = [f"/shop/clearance/?page={page}" for page in range(3, CLEARANCE_PAGES + 1)]
        return Truth(
            front=self.url,
            pages=self.all_at(self._linked_paths()),
            never={self.at(path): "robots" for path in closed}
            | {self.at("/account/login"): "nofollow"},
            never_under=tuple(map(self.at, ("/cart", "/admin/", "/search"))),
            open_under=(self.at("/admin/press-kit"),),
            files=frozenset(each.images[0] for each in self.catalogue[:3]),
            hidden={"sitemap": orphans, "pagination": self.all_at(deeper)},
            products={each.url: each for each in self.catalogue},
            traps=(
                Trap("facets in the query", (self.at("/shop/filter"),), at_most=400),
                # It may take all that the host's traps may cost together: 200, and 45 to know it.
                Trap("facets in the path", (self.at("/filter/"),), at_most=250),
            ),
        )

    @property
    def _listed(self) -> tuple[TrueProduct, ...]:
        return self.catalogue[:-ORPHANS]

    def _linked_paths(self) -> list[str]:
        paths = ["/", "/admin/press-kit", *(f"/pages/{page}" for page in SERVICE)]
        paths += [self._path(each) for each in self._listed]
        shelves = {f"/shop/{slug(name)}/": name for name in CATEGORIES}
        for path, name in shelves.items():
            paths += _numbered(path, sum(each.category == name for each in self._listed))
        paths += _numbered("/shop/", len(self._listed))
        return [*paths, "/shop/clearance/", "/shop/clearance/?page=2"]

    def _rules(self) -> Reply:
        return self.robots(
            "User-agent: *", "Disallow: /cart", "Disallow: /admin/", "Allow: /admin/press-kit",
            "Disallow: /search", "", f"Sitemap: {self.origin}/sitemap.xml",
        )  # fmt: skip

    def _sitemap(self) -> Reply:
        paths = ["/", *(f"/pages/{page}" for page in SERVICE)]
        urls = [self.at(path) for path in paths] + [each.url for each in self.catalogue]
        rows = "".join(
            f"<url><loc>{url}</loc><lastmod>2026-01-15</lastmod></url>\n" for url in urls
        )
        xml = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
        )
        return Reply(xml.encode(), kind="application/xml")

    def _front(self) -> Reply:
        picks = Dice("shop front").sample(self._listed, 6)
        tracking = "?utm_source=home&utm_medium=teaser&utm_campaign=spring26"
        main = (
            f"<h1>Things for outside</h1>\n{paragraphs([paragraph(Dice('shop'), SHELF, 3)])}\n"
            f"{self._cards(picks, tracking)}{_FRONT_LINKS}"
        )
        return self.page("Outdoor goods", main)

    def _shelf(
        self, name: str, path: str, items: Sequence[TrueProduct], request: SiteRequest
    ) -> Reply:
        """One page of a list. Beyond the last, the last is shown again, as many shops do."""
        last = -(-len(items) // PER_PAGE)
        wanted = request.params.get("page", "1")
        page = min(int(wanted), last) if is_number(wanted, 10**9) else 1
        shown = items[(page - 1) * PER_PAGE : page * PER_PAGE]
        numbers = " ".join(_page_link(path, each, page) for each in range(1, last + 1))
        facets = (
            f'<a href="/shop/filter?brand={slug(shown[0].brand)}">Only {escape(shown[0].brand)}</a>'
        )
        head = f'<link rel="next" href="{path}?page={page + 1}">\n' if page < last else ""
        main = (
            f"<h1>{escape(name)}</h1>\n<p>Page {page} of {last}, {len(items)} products.</p>\n"
            f"{self._cards(shown, '?ref=list')}<p>Pages: {numbers}</p>\n<p class='facets'>{facets} "
            f"<a href='/filter/color/blue'>In blue</a></p>"
        )
        return self.page(f"{name}, page {page}" if page > 1 else name, main, head=head)

    def _clearance(self, request: SiteRequest) -> Reply:
        """A list whose further pages exist but are loaded by a script: no link leads past 2."""
        page = request.params.get("page", "1")
        if page not in {str(number) for number in range(1, CLEARANCE_PAGES + 1)}:
            return self.missing()
        start = (int(page) - 1) * PER_PAGE
        two = '<a href="/shop/clearance/?page=2">2</a>'
        more = two if page == "1" else "<button>Load more</button>"
        cards = self._cards(self._listed[start : start + PER_PAGE])
        main = f"<h1>Clearance</h1>\n{cards}<p>{more}</p>"
        return self.page(f"Clearance, part {page}", main)

    def _product(self, product: TrueProduct) -> Reply:
        shelf = f"/shop/{slug(product.category)}/"
        crumbs = [
            (self.url, "Home"),
            (self.at(shelf), product.category),
            (product.url, product.name),
        ]
        trail = " / ".join(f'<a href="{url}">{escape(label)}</a>' for url, label in crumbs[:-1])
        place = self.catalogue.index(product)
        zoom = f'<p><a href="{product.images[0]}">Larger picture</a></p>' if place < 3 else ""
        others = [self._listed[(place + step) % len(self._listed)] for step in (1, 5)]
        main = (
            f'<nav aria-label="Breadcrumb">{trail}</nav>\n'
            f"{markup.body(product, reviews(product))}\n{zoom}"
            f'<p><a href="/cart?add={product.sku}" rel="nofollow">Put into basket</a></p>\n'
            f"<h2>Goes well with</h2>\n{self._cards(others, '?utm_source=product')}"
        )
        head = f'<link rel="canonical" href="{product.url}">\n{markup.head(product, crumbs)}'
        return self.page(product.name, main, head=head, lang=product.locale)

    def _cards(self, items: Iterable[TrueProduct], tracking: str = "") -> str:
        cards = "\n".join(
            f'<div class="card"><img src="{each.images[0]}" alt="" width="96" height="96"><br>'
            f'<a href="{escape(self._path(each) + tracking)}">{escape(each.name)}</a><br>'
            f'<span class="price">{display(each.price, BY_TAG[each.locale])}</span></div>'
            for each in items
        )
        return f'<div class="grid">\n{cards}\n</div>\n'

    def _path(self, product: TrueProduct) -> str:
        return product.url.removeprefix(self.origin)

    def _facets_in_query(self, request: SiteRequest) -> Reply:
        """Every value of every facet can be added to the ones chosen: thousands of addresses."""
        chosen = {
            name: [value for value in request.params.get(name, "").split(",") if value in values]
            for name, values in FACETS.items()
        }
        links = [
            f'<a href="/shop/filter?{escape(_toggled(chosen, name, value))}">{name} {value}</a>'
            for name, values in FACETS.items()
            for value in values
            if value not in chosen[name]
        ]
        return self._facet_page([value for values in chosen.values() for value in values], links)

    def _facets_in_path(self, facets: list[str]) -> Reply:
        """Facets are appended to the path, again and again, whatever is in it already."""
        dice = Dice("facets", *facets)
        here = "/filter/" + "".join(f"{each}/" for each in facets)
        names = dice.sample(tuple(FACETS), 3)
        links = [
            f'<a href="{escape(here)}{name}/{value}">{name} {value}</a>'
            for name, value in ((name, dice.pick(FACETS[name])) for name in names)
        ]
        return self._facet_page(facets[1::2], links)

    def _facet_page(self, chosen: list[str], links: list[str]) -> Reply:
        dice = Dice("facet", *chosen)
        items = dice.sample(self._listed, 4)
        title = f"Products: {', '.join(chosen)}" if chosen else "Products by choice"
        main = (
            f"<h1>{escape(title)}</h1>\n{self._cards(items)}<p class='facets'>{' '.join(links)}</p>"
        )
        return self.page(title, main)

    def _prose(
        self, title: str, seed: str, modified: str = "Mon, 02 Feb 2026 10:00:00 GMT"
    ) -> Reply:
        dice = Dice("shop", seed)
        text = paragraphs([paragraph(dice, SHELF) for _ in range(3)])
        return self.page(title, f"<h1>{title}</h1>\n{text}", modified=modified)


_CATEGORY_BY_SLUG = {slug(name): name for name in CATEGORIES}


def _category_links() -> list[tuple[str, str]]:
    return [(f"/shop/{category}/", name) for category, name in _CATEGORY_BY_SLUG.items()]


def _numbered(path: str, items: int) -> list[str]:
    return [path, *(f"{path}?page={page}" for page in range(2, -(-items // PER_PAGE) + 1))]


def _page_link(path: str, number: int, current: int) -> str:
    if number == current:
        return f"<strong>{number}</strong>"
    return (
        f'<a href="{path}?page={number}">{number}</a>' if number > 1 else f'<a href="{path}">1</a>'
    )


def _toggled(chosen: Mapping[str, list[str]], name: str, value: str) -> str:
    """The query with one value more; a second sort order would be no order."""
    values = [value] if name == "sort" else [*chosen[name], value]
    merged = {**chosen, name: values}
    return urlencode({key: ",".join(each) for key, each in merged.items() if each}, safe=",")


_FRONT_LINKS = (
    '<p><a href="/shop/clearance/">Clearance</a> &middot; '
    '<a href="/filter/color/red">Shop by colour</a> &middot; '
    '<a href="/shop/filter?color=red">Filter everything</a></p>\n<p>People look for: '
    + ", ".join(f'<a href="/search?q={slug(kind)}">{kind.lower()}</a>' for kind in CATEGORIES)
    + '</p>\n<p><a href="/cart" rel="nofollow">Basket</a> &middot; '
    '<a rel="nofollow" href="/account/login">Sign in</a> &middot; '
    '<a href="/admin/">Staff</a> &middot; <a href="/admin/press-kit">Press kit</a> &middot; '
    '<a href="mailto:hello@fellandfern.example">Write to us</a> &middot; '
    '<a href="tel:+441632960011">Call</a></p>\n<p>'
    + " &middot; ".join(f'<a href="/pages/{page}">{label}</a>' for page, label in SERVICE.items())
    + "</p>"
)
