"""Statements are compiled, and tables made, once per process of the tests, not once per ledger.

SQLAlchemy keeps what it has compiled for as long as the ledger is open. A crawl opens one; tests
open three thousand, and half of what a short one took was compiling the same statements again. To
make the tables of a file takes six times as long as to open a copy of one that has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.util import LRUCache

_MOST = 2_000
"""More than there are, so that none is thrown away for another."""


class _Compiled(LRUCache[Any, Any]):
    """What engines of one kind have compiled: what SQLAlchemy looks for begins with the engine's
    own dialect, and but for that dialects of one class are the same."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key[1:], value)


_shared: dict[type, _Compiled] = {}
_anew: list[bool] = []


@cache
def compile_once() -> None:
    """From now on, for all engines that are made in this process."""
    make = Engine.__init__

    def made(self: Engine, *arguments: Any, **options: Any) -> None:
        make(self, *arguments, **options)
        self._compiled_cache = _shared.setdefault(type(self.dialect), _Compiled(_MOST))

    Engine.__init__ = made  # type: ignore[method-assign]


@cache
def make_tables_once() -> None:
    """From now on, for all files that are opened in this process and not there yet."""
    from tenax.adapters.sql.engine.sqlite import Database

    open_one = Database.open.__func__  # type: ignore[attr-defined]  # a class method

    async def opened(
        cls: type[Database], /, path: Path, *, create: bool = True, **more: Any
    ) -> Database:
        if create and not _anew:
            _begin(path)
        made: Database = await open_one(cls, path, create=create, **more)
        return made

    Database.open = classmethod(opened)  # type: ignore[assignment, method-assign]


@contextmanager
def tables_made_anew() -> Iterator[None]:
    """For tests of how they are made."""
    _anew.append(True)
    yield
    _anew.pop()


def _begin(path: Path) -> None:
    # Who makes the folder finds out whether it may.
    if path.parent.is_dir() and not path.exists():
        path.write_bytes(empty_ledger())


@cache
def empty_ledger() -> bytes:
    """The file of a ledger that nobody has used."""
    from tenax.adapters.sql.engine.sqlite import prepare

    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        with connection.begin():
            prepare(connection)
        made: bytes = connection.connection.dbapi_connection.serialize()  # type: ignore[union-attr]
    engine.dispose()
    return made
