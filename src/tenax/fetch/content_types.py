"""Is this content type text that a page reader can use, or only something to record?"""

from __future__ import annotations

from functools import lru_cache

from tenax.page.media import PDF_TYPES

# Trees that never hold a page. SVG is an image although its suffix is +xml; multipart bodies
# (x-mixed-replace) are streams without an end.
_NEVER = frozenset({"audio", "font", "image", "message", "model", "multipart", "video"})
_TEXT_APPLICATIONS = frozenset({
    "atom", "ecmascript", "html", "javascript", "json", "jsonl", "ld-json", "ndjson", "rdf",
    "rss", "sitemap", "wml", "xhtml", "xml", "yaml",
})  # fmt: skip
_TEXT_SUFFIXES = ("+html", "+json", "+xml", "+yaml")


@lru_cache(maxsize=512)
def is_text(content_type: str | None) -> bool:
    """Whether the body is worth reading; a missing or meaningless type is, since sizes are capped.

    Within application/ only known text is read, everywhere else only known binaries are not.
    """
    tree, slash, name = _media_type(content_type).partition("/")
    if not slash:
        return True
    if tree == "application":
        return name.removeprefix("x-") in _TEXT_APPLICATIONS or name.endswith(_TEXT_SUFFIXES)
    return tree not in _NEVER


def is_readable(content_type: str | None, pdf: bool) -> bool:
    """The same where `pdf` says that PDF files are read, too."""
    return is_text(content_type) or (pdf and _media_type(content_type) in PDF_TYPES)


def _media_type(content_type: str | None) -> str:
    return (content_type or "").lower().replace(",", ";").split(";", 1)[0].strip()
