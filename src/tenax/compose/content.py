"""Where do page bodies lie? What the URL of a content store says, opened."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from tenax.compose.places import content_path, is_store, names_redis
from tenax.ops.secrets import masked
from tenax.ports import Clock, ContentStock, ContentStore, ServerFacts, Unavailable
from tenax.settings import Settings, SettingsError
from tenax.version import pip_install

if TYPE_CHECKING:
    from tenax.adapters.content.s3 import Bucket
    from tenax.compose.redis import Shared


class Around(Struct, frozen=True):
    """What the stores stand in."""

    settings: Settings
    shared: Shared | None = None
    """The Redis that workers share, where there is one."""
    threads: bool = True
    clock: Clock | None = None
    """By which a crawl waits for a store that is away; None for who wants to know at once."""
    sync: bool = False
    """For a store whose bodies will soon be nowhere else."""


def open_content(around: Around, stack: AsyncExitStack) -> ContentStore:
    """The store that the settings name; closed with the stack."""
    return open_store(around.settings.content, around, stack)


def open_store(url: str, around: Around, stack: AsyncExitStack) -> ContentStore:
    scheme = urlsplit(url).scheme if url else "file"
    if scheme not in _OPENERS:
        raise _wrong(
            url, f"unknown scheme {scheme!r}. Use file:///PATH, s3://BUCKET/PREFIX or redis:."
        )
    store = _OPENERS[scheme](url, around)
    stack.push_async_callback(store.close)
    return store


@asynccontextmanager
async def open_move(
    settings: Settings, source: str, target: str
) -> AsyncIterator[tuple[ContentStock, ContentStore]]:
    """Two stores to move bodies between, without a ledger."""
    from tenax.adapters.local.clock import SystemClock

    async with AsyncExitStack() as stack:
        shared = None
        if names_redis(settings):
            from tenax.compose.redis import open_shared

            shared = open_shared(settings, SystemClock(), stack)
        around = Around(settings, shared)
        old = open_store(source, around, stack)
        if not isinstance(old, ContentStock):
            raise _wrong(source, "it cannot tell what it holds. Move from file: or s3: only.")
        yield old, open_store(target, replace(around, sync=True), stack)


async def look_at_content(settings: Settings) -> ServerFacts | None:
    """For `tenax doctor`: whether the store of the bodies answers; None where it is a folder, or
    the Redis that is looked at anyway."""
    if urlsplit(settings.content).scheme in ("", "file") or (is_store(settings) and settings.redis):
        return None
    where = str(masked("content", settings.content))
    try:
        async with AsyncExitStack() as stack:
            await open_content(Around(settings, threads=False), stack).missing([bytes(32)])
    except (SettingsError, Unavailable) as error:
        return ServerFacts("content", where, str(error))
    return ServerFacts("content", where)


def _files(url: str, around: Around) -> ContentStore:
    from tenax.adapters.content.files import FileContentStore

    folder = content_path(around.settings, url)
    return FileContentStore(folder, threads=around.threads, sync=around.sync)


def _s3(url: str, around: Around) -> ContentStore:
    bucket = bucket_of(url)
    from tenax.adapters.content.s3 import S3ContentStore

    store = S3ContentStore(bucket, threads=around.threads)
    return store if around.clock is None else _patient(store, around.settings, around.clock)


def bucket_of(url: str, said_by: str = "content") -> Bucket:
    """What s3://BUCKET/PREFIX?endpoint=URL&region=NAME says; by which setting or flag."""
    try:
        from tenax.adapters.content.s3 import Bucket
    except ImportError as error:
        raise _wrong(url, f"S3 needs {pip_install('s3')}.", said_by) from error
    parts = urlsplit(url)
    asked = dict(parse_qsl(parts.query))
    if unknown := asked.keys() - {"endpoint", "region"}:
        raise _wrong(
            url, f"unknown {', '.join(sorted(unknown))}. Use endpoint and region.", said_by
        )
    if not _is_bucket(parts):
        raise _wrong(
            url,
            "use s3://BUCKET/PREFIX?endpoint=URL&region=NAME. The account is read from the"
            " environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
            said_by,
        )
    return Bucket(parts.netloc, unquote(parts.path).strip("/"), **asked)


def _patient(store: ContentStore, settings: Settings, clock: Clock) -> ContentStore:
    from tenax.crawl.outages.outage import OutagePatience
    from tenax.crawl.outages.patient_store import PatientStore

    # Each try lasts as long as the library's own patience: little pause is needed between them.
    outage = replace(settings.outage, longest=min(settings.outage.longest, 2.0))
    return PatientStore(store, OutagePatience("S3, where the bodies are,", outage, clock))


def _is_bucket(parts: SplitResult) -> bool:
    return bool(parts.netloc) and not {"@", ":"} & set(parts.netloc)


def _redis(url: str, around: Around) -> ContentStore:
    if around.shared is None:
        raise _wrong(url, "bodies in Redis need the setting redis: redis://HOST:PORT/0.")
    return around.shared.content()


_OPENERS: dict[str, Callable[[str, Around], ContentStore]] = {
    "file": _files,
    "s3": _s3,
    "redis": _redis,
}


def _wrong(url: str, why: str, said_by: str = "content") -> SettingsError:
    return SettingsError(f"{said_by} = {masked('content', url)!r}: {why}")
