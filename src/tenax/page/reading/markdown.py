"""How does main content read as Markdown? Without what only a browser needs: permalink signs, hard
spaces; with links absolute, and their fragments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from urllib.parse import quote

from msgspec import Struct
from turbohtml import Axis, Element, Markdown, Text

from tenax.page.html import short_text
from tenax.page.reading.link_style import LinkStyle
from tenax.urls.normalise import resolve

_LANGUAGE = re.compile(
    r"\b(?:lang(?:uage)?|highlight(?:-source)?|brush:?|sourceCode)[-\s]\s*(\w[\w+#]*)"
)
_NO_LANGUAGE = frozenset({"default", "none", "notranslate", "plain", "text"})
_LAZY = ("data-src", "data-original", "data-lazy-src")
_HEADINGS = "h1,h2,h3,h4,h5,h6"
# What stands for "a link to this very place"; some write words, some draw a picture.
_SIGNS = frozenset({"¶", "#", "§", "🔗", "⚓", "⚓︎", "permalink", "anchor", "direct link"})
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_PICTURES = "img,picture,video"
_LONGEST_TITLE = 200
_AS_IT_IS = "!$&'*+,;=:@/?-._~%"
# Characters that are none, so no page can have meant them.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
MARK = re.compile(f"{_OPEN}(\\d*){_CLOSE}?|{_CLOSE}")


_OPTIONS = {
    LinkStyle.INLINE: Markdown(),
    LinkStyle.FOOT: Markdown(links=Markdown.Links(style="reference")),
    LinkStyle.NONE: Markdown(links=Markdown.Links(ignore=True), images=Markdown.Images(mode="alt")),
}


class Heading(Struct, frozen=True):
    """A heading, and what leads to it: the fragment of its address, empty where it has none."""

    title: str
    anchor: str


def render(parts: Sequence[Element], base_url: str, links: LinkStyle) -> str:
    """As a person would want to read it."""
    for part in parts:
        _prepare(part, base_url)
    return _written(parts, links)


def render_marked(
    parts: Sequence[Element], base_url: str, links: LinkStyle
) -> tuple[str, list[Heading]]:
    """The same with a `MARK` in every heading: the number it has in the list."""
    headings: list[Heading] = []
    for part in parts:
        found = [(h, _anchor_of(h)) for h in part.select(_HEADINGS)]
        _prepare(part, base_url)
        for heading, anchor in found:
            heading.append(Text(f"{_OPEN}{len(headings)}{_CLOSE}"))
            title = MARK.sub("", short_text(heading, _LONGEST_TITLE))
            headings.append(Heading(title, anchor))
    return _written(parts, links), headings


def cut_permalinks(part: Element) -> None:
    """Cut links that say nothing: to the very place they stand at, or without a word."""
    for link in part.select("a[href]"):
        is_near = (link.attr("href") or "").startswith("#")
        if _is_sign(link) if is_near else _is_empty(link):
            link.extract()


def _is_sign(link: Element) -> bool:
    return _is_empty(link) or _said(link) in _SIGNS


def _is_empty(link: Element) -> bool:
    return not _said(link) and link.select_one(_PICTURES) is None


def _said(link: Element) -> str:
    return link.text.translate(_INVISIBLE).strip().lower()


def _prepare(part: Element, base_url: str) -> None:
    cut_permalinks(part)
    if "\xa0" in part.text:
        for node in part.descendants:
            if isinstance(node, Text) and "\xa0" in node.data:
                node.data = node.data.replace("\xa0", " ")
    _make_absolute(part, base_url)
    _tell_languages(part)


def _written(parts: Sequence[Element], links: LinkStyle) -> str:
    options = _OPTIONS[links]
    if links is LinkStyle.FOOT and len(parts) > 1:
        # One numbering, and one list at the end.
        whole = Element("div")
        for part in parts:
            whole.append(part.extract())
        parts = [whole]
    return joined(part.to_markdown(options) for part in parts)


def joined(parts: Iterator[str] | tuple[str, ...]) -> str:
    # Soft hyphens say where a word may be broken; to whoever searches, they break it.
    return "\n\n".join(text for part in parts if (text := part.strip())).replace("\xad", "")


def _anchor_of(heading: Element) -> str:
    """What leads to a heading: its own id, its permalink, or the id of what it opens."""
    if name := heading.attr("id"):
        return name
    for link in heading.select('a[href^="#"]'):
        if _is_sign(link):
            return (link.attr("href") or "")[1:]
    for inner in heading.select("[id],a[name]")[:1]:
        return inner.attr("id") or inner.attr("name") or ""
    around = heading.parent
    if isinstance(around, Element) and around.tag in ("section", "article", "div"):
        first = next((c for c in around.children if isinstance(c, Element)), None)
        if first is not None and first.text == heading.text:
            return around.attr("id") or ""
    return ""


def _make_absolute(part: Element, base_url: str) -> None:
    for element in part.select("a[href],img"):
        if element.tag == "a":
            name, address = "href", element.attr("href") or ""
        else:
            name, address = "src", _picture(element)
        if absolute := resolve(address, base_url):
            element.attrs[name] = absolute + _fragment(address)
        for said in ("alt", "title"):
            if "\xa0" in (text := element.attr(said) or ""):
                element.attrs[said] = " ".join(text.split())


def _fragment(address: str) -> str:
    _, sign, name = address.strip().partition("#")
    # Escaped where a browser would, and what would end the link in Markdown.
    return f"#{quote(name, safe=_AS_IT_IS, errors='replace')}" if sign and name else ""


def _tell_languages(part: Element) -> None:
    """Name the language of listings as Markdown looks for it: many say it further up."""
    for listing in part.find_all("pre"):
        code = listing.find("code", axis=Axis.CHILDREN)
        around = [code, listing, *islice(listing.ancestors, 2)]
        names = (e.attr("class") or "" for e in around if isinstance(e, Element))
        language = next((found[1] for name in names if (found := _LANGUAGE.search(name))), "")
        if language and language not in _NO_LANGUAGE:
            if code is None:
                code = listing.wrap_children(Element("code"))
            code.attrs["class"] = f"language-{language}"


def _picture(image: Element) -> str:
    """Where a picture is; lazy ones keep that beside a placeholder."""
    source = image.attr("src") or ""
    if source and not source.startswith("data:"):
        return source
    return next((lazy for name in _LAZY if (lazy := image.attr(name))), source)
