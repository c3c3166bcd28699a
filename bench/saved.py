"""What is crawled where real pages are? A folder of saved pages, made into one site.

The pages stay as they were saved, but for the links: a relative one, which led to the site that the
page came from, leads to another page of the folder, always the same one; so every page has as many
links as it had, and all of them are answered. Absolute links stay, and lead out of the site.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from bench.site import Site

_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_LINK = re.compile(
    rb"""(<a(?:rea)?\b[^>]*?\shref\s*=\s*)(?:(["'])(.*?)\2|([^\s>"']+))""",
    re.IGNORECASE | re.DOTALL,
)
_ABSOLUTE = re.compile(rb"\s*(?:[a-zA-Z][a-zA-Z0-9+.-]*:|//|#|$)")
_BASE = re.compile(rb"<base\b[^>]*>", re.IGNORECASE)


def saved_pages(folder: Path) -> list[bytes]:
    """Every HTML file below the folder, by name."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES)
    return [path.read_bytes() for path in paths if path.is_file()]


def site_of(root: Path, pages: list[bytes]) -> Site:
    """The pages with links between them, and an index that names all of them."""
    # Names that say nothing: numbers would be counted on by whoever guesses.
    names = [_name(hashlib.sha256(b"%d" % number).digest()) for number in range(len(pages))]
    root.mkdir(parents=True)
    for name, body in zip(names, pages, strict=True):
        (root / name).write_bytes(turned_inwards(body, names))
    items = "\n".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    head = "<!DOCTYPE html><html><head><title>Saved pages</title></head>"
    (root / "index.html").write_text(f"{head}<body><ul>{items}</ul></body></html>")
    return Site(root, len(pages) + 1, sum(map(len, pages)) // max(1, len(pages)), real=True)


def turned_inwards(body: bytes, names: list[str]) -> bytes:
    """Every relative link of a page as one to another of these."""

    def turned(match: re.Match[bytes]) -> bytes:
        href, quote = (match[4], b'"') if match[4] else (match[3], match[2])
        if _ABSOLUTE.match(href):
            return match[0]
        path, mark, fragment = href.partition(b"#")
        name = names[int.from_bytes(hashlib.sha256(path).digest()[:4]) % len(names)]
        return match[1] + quote + name.encode() + mark + fragment + quote

    return _LINK.sub(turned, _BASE.sub(b"", body))


def _name(digest: bytes) -> str:
    pairs = zip(digest[:14:2], digest[1:14:2], strict=True)
    return "".join("bcdfghklmnprstvw"[one % 16] + "aeiou"[two % 5] for one, two in pairs) + ".html"
