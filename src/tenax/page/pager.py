"""Which links of a page turn to the next pages of the same list, by what they say of themselves?

A URL alone tells it where its number has a name (`urls.paging`). Of the others that differ from
the page's own URL in one place only, the anchor is looked up in the source: it says "next" in some
language, or a number that the URL agrees with. Few pages have any link of that kind, so few are
searched; and there is one way for all of them, with a tree or without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from typing import NamedTuple

from tenax.page.charset import decode
from tenax.page.links import FoundLinks
from tenax.urls.normalise import origin_of, resolve_all
from tenax.urls.paging import NEXT, Turn, leads_on, may_lead_on, stem_of, turn_of, turns

_MOST_LOOKED_UP = 30
_MOST_PLACES = 3
"""Of one link in the source; most stand there once or twice."""
_LONGEST_TAG = 2_000
_LONGEST_ANCHOR = 3_000
_LONGEST_PAGER = 10_000
_LONGEST_TEXT = 40
_FIRST_FEW = 3
"""A row of numbers that begins higher is one of years, versions or sizes."""
_WHITE = " \t\n\r\f"


class Pager(NamedTuple):
    onward: str = ""
    """The link to the next page, as it stands among the links."""
    turned: frozenset[str] = frozenset()
    """Links to later pages that only their anchors tell from others."""


def find_pager(url: str, base: str, found: FoundLinks, body: bytes, charset: str) -> Pager:
    """What turns a page at `url`, which has these links."""
    if url.find("/", len("https://")) < 0:
        return Pager()
    here = _Here(url, base)
    near = [*here.near(found.links)]
    if not near:
        return Pager()
    known = [link for link in near if turns(here.path, link.path)]
    says = {link.href: NEXT for link in near if link.href == found.onward}
    asked = [link for link in near if link not in known and link.href not in says]
    says |= _looked_up(asked[:_MOST_LOOKED_UP], body, charset)
    believed = _believed([link for link in near if link.href in says], says)
    if not believed and not known:
        return Pager()
    following = [link for link in believed if says[link.href] == NEXT] or [*known, *believed]
    counted = {link.turn.new for link in following}
    if 2 in counted and 0 not in counted:
        # Pages are counted from 1 on, and that is where we are.
        following = [link for link in following if link.turn.new != 1]
    onward = min(following, key=lambda link: link.turn.new or 0).href
    return Pager(onward, frozenset(link.href for link in believed))


class _Near(NamedTuple):
    """A link that differs from the page's own URL in one place."""

    href: str
    path: str
    turn: Turn


class _Here:
    """The page whose links are looked at."""

    def __init__(self, url: str, base: str) -> None:
        self._base = base
        self._origin = origin_of(url)
        self.path = url[len(self._origin) :]
        self._stem = self._origin + stem_of(self.path)

    def near(self, links: Sequence[str]) -> Iterator[_Near]:
        stem = self._stem
        starts = ("?", ";", ".", stem[len(self._origin) :], stem, stem[stem.index("/") :])
        # Nearly all links lead elsewhere, or to a URL in which nothing is counted.
        could = [
            href
            for href in links
            if (href.startswith(starts) or not href.startswith(_WHOLE)) and _COUNTS.search(href)
        ]
        for href, url in zip(could, resolve_all(could, self._base), strict=True):
            if url is not None and url.startswith(stem):
                path = url[len(self._origin) :]
                turn = turn_of(self.path, path)
                if turn is not None and may_lead_on(turn):
                    yield _Near(href, path, turn)


def _believed(asked: Iterable[_Near], says: dict[str, int]) -> list[_Near]:
    """Those whose URL agrees with what their anchors say. A row of numbers has to begin where
    pages begin, or to stand beside a link that says "next"."""
    agreed = [link for link in asked if leads_on(link.turn, says[link.href])]
    numbers = [says[link.href] for link in agreed]
    if agreed and min(numbers) > _FIRST_FEW:
        return [link for link in agreed if link.turn.is_named]
    return agreed


def _looked_up(asked: Iterable[_Near], body: bytes, charset: str) -> dict[str, int]:
    """What the anchors of these say: the number of a page, or that it is the next one."""
    says: dict[str, int] = {}
    at = 0
    for link in asked:
        for anchor in _anchors(link.href, body, charset, at):
            at = max(at, anchor.at)
            said = anchor.said()
            if said is not None:
                says[link.href] = said
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
        if any(label.strip(_MARKS_AROUND) in _NEXT or _ARROWS.fullmatch(label) for label in labels):
            return NEXT
        classes = " ".join(match["value"] for match in _CLASS.finditer(self.tag)).lower()
        is_next = _NEXT_CLASS.search(classes) and not _MOVES_SOMETHING_ELSE.search(classes)
        return NEXT if is_next and len(labels[0]) < _LONGEST_TEXT else None


