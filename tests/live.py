"""Is the server there that a test needs? If not the test is skipped; in CI that is a failure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

import services

_starts_nothing: list[bool] = []


def start_nothing() -> None:
    """From now on no test gets a server: `make quick` is about what needs none."""
    _starts_nothing.append(True)


def service(name: str) -> services.Service:
    """The server that all tests share: take a database, prefix or topic of your own in it."""
    _spare()
    try:
        return services.require(name)
    except services.Missing as missing:
        absent(str(missing))


@contextmanager
def own_service(name: str, folder: Path, **options: str) -> Iterator[services.Service]:
    """A server of the test's own, to be stopped, killed and started again."""
    _spare()
    try:
        opened = services.private(name, folder, **options)
        private = opened.__enter__()
    except services.Missing as missing:
        absent(str(missing))
    try:
        yield private
    finally:
        opened.__exit__(None, None, None)


def _spare() -> None:
    if _starts_nothing:
        pytest.skip("a quick run starts no server")


def absent(why: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
