"""What stands where on a shop's page? One walk that all readers of the visible page share."""

from __future__ import annotations

import re
from array import array
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

from msgspec import Struct, field
from turbohtml import Element, Text

from tenax.page import native
from tenax.page.for_sale import BUTTON_NAMES, BUYS
from tenax.page.html import Tree, one_line
from tenax.page.product.words import ShopPhrases, joined
from tenax.page.product.zones import (
    INHERITED,
    NAMES,
    PLAIN,
    ROOTS,
    TAGS,
    WRITTEN,
    Zone,
    named,
    own_zone,
    styled,
)

MOST_NODES: Final = 60_000
"""A page of more is no shop's; what lies beyond is not looked at."""
_LONGEST: Final = 400

CART: Final = ShopPhrases(BUYS)
_CART_NAMES: Final = ShopPhrases(*BUTTON_NAMES)
_OFF_NAMES: Final = re.compile(r"(?:^|\s|-)disabled(?:$|\s)|sold-?out|out-?of-?stock")
OTHERS: Final = ShopPhrases(
    "you may like|you might like|you may also|you might also|also like|related product|"
    "related item",
    "similar product|similar item|similar style|recommended|recommendation|customers also",
    "customers who|recently viewed|frequently bought|people also|complete the|complete your",
    "goes well with|pair well|pairs well|more from|more like|also bought|also viewed",
    "more to love|more to explore|explore more|others also|shop similar|you'll also|wear it with",
    "style with|works well with|people who|top picks|trending|sponsored|on vous recommande",
    "vous pourriez|weitere artikel|kunden, die|wird oft|zubehör|empfehl|te recomendamos",
    "otros productos|altri prodotti|vaak samen|ook interessant|polecane|zobacz także|andra köpte",
    "du kanske|рекоменд|вам может|この商品を",
    "shop the look|other products|best sellers|bestsellers|das könnte|ähnliche|kunden kauften",
    "kunden haben|zuletzt gesehen|zuletzt angesehen|passend dazu|vous aimerez|produits similaires",
    "produits associés|également|productos relacionados|también te|te puede|produtos relacionados",
    "você também|prodotti correlati|prodotti simili|potrebbe|gerelateerde|bekijk ook|relaterade",
    "andere klanten|anderen kochten|liknande|relaterede|relaterte|andre kunder|podobne|"
    "inni klienci",
    "související|mohlo by|похожие|с этим товаром|関連商品|おすすめ|相关产品|猜你喜欢",
    "推荐|연관|benzer",
)
_LONGEST_BUTTON: Final = 40
_NO_BUTTONS = frozenset({"p", "li", "td", "label", "option", "h1", "h2", "h3", "h4", "title"})


class TextPiece(NamedTuple):
    """A text node that can be seen."""

    place: int
    """Its place among all nodes, in document order."""
    text: str
    """On one line; what is longer than a few hundred characters is cut."""
    element: Element
    zone: int
    """That of the element, and whether the text has figures."""


class Button(NamedTuple):
    place: int
    text: str
    is_off: bool
    zone: int


_NOWHERE: Final = 1 << 60
AWAY_FROM_IT: Final = Zone.FRAME | Zone.OTHERS | Zone.REVIEW
MOST_ANCESTORS: Final = 60
# What is true of a part of a product's page, and never of all of it.
_OF_A_PART: Final = (
    AWAY_FROM_IT | Zone.STRUCK | Zone.BEFORE | Zone.SIDE | Zone.OPTION | Zone.STOCK | Zone.PRICE
    | Zone.NOW | Zone.CRUMBS | Zone.GALLERY | Zone.HIDDEN
)  # fmt: skip


class ZonesOfElements(NamedTuple):
    """The zone of each element, as a dictionary would have it; few are ever asked for, and most of
    these have a text."""

    nodes: _Nodes
    zones: array[int]

    def get(self, element: Element, default: int = 0) -> int:
        number = self.nodes.numbers_of_texts.get(element)
        if number is None:
            number = self.nodes.numbers.get(element)
        return default if number is None else self.zones[number]

    def values(self) -> array[int]:
        return self.zones


