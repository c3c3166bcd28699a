"""How deep is the queue kept?"""

from __future__ import annotations

from tenax.crawl.fleet.handout import DispatchPolicy, missing

POLICY = DispatchPolicy(depth=100)


def test_an_empty_queue_is_filled() -> None:
    assert missing(0, POLICY) == 100


def test_a_queue_that_is_full_enough_is_left_alone() -> None:
    """A claim of one host costs as much as one of ten."""
    assert missing(100, POLICY) == 0
    assert missing(80, POLICY) == 0
    assert missing(75, POLICY) == 25


def test_a_queue_that_is_too_full_is_left_alone() -> None:
    assert missing(1_000, POLICY) == 0


def test_the_smallest_queue_is_filled_as_well() -> None:
    assert missing(0, DispatchPolicy(depth=1)) == 1
    assert missing(1, DispatchPolicy(depth=1)) == 0
