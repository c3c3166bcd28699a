"""What would a person read on a page, however long it takes to find out?

trafilatura's answer, and ours where it finds much less. It is an extra, imported when asked for:
nothing of a crawl needs it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from tenax.page.bounds import why_too_large
from tenax.page.charset import decode
from tenax.page.reading import main_content
from tenax.page.reading.main_content import Markup

# It leaves out what it doubts: with less than this of our text, it doubted too much.
_TOO_LITTLE = 0.3
_THE_SAME = 0.5


class NotInstalled(ModuleNotFoundError):
    """The extra is not there; the message says how to get it."""


def require() -> None:
    """Raises `NotInstalled` when there is no trafilatura."""
    if find_spec("trafilatura") is None:
        raise NotInstalled("quality needs another library: pip install 'tenax[quality]'.")


def main_text(markup: Markup) -> str:
    return _better(_extract(markup, ""), main_content.main_text(markup))


def main_markdown(markup: Markup, base_url: str) -> str:
    """Ours, which knows listings and captions; theirs where the two read different things."""
    ours = main_content.main_markdown(markup, base_url)
    text = main_text(markup)
    if _share(text, ours) >= _THE_SAME:
        return ours
    theirs = _extract(
        markup,
        base_url,
        output_format="markdown",
        include_formatting=True,
        include_images=True,
        include_links=True,
    )
    return _better(theirs, ours)


def _better(theirs: str, ours: str) -> str:
    return ours if len(theirs) < _TOO_LITTLE * len(ours) else theirs


def _share(text: str, other: str) -> float:
    """Which part of the words of a text the other has, and the other way round: the smaller."""
    these, those = set(text.split()), set(other.split())
    both = len(these & those)
    return both / max(1, len(these), len(those))


def _extract(markup: Markup, url: str, **options: Any) -> str:
    from trafilatura import extract

    if why_too_large(markup.body, markup.charset):
        return ""
    html = decode(markup.body, markup.charset)
    try:
        found = extract(html, url=url or None, include_comments=False, **options)
    except Exception:
        # Third-party code on any bytes at all: what it cannot read, ours can.
        return ""
    return (found or "").strip().replace("\xad", "")
