"""Which words touch in the source, and not on the screen?

A style sheet puts `<span>New</span><span>5 stars</span>` beside each other or below. To whoever
reads without it they would be one word.
"""

from __future__ import annotations

from itertools import islice

from turbohtml import Element, Text

from tenax.page.reading.clutter import MOST_MEASURED

_INLINE = ("a", "span", "label", "time", "small")
_AS_WRITTEN = frozenset({"pre", "code"})
_LEVELS = 12
# Scripts behind these do not part words by spaces.
_SPACED = "\u2e80"


def keep_apart(part: Element) -> None:
    """Put a space between elements in a line that touch with words."""
    left = MOST_MEASURED * len(part.text)
    for element in list(part.iter_elements(_INLINE)):
        beside = element.next_sibling
        if type(beside) is not Element or beside.tag not in _INLINE:
            continue
        before, behind = element.text, beside.text
        left -= len(before) + len(behind)
        if left < 0:
            return
        if _touch(before, behind) and not _is_as_written(element):
            element.insert_after(Text(" "))


def _touch(before: str, behind: str) -> bool:
    if not (before and behind and before[-1].isalnum() and behind[0].isalnum()):
        return False
    # A letter of its own may be the first of a word, drawn larger.
    return (
        max(before[-1], behind[0]) < _SPACED
        and not (len(before) == 1 and before.isalpha())
        and not (len(behind) == 1 and behind.isalpha())
    )


def _is_as_written(element: Element) -> bool:
    return any(getattr(e, "tag", "") in _AS_WRITTEN for e in islice(element.ancestors, _LEVELS))
