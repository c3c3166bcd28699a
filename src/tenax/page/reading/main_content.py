"""What would a person read on a page? Its main content, as text and as Markdown.

Found by where the prose is. Where there is hardly any (a listing, an index), by subtraction,
which loses nothing. `page/text.py` says what a page's hash is made of; nothing here changes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from msgspec import Struct
from turbohtml import Element, Node

from tenax.page.html import Tree, parse, parse_page
from tenax.page.reading.announced import announced, is_marked_as_product
from tenax.page.reading.apart import keep_apart
from tenax.page.reading.cards import with_cards
from tenax.page.reading.chunks import Chunk, divide
from tenax.page.reading.clutter import (
    DEEPEST,
    MOST_MEASURED,
    Prose,
    cut_clutter,
    cut_controls,
    cut_forms,
    cut_sign_ups,
    cut_teasers,
    cut_unseen,
    cut_within,
)
from tenax.page.reading.elsewhere import cut_elsewhere
from tenax.page.reading.link_style import LinkStyle
from tenax.page.reading.markdown import (
    cut_permalinks,
    joined,
    render,
    render_marked,
)
from tenax.page.reading.prose import find_leads, find_region, is_one_text, scope_of, weigh
from tenax.page.reading.threads import find_thread
from tenax.page.text import main_part

# With little prose, or hardly any in a lot of text, a page may be a listing, an index, a form.
_LITTLE, _A_LOT = 250, 1_500
# Where so much is left without what names call clutter, it is what the page says.
_A_NOTE = 100
_SCARCE = 0.04
_MOSTLY, _HARDLY = 0.3, 0.15
_FORMS = "form,address"
_BLOCKS = f"div,ul,ol,section,table,p,dl,{_FORMS}"
_REPEATED = "div,section,article,p,li,ul,dl,table,h2,h3,h4,h5"
_SHORTEST_REPEATED = 40
_ANNOUNCED = b'"articleBody"'
# An article has at least this share of its prose side by side; cards have a sentence each.
_TOGETHER = 0.4


class Markup(Struct, frozen=True):
    """A body of HTML. Reading cuts a tree to pieces, so each attempt gets a new one."""

    body: bytes
    charset: str
    xml: bool = False

    def page(self) -> Element:
        return parse_page(self.body, self.charset, xml=self.xml)

    def tree(self) -> Tree:
        return parse(self.body, self.charset, xml=self.xml)


class MainContent(Struct, frozen=True):
    """The main content: its region, and what stands before it."""

    region: Element
    leads: tuple[Element, ...]
    is_doubtful: bool
    """Whether there is so little prose that it may not be what the page is for."""

    def parts(self) -> Iterator[Element]:
        return chain(self.leads, (self.region,))


def main_text(markup: Markup) -> str:
    """The main content as lines of text, without headline and captions."""
    found = _find(markup, pictures=False)
    for part in found.parts():
        cut_permalinks(part)
        keep_apart(part)
    text = joined(part.to_text() for part in found.parts())
    if found.is_doubtful:
        rest = joined((_all_of(markup).to_text(),))
        if _is_all_the_same(len(text), len(rest)):
            text = rest
        if _ANNOUNCED in markup.body:
            text = max(text, _announced(markup), key=len)
    return text


def main_markdown(markup: Markup, base_url: str, links: LinkStyle = LinkStyle.INLINE) -> str:
    """The main content as Markdown, with pictures, and links made absolute."""
    parts = _parts(markup)
    return parts if isinstance(parts, str) else render(parts, base_url, links)


def main_chunks(markup: Markup, base_url: str, links: LinkStyle, most: int) -> list[Chunk]:
    """The same in pieces of so many characters at most, divided at headings."""
    parts = _parts(markup)
    if isinstance(parts, str):
        return divide(parts, (), most)
    return divide(*render_marked(parts, base_url, links), most)


def _parts(markup: Markup) -> list[Element] | str:
    """What is to be rendered, or the text where structured data has all of it."""
    found = _find(markup, pictures=True)
    parts = list(found.parts())
    for part in parts:
        keep_apart(part)
    if found.is_doubtful:
        rest = _all_of(markup)
        if _is_all_the_same(sum(map(_written, parts)), len(joined((rest.to_text(),)))):
            parts = [rest]
        if _ANNOUNCED in markup.body:
            announced = _announced(markup)
            if len(announced) > sum(map(_written, parts)):
                return announced
    return parts


def _all_of(markup: Markup) -> Element:
    """What is left of the page by subtraction."""
    rest = main_part(markup.tree())
    cut_unseen(rest)
    keep_apart(rest)
    return rest


def _is_all_the_same(found: int, rest: int) -> bool:
    """Whether to take all that is left by subtraction: there is little to lose, or much."""
    return 0 < rest <= _LITTLE or found < _HARDLY * rest


def _find(markup: Markup, *, pictures: bool) -> MainContent:
    first = markup.page()
    if (thread := find_thread(first)) is not None:
        return MainContent(thread, (), is_doubtful=False)
    trees = [first]
    del first
    said = announced(markup.body)
    best: MainContent | None = None
    for by_name in (True, False):
        page = scope_of(trees.pop() if trees else markup.page())
        cut_unseen(page)
        prose = weigh(page)
        parts = not is_one_text(page, prose)
        article = said.is_article or (
            not said.is_product and prose.together >= _TOGETHER * prose.get(page, 0.0)
        )
        if by_name and not cut_clutter(prose, parts=parts, thread=said.is_thread):
            del page, prose  # the tree, before there is another
            continue
        if article and not parts:
            cut_teasers(page, prose)
        region = find_region(page, prose, parts=parts)
        leads = find_leads(region, prose)
        lists = not (said.is_article or said.is_product)
        if (
            lists
            and (listed := with_cards(region, page)) != region
            and not is_marked_as_product(markup.body)
        ):
            region, leads, article = listed, [], False
        held = prose.get(region, 0.0)
        doubtful = held < _LITTLE or (held < _A_LOT and _is_scarce(held, _SCARCE, page))
        if not doubtful:
            cut_sign_ups(region, prose)
            cut_forms(region, prose)
        cut_elsewhere(region, prose)
        cut_controls(region)
        if by_name:
            cut_within(region, prose, captions=not pictures, parts=parts, thread=said.is_thread)
        if not (pictures or doubtful):
            _cut_captions(region, headline=said.is_article or not parts)
        if not _is_listing(region, held):
            _tidy(region, prose, links=article and not parts)
        if not ((article and not parts) or said.is_thread) and (
            said.is_product or is_marked_as_product(markup.body)
        ):
            _cut_repeated(region)
        length = _written(region)
        if best is None or length > _written(best.region):
            best = MainContent(region, tuple(leads), doubtful)
        # When names took most of what was found, they mean something else on this site.
        if length > _A_NOTE and length > _MOSTLY * held:
            break
        del page, prose, region, leads  # the tree, before there is another
    assert best is not None, "the second attempt always finds something, if only the page"
    return best


def _cut_captions(region: Element, *, headline: bool) -> None:
    """Cut what belongs to pictures, and the headline, where it is no part among parts: it is told
    as the title."""
    for element in _measured(region, "figure,figcaption,h1" if headline else "figure,figcaption"):
        if element.find(["table", "pre", "blockquote"]) is None:
            element.extract()


def _cut_repeated(region: Element) -> None:
    """Cut what stands there again word by word, for windows of another width."""
    read: set[str] = set()
    said: dict[Node, str] = {}
    for element in _measured(region, _REPEATED):
        text = " ".join(element.text.split())
        if len(text) < _SHORTEST_REPEATED:
            continue
        around = next((e for e in islice(element.ancestors, DEEPEST) if e in said), None)
        said[element] = text
        if around is not None and said[around] == text:
            continue  # the same words, and not again
        if text in read:
            element.extract()
        read.add(text)


def _is_listing(region: Element, held: float) -> bool:
    """Whether there is so little prose that links are what the page is for."""
    return _is_scarce(held, _MOSTLY, region)


def _is_scarce(held: float, share: float, element: Element) -> bool:
    """Whether prose is less than this share of a text, not counting how markup is indented."""
    return held < share * len(element.text) and held < share * _written(element)


def _written(element: Element) -> int:
    """How long a text is, not counting how its markup is indented."""
    return len(" ".join(element.text.split()))


def _tidy(region: Element, prose: Prose, *, links: bool) -> None:
    """Cut forms and addresses, and from an article also blocks of links."""
    for element in _measured(region, _BLOCKS if links else _FORMS):
        if _is_beside_the_point(element, prose.get(element, 0.0)):
            element.extract()


def _measured(region: Element, selector: str) -> Iterator[Element]:
    """What is selected, until the texts of it add up to too many times the region's."""
    left = MOST_MEASURED * len(region.text)
    for element in region.select(selector):
        left -= len(element.text)
        if left < 0:
            return
        yield element


