"""Are counts of several processes added up, each once? (OBS-1)"""

from __future__ import annotations

import msgspec

from tenax.fetch.tally import Histogram, Tallies, Tally


def some(times: int) -> Tally:
    tally = Tally(codes={200: times}, pages=times, visits={"read": times})
    for _ in range(times):
        tally.durations.observe(30.0)
        tally.database["write"].observe(0.25)
    return tally


def test_a_value_on_a_bound_belongs_below_it() -> None:
    histogram = Histogram((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 2.0, 9.0):
        histogram.observe(value)
    assert histogram.counts == [2, 2, 1]
    assert histogram.total == 14.0


def test_every_field_is_added_up() -> None:
    total = some(3)
    total.add(some(4))
    assert total == some(7)
    filled = Tally()
    for name in Tally.__struct_fields__:
        if isinstance(getattr(filled, name), int):
            setattr(filled, name, 1)
    twice = Tally()
    twice.add(filled)
    twice.add(filled)
    left = [n for n in Tally.__struct_fields__ if getattr(filled, n) == 1 != getattr(twice, n) / 2]
    assert left == []


def test_a_process_that_has_ended_counts_on_and_a_report_replaces_the_one_before() -> None:
    tallies = Tallies()
    tallies.own.add(some(1))
    tallies.heard(7, some(2))
    tallies.heard(7, some(5))
    tallies.heard(8, some(10))
    assert tallies.total() == some(16)
    assert tallies.own == some(1)


def test_a_tally_can_be_sent() -> None:
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(some(3)), type=Tally)
    assert sent == some(3)
