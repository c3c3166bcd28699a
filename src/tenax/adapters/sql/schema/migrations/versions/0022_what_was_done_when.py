"""What was done when: requests and incidents of hosts, statuses, hours; rare states by an index;
when a URL was found; how many pages a host has; who works where."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_RARE = sa.text("rare IS NOT NULL")
_FIGURES = ("visits", "pages", "failures", "bytes", "s2", "s3", "s4", "s5")
_BY_STATUS = ("s2", "s3", "s4", "s5")
_RARE_INDEXES = {
    "targets_rare": ["rare", "id"],
    "targets_rare_job": ["job_id", "rare", "id"],
    "targets_rare_host": ["host_id", "rare", "id"],
}


def upgrade() -> None:
    is_postgres = op.get_bind().dialect.name == "postgresql"
    for name in _BY_STATUS:
        op.add_column("stats", _figure(name))
    op.create_table(
        "stat_hours",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hour", sa.Integer(), autoincrement=False, nullable=False),
        *map(_figure, _FIGURES),
        sa.PrimaryKeyConstraint("job_id", "hour"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO stat_hours (job_id, hour, visits, pages, failures, bytes)"
        " SELECT job_id, minute / 60, sum(visits), sum(pages), sum(failures), sum(bytes)"
        " FROM stats GROUP BY job_id, minute / 60"
    )
    op.create_index("stats_minute", "stats", ["minute"])
    op.create_index("stat_hours_hour", "stat_hours", ["hour"])
    op.create_index("jobs_state", "jobs", ["state", "id"])
    op.create_table(
        "host_requests",
        sa.Column("id", _LONG, nullable=False),
        sa.Column("host_id", _LONG, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("host_requests_host", "host_requests", ["host_id", "id"])
    op.create_table(
        "incidents",
        sa.Column("id", _LONG, nullable=False),
        sa.Column("host_id", _LONG, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("until", sa.Double(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("incidents_host", "incidents", ["host_id", "id"])
    op.add_column("targets", sa.Column("found_at", sa.BigInteger(), nullable=True))
    op.add_column("targets", sa.Column("rare", sa.String(), nullable=True))
    op.execute(
        "UPDATE targets SET rare = state WHERE state IN ('failed', 'blocked', 'rejected', 'gone')"
    )
    for name, columns in _RARE_INDEXES.items():
        op.create_index(name, "targets", columns, sqlite_where=_RARE, postgresql_where=_RARE)
    no, yes = ("false", sa.text("troubled")) if is_postgres else ("0", sa.text("troubled = 1"))
    op.add_column(
        "hosts",
        sa.Column("troubled", sa.Boolean(), nullable=False, server_default=sa.text("false")),
    )
    # As in what is written from now on: only those have any of this in their record.
    told = ("trouble", "throttle", "backoff_until", "failures")
    told_of = " OR ".join(f"state LIKE '%\"{name}\"%'" for name in told)
    op.execute(f"UPDATE hosts SET troubled = NOT {no} WHERE paused OR {told_of}")
    op.create_index("hosts_troubled", "hosts", ["name"], sqlite_where=yes, postgresql_where=yes)
    op.add_column("lanes", sa.Column("pages", _LONG, nullable=False, server_default=sa.text("0")))
    op.execute(
        "UPDATE lanes SET pages = (SELECT count(*) FROM targets JOIN pages"
        " ON pages.target_id = targets.id WHERE targets.host_id = lanes.host_id"
        " AND targets.job_id = lanes.job_id)"
    )
    op.create_index("lanes_job", "lanes", ["job_id", "host_id"])
    op.create_index("rejections_job", "rejections", ["job_id", "reason", "id"])
    for name in ("machine", "role", "version"):
        op.add_column("workers", sa.Column(name, sa.String(), nullable=True))


def downgrade() -> None:
    for name in ("version", "role", "machine"):
        op.drop_column("workers", name)
    op.drop_index("rejections_job", table_name="rejections")
    op.drop_index("lanes_job", table_name="lanes")
    op.drop_column("lanes", "pages")
    op.drop_index("hosts_troubled", table_name="hosts")
    op.drop_column("hosts", "troubled")
    for name in reversed(_RARE_INDEXES):
        op.drop_index(name, table_name="targets")
    op.drop_column("targets", "rare")
    op.drop_column("targets", "found_at")
    for name in ("incidents", "host_requests", "stat_hours"):
        op.drop_table(name)
    op.drop_index("jobs_state", table_name="jobs")
    op.drop_index("stats_minute", table_name="stats")
    for name in reversed(_BY_STATUS):
        op.drop_column("stats", name)


def _figure(name: str) -> sa.Column[int]:
    kind = sa.BigInteger() if name == "bytes" else sa.Integer()
    return sa.Column(name, kind, nullable=False, server_default="0" if name in _BY_STATUS else None)
