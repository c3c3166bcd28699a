"""PostgreSQL: room for thousands of millions of rows, targets in partitions by host, receipts.

SQLite's tables stay as they are: its integers grow by themselves, and one file is one file.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

PARTITIONS = 16
"""By host, so that a claim, and all links of a page to one host, are at home in one of them."""

_LONG = {
    "hosts": ("id",),
    "turns": ("id", "host_id"),
    "lanes": ("host_id", "known"),
    "targets": ("id", "host_id", "found_on", "lease_id"),
    "assignments": ("id", "host_id"),
    "pages": ("target_id", "duplicate_of"),
    "fingerprints": ("target_id",),
    "revisits": ("target_id",),
    "walks": ("after", "last"),
    "attempts": ("id", "target_id"),
    "dead_letters": ("target_id", "host_id"),
    "rejections": ("id",),
    "tallies": ("count",),
    "rules": ("host_id",),
    "shapes": ("host_id",),
}
# Rows written again and again: with room beside them a new version needs no new index entry.
_ROOMY = ("hosts", "tallies", "stats", "shapes", "units")
_COLUMNS = (
    "id, job_id, host_id, key, url, state, priority, depth, due_at, attempts, found_on, lease_id,"
    " reason, role"
)


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    _retype(sa.BigInteger())
    for table in _ROOMY:
        op.execute(f"ALTER TABLE {table} SET (fillfactor = 70)")
    _remake_targets("id, host_id", " PARTITION BY HASH (host_id)", PARTITIONS)
    # The last transaction of each connection: what tells whether one was committed whose answer
    # was lost. Numbers of transactions do not: those that a crash took away are given out again.
    op.execute(
        "CREATE TABLE receipts (name VARCHAR PRIMARY KEY, number BIGINT NOT NULL,"
        " at DOUBLE PRECISION NOT NULL) WITH (fillfactor = 50)"
    )


def downgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute("DROP TABLE receipts")
    _remake_targets("id", "", 0)
    for table in _ROOMY:
        op.execute(f"ALTER TABLE {table} RESET (fillfactor)")
    _retype(sa.Integer())


def _retype(type_: sa.types.TypeEngine[int]) -> None:
    name = type_.compile(dialect=op.get_bind().dialect)
    for table, columns in _LONG.items():
        changes = ", ".join(f"ALTER COLUMN {column} TYPE {name}" for column in columns)
        op.execute(f"ALTER TABLE {table} {changes}")
        if "id" in columns:
            op.execute(f"ALTER SEQUENCE {table}_id_seq AS {name}")


def _remake_targets(key: str, clause: str, partitions: int) -> None:
    """A table cannot be cut into partitions, or put together again: its rows are copied."""
    for index in ("targets_identity", "targets_queue", "targets_lease"):
        op.execute(f"DROP INDEX {index}")
    op.execute("ALTER TABLE targets RENAME TO targets_before")
    op.execute("ALTER TABLE targets_before DROP CONSTRAINT targets_pkey")
    op.execute(f"CREATE TABLE targets (LIKE targets_before INCLUDING DEFAULTS){clause}")
    for n in range(partitions):
        op.execute(
            f"CREATE TABLE targets_{n} PARTITION OF targets"
            f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {n})"
        )
    op.execute(f"INSERT INTO targets ({_COLUMNS}) SELECT {_COLUMNS} FROM targets_before")
    op.execute("ALTER SEQUENCE targets_id_seq OWNED BY targets.id")
    op.execute("DROP TABLE targets_before")
    op.execute(f"ALTER TABLE targets ADD CONSTRAINT targets_pkey PRIMARY KEY ({key})")
    op.create_index("targets_identity", "targets", ["host_id", "job_id", "key"], unique=True)
    op.create_index(
        "targets_queue", "targets", ["host_id", "job_id", "priority", "due_at"],
        postgresql_where=sa.text("state = 'pending'"),
    )  # fmt: skip
    op.create_index(
        "targets_lease", "targets", ["lease_id"], postgresql_where=sa.text("lease_id IS NOT NULL")
    )
