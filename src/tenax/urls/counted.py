"""What does the name of a parameter, or the word before a number, say of what is counted there?"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import NamedTuple

WORDS = (
    "page", "seite", "pagina", "strona", "strana", "stranica", "sayfa", "sivu", "sida", "oldal",
    "halaman", "trang", "puslapis", "lapa", "lehekulg", "stranka", "sahife", "sahypa",
)  # fmt: skip
SMALL = 999
"""Where only one letter says that a number counts pages, no greater one does."""
_MOST = 9_999_999


class CountName(NamedTuple):
    """What the name of a parameter tells."""

    most: int
    """The greatest number that counts pages under it; -1 where it has nothing to do with them."""
    is_cursor: bool
    is_of_time: bool
    is_mark: bool
    is_other: bool
    is_order: bool


@lru_cache(maxsize=1024)
def count_name(name: str) -> CountName:
    # Sites have a few names each, and every page has them again.
    most = _MOST if _PAGE_NAME.fullmatch(name) else -1
    if name.lower() in SHORT_WORDS:
        most = SMALL
    elif OFFSET_NAME.fullmatch(name):
        most = sys.maxsize  # it may be a time
    return CountName(
        most,
        is_cursor=_CURSOR_NAME.fullmatch(name) is not None,
        is_of_time=_CURSOR_OF_TIME.search(name) is not None,
        is_mark=_MARK_NAME.fullmatch(name) is not None,
        is_other=OTHER_NAME.fullmatch(name) is not None,
        is_order=_ORDERS.fullmatch(name) is not None,
    )


ANY_WORD = "|".join(WORDS)
_SHORT = "p|pg|pag"
SHORT_WORDS = frozenset({*_SHORT.split("|"), "index", "default"})
PAGE_WORDS = frozenset(WORDS)
PAGE_NAMES = (
    rf"(?!(?:[^=&]*[_-])?per[_-]?page|c(?:omment)?[_-]?page)(?:[a-z0-9._-]{{0,30}}[_-]|current|cur|now)?"
    rf"(?:{ANY_WORD}|side|leht|blz|hal|{_SHORT}|paged|pn|pagen)(?:[_-]?(?:no|num|nr|number|index|n))?"
    r"(?:[_-](?=[a-z]*\d)[a-z0-9]{1,12})?|page(?:\[|%5b)number(?:\]|%5d)|_[a-z0-9_]{1,60}_cur"
    # As PHP and Ruby name what is in something else: tx_news[@widget_0][currentPage].
    r"|[a-z][a-z0-9_.-]{0,40}(?:(?:\[|%5b)(?:@|%40)?[a-z0-9_-]{1,30}(?:\]|%5d)){0,2}"
    r"(?:\[|%5b)(?:current_?)?(?:page|seite|pagina|p)(?:_?(?:no|num|number))?(?:\]|%5d)"
)
OFFSET_NAMES = (
    r"offset|start|skip|from|debut(?:_[a-z]{1,20})?|start_?index|start_?at|start_?from|start_?row|limit_?start|st"
    r"|page(?:\[|%5b)offset(?:\]|%5d)"
)
_PAGE_NAME = re.compile(PAGE_NAMES, re.ASCII | re.IGNORECASE)
OFFSET_NAME = re.compile(OFFSET_NAMES, re.ASCII | re.IGNORECASE)
_CURSOR_NAME = re.compile(
    r"(?!(?:[a-z0-9]{1,20}[_-])?page_?id$)"
    r"(?:[a-z0-9]{1,20}[_-])?(?:after|before|[a-z]{0,10}cursor|until|since|older|next|from|start|offset|page"
    r"|page_?from|continue|continuation|marker|last|max)"
    r"(?:[_-]?(?:time|timestamp|date|id|key|token|cursor|item|post))?|updated-max|page_?token",
    re.ASCII | re.IGNORECASE,
)
_MARK_NAME = re.compile(
    r"(?:[a-z0-9]{1,20}[_-])?(?:after|before|[a-z]{0,10}cursor)"
    r"(?:[_-]?(?:time|timestamp|id|key|token|cursor))?"
    r"|updated-max|max[_-]?id|(?:next_?)?page_?token|continuation(?:_?token)?|page_?from",
    re.ASCII | re.IGNORECASE,
)
_CURSOR_OF_TIME = re.compile(r"after|before|until|since|older|max", re.IGNORECASE)
_ORDERS = re.compile(
    r"(?:[a-z0-9]{1,20}[_-])?(?:sort|order|orderby|sortby|dir|direction|view|tab)"
    r"(?:[_-]?(?:by|order|dir))?",
    re.ASCII | re.IGNORECASE,
)
OTHER_NAME = re.compile(
    r"(?:[^=&]*[_-])?(?:per_?page|c_?page|limit|size|count|show|rows|num|results|items|days?|date"
    r"|months?|years?|weeks?|[mdy]|time|hour|cal|steps?|slides?|photos?|images?|img|pics?|pictures?"
    r"|gallery|chapters?|ch|parts?|lessons?|vol|volumes?|issues?|episodes?|ep|seasons?|sections?"
    r"|units?|levels?|rounds?|questions?|versions?|ver|v|id|posts?|comments?|reply|replytocom"
    r"|products?|variants?|sku|rating|price|min|max|qty|quantity|amount|stars?|colou?r|option"
    r"|revision|rev|tab)"
    r"|[a-z]+(?:size|limit|count|date|month|year|id)",
    re.ASCII | re.IGNORECASE,
)
ENTRIES = re.compile(r"count|counter|first|total|shown|seen", re.IGNORECASE)
OF_A_VISIT = re.compile(r"c_?hash|hash|qid|ref_?|sid|session_?id|rnd|rand|_", re.IGNORECASE)
# No marks of a place, but ways to go from it: to the topic before this one.
WAYS = frozenset({"next", "prev", "previous", "first", "last", "newest", "oldest", "up", "down"})
