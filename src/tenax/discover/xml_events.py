"""What is in an XML document of items, when nothing about it can be trusted?

Expat reads it in pieces, without namespaces: a prefix that is not declared, or declared wrongly,
is the commonest fault of such documents and the least important one. Entities are not expanded,
and depth, names and the length of a single tag are bounded.
"""

from __future__ import annotations

from contextlib import suppress
from html import unescape
from typing import Any, Protocol
from xml.parsers import expat

from tenax.discover.gathered import Stopped
from tenax.urls.normalise import resolve

BROKEN = expat.ExpatError
_DEEPEST = 200
_MOST_NAMES = 1_000
_LONGEST_TAG = 262_144
_LONGEST_TEXT = 4_096
_ITEM, _LINK = "(item)", "(link)"

Attributes = dict[str, str]


class DocumentForm(Protocol):
    """What documents of one form are made of, and what is made of their items."""

    items: frozenset[str]
    """The names of items, without prefix, in lower case."""
    texts: frozenset[str]
    """Elements of an item whose text is wanted; of another prefix than the item's after a colon."""
    nested: frozenset[str]
    """Those of them that may stand deeper inside the item."""

    def began(self, name: str, attributes: Attributes, base: str) -> None: ...

    def linked(self, attributes: Attributes, base: str, is_inside: bool) -> bool:
        """A link was met; False when its text is to be taken instead of its attributes."""

    def said(self, name: str, text: str, attributes: Attributes, base: str) -> None: ...

    def ended(self) -> None: ...


