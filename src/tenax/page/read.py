"""What did this answer say? One parse, everything the crawl needs from it.

Every page passes here once, so nothing is computed that the stored body can give again
later: visible text, Markdown, headings and anchor texts are `Document`'s.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tenax.model import Page, Response
from tenax.page import dates, directives, links, metadata, native, pdf
from tenax.page.bounds import why_too_large
from tenax.page.charset import decide_charset
from tenax.page.for_sale import may_be_product
from tenax.page.html import Tree, parse
from tenax.page.media import MediaKind, kind_of, settle_type
from tenax.page.pager.turning import Pager, find_pager
from tenax.page.scan import MainText, Scanned, scan
from tenax.page.similar import simhash
from tenax.page.sketch import sample
from tenax.page.text import (
    bare,
    count_words,
    fingerprint,
    in_lines,
    main_region,
    plain_text,
    written,
)
from tenax.urls.normalise import host_of, resolve, resolve_all

if TYPE_CHECKING:
    from tenax.model import Product

log = logging.getLogger(__name__)
_RIGHTS = ("x-robots-tag", "content-usage", "content-signal", "tdm-reservation", "tdm-policy")
_LONGEST_VALIDATOR = 1_000
_Held = Mapping[str, Sequence[str]]
"""Headers by their names in lower case."""


def read(
    response: Response,
    *,
    fetched_at: float,
    token: str = "tenax",
    products: bool = False,
    parser: str = "",
) -> Page:
    """The page of a complete answer. Never raises, whatever the bytes are.

    `token` is our name in robots rules; without a body the headers alone are read. `products`
    looks for what it offers for sale, too, by the `parser` of that name where one is named.
    """
    held = response.headers.named
    digest = b""
    if response.body is None:
        said = _Said(content_type=response.content_type)
    else:
        digest = hashlib.sha256(response.body).digest()
        wanted = _Wanted(response.url, fetched_at, token, products, parser)
        said = _read_body(response.body, held, wanted, native.is_verified(digest))
    robots = held.get("x-robots-tag", [])
    return Page(
        url=response.url,
        status=response.status,
        content_type=said.content_type,
        body=response.body,
        fetched_at=fetched_at,
        charset=said.charset,
        title=said.title,
        description=said.description,
        canonical=said.canonical or _canonical_in_headers(response.url, held),
        language=said.language or metadata.language_tag(_first(held, "content-language")),
        published=said.published,
        modified=said.modified,
        content_hash=said.content_hash,
        simhash=said.simhash,
        sample=said.sample,
        digest=digest,
        words=said.words,
        etag=_first(held, "etag")[:_LONGEST_VALIDATOR],
        last_modified=_first(held, "last-modified")[:_LONGEST_VALIDATOR],
        base=said.base or response.url,
        links=said.links,
        unfollowed=said.unfollowed,
        onward=said.pager.onward,
        turned=said.pager.turned,
        feeds=said.feeds,
        directives=directives.decide_directives(robots, said.robots, token, fetched_at),
        rights=_rights(held, said.robots, said.rights, response.url),
        product=said.product,
        too_large=said.too_large,
        unreadable=said.unreadable,
    )


class _Said(NamedTuple):
    """What the body alone told."""

    content_type: str = ""
    charset: str = ""
    title: str = ""
    description: str = ""
    canonical: str = ""
    language: str = ""
    published: str = ""
    modified: str = ""
    content_hash: bytes = b""
    simhash: int | None = None
    sample: bytes = b""
    words: int = 0
    base: str = ""
    links: tuple[str, ...] = ()
    unfollowed: frozenset[str] = frozenset()
    pager: Pager = Pager()
    feeds: tuple[str, ...] = ()
    robots: tuple[tuple[str, str], ...] = ()
    rights: tuple[tuple[str, str], ...] = ()
    product: Product | None = None
    too_large: str = ""
    unreadable: str = ""


class _Wanted(NamedTuple):
    """What is asked of a body, and by whom."""

    url: str
    fetched_at: float
    token: str
    products: bool
    parser: str


def _read_body(body: bytes, held: _Held, wanted: _Wanted, is_verified: bool) -> _Said:
    header = _first(held, "content-type")
    content_type = settle_type(header, body)
    kind = kind_of(content_type)
    if kind is MediaKind.BINARY:
        return _Said(content_type)
    if kind is MediaKind.PDF:
        return _read_pdf(body, wanted)._replace(content_type=content_type)
    charset = decide_charset(body, header).name
    if kind is MediaKind.TEXT:
        text = plain_text(body, charset)
        content_hash, hashed, sampled = _hashes(written(text), written(text))
        return _Said(
            content_type, charset, content_hash=content_hash, simhash=hashed, sample=sampled,
            words=count_words(text, lambda: text),
        )  # fmt: skip
    is_for_sale = wanted.products and may_be_product(body, charset)
    scanned = scan(body, charset) if kind is MediaKind.HTML else None
    # Also where no tree is needed: who asks for its text later must get one.
    if too_large := why_too_large(body, charset, scanned):
        return _Said(content_type, charset, too_large=too_large)
    tree = product = None
    if scanned is None or is_for_sale or is_verified:
        tree = parse(body, charset, xml=kind is MediaKind.XHTML, is_bounded=True)
        if tree.too_large:
            return _Said(content_type, charset, too_large=tree.too_large)
        product = _product(tree, wanted) if is_for_sale else None
    page = scanned if scanned is not None else tree
    assert page is not None, "there is a tree wherever nothing was scanned"
    said = _tell(page, wanted, body, charset)
    if is_verified and scanned is not None and tree is not None:
        said = _verified(said, _tell(tree, wanted, body, charset), wanted.url)
    return said._replace(content_type=content_type, charset=charset, product=product)


def _read_pdf(body: bytes, wanted: _Wanted) -> _Said:
    found = pdf.text_of(body)
    if found.why:
        return _Said(unreadable=found.why)
    said = _tell(parse(found.head, "utf-8"), wanted, found.head, "utf-8")
    text = written(found.text)
    content_hash, hashed, sampled = _hashes(text, text, said.title)
    return said._replace(
        content_hash=content_hash, simhash=hashed, sample=sampled,
        words=count_words(found.text, lambda: found.text),
    )  # fmt: skip


def _verified(said: _Said, by_tree: _Said, url: str) -> _Said:
    """What the tree says: it is the one that counts, where they differ."""
    native.VERIFIED.pages += 1
    if said != by_tree:
        native.VERIFIED.different += 1
        fields = [name for name in said._fields if getattr(said, name) != getattr(by_tree, name)]
        log.error(
            "%s: compiled code read %s otherwise than Python would. What Python says is kept."
            " Please report the page; page.compiled = false does without.", url, ", ".join(fields),
        )  # fmt: skip
    return by_tree


def _tell(page: Tree | Scanned, wanted: _Wanted, body: bytes, charset: str) -> _Said:
    metas = metadata.read_metas(page, wanted.token)
    base = metadata.base_of(page, wanted.url)
    found = links.find_links(page)
    pager = find_pager(wanted.url, base, found, body, charset)
    when = dates.find_dates(page, metas.first, wanted.fetched_at, wanted.url, body)
    title = metadata.title_of(page, metas)
    language = metadata.language_of(page, metas)
    # Last, because it consumes the tree.
    main = _read_main(page) if isinstance(page, Tree) else page.main
    when = dates.with_shown(
        when, main.lines, title, wanted.fetched_at, url=wanted.url, language=language,
        shared=metas.first.get("og:title", ""), site=metas.first.get("og:site_name", ""),
    )  # fmt: skip
    content_hash, hashed, sampled = _hashes(main.written, main.lines, title)
    return _Said(
        title=title,
        description=metadata.description_of(metas),
        canonical=metadata.absolute_page(found.canonical, base),
        language=language,
        published=when.published,
        modified=when.modified,
        content_hash=content_hash,
        simhash=hashed,
        sample=sampled,
        words=main.words,
        base=base,
        links=_with_frames(found, base, wanted.url),
        unfollowed=found.unfollowed,
        pager=pager,
        feeds=_absolute(found.feeds, base),
        robots=metas.robots,
        rights=tuple(_rights_in_page(metas.first, found.licences, base)),
    )


def _with_frames(found: links.FoundLinks, base: str, url: str) -> tuple[str, ...]:
    """Its links, and what it shows in frames where that is of its own site: what others put there
    are films, maps and advertisements."""
    if not found.framed:
        return found.links
    own, *shown = resolve_all((url, *found.framed), base)
    home = _bare_host(own)
    ours = [
        href
        for href, at in zip(found.framed, shown, strict=True)
        if home and (host := _bare_host(at)) and f".{host}".endswith(f".{home}")
    ]
    return tuple(dict.fromkeys((*found.links, *ours)))[: links.MOST_LINKS]


def _bare_host(url: str | None) -> str:
    is_web = url is not None and url.startswith(("http://", "https://"))
    return host_of(url).removeprefix("www.") if url and is_web else ""


def _product(tree: Tree, wanted: _Wanted) -> Product | None:
    # Loaded for the first page that may have one: most crawls never need it.
    from tenax.page.product import sure_product_of

    try:
        return sure_product_of(tree, wanted.url, wanted.parser)
    except Exception:
        # What a page sells is worth having, and never worth the page.
        log.exception("no product was read from %s", wanted.url)
        return None


def _absolute(feeds: tuple[str, ...], base: str) -> tuple[str, ...]:
    if not feeds:
        return ()
    found = dict.fromkeys(metadata.absolute_page(href, base) for href in feeds)
    return tuple(filter(None, found))


def _read_main(tree: Tree) -> MainText:
    element, text = main_region(tree)
    lines = in_lines(element)
    return MainText(written(text), written(lines), count_words(text, lambda: lines))


def _hashes(text: bytes, lines: bytes, title: str = "") -> tuple[bytes, int | None, bytes]:
    """What says whether a text is the same, whether it is nearly the same (PAGE-2), and whether
    it says anything new, its title included (URL-6)."""
    plain = bare(text)
    sampled = sample(lines)
    told = written(title) + b"\n" + sampled if title else sampled
    return fingerprint(plain), simhash(plain), told


def _first(held: _Held, name: str) -> str:
    values = held.get(name)
    return values[0].strip() if values else ""


def _canonical_in_headers(url: str, held: _Held) -> str:
    for target in directives.linked(held.get("link", ()), "canonical"):
        return metadata.absolute_page(target, url)
    return ""


def _rights(
    held: _Held,
    robots: tuple[tuple[str, str], ...],
    in_page: tuple[tuple[str, str], ...],
    url: str,
) -> tuple[tuple[str, str], ...]:
    said = [(f"header {name}", value) for name in _RIGHTS for value in held.get(name, ())]
    for target in directives.linked(held.get("link", ()), "license"):
        said.append(("header link rel=license", resolve(target, url) or target))
    said += [(f"meta {name}", content) for name, content in robots]
    said += in_page
    return directives.bounded_rights(said) if said else ()


def _rights_in_page(
    metas: Mapping[str, str], licences: tuple[str, ...], base: str
) -> Iterator[tuple[str, str]]:
    for name in ("tdm-reservation", "tdm-policy"):
        if name in metas:
            yield f"meta {name}", metas[name]
    for href in licences[:10]:
        yield "link rel=license", resolve(href, base) or href
