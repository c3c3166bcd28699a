"""Which servers are there, and who shares one?"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.errors import Missing
from services.instance import Service
from services.kafka import Kafka
from services.kind import Kind
from services.opensearch import OpenSearch
from services.postgres import Postgres
from services.rabbitmq import RabbitMQ
from services.redis import Redis
from services.s3 import S3

KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (Postgres(), Redis(), RabbitMQ(), Kafka(), S3(), OpenSearch())
}
NAMES = tuple(KINDS)

ROOT = Path(__file__).resolve().parent.parent / ".services"

# Set by a test run for itself and its worker processes, see tests/conftest.py. Not TENAX_…: those
# are settings, and an unknown one is an error.
RUN = "SERVICES_RUN"


def shared(name: str) -> Service:
    """The instance that this checkout shares, running or not."""
    return Service(_kind(name), ROOT / name)


def require(name: str) -> Service:
    """The shared instance, running; raises `Missing` when it cannot be had.

    Tests share it: each takes a database, prefix or topic name of its own.
    """
    failure = _try(name)
    if failure:
        raise Missing(failure)
    return shared(name)


@functools.cache
def _try(name: str) -> str:
    """What stands in the way of it; asked once, because the answer may take a minute."""
    try:
        shared(name).start(user=int(os.environ.get(RUN, "0")))
    except Missing as missing:
        return str(missing)
    return ""


@contextmanager
def private(name: str, folder: Path, **options: str) -> Iterator[Service]:
    """An instance of one's own in `folder`, running; gone afterwards. Raises `Missing`.

    `options` are the server's own settings, such as fsync="on" for PostgreSQL.
    """
    service = Service(_kind(name), folder / name, options=options)
    try:
        service.start()
        yield service
    finally:
        if service.folder.exists():
            service.remove()


def let_go(run: int) -> None:
    """A test run is over: end what it started, unless somebody else uses that by now."""
    for name in NAMES:
        shared(name).let_go(run)


def running() -> list[Service]:
    return [service for service in map(shared, NAMES) if service.is_running()]


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise Missing(f"there is no service {name!r}. There are: {', '.join(NAMES)}.")
    return KINDS[name]
