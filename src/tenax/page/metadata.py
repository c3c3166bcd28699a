"""What does a page say about itself: title, description, language, canonical, base?"""

from __future__ import annotations

import re
from itertools import islice

from msgspec import Struct

from tenax.page.html import one_line, title_element
from tenax.page.links import clean_href
from tenax.page.markings import Markings
from tenax.page.rules import MOST_METAS
from tenax.urls.normalise import resolve

_LONGEST_TITLE = 1_000
_LONGEST_DESCRIPTION = 2_000
_LONGEST_URL = 8_000
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*", re.IGNORECASE)
# One tag often serves two readers: name=description property=og:description.
_META_NAMES = ("name", "property", "itemprop", "http-equiv")
_WEB = ("http://", "https://")


class Metas(Struct, frozen=True):
    """The page's meta tags by lower-case name, property, itemprop or http-equiv; first wins."""

    first: dict[str, str]
    robots: tuple[tuple[str, str], ...]
    """(name, content) of every tag addressed to robots: all of them count, not the first."""


def read_metas(page: Markings, token: str) -> Metas:
    first: dict[str, str] = {}
    robots: list[tuple[str, str]] = []
    addressed = ("robots", token.lower())
    for meta in islice(page.found["meta"], MOST_METAS):
        content = meta.attr("content")
        if not content:
            continue
        for attribute in _META_NAMES:
            if name := meta.attr(attribute):
                name = name.strip().lower()
                first.setdefault(name, content)
                if name in addressed:
                    robots.append((name, content))
    return Metas(first, tuple(robots))


def title_of(page: Markings, metas: Metas) -> str:
    element = title_element(page)
    title = "" if element is None else one_line(element.text, _LONGEST_TITLE)
    return title or one_line(metas.first.get("og:title", ""), _LONGEST_TITLE)


def description_of(metas: Metas) -> str:
    text = metas.first.get("description") or metas.first.get("og:description", "")
    return one_line(text, _LONGEST_DESCRIPTION)


def language_of(page: Markings, metas: Metas) -> str:
    """The declared language as a tag like "en" or "pt-BR"; empty when none is declared."""
    declared = page.root.attr("lang") or page.root.attr("xml:lang")
    for text in (declared, metas.first.get("content-language")):
        if text and (language := language_tag(text)):
            return language
    return ""


def language_tag(text: str) -> str:
    """The first tag of a list in its usual spelling; empty when it is none (RFC 5646)."""
    tag = text[:100].split(",", 1)[0].strip().replace("_", "-")
    if not _LANGUAGE.fullmatch(tag):
        return ""
    language, *subtags = tag.split("-")
    return "-".join([language.lower(), *(_spelled(subtag) for subtag in subtags)])


def base_of(page: Markings, url: str) -> str:
    """What the links resolve against: the first base href that is of the web, else the URL."""
    for base in page.found["base"][:1]:
        href = base.attr("href")
        if href and (absolute := _on_the_web(resolve(href, url))):
            return absolute
    return url


def absolute_page(href: str, base: str) -> str:
    """The absolute http(s) URL of an href; empty when it leads elsewhere or nowhere."""
    cleaned = clean_href(href)
    return (_on_the_web(resolve(cleaned, base)) or "") if cleaned else ""


def _on_the_web(url: str | None) -> str | None:
    return url if url and len(url) <= _LONGEST_URL and url.startswith(_WEB) else None


def _spelled(subtag: str) -> str:
    if len(subtag) == 2:
        return subtag.upper()
    return subtag.title() if len(subtag) == 4 and subtag.isalpha() else subtag.lower()
