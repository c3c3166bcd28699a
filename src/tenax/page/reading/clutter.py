"""Which parts of a page are there for the site's sake, not for what the page says?

Told by tag, role and name. All three lie now and then: what holds most of the prose stays.
"""

from __future__ import annotations

import re
from itertools import islice

from turbohtml import Element

from tenax.page.reading.names import NamePart, parts_named


class Prose(dict[Element, float]):
    """How much prose the elements of a page hold; those that hold none are left out."""

    long = 0.0
    """How much of it is in long paragraphs."""

    together = 0.0
    """How much of it stands side by side in one element, the one with most of it."""


DEEPEST = 256
"""Levels that are climbed: pages nest a few dozen, attackers as many as they like."""

MOST_MEASURED = 8
"""How often the text of a page is measured, part by part: parts inside parts count each time."""

_UNSEEN = (
    "script", "style", "noscript", "iframe", "template", "dialog", "nav", "aside", "footer", "menu",
)  # fmt: skip
_LANDMARKS = frozenset({"nav", "aside", "footer", "menu"})
_CONTROLS = (
    "svg", "canvas", "object", "embed", "applet", "audio", "video", "button", "input", "select",
    "textarea", "datalist",
)  # fmt: skip
_ROLES = frozenset({
    "alert", "alertdialog", "banner", "complementary", "contentinfo", "dialog", "menu",
    "menubar", "navigation", "search", "toolbar", "tooltip",
})  # fmt: skip
_MARKED = '[role],[hidden],[aria-hidden="true"],[style*="display"],[style*="visibility"]'
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_FOLDING = re.compile(
    r"accordion|collaps|toggle|expand|answer|faq|(?<![a-z])tab(?:s|bed)?[-_]*(?:pane|content|body)",
    re.IGNORECASE,
)
NEVER_CUT = frozenset({
    "html", "body", "main", "article", "table", "tbody", "thead", "tr", "th", "td", "pre", "code",
    "h1", "math", "em", "strong", "b", "i", "a",
})  # fmt: skip
_BLOCKS = frozenset({
    "div", "section", "ul", "ol", "header", "form", "dl", "table", "span", "li", "center",
})  # fmt: skip
_CLUTTER = NamePart.CLUTTER | NamePart.POPUP | NamePart.OFFER
# Names of places, which some sites give to what their pages are made of.
_PLAIN_CLUTTER = NamePart.CLUTTER | NamePart.POPUP | NamePart.DISCUSSION | NamePart.CONSENT
_MADE_OF = 0.2
_LINKED_HEADINGS = ":is(h2,h3,h4,h5):has(a),a:has(h2,h3,h4,h5)"
_MOST_HEADINGS = 200
_CARD_LEVELS = 5
_A_ROW = 3
_AROUND_BLOCKS = frozenset({"div", "section", "article", "main", "body"})
_MAIL_FIELD = 'input[type="email"]'
_FORM_FIELDS = f'textarea,input[type="tel"],{_MAIL_FIELD}'
_MOST_FORMS, _FORM_SHARE = 20, 0.3
_OPENED = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary")
_QUESTION = ("?", "\uff1f", "\u061f")
_MOST_FIELDS, _BOX_LEVELS, _BOX_SHARE, _LONGEST_BOX = 5, 6, 0.2, 800
# Shares of the prose that parts may hold and still be cut, by how plainly their name tells.
_PLAIN, _OTHERS, _LIKELY, _PERHAPS, _HARDLY = 1.0, 0.6, 0.4, 0.3, 0.1
# Parts with less prose than this do not change where the region is.
_TELLING = 0.03
_LONGEST_BUTTON = 60
# What must be left when a large part goes, in characters of prose.
_ENOUGH = 200
_ENOUGH_TO_DISCUSS, _LEAST_DISCUSSED = 500, 0.2
# So much is a page, whatever went.
_PLENTY = 800


