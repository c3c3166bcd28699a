"""Is this one more view of a page that was seen in others? (URL-6)

Shops filter and sort, and choices multiply: colour by size by order makes thousands of URLs of one
path. Whoever has seen some of them without learning anything has seen them all: a view is barren
when it says nothing new and leads to nothing new but other views of the same path. Pages of a list
(`?page=3`) are not judged here: what they have to say may come later.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from msgspec import Struct, field

from tenax.crawl.traps.shape_record import FEW, SOME, YieldPolicy
from tenax.model import Target
from tenax.urls.normalise import path_of

_PATHS = 4_096
_SHOWN = 80
_FIGURES = "0123456789-.,:"


class _AtPath(Struct):
    visits: int = 0
    barren: int = 0
    in_a_row: int = 0
    """Barren ones since the last that was not."""
    tried: set[str] = field(default_factory=set)
    """The names of the parameters they had."""
    told: str = ""
    """Why no more are visited, with the figures as they were at first."""


class Views:
    """The views of a job's paths, as this process has seen them."""

    def __init__(self, policy: YieldPolicy) -> None:
        self._policy = policy
        self._paths: OrderedDict[tuple[str, str], _AtPath] = OrderedDict()

    def refusal(self, host: str, url: str) -> str:
        """Why this is not visited, by its path and query; empty when it may be."""
        path, mark, query = url.partition("?")
        at = self._paths.get((host, path)) if mark else None
        if at is None or at.in_a_row < FEW:
            return ""
        # The first one said something, of course.
        if at.barren < self._policy.fruitless * (at.visits - 1):
            return ""
        names, is_chosen = _chosen(query)
        # What a parameter is good for that was never there is not known.
        if not is_chosen or not names <= at.tried:
            return ""
        at.told = at.told or _waste(path, at)
        return at.told

    def is_doubtful(self, host: str, url: str) -> bool:
        """Whether it may as well wait: half of the views of its path were barren, and there is
        nothing in it that was not tried."""
        path, _, query = url.partition("?")
        at = self._paths.get((host, path))
        if at is None or at.visits < SOME or 2 * at.barren < at.visits:
            return False
        names, is_chosen = _chosen(query)
        return is_chosen and names <= at.tried

    def judge(self, host: str, url: str, found: Iterable[Target], *, says_nothing: bool) -> bool:
        """Count a visit that found these new URLs; whether it was a barren view."""
        path, mark, query = url.partition("?")
        if not mark:
            return False
        at = self._paths.pop((host, path), None) or _AtPath()
        self._paths[host, path] = at
        if len(self._paths) > _PATHS:
            self._paths.popitem(last=False)
        is_barren = says_nothing and all(_is_view(target, host, path) for target in found)
        at.visits += 1
        at.barren += is_barren
        at.in_a_row = at.in_a_row + 1 if is_barren else 0
        if len(at.tried) < _PATHS:
            at.tried |= _chosen(query)[0]
        return is_barren


def _is_view(target: Target, host: str, path: str) -> bool:
    return target.host == host and path_of(target.url).partition("?")[0] == path


def _chosen(query: str) -> tuple[set[str], bool]:
    """The names of its parameters, and whether any of them is more than a number."""
    pairs = [pair.partition("=") for pair in query.split("&")]
    names = {name for name, _, _ in pairs}
    return names, any(value.strip(_FIGURES) for _, _, value in pairs)


def _waste(path: str, at: _AtPath) -> str:
    shown = path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"
    return f"{shown}?: {at.barren:,} of {at.visits:,} views said nothing new"
