"""When is a server of our own left alone?"""

from __future__ import annotations

from tenax.adapters.server_breaker import ServerBreaker


def test_failures_in_a_row_begin_a_rest() -> None:
    outage = ServerBreaker(3, 10.0)
    for at in (1.0, 2.0):
        outage.failed(at)
        assert not outage.is_on(at)
    outage.failed(3.0)
    assert outage.is_on(12.9)
    assert not outage.is_on(13.0)


def test_an_answer_between_them_forgives() -> None:
    outage = ServerBreaker(2, 10.0)
    outage.failed(1.0)
    outage.answered()
    outage.failed(2.0)
    assert not outage.is_on(2.0)


def test_after_the_rest_one_more_failure_begins_the_next() -> None:
    outage = ServerBreaker(2, 10.0)
    outage.failed(1.0)
    outage.failed(1.0)
    outage.failed(11.0)
    assert outage.is_on(20.0)
