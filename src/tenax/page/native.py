"""Is the compiled half of this room used? It is faster, and never says anything else.

Installing Tenax builds it from `native/` where there is a C compiler. Without, and where it is
switched off, everything that it does is done in Python.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast
from zlib import crc32

from msgspec import Struct

from tenax.page import rules

if TYPE_CHECKING:
    from array import array

    from turbohtml import Element, Node

Row = tuple[str, dict[str, str], str | None, bool]
"""An element: its tag, its attributes that anybody asks for, its text where that is asked for,
whether it stands in an article."""
Rel = tuple[str, str | None]
Told = tuple[list[Row], list[str], list[Rel], list[Rel], bytes, bytes, int, int]
"""Elements; hrefs without fragments; anchors, then areas, that have a rel; the main text in UTF-8,
as it is and with every text node on a line of its own, about how many words it has, and how many
nodes a tree of the page, at most."""

Piece = TypeVar("Piece", bound=tuple[Any, ...])
Walked: TypeAlias = (
    "tuple[list[Element], bytes, bytes, list[tuple[int, int, str]], list[str], bytes, bytes]"
)
"""The fields of `product.outline._Nodes`; bytes are numbers of four each."""


STALE = (
    "the compiled reader of pages was built from other sources than those beside it, and is not"
    " used: pages are read in Python, more slowly. Install Tenax again (`make setup` in a clone)."
)

SHARE_VERIFIED = 0.001
"""Of the pages read without a tree, where nobody says otherwise."""


class Verified(Struct):
    """What came of reading pages both ways, in this process."""

    pages: int = 0
    different: int = 0


class Native(Protocol):
    RULES: int
    """A fingerprint of the rules that it was compiled with."""
    CALLS: int
    """One of this file as it was then, which says how it is called and what it answers."""

    def scan(self, body: bytes, /) -> Told | None:
        """What a page in UTF-8 holds; None when only its tree can tell."""

    def bare(self, written: bytes, /) -> bytes:
        """`text.bare`."""

    def simhash(
        self, bare: bytes, tables: tuple[bytes, ...], dense: bytes, of_figures: bytes, /
    ) -> int | None:
        """`similar.simhash`, with the tables that it cuts by."""

    def sketch(self, sampled: bytes, table: bytes, own: bytes, /) -> bytes:
        """`sketch.sketch`, with the table that it cuts by."""

    def heard_first(self, known: array[int], hashes: bytes, place: int, /) -> bytes:
        """`sketch.heard_first`."""

    def of_kind(self, hashes: bytes, kind: int, /) -> bytes:
        """`sketch.of_kind`."""

    def needles(self, words: tuple[bytes, ...], /) -> object:
        """These words in lower case, made ready to be looked for."""

    def held(self, needles: object, text: str | bytes, /) -> list[int]:
        """`for_sale.needles.Needles.within`."""

    def offered(self, needles: object, kinds: bytes, body: bytes, /) -> bool:
        """`for_sale._is_offered`, with the kind of each needle."""

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
        tags: dict[str, int],
        names: tuple[object, bytes, int, int, int, int, int, int, int, int, int],
        asked: tuple[Callable[[str, str], int], Callable[[str], int]],
        more: tuple[str, str, tuple[str, ...]],
        /,
    ) -> Walked:
        """`product.outline._walk`, with the types of its nodes, the tables and the functions that
        it asks, and the selectors of what has more than a class."""

    def inherit(
        self, own: array[int], above: array[int], holders: list[int], handed_down: int, lost: int, /
    ) -> bytes:
        """`product.outline._inherited`."""

    def pieces(
        self,
        kind: type[Piece],
        lines: list[str],
        places: array[int],
        parents: array[int],
        elements: list[Element],
        zones: array[int],
        figures: int,
        end: int,
        away: int,
        /,
    ) -> list[Piece]:
        """`product.outline._pieces`, with the zone of texts that have figures."""

    def tree_bound(self, body: bytes, /) -> int:
        """`bounds.tree_bound`."""

    def distinct(
        self, spelled: list[str], is_dropped: Callable[[str], bool], most: int, /
    ) -> tuple[str, ...]:
        """`links._distinct`, with what it asks of those that name a scheme."""

    def counting(
        self,
        links: tuple[str, ...],
        starts: tuple[str, ...],
        named: str,
        longest: int,
        whole: int,
        /,
    ) -> list[str]:
        """`pager.turning._Here._counting`, with what it knows of the page's own URL."""

    def names_year(self, text: bytes, most: int, /) -> bool:
        """`dates.shown._names_year`."""


def _load() -> Native | None:
    try:
        built = cast(Native, import_module("tenax.page._native"))
    except ImportError:
        return None
    if getattr(built, "RULES", None) == _fingerprint() and _is_called_so(built):
        return built
    # Compiled from other sources than these, it might say something else, or fail at every page.
    warnings.warn(STALE, RuntimeWarning, stacklevel=2)
    return None


def _is_called_so(built: Native) -> bool:
    try:
        return getattr(built, "CALLS", None) == crc32(Path(__file__).read_bytes())
    except OSError:
        # Without a file it came in one piece with what was compiled.
        return True


def _fingerprint() -> int:
    """Of rules.py; `native/header.py` computes it as well, when it is compiled."""
    named = {name: rule for name, rule in vars(rules).items() if name.isupper()}
    return crc32(repr(sorted(named.items())).encode())


def use(*, compiled: bool, verify: float) -> None:
    """From now on pages of this process are read so: by what was compiled, where it was, and this
    share of those that need no tree by their tree, too."""
    global NATIVE, VERIFY
    NATIVE = _load() if compiled else None
    VERIFY = verify


def is_verified(digest: bytes) -> bool:
    """Whether a page is among those that are read both ways: by its digest, so always the same."""
    return int.from_bytes(digest[:4], "big") < VERIFY * 2**32


NATIVE = _load()
VERIFY = SHARE_VERIFIED
VERIFIED = Verified()
