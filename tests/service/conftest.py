"""Is the service there that these tests need? If not they are skipped; in CI that is a failure."""

from __future__ import annotations

import os

import pytest

from tenax.adapters.browser.chromium import find, missing
from tests.buckets import s3
from tests.live import absent
from tests.redises import patient_redis, redis, redis_service

__all__ = ["chromium", "patient_redis", "redis", "redis_service", "s3"]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of an installed Chromium."""
    executable = os.environ.get("TENAX_BROWSER__EXECUTABLE", "")
    return find(executable) or absent(missing(executable))
