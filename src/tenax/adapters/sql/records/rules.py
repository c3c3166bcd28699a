"""What has a host taught of where its pages are? A row for each listing and each archive.

Two processes may learn of one host at the same time: what one writes is merged with what stands
there, so that neither forgets what the other has seen end. It is written in the transaction of the
visits that taught it, which holds the host's row: so one of them goes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, Statement, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import rules
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import merged
from tenax.discover.pagination import has_lesson, is_listing
from tenax.model import DateArchive, HostRules, PageSeries, PathAnswer

SERIES, ARCHIVE, HOST = "series", "archive", "guesses"
"""The kinds of rows; the last is one row for what concerns the host as a whole."""


class _Host(msgspec.Struct, omit_defaults=True):
    origin: str = ""
    names: dict[str, PathAnswer] = {}
    asked: dict[str, float] = {}
    looked_at: float = 0.0


_series = msgspec.json.Decoder(PageSeries)
_archive = msgspec.json.Decoder(DateArchive)
_host = msgspec.json.Decoder(_Host)


class SqlRules:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def load(self, host_id: int) -> HostRules | None:
        texts = await self._database.read(lambda connection: _texts(connection, host_id))
        return _decoded(texts) if texts else None

    async def notes(self, host_id: int) -> dict[str, str]:
        query = sa.select(rules.c.kind, rules.c.state).where(
            rules.c.host_id == host_id, rules.c.kind.not_in(_KINDS)
        )
        return await self._database.read(lambda c: {row[0]: row[1] for row in c.execute(query)})


def write(
    connection: Connection, learned: Mapping[int, HostRules], now: float, policy: GuessPolicy
) -> dict[int, HostRules]:
    """Merge it, by host, with what others have learned; what is known then, where that is more."""
    more: dict[int, HostRules] = {}
    changed: list[tuple[Any, ...]] = []
    dropped: list[tuple[Any, ...]] = []
    for host_id in sorted(learned):
        before = _texts(connection, host_id)
        stored = _decoded(before)
        together = merged(learned[host_id], stored, policy)
        after = _nouns(together)
        known = _nouns(stored) if before else {}
        changed += [
            (host_id, kind, key, _compact(noun), now)
            for (kind, key), noun in after.items()
            if known.get((kind, key)) != noun
        ]
        dropped += [(host_id, kind, key) for kind, key in before.keys() - after.keys()]
        if together != learned[host_id]:
            more[host_id] = together
    _keep.run(connection, changed)
    for row in dropped:
        _delete.run(connection, *row)
    return more


_KINDS = (SERIES, ARCHIVE, HOST)
_ours = Statement(
    ("host",),
    lambda _: (
        sa.select(rules.c.kind, rules.c.key, rules.c.state)
        .where(
            rules.c.host_id == sa.bindparam("host"),
            sa.or_(*(rules.c.kind == sa.literal_column(f"'{kind}'") for kind in _KINDS)),
        )
        .order_by(rules.c.updated_at, rules.c.kind, rules.c.key)
    ),
)
_delete = Statement(
    ("host", "its_kind", "its_key"),
    lambda _: sa.delete(rules).where(
        rules.c.host_id == sa.bindparam("host"),
        rules.c.kind == sa.bindparam("its_kind"),
        rules.c.key == sa.bindparam("its_key"),
    ),
)


def _upsert(connection: Connection) -> sa.Insert:
    insert = of_rows(connection, dialect_insert(connection, rules), _RULE)
    changed = {"state": insert.excluded.state, "updated_at": insert.excluded.updated_at}
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=["host_id", "kind", "key"], set_=changed
    )
    return upsert


_RULE = ("host_id", "kind", "key", "state", "updated_at")
_keep = Bulk(_RULE, _upsert)


def _texts(connection: Connection, host_id: int) -> dict[tuple[str, str], str]:
    """The oldest first, by kind and key."""
    return {(kind, key): state for kind, key, state in _ours.run(connection, host_id)}


def _decoded(texts: dict[tuple[str, str], str]) -> HostRules:
    host = _host.decode(texts.get((HOST, ""), "{}"))
    return HostRules(
        origin=host.origin,
        series={key: _series.decode(text) for (kind, key), text in texts.items() if kind == SERIES},
        archives={
            key: _archive.decode(text) for (kind, key), text in texts.items() if kind == ARCHIVE
        },
        names=host.names,
        asked=host.asked,
        looked_at=host.looked_at,
    )


def _nouns(known: HostRules) -> dict[tuple[str, str], PageSeries | DateArchive | _Host]:
    """What stands in a row of its own. Numbers seen once are no listing yet: they are seen again
    when they are one."""
    return {
        (HOST, ""): _Host(known.origin, known.names, known.asked, known.looked_at),
        **{
            (SERIES, key): series
            for key, series in known.series.items()
            if is_listing(series) or has_lesson(series)
        },
        **{(ARCHIVE, key): archive for key, archive in known.archives.items()},
    }


def _compact(noun: PageSeries | DateArchive | _Host) -> str:
    """Without what is as it was at first: that is most of it."""
    if isinstance(noun, _Host):
        return msgspec.json.encode(noun).decode()
    names, defaults = noun.__struct_fields__, noun.__struct_defaults__
    first = dict(zip(names[-len(defaults) :], defaults, strict=True))
    values = {
        name: getattr(noun, name)
        for name in names
        if name not in first or getattr(noun, name) != first[name]
    }
    return msgspec.json.encode(values).decode()
