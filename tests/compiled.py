"""Every statement is compiled once per process of the tests, not once per ledger.

SQLAlchemy keeps what it has compiled for as long as the ledger is open. A crawl opens one; tests
open three thousand, and half of what a short one took was compiling the same statements again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

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


@cache
def compile_once() -> None:
    """From now on, for all engines that are made in this process."""
    make = Engine.__init__

    def made(self: Engine, *arguments: Any, **options: Any) -> None:
        make(self, *arguments, **options)
        self._compiled_cache = _shared.setdefault(type(self.dialect), _Compiled(_MOST))

    Engine.__init__ = made  # type: ignore[method-assign]
