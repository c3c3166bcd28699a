"""What is a page marked with? Its links, and the elements that say something about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from turbohtml import Namespace


class Tagged(Protocol):
    """An element, of a tree or without one."""

    @property
    def tag(self) -> str: ...

    @property
    def namespace(self) -> Namespace: ...

    @property
    def text(self) -> str: ...

    @property
    def ancestors(self) -> Iterable[object]: ...

    def attr(self, name: str, /) -> str | None: ...


class Markings(Protocol):
    @property
    def root(self) -> Tagged: ...

    @property
    def found(self) -> Mapping[str, Sequence[Tagged]]:
        """By tag, in document order."""

    @property
    def dated(self) -> Sequence[Tagged]:
        """Elements of any tag with a date for a property, and abbreviations with a title, in
        document order."""

    def targets(self) -> list[str]:
        """The hrefs of all anchors as written, without fragments, in document order. Those that
        are nothing but a fragment may be among them, as an empty text."""

    def qualified(self) -> list[tuple[str, str]]:
        """The rel and the href of all anchors and areas that have a rel."""
