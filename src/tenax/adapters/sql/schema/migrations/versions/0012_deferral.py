"""What is taken for a trap is deferred, by counts of what its like brought lately."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    # What was counted by other rules says nothing by these.
    op.drop_table("shapes")
    names = ("visits", "good", "late", "judged", "fruitful", "idle", "looked", "grew", "met")
    op.create_table(
        "shapes",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("host_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("shape", sa.String(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in names),
        sa.PrimaryKeyConstraint("job_id", "host_id", "shape"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "wordings",
        sa.Column("id", _LONG, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("host_id", _LONG, nullable=False),
        sa.Column("hashes", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("wordings_host", "wordings", ["job_id", "host_id", "id"])
    if op.get_bind().dialect.name == "postgresql":
        # Written again and again: with room beside them a new version needs no new index entry.
        op.execute("ALTER TABLE shapes SET (fillfactor = 70)")


def downgrade() -> None:
    op.drop_table("wordings")
    op.drop_table("shapes")
    op.create_table(
        "shapes",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("host_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("shape", sa.String(), nullable=False),
        sa.Column("visits", sa.Integer(), nullable=False),
        sa.Column("fruitless", sa.Integer(), nullable=False),
        sa.Column("fed", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "host_id", "shape"),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE shapes SET (fillfactor = 70)")
