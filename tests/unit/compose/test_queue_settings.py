"""Which queue do the settings name, and what is said when they name none? (MODE-1)"""

from __future__ import annotations

import sys

import pytest

from tenax.compose.queue import has_queue, open_queue
from tenax.settings import Settings, SettingsError, load
from tests.ledgers import HandClock


async def opened(settings: Settings) -> str:
    async with open_queue(settings, HandClock()) as queue:
        return type(queue).__name__


@pytest.mark.parametrize(
    ("queue", "kind"),
    [
        ("", "NoneType"),
        ("direct", "NoneType"),
        ("redis:", "RedisQueue"),
        ("redis://127.0.0.1:1/3", "RedisQueue"),
        ("unix:///run/redis.sock", "RedisQueue"),
        ("amqp://me:hush@127.0.0.1:1", "CeleryQueue"),
    ],
)
async def test_a_url_names_the_queue_and_nobody_is_asked_yet(queue: str, kind: str) -> None:
    assert await opened(Settings(queue=queue, redis="redis://127.0.0.1:1/0")) == kind


@pytest.mark.parametrize("queue", ["kafka://127.0.0.1", "rabbit", "sqs://me:hush@there"])
def test_an_unknown_one_is_an_error_that_lists_the_known_ones(queue: str) -> None:
    with pytest.raises(SettingsError) as caught:
        has_queue(Settings(queue=queue))
    for known in ("redis:", "redis://", "amqp://"):
        assert known in str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "queue", ["redis://:hu/sh@there", "amqp://me:hu/sh@there", "amqp://there:hush"]
)
async def test_a_url_that_is_none_is_an_error_that_keeps_its_secret(queue: str) -> None:
    with pytest.raises(SettingsError, match=r"^queue: .*%2F") as caught:
        await opened(Settings(queue=queue))
    assert "hu" not in str(caught.value)


@pytest.mark.parametrize(
    ("queue", "library", "extra"),
    [("redis://127.0.0.1", "redis", "redis"), ("amqp://127.0.0.1", "celery", "celery")],
)
async def test_a_missing_library_is_told_by_the_extra_that_brings_it(
    queue: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = "tenax.adapters.celery.queue" if library == "celery" else f"{library}.asyncio"
    for name in [name for name in sys.modules if name == ours or name.startswith(f"{library}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(SettingsError, match=rf"tenax-crawler\[{extra}\]"):
        await opened(Settings(queue=queue))


def test_the_environment_can_name_it() -> None:
    environment = {
        "TENAX_QUEUE": "redis:",
        "TENAX_REDIS": "redis://there",
        "TENAX_HEALTH__PORT": "1",
    }
    settings = load({}, environment=environment).settings
    assert has_queue(settings)
    assert settings.health.port == 1
