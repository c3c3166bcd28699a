"""Was the compiled half of this room built? It is faster, and never says anything else.

Installing Tenax builds it from `native/` where there is a C compiler. Without, everything that it
does is done in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from importlib import import_module
from typing import Protocol, cast

from turbohtml import Element, Node

Row = tuple[str, dict[str, str], str | None, bool]
"""An element: its tag, its attributes that anybody asks for, its text where that is asked for,
whether it stands in an article."""
Rel = tuple[str, str | None]
Told = tuple[list[Row], list[str], list[Rel], list[Rel], bytes, bytes, int]
"""Elements; hrefs without fragments; anchors, then areas, that have a rel; the main text in UTF-8,
as it is and with every text node on a line of its own, and about how many words it has."""

Walked = tuple[
    list[Element],
    dict[Element, int],
    list[int],
    list[int],
    list[tuple[int, int, str]],
    list[tuple[int, str, int]],
]
"""The fields of `product.outline._Nodes`."""


class Native(Protocol):
    def scan(self, body: bytes, frame_names: Set[str], landmark_roles: Set[str], /) -> Told | None:
        """What a page in UTF-8 holds; None when only its tree can tell."""

    def bare(self, written: bytes, /) -> bytes:
        """`text.bare`."""

    def simhash(
        self, bare: bytes, tables: tuple[bytes, ...], dense: bytes, of_figures: bytes, /
    ) -> int | None:
        """`similar.simhash`, with the tables that it cuts by."""

    def sketch(self, sampled: bytes, table: bytes, own: bytes, /) -> tuple[int, ...]:
        """`sketch.sketch`, with the table that it cuts by, and hashes of four bytes each."""

    def needles(self, words: tuple[bytes, ...], /) -> object:
        """These words in lower case, made ready to be looked for."""

    def held(self, needles: object, text: str | bytes, /) -> list[int]:
        """`needles.Needles.within`."""

    def shown(self, needles: object, body: bytes, /) -> bool:
        """`needles.Needles.is_shown`."""

    def told_by(self, body: bytes, /) -> int:
        """`for_sale._told_by`."""

    def priced(self, body: bytes, /) -> int:
        """`for_sale._priced`."""

    def walk(
        self,
        nodes: Iterable[Node],
        page: Element,
        most: int,
        types: tuple[type, type],
        tags: tuple[dict[str, int], frozenset[str], frozenset[str]],
        asked: tuple[Callable[[str, str], int], Callable[[str], int], Callable[[str], str]],
        more: dict[Element, str],
        /,
    ) -> Walked:
        """`product.outline._walk`, with the types of its nodes, the tables and the functions that
        it asks."""

    def inherit(
        self, own: list[int], above: list[int], holders: set[int], handed_down: int, lost: int, /
    ) -> list[int]:
        """`product.outline._inherited`."""


def _load() -> Native | None:
    try:
        return cast(Native, import_module("tenax.page._native"))
    except ImportError:
        return None


NATIVE = _load()
