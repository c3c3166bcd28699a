"""Which images show the product, and how does the page use them? (PROD-4)"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace
from turbohtml import Element

from tenax.model import Image, ImageKind
from tenax.page.for_sale.needles import Needles
from tenax.page.html import one_line
from tenax.page.product.outline import ProductOutline
from tenax.page.product.zones import Zone
from tenax.urls.normalise import resolve

_MOST: Final = 30
_ALT: Final = 300
"""Characters of an alternative text."""
_SMALL: Final = 160
"""Pixels of a side up to which a picture is a thumbnail."""
_NO_PICTURE = re.compile(
    r"(?:logo|icon|sprite|pixel|spacer|blank|placeholder|loading|badge|payment|"
    r"flag)[\w-]*\.|data:|\.svg",
    re.IGNORECASE,
)
# Whatever the pattern matches has one of these, and most addresses have none.
_CLUES = Needles((
    "logo", "icon", "sprite", "pixel", "spacer", "blank", "placeholder", "loading", "badge",
    "payment", "flag", "data:", ".svg",
))  # fmt: skip
_SIZES = re.compile(
    r"(?:[_-](?:\d{2,4}x\d{0,4}|\d{0,4}x\d{2,4}|small|thumb|medium|large|grande|compact|"
    r"pico|icon))(?=\.\w+$)",
    re.IGNORECASE,
)
_TAIL: Final = 80
_SOURCES = (
    "data-zoom-image",
    "data-large_image",
    "data-full",
    "data-src",
    "src",
    "data-lazy-src",
    "data-original",
)


def pictures(
    named: Sequence[str], page: ProductOutline, base: str, captions: Mapping[str, str]
) -> tuple[Image, ...]:
    """The product's images: those named for machines first, then those of the gallery.

    `captions` is what machines are told of pictures, by URL.
    """
    shown = _shown(page, base)
    by_key = {_key(image.url): image for image in reversed(shown)}
    found: dict[str, Image] = {}
    for url in named:
        absolute = _absolute(url, base)
        if absolute and _key(absolute) not in found:
            seen = by_key.get(_key(absolute))
            found[_key(absolute)] = Image(absolute) if seen is None else replace(seen, url=absolute)
    for image in shown:
        found.setdefault(_key(image.url), image)
    taken = list(found.values())[:_MOST]
    # Most are described where they stand.
    alts = _alts(page, base, captions) if any(not image.alt for image in taken) else {}
    return tuple(
        Image(image.url, image.alt or alts.get(_key(image.url), ""),
              ImageKind.PRIMARY if place == 0 else image.kind, place, image.width, image.height)
        for place, image in enumerate(taken)
    )  # fmt: skip


def _alts(page: ProductOutline, base: str, captions: Mapping[str, str]) -> dict[str, str]:
    """What is said of each picture, wherever the page shows it, in whichever size."""
    alts: dict[str, str] = {}
    for _, element, _ in page.images:
        alt = one_line(element.attr("alt") or "", _ALT)
        if alt:
            for name in _SOURCES:
                said = element.attr(name)
                if said and (absolute := _absolute(said, base)):
                    alts.setdefault(_key(absolute), alt)
    for url, caption in captions.items():
        alts.setdefault(_key(_absolute(url, base)), caption)
    return alts


def _shown(page: ProductOutline, base: str) -> list[Image]:
    found = []
    for place, element, zone in page.images:
        if page.is_away(place, zone) or zone & Zone.HIDDEN:
            continue
        near = -600 <= place - page.heading_place <= 600 if page.heading_place >= 0 else True
        if not (zone & Zone.GALLERY or (near and zone & Zone.MAIN) or _is_large(element)):
            continue
        url = next((said for name in _SOURCES if (said := element.attr(name))), "")
        absolute = _absolute(url, base)
        if absolute and not (_CLUES.within(absolute) and _NO_PICTURE.search(absolute)):
            width, height = _side(element, "width"), _side(element, "height")
            names = (element.attr("class") or "").lower()
            small = "thumb" in names or (width is not None and width <= _SMALL)
            kind = ImageKind.THUMBNAIL if small else ImageKind.GALLERY
            found.append(
                Image(absolute, one_line(element.attr("alt") or "", _ALT), kind, 0, width, height)
            )
    return found


def _is_large(element: Element) -> bool:
    width = _side(element, "width")
    return width is not None and width >= 300


def _side(element: Element, name: str) -> int | None:
    text = (element.attr(name) or "").strip().removesuffix("px")
    return int(text) if text.isdecimal() and len(text) < 6 and int(text) > 0 else None


def _absolute(url: str, base: str) -> str:
    url = url.strip()
    if not url or url.startswith("data:"):
        return ""
    absolute = resolve(url, base) or ""
    return absolute if absolute.startswith(("http://", "https://")) else ""


def _key(url: str) -> str:
    """The same for all sizes of one picture, as far as their names tell."""
    bare = url.removeprefix("https:").removeprefix("http:")
    # Before a query nothing is cut, and what is cut without one stands at the end.
    address, has_query, _ = bare.partition("?")
    return address if has_query else bare[:-_TAIL] + _SIZES.sub("", bare[-_TAIL:])
