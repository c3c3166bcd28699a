"""What is there on a page that may be none: its few words, where they stand, what it is built of?

Only pages that look suspicious are looked at this closely: it costs a second parse.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import islice

from msgspec import Struct
from turbohtml import Element

from tenax.model import Page
from tenax.page.charset import decode
from tenax.page.html import Tree, parse, short_text
from tenax.page.media import MediaKind, kind_of
from tenax.page.text import main_text

MOST_HTML = 30_000
"""Characters of the source that are searched: marks of walls stand near the top of small pages."""
MOST_TEXT = 20_000

_LONGEST_HEADING = 300
_LONGEST_NOSCRIPT = 2_000
_MOST_SCRIPTS = 50
_MOST_ELEMENTS = 500
_MOST_ROOTS = 5

_NOT_WORDS = re.compile(r"\W+")
_APOSTROPHES = re.compile("['`\u00b4\u02bc\u2018\u2019]")
# Where a title is put together from its parts, and where a sentence ends. Not at question
# marks: "Not found?" asks, it does not say.
_BETWEEN_PARTS = re.compile(
    "\\s[-\u2013\u2014|\u00b7\u2022\u00bb\u00ab\u203a:/~]+\\s|:\\s|[|\u2022\u00bb\u203a]|::"
    "|[.!\u2026]+(?:\\s|$)|[\u3002\uff01\uff5c]|(?<=[\u2e80-\u9fff])[-_]"
)
# What surrounds the phrase that says it: "Error 404: Page not found", "Oops! Forbidden (403)".
_FILLERS = frozenset({
    "404", "403", "410", "401", "error", "errore", "erreur", "erro", "fehler", "fout", "błąd",
    "ошибка", "oops", "ooops", "whoops", "sorry", "uh", "oh", "http", "エラー", "错误", "the",
    "this",
})  # fmt: skip
# Scripts written without spaces: two characters count as a word.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

_STYLES = re.compile(rb"<(?P<tag>style)\b", re.IGNORECASE)
_LONGEST_STYLED = 2_000_000
_DATA_TYPES = ("json", "template", "html", "x-handlebars", "importmap", "speculationrules")
_SEEN = (
    "img", "picture", "video", "audio", "canvas", "svg", "object", "embed", "iframe", "frame",
    "frameset", "math", "input", "textarea", "select",
)  # fmt: skip
_CONTROLS = frozenset({"input", "textarea", "select"})
_NOT_TYPED = frozenset({"button", "checkbox", "hidden", "image", "radio", "reset", "submit"})
_HIDES = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])|height\s*:\s*0(?![.\d])"
    r"|(?:left|top)\s*:\s*-\d{3,})",
    re.IGNORECASE,
)
_HIDDEN_CLASSES = frozenset({
    "collapse", "d-none", "dropdown-menu", "hidden", "hide", "invisible", "is-hidden", "mfp-hide",
    "modal", "modal-dialog", "offcanvas", "popup", "sr-only", "visually-hidden",
})  # fmt: skip
"""Under these names the common style sheets show nothing before somebody has clicked."""
_MOST_LEVELS = 20
_FRAMES = frozenset({"frame", "frameset"})
_ROOTS = (
    "#root,#app,#__next,#__nuxt,#___gatsby,#react-root,#app-root,#q-app,#svelte,#sapper,#ember-app,"
    "#application,#mount,#spa-root,#app-mount,#app-container,#main-app,#vue-app,#react-app,#webapp,"
    "ion-app,app-root,my-app,ng-view,[ng-view],[ng-app],[data-reactroot]"
)


class PageMark(StrEnum):
    """Something a page is built of, as far as verdicts care."""

    SCRIPT = "script"
    PASSWORD = "password"
    CONTROL = "control"
    """Something to type into or to choose from."""
    MEDIA = "media"
    """A picture, a film, a drawing, an embedded page: content that has no words."""
    FRAME = "frame"
    REFRESH = "refresh"
    """It moves its reader on by itself: a redirect in the page."""
    EMPTY_ROOT = "empty_root"
    """An element with a name under which frameworks build pages, and nothing in it."""


class Features(Struct, frozen=True):
    """A small page, ready to be compared: texts are `plain`, except `html`, which is lower case."""

    title: tuple[str, ...]
    """The title and its parts: see `parts_of`."""
    heading: tuple[str, ...]
    """The first h1, or else the first heading, in the same way."""
    text: str
    """The main text between two spaces, so that a phrase can be looked for as whole words."""
    noscript: str
    html: str
    words: int
    anchors: int
    marks: frozenset[PageMark]
    fields: int
    """Things to type into that are no password."""
    root: str
    """The element that is the empty root, as the page spells it."""


def look_closely(page: Page) -> Features:
    """Parse the page again and note everything a verdict may be made of."""
    body = page.body or b""
    # That its tree is small enough was asked when it was read.
    is_xml = kind_of(page.content_type) is MediaKind.XHTML
    tree = parse(body, page.charset or "utf-8", xml=is_xml, is_bounded=True)
    noscript = " ".join(part.text[:_LONGEST_NOSCRIPT] for part in tree.found["noscript"][:5])
    # Also where it stands in a noscript: that is who it is for.
    moves_on = any(map(_is_refresh, tree.found["meta"][:_MOST_ELEMENTS]))
    for part in tree.found["noscript"]:
        part.extract()
    root = _empty_root(tree)
    marks = [mark for mark in map(_mark_of, _elements(tree)) if mark is not None]
    marks += [PageMark.REFRESH] * moves_on + [PageMark.EMPTY_ROOT] * bool(root)
    if any(map(_runs, tree.found["script"][:_MOST_SCRIPTS])):
        marks.append(PageMark.SCRIPT)
    anchors = sum(not href.startswith("#") for href in tree.hrefs())
    heading = _heading(tree)
    text = main_text(tree)[:MOST_TEXT]
    return Features(
        title=parts_of(page.title),
        heading=parts_of(heading),
        text=f" {plain(text)} ",
        noscript=f" {plain(noscript)} ",
        html=_source(body, page.charset or "utf-8"),
        words=count_words(text),
        anchors=anchors,
        marks=frozenset(marks),
        fields=marks.count(PageMark.CONTROL),
        root=root,
    )


def _source(body: bytes, charset: str) -> str:
    """The beginning of the source, without styles: some walls bring more of them than of all else,
    and none is known by them."""
    if len(body) > MOST_HTML:
        body = without(_STYLES, body[:_LONGEST_STYLED])
    return decode(body[: MOST_HTML * 2], charset)[:MOST_HTML].lower()


def without(raw: re.Pattern[bytes], body: bytes) -> bytes:
    """The source without elements of some kinds, in one pass: what is not closed goes on to the
    end, and no page can have it looked for again and again."""
    kept: list[bytes] = []
    at = 0
    while (opened := raw.search(body, at)) is not None:
        kept.append(body[at : opened.start()])
        closed = re.compile(rb"</" + opened["tag"], re.IGNORECASE).search(body, opened.end())
        at = closed.end() if closed is not None else len(body)
    kept.append(body[at:])
    return b"".join(kept)


def plain(text: str) -> str:
    """How texts are compared: lower case, no apostrophes, one space for whatever is no word."""
    return _NOT_WORDS.sub(" ", _APOSTROPHES.sub("", text).casefold()).strip()


def parts_of(title: str) -> tuple[str, ...]:
    """A title as a whole, each of its parts, and each without codes and sighs around it."""
    found = dict.fromkeys(map(plain, (title, *_BETWEEN_PARTS.split(title))))
    found |= dict.fromkeys(map(_without_fillers, tuple(found)))
    return tuple(part for part in found if part)


def count_words(text: str) -> int:
    """Words, where scripts without spaces count by their characters."""
    words = len(text.split())
    if text.isascii():
        return words
    return words + len(_UNSPACED.findall(text)) // 2


def _without_fillers(part: str) -> str:
    words = part.split()
    while words and words[0] in _FILLERS:
        del words[0]
    while words and words[-1] in _FILLERS:
        del words[-1]
    return " ".join(words)


def _heading(tree: Tree) -> str:
    element = tree.document.select_one("h1") or tree.document.select_one("h2,h3,h4")
    return "" if element is None else short_text(element, _LONGEST_HEADING)


def _elements(tree: Tree) -> list[Element]:
    # By tag: a sixth of what a selector takes.
    return list(islice(tree.document.iter_elements(_SEEN), _MOST_ELEMENTS))


def _is_refresh(meta: Element) -> bool:
    return (meta.attr("http-equiv") or "").strip().lower() == "refresh"


def _runs(script: Element) -> bool:
    kind = (script.attr("type") or "").lower()
    return not any(data in kind for data in _DATA_TYPES)


def _mark_of(element: Element) -> PageMark | None:
    tag = element.tag
    if tag in _FRAMES:
        return PageMark.FRAME
    if tag in _CONTROLS:
        kind = (element.attr("type") or "").strip().lower()
        if kind not in _NOT_TYPED and _is_hidden(element):
            return None  # a script shows it, or sends it: nobody is asked for anything yet
        if kind == "password":
            return PageMark.PASSWORD
        return None if kind in _NOT_TYPED else PageMark.CONTROL
    return None if _is_pixel(element) else PageMark.MEDIA


def _is_hidden(element: Element) -> bool:
    """By itself or by what it stands in; what the site's own style sheet hides is beyond us."""
    here: object = element
    for _ in range(_MOST_LEVELS):
        if not isinstance(here, Element):
            return False
        if _hides(here):
            return True
        here = here.parent
    return False


def _hides(element: Element) -> bool:
    if element.attr("hidden") is not None or _HIDES.search(element.attr("style") or ""):
        return True
    if (element.attr("aria-hidden") or "").strip().lower() == "true":
        return True
    if element.tag == "dialog":
        return element.attr("open") is None
    classes = str(element.attr("class") or "").lower().split()
    return element.tag != "body" and not _HIDDEN_CLASSES.isdisjoint(classes)


def _is_pixel(element: Element) -> bool:
    """Pictures and frames that only count visitors."""
    small = {"0", "1", "0px", "1px"}
    return element.attr("width") in small and element.attr("height") in small


def _empty_root(tree: Tree) -> str:
    for element in tree.document.select(_ROOTS)[:_MOST_ROOTS]:
        if element.tag in ("html", "body"):
            continue
        if not short_text(element, 20) and not element.select("img,video,form,iframe,input"):
            return _spelled(element)
    return ""


def _spelled(element: Element) -> str:
    name = element.attr("id")
    return f'<{element.tag} id="{name}">' if name else f"<{element.tag}>"