def cut_unseen(page: Element) -> None:
    """Cut what no one reads, and navigation and the like unless it is most of the page."""
    doubtful: list[Element] = []
    for child in list(page):
        if type(child) is not Element:
            continue
        # Scripts append these to the body.
        named = parts_named(child)
        if named & NamePart.CONSENT:
            child.extract()
        elif named & NamePart.POPUP:
            doubtful.append(child)
    for element in list(page.iter_elements(_UNSEEN)):
        if element.tag in _LANDMARKS:
            doubtful.append(element)
        else:
            element.extract()
    doubtful += [e for e in page.select(_MARKED) if _is_aside(e) or _is_hidden(e)]
    if not doubtful:
        return
    total = len(page.text)
    measured = 0
    for element in doubtful:
        length = len(element.text)
        measured += length
        if measured > MOST_MEASURED * total:
            break
        if element.tag not in NEVER_CUT and length * 2 < total:
            element.extract()


def cut_clutter(prose: Prose, *, parts: bool = False, thread: bool = False) -> bool:
    """Cut the clutter that holds prose; False when little was left, so that names mislead here."""
    total = max(prose.values(), default=0.0)
    left, discussed = total, 0.0
    # Those with most prose first: what is cut takes the clutter inside it along.
    for element in sorted(prose, key=prose.__getitem__, reverse=True):
        held = prose[element]
        if held < _TELLING * total:
            break
        if element.tag not in _BLOCKS:
            continue
        most = _may_hold(parts_named(element), parts=parts, thread=thread)
        if not most or held > most * total or not _is_attached(element):
            continue
        if held < _PERHAPS * total or total - held > _ENOUGH:
            if most == _PLAIN:
                discussed += held
            left -= held
            _cut(element, prose)
    if left < _ENOUGH_TO_DISCUSS and left < _LEAST_DISCUSSED * discussed:
        return False  # there is nothing to discuss: what is said here is what the page is for
    return left >= min(_PERHAPS * (total - discussed), _PLENTY)


def cut_teasers(page: Element, prose: Prose) -> None:
    """Cut rows of blocks that each have a linked heading, unless they are what the page is for."""
    rows: dict[tuple[Element, str, str], dict[Element, float]] = {}
    for heading in page.select(_LINKED_HEADINGS)[:_MOST_HEADINGS]:
        if not _is_linked(heading):
            continue
        block = heading
        for _ in range(_CARD_LEVELS):
            parent = block.parent
            if type(parent) is not Element:
                break
            name = (block.attr("class") or "").split(" ", 1)[0]
            row = rows.setdefault((parent, block.tag, name), {})
            row[block] = prose.get(block, 0.0)
            block = parent
    total = prose.get(page, 0.0)
    for (_, tag, _), row in rows.items():
        # Several that call themselves articles are not this one.
        most = _OTHERS if tag == "article" else _LIKELY
        if len(row) >= _A_ROW and sum(row.values()) <= most * total:
            for block in row:
                if block in prose and _is_attached(block):
                    _cut(block, prose)
                else:
                    block.extract()


def _is_linked(heading: Element) -> bool:
    """Whether a heading leads to another page; many link to themselves, or to the contents."""
    link = heading if heading.tag == "a" else heading.find("a")
    if link is None or (link.attr("href") or "#").startswith("#"):
        return False
    return len(link.text) * 2 > len(heading.text)


def cut_within(
    region: Element, prose: Prose, *, captions: bool, parts: bool = False, thread: bool = False
) -> None:
    """Cut clutter by name inside a region, down to share bars and lines about the author.

    What is named for its place holds little of the prose, all of it together: else a site calls
    so what its pages are made of.
    """
    total = prose.get(region, 0.0)
    places: dict[Element, float] = {}
    for element in region.select("[class],[id]"):
        if element.tag in NEVER_CUT and not _stands_alone(element):
            continue
        if not (named := parts_named(element)):
            continue
        most = _may_hold(named, captions=captions, parts=parts, thread=thread)
        # What is named for the button that it has is longer than one.
        is_button = named & NamePart.BUTTON and len(element.text) <= _LONGEST_BUTTON
        held = prose.get(element, 0.0)
        if is_button or (most and held <= most * total):
            if is_button or not held or named & _PLAIN_CLUTTER:
                element.extract()
            elif places.keys().isdisjoint(islice(element.ancestors, DEEPEST)):
                places[element] = held
    if sum(places.values()) <= _MADE_OF * total:
        for element in places:
            element.extract()


