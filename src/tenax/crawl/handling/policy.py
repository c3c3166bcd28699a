"""How much may a handler tell of one page, and how long may it take?"""

from __future__ import annotations

from msgspec import Struct

from tenax.model.knobs import AtLeastOne, Bytes, SomeSeconds


class HandlingPolicy(Struct, frozen=True):
    records: AtLeastOne = 1_000
    """Records that one handler may tell of one page."""
    record_bytes: Bytes = 100_000
    """Bytes that one record may have, as JSON."""
    seconds: SomeSeconds = 10.0
    """Seconds that one handler may take for one page; the visit waits for it."""
