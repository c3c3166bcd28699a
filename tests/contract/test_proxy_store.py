"""The promises of `Proxies`: what is added is there, what happened adds up, secrets stay secret."""

from __future__ import annotations

import base64
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.local.vault import KEY_FILE, Vault
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.records.proxies import SqlProxies
from tenax.adapters.sql.schema.tables import proxies
from tenax.fetch.proxies.choice import ProxyPolicy, disabled, parse_proxy
from tenax.model import Proxy, ProxyEvent, ProxyHealth, ProxyReport
from tenax.ports import Proxies, Unavailable
from tests.ledgers import LEDGERS

PASSWORD = "correct horse battery staple"
USER = "customer-4711"


def proxy(url: str, name: str, group: str = "eu", priority: int = 100) -> Proxy:
    address = parse_proxy(url)
    return Proxy(name, address, group=group, priority=priority, has_login=bool(address.username))


PLAIN = proxy("http://10.0.0.1:3128", "plain")
SECRET = proxy(f"socks5://{USER}:{PASSWORD}@[2001:db8::1]:1080", "secret", priority=7)


@dataclass
class Place:
    """A folder with a ledger, which several processes may have open."""

    folder: Path
    open: Callable[[], Awaitable[Transactions]]
    stack: AsyncExitStack

    async def store(self, key: str = "") -> Proxies:
        database = await self.open()
        self.stack.push_async_callback(database.close)
        return SqlProxies(database, Vault(self.folder, key), ProxyPolicy())


@pytest.fixture(params=LEDGERS)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as stack, LEDGERS[request.param](tmp_path) as ledger:
        yield Place(tmp_path, ledger.open, stack)


@pytest.fixture
async def store(place: Place) -> Proxies:
    return await place.store()


async def test_what_is_added_is_there(store: Proxies) -> None:
    assert await store.add(PLAIN)
    (found,) = await store.sync(())
    assert found == replace(PLAIN, id=found.id)


async def test_a_name_is_given_once(store: Proxies) -> None:
    assert await store.add(PLAIN)
    assert not await store.add(replace(SECRET, name="plain"))
    assert [each.address for each in await store.all()] == [PLAIN.address]


async def test_proxies_are_listed_by_group_and_name(store: Proxies) -> None:
    for name, group in (("b", "us"), ("c", "eu"), ("a", "us")):
        await store.add(replace(PLAIN, name=name, group=group))
    assert [each.name for each in await store.all()] == ["c", "a", "b"]


async def test_a_removed_proxy_is_gone_and_its_number_is_not_used_again(store: Proxies) -> None:
    await store.add(PLAIN)
    (old,) = await store.all()
    assert await store.remove("plain")
    assert not await store.remove("plain")
    await store.add(PLAIN)
    (new,) = await store.sync([ProxyReport(old.id, ProxyEvent.FAILED, 1.0)])
    assert new.id != old.id
    assert new.health == ProxyHealth()


async def test_a_change_is_kept(store: Proxies) -> None:
    await store.add(SECRET)
    changed = await store.change(
        "secret", lambda p: replace(p, group="us", priority=1, health=disabled(p.health))
    )
    (found,) = await store.all()
    assert found == changed
    assert (found.group, found.priority, found.health.disabled) == ("us", 1, "by hand")
    assert (await store.sync(()))[0].address == SECRET.address, "and the secret with it"
    assert await store.change("nobody", lambda p: p) is None


async def test_reports_of_several_processes_add_up(place: Place) -> None:
    one, other = await place.store(), await place.store()
    await one.add(PLAIN)
    (known,) = await one.all()
    for store, event in ((one, "answered"), (other, "failed"), (one, "failed")):
        await store.sync([ProxyReport(known.id, ProxyEvent(event), 5.0, 80.0)] * 2)
    (found,) = await other.sync(())
    assert (found.health.successes, found.health.failures) == (2, 4)
    assert found.health.bans == 1, "the third failure in a row, whoever saw it"
    assert found.health.banned_until == 305.0
    assert found.health.average_ms == 80.0


# -- Secrets (SEC-3)


async def test_secrets_come_back_where_they_are_used_and_only_there(store: Proxies) -> None:
    await store.add(SECRET)
    (used,) = await store.sync(())
    (listed,) = await store.all()
    assert used.address == SECRET.address
    assert (listed.address.username, listed.address.password) == ("", "")
    assert listed.has_login


