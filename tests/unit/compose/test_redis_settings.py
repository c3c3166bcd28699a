"""Is what is wrong with the setting `redis` told before anything begins? (MODE-1)"""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tenax.compose.places import kept_since
from tenax.compose.redis import open_shared
from tenax.crawl.outages.best_effort_copies import BodyPolicy, Copies
from tenax.settings import Settings, SettingsError, load
from tenax.testing import VirtualClock

URL = "redis://:hidden@127.0.0.1:1/0"


def refusal(**settings: Any) -> str:
    with pytest.raises(SettingsError) as refused:
        open_shared(Settings(**settings), VirtualClock(), AsyncExitStack())
    return str(refused.value)


def test_without_redis_nothing_is_made() -> None:
    assert open_shared(Settings(), VirtualClock(), AsyncExitStack()) is None


def test_bodies_in_redis_need_a_redis() -> None:
    assert "need the setting redis" in refusal(content="redis:")
    assert refusal(bodies=BodyPolicy(copy=True)).startswith("bodies.copy")


def test_an_unknown_scheme_is_told_with_those_there_are_and_no_secret() -> None:
    told = refusal(redis="http://user:hidden@127.0.0.1/")
    assert "rediss://" in told
    assert "hidden" not in told


def test_a_missing_library_is_told_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    assert "pip install 'tenax-crawler[redis]'" in refusal(redis=URL)


def test_where_redis_is_the_store_bodies_are_laid_out_by_their_url() -> None:
    shared = open_shared(Settings(redis=URL, content="redis:"), VirtualClock(), AsyncExitStack())
    assert shared is not None
    assert not isinstance(shared.shelf(), Copies)
    assert shared.shelf() is not None


def test_copies_are_made_only_on_request() -> None:
    for copy, made in ((False, type(None)), (True, Copies)):
        wanted = Settings(redis=URL, bodies=BodyPolicy(copy=copy))
        shared = open_shared(wanted, VirtualClock(), AsyncExitStack())
        assert shared is not None
        assert isinstance(shared.shelf(), made)


def test_bodies_stay_where_they_do_not_run_out() -> None:
    assert kept_since(Settings(), 10_000.0) == 0.0
    assert kept_since(Settings(redis=URL, content="redis:"), 10_000.0) == 6_400.0


@pytest.mark.parametrize(
    "flag", [{"bodies.ttl": 0}, {"intake.at_once": 0}, {"intake.poll": 0}, {"intake.max_depth": -1}]
)
def test_values_that_make_no_sense_are_refused(flag: dict[str, int]) -> None:
    with pytest.raises(SettingsError, match=next(iter(flag)).replace(".", r"\.")):
        load(flag, environment={})
