"""What does `tenax serve` say when it cannot begin?"""

from __future__ import annotations

import pytest

from tenax.compose import api
from tenax.settings import SettingsError


def test_without_its_libraries_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    api.require_libraries()
    monkeypatch.setattr(api, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"pip install 'tenax-crawler\[api\]'"):
        api.require_libraries()
