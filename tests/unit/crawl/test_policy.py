"""How much work at once, and when again? (FR-4, FE-7)"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.crawl.policy import LeasePolicy, RetryPolicy, retry_at

NOW = 1_790_000_000.0


@pytest.mark.parametrize(("spent", "wait"), [(0, 1.0), (1, 2.0), (2, 4.0), (3, 8.0), (4, 8.0)])
def test_the_wait_doubles_up_to_its_cap(spent: int, wait: float) -> None:
    policy = RetryPolicy(attempts=9, jitter=0.0)
    assert retry_at(spent, NOW, None, policy, Random(0)) == NOW + wait


def test_the_last_attempt_is_followed_by_none() -> None:
    assert retry_at(1, NOW, None, RetryPolicy(), Random(0)) is not None
    assert retry_at(2, NOW, None, RetryPolicy(), Random(0)) is None
    assert retry_at(0, NOW, None, RetryPolicy(attempts=1), Random(0)) is None


def test_what_the_server_asks_for_lengthens_the_wait_and_never_shortens_it() -> None:
    policy = RetryPolicy(jitter=0.0)
    assert retry_at(0, NOW, 30.0, policy, Random(0)) == NOW + 30
    assert retry_at(0, NOW, 0.1, policy, Random(0)) == NOW + 1


def test_nobody_makes_us_wait_longer_than_a_day() -> None:
    assert retry_at(0, NOW, 1e12, RetryPolicy(), Random(0)) == NOW + 86_400


@given(spent=st.integers(0, 50), seed=st.integers())
def test_jitter_stays_within_a_fifth(spent: int, seed: int) -> None:
    at = retry_at(spent, 0.0, None, RetryPolicy(attempts=99), Random(seed))
    plain = min(2.0**spent, 8.0)
    assert at is not None
    assert 0.8 * plain <= at <= 1.2 * plain


@given(delay=st.floats(0.001, 1e6), slots=st.integers(1, 64))
def test_an_assignment_is_never_empty_and_fits_its_horizon(delay: float, slots: int) -> None:
    policy = LeasePolicy()
    size = policy.size(delay, slots)
    assert 1 <= size <= policy.most_targets
    assert size == 1 or size * delay <= policy.horizon


def test_without_a_delay_every_slot_gets_its_share() -> None:
    policy = LeasePolicy(targets_per_slot=5)
    assert policy.size(0.0, 8) == 40