class ProductOutline(Struct, dict=True):
    heading_element: Element
    heading: str = ""
    """The page's main heading."""
    heading_place: int = -1
    buttons: list[Button] = field(default_factory=list)
    """What puts the product into a basket, where other products are not what it is about."""
    images: list[tuple[int, Element, int]] = field(default_factory=list)
    others_place: int = _NOWHERE
    """Where recommendations begin."""
    sections: list[int] = field(default_factory=list)
    """Where lesser headings stand."""
    zones: ZonesOfElements = field(default_factory=lambda: ZonesOfElements(_Nodes([]), array("i")))
    own: list[TextPiece] = field(default_factory=list)
    """The pieces that stand where the product is."""

    @cached_property
    def pieces(self) -> list[TextPiece]:
        """All of them: made for who asks, most look at its own alone."""
        return _pieces(self.zones.nodes, self.zones.zones)

    @property
    def can_be_bought(self) -> bool:
        """Whether there is a button that buys it and is not switched off."""
        return any(not button.is_off for button in self.buttons)

    @property
    def next_section(self) -> int:
        """Where the first part begins behind the button that buys it."""
        bought = next((button.place for button in self.buttons if not button.is_off), _NOWHERE)
        return next((place for place in self.sections if place > bought), _NOWHERE)

    @property
    def buy_place(self) -> int:
        """Where the first button stands that buys it; -1 without any."""
        return next((button.place for button in self.buttons), -1)

    def is_away(self, place: int, zone: int) -> bool:
        """Whether it stands where the product is not."""
        return bool(zone & AWAY_FROM_IT) or place >= self.others_place


def outline(tree: Tree, title: str = "") -> ProductOutline:
    """What stands where. `title` is the page's, by which its own heading is known."""
    # What holds the page's own heading is the product, whatever else its classes say: platforms
    # write categories, tags and shipping classes there.
    nodes = _walk(tree)
    nodes.links = _offering_links(nodes)
    firsts = [number for _, number, tag in nodes.noted if tag == "h1"]
    if len(firsts) == 1 and one_line(nodes.elements[firsts[0]].text, 500).lower() in title.lower():
        zones = _inherited(nodes, _holders(nodes, firsts[0]))
        return _outlined(tree, nodes, zones, _choose_heading(nodes, zones, title))
    zones = _inherited(nodes, [])
    chosen = _choose_heading(nodes, zones, title)
    number = chosen.number if chosen is not None else 0
    if zones[number] & _OF_A_PART:
        zones = _inherited(nodes, _holders(nodes, number))
        chosen = _choose_heading(nodes, zones, title)
    return _outlined(tree, nodes, zones, chosen)


def _holders(nodes: _Nodes, number: int) -> list[int]:
    """The numbers of what an element stands in."""
    above: list[int] = []
    while number and len(above) < MOST_ANCESTORS:
        number = nodes.above[number]
        above.append(number)
    return above


class _Nodes(Struct, dict=True):
    """A page's elements and texts in document order. An element's number is its place in
    `elements`, where the page itself comes first."""

    elements: list[Element]
    above: array[int] = field(default_factory=lambda: array("i"))
    """The number of each one's parent."""
    own: array[int] = field(default_factory=lambda: array("i"))
    """What each says about itself."""
    noted: list[tuple[int, int, str]] = field(default_factory=list)
    """Place, number and tag of images, buttons and headings."""
    lines: list[str] = field(default_factory=list)
    """Each text that can be seen."""
    places: array[int] = field(default_factory=lambda: array("i"))
    parents: array[int] = field(default_factory=lambda: array("i"))
    """The numbers of the elements that they stand in."""
    links: list[tuple[int, int, str, bool]] = field(default_factory=list)
    """What buys something and is no button."""
    said: dict[int, tuple[str, bool] | None] = field(default_factory=dict)
    """What buttons say, of those that were asked."""

    @cached_property
    def numbers(self) -> dict[Element, int]:
        """Made for who asks: a page without prices needs none."""
        return dict(zip(self.elements, range(len(self.elements)), strict=True))

    @cached_property
    def numbers_of_texts(self) -> dict[Element, int]:
        """Of those alone that have a text: a quarter of them."""
        return {self.elements[number]: number for number in set(self.parents)}


def _walk(tree: Tree) -> _Nodes:
    page = tree.page
    if native.NATIVE is not None:
        elements, above, own, noted, lines, places, parents = native.NATIVE.walk(
            page.descendants, page, MOST_NODES, (Element, Text), _OF_TAGS,
            (WRITTEN.made(native.NATIVE), *NAMES), (named, styled), (_MORE, _TESTED, _TEST_NAMES),
        )  # fmt: skip
        return _Nodes(
            elements, array("i", above), array("i", own), noted, lines, array("i", places),
            array("i", parents),
        )  # fmt: skip
    return _walk_in_python(tree)


