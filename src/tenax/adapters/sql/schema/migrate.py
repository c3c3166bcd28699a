"""Schema migrations: Alembic, on a connection the caller holds, inside its transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from tenax.adapters.sql.schema.version_check import revision_of
from tenax.ports import Unavailable

_FOLDER = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the tables to a revision, inside the caller's transaction."""
    command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    command.downgrade(_config(connection), revision)


def downgrade_to(revision: str, connection: Connection) -> None:
    """Back to an older revision; raises `Unavailable` for one that is none."""
    known = sorted(known_revisions())
    found = revision_of(connection)
    if revision not in known or found is None or revision > found:
        raise Unavailable(
            f"schema {revision!r}: not an older one than this ledger's ({found}). Known are"
            f" {known[0]} to {known[-1]}."
        )
    downgrade(connection, revision)


def known_revisions() -> set[str]:
    scripts = ScriptDirectory.from_config(_config(None))
    return {script.revision for script in scripts.walk_revisions()}


def head() -> str | None:
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.attributes["connection"] = connection
    return config
