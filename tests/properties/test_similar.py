"""Properties of SimHash: the same for everybody, and nothing near is out of reach (PAGE-2)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tenax.page.similar import BITS, MOST_DISTANCE, distance, reach, simhash, turns, unsigned
from tenax.page.text import bare, written

hashes = st.integers(0, 2**BITS - 1)
texts = st.text(max_size=400)
flips = st.sets(st.integers(0, BITS - 1), max_size=MOST_DISTANCE)


@given(st.binary(max_size=2_000))
def test_any_bytes_have_a_hash_of_64_bits_or_none(said: bytes) -> None:
    found = simhash(said)
    assert found is None or 0 <= found < 2**BITS
    assert simhash(said) == found


@given(texts, st.sampled_from([" ", "\n", "\t\t", "\r\n "]))
def test_white_space_never_counts(said: str, space: str) -> None:
    assert simhash(bare(written(said))) == simhash(bare(written(space.join(said))))


@given(hashes, flips)
def test_whatever_is_three_bits_away_is_within_reach_of_one_band(
    hashed: int, bits: set[int]
) -> None:
    other = hashed
    for bit in bits:
        other ^= 1 << bit
    assert distance(hashed, other) == len(bits)
    pairs = list(zip(turns(hashed), turns(other), strict=True))
    assert any(first <= there <= last for here, there in pairs for first, last in [reach(here)])
    # A turn moves bits about and changes none.
    assert {distance(here, there) for here, there in pairs} == {len(bits)}


@given(hashes, hashes)
def test_a_hash_is_within_reach_when_the_leading_bands_are_equal(one: int, other: int) -> None:
    for here, there in zip(turns(one), turns(other), strict=True):
        first, last = reach(here)
        assert (first <= there <= last) == (unsigned(here) >> 48 == unsigned(there) >> 48)


@given(hashes)
def test_what_a_database_keeps_is_the_hash(hashed: int) -> None:
    kept = turns(hashed)[0]
    assert -(2**63) <= kept < 2**63
    assert unsigned(kept) == hashed


@given(hashes, hashes, hashes)
def test_distance_is_a_distance(one: int, two: int, three: int) -> None:
    assert distance(one, one) == 0
    assert distance(one, two) == distance(two, one)
    assert distance(one, three) <= distance(one, two) + distance(two, three)
