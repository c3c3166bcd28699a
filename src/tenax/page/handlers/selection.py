"""What did a selector find on a page? Text and attributes, empty where there is nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from turbohtml import Element, Text

_SILENT = ("script", "style", "template", "noscript")


class Selection:
    """The elements that a selector found, in document order. It is never None: what is not there
    has no text, no attributes, and is false."""

    __slots__ = ("_found",)

    def __init__(self, found: Sequence[Element | str] = ()) -> None:
        self._found = tuple(found)

    @property
    def text(self) -> str:
        """The text of the first of them, white space collapsed; empty when there is none."""
        return _text(self._found[0]) if self._found else ""

    @property
    def texts(self) -> list[str]:
        """The text of each of them that has any."""
        return [text for each in self._found if (text := _text(each))]

    @property
    def html(self) -> str:
        """The source of the first of them, as the parser understood it."""
        first = self._found[0] if self._found else ""
        return first if isinstance(first, str) else first.html

    @property
    def tag(self) -> str:
        """The name of the first element: `a`; empty when there is none."""
        first = self._found[0] if self._found else ""
        return "" if isinstance(first, str) else first.tag

    @property
    def first(self) -> Selection:
        """The first of them alone."""
        return Selection(self._found[:1])

    def attr(self, name: str) -> str:
        """An attribute of the first of them, as written; empty when there is none."""
        first = self._found[0] if self._found else ""
        return "" if isinstance(first, str) else (first.attr(name) or "").strip()

    def attrs(self, name: str) -> list[str]:
        """That attribute of each of them that has it."""
        return [value for each in self for value in [each.attr(name)] if value]

    def css(self, selector: str) -> Selection:
        """What a CSS selector finds inside of them. Raises `ValueError` where it is none."""
        return Selection([e for each in self._elements() for e in each.select(selector)])

    def xpath(self, expression: str) -> Selection:
        """What an XPath 1.0 expression finds, asked of each of them: elements, or texts."""
        return Selection([e for each in self._elements() for e in as_found(each.xpath(expression))])

    def all(self) -> list[Selection]:
        """Each of them, as a selection of its own."""
        return list(self)

    def __iter__(self) -> Iterator[Selection]:
        return (Selection((each,)) for each in self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __bool__(self) -> bool:
        return bool(self._found)

    @overload
    def __getitem__(self, place: int) -> Selection: ...
    @overload
    def __getitem__(self, place: slice) -> Selection: ...
    def __getitem__(self, place: int | slice) -> Selection:
        if isinstance(place, slice):
            return Selection(self._found[place])
        return Selection((self._found[place],))

    def __repr__(self) -> str:
        return f"<Selection of {len(self)}: {self.html[:60]!r}>" if self else "<Selection of 0>"

    def _elements(self) -> Iterator[Element]:
        return (each for each in self._found if not isinstance(each, str))


def as_found(answer: object) -> list[Element | str]:
    """What XPath answers: elements, texts, or a single number or truth."""
    if isinstance(answer, bool):
        return [str(answer).lower()]
    if isinstance(answer, int | float):
        return [f"{answer:g}"]
    if isinstance(answer, str):
        return [answer]
    found: list[Element | str] = []
    for each in answer if isinstance(answer, list | tuple) else ():
        if isinstance(each, Element | str):
            found.append(each)
        elif isinstance(each, Text):
            found.append(each.data)
    return found


def _text(found: Element | str) -> str:
    if isinstance(found, str):
        return " ".join(found.split())
    if found.tag in _SILENT or not found.select("script,style,template,noscript"):
        return " ".join(found.text.split())
    return " ".join(_shown(found).split())


def _shown(element: Element) -> str:
    """Without what is written for machines."""
    return "".join(
        node.data
        for node in element.descendants
        if isinstance(node, Text) and getattr(node.parent, "tag", "") not in _SILENT
    )
