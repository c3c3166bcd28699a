"""Is this answer the page it claims to be, or a wall, a shell, a stump in its place?

False alarms are worse than misses: a wall that is stored is one bad page, a page that is
refused is lost. So phrases alone never decide; they have to stand where a wall has them, on a
page that is short and leads nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from tenax.model import Page, Response
from tenax.page.media import MediaKind as Media
from tenax.page.media import kind_of
from tenax.page.read import read
from tenax.page.verdict.features import Features, PageMark, look_closely, without
from tenax.page.verdict.phrases import PhrasePlace
from tenax.page.verdict.wall_patterns import Signatures, WallKind

HARD = frozenset({WallKind.ACCESS_DENIED, WallKind.CAPTCHA, WallKind.IP_BLOCKED})
"""The host does not want us now: it is left alone for a while."""
FOR_THE_BROWSER = frozenset({WallKind.CHALLENGE, WallKind.NEEDS_JAVASCRIPT, WallKind.EMPTY_SHELL})
"""A browser may get the page where we did not."""
_WALLS = HARD | {WallKind.CHALLENGE, WallKind.NEEDS_JAVASCRIPT}

# A wall leads nowhere: it has few links. With hardly any words it may have some more, because
# the languages a site is written in count as links too.
_FEW_LINKS = 5
_MANY_LINKS = 40
_FEW_WORDS = 10
# Larger sources with words in them are pages whose words are hard to count (scripts without
# spaces) far more often than walls; a second parse of them would cost as much as the first.
_LARGE_SOURCE = 20_000
_LARGEST_SOURCE = 2_000_000
_SHOWN = 80
_SHORT_BODY = 500
_HARDLY_ANY_WORDS = 3
_WORDS_OF_A_SHELL = 3
_LOADING = frozenset({
    "loading", "lade", "lädt", "laden", "chargement", "cargando", "carregando", "caricamento",
    "wczytywanie", "ładowanie", "загрузка", "読み込み中", "加载中", "正在加载", "로딩",
})  # fmt: skip
_WORDS_AROUND_A_ROOT = 10
_WORDS_AROUND_A_PASSWORD = 25
_OPENING = 4_096
_TAIL = 4_096
_GONE = frozenset({404, 410})
_CONTENT = frozenset({PageMark.MEDIA, PageMark.FRAME, PageMark.CONTROL, PageMark.REFRESH})


class PageVerdict(Struct, frozen=True):
    """Why an answer is not a page."""

    kind: WallKind
    signature: str
    """The id of what matched: a row of the table, or a rule about structure."""
    evidence: str
    """What matched and where, for whoever doubts the verdict."""

    @property
    def is_hard(self) -> bool:
        return self.kind in HARD

    @property
    def wants_browser(self) -> bool:
        return self.kind in FOR_THE_BROWSER


def validate(response: Response, page: Page, signatures: Signatures) -> PageVerdict | None:
    """What is wrong with an answer that `read` made this page of; None for a page like any other.

    Other statuses than 2xx are only compared with walls: that they are no page is known.
    """
    if page.status in _GONE:
        return None
    headers = _header_lines(response, signatures)
    if headers and (verdict := _by_headers(headers, signatures)) is not None:
        return verdict
    body = page.body
    if body is None or page.too_large or page.unreadable:
        return None
    if kind_of(page.content_type) not in (Media.HTML, Media.XHTML):
        return None
    is_success = 200 <= page.status < 300
    if _deserves_a_look(page, signatures):
        features = look_closely(page)
        verdict = _by_table(features, headers, signatures, is_success)
        if verdict is None and is_success:
            verdict = _by_structure(features, body)
        if verdict is not None:
            return verdict
    return _truncated(body) if is_success else None


def validate_unread(response: Response, signatures: Signatures) -> PageVerdict | None:
    """The same for an answer nobody reads otherwise: a 403 or 503 that may be a challenge."""
    return validate(response, read(response, fetched_at=0.0), signatures)


def _header_lines(response: Response, signatures: Signatures) -> list[str]:
    names = signatures.header_names
    return [
        f"{name}: {value.strip().lower()}"
        for name, values in response.headers.named.items()
        if name in names
        for value in values
    ]


def _by_headers(headers: list[str], signatures: Signatures) -> PageVerdict | None:
    for row in signatures.by_headers:
        for phrases in row.places:
            if line := phrases.beginning(headers):
                return PageVerdict(row.kind, row.id, f"{PhrasePlace.HEADER} {line[:_SHOWN]!r}")
    return None


def _deserves_a_look(page: Page, signatures: Signatures) -> bool:
    """Nearly every page ends here: it has more words than any wall."""
    if page.words > signatures.longest:
        return False
    links = len(page.links)
    if page.words <= _FEW_WORDS and links <= _MANY_LINKS:
        return True
    if links <= _FEW_LINKS and _is_small(page.body or b""):
        return True
    return signatures.is_suspicious(page.title)


def _is_small(body: bytes) -> bool:
    """By what is left of it without styles and scripts: a wall may bring a lot of both."""
    if len(body) <= _LARGE_SOURCE:
        return True
    return len(body) <= _LARGEST_SOURCE and len(without(_UNREAD, body)) <= _LARGE_SOURCE


def _by_table(
    features: Features, headers: list[str], signatures: Signatures, is_success: bool
) -> PageVerdict | None:
    for row in signatures.likely(features, headers):
        is_asked = is_success or (row.kind in _WALLS and not row.of_success)
        if is_asked and (said := row.evidence(features, headers)):
            return PageVerdict(row.kind, row.id, said)
    return None


def _by_structure(features: Features, body: bytes) -> PageVerdict | None:
    """Verdicts that need no phrase. Frames, pictures, forms and redirects are content."""
    return next(_structural(features, len(body)), None)


def _structural(features: Features, size: int) -> Iterator[PageVerdict]:
    words, marks = features.words, features.marks
    told = f"({words} words, {features.anchors} links, {size} bytes)"
    # With more to fill in it is a form to join with, which some take for content.
    if PageMark.PASSWORD in marks and features.fields <= 1 and words <= _WORDS_AROUND_A_PASSWORD:
        yield PageVerdict(WallKind.LOGIN_WALL, "only-a-password", f"a password field {told}")
    if features.anchors:
        return
    runs = PageMark.SCRIPT in marks
    is_empty = PageMark.EMPTY_ROOT in marks and (runs or not words)
    if is_empty and words <= _WORDS_AROUND_A_ROOT:
        yield PageVerdict(WallKind.EMPTY_SHELL, "empty-root", f"{features.root} is empty {told}")
    if not marks.isdisjoint(_CONTENT):
        return
    if runs and (not words or (words <= _WORDS_OF_A_SHELL and _is_loading(features))):
        yield PageVerdict(WallKind.EMPTY_SHELL, "only-scripts", f"scripts and nothing else {told}")
    if not words:
        yield PageVerdict(WallKind.NO_TEXT, "no-text", f"nothing to read or to look at {told}")
    if size < _SHORT_BODY and words <= _HARDLY_ANY_WORDS:
        yield PageVerdict(
            WallKind.TOO_SHORT, "under-500-bytes", f"{features.text.strip()!r} {told}"
        )


def _is_loading(features: Features) -> bool:
    return not _LOADING.isdisjoint(features.text.split())


_OPENED = re.compile(rb"<(?:html|body)[\s>]", re.IGNORECASE)
_CLOSED = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_CUT = re.compile(
    rb"""(?:<!--(?:(?!-->).){0,2000}"""
    rb"""|</?[a-z][a-z0-9-]{0,20}(?:\s[^<>]{0,1000})?"""
    rb"""|&(?:amp?|nbsp?|nb|quot?|lt|gt|\#\d{1,5}|\#x[0-9a-f]{1,5}))\Z""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_UNREAD = re.compile(rb"<(?P<tag>style|script|svg)\b", re.IGNORECASE)
_RAW = (b"<script", b"<style")
_RAW_ENDS = (b"</script", b"</style")


def _truncated(body: bytes) -> PageVerdict | None:
    """Only where the end is in the middle of something: many good pages never close anything."""
    end = body[-32:].rstrip()
    if end.endswith(b">") or not end:
        return None
    tail = body[-_TAIL:].rstrip()
    if not _OPENED.search(body, 0, _OPENING) or _CLOSED.search(tail):
        return None
    cut = _CUT.search(tail)
    if cut is not None:
        shown = cut[0][:60].decode("ascii", "replace")
        return PageVerdict(WallKind.TRUNCATED, "cut-off", f"the body ends inside {shown!r}")
    lowered = body.lower()
    if max(map(lowered.rfind, _RAW)) > max(map(lowered.rfind, _RAW_ENDS)):
        return PageVerdict(WallKind.TRUNCATED, "cut-off", "the body ends inside a script or style")
    return None