def _walk_in_python(tree: Tree) -> _Nodes:
    page = tree.page
    found = _Nodes([page], array("i", [0]), array("i", [Zone.NONE]))
    elements, above, own, numbers = found.elements, found.above, found.own, {page: 0}
    unseen = Zone.UNSEEN
    is_within_unseen = False
    for place, node in enumerate(islice(page.descendants, MOST_NODES)):
        if isinstance(node, Element):
            parent = numbers.get(node.parent, 0)  # type: ignore[arg-type]  # None is nobody's
            number = numbers[node] = len(elements)
            elements.append(node)
            above.append(parent)
            if own[parent] & unseen:
                own.append(unseen)
                continue
            tag = node.tag
            zone = own_zone(node, tag, _more_than_a_class(node))
            own.append(zone)
            is_within_unseen = bool(zone & unseen)
            if tag in _NOTED:
                found.noted.append((place, number, tag))
        elif isinstance(node, Text):
            if is_within_unseen:
                # Scripts are long: not even looked at.
                if own[numbers.get(node.parent, 0)] & unseen:  # type: ignore[arg-type]
                    continue
                is_within_unseen = False
            data = node.data
            if data and not data.isspace():
                parent = numbers.get(node.parent, 0)  # type: ignore[arg-type]
                if not own[parent] & unseen:
                    found.lines.append(_line(data))
                    found.places.append(place)
                    found.parents.append(parent)
    return found


def _outlined(
    tree: Tree, nodes: _Nodes, zones: array[int], chosen: _Heading | None
) -> ProductOutline:
    found = ProductOutline(heading_element=tree.page)
    if chosen is not None:
        found.heading, found.heading_place = chosen.text, chosen.place
        found.heading_element = nodes.elements[chosen.number]
    found.zones = ZonesOfElements(nodes, zones)
    found.images = [
        (place, nodes.elements[number], zones[number])
        for place, number, tag in nodes.noted
        if tag == "img"
    ]
    lesser = [
        (place, nodes.elements[number]) for place, number, tag in nodes.noted if tag in _LESSER
    ]
    found.sections = [place for place, _ in lesser]
    _look_for_others(found, lesser)
    _take_own(found, nodes)
    if not found.buttons and found.others_place != _NOWHERE:
        # What buys it stands behind the recommendations: they do not end what is its own.
        found.others_place = _NOWHERE
        _take_own(found, nodes)
    return found


def _inherited(nodes: _Nodes, holders: list[int]) -> array[int]:
    """The zone of each element, with what those around it hand down."""
    if native.NATIVE is not None:
        handed = native.NATIVE.inherit(nodes.own, nodes.above, holders, INHERITED, _OF_A_PART)
        return array("i", handed)
    zones = nodes.own[:]
    for number in holders:
        zones[number] &= ~_OF_A_PART
    for number, parent in enumerate(islice(nodes.above, 1, None), 1):
        zones[number] |= zones[parent] & INHERITED
    return zones


def _pieces(
    nodes: _Nodes, zones: array[int], end: int = _NOWHERE, away: int = Zone.NONE
) -> list[TextPiece]:
    """Those that stand before a place, in none of these zones."""
    places, parents = nodes.places, nodes.parents
    if native.NATIVE is not None:
        return native.NATIVE.pieces(
            TextPiece, nodes.lines, places, parents, nodes.elements, zones, Zone.FIGURES, end, away
        )
    return [
        TextPiece(
            place,
            text,
            nodes.elements[number],
            zones[number] | Zone.FIGURES * any(map(str.isdecimal, text)),
        )
        for place, text, number in zip(places, nodes.lines, parents, strict=True)
        if place < end and not zones[number] & away
    ]


def _more_than_a_class(element: Element) -> str | None:
    """Of what has an id, a style or a name that the shop's own tests go by, which say what is what
    where classes are hashes: that name. All others need not be asked for any of these."""
    if not element.matches(_MORE):
        return None
    return next((said for name in _TEST_NAMES if (said := element.attr(name)) is not None), "")


_TEST_NAMES: Final = ("data-hook", "data-test", "data-testid", "data-test-id", "data-automation-id")
_TESTED: Final = ",".join(f"[{name}]" for name in _TEST_NAMES)
_MORE: Final = f"[id],[hidden],[style],{_TESTED}"


def _take_own(found: ProductOutline, nodes: _Nodes) -> None:
    end, zones = found.others_place, found.zones.zones
    found.own = _pieces(nodes, zones, end, AWAY_FROM_IT)
    found.buttons = [
        Button(place, text, is_off, zones[number])
        for place, number, text, is_off in nodes.links
        if not found.is_away(place, zones[number])
    ]
    for place, number, tag in nodes.noted:
        if tag in _BUTTONS and not found.is_away(place, zones[number]):
            said = _on_button(nodes, number)
            if said is not None:
                found.buttons.append(Button(place, *said, zones[number]))
    found.buttons.sort(key=lambda button: button.place)