class XmlOutline:
    """Feeds a parser and tells a form what it meets."""

    def __init__(self, form: DocumentForm, url: str, most_tags: int) -> None:
        self._form = form
        self._url = url
        self._most_tags = most_tags
        self._keys: dict[str, str] = {}
        self._attribute_names: set[str] = set()
        self._own: set[str] = set()
        """The prefixes of the root and of the items."""
        self.restart()

    def restart(self) -> None:
        """Begin anew with another parser: what was met so far stays met."""
        self._tags = 0
        self._depth = 0
        self._item = 0
        """The depth of the item that is open, or 0."""
        self._taken = 0
        """The depth of the element whose text is being taken, or 0."""
        self._name = ""
        self._attributes: Attributes = {}
        self._texts: list[str] = []
        self._room = 0
        self._bases: list[tuple[int, str]] = [(0, self._url)]
        self._fed = 0
        self._parser: Any = self._make_parser()

    def feed(self, piece: bytes) -> None:
        """Read on. Raises `Stopped`, and `BROKEN` where it is not well-formed."""
        self._parser.Parse(piece)
        self._fed += len(piece)
        # Expat reads a tag that has not ended from its beginning, each time there is more of it.
        if self._fed - self._parser.CurrentByteIndex > _LONGEST_TAG:
            raise Stopped(f"a single tag or comment of more than {_LONGEST_TAG // 1024} KB")

    def close(self) -> bool:
        """There is no more of it; False when it was cut off."""
        is_whole = True
        try:
            self._parser.Parse(b"", True)
        except BROKEN:
            is_whole = False
        self.settle()
        return is_whole

    def settle(self) -> None:
        """Keep what is known of an item that will not be read to its end."""
        if self._item:
            self._item = 0
            with suppress(Stopped):
                self._form.ended()

    def _make_parser(self) -> Any:
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        # Entities nobody declared (&nbsp;) are handed over instead of ending everything.
        parser.UseForeignDTD(True)
        if hasattr(parser, "SetReparseDeferralEnabled"):
            # Tags are bounded here, and earlier.
            parser.SetReparseDeferralEnabled(False)
        parser.StartElementHandler = self._opened
        parser.EndElementHandler = self._closed
        parser.EntityDeclHandler = _refuse_entities
        parser.AttlistDeclHandler = _refuse_declarations
        parser.ElementDeclHandler = _refuse_declarations
        parser.NotationDeclHandler = _refuse_declarations
        return parser

    def _opened(self, name: str, attributes: Attributes) -> None:
        self._count()
        depth = self._depth = self._depth + 1
        key = self._keys.get(name)
        if key is None:
            key = self._learn(name)
        if attributes:
            if not attributes.keys() <= self._attribute_names:
                self._meet(attributes)
            if "xml:base" in attributes:
                self._rebase(attributes["xml:base"])
        if depth > _DEEPEST:
            raise Stopped(f"tags nested more than {_DEEPEST} deep")
        if not key or self._taken:
            return
        item = self._item
        if key is _ITEM:
            if not item:
                self._begin_item(name, attributes)
        elif key is _LINK:
            if not item or depth == item + 1:
                is_done = self._form.linked(attributes, self._bases[-1][1], item != 0)
                if not is_done and item:
                    self._take("link", attributes)
        elif item and (depth == item + 1 or key in self._form.nested):
            self._take(key, attributes)

    def _closed(self, _name: str) -> None:
        depth = self._depth
        self._depth = depth - 1
        base = self._bases[-1][1]
        if depth == self._bases[-1][0]:
            self._bases.pop()
        if depth == self._taken:
            self._taken = 0
            self._listen(False)
            self._form.said(self._name, "".join(self._texts), self._attributes, base)
        elif depth == self._item:
            self._item = 0
            self._form.ended()

    def _take(self, key: str, attributes: Attributes) -> None:
        self._taken = self._depth
        self._name, self._attributes = key, attributes
        self._texts = []
        self._room = _LONGEST_TEXT
        self._listen(True)

    def _text(self, data: str) -> None:
        if not self._texts:
            data = data.lstrip()
        if data and self._room > 0:
            self._texts.append(data[: self._room])
            self._room -= len(data)
            if self._room <= 0:
                self._listen(False)

    def _skipped(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            self._count()
            self._text(unescape(f"&{name[:40]};"))

    def _listen(self, is_wanted: bool) -> None:
        """Text that nobody takes never reaches Python."""
        self._parser.CharacterDataHandler = self._text if is_wanted else None
        self._parser.SkippedEntityHandler = self._skipped if is_wanted else None

    def _count(self) -> None:
        self._tags += 1
        if self._tags > self._most_tags:
            raise Stopped(f"more than {self._most_tags:,} tags; the rest was not read")

    def _begin_item(self, name: str, attributes: Attributes) -> None:
        self._item = self._depth
        prefix, _, local = name.rpartition(":")
        if prefix not in self._own and len(self._own) < 4:
            self._own.add(prefix)
            self._keys.clear()
        self._form.began(local.lower(), attributes, self._bases[-1][1])

    def _learn(self, name: str) -> str:
        """What the element means to the form; nothing, mostly."""
        if len(self._keys) >= _MOST_NAMES:
            raise Stopped(f"more than {_MOST_NAMES:,} different tags")
        prefix, _, local = name.rpartition(":")
        local = local.lower()
        if not self._own:
            self._own.add(prefix)
        if local in self._form.items:
            key = _ITEM
        elif local == "link":
            key = _LINK
        else:
            key = local if prefix in self._own else f":{local}"
            key = key if key in self._form.texts else ""
        self._keys[name] = key
        return key

    def _meet(self, attributes: Attributes) -> None:
        self._attribute_names |= attributes.keys()
        if len(self._attribute_names) > _MOST_NAMES:
            raise Stopped(f"more than {_MOST_NAMES:,} different attributes")

    def _rebase(self, base: str) -> None:
        absolute = resolve(base, self._bases[-1][1])
        if absolute and absolute.startswith(("http://", "https://")):
            self._bases.append((self._depth, absolute))


def attribute(attributes: Attributes, name: str) -> str:
    """The value of an attribute however its name is written; empty when it is not there."""
    value = attributes.get(name)
    if value is None and attributes:
        lower = name.lower()
        value = next((value for key, value in attributes.items() if key.lower() == lower), None)
    return value or ""


def _refuse_entities(*_: Any) -> None:
    raise Stopped("uses XML entities")


def _refuse_declarations(*_: Any) -> None:
    raise Stopped("declares its own document type")