def _anchors(href: str, body: bytes, charset: str, start: int) -> Iterator[_Anchor]:
    """The first few anchors in the source that have this href, from where the last one was:
    links are asked about in their order."""
    # References stand for ampersands in many spellings: what comes before the first is enough to
    # find it.
    piece = href.partition("&")[0].encode("ascii", "ignore")
    if not piece:
        return
    at = body.find(piece, start)
    if at < 0:
        at = body.find(piece, 0, start)
    end, left = len(body), _MOST_PLACES
    while at >= 0 and left:
        anchor = _anchor_at(at, href, body, charset)
        if anchor is not None:
            left -= 1
            # Others that say more of it stand nearby: 2, 3, next.
            end = min(len(body), at + _LONGEST_PAGER)
            yield anchor
        at = body.find(piece, at + len(piece), end)


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
    text = _TAGS.sub(" ", _UNSEEN.sub(" ", inside[: end.start()])) if end else ""
    before = decode(body[max(0, opened - 300) : opened], charset).rstrip(_WHITE)
    around = before[before.rfind("<") :] if before.endswith(">") else ""
    return _Anchor(opened, f"{around}{tag}", unescape(text))


_WHOLE = ("/", "http:", "https:")
_COUNTS = re.compile(r"[0-9=]")
_VALUE = r"""\s*=\s*(?P<q>["']?)(?P<value>(?<=")[^"]*|(?<=')[^']*|[^\s"'>]+)"""
_HREF = re.compile(rf"\shref{_VALUE}", re.IGNORECASE)
_LABEL = re.compile(rf"\s(?:aria-label|title){_VALUE}", re.IGNORECASE)
_CLASS = re.compile(rf"\s(?:class|id){_VALUE}", re.IGNORECASE)
_ENDS = re.compile(r"</?a[\s>]", re.IGNORECASE)
_UNSEEN = re.compile(r"<(svg|style|script)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")
_PAGE = (
    "page|p|pg|seite|pagina|página|pág|strona|strana|stránka|sayfa|sivu|sida|side|oldal|halaman"
    "|trang|страница|стр|pagination"
)
_NUMBERED = re.compile(
    rf"(?:(?:go to |goto |view |show |zur |zu |aller à la |ir a la )?(?:{_PAGE}))?[\s#.:\[(-]*"
    r"(?P<number>[1-9]\d{0,3})[\s\])]*(?:(?:of|von|de|sur|/) ?\d+)?(?:页|頁|ページ|페이지)?"
)
_ARROWS = re.compile(r"[›»→>❯▶►⟩〉⇒ -]*[›»→>❯▶►⟩〉⇒]+")
_MARKS_AROUND = " ›»→>❯▶►⟩〉⇒…._-+|[]()‹«<←"
_NEXT = frozenset({
    "next", "next page", "go to next page", "goto next page", "next results", "next posts",
    "next entries", "next topics", "next articles", "next stories", "older", "older posts",
    "older entries", "older articles", "older stories", "previous entries", "older news",
    "more", "more results", "load more", "show more", "view more", "see more results", "more posts",
    "load more posts", "load more results", "load more articles", "show more results",
    "weiter", "nächste", "nächste seite", "zur nächsten seite", "vorwärts", "ältere beiträge",
    "ältere artikel", "mehr laden", "mehr anzeigen",
    "suivant", "suivante", "page suivante", "suivants", "articles plus anciens",
    "articles précédents", "plus anciens", "voir plus", "charger plus",
    "siguiente", "página siguiente", "siguiente página", "siguientes", "entradas antiguas",
    "entradas anteriores", "entradas más antiguas", "ver más", "cargar más",
    "próxima", "próximo", "próxima página", "página seguinte", "seguinte", "postagens mais antigas",
    "posts antigos", "mais antigos", "carregar mais", "ver mais",
    "successivo", "successiva", "pagina successiva", "avanti", "prossima", "prossima pagina",
    "seguente", "articoli meno recenti", "post più vecchi", "carica altri",
    "volgende", "volgende pagina", "oudere berichten", "meer laden", "verder",
    "nästa", "nästa sida", "äldre inlägg", "neste", "neste side", "næste", "næste side",
    "ældre indlæg", "eldre innlegg", "seuraava", "seuraava sivu", "vanhemmat artikkelit",
    "następna", "następna strona", "następny", "dalej", "starsze wpisy", "starsze posty",
    "další", "další stránka", "starší příspěvky", "ďalšia", "ďalej", "následující",
    "következő", "következő oldal", "régebbi bejegyzések", "urmatoarea", "următoarea", "înainte",
    "sonraki", "sonraki sayfa", "ileri", "daha eski", "eski yazılar", "επόμενη", "επόμενη σελίδα",
    "следующая", "следующая страница", "вперед", "вперёд", "далее", "след", "следующие",
    "показать ещё", "показать еще", "загрузить ещё", "загрузить еще", "старые записи",
    "предыдущие записи", "наступна", "далі", "наступна сторінка", "следваща",
    "下一页", "下一頁", "下页", "下頁", "后页", "次へ", "次のページ", "次の",
    "次ページ", "もっと見る", "前の投稿",
    "다음", "다음 페이지", "다음페이지", "더보기", "이전 글",
    "selanjutnya", "berikutnya", "halaman selanjutnya", "postingan lama", "tiếp", "trang sau",
    "tiếp theo", "trang tiếp", "bài đăng cũ hơn", "ถัดไป", "หน้าถัดไป", "הבא", "העמוד הבא",
    "التالي", "الصفحة التالية", "بعدی", "صفحه بعد", "अगला",
})  # fmt: skip
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
