"""Where on a page does somebody write in sentences? Weights of text, and the region that has them.

The region is found from above: go down into the part that holds nearly all of the prose as long
as there is one. So a page whose prose is spread out (documentation, a forum) keeps all of it,
where going up from the best paragraph would keep one section of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from typing import cast

from turbohtml import Axis, Element, Node, NodeIterator, Text

from tenax.page.reading.clutter import DEEPEST, Prose
from tenax.page.reading.names import NamePart, parts_named

_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn",
    "em", "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "rp", "rt", "ruby", "s",
    "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
_UNITS = frozenset({
    "p", "li", "th", "dd", "dt", "blockquote", "pre", "ul", "ol", "dl", "h1", "h2", "h3", "h4",
    "h5", "h6", "figure", "figcaption",
})  # fmt: skip
_LESS = frozenset({"li", "td", "th", "dd", "dt", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6"})
# Also the marks of CJK scripts, and quotation marks and brackets behind any of them.
_SENTENCE = re.compile(r"[.!?:\u2026\u3002\uff01\uff1f][\"'\u201d\u2019\xbb\u300d\u300f)\]]*$")
# Scripts that say in one character what others say in two or three.
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_DENSITY = 2.5
_SAMPLE = 40
_TEXT_NODES = 4
_SHORT, _SHORT_LATIN = 8, 20
_SHORTEST = 25
_LONG = 100
# What is neither long nor a sentence is a label; what stands in lists is often a teaser.
_LABEL, _LISTED, _IN_A_LIST = 0.3, 0.6, 0.5
_DEEPEST_INLINE = 50

_ONE_TEXT, _LONG_PARAGRAPH = 0.8, 80

_SCOPES = ("article", "main")
_ENOUGH_IN_SCOPE, _SHARE_IN_SCOPE = 800, 0.8

_SHARE = 0.8
_SHARE_WITH_HEADLINE = 0.5
_SHARE_IN_BODY = 0.85
_SHARE_OF_PAGE = 0.4
_BODY_SHARE = 0.25
_MOST_NAMED = 50
_LEAD_LEVELS = 4
_SHORTEST_LEAD, _LONGEST_LEAD = 80, 1_500
_ALL_PROSE = 0.9
_PLAIN_NAMES = NamePart.CONTENT | NamePart.BODY
_MOST_LEADS = 3


def scope_of(page: Element) -> Element:
    """The page's only article or main element, if nearly all paragraphs are in it; else the page.

    A guess that costs little: the rest of a page is often most of it, and need not be looked at.
    """
    landmarks = list(page.iter_elements(_SCOPES))
    for tag in _SCOPES:
        alone = [element for element in landmarks if element.tag == tag]
        held = _paragraphs(alone[0]) if len(alone) == 1 else 0
        if (
            held > _ENOUGH_IN_SCOPE
            and held > _SHARE_IN_SCOPE * _paragraphs(page)
            and held > _lines(page) - _lines(alone[0])
        ):
            return alone[0]
    return page


def _paragraphs(element: Element) -> int:
    return sum(len(paragraph.text) for paragraph in element.iter_elements("p"))


def _lines(element: Element) -> int:
    """How much text is in lines that only breaks divide."""
    return sum(
        len(line.data.strip())
        for each in element.iter_elements("br")
        if type(line := each.next_sibling) is Text and getattr(each.parent, "tag", "p") != "p"
    )


def weigh(page: Element) -> Prose:
    """How much prose each element holds, about in characters; the text of links counts nothing."""
    units: dict[Element, list[str]] = {}
    inline = _INLINE
    # Short and flat: it sees every text node of every page that is read.
    for node in cast(Iterator[Text], NodeIterator(page, _TEXT_NODES)):
        data = node.data
        length = len(data)
        # Most of the nodes are white space between tags, and most short ones are labels.
        if length < _SHORT or (length < _SHORT_LATIN and data.isascii()) or data.isspace():
            continue
        unit = node.parent
        if not isinstance(unit, Element):
            continue  # what a template holds is in no element, and nobody sees it
        if unit.tag in inline:
            block = _block_around(unit)
            if block is None:
                continue
            unit = block
        texts = units.get(unit)
        if texts is None:
            units[unit] = [data]
        else:
            texts.append(data)
    return _add_up(units)


def _block_around(element: Element) -> Element | None:
    """The block that an inline element stands in; None for a link, or what is in one."""
    for _ in range(_DEEPEST_INLINE):
        tag = element.tag
        if tag == "a":
            return None
        if tag not in _INLINE:
            return element
        parent = element.parent
        if type(parent) is not Element:
            return None
        element = parent
    return None


def _add_up(units: dict[Element, list[str]]) -> Prose:
    prose = Prose()
    held: dict[Element, float] = {}
    for element, texts in units.items():
        weight = _weight_of(element, "".join(texts).strip())
        if not weight:
            continue
        prose[element] = prose.get(element, 0.0) + weight
        if weight >= _LONG_PARAGRAPH and (element.tag == "p" or _has_breaks(element)):
            prose.long += weight
        parent = element.parent
        if type(parent) is Element:
            share = _IN_A_LIST if element.tag == "li" else 1.0
            held[parent] = held.get(parent, 0.0) + weight * share
    prose.together = max(held.values(), default=0.0)
    # Paragraphs share their parents, and those theirs: each is looked up once.
    parents: dict[Element, tuple[Element | None, float]] = {}
    for element, weight in held.items():
        above: Element | None = element
        for _ in range(DEEPEST):
            if above is None:
                break
            prose[above] = prose.get(above, 0.0) + weight
            known = parents.get(above)
            if known is None:
                parent = above.parent
                share = _IN_A_LIST if above.tag == "li" else 1.0
                known = (parent if type(parent) is Element else None, share)
                parents[above] = known
            above, share = known
            weight *= share
    return prose


def _has_breaks(element: Element) -> bool:
    return element.find("br", axis=Axis.CHILDREN) is not None


def _weight_of(element: Element, text: str) -> float:
    weight = float(len(text))
    if not text.isascii() and _DENSE.search(text, 0, _SAMPLE):
        weight *= _DENSITY
    if weight < _SHORTEST:
        return 0.0
    if weight < _LONG and not _SENTENCE.search(text):
        weight *= _LABEL
    return weight * _LISTED if element.tag in _LESS else weight


def is_one_text(page: Element, prose: Prose) -> bool:
    """Whether long paragraphs make up nearly all of the prose where most of it is: an article.

    A page that offers something, a listing, a shop is made of parts, and templates call these what
    they call clutter elsewhere: banner, teaser, carousel, header.
    """
    if prose.long >= _ONE_TEXT * prose.get(page, 0.0):
        return True
    return prose.long >= _ONE_TEXT * prose.get(find_region(page, prose), 0.0)


def find_region(page: Element, prose: Prose, *, parts: bool = False) -> Element:
    """The part of the page that holds its prose, and little else."""
    total = prose.get(page, 0.0)
    named = _named_as_body(prose, _BODY_SHARE * total)
    region, share = (page, _SHARE) if named is None else (named, _SHARE_IN_BODY)
    while True:
        best, most = None, 0.0
        for child in region:
            if type(child) is Element and (weight := prose.get(child, 0.0)) > most:
                best, most = child, weight
        if best is None or best.tag in _UNITS:
            return region
        least = share
        if not parts and most < share * prose[region] and best.find("h1") is not None:
            least = _SHARE_WITH_HEADLINE
        if most < least * prose[region] or most < _SHARE_OF_PAGE * total:
            return region
        if most < 0.95 * prose[region] and _has_equals(region, best, prose, 0.05 * most):
            return region
        region = best


def find_leads(region: Element, prose: Prose) -> list[Element]:
    """What stands before the region and is its beginning, by name or since it is nothing but
    prose; in document order."""
    leads: list[Element] = []
    inner = region
    for above in islice(region.ancestors, _LEAD_LEVELS):
        if not isinstance(above, Element) or above.tag in ("html", "body"):
            break
        before = takewhile(inner.__ne__, above)
        leads = [*_named_as_lead(before, prose, _LEAD_LEVELS), *leads]
        if above.tag in ("article", "main"):
            break
        inner = above
    return leads[:_MOST_LEADS]


def _named_as_lead(nodes: Iterable[Node], prose: Prose, levels: int) -> Iterator[Element]:
    for node in nodes:
        if type(node) is Element and 0 < prose.get(node, 0.0) < _LONGEST_LEAD:
            if parts_named(node) & NamePart.LEAD or _is_plain_lead(node, prose):
                yield node
            elif levels:
                yield from _named_as_lead(node, prose, levels - 1)


def _is_plain_lead(node: Element, prose: Prose) -> bool:
    """Whether it is nothing but a paragraph that leads nowhere, called nothing in particular."""
    held = prose[node]
    return (
        held >= _SHORTEST_LEAD
        and held >= _ALL_PROSE * len(" ".join(node.text.split()))
        and not parts_named(node) & ~_PLAIN_NAMES
        and node.find("a") is None
    )


def _has_equals(region: Element, best: Element, prose: Prose, least: float) -> bool:
    """Whether other children with prose look like the best one: then all of them are content."""
    tag, name = best.tag, best.attr("class")
    return any(
        child.tag == tag and child.attr("class") == name and child != best
        for child in region
        if isinstance(child, Element) and prose.get(child, 0.0) > least
    )


def _named_as_body(prose: Prose, least: float) -> Element | None:
    """The one element that templates name as the body of the text; None when there are several."""
    bodies: dict[Element, float] = {}
    for element in islice(sorted(prose, key=prose.__getitem__, reverse=True), _MOST_NAMED):
        weight = prose[element]
        if weight <= _SHARE_OF_PAGE * least:
            break
        if element.tag in ("html", "body") or not _is_body(element):
            continue
        outer = next((e for e in islice(element.ancestors, DEEPEST) if e in bodies), None)
        if not isinstance(outer, Element):
            bodies[element] = weight
        elif weight >= _SHARE * bodies[outer]:
            del bodies[outer]
            bodies[element] = weight
    best = max(bodies, key=bodies.__getitem__, default=None)
    if best is None or bodies[best] < least or sum(bodies.values()) > 1.3 * bodies[best]:
        return None
    return best


def _is_body(element: Element) -> bool:
    return element.attr("itemprop") == "articleBody" or bool(parts_named(element) & NamePart.BODY)
