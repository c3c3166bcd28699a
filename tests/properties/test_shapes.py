"""Whatever the URL, it has a short shape that does not depend on its figures. (URL-6)"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tenax.urls.shapes import LONGEST, _whole_shape, family_of, shape_of

paths = st.text(max_size=200) | st.lists(
    st.sampled_from(
        ["", "a", "news", "2026", "11", "a-b", "en", "x.html", "%E4", "deadbeef01", ";"]
    ),
    max_size=12,
).map(lambda parts: "/" + "/".join(parts))
queries = st.text(max_size=60) | st.just("a=1&b=2&c=3&d=4&e=5")


@given(paths, queries)
def test_every_url_has_a_short_shape_in_a_family(path: str, query: str) -> None:
    shape = shape_of(f"{path}?{query}")
    assert shape.startswith("/")
    assert len(shape) <= LONGEST
    assert family_of(shape).startswith("/")
    assert len(family_of(shape)) <= LONGEST + 2


@given(paths)
def test_a_known_folder_makes_no_difference(path: str) -> None:
    assert shape_of(path) == _whole_shape(path)


@given(st.lists(st.sampled_from(["news", "a-b-c", "x", "tag"]), min_size=1, max_size=5),
       st.integers(0, 10**6), st.integers(0, 10**6))  # fmt: skip
def test_numbers_make_no_difference(parts: list[str], one: int, other: int) -> None:
    path = "/" + "/".join(parts)
    assert shape_of(f"{path}/{one}?page={one}") == shape_of(f"{path}/{other}?page={other}")


@given(st.permutations(["a=1", "b=2", "c=3"]))
def test_the_order_of_a_query_makes_no_difference(parameters: list[str]) -> None:
    assert shape_of("/x?" + "&".join(parameters)) == shape_of("/x?a=1&b=2&c=3")
