"""Is a target known that was offered before, in small crawls and in large ones?"""

from __future__ import annotations

from hashlib import sha256

from tenax.crawl.seen_urls import Offered


def test_targets_stay_known_when_they_become_many() -> None:
    keys = [sha256(str(number).encode()).digest()[:12] for number in range(20_000)]
    offered = Offered()
    assert keys[0] not in offered
    for key in keys:
        offered.add(key)
        assert key in offered
    # A few share their slots with later ones.
    assert sum(key in offered for key in keys) > 19_500
    assert sha256(b"another").digest()[:12] not in offered
