"""Does a connection that dies in the pool print a traceback of its own?"""

import logging

import pytest

from tenax.adapters.sql.engine.postgres import Postgres

pytest.importorskip("asyncpg", reason="the extra for PostgreSQL is not installed")


def test_the_pool_leaves_it_to_us_to_tell_that_the_server_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = Postgres("postgresql://nobody@127.0.0.1:1/none")._writers.sync_engine.pool
    with caplog.at_level(logging.ERROR):
        pool.logger.error("Exception during reset or similar")
    assert caplog.records == []
