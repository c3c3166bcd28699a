"""The first ledger: jobs, hosts, targets, leases, pages, attempts, robots and totals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("exclusive", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_assignments_host_id"), "assignments", ["host_id"], unique=False)
    op.create_index(op.f("ix_assignments_worker_id"), "assignments", ["worker_id"], unique=False)
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("ttfb_ms", sa.Integer(), nullable=True),
        sa.Column("total_ms", sa.Integer(), nullable=True),
        sa.Column("bytes", sa.Integer(), nullable=True),
        sa.Column("client", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("chain", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_attempts_target_id"), "attempts", ["target_id"], unique=False)
    op.create_table(
        "hosts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("state", sa.Text(), server_default="{}", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "lanes",
        sa.Column("host_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("known", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("ready_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("host_id", "job_id"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "lanes_ready",
        "lanes",
        ["job_id", "ready_at"],
        unique=False,
        sqlite_where=sa.text("ready_at IS NOT NULL"),
        postgresql_where=sa.text("ready_at IS NOT NULL"),
    )
    op.create_table(
        "pages",
        sa.Column("target_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("url_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("final_url", sa.Text(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("content_type", sa.String(), nullable=True),
        sa.Column("charset", sa.String(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("canonical", sa.Text(), nullable=True),
        sa.Column("language", sa.String(), nullable=True),
        sa.Column("published", sa.String(), nullable=True),
        sa.Column("modified", sa.String(), nullable=True),
        sa.Column("content_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=True),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("links", sa.Integer(), nullable=False),
        sa.Column("fetched_at", sa.Double(), nullable=False),
        sa.Column("etag", sa.String(), nullable=True),
        sa.Column("last_modified", sa.String(), nullable=True),
        sa.Column("rights", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("target_id"),
    )
    op.create_index(op.f("ix_pages_url_hash"), "pages", ["url_hash"], unique=False)
    op.create_table(
        "rejections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_rejections_url"), "rejections", ["url"], unique=False)
    op.create_table(
        "robots",
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.Double(), nullable=False),
        sa.Column("good_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("origin"),
    )
    op.create_table(
        "tallies",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "targets",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.LargeBinary(length=12), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("found_on", sa.Integer(), nullable=True),
        sa.Column("lease_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("targets_identity", "targets", ["host_id", "job_id", "key"], unique=True)
    op.create_index(
        "targets_lease",
        "targets",
        ["lease_id"],
        unique=False,
        sqlite_where=sa.text("lease_id IS NOT NULL"),
        postgresql_where=sa.text("lease_id IS NOT NULL"),
    )
    op.create_index(
        "targets_queue",
        "targets",
        ["host_id", "job_id", "priority", "due_at"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("workers")
    op.drop_index(
        "targets_queue",
        table_name="targets",
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.drop_index(
        "targets_lease",
        table_name="targets",
        sqlite_where=sa.text("lease_id IS NOT NULL"),
        postgresql_where=sa.text("lease_id IS NOT NULL"),
    )
    op.drop_index("targets_identity", table_name="targets")
    op.drop_table("targets")
    op.drop_table("tallies")
    op.drop_table("robots")
    op.drop_index(op.f("ix_rejections_url"), table_name="rejections")
    op.drop_table("rejections")
    op.drop_index(op.f("ix_pages_url_hash"), table_name="pages")
    op.drop_table("pages")
    op.drop_index(
        "lanes_ready",
        table_name="lanes",
        sqlite_where=sa.text("ready_at IS NOT NULL"),
        postgresql_where=sa.text("ready_at IS NOT NULL"),
    )
    op.drop_table("lanes")
    op.drop_table("jobs")
    op.drop_table("hosts")
    op.drop_index(op.f("ix_attempts_target_id"), table_name="attempts")
    op.drop_table("attempts")
    op.drop_index(op.f("ix_assignments_worker_id"), table_name="assignments")
    op.drop_index(op.f("ix_assignments_host_id"), table_name="assignments")
    op.drop_table("assignments")
