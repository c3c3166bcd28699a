"""Pages are read by compiled code where it was built, and say the same without it."""

from __future__ import annotations

import os

import pytest

from tenax.page import native


@pytest.fixture(params=["compiled", "in Python"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "in Python":
        monkeypatch.setattr(native, "NATIVE", None)
    elif native.NATIVE is None:
        assert not os.environ.get("CI"), "tenax.page._native was not built"
        pytest.skip("tenax.page._native was not built: there was no C compiler")
