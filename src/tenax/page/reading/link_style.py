"""How are links written in Markdown? Apart from what writes them: commands name these."""

from __future__ import annotations

from enum import StrEnum


class LinkStyle(StrEnum):
    INLINE = "inline"
    FOOT = "foot"
    """Numbered, with their addresses at the end."""
    NONE = "none"
    """As their text alone, and pictures as what is said of them."""
