"""Durations as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.jobs.durations import DurationError, parse_duration, tell_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("30m", 1_800),
        ("6h", 21_600),
        ("1d12h", 129_600),
        (" 1 Day, ".replace(",", ""), 86_400),
        ("2 weeks", 1_209_600),
        ("1.5h", 5_400),
        ("1h 30min 5 secs", 5_405),
    ],
)
def test_numbers_with_units_are_added_up(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "h", "1x", "1h1h", "30m1h", "-1h", "1e3s", "0s", "1hm"])
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    with pytest.raises(DurationError, match=r"Write 90s|more than nothing"):
        parse_duration(text)


def test_nothing_lasts_longer_than_ten_years() -> None:
    with pytest.raises(DurationError, match="ten years"):
        parse_duration("9" * 400 + "s")


@given(st.integers(1, 100_000_000))
def test_what_is_told_can_be_read_again(seconds: int) -> None:
    assert parse_duration(tell_duration(seconds)) == seconds
