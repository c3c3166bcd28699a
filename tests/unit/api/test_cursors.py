"""Do cursors lead back to their place, and foreign ones nowhere?"""

from __future__ import annotations

import base64
import string
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.api import cursors
from tenax.api.problems import Problem

IDS = st.integers(0, 2**63 - 1)
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=80)


@given(IDS, NAMES, st.floats(0, 1e12))
def test_a_cursor_leads_back(id: int, name: str, at: float) -> None:
    assert cursors.number(cursors.encode(id)) == id
    assert cursors.name(cursors.encode(name)) == name
    assert cursors.moment(cursors.encode((at, id))) == (at, id)


def test_without_one_a_list_begins() -> None:
    assert cursors.number(None) == 0
    assert cursors.name(None) == ""
    assert cursors.moment(None) is None


@given(IDS)
def test_a_cursor_stands_in_an_address_as_it_is(id: int) -> None:
    assert set(cursors.encode(id)) <= set(string.ascii_letters + string.digits + "-_")


@pytest.mark.parametrize("read", [cursors.number, cursors.name, cursors.moment])
@given(text=st.text(max_size=60))
def test_a_foreign_one_is_a_problem_and_nothing_else(read: object, text: str) -> None:
    assert callable(read)
    with suppress(Problem):
        read(text)


@pytest.mark.parametrize("value", ["-1", "9223372036854775808", "1.5", '"1"', "null", "[1]", "1e3"])
def test_what_is_no_id_is_refused(value: str) -> None:
    made = base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")
    with pytest.raises(Problem):
        cursors.number(made)
