"""One connection to PostgreSQL, its timeouts and statement cache; no error tells the password."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenax.adapters.sql.engine.postgres_errors import place_of
from tenax.ports import Unavailable

if TYPE_CHECKING:
    import asyncpg

STATEMENTS = 500
"""Statements kept prepared per connection: there are about a hundred and fifty."""
_LIMIT = 5.0
"""Seconds until a server that says nothing counts as away."""


async def is_there(url: str) -> bool:
    """Whether a server answers, be it to say no."""
    import asyncpg

    try:
        connection = await connect(url, {"application_name": "tenax"}, None)
        await connection.close()
    except asyncpg.PostgresConnectionError:
        return False
    except (asyncpg.PostgresError, Unavailable):
        return True
    except OSError:
        return False
    return True


async def connect(
    url: str, server_settings: dict[str, str], answer: float | None, **more: Any
) -> asyncpg.Connection:
    """`answer` is how many seconds a statement may take. Raises what asyncpg does, and
    `Unavailable` for a URL that cannot be used."""
    import asyncpg

    try:
        return await asyncpg.connect(
            url,
            timeout=_LIMIT,
            command_timeout=answer,
            server_settings=server_settings,
            statement_cache_size=STATEMENTS,
            **more,
        )
    except asyncpg.InterfaceError as error:
        if isinstance(error, ValueError):
            raise Unavailable(f"{place_of(url)}: {error}. See the setting `database`.") from error
        raise
    except ValueError:
        # Python's own words quote what it could not read, and that is a piece of the password.
        raise Unavailable(
            f"{place_of(url)}: `database` is no URL of one. In user and password write %2F for /,"
            " %3F for ?, %23 for # and %40 for @."
        ) from None
