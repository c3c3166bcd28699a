"""The URL of a content store is understood, or told what is wrong with it without its secrets."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack

import pytest

from tenax.compose.content import Around, open_content, open_store
from tenax.compose.places import ledger_path
from tenax.settings import Settings, SettingsError


async def opened(url: str) -> object:
    async with AsyncExitStack() as stack:
        return open_store(url, Around(Settings()), stack)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://somewhere", "unknown scheme 'ftp'. Use file:///PATH, s3://BUCKET/PREFIX or redis:"),
        ("/srv/content", "unknown scheme ''"),
        ("s3:", "use s3://BUCKET/PREFIX"),
        ("s3://bucket?bucket=x", "unknown bucket. Use endpoint and region"),
        ("s3://key:secret@bucket", "AWS_ACCESS_KEY_ID"),
        ("redis:", "need the setting redis"),
        ("file:content", "Use file:///PATH"),
    ],
)
async def test_what_is_wrong_is_told(url: str, told: str) -> None:
    with pytest.raises(SettingsError) as error:
        await opened(url)
    assert told in str(error.value)
    assert "secret" not in str(error.value)


async def test_s3_without_its_library_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.delitem(sys.modules, "tenax.adapters.content.s3", raising=False)
    with pytest.raises(SettingsError, match=r"pip install 'tenax-crawler\[s3\]'"):
        await opened("s3://bucket")


async def test_the_embedded_store_needs_none_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("obstore", "redis", "tenax.adapters.content.s3", "tenax.compose.redis"):
        monkeypatch.setitem(sys.modules, name, None)
    async with AsyncExitStack() as stack:
        open_content(Around(Settings()), stack)


def test_a_password_in_the_wrong_place_is_not_shown() -> None:
    with pytest.raises(SettingsError) as error:
        ledger_path(Settings(database="mysql://me:secret@somewhere/db"))
    assert "secret" not in str(error.value)
