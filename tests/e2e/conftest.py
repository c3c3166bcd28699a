"""What do the end-to-end tests share? A folder of their own, and nothing running afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.buckets import s3
from tests.e2e.command import Tenax
from tests.redises import redis_service
from tests.service.conftest import chromium

__all__ = ["chromium", "redis_service", "s3", "tenax"]


@pytest.fixture
def tenax(tmp_path: Path) -> Iterator[Tenax]:
    tenax = Tenax(tmp_path)
    try:
        yield tenax
    finally:
        tenax.clean_up()
