"""Into which pieces does a page divide, for those who search by meaning? By its headings: one with
all that stands below it, as long as that is not too long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from tenax.page.reading.markdown import MARK, Heading

SMALLEST = 100
"""Characters: less would be no text."""
_LINE = re.compile(r"(#{1,6}) ")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


class Chunk(Struct, frozen=True):
    text: str
    """Markdown, with the heading it begins with."""
    path: tuple[str, ...]
    """The headings it stands under, from the page's down to its own."""
    anchor: str
    """The fragment of the page's address that leads to it; empty where none does."""


class _PagePart(Struct, frozen=True):
    level: int
    """Of its heading; 0 for what stands before the first."""
    title: str
    anchor: str
    lines: tuple[str, ...]
    """Its own, without those of the sections below it."""

    @property
    def length(self) -> int:
        return sum(len(line) + 1 for line in self.lines)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


def divide(marked: str, headings: Sequence[Heading], most: int) -> list[Chunk]:
    """Pieces of so many characters at most, in the order of the page. `marked` has a mark in each
    heading."""
    return list(_pieces(_sections(marked, headings), (), max(most, SMALLEST)))


def _sections(marked: str, headings: Sequence[Heading]) -> list[_PagePart]:
    lines = marked.split("\n")
    starts = [0, *(n for n, heading in _headings(lines) if n), len(lines)]
    return [_section(lines[start:end], headings) for start, end in pairwise(starts) if end > start]


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, (line, is_code) in enumerate(_with_code(lines)):
        if not is_code and _LINE.match(line):
            yield number, line


def _with_code(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a listing."""
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            yield line, True
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        else:
            fence = found[1] if found else ""
            yield line, bool(fence)


def _section(lines: Sequence[str], headings: Sequence[Heading]) -> _PagePart:
    first = _LINE.match(lines[0])
    mark = MARK.search(lines[0])
    clean = tuple(MARK.sub("", line) for line in lines)
    if first is None:
        return _PagePart(0, "", "", clean)
    known = mark is not None and mark[1].isdecimal() and int(mark[1]) < len(headings)
    heading = headings[int(mark[1])] if known and mark else Heading(clean[0].lstrip("# "), "")
    return _PagePart(len(first[1]), heading.title, heading.anchor, clean)


def _pieces(sections: Sequence[_PagePart], above: tuple[str, ...], most: int) -> Iterator[Chunk]:
    for family in _families(sections):
        head = family[0]
        path = (*above, head.title) if head.title else above
        if sum(section.length for section in family) <= most:
            if _says_something(family):
                yield Chunk("\n\n".join(s.text for s in family if s.text), path, head.anchor)
            continue
        if _says_something((head,)):
            for text in _cut(head.text, most):
                yield Chunk(text, path, head.anchor)
        yield from _pieces(family[1:], path, most)


def _families(sections: Sequence[_PagePart]) -> Iterator[Sequence[_PagePart]]:
    """Each section with those below it."""
    start = 0
    for number, section in enumerate(sections):
        top = sections[start].level
        if number > start and (section.level <= top or top == 0):
            yield sections[start:number]
            start = number
    if sections:
        yield sections[start:]


def _says_something(family: Sequence[_PagePart]) -> bool:
    """Whether there is more than headings."""
    return any(line.strip() for s in family for line in s.lines[1 if s.level else 0 :])


def _cut(text: str, most: int) -> Iterator[str]:
    """At blank lines; where one part alone is too long, at its lines, and at words if need be."""
    held = ""
    for block in _blocks(text):
        if len(held) + len(block) + 2 <= most:
            held = f"{held}\n\n{block}" if held else block
            continue
        if held:
            yield held
            held = ""
        if len(block) <= most:
            held = block
        else:
            yield from _cut_block(block, most)
    if held:
        yield held


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, lists, tables and listings: a blank line in a listing does not end it."""
    block: list[str] = []
    for line, is_code in _with_code(text.split("\n")):
        if line.strip() or is_code:
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def _cut_block(block: str, most: int) -> Iterator[str]:
    lines = block.split("\n")
    fence = _FENCE.match(lines[0])
    before, after = "", ""
    if fence:
        # Each piece of a listing is a listing.
        before, after = f"{lines[0]}\n", f"\n{fence[1]}"
        lines = lines[1:-1] if _FENCE.match(lines[-1]) else lines[1:]
    room = max(most - len(before) - len(after), SMALLEST // 2)
    held = ""
    for piece in (part for line in lines for part in _cut_line(line, room)):
        if held and len(held) + len(piece) + 1 > room:
            yield f"{before}{held}{after}"
            held = piece
        else:
            held = f"{held}\n{piece}" if held else piece
    if held:
        yield f"{before}{held}{after}"


def _cut_line(line: str, room: int) -> Iterator[str]:
    while len(line) > room:
        at = line.rfind(" ", room // 2, room)
        at = room if at < 0 else at
        yield line[:at]
        line = line[at:].lstrip()
    yield line
