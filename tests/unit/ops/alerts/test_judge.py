"""Is somebody told once of each trouble, when it has lasted, and once when it is over? (OBS-4)"""

from __future__ import annotations

from msgspec.structs import replace

from tenax.ops.alerts.judge import Symptom, judge
from tenax.ops.alerts.rules import DEFAULTS, OF_PRODUCTS, AlertRule, AlertWhat, Limit, limits
from tenax.ports.checks import AlertRecord

ERRORS = {AlertWhat.ERRORS: Limit(0.2, 300.0)}
DISK = {AlertWhat.DISK: Limit(0.05, 0.0, is_upper=False)}


def lived(rules: dict[AlertWhat, Limit], what: AlertWhat, *values: float | None) -> list[str]:
    """What is written down of a trouble that is measured every minute; None is not measured."""
    known: dict[int, AlertRecord] = {}
    story = []
    for minute, value in enumerate(values):
        symptoms = [] if value is None else [Symptom(what, value, f"{value}")]
        found = judge(rules, symptoms, known.values(), 60.0 * minute)
        for record in found.new:
            known[1] = replace(record, id=1)
            story.append(f"{minute} {'raised' if record.raised_at is not None else 'begun'}")
        for record in found.changed:
            is_over = record.cleared_at is not None
            story.append(f"{minute} {'cleared' if is_over else 'raised'}")
            known.pop(1) if is_over else known.update({1: record})
        for _ in found.over:
            known.clear()
            story.append(f"{minute} forgotten")
    return story


def test_a_trouble_is_raised_when_it_has_lasted() -> None:
    bad = [0.5] * 8
    assert lived(ERRORS, AlertWhat.ERRORS, 0.1, *bad) == ["1 begun", "6 raised"]


def test_one_that_did_not_last_wakes_nobody() -> None:
    story = lived(ERRORS, AlertWhat.ERRORS, 0.5, 0.5, 0.1, 0.5)
    assert story == ["0 begun", "2 forgotten", "3 begun"]


def test_what_goes_to_and_fro_around_the_threshold_is_one_trouble() -> None:
    wavering = [0.5] * 6 + [0.19, 0.21, 0.19, 0.21, 0.1]
    assert lived(ERRORS, AlertWhat.ERRORS, *wavering) == ["0 begun", "5 raised", "10 cleared"]


def test_too_little_is_wrong_as_well() -> None:
    story = lived(DISK, AlertWhat.DISK, 0.5, 0.04, 0.051, 0.2, 0.01)
    assert story == ["1 raised", "3 cleared", "4 raised"]


def test_what_is_not_measured_any_more_is_over() -> None:
    assert lived(DISK, AlertWhat.DISK, 0.01, None) == ["0 raised", "1 cleared"]
    assert lived({}, AlertWhat.DISK, 0.01, 0.01) == []


def test_of_two_that_are_the_same_one_goes_on() -> None:
    """Two who remember an outage of the ledger may raise it at once."""
    one = AlertRecord(1, "disk", "", "4 %", 0.04, 0.0, 0.0)
    bad = [Symptom(AlertWhat.DISK, 0.04, "4 %")]
    found = judge(DISK, bad, [one, replace(one, id=2), replace(one, id=3, raised_at=None)], 9.0)
    assert found.changed == (replace(one, id=2, cleared_at=9.0),)
    assert (found.new, found.over) == ((), (3,))


def test_each_worker_is_a_trouble_of_its_own() -> None:
    rules = {AlertWhat.SILENT_WORKER: Limit(120.0, 0.0)}
    two = [Symptom(AlertWhat.SILENT_WORKER, 500.0, "", name) for name in "ab"]
    assert [record.about for record in judge(rules, two, [], 0.0).new] == ["a", "b"]


def test_rules_differ_from_their_defaults_in_what_they_name() -> None:
    found = limits([
        AlertRule(AlertWhat.ERRORS, threshold=0.5), AlertRule(AlertWhat.DISK, lasting=60.0),
        AlertRule(AlertWhat.RELAY, off=True),
    ])  # fmt: skip
    assert found[AlertWhat.ERRORS] == Limit(0.5, 300.0)
    assert found[AlertWhat.DISK] == Limit(0.05, 60.0, is_upper=False)
    assert AlertWhat.RELAY not in found
    assert set(limits([])) == set(AlertWhat) - set(OF_PRODUCTS) == set(DEFAULTS)
