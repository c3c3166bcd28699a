"""What kind of text is this body, when the server said and when it did not?"""

from __future__ import annotations

import re
from enum import StrEnum

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
PDF_TYPES = frozenset({"application/pdf", "application/x-pdf"})
_SAYS_NOTHING = frozenset({
    "*/*", "application/octet-stream", "application/unknown", "binary/octet-stream",
    "unknown/unknown",
})  # fmt: skip
_SNIFFED = 1024
_HTML_START = re.compile(
    # Atomic, or a row of comments could be divided in exponentially many ways.
    rb"(?>(?:<!--.*?-->|\s)*)<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|base"
    rb"|div|table|h1|p|a|br|iframe|font|b)[\s/>]",
    re.IGNORECASE | re.DOTALL,
)
_XML_START = re.compile(rb"\s*<\?xml[\s?]")
_XHTML_ROOT = re.compile(rb"<html[\s>]", re.IGNORECASE)
_JSON_START = re.compile(rb"""\s*(?:\{\s*["}]|\[\s*["{\[\]\d])""")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")


class MediaKind(StrEnum):
    HTML = "html"
    XHTML = "xhtml"
    TEXT = "text"
    PDF = "pdf"
    BINARY = "binary"


def settle_type(header: str, body: bytes) -> str:
    """The media type to go by: the Content-Type header's, or a look at the body without one."""
    # Servers that send the header twice join it with a comma.
    content_type = header.replace(",", ";").split(";", 1)[0].strip().lower()
    if content_type in _SAYS_NOTHING or "/" not in content_type:
        return sniff(body)
    return content_type


def kind_of(content_type: str) -> MediaKind:
    """How to read a body of this type that was thought worth reading."""
    if content_type == "text/html":
        return MediaKind.HTML
    if content_type in _HTML_TYPES:
        return MediaKind.XHTML
    if content_type in PDF_TYPES:
        return MediaKind.PDF
    return MediaKind.BINARY if content_type == "application/octet-stream" else MediaKind.TEXT


def sniff(body: bytes) -> str:
    """A small part of WHATWG's MIME Sniffing: what a crawl meets without a type."""
    head = body[:_SNIFFED]
    marked = head.startswith(_MARKS)
    start = head.removeprefix(_MARKS[0])
    if _HTML_START.match(start):
        return "text/html"
    if _XML_START.match(start):
        return "application/xhtml+xml" if _XHTML_ROOT.search(start) else "application/xml"
    if _JSON_START.match(start):
        return "application/json"
    if not marked and _BINARY.search(head):
        return "application/octet-stream"
    return "text/plain"
