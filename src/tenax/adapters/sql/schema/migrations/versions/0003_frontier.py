"""Discovery, recrawl, near-duplicates, trap budgets, politeness units, schedules and rates."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_COLUMNS: tuple[tuple[str, sa.Column[Any]], ...] = (
    ("jobs", sa.Column("seeds", sa.Text(), nullable=True)),
    ("jobs", sa.Column("next_run_at", sa.Double(), nullable=True)),
    ("hosts", sa.Column("unit", sa.String(), nullable=True)),
    ("lanes", sa.Column("looked_at", sa.Double(), nullable=True)),
    ("targets", sa.Column("role", sa.String(), nullable=True)),
    ("assignments", sa.Column("unit", sa.String(), nullable=True)),
    ("pages", sa.Column("simhash", sa.BigInteger(), nullable=True)),
    ("pages", sa.Column("duplicate_of", sa.Integer(), nullable=True)),
)
_TABLES = ("stats", "shapes", "rules", "walks", "revisits", "fingerprints", "turns", "units")


def upgrade() -> None:
    for table, column in _COLUMNS:
        op.add_column(table, column)
    _remake_jobs(sqlite_autoincrement=True)
    op.create_index("ix_assignments_unit", "assignments", ["unit"])
    # Nobody looks pages up by it, and every page dirtied another leaf of it.
    op.drop_index("ix_pages_url_hash", "pages")
    doubled = sa.text("duplicate_of IS NOT NULL")
    op.create_index(
        "pages_duplicate_of", "pages", ["duplicate_of"],
        sqlite_where=doubled, postgresql_where=doubled,
    )  # fmt: skip
    _units()
    _pages()
    _hosts()


def _remake_jobs(**options: bool) -> None:
    """SQLite numbers its rows as the table was made to; other databases never use an id twice."""
    if op.get_bind().dialect.name == "sqlite":
        with op.batch_alter_table("jobs", recreate="always", table_kwargs=options):
            pass


def _units() -> None:
    op.create_table(
        "units",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("next_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("turns_unit", "turns", ["unit", "host_id"], unique=True)


def _pages() -> None:
    op.create_table(
        "fingerprints",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("band", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bits", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("target_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("job_id", "band", "bits", "target_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "revisits",
        sa.Column("target_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.Double(), nullable=True),
        sa.Column("interval", sa.Double(), nullable=False),
        sa.Column("visited_at", sa.Double(), nullable=False),
        sa.Column("modified", sa.Double(), nullable=True),
        sa.Column("news_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("target_id"),
    )
    planned = sa.text("next_at IS NOT NULL")
    op.create_index(
        "revisits_due", "revisits", ["job_id", "next_at"],
        sqlite_where=planned, postgresql_where=planned,
    )  # fmt: skip
    op.create_table(
        "walks",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "kind"),
        sqlite_with_rowid=False,
    )


def _hosts() -> None:
    op.create_table(
        "rules",
        sa.Column("host_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("host_id", "kind", "key"),
    )
    op.create_table(
        "shapes",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("host_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("shape", sa.String(), nullable=False),
        sa.Column("visits", sa.Integer(), nullable=False),
        sa.Column("fruitless", sa.Integer(), nullable=False),
        sa.Column("fed", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "host_id", "shape"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "stats",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("minute", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("visits", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "minute"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for table in _TABLES:
        op.drop_table(table)
    op.drop_index("pages_duplicate_of", "pages")
    op.drop_index("ix_assignments_unit", "assignments")
    op.create_index("ix_pages_url_hash", "pages", ["url_hash"])
    for table, column in reversed(_COLUMNS):
        op.drop_column(table, column.name)
    _remake_jobs()
