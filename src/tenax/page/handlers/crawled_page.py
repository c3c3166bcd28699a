"""What can one ask of a page? The object that handlers and the library's loop get: what the visit
read as properties, what else its body tells when asked for, and what to yield of it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenax.model.knobs import OutOfBounds, checked
from tenax.model.work import FORM, Post
from tenax.page.handlers.selection import Selection, as_found
from tenax.page.handlers.storable import RecordInvalid, fields_of, key_of
from tenax.page.handlers.told import Follow, OwnProduct, Record
from tenax.page.html import Tree, parse
from tenax.page.jsonld import json_ld
from tenax.page.media import MediaKind, kind_of
from tenax.page.reading.document import AnchoredLink, Document
from tenax.urls.normalise import resolve

if TYPE_CHECKING:
    from tenax.model import Page, Product

_MOST_HREF = 10_000


class StructuredMarks(Struct, frozen=True):
    """What a page tells machines, as it tells it."""

    json_ld: list[Any]
    microdata: list[dict[str, Any]]
    rdfa: list[dict[str, Any]]
    open_graph: dict[str, str]


class CrawledPage:
    """One page that was read: its facts as properties, its content read when asked for.

    In programs it is called `tenax.Page`. Nothing here raises on what the web sends; selectors
    that are none raise `ValueError`.
    """

    def __init__(self, page: Page, depth: int | None = None, job: str = "") -> None:
        self.facts = page
        """All that the visit read, as one value."""
        self.depth = depth
        """Links away from a seed; None where nobody knows."""
        self.job = job
        """The name of the job; empty where nobody knows."""
        self.document = Document(
            page.body or b"", page.url, page.content_type, page.charset or None
        )

    @property
    def url(self) -> str:
        """Where the body came from: the last hop of redirects at one host."""
        return self.facts.url

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.facts.status

    @property
    def content_type(self) -> str:
        """As the server and the body say: `text/html`."""
        return self.facts.content_type

    @property
    def charset(self) -> str:
        """The encoding that it was read with."""
        return self.facts.charset

    @property
    def body(self) -> bytes:
        """The bytes as served, decompressed; empty where none were kept."""
        return self.facts.body or b""

    @property
    def fetched_at(self) -> float:
        """When, in seconds since 1970."""
        return self.facts.fetched_at

    @property
    def title(self) -> str:
        return self.facts.title

    @property
    def description(self) -> str:
        """What it says of itself to machines."""
        return self.facts.description

    @property
    def canonical(self) -> str:
        """The URL that it calls its own; empty when it names none."""
        return self.facts.canonical

    @property
    def language(self) -> str:
        """The declared language: `en`; empty when it names none."""
        return self.facts.language

    @property
    def published(self) -> str:
        """The day or moment it was published, ISO 8601; empty when it does not say."""
        return self.facts.published

    @property
    def modified(self) -> str:
        """The day or moment it was changed, ISO 8601; empty when it does not say."""
        return self.facts.modified

    @property
    def words(self) -> int:
        """How many its main text has."""
        return self.facts.words

    @property
    def content_hash(self) -> bytes:
        """SHA-256 of the main text; empty when there is no text."""
        return self.facts.content_hash

    @property
    def digest(self) -> bytes:
        """SHA-256 of the body."""
        return self.facts.digest

    @property
    def rights(self) -> tuple[tuple[str, str], ...]:
        """What it says of its use: where it stood, and what it said."""
        return self.facts.rights

    @property
    def for_sale(self) -> Product | None:
        """The product that was read on it; None when it offers none, or the job does not ask."""
        return self.facts.product

    @property
    def headline(self) -> str:
        """Its own heading, without the site's name."""
        return self.document.headline

    @property
    def text(self) -> str:
        """What a person sees."""
        return self.document.text

    @property
    def main_text(self) -> str:
        """What a person would read: the article, laid out as lines."""
        return self.document.main_text

    @property
    def markdown(self) -> str:
        """The main content as Markdown, its links absolute."""
        return self.document.markdown

    @property
    def headings(self) -> list[tuple[int, str]]:
        """Level and text of each, in document order."""
        return self.document.headings

    @property
    def links(self) -> list[AnchoredLink]:
        """Every link in document order, absolute, with its text and rel."""
        return self.document.links

    @property
    def open_graph(self) -> dict[str, str]:
        """Open Graph properties without their prefix."""
        return self.document.open_graph

    @cached_property
    def json_ld(self) -> list[Any]:
        """The values of its JSON-LD scripts, mended where people break them."""
        return json_ld(self._tree)

    @cached_property
    def structured(self) -> StructuredMarks:
        """All that it tells machines: JSON-LD, microdata, RDFa, Open Graph."""
        from tenax.page.product.marked import read_marks

        microdata, rdfa = read_marks(self._tree)
        return StructuredMarks(self.json_ld, microdata.items, rdfa.items, self.open_graph)

    def css(self, selector: str) -> Selection:
        """What a CSS selector finds. Raises `ValueError` where it is none."""
        return Selection(self._tree.document.select(selector))

    def xpath(self, expression: str) -> Selection:
        """What an XPath 1.0 expression finds: elements, or texts. Raises `ValueError`."""
        return Selection(as_found(self._tree.document.xpath(expression)))

    def absolute(self, href: str) -> str:
        """The URL that a link of this page means; empty where it means none."""
        return resolve(href, self.facts.base or self.url) or ""

    def record(
        self, name: str, value: object = None, /, *, key: str | int | None = None, **fields: object
    ) -> Record:
        """A record to yield: fields by name, or a dataclass, msgspec.Struct or dict.

        The same `key` under the same name is the same record, on whichever page of the job; without
        one its place on the page makes it the same. Raises `ValueError` for what cannot be stored.
        """
        told = fields_of(name, value, fields)
        return Record(name, told, "" if key is None else key_of(name, key))

    def follow(
        self,
        href: str | None,
        *,
        priority: int | None = None,
        post: str | None = None,
        content_type: str = FORM,
    ) -> Follow:
        """A URL to yield that is to be visited, by the rules of the job: scope, robots.txt, limits.

        As the page spells it; nothing is followed where it is None or empty. `priority` is 1
        (first) to 10. What `post` says is sent there, by POST: a form that is filled in.
        """
        if href is not None and not isinstance(href, str):
            raise RecordInvalid(
                f"page.follow: a {type(href).__name__} is no URL. Did you mean .attr('href')?"
            )
        if priority is not None and not 1 <= priority <= 10:
            raise RecordInvalid(f"page.follow: priority={priority}: write 1 (first) to 10.")
        if post is not None:
            try:
                checked(Post(href or "-", post, content_type))
            except OutOfBounds as error:
                raise RecordInvalid(f"page.follow: {error}") from error
        return Follow((href or "").strip()[:_MOST_HREF], priority, post, content_type)

    def product(
        self,
        *,
        name: str = "",
        price: str | float = "",
        currency: str = "",
        regular_price: str | float = "",
        availability: str = "",
        brand: str = "",
        category: str = "",
        description: str = "",
        sku: str = "",
        mpn: str = "",
        gtin: str = "",
        rating: str | float = "",
        reviews: str | int = "",
        image: str = "",
        **extra: str,
    ) -> OwnProduct:
        """What is for sale here, to yield: text as the page has it, `€ 1.299,-` will do. It goes
        before what the page tells by itself, which fills the rest. Other names are kept as extra.
        """
        told = dict(
            name=name, price=price, currency=currency, regular_price=regular_price,
            availability=availability, brand=brand, category=category, description=description,
            sku=sku, mpn=mpn, gtin=gtin, rating=rating, reviews=reviews, image=image, **extra,
        )  # fmt: skip
        return OwnProduct({field: str(value) for field, value in told.items() if value != ""})

    def __repr__(self) -> str:
        return f"<Page {self.url} {self.title!r}>"

    @cached_property
    def _tree(self) -> Tree:
        kind = kind_of(self.document.content_type)
        is_xml, body = kind is MediaKind.XHTML, b"" if kind is MediaKind.PDF else self.body
        return parse(body, self.document.charset, xml=is_xml)
