"""Which pieces of a page's text are its own? `text.main_region`, for a page that has no tree.

It goes by the same rules, as far as these ask what an element is and what it lies in. Where parts
that were taken away would have to be put back, only the tree can tell.
"""

from __future__ import annotations

from typing import NamedTuple

from tenax.page.text import LANDMARK_ROLES, LAYOUT_CHILDREN, LAYOUT_TAGS, MOST_LANDMARKS

_ROOTS = frozenset({"html", "body"})
_THE_PAGE = frozenset({"html", "body", "main"})
_ASIDE = frozenset({"nav", "aside"})
_FRAME = frozenset({"header", "footer"})
_GLANCE = 64

Pieces = list[tuple[int, int]]


class Span(NamedTuple):
    """An element and where its text stands. Those inside it come next, up to `last`."""

    tag: str
    start: int
    end: int
    last: int
    level: int
    """1 for a child of the body, 2 for a child of such a child."""
    parent: int
    """Which span it is a child of, where it has a level."""
    nodes: int
    """Its children, but for scripts and the like."""
    hidden: bool
    in_section: bool
    unseen: bool
    """It lies in something that is never shown."""
    is_framed: bool
    """Its class or id says that it is part of the page's frame."""
    role: str | None


def main_pieces(text: bytes, spans: list[Span]) -> Pieces | None:
    """Where the main text stands; None when only the tree can tell. The first span is the body."""
    if len(spans) == 1:
        return _told(text, [(spans[0].start, spans[0].end)])
    seen = [(n, span) for n, span in enumerate(spans) if not span.unseen]
    cut = {n for n, span in seen if span.hidden and span.tag not in _ROOTS}
    roles = [(n, s.role.strip().lower()) for n, s in seen if s.role is not None and n not in cut]
    mains = [n for n, span in enumerate(spans) if span.tag == "main"]
    mains = mains or [n for n, role in roles if role == "main"]
    main = mains[0] if len(mains) == 1 else None
    cut.update([n for n, span in seen if span.tag in _ASIDE and n != main])
    marked = [n for n, role in roles if role in LANDMARK_ROLES]
    cut.update([n for n in marked if spans[n].tag not in _THE_PAGE and n != main])
    if main is not None and not _lies_in(main, cut, spans):
        inside = range(main + 1, spans[main].last)
        cut.update([n for n, span in seen if span.tag == "footer" and n in inside])
        return _told(text, _without(main, cut, spans))
    frame = [n for n, span in seen if span.tag in _FRAME]
    if len(frame) > MOST_LANDMARKS:
        return None
    cut.update([n for n in frame if n != main and not spans[n].in_section])
    return _without_frame(text, cut, spans)


def _without_frame(text: bytes, cut: set[int], spans: list[Span]) -> Pieces | None:
    named = _named_as_frame(cut, spans)
    rest = _without(0, cut.union(named), spans)
    if named and sum(_length(text, _without(n, cut, spans)) for n in named) > _length(text, rest):
        return None
    articles = [n for n, span in enumerate(spans) if span.tag == "article"]
    if len(articles) == 1 and not _lies_in(articles[0], cut.union(named), spans):
        own = _without(articles[0], cut, spans)
        if _length(text, own) * 2 >= _length(text, rest) and _told(text, own) is not None:
            return own
    return _told(text, rest)


def _named_as_frame(cut: set[int], spans: list[Span]) -> list[int]:
    """Blocks near the top of the layout whose id or class says header, menu, sidebar, footer."""
    if not any(span.is_framed for span in spans):
        return []
    named: list[int] = []
    wrappers = [0]
    for level in (1, 2):
        inner: list[int] = []
        for wrapper in wrappers:
            blocks = [n for n, s in enumerate(spans) if s.level == level and s.parent == wrapper]
            left = [n for n in blocks if n not in cut]
            if spans[wrapper].nodes - (len(blocks) - len(left)) <= LAYOUT_CHILDREN:
                for n in left:
                    if spans[n].tag in LAYOUT_TAGS:
                        (named if spans[n].is_framed else inner).append(n)
        wrappers = inner[:LAYOUT_CHILDREN]
    return named


def _lies_in(n: int, cut: set[int], spans: list[Span]) -> bool:
    return spans[n].unseen or any(c <= n < spans[c].last for c in cut)


def _without(n: int, cut: set[int], spans: list[Span]) -> Pieces:
    """The text of a span without what is cut out of it."""
    pieces: Pieces = []
    at, last = spans[n].start, spans[n].last
    for c in sorted(cut):
        if n < c < last and spans[c].end > at:
            if spans[c].start > at:
                pieces.append((at, spans[c].start))
            at = spans[c].end
    if spans[n].end > at:
        pieces.append((at, spans[n].end))
    return pieces


def _told(text: bytes, pieces: Pieces) -> Pieces | None:
    """None where there is nothing to read."""
    for start, end in pieces:
        # Nearly always there is a letter among the first.
        if text[start : min(end, start + _GLANCE)].decode(errors="ignore").strip():
            return pieces
    return pieces if any(text[start:end].decode().strip() for start, end in pieces) else None


def _length(text: bytes, pieces: Pieces) -> int:
    return sum([len(text[start:end].decode()) for start, end in pieces])
