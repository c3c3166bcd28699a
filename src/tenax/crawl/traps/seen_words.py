"""Was this said before, at this host, in this job? A set of hashes in bounded memory.

What is forgotten, because another hash took its place, is new again: the error is on the side of
visiting. The ledger keeps what pages said first, so that a restart remembers it.
"""

from __future__ import annotations

from array import array

from tenax.page.sketch import heard_first

_PLACES = 1 << 20
"""As twenty thousand pages have: a broad crawl returns to a host after a thousand others."""
_LAST = _PLACES - 1


class SeenWords:
    def __init__(self) -> None:
        self._known = array("I")

    def fresh(self, host: str, hashes: bytes) -> bytes:
        """Those that were not there; from now on they are."""
        if not self._known:
            self._known = array("I", (0,)) * _PLACES
        # What another host said stands in another place.
        return heard_first(self._known, hashes, hash(host) & _LAST)

    def recall(self, host: str, packed: bytes) -> None:
        """What pages of the host have said, as the ledger has it."""
        self.fresh(host, packed)
