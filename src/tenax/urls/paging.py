"""Which page of a list is a URL, and does another URL turn it? (DISC-3)

Two URLs of one list differ in one place: a number that counts, or a mark of where to go on. What
that place is called says whether it counts pages. Where it has no name of the kind, the anchor has
to say it: see `leads_on`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tenax.urls.counted import (
    ANY_WORD,
    ENTRIES,
    OF_A_VISIT,
    OFFSET_NAME,
    OFFSET_NAMES,
    OTHER_NAME,
    PAGE_NAMES,
    PAGE_WORDS,
    SHORT_WORDS,
    SMALL,
    WAYS,
    WORDS,
    count_name,
)

MARKS = ("=", *WORDS)
"""A URL that stands in a listing has one of these in it, in lower case."""
NUMBER = "{n}"
NEXT = 0
"""What an anchor says that names no number, but the next page."""
_LONGEST = 1_000
_MOST_PARAMETERS = 30
_SECOND = 2
_LONGEST_INDEX = 16
LONGEST_INSERTED = 24
"""By so many characters the URL of a later page may be longer."""
_UNNAMED = 500
"""The same where nothing says it but the link."""
_MOST_ENTRIES = 100_000
"""Greater numbers without a name are ids."""
_TIMES = 10**11
"""From here on an offset is a time in milliseconds: that of the oldest entry, as lists go on."""
_STEPS = range(5, 201)
"""How many entries a page may have, where they are counted and not the pages."""


class ListingPlace(NamedTuple):
    """Where a URL stands in a listing."""

    key: str
    """Its path with {n} for the number: the same for every page of the listing."""
    number: int
    is_offset: bool


def place_of(path: str) -> ListingPlace | None:
    """Where a URL stands, by its path and query; None when in no listing."""
    lowered = path.lower()
    # Of a hundred URLs one has a number of this kind: the others are told by a glance.
    if not any(mark in lowered for mark in MARKS):
        return None
    if len(path) > _LONGEST or "{" in path or _WORDPRESS_POST.fullmatch(path):
        return None
    found = [*_PARAMETER.finditer(path), *_SEGMENT.finditer(path)]
    # Two numbers that count: which of them leads on cannot be told.
    if len(found) != 1:
        return None
    match = found[0]
    key = f"{path[: match.start('number')]}{NUMBER}{path[match.end('number') :]}"
    return ListingPlace(key, int(match["number"]), bool(match.groupdict().get("offset")))


def turns(path: str, onward: str) -> bool:
    """Whether the second of these paths is a later page of the listing that the first is of, as
    far as URLs alone can tell."""
    if "=" not in onward:
        # A number in a folder that both are in is the same in both.
        folder = path[: path.rfind("/") + 1]
        behind = len(folder) if onward.startswith(folder) else 0
        if _DIGIT.search(onward, behind) is None:
            return False
    turn = turn_of(path, onward)
    if turn is None or not turn.is_later:
        return False
    return turn.has_mark or (turn.is_exact and (turn.is_named or turn.is_second))


def leads_on(turn: PageTurn, said: int) -> bool:
    """The same of a URL that differs so, where an anchor says that it leads to the page of this
    number, or to the `NEXT`."""
    return turn.is_later and agrees(turn, said)


def agrees(turn: PageTurn, said: int) -> bool:
    """Whether a URL that differs so can be that of the page that the anchor names."""
    if said:
        return not turn.path_too and not turn.is_other and _is_number(turn, said)
    return turn.is_named or turn.is_cursor or (not turn.is_other and _is_next(turn))


def may_agree(turn: PageTurn) -> bool:
    """Whether that depends on the anchor: for most links it does not."""
    if turn.is_named or turn.is_cursor:
        return True
    is_counted = turn.new is not None and turn.new <= _MOST_ENTRIES
    return is_counted and not turn.is_other and not turn.path_too


def stem_of(path: str) -> str:
    """What the paths of all pages begin with that this one can be turned to: most links of a page
    do not, and need no closer look."""
    return _NUMBERED.split(path, maxsplit=1)[0].rstrip("/_-.,") or "/"


class PageTurn(NamedTuple):
    """The one place in which a URL differs from another."""

    name: str
    """What is counted there: the name of a parameter, or the word before a number in the path."""
    old: int | None
    new: int | None
    """None for what is no number."""
    is_exact: bool
    """Nothing else differs."""
    is_named: bool
    """Its name is one that pages have."""
    is_cursor: bool = False
    """Its name may be one of a mark of where the list goes on."""
    has_mark: bool = False
    """There is a mark whose name says that it is nothing else."""
    is_second: bool = False
    """It is the 2 behind what had no number, or a number behind an id: nobody counts anything else
    like that."""
    is_other: bool = False
    """Its name is one of something else that is counted: days, pictures, entries on a page."""
    path_too: bool = False
    """The list goes on in a place below the one where it began."""

    @property
    def is_later(self) -> bool:
        if self.new is None:
            return not self.is_named
        # Marks of where to go on may count down: the next page begins before the oldest entry.
        is_mark = self.is_cursor and not self.is_named
        if self.old is None or is_mark:
            return True
        return self.new < self.old if self.new >= _TIMES else self.new > self.old


def turn_of(path: str, onward: str) -> PageTurn | None:
    """How the second of these paths differs from the first; None when in more than one place."""
    if max(len(path), len(onward)) > _LONGEST:
        return None
    here, asked = _split(path)
    # What is inserted is short, and most URLs are longer or shorter by more.
    is_plain = "?" not in onward and ";" not in onward
    if is_plain and not -_LONGEST_INDEX <= len(onward) - len(here) <= LONGEST_INSERTED:
        return None
    if _WORDPRESS_POST.fullmatch(onward):
        return None
    there, asks = _split(onward)
    if max(len(asked), len(asks)) > _MOST_PARAMETERS:
        return None
    if here == there:
        return _turn_in_query(asked, asks, _changed(asked, asks))
    is_below = bool(asks) and (there.startswith(here) or here.rpartition("/")[2] in asks.values())
    is_like = -_LONGEST_INDEX <= len(there) - len(here) <= LONGEST_INSERTED
    if not is_below and not is_like:
        return None
    changed = _changed(asked, asks)
    if any(name in asked for name in changed):
        return None
    turn = None
    if is_like:
        turn = _turn_in_path(here, there, not changed and len(asked) == len(asks))
    if turn is None and is_below and changed:
        turn = _turn_in_query(asked, asks, changed)
        if turn is None:
            return None
        has_mark = turn.has_mark and there.startswith(here)
        return turn._replace(is_exact=False, path_too=True, has_mark=has_mark)
    return turn


def _changed(asked: dict[str, str], asks: dict[str, str]) -> list[str]:
    """The names of parameters that are new, or have another value."""
    return [name for name, value in asks.items() if asked.get(name) != value]


@lru_cache(maxsize=256)
def _split(path: str) -> tuple[str, dict[str, str]]:
    """The path without what names its index, and its parameters."""
    path, _, query = path.partition("?")
    if query.startswith("/"):
        # Some name their paths behind the one script that makes all pages.
        script, query = path, query.replace("?", "&")
        path, _, query = query.partition("&")
        path = f"{script}?{path}"
    if ";" in path or ";" in query:
        path, _, matrix = path.partition(";")
        query = f"{matrix}&{query}".replace(";", "&")
    asked = dict(part.partition("=")[::2] for part in query.split("&") if part) if query else {}
    return (_INDEX.sub("", path) if path[-1:].isalpha() else path).rstrip("/"), asked


def _turn_in_query(
    asked: dict[str, str], asks: dict[str, str], changed: list[str]
) -> PageTurn | None:
    turns_ = [_parameter_turn(name, asked.get(name), asks[name]) for name in changed]
    best = max(turns_, key=_rank, default=None)
    if best is None:
        return None
    beside = [name for name in changed if name in asked and name != best.name]
    if not all(_goes_along(name, asked[name], asks[name]) for name in beside):
        return None
    is_later = best.is_named and (best.new or 0) >= _SECOND
    if not is_later and any(count_name(name).is_order for name in changed):
        # In another order a list begins anew.
        return None
    is_exact = len(changed) == 1 and asked.keys() <= asks.keys()
    return best._replace(is_exact=is_exact, has_mark=any(turn.has_mark for turn in turns_))


def _goes_along(name: str, old: str, new: str) -> bool:
    """Whether a second parameter changes with every page: entries are counted beside the pages, or
    it says who asked from where."""
    if OF_A_VISIT.fullmatch(name):
        return True
    was, now = _number(old), _number(new)
    is_counted = count_name(name).most >= 0 or ENTRIES.fullmatch(name)
    return bool(is_counted) and was is not None and now is not None and was < now


def _rank(turn: PageTurn) -> tuple[bool, bool, bool]:
    return turn.is_named, turn.is_cursor, turn.new is not None and not turn.is_other


def _parameter_turn(name: str, old: str | None, new: str) -> PageTurn:
    was, now = _number(old), _number(new)
    told = count_name(name)
    is_named = now is not None and now <= told.most
    if now is None and (part := _part_of(old, new, told.most >= 0)) is not None:
        was, now, is_named = part
    is_day = now is None and _DAY.match(new) is not None
    is_cursor = told.is_cursor and (told.is_of_time or not is_day) and new.lower() not in WAYS
    has_mark = is_cursor and told.is_mark and bool(new)
    return PageTurn(name, was, now, True, is_named, is_cursor, has_mark, is_other=told.is_other)


def _part_of(old: str | None, new: str, is_page: bool) -> tuple[int | None, int, bool] | None:
    """The number that ends a value in several parts (33.15, 0,1, page-2): what it was, what it is,
    and whether it or its parameter has the name of a page."""
    came = _LAST_PART.fullmatch(new)
    if came is None:
        return None
    now = int(came["number"])
    is_named = is_page or came["before"].lower() in PAGE_WORDS
    if old is None:
        return (None, now, True) if is_named else None
    gone = _LAST_PART.fullmatch(old)
    if gone is None or gone["before"] != came["before"]:
        return None
    return int(gone["number"]), now, is_named


def _turn_in_path(here: str, there: str, is_exact: bool) -> PageTurn | None:
    start = _alike(here, there)
    end = _alike(here[start:][::-1], there[start:][::-1])
    gone, came = here[start : len(here) - end], there[start : len(there) - end]
    before = there[:start]
    counted = _INSERTED.fullmatch(came)
    if counted is None:
        return None
    if gone.isdigit() and came.isdigit():
        word = _WORD_BEFORE.search(before)
        name = word["word"].lower() if word else ""
        if word and word["mark"] == "/" and name not in PAGE_WORDS | SHORT_WORDS:
            name = ""
        return _path_turn(name, int(gone[:9]), int(counted["number"]), before, is_exact)
    old: int | None = None
    if (was := _INSERTED.fullmatch(gone)) is not None and was["word"] == counted["word"]:
        old = int(was["number"])
    elif _IS_FIRST.fullmatch(gone) is None:
        return None
    if before[-1:].isalpha() and not counted["lead"] and counted["word"]:
        return None
    name = counted["word"].lower()
    if not name and before[-1:].isalpha() and not counted["lead"]:
        name = re.split(r"[^a-z]", before.lower())[-1]
    turn = _path_turn(name, old, int(counted["number"]), before + counted["lead"], is_exact)
    if name or turn.is_other or turn.new != _SECOND or old is not None:
        return turn
    # Behind a slash it may be an id, and slugs of one name are told apart by a 2 as well: but
    # those are no files.
    is_file = counted["lead"] != "/" and _ENDING.search(there) is not None
    return turn._replace(is_second=turn.is_second or is_file)


def _alike(one: str, other: str) -> int:
    """How far they are the same; a number is the same as a whole or not at all."""
    if other.startswith(one):
        end = len(one)
    else:
        end = 0
        for a, b in zip(one, other, strict=False):
            if a != b:
                break
            end += 1
    while end and one[end - 1].isdigit() and _begin_with_digit(one[end:], other[end:]):
        end -= 1
    return end


def _begin_with_digit(*texts: str) -> bool:
    return any(text[:1].isdigit() for text in texts)


def _path_turn(name: str, old: int | None, new: int, before: str, is_exact: bool) -> PageTurn:
    is_named = name in PAGE_WORDS or (name in SHORT_WORDS and new <= SMALL)
    is_other = bool(OTHER_NAME.fullmatch(name)) if name else False
    is_other = is_other or (not name and bool(_DATED.search(before)))
    is_second = not name and not is_other and new <= SMALL and bool(_ID_BEFORE.search(before))
    return PageTurn(name, old, new, is_exact, is_named, is_second=is_second, is_other=is_other)


def _number(text: str | None) -> int | None:
    # No leading zeros: 007 and 7 would be one number and two URLs.
    return int(text) if text is not None and _WHOLE.fullmatch(text) else None


def _is_number(turn: PageTurn, said: int) -> bool:
    """Whether the number in the URL is that of the anchor: itself, counted from 0, or the entries
    before it."""
    new = turn.new
    if new is None:
        return False
    if new in (said, said - 1):
        return turn.is_named or not _YEARS[0] <= new <= _YEARS[1]
    pages = said - 1
    if turn.is_named and OFFSET_NAME.fullmatch(turn.name) is None:
        return False
    return pages > 0 and any(
        each % pages == 0 and each // pages in _STEPS for each in (new, new - 1)
    )


def _is_next(turn: PageTurn) -> bool:
    """Whether a number without a name of its own may be that of the next page."""
    if turn.new is None:
        return False
    if turn.old is None:
        return turn.new in (1, 2) or turn.new in _STEPS
    by = turn.new - turn.old
    is_counted = by in _STEPS and turn.new % by in (0, 1)
    return turn.old <= _UNNAMED and (by == 1 or is_counted)


_YEARS = (1900, 2100)
_COUNT = r"0|[1-9]\d{0,6}"
_WHOLE = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)
_LAST_PART = re.compile(
    r"(?!(?:19|20)\d\d-)(?P<before>[a-z0-9]{1,20})(?:[.,|-]|%2C|%7C)(?P<number>0|[1-9]\d{0,5})",
    re.ASCII | re.IGNORECASE,
)
_DIGIT = re.compile(r"\d", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d", re.ASCII)
_PARAMETER = re.compile(
    rf"[?&;](?:(?:{PAGE_NAMES})|(?P<offset>{OFFSET_NAMES}))=(?P<number>{_COUNT})(?=[&;]|$)",
    re.ASCII | re.IGNORECASE,
)
_SEGMENT = re.compile(
    rf"/(?:{ANY_WORD})[/_,:=-]?(?P<number>0|[1-9]\d{{0,5}})"
    r"(?=/?(?:\?[^/]*)?$|\.[a-z]{3,5}(?:\?[^/]*)?$)",
    re.ASCII | re.IGNORECASE,
)
_INSERTED = re.compile(
    r"(?P<lead>(?:/?nav-[a-z0-9_-]{1,20}/)?[/_,.:-]?)(?P<word>[a-z]*)(?:[_-]\d{1,6}(?=[_-]))?"
    r"[/_,:=.-]?(?P<number>0|[1-9]\d{0,5})(?:\.[a-z]{3,5})?[/._-]?",
    re.ASCII | re.IGNORECASE,
)
_IS_FIRST = re.compile(r"(?:/?(?:index|default|home))?(?:\.[a-z]{3,5})?", re.ASCII | re.IGNORECASE)
_WORD_BEFORE = re.compile(r"(?P<word>[a-z]+)(?P<mark>[/_,:=.-]?)$", re.ASCII | re.IGNORECASE)
_ID_BEFORE = re.compile(r"\d[_-]$", re.ASCII)
_ENDING = re.compile(r"\.[a-z]{3,5}$", re.ASCII | re.IGNORECASE)
_DATED = re.compile(r"/(?:19|20)\d\d(?:[/-]\d{1,2})?[/-]?$", re.ASCII)
_INDEX = re.compile(r"/(?:index|default)\.[a-z]{3,5}$", re.ASCII | re.IGNORECASE)
_NUMBERED = re.compile(r"[?;\d]|\.[a-z]{3,5}$|/(?:index|default)\.", re.ASCII | re.IGNORECASE)
# A post by its number, and the posts of a site are numbered from 1 on.
_WORDPRESS_POST = re.compile(r"/(?:index\.php)?\?p=\d+", re.ASCII)
