"""What can go wrong that is nobody's bug? A server cannot be had here, and that is said plainly."""

from __future__ import annotations


class Missing(Exception):
    """The service cannot be had on this machine; the text says why and what to do."""
