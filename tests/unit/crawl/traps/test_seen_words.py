"""What a host's pages have said is known again, in bounded memory (URL-6)."""

from __future__ import annotations

from tenax.crawl.traps.seen_words import SeenWords
from tenax.page.sketch import pack, unpack


def fresh(seen: SeenWords, host: str, *hashes: int) -> list[int]:
    return unpack(seen.fresh(host, pack(hashes)))


def test_what_was_said_is_new_once() -> None:
    seen = SeenWords()
    assert fresh(seen, "a.example", 7, 9) == [7, 9]
    assert fresh(seen, "a.example", 9, 11) == [11]


def test_another_host_may_say_it_for_the_first_time() -> None:
    seen = SeenWords()
    fresh(seen, "a.example", 7)
    assert fresh(seen, "b.example", 7) == [7]


def test_what_the_ledger_has_is_known() -> None:
    seen = SeenWords()
    seen.recall("a.example", pack((7, 0xFFFFFFFF)))
    assert fresh(seen, "a.example", 7, 8, 0xFFFFFFFF) == [8]


def test_what_takes_the_place_of_another_makes_it_new_again() -> None:
    """The error is on the side of visiting."""
    seen = SeenWords()
    one, other = 7, 7 + (4 << 20)
    fresh(seen, "a.example", one)
    assert fresh(seen, "a.example", other) == [other]
    assert fresh(seen, "a.example", one) == [one]
