"""What does an anchor say of the page it leads to: its number, or that it is the next one?

It is looked up in the source of the page, by its href: few are asked about, and so the text and
the classes of all others need not be kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import NamedTuple

from tenax.page.charset import decode
from tenax.page.pager.next_words import NEXT_WORDS
from tenax.urls.paging import NEXT

_MOST_PLACES = 3
"""Of one link in the source; most stand there once or twice."""
_MOST_TRIES = 200
_LONG_ENOUGH = 6
_LONGEST_TAG = 2_000
_LONGEST_ANCHOR = 3_000
_LONGEST_PAGER = 10_000
_LONGEST_TEXT = 40
_WHITE = " \t\n\r\f"


def said_of(hrefs: Iterable[str], body: bytes, charset: str) -> dict[str, int]:
    """What the anchors of these say: the number of a page, or that it is the next one."""
    says: dict[str, int] = {}
    at = 0
    for href in hrefs:
        for anchor in _anchors(href, body, charset, at):
            at = max(at, anchor.at)
            said = anchor.said()
            if said is not None:
                says[href] = said
                break
    return says


class _Anchor(NamedTuple):
    at: int
    tag: str
    """Its start tag, and the one right before it: often it is the item of a list that has the
    class."""
    text: str

    def said(self) -> int | None:
        """The number of a page, or `NEXT`; None for anything else."""
        labels = [self.text]
        labels += [unescape(match["value"]) for match in _LABEL.finditer(self.tag)]
        labels = [" ".join(label.split())[:_LONGEST_TEXT].lower() for label in labels]
        for label in labels:
            if (match := _NUMBERED.fullmatch(label)) is not None:
                return int(match["number"])
        if any(map(_OF_SOMETHING_ELSE.search, labels)):
            return None
        if any(map(_says_next, labels)):
            return NEXT
        classes = " ".join(match["value"] for match in _CLASS.finditer(self.tag)).lower()
        is_next = _NEXT_CLASS.search(classes) and not _MOVES_SOMETHING_ELSE.search(classes)
        return NEXT if is_next and len(labels[0]) < _LONGEST_TEXT else None


def _says_next(label: str) -> bool:
    # "Next page (Knots)": what it begins with.
    words = label.partition("(")[0] if label.endswith(")") else label
    words = words.strip(_MARKS_AROUND)
    if words in NEXT_WORDS or _ARROWS.fullmatch(label):
        return True
    # "Next 20 results": how many there are does not matter.
    how_many = _HOW_MANY.search(words)
    return how_many is not None and words[: how_many.start()] in NEXT_WORDS


def _anchors(href: str, body: bytes, charset: str, start: int) -> Iterator[_Anchor]:
    """The first few anchors in the source that have this href, from where the last one was:
    links are asked about in their order."""
    piece, at = _first_place(href, body, start)
    end, left = len(body), _MOST_PLACES
    for _ in range(_MOST_TRIES):
        if at < 0 or not left:
            return
        anchor = _anchor_at(at, href, body, charset)
        if anchor is not None:
            left -= 1
            # Others that say more of it stand nearby: 2, 3, next.
            end = min(len(body), at + _LONGEST_PAGER)
            yield anchor
        at = body.find(piece, at + len(piece), end)


def _first_place(href: str, body: bytes, start: int) -> tuple[bytes, int]:
    """What is looked for, and where it is found first; -1 for nowhere."""
    # References stand for ampersands in many spellings, and letters for others: what comes before
    # the first is enough to find it. A short one stands in many places, but with a mark before it.
    plain = _PLAIN.match(href)
    piece = plain[0].encode() if plain is not None else b""
    marks = (b"",) if len(piece) >= _LONG_ENOUGH else (b'="', b"='", b"=")
    for mark in marks:
        sought = mark + piece
        at = body.find(sought, start)
        if at < 0:
            at = body.find(sought, 0, start)
        if at >= 0:
            return sought, at
    return piece, -1


def _anchor_at(at: int, href: str, body: bytes, charset: str) -> _Anchor | None:
    opened = body.rfind(b"<", max(0, at - _LONGEST_TAG), at)
    if opened < 0 or body[opened : opened + 3].lower().rstrip() != b"<a":
        return None
    closed = body.find(b">", at, at + _LONGEST_TAG)
    if closed < 0:
        return None
    tag = decode(body[opened : closed + 1], charset)
    spelled = _HREF.search(tag)
    if spelled is None or unescape(spelled["value"]).partition("#")[0].strip(_WHITE) != href:
        return None
    inside = decode(body[closed + 1 : closed + 1 + _LONGEST_ANCHOR], charset)
    end = _ENDS.search(inside)
    shown = _without_drawings(inside[: end.start()]) if end else ""
    text = _TAGS.sub(" ", shown)
    if shown and not text.strip():
        text = " ".join(match["value"] for match in _ALT.finditer(shown))
    before = decode(body[max(0, opened - 300) : opened], charset).rstrip(_WHITE)
    around = before[before.rfind("<") :] if before.endswith(">") else ""
    return _Anchor(opened, f"{around}{tag}", unescape(text))


def _without_drawings(markup: str) -> str:
    """What is not closed goes on to the end."""
    kept, at = "", 0
    while (opened := _UNSEEN.search(markup, at)) is not None:
        kept += markup[at : opened.start()] + " "
        closed = markup.lower().find(f"</{opened['tag'].lower()}", opened.end())
        at = closed if closed >= 0 else len(markup)
    return kept + markup[at:]


_PLAIN = re.compile(r"[!-%'-~]*")
_VALUE = r"""\s*=\s*(?P<q>["']?)(?P<value>(?<=")[^"]*|(?<=')[^']*|[^\s"'>]+)"""
_HREF = re.compile(rf"\shref{_VALUE}", re.IGNORECASE)
_LABEL = re.compile(rf"\s(?:aria-label|title){_VALUE}", re.IGNORECASE)
_ALT = re.compile(rf"\salt{_VALUE}", re.IGNORECASE)
_CLASS = re.compile(rf"\s(?:class|id){_VALUE}", re.IGNORECASE)
_ENDS = re.compile(r"</?a[\s>]", re.IGNORECASE)
_UNSEEN = re.compile(r"<(?P<tag>svg|style|script)\b", re.IGNORECASE)
_TAGS = re.compile(r"<[^<>]*>")
_PAGE = (
    "page|p|pg|seite|pagina|página|pág|strona|strana|stránka|sayfa|sivu|sida|side|oldal|halaman"
    "|trang|страница|стр|pagination"
)
_NUMBERED = re.compile(
    rf"(?:(?:go to |goto |view |show |zur |zu |aller à la |ir a la )?(?:{_PAGE}))?[\s#.:\[(-]*"
    r"(?P<number>[1-9]\d{0,3})[\s\])]*(?:(?:of|von|de|sur|/|-|\u2013) ?\d+)?"
    "(?:页|頁|ページ|페이지)?"
)
_HOW_MANY = re.compile(
    r" ?\b\d{1,3} ?(?:件|results|entries|posts|items|einträge|treffer|résultats|resultados)?$"
    r"|(?<=の)\d{1,3}件$"
)
_ARROWS = re.compile(r"[›»→>❯▶►⟩〉⇒ -]*[›»→>❯▶►⟩〉⇒]+")
_MARKS_AROUND = " ›»→>❯▶►⟩〉⇒…._-+|[]()‹«<←"
_NEXT_CLASS = re.compile(
    r"(?:^|[\s_-])(?:next|nxt|nextpage|next-?page|page-?next|nextpostslink|older-?link|older-?posts"
    r"|load-?more)(?:$|[\s_-])|pager-older|pagination-?next|nextlink"
)
_OF_SOMETHING_ELSE = re.compile(
    r"\b(?:post|article|story|chapter|photo|image|picture|slide|slider|carousel|swiper|month|week"
    r"|day|year|step|lesson|product|event|video|episode|project|topic|thread|question|item"
    r"|monat|woche|tag|kapitel|artikel|beitrag|mois|semaine|jour|mes|semana|mese)\b"
)
_MOVES_SOMETHING_ELSE = re.compile(
    r"post|article|chapter|photo|image|gallery|slide|slick|carousel|swiper|splide|month|calendar"
)