def _line(data: str) -> str:
    """As `one_line`, which is seldom needed: most texts are one already."""
    text = data.strip()
    if len(text) > _LONGEST or "\n" in text or "  " in text or "\t" in text:
        return one_line(text, _LONGEST)
    return text


_BUTTONS: Final = frozenset({"input", "button"})
_LESSER: Final = frozenset({"h2", "h3", "h4", "h5"})
_NOTED: Final = _LESSER | _BUTTONS | {"img", "h1"}
_OF_TAGS: Final = {
    tag: TAGS.get(tag, 0) | (tag in PLAIN) << 24 | (tag in _NOTED) << 25 | (tag in ROOTS) << 26
    for tag in (*TAGS, *PLAIN, *_NOTED, *ROOTS)
}
"""The same for `native/walk.c`: the zone, and above it what else it is."""


class _Heading(NamedTuple):
    place: int
    number: int
    text: str


def _choose_heading(nodes: _Nodes, zones: array[int], title: str) -> _Heading | None:
    """The first that is neither the shop's name nor another product's: the title tells it apart."""
    known = title.lower()
    elements = nodes.elements

    def rank(heading: tuple[int, int, str]) -> tuple[bool, bool, bool, bool, int]:
        _, number, tag = heading
        zone = zones[number]
        text = one_line(elements[number].text, 500).lower()
        is_named = len(text) > 3 and text in known and text != known.rpartition(" | ")[2]
        is_away = bool(zone & AWAY_FROM_IT)
        # The title has the shop's name too: that is the shorter one.
        return (
            not is_named and is_away,
            tag != "h1",
            not is_named,
            bool(zone & Zone.HIDDEN),
            -len(text) if is_named else 0,
        )

    firsts = [each for each in nodes.noted if each[2] == "h1"]
    others = [each for each in nodes.noted if each[2] in _LESSER][:30]
    for place, number, tag in sorted([*firsts, *others], key=rank):
        text = one_line(elements[number].text, 500)
        if not text and (image := elements[number].find("img")) is not None:
            text = one_line(image.attr("alt") or "", 500)
        is_named = text.lower() in known and len(text) > 3
        if text and (tag == "h1" or (is_named and not zones[number] & AWAY_FROM_IT)):
            return _Heading(place, number, text)
    return None


def _look_for_others(found: ProductOutline, lesser: list[tuple[int, Element]]) -> None:
    for place, element in lesser:
        if place > found.heading_place:
            text = one_line(element.text, 80).lower()
            if len(text) <= 60 and OTHERS.within(text):
                found.others_place = place
                return


def _on_button(nodes: _Nodes, number: int) -> tuple[str, bool] | None:
    """What a button says that buys something, and whether it is switched off."""
    if number not in nodes.said:
        nodes.said[number] = _read_button(nodes.elements[number])
    return nodes.said[number]


def _read_button(element: Element) -> tuple[str, bool] | None:
    if element.tag == "input":
        if (element.attr("type") or "").lower() not in ("submit", "button", "image"):
            return None
        text = element.attr("value") or element.attr("alt") or ""
    else:
        text = element.text
        if not text or text.isspace():
            text = element.attr("aria-label") or element.attr("title") or ""
    text = one_line(text, 80)
    names = " ".join(element.attr(name) or "" for name in ("name", "id", "class")).lower()
    if (len(text) <= _LONGEST_BUTTON and CART.within(text.lower())) or _CART_NAMES.within(names):
        is_off = element.attr("disabled") is not None or element.attr("aria-disabled") == "true"
        return text, is_off or _OFF_NAMES.search(names) is not None
    return None


def _offering_links(nodes: _Nodes) -> list[tuple[int, int, str, bool]]:
    """Links and what else is dressed as a button, as place, number, text and whether it is switched
    off: only their text tells."""
    short = [text if len(text) <= _LONGEST_BUTTON else "" for text in nodes.lines]
    found = []
    for index in CART.lines_within(joined(short)):
        place, number, text = nodes.places[index], nodes.parents[index], nodes.lines[index]
        element = nodes.elements[number]
        if element.tag not in _NO_BUTTONS and element.closest("button") is None:
            is_off = _OFF_NAMES.search((element.attr("class") or "").lower()) is not None
            found.append((place, number, text, is_off))
    return found
