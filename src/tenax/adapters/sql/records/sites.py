"""The rules of sites: one row for each pattern, what is sent sealed, and a version for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.local.vault import Vault
from tenax.adapters.sql.engine.bulk import Statement
from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import site_version, sites
from tenax.model import SiteRules
from tenax.model.host import SITE_SECRETS
from tenax.ports import Clock, LedgerRules
from tenax.urls.sites import KEYS, said

_version = Statement((), lambda _: sa.select(sa.func.max(site_version.c.version)))
_all = sa.select(sites).order_by(sites.c.pattern)
_bump = sa.update(site_version).values(version=site_version.c.version + 1)
_sent = msgspec.json.Decoder(dict[str, dict[str, str]])


class SqlSites:
    def __init__(self, database: Transactions, clock: Clock, vault: Vault) -> None:
        self._database = database
        self._clock = clock
        self._vault = vault

    async def version(self) -> int:
        return await self._database.read(_read_version)

    async def load(self, *, secrets: bool) -> LedgerRules:
        def work(connection: Connection) -> tuple[int, list[sa.Row[Any]]]:
            # In this order: what is changed in between is read twice, and not missed.
            return _read_version(connection), list(connection.execute(_all))

        version, rows = await self._database.read(work)
        return LedgerRules(version, tuple(self._rules(row, secrets=secrets) for row in rows))

    async def change(
        self, pattern: str, change: Callable[[SiteRules], SiteRules | None]
    ) -> SiteRules | None:
        def work(connection: Connection) -> SiteRules | None:
            # First, and by its lock one after the other.
            connection.execute(insert_new(connection, site_version).values(name="sites", version=0))
            connection.execute(_bump)
            row = connection.execute(_all.where(sites.c.pattern == pattern)).first()
            before = SiteRules(pattern) if row is None else self._rules(row, secrets=True)
            after = change(before)
            connection.execute(sa.delete(sites).where(sites.c.pattern == pattern))
            if after is not None:
                connection.execute(sa.insert(sites).values(self._row(after)))
            return after

        return await self._database.write(work)

    def _row(self, rules: SiteRules) -> dict[str, Any]:
        told = said(rules)
        sent = {key: told[key] for key in SITE_SECRETS if key in told}
        # The names may be seen, and are there for those who have no key.
        told |= {key: list(values) for key, values in sent.items()}
        secret = self._vault.seal(msgspec.json.encode(sent).decode(), rules.host) if sent else None
        return {
            "pattern": rules.host,
            "rules": msgspec.json.encode(told).decode(),
            "secret": secret,
            "changed_at": self._clock.now(),
        }

    def _rules(self, row: sa.Row[Any], *, secrets: bool) -> SiteRules:
        # Keys that a newer Tenax wrote are none of ours.
        told = {k: v for k, v in msgspec.json.decode(row.rules).items() if k in KEYS}
        sent = {key: dict.fromkeys(told.pop(key), "") for key in SITE_SECRETS if key in told}
        if secrets and row.secret is not None:
            sent = _sent.decode(self._vault.open(row.secret, row.pattern))
        return msgspec.convert({"host": row.pattern, **told, **sent}, SiteRules)


def _read_version(connection: Connection) -> int:
    ((version,),) = _version.run(connection)
    return int(version or 0)
