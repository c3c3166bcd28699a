"""Who is told of pages, and by whom? The sinks that the settings name, and the relays to them."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from tenax.compose.redis import make_server
from tenax.crawl.event import Telling
from tenax.fetch.tally import Tally
from tenax.model import EventKind, Webhook
from tenax.ops.events.relay import Relay, relaying
from tenax.ops.secrets import masked
from tenax.ports import Clock, EventSink, EventSource, Outbox, ServerFacts, Unavailable
from tenax.settings import Settings, SettingsError
from tenax.version import pip_install

if TYPE_CHECKING:
    from tenax.adapters.events.kafka import Brokers

EVENTS = "events"
"""The name of the place up to which the sink of `events` was told. It stays when that setting
changes: who is named then goes on where the other was."""
DEAD_LETTERS = "page_fetcher_dlq"
"""The same of the list in Redis that dead letters are put on, where `redis` is set; the list itself
may be called otherwise (`relay.dead_list`)."""
SEARCH = "search"
"""The same of the search index, where `search` is set."""


def telling(settings: Settings) -> Telling | None:
    """How visits are told; None where nobody wants to know."""
    if not is_told(settings):
        return None
    if settings.events:
        _scheme(settings)
    by_url, relay = urlsplit(settings.content).scheme in ("redis", "rediss"), settings.relay
    is_renewed = by_url or settings.bodies.copy or relay.unchanged
    return Telling(
        by_url,
        kinds=frozenset(_kinds(settings)),
        unchanged=bool(settings.events) and is_renewed,
        gone=relay.gone,
    )


def _kinds(settings: Settings) -> Iterator[EventKind]:
    if settings.events or settings.search:
        yield from (EventKind.FETCHED, EventKind.FAILED, EventKind.PRODUCT)
        yield from (EventKind.RECORD, EventKind.GONE)
    if settings.redis:
        yield EventKind.FAILED
    for hook in settings.webhooks:
        yield from map(EventKind, hook.events)


def webhook_name(hook: Webhook) -> str:
    """Of the place up to which it was told: another secret, or other events, go on there."""
    return f"webhook:{urlsplit(hook.url).hostname}:{sha256(hook.url.encode()).hexdigest()[:8]}"


def sink_names(settings: Settings) -> frozenset[str]:
    """Whose places keep events from being removed, from the first event on."""
    wanted = {EVENTS: settings.events, DEAD_LETTERS: settings.redis, SEARCH: settings.search}
    hooks = map(webhook_name, settings.webhooks)
    return frozenset([*(name for name, url in wanted.items() if url), *hooks])


def make_sinks(settings: Settings, clock: Clock, *, threads: bool = True) -> dict[str, EventSink]:
    """Everybody who is told, by the name of their place."""
    sinks: dict[str, EventSink] = {}
    if settings.events:
        sinks[EVENTS] = _sink(settings, clock, threads)
    if settings.redis:
        from tenax.adapters.redis.dead_list import RedisDeadList

        sinks[DEAD_LETTERS] = RedisDeadList(make_server(settings, clock), settings.relay.dead_list)
    if settings.webhooks:
        from tenax.adapters.events.webhooks import WebhookSink
        from tenax.adapters.libcurl.roots import trusted_roots
        from tenax.urls.addresses import AddressRules

        rules = AddressRules(settings.allow_private)
        for hook in settings.webhooks:
            sinks[webhook_name(hook)] = WebhookSink(hook, rules, clock, trusted_roots())
    return sinks


def _sink(settings: Settings, clock: Clock, threads: bool) -> EventSink:
    topics = _topics(settings)
    if _scheme(settings) == "kafka":
        from tenax.adapters.events.kafka import KafkaSink

        return KafkaSink(_brokers(settings), topics)
    from tenax.adapters.events.files import EventFiles

    folder, rotate = _folder(settings), settings.relay.rotate
    return EventFiles(folder, topics, rotate, clock, threads=threads)


def is_told(settings: Settings) -> bool:
    """Whether anybody is told of anything."""
    return bool(settings.events or settings.redis or settings.search or settings.webhooks)


def make_source(
    settings: Settings, clock: Clock, kind: EventKind, group: str, *, from_beginning: bool
) -> EventSource:
    """Where the events of one kind can be read."""
    topics = {kind: _topics(settings)[kind]}
    if not settings.events:
        raise SettingsError("events is not set: name where events are told, then read them there.")
    if _scheme(settings) == "kafka":
        from tenax.adapters.events.kafka import KafkaEvents

        return KafkaEvents(_brokers(settings), topics, group, from_beginning=from_beginning)
    from tenax.adapters.events.files import FileEvents

    return FileEvents(_folder(settings), topics, group, clock, from_beginning=from_beginning)


@asynccontextmanager
async def open_relays(
    settings: Settings,
    outbox: Outbox,
    clock: Clock,
    say: Callable[[str], None],
    also: Mapping[str, EventSink] | None = None,
    tally: Tally | None = None,
) -> AsyncIterator[list[Relay]]:
    """A relay to every sink there is, and to these; `say` is told of trouble."""
    holder = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    sinks = make_sinks(settings, clock) | dict(also or {})
    try:
        yield [
            Relay(name, holder, outbox, sink, clock, settings.relay, say, tally=tally or Tally())
            for name, sink in sinks.items()
        ]
    finally:
        for sink in sinks.values():
            await sink.close()


@asynccontextmanager
async def telling_meanwhile(
    settings: Settings,
    outbox: Outbox,
    clock: Clock,
    say: Callable[[str], None],
    also: Mapping[str, EventSink] | None = None,
    tally: Tally | None = None,
) -> AsyncIterator[None]:
    """Tell events while something else goes on, and what is left at its end."""
    if not is_told(settings):
        yield
        return
    async with open_relays(settings, outbox, clock, say, also, tally) as relays, relaying(relays):
        yield


async def look_at_events(settings: Settings) -> ServerFacts | None:
    """For `tenax doctor`: whether Kafka answers and has the topics; None where it is not used."""
    where = str(masked("events", settings.events))
    try:
        if not settings.events or _scheme(settings) != "kafka":
            return None
        from tenax.adapters.events.kafka import missing_topics

        missing = await missing_topics(_brokers(settings), _topics(settings).values())
    except (SettingsError, Unavailable) as error:
        return ServerFacts("Kafka", where, str(error))
    if not missing:
        return ServerFacts("Kafka", where)
    told = " and ".join(missing)
    return ServerFacts(
        "Kafka", where, remark=f"It has no topic {told} yet. Create it, unless the server does."
    )


def _scheme(settings: Settings) -> str:
    scheme = urlsplit(settings.events).scheme
    if scheme not in _SCHEMES:
        known = " or ".join(_SCHEMES.values())
        raise SettingsError(f"events: unknown scheme {scheme!r}. Use {known}.")
    if scheme == "kafka" and find_spec("aiokafka") is None:
        raise SettingsError(f"events: Kafka needs another library: {pip_install('kafka')}.")
    return scheme


_SCHEMES = {"file": "file:///PATH", "kafka": "kafka://HOST:PORT"}


def _brokers(settings: Settings) -> Brokers:
    from tenax.adapters.events.kafka import brokers

    try:
        return brokers(settings.events)
    except ValueError as error:
        raise SettingsError(f"events: {error}.") from error


def _folder(settings: Settings) -> Path:
    parts = urlsplit(settings.events)
    if parts.netloc or len(parts.path) < 2:
        raise SettingsError(
            f"events = {settings.events!r}: names no folder. Use file:///PATH, or file:////PATH for"
            " one that begins with /."
        )
    # Three slashes are a path relative to here, four an absolute one, as in `database`.
    return Path(unquote(parts.path[1:]))


def _topics(settings: Settings) -> Mapping[EventKind, str]:
    return {
        EventKind.FETCHED: settings.relay.topic,
        EventKind.FAILED: settings.relay.dead_topic,
        EventKind.PRODUCT: settings.relay.product_topic,
        EventKind.RECORD: settings.relay.record_topic,
        EventKind.GONE: settings.relay.gone_topic,
    }
