"""Which tests does one want after every change? All that need no server and are not long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from tests.costs import without_case

FOLDERS = ("unit", "properties", "contract", "simulate", "sites")
FILES = frozenset({
    "tests/test_architecture.py",
    "tests/test_docs.py",
    # A few that show the command at work.
    "tests/e2e/test_library.py",
    "tests/e2e/test_limits.py",
    "tests/e2e/test_robots.py",
})  # fmt: skip
LONG = 1.5
"""Seconds above which a test is left to `make test`."""
LONG_FILES = frozenset({
    "tests/unit/page/test_bounds.py",
    "tests/unit/page/test_hostile.py",
    "tests/unit/test_suite.py",
})  # fmt: skip
"""More than a tenth of what all unit tests take, each."""

_SERVERS = frozenset({
    "postgres", "postgresql", "tsvector", "redis", "redis_service", "patient_redis", "rabbitmq",
    "celery", "kafka", "s3", "opensearch", "elasticsearch", "chromium",
})  # fmt: skip
"""As the cases and fixtures of tests name them."""


def is_quick(name: str, words: Iterable[str], seconds: float) -> bool:
    """Of a test its name, those of its fixtures and its case, and how long it takes."""
    file = name.partition("::")[0]
    if (file.split("/")[1] not in FOLDERS and file not in FILES) or file in LONG_FILES:
        return False
    # A machine of Hypothesis has no case that says so.
    needs_server = "OnPostgres::" in name or not _SERVERS.isdisjoint(words)
    return seconds <= LONG and not needs_server


def words_of(item: pytest.Item) -> set[str]:
    """What its fixtures are called, and those of its case that are words."""
    case = getattr(item, "callspec", None)
    told = {str(value) for value in case.params.values()} if case else set()
    parts = case.id.split("-") if case else []
    return {*getattr(item, "fixturenames", ()), *told, *parts}


def leave_out(config: pytest.Config, items: list[pytest.Item], known: Mapping[str, float]) -> None:
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        seconds = known.get(without_case(item.nodeid), 0.0)
        (kept if is_quick(item.nodeid, words_of(item), seconds) else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept
