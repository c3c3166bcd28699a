"""Where does the ledger lie, and where do the bodies?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from tenax.settings import Settings, SettingsError

if TYPE_CHECKING:
    pass


def ledger_path(settings: Settings) -> Path:
    return _local(settings.database, "database", "sqlite") or Path(settings.data) / "ledger.db"


def content_path(settings: Settings, url: str) -> Path:
    return _local(url, "content", "file") or Path(settings.data) / "content"


def _local(url: str, setting: str, scheme: str) -> Path | None:
    """The path in a URL of the one scheme this setting knows today."""
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme != scheme or not parts.path.startswith("/"):
        raise SettingsError(
            f"{setting} = {url!r}: unknown scheme {parts.scheme!r}. Use {scheme}:///PATH."
        )
    # Three slashes are a path relative to here, four an absolute one, as in SQLAlchemy.
    return Path(unquote(parts.path[1:]))


def has_ledger(settings: Settings) -> bool:
    return ledger_path(settings).exists()
