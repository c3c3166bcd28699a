"""What else can a stored body tell? Everything about a page that a crawl need not compute."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from msgspec import Struct
from turbohtml import Element
from turbohtml.detect import detect_language

from tenax.page import dates, links, metadata, pdf
from tenax.page.charset import decide_charset
from tenax.page.html import Tree, one_line, parse, short_text
from tenax.page.media import MediaKind, kind_of, settle_type
from tenax.page.reading import main_content
from tenax.page.reading.chunks import Chunk, divide
from tenax.page.reading.headline import headline_of
from tenax.page.reading.link_style import LinkStyle
from tenax.page.reading.main_content import Markup
from tenax.page.text import (
    bare,
    fingerprint,
    in_lines,
    main_region,
    plain_text,
    visible_text,
    written,
)

_MOST_HEADINGS = 1_000
_MOST_LINKS = 10_000
_LONGEST_TEXT = 500
_LARGE = 1_000_000
_NO_METAS = metadata.Metas({}, ())
# What is shorter than this names no language reliably, and what is surer than this does.
_ENOUGH_TEXT = 40
_SURE = 0.3
_LANGUAGE_SAMPLE = 4_000
_TWO_LETTERS = {
    "ara": "ar", "ben": "bn", "bul": "bg", "cat": "ca", "ces": "cs", "cmn": "zh", "dan": "da",
    "deu": "de", "ell": "el", "eng": "en", "epo": "eo", "est": "et", "fin": "fi", "fra": "fr",
    "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "hye": "hy", "ind": "id", "ita": "it",
    "jpn": "ja", "kat": "ka", "kor": "ko", "lat": "la", "lav": "lv", "lit": "lt", "mkd": "mk",
    "nld": "nl", "nob": "nb", "pes": "fa", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru",
    "slk": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta", "tel": "te",
    "tgl": "tl", "tha": "th", "tur": "tr", "ukr": "uk", "urd": "ur", "vie": "vi",
}  # fmt: skip
_FRAMES = frozenset({"frame", "iframe"})
_LINKING = "a[href],area[href],link[href],frame[src],iframe[src]"


class AnchoredLink(Struct, frozen=True):
    """A link with what stood around it."""

    url: str
    """Absolute, without fragment."""
    text: str
    rel: tuple[str, ...]
    tag: str

    @property
    def nofollow(self) -> bool:
        return links.relations_of(" ".join(self.rel)).nofollow


class Alternate(Struct, frozen=True):
    """The same content elsewhere: another language, another device, a feed."""

    url: str
    type: str = ""
    language: str = ""
    title: str = ""


class Document:
    """A lazy view of one body: each property is computed when first asked for, then kept.

    Like `read`, it never raises on what the web sends. Give `fetched_at` to have dates
    in the future dropped as `read` drops them.
    """

    def __init__(
        self,
        body: bytes,
        url: str,
        content_type_header: str = "",
        charset: str | None = None,
        *,
        fetched_at: float | None = None,
    ) -> None:
        self.body = body
        self.url = url
        self.fetched_at = fetched_at
        self._header = content_type_header
        self._charset = charset

    @cached_property
    def content_type(self) -> str:
        return settle_type(self._header, self.body)

    @cached_property
    def charset(self) -> str:
        return self._charset or decide_charset(self.body, self._header).name

    @cached_property
    def title(self) -> str:
        return "" if self._tree is None else metadata.title_of(self._tree, self._metas)

    @cached_property
    def headline(self) -> str:
        """The page's own heading, without the site's name."""
        metas = self._metas.first
        largest = [text for level, text in self.headings if level == 1]
        shared, site = metas.get("og:title", ""), metas.get("og:site_name", "")
        return one_line(headline_of(largest, self.title, shared, site, self.url), _LONGEST_TEXT)

    @cached_property
    def description(self) -> str:
        return metadata.description_of(self._metas)

    @cached_property
    def canonical(self) -> str:
        """Absolute; empty when the page names none."""
        if self._tree is None:
            return ""
        return metadata.absolute_page(links.find_links(self._tree).canonical, self.base_url)

    @cached_property
    def language(self) -> str:
        """The declared language; where there is none, the one the text is written in."""
        declared = "" if self._tree is None else metadata.language_of(self._tree, self._metas)
        return declared or _written_in(self.main_text[:_LANGUAGE_SAMPLE])

    @cached_property
    def published(self) -> str:
        return self._dates.published

    @cached_property
    def modified(self) -> str:
        return self._dates.modified

    @cached_property
    def open_graph(self) -> dict[str, str]:
        """Open Graph properties without their prefix; of repeated ones the first."""
        return {
            name.removeprefix("og:"): content
            for name, content in self._metas.first.items()
            if name.startswith("og:")
        }

    @cached_property
    def meta_robots(self) -> str:
        """Everything meta tags say to all robots, joined with commas."""
        return ", ".join(content for name, content in self._metas.robots if name == "robots")

    @cached_property
    def base_url(self) -> str:
        """What the links resolve against."""
        return self.url if self._tree is None else metadata.base_of(self._tree, self.url)

    @cached_property
    def headings(self) -> list[tuple[int, str]]:
        """(level, text) in document order; headings without text are left out."""
        if self._tree is None:
            return []
        found = self._tree.document.select("h1,h2,h3,h4,h5,h6")[:_MOST_HEADINGS]
        texts = ((int(h.tag[1]), short_text(h, _LONGEST_TEXT)) for h in found)
        return [(level, text) for level, text in texts if text]

    @cached_property
    def text(self) -> str:
        """What a person sees: no scripts, styles, templates, noscript or hidden parts."""
        tree = self._parsed()
        return self._plain if tree is None else visible_text(tree)

    @cached_property
    def main_text(self) -> str:
        """What a person would read: the article, post or document, laid out as lines."""
        if self._markup is None:
            return self._plain
        self._let_go()
        return main_content.main_text(self._markup)

    @cached_property
    def content_hash(self) -> bytes:
        """As `Page` has it: of the main text without white space; empty when there is no text."""
        tree = self._parsed()
        return fingerprint(bare(written(self._plain if tree is None else main_region(tree)[1])))

    @cached_property
    def markdown(self) -> str:
        """The main content as Markdown, its links absolute."""
        return self.as_markdown()

    def as_markdown(self, links: LinkStyle = LinkStyle.INLINE) -> str:
        """The same, with links as they are wanted."""
        if self._markup is None:
            return self._plain
        base_url = self.base_url
        self._let_go()
        return main_content.main_markdown(self._markup, base_url, links)

    def chunks(self, most: int, links: LinkStyle = LinkStyle.INLINE) -> list[Chunk]:
        """The same in pieces of so many characters at most, each with its headings and anchor."""
        if self._markup is None:
            return divide(self._plain, (), most)
        base_url = self.base_url
        self._let_go()
        return main_content.main_chunks(self._markup, base_url, links, most)

    @cached_property
    def links(self) -> list[AnchoredLink]:
        """Every link in document order, repeated ones too: their texts differ."""
        return list(islice(self._links(), _MOST_LINKS))

    @cached_property
    def alternates(self) -> list[Alternate]:
        """Other forms of the page that are not feeds."""
        return [found for found in self._alternates if found.type not in links.FEED_TYPES]

    @cached_property
    def feeds(self) -> list[Alternate]:
        return [found for found in self._alternates if found.type in links.FEED_TYPES]

    @cached_property
    def _kind(self) -> MediaKind:
        return kind_of(self.content_type)

    @cached_property
    def _tree(self) -> Tree | None:
        if self._kind is MediaKind.PDF:
            # What a page has in its head, and its links; its text is plain.
            return parse(pdf.text_of(self.body).head, "utf-8")
        return self._parsed()

    def _let_go(self) -> None:
        """Of the tree of a large body, before another is built: two may take half a gigabyte."""
        if len(self.body) > _LARGE:
            self.__dict__.pop("_tree", None)

    def _parsed(self) -> Tree | None:
        """A tree of its own for whoever cuts it up; None when the body is not HTML."""
        return None if self._markup is None else self._markup.tree()

    @cached_property
    def _markup(self) -> Markup | None:
        if self._kind not in (MediaKind.HTML, MediaKind.XHTML):
            return None
        return Markup(self.body, self.charset, xml=self._kind is MediaKind.XHTML)

    @cached_property
    def _plain(self) -> str:
        if self._kind is MediaKind.BINARY:
            return ""
        if self._kind is MediaKind.PDF:
            return pdf.text_of(self.body).text
        return plain_text(self.body, self.charset)

    @cached_property
    def _metas(self) -> metadata.Metas:
        return _NO_METAS if self._tree is None else metadata.read_metas(self._tree, "")

    @cached_property
    def _dates(self) -> dates.Dates:
        if self._tree is None:
            return dates.Dates("", "")
        metas = self._metas
        when = dates.find_dates(self._tree, metas.first, self.fetched_at, self.url, self.body)
        tree = None if when.published else self._parsed()
        if tree is None:
            return when
        return dates.with_shown(
            when,
            written(in_lines(main_region(tree)[0])),
            self.title,
            self.fetched_at,
            shared=metas.first.get("og:title", ""),
            url=self.url,
            site=metas.first.get("og:site_name", ""),
            language=metadata.language_of(self._tree, metas),
        )

    def _links(self) -> Iterator[AnchoredLink]:
        if self._tree is None:
            return
        for element in self._tree.document.select(_LINKING):
            rel = (element.attr("rel") or "").lower()
            if element.tag == "link" and not links.leads_to_a_page(element):
                continue
            named = element.attr("src" if element.tag in _FRAMES else "href") or ""
            if url := metadata.absolute_page(named, self.base_url):
                yield AnchoredLink(url, _text_of(element), tuple(rel.split()), element.tag)

    @cached_property
    def _alternates(self) -> list[Alternate]:
        if self._tree is None:
            return []
        return [
            Alternate(
                url,
                links.media_type(link),
                metadata.language_tag(link.attr("hreflang") or ""),
                one_line(link.attr("title") or "", _LONGEST_TEXT),
            )
            for link in self._tree.found["link"][:_MOST_LINKS]
            if links.relations_of(link.attr("rel")).alternate
            and (url := metadata.absolute_page(link.attr("href") or "", self.base_url))
        ]


def _text_of(element: Element) -> str:
    if element.tag == "a":
        return short_text(element, _LONGEST_TEXT)
    return one_line(element.attr("alt") or element.attr("title") or "", _LONGEST_TEXT)


def _written_in(text: str) -> str:
    if len(text) < _ENOUGH_TEXT:
        return ""
    match = detect_language(text)
    if match.language is None or match.confidence < _SURE:
        return ""
    return _TWO_LETTERS.get(match.language, match.language)
