"""The proxy table: health merged from all processes, credentials encrypted at rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.local.vault import Vault
from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import proxies
from tenax.fetch.proxies.choice import ProxyPolicy, replay
from tenax.model import Proxy, ProxyAddress, ProxyHealth, ProxyReport, ProxyScheme

_health = msgspec.json.Decoder(ProxyHealth)
_login = msgspec.json.Decoder(tuple[str, str])
_encode = msgspec.json.encode
_locked = sa.select(proxies).order_by(proxies.c.id).with_for_update()


class SqlProxies:
    """Reports of several processes meet here: each transaction replays its own on top."""

    def __init__(self, database: Transactions, vault: Vault, policy: ProxyPolicy) -> None:
        self._database = database
        self._vault = vault
        self._policy = policy

    async def all(self) -> list[Proxy]:
        query = sa.select(proxies).order_by(proxies.c.group_name, proxies.c.name)
        return await self._database.read(lambda c: [_proxy(row) for row in c.execute(query)])

    async def add(self, proxy: Proxy) -> bool:
        values = {"name": proxy.name, "secret": self._sealed(proxy.address), **_row(proxy)}
        return await self._database.write(
            lambda c: c.execute(insert_new(c, proxies).values(values)).rowcount == 1
        )

    async def remove(self, name: str) -> bool:
        query = sa.delete(proxies).where(proxies.c.name == name)
        return await self._database.write(lambda c: c.execute(query).rowcount == 1)

    async def change(self, name: str, change: Callable[[Proxy], Proxy]) -> Proxy | None:
        def work(connection: Connection) -> Proxy | None:
            row = connection.execute(_locked.where(proxies.c.name == name)).first()
            if row is None:
                return None
            changed = change(_proxy(row))
            values = {
                "group_name": changed.group,
                "priority": changed.priority,
                "state": _state(changed.health),
            }
            connection.execute(sa.update(proxies).where(proxies.c.id == row.id).values(values))
            return changed

        return await self._database.write(work)

    async def sync(self, reports: Sequence[ProxyReport]) -> list[Proxy]:
        if not reports:
            rows = await self._database.read(lambda c: c.execute(sa.select(proxies)).all())
        else:
            rows = await self._database.write(lambda c: self._replayed(c, reports))
        return [_proxy(row, self._login(row)) for row in rows]

    def _replayed(
        self, connection: Connection, reports: Sequence[ProxyReport]
    ) -> Sequence[sa.Row[Any]]:
        by_proxy: dict[int, list[ProxyReport]] = {}
        for report in reports:
            by_proxy.setdefault(report.proxy_id, []).append(report)
        for row in connection.execute(_locked.where(proxies.c.id.in_(by_proxy))).all():
            health = replay(_health.decode(row.state), by_proxy[row.id], self._policy)
            update = sa.update(proxies).where(proxies.c.id == row.id)
            connection.execute(update.values(state=_state(health)))
        return connection.execute(sa.select(proxies)).all()

    def _sealed(self, address: ProxyAddress) -> bytes | None:
        if not address.username and not address.password:
            return None
        login = _encode((address.username, address.password)).decode()
        return self._vault.seal(login, str(address))

    def _login(self, row: sa.Row[Any]) -> tuple[str, str]:
        if row.secret is None:
            return "", ""
        return _login.decode(self._vault.open(row.secret, str(_proxy(row).address)))


def _row(proxy: Proxy) -> dict[str, Any]:
    return {
        "group_name": proxy.group,
        "priority": proxy.priority,
        "scheme": proxy.address.scheme.value,
        "host": proxy.address.host,
        "port": proxy.address.port,
        "state": _state(proxy.health),
    }


def _state(health: ProxyHealth) -> str:
    return _encode(health).decode()


def _proxy(row: sa.Row[Any], login: tuple[str, str] = ("", "")) -> Proxy:
    return Proxy(
        name=row.name,
        address=ProxyAddress(ProxyScheme(row.scheme), row.host, row.port, *login),
        id=row.id,
        group=row.group_name,
        priority=row.priority,
        has_login=row.secret is not None,
        health=_health.decode(row.state),
    )
