"""The facts behind `tenax doctor`: libraries, certificates, disk and ledger of this machine.

Asked by `tenax doctor` on machines where something is broken, so nothing here may depend on
anything working, and nothing is changed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import resource
import shutil
import sqlite3
import ssl
import tempfile
import time
from pathlib import Path

from msgspec.structs import replace

from tenax.ports import Backlog, LedgerFacts, Library

_PATIENCE = 5.0
"""Seconds to read through a ledger; gigabytes take longer, and `tenax audit` is there for them."""
_STEPS = 100_000
# Distribution → module. Loaded, not only looked up: a library built for another system is
# installed and still broken.
_LIBRARIES = {
    "pycurl": "pycurl", "turbohtml": "turbohtml", "can_ada": "can_ada", "ada-url": "ada_url",
    "SQLAlchemy": "sqlalchemy", "zstandard": "zstandard", "brotli": "brotli", "orjson": "orjson",
    "msgspec": "msgspec", "publicsuffixlist": "publicsuffixlist", "uvloop": "uvloop",
}  # fmt: skip


def libraries() -> tuple[Library, ...]:
    return tuple(_library(name, module) for name, module in _LIBRARIES.items())


def http_client() -> tuple[str, bool]:
    """How the client names itself, and whether it speaks TLS; "" when it does not load."""
    try:
        import pycurl
    except ImportError:
        return "", False
    words = pycurl.version.split()
    tls = pycurl.version_info()[5] or ""
    return " ".join(words[:3]), bool(tls)


def trusted() -> tuple[str, int]:
    """The file of trusted certificates, and how many it holds."""
    try:
        from tenax.adapters.libcurl.roots import trusted_roots
    except ImportError:
        return "(the HTTP client did not load)", 0
    roots = trusted_roots()
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cafile=roots)
    except (OSError, ssl.SSLError):
        return roots, 0
    return roots, len(context.get_ca_certs())


def browser(executable: str = "") -> tuple[str, str]:
    """The Chromium that would render pages, or why there is none; one of the two is empty."""
    from tenax.adapters.browser import chromium

    found = chromium.find(executable)
    if found is None:
        return "", chromium.missing(executable)
    try:
        return f"{chromium.version(found)} in {found}", ""
    except OSError as error:
        return "", f"{error}. Reinstall it, or name another one in browser.executable."


def playwright() -> str | None:
    """Its version. Not loaded here: that takes longer than all other checks together."""
    try:
        return importlib.metadata.version("playwright")
    except importlib.metadata.PackageNotFoundError:
        return None


def sqlite_version() -> tuple[int, ...]:
    return sqlite3.sqlite_version_info


def open_files() -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 2**31 if soft == resource.RLIM_INFINITY else soft


def folder(path: Path) -> tuple[str, int]:
    """Why nothing can be written there ("" when it can), and the free bytes of its disk.

    A folder that does not exist yet is judged by the nearest one that does.
    """
    nearest = next(p for p in (path.absolute(), *path.absolute().parents) if p.exists())
    try:
        free = shutil.disk_usage(nearest).free
        if not nearest.is_dir():
            return f"{nearest} is not a folder", free
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        return f"cannot be written ({error.strerror})", 0
    return "", free


def ledger(path: Path) -> LedgerFacts:
    """Read the ledger without changing it; a crawl may be running on it."""
    try:
        stat = path.stat()
    except OSError:
        return LedgerFacts(str(path), exists=False)
    facts = LedgerFacts(
        str(path),
        exists=True,
        known_revision=_known_revision(),
        size=stat.st_size,
        changed_at=stat.st_mtime,
    )
    try:
        revision, trouble, is_complete = _read_through(path)
    except sqlite3.Error as error:
        return replace(facts, error=str(error))
    return replace(facts, revision=revision, error=trouble, is_complete=is_complete)


def backlogs(path: Path, now: float) -> tuple[Backlog, ...]:
    """How far behind those are who are told of events; none where that cannot be read."""
    try:
        import sqlalchemy as sa

        from tenax.adapters.sql.records.outbox import backlogs as read
    except ImportError:
        return ()
    engine = sa.create_engine("sqlite://", creator=lambda: _read_only(path))
    try:
        with engine.connect() as connection:
            return tuple(read(connection, now))
    except (sqlite3.Error, sa.exc.SQLAlchemyError):
        return ()
    finally:
        engine.dispose()


def _known_revision() -> str:
    try:
        from tenax.adapters.sql.schema.tables import REVISION
    except ImportError:
        return ""
    return REVISION


def _library(name: str, module: str) -> Library:
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Library(name, None)
    try:
        importlib.import_module(module)
    except Exception as error:  # whatever a broken library does when it is loaded
        return Library(name, version, f"{type(error).__name__}: {error}")
    return Library(name, version)


def _read_through(path: Path) -> tuple[str | None, str, bool]:
    """The schema's revision, the first thing wrong, and whether all of it was read."""
    connection = _read_only(path)
    try:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if "alembic_version" not in tables:
            return None, "not a Tenax ledger", True
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        revision = str(row[0]) if row else None
        deadline = time.monotonic() + _PATIENCE
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise
            return revision, "", False
        return revision, "" if found == "ok" else str(found), True
    finally:
        connection.close()


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2.0)
