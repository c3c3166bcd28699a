"""Which index is searched? The one that the settings name; a file in the data folder otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tenax.compose.events import SEARCH
from tenax.compose.ledger import Ledger
from tenax.ops.search.indexing import Indexer, SearchSink
from tenax.ops.secrets import masked
from tenax.ports import EventSink, Unavailable
from tenax.ports.search import SearchIndex
from tenax.settings import Settings, SettingsError
from tenax.version import pip_install

__all__ = [
    "SEARCH", "is_embedded", "look_at_search", "make_index", "make_search_sink", "open_search",
]  # fmt: skip

_INDEX = "tenax"
_KNOWN = "fts5:, postgresql:, postgresql://…, opensearch://HOST:PORT or elasticsearch://HOST:PORT"


def is_embedded(settings: Settings) -> bool:
    """Whether the index is ours alone: nobody else keeps it up to date."""
    return urlsplit(settings.search or "fts5:").scheme == "fts5"


@asynccontextmanager
async def open_search(ledger: Ledger) -> AsyncIterator[tuple[SearchIndex, Indexer]]:
    """The index, and who brings it up to date."""
    index = make_index(ledger.settings)
    try:
        yield index, _indexer(ledger, index)
    finally:
        await index.close()


def make_search_sink(ledger: Ledger) -> EventSink:
    """Who puts pages into the index as a relay tells of them."""
    index = make_index(ledger.settings)
    return SearchSink(_indexer(ledger, index), ledger.pages, ledger.jobs, index)


async def look_at_search(settings: Settings) -> tuple[str, str]:
    """Where the index is, and why it cannot be had; empty when it can."""
    shown = str(masked("search", settings.search))
    if is_embedded(settings) and not _file(settings).exists():
        return shown, ""  # a look makes no file
    try:
        index = make_index(settings)
    except SettingsError as error:
        return shown, str(error)
    try:
        await index.versions(0, 1)
    except Unavailable as error:
        return shown, str(error)
    finally:
        await index.close()
    return shown, ""


def make_index(settings: Settings) -> SearchIndex:
    url = settings.search or "fts5:"
    shown = str(masked("search", url))
    parts = urlsplit(url)
    match parts.scheme:
        case "fts5":
            from tenax.adapters.search.fts5 import Fts5Index

            return Fts5Index(_file(settings))
        case "postgresql" | "postgres":
            return _tsvector(settings, url, shown)
        case "opensearch" | "opensearchs":
            return _opensearch(_web(url), shown)
        case "elasticsearch" | "elasticsearchs":
            return _elasticsearch(_web(url), shown)
    raise SettingsError(f"search = {shown!r}: unknown scheme {parts.scheme!r}. Use {_KNOWN}.")


def _file(settings: Settings) -> Path:
    return Path(settings.data) / "search.db"


def _indexer(ledger: Ledger, index: SearchIndex) -> Indexer:
    return Indexer(
        index, ledger.rereads, ledger.pages, ledger.content, ledger.products, ledger.records
    )


def _tsvector(settings: Settings, url: str, shown: str) -> SearchIndex:
    if not urlsplit(url).netloc:
        url = settings.database
        if urlsplit(url).scheme not in ("postgresql", "postgres"):
            raise SettingsError(
                "search = 'postgresql:': the ledger is not in PostgreSQL. Name the database:"
                " postgresql://USER:PASSWORD@HOST/NAME."
            )
    try:
        from tenax.adapters.search.tsvector import TsvectorIndex
    except ImportError as error:
        raise _missing(shown, "postgres") from error
    return TsvectorIndex(url, shown)


def _opensearch(url: str, shown: str) -> SearchIndex:
    try:
        from tenax.adapters.search.opensearch import open_index
    except ImportError as error:
        raise _missing(shown, "search") from error
    return open_index(url, _INDEX, shown)


def _elasticsearch(url: str, shown: str) -> SearchIndex:
    try:
        from tenax.adapters.search.elastic import open_index
    except ImportError as error:
        raise _missing(shown, "search") from error
    return open_index(url, _INDEX, shown)


def _web(url: str) -> str:
    """With an s at the end of the scheme it is https."""
    parts = urlsplit(url)
    if not parts.hostname:
        raise SettingsError(f"search: names no host. Use {parts.scheme}://HOST:PORT.")
    scheme = "https" if parts.scheme.endswith("chs") else "http"
    return parts._replace(scheme=scheme).geturl()


def _missing(shown: str, extra: str) -> SettingsError:
    return SettingsError(f"search = {shown!r} needs another library: {pip_install(extra)}.")
