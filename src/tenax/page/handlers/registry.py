"""Whose code reads which pages? Functions marked with `@on`, matched by URL (REC-1)."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from msgspec import Struct

from tenax.page.handlers.crawled_page import CrawledPage
from tenax.urls.patterns import UrlPatterns

F = TypeVar("F", bound=Callable[..., Any])
_MARK: Final = "__tenax_handlers__"
_LONGEST: Final = 100


class Handler(Struct, frozen=True):
    """A function of the user's, and the pages that it is for."""

    name: str
    version: str
    patterns: UrlPatterns
    function: Callable[[CrawledPage], Any]
    is_async: bool = False
    is_product: bool = False
    """What it returns is what is for sale on the page."""
    source: str = ""
    """The file that it is written in."""

    def reads(self, url: str) -> bool:
        return self.patterns.first_match(url) is not None


_registered: list[Handler] = []


def on(
    *patterns: str, name: str | None = None, version: str | None = None, product: bool = False
) -> Callable[[F], F]:
    """Let a function read the pages whose URL matches one of these: globs, or `re:` and a regular
    expression. It yields `page.record(…)`, `page.follow(…)` and `page.product(…)`.

    `version` says which state of the function told a record; without one it is made of the
    function's source. With `product` it returns the fields of what is for sale.
    """
    if not patterns or not all(pattern and not callable(pattern) for pattern in patterns):
        raise TypeError('@on needs the pages it is for: @on("*/quote/*").')

    def register(function: F) -> F:
        handler = Handler(
            _called("name", name if name is not None else function.__name__),
            _called("version", version if version is not None else _version(function)),
            UrlPatterns(f"@on of {function.__name__}", patterns),
            function,
            inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function),
            product,
            inspect.getsourcefile(function) or "",
        )
        # A cell of a notebook that is run again, or a module that is loaded again, means the same.
        same = (function.__module__, function.__qualname__)
        _registered[:] = [each for each in _registered if _place(each.function) != same]
        _registered.append(handler)
        # So that a program may hand over the function itself.
        setattr(function, _MARK, (*getattr(function, _MARK, ()), handler))
        return function

    return register


def registered() -> tuple[Handler, ...]:
    """Those of the program itself."""
    return tuple(_registered)


def handlers_of(functions: Iterable[Callable[..., Any]]) -> list[Handler]:
    """Those of these functions. Raises `ValueError` for one without."""
    found: list[Handler] = []
    for function in functions:
        marks = getattr(function, _MARK, ())
        if not marks:
            called = getattr(function, "__name__", repr(function))
            raise ValueError(f'{called} is no handler: write @on("*/pattern/*") above it.')
        found += marks
    return found


@contextmanager
def collecting() -> Iterator[list[Handler]]:
    """What is registered meanwhile is not the program's, but this."""
    before = _registered[:]
    found: list[Handler] = []
    try:
        _registered.clear()
        yield found
    finally:
        found += _registered
        _registered[:] = before


def _place(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def _called(what: str, text: object) -> str:
    if not isinstance(text, str) or not text.isprintable() or not 0 < len(text) <= _LONGEST:
        raise TypeError(f"@on: {what}={text!r}: write 1 to {_LONGEST} characters on one line.")
    return text


def _version(function: Callable[..., Any]) -> str:
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        text = function.__code__.co_code.hex() if hasattr(function, "__code__") else ""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
