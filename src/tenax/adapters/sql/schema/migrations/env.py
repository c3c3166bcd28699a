"""Alembic's entry: runs migrations on the connection the caller holds, never on its own."""

from __future__ import annotations

from alembic import context

from tenax.adapters.sql.schema.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
