"""Is every knob held to the bounds that it declares, wherever it is set?

The knobs are found by walking the tree of settings, so a new one is among them.
"""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.model import JobSpec, SiteRules
from tenax.model.knobs import Knob, OutOfBounds, checked, knob
from tenax.settings import SettingsError, declared, load, names

NUMBERS = {name: declared(name) for name in names() if "number" in declared(name).kind}
WORDS = {name: declared(name) for name in names() if declared(name).kind == "word"}
OPEN = {"recrawl.shortest": 1, "recrawl.interval": 1, "recrawl.longest": 1e300}
"""So that no knob contradicts another at its bound."""
OF_JOBS = {name: NUMBERS[f"job.{name}"] for name in JobSpec.__struct_fields__
           if f"job.{name}" in NUMBERS}  # fmt: skip


def at_load(name: str, value: Any) -> Any:
    """A knob as it is after somebody has set it, or an item of it."""
    given = [value] if declared(name).is_list else value
    loaded = load({**OPEN, name: given}, environment={})
    (found,) = [now for each, now, _ in loaded.rows() if each == name]
    return found[0] if declared(name).is_list else found


def outside(bounds: Knob) -> st.SearchStrategy[float]:
    below: st.SearchStrategy[float]
    above: st.SearchStrategy[float]
    if bounds.kind == "whole number":
        below = st.integers(-(2**62), max_value=int(least(bounds)) - 1)
        above = st.integers(int(bounds.most or 0) + 1, 2**62)
    else:
        below = st.floats(max_value=least(bounds), exclude_max=True) | st.just(math.nan)
        above = st.floats(min_value=bounds.most, exclude_min=True)
    return below if bounds.most is None else below | above


def inside(bounds: Knob) -> st.SearchStrategy[float]:
    if bounds.kind == "whole number":
        return st.integers(int(least(bounds)), None if bounds.most is None else int(bounds.most))
    return st.floats(least(bounds), bounds.most, allow_nan=False)


def least(bounds: Knob) -> float:
    assert bounds.least is not None
    return bounds.least


def test_every_number_declares_what_is_too_small() -> None:
    assert [name for name, bounds in NUMBERS.items() if bounds.least is None] == []


def test_every_knob_says_what_it_may_be() -> None:
    assert [name for name in names() if not declared(name).range] == []
    assert len(NUMBERS) > 100


@given(st.data(), st.sampled_from(sorted(NUMBERS)))
def test_what_is_out_of_bounds_is_refused_by_name_with_bound_and_unit(
    data: st.DataObject, name: str
) -> None:
    bounds = NUMBERS[name]
    value = data.draw(outside(bounds))
    with pytest.raises(SettingsError) as caught:
        at_load(name, value)
    told = str(caught.value)
    assert f"{name} = {value} (flag): " in told
    assert told.endswith(f"{bounds.range.removeprefix('list: ').removeprefix('≥ ')}.")
    assert bounds.unit.removesuffix("s") in told


def test_the_bounds_themselves_are_allowed_and_what_is_next_to_them_is_not() -> None:
    for name, bounds in NUMBERS.items():
        for bound, towards in ((bounds.least, -math.inf), (bounds.most, math.inf)):
            if bound is not None:
                assert at_load(name, bound) == bound
                with pytest.raises(SettingsError, match=rf"{re.escape(name)} = \S+ \(flag\): "):
                    at_load(name, next_to(bounds, bound, towards))


def next_to(bounds: Knob, value: float, towards: float) -> float:
    if bounds.kind == "number":
        return math.nextafter(value, towards)
    return int(value) + (1 if towards > value else -1)


@given(st.data(), st.sampled_from(sorted(set(NUMBERS) - set(OPEN) - {"job.recrawl"})))
def test_what_is_within_bounds_is_taken_as_it_is(data: st.DataObject, name: str) -> None:
    value = data.draw(inside(NUMBERS[name]))
    assert at_load(name, value) == value


@given(st.sampled_from(sorted(WORDS)), st.text(max_size=10))
def test_a_word_that_is_none_is_answered_with_those_there_are(name: str, word: str) -> None:
    if word in WORDS[name].words:
        assert at_load(name, word) == word
        return
    with pytest.raises(SettingsError) as caught:
        at_load(name, word)
    assert all(known in str(caught.value) for known in WORDS[name].words)


def test_what_a_site_may_be_set_to_is_checked_as_well() -> None:
    """None of its keys takes a list of a list."""
    for name in set(SiteRules.__struct_fields__) - {"host"}:
        assert knob(SiteRules, name).range
        with pytest.raises(SettingsError, match=rf"number 1, a\.example: {name}.* \(flag\)"):
            load({"sites": [{"host": "a.example", name: [[]]}]}, environment={})


@given(st.data(), st.sampled_from(sorted(OF_JOBS)))
def test_a_job_made_by_hand_is_held_to_the_same_bounds(data: st.DataObject, name: str) -> None:
    value: Any = data.draw(outside(OF_JOBS[name]))
    with pytest.raises(OutOfBounds) as caught:
        checked(JobSpec(**{name: value}))
    assert f"{name} = {value}: " in str(caught.value)
    value = data.draw(inside(OF_JOBS[name]))
    good = JobSpec(**{name: value})
    assert checked(good) == good
