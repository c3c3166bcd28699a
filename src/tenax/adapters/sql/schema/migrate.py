"""Schema migrations: Alembic, on a connection the caller holds, inside its transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

_FOLDER = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the tables to a revision, inside the caller's transaction."""
    command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    command.downgrade(_config(connection), revision)


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
