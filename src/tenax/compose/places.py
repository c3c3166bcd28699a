"""Where does the ledger lie, and where do the bodies?"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from tenax.ops.secrets import masked
from tenax.settings import Settings, SettingsError

_SERVERS = ("postgresql", "postgres")


def is_shared(settings: Settings) -> bool:
    """Whether the ledger is on a server, where other machines may work on it too."""
    return urlsplit(settings.database).scheme in _SERVERS


def ledger_path(settings: Settings) -> Path:
    """Of a ledger that is a file."""
    known = "sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME"
    found = _local(settings.database, "database", "sqlite", known)
    return found or Path(settings.data) / "ledger.db"


def content_path(settings: Settings, url: str) -> Path:
    return _local(url, "content", "file") or Path(settings.data) / "content"


def local_path(url: str, setting: str) -> Path | None:
    """Of file:///PATH; None where nothing is said."""
    return _local(url, setting, "file")


def _local(url: str, setting: str, scheme: str, known: str = "") -> Path | None:
    """The path in a URL of the scheme that stands for one; `known` are all that may be used."""
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme != scheme or not parts.path.startswith("/"):
        raise SettingsError(
            f"{setting} = {masked(setting, url)!r}: unknown scheme {parts.scheme!r}. Use"
            f" {known or f'{scheme}:///PATH'}."
        )
    # Three slashes are a path relative to here, four an absolute one, as in SQLAlchemy.
    return Path(unquote(parts.path[1:]))


def has_ledger(settings: Settings) -> bool:
    """Whether there may be one: of a server only opening it tells."""
    return is_shared(settings) or ledger_path(settings).exists()


def is_store(settings: Settings) -> bool:
    """Whether Redis is where the bodies are."""
    return settings.content.partition(":")[0] == "redis"


def kept_since(settings: Settings, now: float) -> float:
    """Bodies put before this may be gone; 0 where they stay."""
    return now - settings.bodies.ttl if is_store(settings) else 0.0


def names_redis(settings: Settings) -> bool:
    """Whether one is shared; raises where bodies are to be in one that is not named."""
    wanted = {"content": is_store(settings), "bodies.copy": settings.bodies.copy}
    for name, is_wanted in wanted.items():
        if is_wanted and not settings.redis:
            raise SettingsError(
                f"{name}: bodies in Redis need the setting redis: redis://HOST:PORT/0."
            )
    return bool(settings.redis)
