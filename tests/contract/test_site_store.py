"""The promises of `SiteStore`: a change is seen by all, none is lost, secrets stay secret."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.adapters.local.vault import KEY_FILE, Vault
from tenax.adapters.sql.records.sites import SqlSites
from tenax.crawl.fleet.site_news import SiteNews
from tenax.model import SiteRules
from tenax.ports import SiteStore, Unavailable
from tenax.urls.sites import Sites
from tests.ledgers import LEDGERS, Ledger

FULL = SiteRules(
    "*.example", headers={"X-Key": "hunter2"}, cookies={"session": "s3cr3t"}, profile="browser",
    force_https=False, render="always", proxy="eu", interval=7_200.0, delay=2.5, concurrency=4,
    robots_on_error="allow", include=("*/p/*",), exclude=("re:/x/", "*?a=*"), max_pages=9,
    parser="generic", priority=3,
)  # fmt: skip


@pytest.fixture(params=LEDGERS)
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    async with LEDGERS[request.param](tmp_path) as made:
        yield made


async def store(ledger: Ledger, key: str = "") -> SiteStore:
    """As another process has it."""
    database = await ledger.open()
    ledger.stack.push_async_callback(database.close)
    return SqlSites(database, ledger.clock, Vault(ledger.folder, key))


async def test_rules_are_kept_whole_and_seen_by_others(ledger: Ledger) -> None:
    mine, theirs = await store(ledger), await store(ledger)
    assert (await theirs.version(), (await theirs.load(secrets=True)).rules) == (0, ())
    assert await mine.change(FULL.host, lambda _: FULL) == FULL
    read = await theirs.load(secrets=True)
    assert read.rules == (FULL,)
    assert read.version == await theirs.version() == 1


async def test_every_change_has_a_version_of_its_own(ledger: Ledger) -> None:
    sites = await store(ledger)
    seen = [await sites.version()]
    for change in (FULL, None, FULL, replace(FULL, delay=3.0), None):
        await sites.change(FULL.host, lambda _, new=change: new)  # type: ignore[misc]
        seen.append(await sites.version())
    assert seen == sorted(set(seen))
    assert (await sites.load(secrets=True)).rules == ()


async def test_of_changes_at_once_none_is_lost(ledger: Ledger) -> None:
    stores = [await store(ledger) for _ in range(4)]

    def adding(name: str) -> object:
        return lambda rules: replace(rules, exclude=(*(rules.exclude or ()), name))

    names = [str(number) for number in range(8)]
    await asyncio.gather(
        *(stores[n % 4].change("a.example", adding(name)) for n, name in enumerate(names))  # type: ignore[arg-type]
    )
    read = await stores[0].load(secrets=False)
    assert read.version == len(names)
    assert sorted(read.rules[0].exclude or ()) == names


async def test_what_is_sent_is_sealed_and_only_its_names_are_seen_without_the_key(
    ledger: Ledger,
) -> None:
    key = base64.b64encode(os.urandom(32)).decode()
    await (await store(ledger, key)).change(FULL.host, lambda _: FULL)
    rows = str(await ledger.sql("SELECT * FROM sites"))
    assert "hunter2" not in rows
    assert "s3cr3t" not in rows
    stranger = await store(ledger, base64.b64encode(os.urandom(32)).decode())
    (seen,) = (await stranger.load(secrets=False)).rules
    assert seen == replace(FULL, headers={"X-Key": ""}, cookies={"session": ""})
    with pytest.raises(Unavailable, match="another key"):
        await stranger.load(secrets=True)


async def test_rules_without_secrets_need_no_key(ledger: Ledger) -> None:
    await (await store(ledger)).change("a.example", lambda rules: replace(rules, delay=1.0))
    assert not (ledger.folder / KEY_FILE).exists()


async def test_who_cannot_open_a_new_secret_goes_on_by_what_was_known(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    mine = await store(ledger, base64.b64encode(os.urandom(32)).decode())
    await mine.change("a.example", lambda rules: replace(rules, delay=1.0))
    sites = Sites()
    news = SiteNews(await store(ledger), sites)
    await news.look()
    await news.open_secrets()
    await mine.change(FULL.host, lambda _: FULL)
    for _ in range(3):
        await news.look()
    assert sites.of("a.example").rules.delay == 1.0
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    await mine.change(FULL.host, lambda rules: replace(rules, headers=None, cookies=None))
    await news.look()
    assert sites.of("b.example").rules.delay == FULL.delay