def _is_beside_the_point(element: Element, held: float) -> bool:
    """Whether a block is links to elsewhere, a form, an address: no part of the text."""
    tag = element.tag
    is_form = tag in ("form", "address")
    links = element.find_all("a")
    # Most blocks have no links, and need not be measured.
    if not (links or is_form):
        return False
    length = _written(element)
    if not length or held > 0.5 * length:
        return False
    if is_form and held < _MOSTLY * length:
        return True
    linked = sum(map(_written, links))
    if tag == "p":
        return linked > 0.8 * length and length < _LITTLE
    return linked > 0.5 * length and held < _MOSTLY * length


def _announced(markup: Markup) -> str:
    """The text of the article as structured data has it: pages that scripts fill have it there."""
    texts = [text for item in markup.tree().document.json_ld() for text in _bodies(item)]
    text = max(texts, key=len, default="")
    if "<" in text:
        text = parse_page(text.encode("utf-8", "replace"), "utf-8").to_text()
    return joined((text,))


def _bodies(item: Any, depth: int = 0) -> Iterator[str]:
    if depth > 4:
        return
    if isinstance(item, list):
        for inner in item:
            yield from _bodies(inner, depth + 1)
    elif isinstance(item, dict):
        for name, value in item.items():
            if name == "articleBody" and isinstance(value, str):
                yield value
            elif isinstance(value, dict | list):
                yield from _bodies(value, depth + 1)
