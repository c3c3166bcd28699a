"""How large may the tree of a page become, at most? Told by its bytes, before it is built.

Formatting left open (`<b>`, `<font color=red>`) is opened again in every block behind it. So
every tag counts once, and once more for each formatting element that may be open. What a script, a
comment or a quoted value seems to hold counts too, and an element is over only where that is
certain: the count is never too small (decision 0032). `native/bounds.c` says the same, sooner.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from tenax.page import native
from tenax.page.charset import decode
from tenax.page.scan import Scanned, is_small, scan

MOST_NODES: Final = 600_000
"""Of a tree that is built: about 60 MB of it, and less than two seconds. Real pages rarely have
more than 50,000."""

_MOST_ENTRIES: Final = 64
# Open elements that the end of formatting surely reaches through (the standard gives up after
# eight), and elements that a misplaced one copies: eight rounds of four.
_MOST_WITHIN, _REPAIR = 6, 32
# Equal formatting elements that are opened again, at most ("Noah's Ark").
_ARK, _MOST_SHAPES = 3, 16
_MOST_RUNS: Final = 16  # times the page: what is read of tags that have no clear end
# Attributes, and bytes of a tag outside of quotes, that count like one node: each of these may be a
# mistake, and the parser notes them all.
_PER_NODE, _PER_MARK = 4, 8
_ENDLESS: Final = 1 << 40

_FORMAT, _BLOCK, _PARAGRAPH, _ITEM = "format", "block", "paragraph", "item"
_HEADING, _PHRASE, _VOID, _RAW = "heading", "phrase", "void", "raw"
_TABLE, _CELL, _PART = "table", "cell", "part"
_DRAWING, _MERGED, _DOUBT, _ORDINARY = "drawing", "merged", "doubt", "ordinary"
_KINDS: Final = {
    name.encode(): kind
    for kind, names in {
        _FORMAT: "a b big code em font i nobr s small strike strong tt u",
        _BLOCK: "address article aside blockquote center details dialog dir div dl fieldset"
        " figcaption figure footer header hgroup main menu nav ol pre section summary ul",
        _PARAGRAPH: "p",
        _ITEM: "dd dt li",
        _HEADING: "h1 h2 h3 h4 h5 h6 listing",
        _PHRASE: "ruby span sub sup var",
        _VOID: "area base br col embed frame hr img input link meta param source track wbr",
        _RAW: "desc iframe noembed noframes script style textarea title xmp",
        _TABLE: "table",
        _CELL: "caption td th",
        _PART: "colgroup tbody tfoot thead tr",
        _DRAWING: "svg",
        _MERGED: "body html",
        _DOUBT: "annotation-xml applet foreignobject frameset head marquee math mi mn mo ms mtext"
        " object plaintext select template",
    }.items()
    for name in names.split()
}
_IN_DRAWINGS = frozenset({_RAW, _ORDINARY, _DRAWING})
_TABLED = frozenset({_TABLE, _CELL, _PART})
_INLINE = frozenset({_FORMAT, _ORDINARY, _PHRASE})
_BLOCKS = frozenset({_BLOCK, _PARAGRAPH, _ITEM, _HEADING})
_THROUGH: Final = {
    _PARAGRAPH: _INLINE,
    _ITEM: _INLINE,
    _BLOCK: _INLINE | _BLOCKS,
    _CELL: _INLINE | _BLOCKS,
    _PART: _INLINE | _BLOCKS | {_CELL, _PART},
    _TABLE: _INLINE | _BLOCKS | {_CELL, _PART},
}
"""What an end tag of such a kind closes on its way to the element that it names."""

_NAME = re.compile(rb"[A-Za-z][^>/ \n\t\f\r]*")
_BLANK = b" \n\t\f\r"
_ODD = re.compile(rb"[\x00\x80-\xff]")
_TAGS_IN_COMMENT = re.compile(rb"!--[^>-].", re.DOTALL)
_NO_ASCII = frozenset({"utf-16le", "utf-16be", "iso-2022-jp"})
"""Charsets in which a byte that looks like `<` may be something else, or the other way round."""


def why_too_large(body: bytes, charset: str, scanned: Scanned | None = None) -> str:
    """Why no tree is built of a body; empty where one is. What was `scanned` is not counted."""
    if is_small(scanned, MOST_NODES) or (count := most_nodes(body, charset)) <= MOST_NODES:
        return ""
    if scanned is None and is_small(scan(body, charset), MOST_NODES):
        return ""
    told = f"{count:,}" if count < _ENDLESS else "no end of"
    return f"a tree of up to {told} nodes, more than {MOST_NODES:,}"


def most_nodes(body: bytes, charset: str) -> int:
    """How many nodes the tree of a page has, at most."""
    if charset in _NO_ASCII or body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        body = decode(body, charset).encode("utf-8", "replace")
    if native.NATIVE is not None:
        return native.NATIVE.tree_bound(body)
    return tree_bound(body)


def tree_bound(body: bytes) -> int:
    """`most_nodes` of ASCII and whatever is written like it, in Python."""
    bounds = _Bounds(body)
    at = body.find(b"<")
    while at >= 0:
        following = body.find(b"<", at + 1)
        bounds.take(at + 1, following if following >= 0 else len(body))
        at = following
    return bounds.count


class _Entry(Struct):
    """An element that is open, as far as we can be certain of it."""

    name: bytes
    kind: str
    tag: bytes = b""
    weight: int = 0
    """What it takes each time that it is opened again."""
    kept: int = 0
    """How many of its name had stayed open before it."""


class _Tag(Struct):
    end: int = -1  # where its `>` is, if that is certain
    attributes: int = 0
    bare: int = 0
    """Bytes outside of quotes."""
    closes_itself: bool = False


class _Bounds:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self._open: list[_Entry] = []
        self._drawings = 0
        self._aside: tuple[int, list[_Entry], int] | None = None
        self._again = 0
        self._heaviest = 1
        self._merged = 0
        self._runs = len(body) * _MOST_RUNS
        self._read = 0
        self._kept: dict[bytes, int] = {}
        self._plain: dict[bytes, int] = {}
        self._shapes: list[tuple[bytes, int]] = [(b"", 0)] * _MOST_SHAPES
        self._next_shape = 0
        self.count = 4 + body.count(0) // _PER_NODE

    def take(self, at: int, limit: int) -> None:
        """What stands between one `<` and the next."""
        body = self._body
        if self._aside is not None and at > self._aside[0]:
            self._forget()
            _, self._open, self._drawings = self._aside
            self._aside = None
        ends = body[at : at + 1] == b"/" and at < limit
        found = _NAME.match(body, at + ends, limit)
        if found is None:
            if ends or (at < limit and body[at] in b"!?"):
                self._comment(at, limit)
            else:
                self.count += 1
            return
        name, after = found[0].lower(), found.end()
        if after == limit or _ODD.search(name):
            self.count += 2 + self._again
            self._forget()
        elif ends:
            self._end(name, after, limit)
        else:
            self._start(name, found.start(), after, limit)

    def _start(self, name: bytes, at: int, after: int, limit: int) -> None:
        kind = _KINDS.get(name, _ORDINARY)
        tag = _rest_of_tag(self._body, after, limit)
        self.count += 2 + self._again + tag.attributes // _PER_NODE + tag.bare // _PER_MARK
        if kind in (_CELL, _PART, _VOID):
            self.count += 2
        if tag.end < 0:
            self._doubtful(name, kind, after)
            return
        if self._drawings:
            if kind in _IN_DRAWINGS or name == b"a":
                if tag.closes_itself:
                    return
                kind = _ORDINARY if kind == _FORMAT else kind
            else:
                self._forget()
        entry = _Entry(name, kind)
        if kind == _VOID or (kind == _DRAWING and tag.closes_itself):
            return
        if kind == _MERGED:
            self._merge(tag)
        if kind in (_DOUBT, _MERGED) or (kind == _RAW and not self._is_only_text(name, limit)):
            self._forget()
            return
        if kind in (_CELL, _PART):
            self._next_in_table(name)
        if kind == _FORMAT:
            entry.weight = _weight(tag)
            entry.tag = self._body[at : tag.end]
            if name == b"nobr" or (name == b"a" and self._has_anchor()):
                self.count += self._again
                if not self._end_formatting(name):
                    self.count += _REPAIR * self._heaviest
        self._push(entry)

    def _doubtful(self, name: bytes, kind: str, after: int) -> None:
        """A tag of which something else begins before it seems to end."""
        self._forget()
        if self._runs < 0:
            self.count += _ENDLESS
            return
        tag = _rest_of_tag(self._body, after, len(self._body))
        self._runs -= (tag.end if tag.end >= 0 else len(self._body)) - after
        if tag.end < 0:
            return
        if tag.end > self._read:
            self.count += (tag.end - max(after, self._read)) // _PER_MARK
            self._read = tag.end
        if kind == _MERGED:
            self._merge(tag)
        if kind != _FORMAT:
            return
        self._push(_Entry(name, kind, weight=_weight(tag)))
        self._forget()

    def _merge(self, tag: _Tag) -> None:
        """Each such tag copies the attributes of all before it."""
        self._merged += tag.attributes
        self.count += self._merged // _PER_NODE

    def _end(self, name: bytes, after: int, limit: int) -> None:
        kind = _KINDS.get(name, _ORDINARY)
        self.count += 1 + self._again + (kind in (_PARAGRAPH, _VOID))
        tag = _rest_of_tag(self._body, after, limit)
        self.count += tag.bare // _PER_MARK
        if tag.end < 0:
            self._doubtful(name, _ORDINARY, after)
            return
        if kind == _VOID and not self._drawings:
            return
        if self._open and self._open[-1].name == name:
            if self._open[-1].kind == _FORMAT:
                self._end_formatting(name)
            else:
                self._shut(len(self._open) - 1)
            return
        self.count += 1
        if kind == _FORMAT and not self._drawings:
            if self._end_formatting(name):
                return
            self.count += _REPAIR * self._heaviest
        elif not self._drawings and self._close(name, kind):
            return
        self._forget()

    def _close(self, name: bytes, kind: str) -> bool:
        """Close the element that such an end tag surely closes, and what is open in it."""
        depth = self._closed_by(name, kind)
        if depth >= 0 and kind not in _TABLED:
            self._shut(depth)
        elif depth >= 0 and 0 <= self._innermost_table() <= depth:
            self._shut_in_table(depth)
        else:
            return False
        return True

    def _closed_by(self, name: bytes, kind: str) -> int:
        through = _THROUGH.get(kind, frozenset())
        for depth in range(len(self._open) - 1, -1, -1):
            entry = self._open[depth]
            if entry.kind != _FORMAT and entry.name == name:
                return depth
            if entry.kind not in through:
                return -1
        return -1

    def _comment(self, at: int, limit: int) -> None:
        """A comment, a doctype, an instruction, or what is taken for one."""
        self.count += 2 + self._again
        close = self._body.find(b">", at, limit)
        if close >= 0:
            if self._body[at : at + 3] != b"!--" or limit - at < 3:
                if self._body[at : at + 2] != b"![":
                    return
            elif close - at >= 5 and self._body[close - 2 : close] == b"--":
                return
        if _TAGS_IN_COMMENT.match(self._body, at):
            self._set_aside(at + 3)
        else:
            self._forget()

    def _set_aside(self, at: int) -> None:
        """A comment with tags in it: if anything that is open is real, so is the comment, and
        nothing in it counts. So what is open waits until it is over."""
        close = at
        if not self._open:
            return
        while self._aside is None and self._runs >= 0 and close < len(self._body):
            found = self._body.find(b">", close)
            self._runs -= (found if found >= 0 else len(self._body)) - close
            if found < 0:
                break
            close = found + 1
            if found - at >= 2 and self._body[found - 2 : found] == b"--":
                self._aside = close, self._open, self._drawings
                self._open, self._drawings = [], 0
                return
            if found - at >= 3 and self._body[found - 3 : found] == b"--!":
                break
        self._forget()

    def _is_only_text(self, name: bytes, limit: int) -> bool:
        """Whether the text of an element that may hold nothing else ends with its end tag."""
        after = limit + 2 + len(name)
        ending = self._body[limit + 1 : after]
        return after < len(self._body) and (
            ending.lower() == b"/" + name and self._body[after] in b">/" + _BLANK
        )

    def _innermost_table(self) -> int:
        tables = (n for n in range(len(self._open) - 1, -1, -1) if self._open[n].kind == _TABLE)
        return next(tables, -1)

    def _has_anchor(self) -> bool:
        open_around = [] if self._aside is None else self._aside[1]
        return b"a" in self._kept or any(
            entry.kind == _FORMAT and entry.name == b"a" for entry in self._open + open_around
        )

    def _end_formatting(self, name: bytes) -> bool:
        """A formatting element is over, whatever little is open in it."""
        for within, entry in enumerate(reversed(self._open[-_MOST_WITHIN - 1 :])):
            if entry.kind == _FORMAT and entry.name == name:
                # Its end tag ends one of its name, the last of those that are open: of two, one.
                if self._kept.get(name, 0) == entry.kept:
                    self._again -= entry.weight
                else:
                    self._keep(entry)
                if within:
                    self.count += _PER_NODE * (within + 1) * self._heaviest
                del self._open[len(self._open) - 1 - within]
                return True
            if entry.kind in _TABLED or entry.kind == _DRAWING:
                break
        return False

    def _push(self, entry: _Entry) -> None:
        if len(self._open) == _MOST_ENTRIES:
            self._forget()
        self._open.append(entry)
        self._drawings += entry.kind == _DRAWING
        if entry.kind == _FORMAT:
            entry.kept = self._kept.get(entry.name, 0)
            self._again += entry.weight
            self._heaviest = max(self._heaviest, entry.weight)

    def _next_in_table(self, name: bytes) -> None:
        """A row, a cell or another part begins: the cell before it is over, and its like."""
        depth = self._innermost_table() + 1
        while 0 < depth < len(self._open) and self._open[depth].kind == _PART:
            if self._open[depth].name == name:
                break
            depth += 1
        if depth:
            self._shut_in_table(depth)

    def _shut_in_table(self, depth: int) -> None:
        """Close what is open above a place in a table; a cell takes its formatting with it."""
        for place in range(depth, len(self._open)):
            if self._open[place].kind == _CELL:
                self._shut(place, is_cleared=True)
                break
        self._shut(depth)

    def _forget(self) -> None:
        self._shut(0)

    def _shut(self, depth: int, *, is_cleared: bool = False) -> None:
        while len(self._open) > depth:
            entry = self._open.pop()
            self._drawings -= entry.kind == _DRAWING
            if entry.kind == _FORMAT:
                self._again -= entry.weight if is_cleared else 0
                if not is_cleared:
                    self._keep(entry)

    def _keep(self, entry: _Entry) -> None:
        """It stays open for good, unless there are enough like it already."""
        self._kept[entry.name] = self._kept.get(entry.name, 0) + 1
        if entry.weight == 1:
            times = self._plain.get(entry.name, 0)
            self._plain[entry.name] = times + 1
            self._again -= times >= _ARK
            return
        for place, (tag, times) in enumerate(self._shapes):
            if entry.tag and times and tag == entry.tag:
                self._shapes[place] = (tag, times + 1)
                self._again -= entry.weight if times >= _ARK else 0
                return
        self._shapes[self._next_shape] = (entry.tag, 1)
        self._next_shape = (self._next_shape + 1) % _MOST_SHAPES


def _weight(tag: _Tag) -> int:
    return 1 + -(-tag.attributes // _PER_NODE)


_GREATER, _SLASH, _EQUALS = b">/="
_PLAIN_NAME = re.compile(rb"[^> \n\t\f\r/=]*")
_VALUE = re.compile(rb"[^> \n\t\f\r]*")
_BLANKS = re.compile(rb"[ \n\t\f\r]*")
_BETWEEN = re.compile(rb"[ \n\t\f\r/]*")


def _rest_of_tag(body: bytes, at: int, limit: int) -> _Tag:
    """The attributes of a tag, up to `limit`, by the standard's tokenizer."""
    start, attributes, quoted = at, 0, 0
    while True:
        at = _end_of(_BETWEEN, body, at, limit)
        if at < limit and body[at] == _GREATER:
            return _Tag(at, attributes, at - start - quoted, closes_itself=body[at - 1] == _SLASH)
        if at == limit:
            break
        attributes += 1
        # A name may begin with what ends others: `=`.
        at = _end_of(_PLAIN_NAME, body, at + 1, limit)
        value = _end_of(_BLANKS, body, at, limit)
        if value == limit or body[value] != _EQUALS:
            continue
        at = _end_of(_BLANKS, body, value + 1, limit)
        if at < limit and body[at] in b"\"'":
            close = body.find(body[at : at + 1], at + 1, limit)
            if close < 0:
                break
            quoted += close - at
            at = close + 1
            continue
        at = _end_of(_VALUE, body, at, limit)
        if at < limit and body[at] == _GREATER:
            return _Tag(at, attributes, at - start - quoted)
    return _Tag(-1, attributes, limit - start)


def _end_of(pattern: re.Pattern[bytes], body: bytes, at: int, limit: int) -> int:
    found = pattern.match(body, at, limit)
    return at if found is None else found.end()
