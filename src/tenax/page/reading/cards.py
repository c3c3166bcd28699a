"""Does a page list things beside its few words about them? A row of blocks that look the same.

Where somebody introduces a listing, the introduction is where the prose is, and what the page is
for stands below it: products, recipes, places, each in a block of its own with a link.
"""

from __future__ import annotations

from itertools import islice

from turbohtml import Element

from tenax.page.reading.clutter import DEEPEST, MOST_MEASURED
from tenax.page.reading.names import NamePart, parts_named

_LONGEST_INTRODUCTION = 4_000
_LEAST_CARDS, _LEAST_ON_A_CARD, _MOST_ON_A_CARD = 4, 25, 500
_ROW_LEVELS = 4
_BESIDE = frozenset({"nav", "header", "footer", "aside", "menu", "form"})
_PAGE = frozenset({"html", "body", "main"})
_NAMED_BESIDE = NamePart.CLUTTER | NamePart.FRAME | NamePart.DISCUSSION | NamePart.POPUP
_CARD_LEVELS, _MOST_LINKS = 5, 1_000
_SHARE_OF_BOTH = 0.5


def with_cards(region: Element, page: Element) -> Element:
    """The part of the page that has the region and a row of cards that say more; else the region.

    Both must be most of that part: around a page's own cards there is little else.
    """
    own, whole = _written(region), len(page.text)
    if own > _LONGEST_INTRODUCTION or 2 * own > whole:
        return region
    left = MOST_MEASURED * whole
    around = {region, *islice(region.ancestors, DEEPEST)}
    row, said = None, own
    for parent, blocks in _rows(page):
        if len(blocks) < _LEAST_CARDS or not around.isdisjoint(blocks):
            continue
        texts = [block.text for block in blocks]
        left -= sum(map(len, texts))
        if left < 0:
            return region
        lengths = [len(" ".join(text.split())) for text in texts]
        mean = sum(lengths) / len(lengths)
        if (
            sum(lengths) > said
            and _LEAST_ON_A_CARD < mean <= _MOST_ON_A_CARD
            and max(lengths) < _MOST_ON_A_CARD + 3 * mean
            and not _is_beside(parent)
        ):
            row, said = parent, sum(lengths)
    if row is None:
        return region
    top = next((e for e in (row, *islice(row.ancestors, DEEPEST)) if e in around), None)
    if not isinstance(top, Element) or said + own < _SHARE_OF_BOTH * _written(top):
        return region
    return top


def _rows(page: Element) -> list[tuple[Element, set[Element]]]:
    """Blocks around links that stand side by side with the same tag and class, by their parent."""
    rows: dict[tuple[Element, str, str], set[Element]] = {}
    for link in islice(page.iter_elements("a"), _MOST_LINKS):
        block = link
        for _ in range(_CARD_LEVELS):
            parent = block.parent
            if type(parent) is not Element:
                break
            name = (block.attr("class") or "").split(" ", 1)[0]
            row = rows.setdefault((parent, block.tag, name), set())
            if block in row:
                break  # and so is all that is around it
            row.add(block)
            block = parent
    return [(parent, blocks) for (parent, _, _), blocks in rows.items()]


def _is_beside(row: Element) -> bool:
    """Whether a row is part of a menu or the like, by tag or name."""
    for element in (row, *islice(row.ancestors, _ROW_LEVELS)):
        if not isinstance(element, Element) or element.tag in _BESIDE:
            return True
        if parts_named(element) & _NAMED_BESIDE and element.tag not in _PAGE:
            return True
    return False


def _written(element: Element) -> int:
    """How long a text is, not counting how its markup is indented."""
    return len(" ".join(element.text.split()))