async def test_neither_file_nor_row_of_the_ledger_holds_user_or_password(place: Place) -> None:
    store = await place.store()
    await store.add(SECRET)
    await store.sync([ProxyReport(1, ProxyEvent.ANSWERED, 1.0, 1.0)])
    await place.stack.aclose()
    written = b"".join(path.read_bytes() for path in place.folder.rglob("*") if path.is_file())
    written += b"".join([value for row in await rows(place) for value in row])
    assert b"2001:db8::1" in written, "else nothing was looked at"
    for secret in (PASSWORD, USER):
        assert secret.encode() not in written
        assert base64.b64encode(secret.encode())[:-4] not in written


async def rows(place: Place) -> list[list[bytes]]:
    """All there are in the table, byte for byte."""
    database = await place.open()
    found = await database.read(lambda c: c.execute(sa.select(proxies)).all())
    await database.close()
    return [[v if isinstance(v, bytes) else str(v).encode() for v in row] for row in found]


async def test_the_key_file_is_made_when_it_is_needed_and_for_its_owner_alone(
    place: Place,
) -> None:
    store = await place.store()
    await store.add(PLAIN)
    await store.sync(())
    assert not (place.folder / KEY_FILE).exists()
    await store.add(SECRET)
    assert (place.folder / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in place.folder.glob(".secret*")] == []


async def test_a_key_of_the_settings_leaves_no_file(place: Place) -> None:
    key = base64.b64encode(os.urandom(32)).decode()
    store = await place.store(key)
    await store.add(SECRET)
    assert not (place.folder / KEY_FILE).exists()
    (found,) = await (await place.store(key)).sync(())
    assert found.address.password == PASSWORD


async def test_another_key_is_told_plainly(place: Place) -> None:
    await (await place.store()).add(SECRET)
    other = await place.store(base64.b64encode(os.urandom(32)).decode())
    with pytest.raises(Unavailable, match=r"sealed with another key.*TENAX_SECRET_KEY") as caught:
        await other.sync(())
    assert PASSWORD not in str(caught.value)
    assert [each.name for each in await other.all()] == ["secret"], "a list needs no key"


async def test_a_lost_key_file_is_told_and_not_replaced(place: Place) -> None:
    await (await place.store()).add(SECRET)
    (place.folder / KEY_FILE).unlink()
    with pytest.raises(Unavailable, match=r"secret\.key is gone"):
        await (await place.store()).sync(())
    assert not (place.folder / KEY_FILE).exists()


async def test_a_key_file_others_may_read_is_refused(place: Place) -> None:
    await (await place.store()).add(SECRET)
    (place.folder / KEY_FILE).chmod(0o644)
    with pytest.raises(Unavailable, match="chmod 600"):
        await (await place.store()).sync(())


@pytest.mark.parametrize(
    "key", ["password", "ab==", "*" * 44, base64.b64encode(b"x" * 16).decode()]
)
async def test_what_is_no_key_is_told_without_repeating_it(place: Place, key: str) -> None:
    store = await place.store(key)
    with pytest.raises(Unavailable, match="openssl rand -base64 32") as caught:
        await store.add(SECRET)
    assert f" {key}" not in str(caught.value)


async def test_a_secret_moved_to_another_proxy_opens_nothing(place: Place) -> None:
    """Whoever can write the ledger must not send our password to a proxy of theirs."""
    store = await place.store()
    await store.add(SECRET)
    await store.add(replace(PLAIN, name="theirs"))
    database = await place.open()
    place.stack.push_async_callback(database.close)
    await database.write(
        lambda c: c.exec_driver_sql(
            "UPDATE proxies SET secret = (SELECT secret FROM proxies WHERE name = 'secret')"
            " WHERE name = 'theirs'"
        )
    )
    with pytest.raises(Unavailable, match=r"10\.0\.0\.1:3128 is damaged"):
        await store.sync(())


async def test_the_same_secret_never_looks_the_same_twice(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    assert vault.seal("a", "b") != vault.seal("a", "b")
    assert "secret" in repr(vault)
    assert (tmp_path / KEY_FILE).read_text().strip() not in repr(vault)
