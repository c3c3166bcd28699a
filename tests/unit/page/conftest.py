"""Pages are read by compiled code where it was built, and say the same without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.either_way import compiled, in_python, required


@pytest.fixture(params=["compiled", "in Python"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "in Python":
        with in_python():
            yield
    elif required():
        with compiled():
            yield
    else:
        pytest.skip("tenax.page._native was not built: there was no C compiler")
