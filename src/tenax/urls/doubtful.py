"""Which texts does the fast parser read by an older standard, and what do they say by today's?

can_ada is three times as fast as ada-url and carries an Ada of some years ago. They differ in hosts
with characters beyond ASCII, in `^`, and in what is no URL at all. So whatever could have one of
these, and whatever the fast one refuses, is given to the other, which is current (ADR 0034).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# A host with a character beyond ASCII, or an escape that may stand for one. What looks like a host
# and is none is read rightly as well, only slower. Tabs and line ends mean nothing anywhere.
_HOST = re.compile(
    r"[\x00-\x20]*(?:[a-zA-Z][\w+.\-\t\n\r]*:|[/\\][\t\n\r]*[/\\])"
    r"[/\\\t\n\r]*[^/\\?#]*[%\x80-\U0010ffff]"
)


def any_doubtful(texts: Sequence[str], joined: str) -> bool:
    """Whether any of a page's links is; `joined` is all of them one behind the other, because of
    nearly all pages that is enough to know."""
    if "^" in joined:
        return True
    if joined.isascii() and "%" not in joined:
        return False
    return any(is_doubtful(text) for text in texts if "%" in text or not text.isascii())


def is_doubtful(text: str) -> bool:
    if "^" in text:
        return True
    return ("%" in text or not text.isascii()) and _HOST.match(text) is not None


def resolve_anew(text: str, base: str | None) -> str | None:
    """The absolute URL, or None when the text is no URL, by the current standard. A base that is
    itself no URL counts as no base."""
    # Loaded for the first text that needs it.
    from ada_url import URL, check_url

    try:
        return str(URL(text, base if base is not None and check_url(base) else None).href)
    except ValueError:
        return None