def cut_forms(region: Element, prose: Prose) -> None:
    """Cut what one writes into to be answered, with its labels and what one agrees to."""
    most, longest = _FORM_SHARE * prose.get(region, 0.0), len(region.text) / 2
    for form in region.find_all("form")[:_MOST_FORMS]:
        if (
            prose.get(form, 0.0) <= most
            and len(form.text) <= longest
            and form.find(["h1", "article", "main"]) is None
            and form.select_one(_FORM_FIELDS) is not None
        ):
            form.extract()


def cut_sign_ups(region: Element, prose: Prose) -> None:
    """Cut what surrounds a field for a mail address: letters one may order, whatever their name."""
    total = prose.get(region, 0.0)
    for field in region.select(_MAIL_FIELD)[:_MOST_FIELDS]:
        box = None
        for above in islice(field.ancestors, _BOX_LEVELS):
            if (
                not isinstance(above, Element)
                or above.tag in NEVER_CUT
                or above == region
                or prose.get(above, 0.0) > _BOX_SHARE * total
                or len(above.text) > _LONGEST_BOX
            ):
                break
            box = above
        if box is not None:
            box.extract()


def cut_controls(region: Element) -> None:
    """Cut what one presses, plays or fills in; not a heading that opens what is below it."""
    for element in list(region.iter_elements(_CONTROLS)):
        if element.tag != "button" or not _is_heading(element):
            element.extract()


def _is_heading(button: Element) -> bool:
    return getattr(button.parent, "tag", "") in _OPENED or button.text.rstrip().endswith(_QUESTION)


def _stands_alone(element: Element) -> bool:
    """Whether it is a link between blocks, as "print this page", and not one within a sentence."""
    return element.tag == "a" and getattr(element.parent, "tag", "") in _AROUND_BLOCKS


def _may_hold(
    named: int, *, captions: bool = False, parts: bool = False, thread: bool = False
) -> float:
    """The share of the prose an element named so may hold to be cut; 0: it is no clutter.

    What is discussed below a text is none of it, unless the page is a thread.
    """
    if not named or named & NamePart.BODY:
        return 0.0
    if named & (NamePart.CONSENT if thread else NamePart.CONSENT | NamePart.DISCUSSION):
        return _PLAIN
    if named & _CLUTTER or (captions and named & NamePart.CAPTION):
        return _HARDLY if parts else _LIKELY
    if named & NamePart.FRAME and not (parts or named & NamePart.CONTENT):
        return _PERHAPS
    return 0.0


def _cut(element: Element, prose: Prose) -> None:
    held = prose[element]
    for above in islice(element.ancestors, DEEPEST):
        if not isinstance(above, Element) or above not in prose:
            break
        prose[above] -= held
    element.extract()


def _is_attached(element: Element) -> bool:
    above = list(islice(element.ancestors, DEEPEST))
    return len(above) == DEEPEST or any(getattr(e, "tag", "") == "html" for e in above[-2:])


def _is_aside(element: Element) -> bool:
    role = element.attr("role")
    return role is not None and role.strip().lower() in _ROLES


def _is_folded(element: Element) -> bool:
    """Whether it is hidden only until somebody opens it: answers, tabs, specifications."""
    if element.attr("role") in ("tabpanel", "region"):
        return True
    return _FOLDING.search(f"{element.attr('class')} {element.attr('id')}") is not None


def _is_hidden(element: Element) -> bool:
    if element.attr("hidden") is not None:
        return not _is_folded(element)
    style = element.attr("style")
    if style is not None and _HIDING.search(style):
        return not _is_folded(element)
    # Decoration is hidden from screen readers, but so are articles behind an overlay.
    return element.attr("aria-hidden") == "true" and element.find("p") is None
