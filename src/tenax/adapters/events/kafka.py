"""Events on Kafka: an idempotent producer, confirmed by all replicas, and a consumer in a group."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import (
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    UnknownTopicOrPartitionError,
)
from msgspec import Struct

from tenax.model import Event, EventKind
from tenax.ports import Received, Unavailable

_REQUEST_MS = 10_000
_FLUSH = 30.0
"""Seconds for one batch, tries of the client's own included."""
_WAIT_MS = 1_000
_LATE_MS = 5_000
_GOODBYE = 2.0
_CERTIFICATES = ("ca", "cert", "key", "key_password")


# The client tells every reconnection as an error; what matters we say ourselves.
logging.getLogger("aiokafka").setLevel(logging.CRITICAL)


class Brokers(Struct, frozen=True):
    """Where Kafka is, and who we are there."""

    servers: tuple[str, ...]
    options: Mapping[str, Any]
    """As the client takes them; may hold a password."""

    @property
    def named(self) -> str:
        """For messages: without user and password."""
        return "kafka://" + ",".join(self.servers)


def brokers(url: str) -> Brokers:
    """kafka://[USER:PASSWORD@]HOST:PORT[,HOST:PORT…][?tls=true&mechanism=SCRAM-SHA-256], and for
    servers with certificates of their own ca=FILE, cert=FILE, key=FILE and key_password."""
    parts = urlsplit(url)
    secret, _, hosts = parts.netloc.rpartition("@")
    if "@" in parts.path + parts.query + parts.fragment:
        raise ValueError("user and password end early: in them / is written %2F, ? %3F and # %23")
    servers = tuple(host if ":" in host else f"{host}:9092" for host in hosts.split(",") if host)
    if not servers:
        raise ValueError("names no server: kafka://HOST:PORT")
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    unknown = set(asked) - {"tls", "mechanism", *_CERTIFICATES}
    if unknown:
        there = ", ".join(("tls", "mechanism", *_CERTIFICATES))
        raise ValueError(f"unknown option {sorted(unknown)[0]!r}: there are {there}")
    # Whoever names a certificate wants it to be used.
    has_tls = asked.get("tls", "").lower() in ("1", "true", "yes") or bool(
        asked.keys() & set(_CERTIFICATES)
    )
    options: dict[str, Any] = {"security_protocol": "SSL" if has_tls else "PLAINTEXT"}
    if has_tls:
        options["ssl_context"] = _trust(asked)
    if secret:
        user, _, password = secret.partition(":")
        options |= {
            "security_protocol": "SASL_SSL" if has_tls else "SASL_PLAINTEXT",
            "sasl_mechanism": asked.get("mechanism", "PLAIN"),
            "sasl_plain_username": unquote(user),
            "sasl_plain_password": unquote(password),
        }
    return Brokers(servers, options)


def _trust(asked: Mapping[str, str]) -> ssl.SSLContext:
    """Whom we believe to be the server, and what we show it. Raises ValueError."""
    if "cert" not in asked and asked.keys() & {"key", "key_password"}:
        raise ValueError("a key needs the certificate that it is of: cert=FILE")
    ca, cert, key = (asked.get(name) for name in ("ca", "cert", "key"))
    try:
        context = ssl.create_default_context(cafile=ca)
    except (OSError, ValueError) as error:
        raise ValueError(f"ca={ca}: no certificates can be read there ({_said(error)})") from error
    if cert is None:
        return context
    try:
        # An empty one rather than none: OpenSSL would ask the terminal.
        context.load_cert_chain(cert, key, asked.get("key_password", ""))
    except (OSError, ValueError) as error:
        where = f"cert={cert}" + (f" with key={key}" if key else "")
        raise ValueError(
            f"{where}: no certificate with its key can be read there ({_said(error)}); both are"
            " PEM, and the password of the key is key_password"
        ) from error
    return context


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class KafkaSink:
    """Connects when it has something to tell, and anew after every failure."""

    def __init__(self, where: Brokers, topics: Mapping[EventKind, str]) -> None:
        self._where = where
        self._topics = topics
        self._producer: AIOKafkaProducer | None = None

    async def send(self, events: Sequence[Event]) -> None:
        try:
            async with asyncio.timeout(_FLUSH):
                await self._send(events)
        except (KafkaError, OSError, TimeoutError) as error:
            await self._abort()
            raise Unavailable(trouble(self._where, self._topics.values(), error)) from error
        except BaseException:
            await self._abort()
            raise

    async def close(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            await _stopped(producer)

    async def _send(self, events: Sequence[Event]) -> None:
        producer = self._producer
        if producer is None:
            producer = self._producer = _producer(self._where)
            await producer.start()
        sent = [
            await producer.send(self._topics[event.kind], event.value, event.key)
            for event in events
            if event.kind in self._topics
        ]
        await asyncio.gather(*sent)

    async def _abort(self) -> None:
        """Let go of what is under way: it must not arrive behind its own repetition.

        The client's own way to stop is to send all of it first, for as long as that takes.
        """
        producer, self._producer = self._producer, None
        if producer is None:
            return
        sending = asyncio.create_task(producer._sender.close())
        await asyncio.sleep(0)
        await producer.client.close()
        await asyncio.wait((sending,), timeout=_GOODBYE)
        await _stopped(producer)


class KafkaEvents:
    """Reads a topic as a member of a group; what is committed is not read again."""

    def __init__(
        self,
        where: Brokers,
        topics: Mapping[EventKind, str],
        group: str,
        *,
        from_beginning: bool = False,
        patience: float = 1.0,
    ) -> None:
        self._where = where
        self._kinds = {topic: kind for kind, topic in topics.items()}
        self._group = group
        self._rewinds = from_beginning
        self._patience = patience
        self._consumer: AIOKafkaConsumer | None = None
        self._read: dict[TopicPartition, int] = {}

    async def read(self, most: int) -> list[Received]:
        try:
            consumer = await self._joined()
            found = await consumer.getmany(timeout_ms=int(self._patience * 1000), max_records=most)
            if not found and await _is_behind(consumer):
                found = await consumer.getmany(timeout_ms=_LATE_MS, max_records=most)
        except (KafkaError, OSError) as error:
            await self.close()
            raise Unavailable(trouble(self._where, self._kinds, error)) from error
        events: list[Received] = []
        for partition, records in found.items():
            for record in records:
                kind = self._kinds[record.topic]
                events.append(Received(kind, record.key or b"", record.value or b""))
                self._read[partition] = record.offset + 1
        return events

    async def commit(self) -> None:
        if self._consumer is None or not self._read:
            return
        try:
            # A partition that went to another member meanwhile is that one's to commit.
            ours = self._consumer.assignment()
            offsets = {part: at for part, at in self._read.items() if part in ours}
            if offsets:
                await self._consumer.commit(offsets)
            self._read.clear()
        except (KafkaError, OSError) as error:
            raise Unavailable(trouble(self._where, self._kinds, error)) from error

    async def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        self._read.clear()
        if consumer is not None:
            await _stopped(consumer)

    async def _joined(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            self._consumer = consumer = AIOKafkaConsumer(
                *self._kinds,
                bootstrap_servers=list(self._where.servers),
                group_id=self._group,
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                request_timeout_ms=_REQUEST_MS,
                fetch_max_wait_ms=_WAIT_MS // 2,
                **self._where.options,
            )
            await consumer.start()
            if self._rewinds:
                self._rewinds = False
                await consumer.seek_to_beginning()
        return self._consumer


async def _is_behind(consumer: AIOKafkaConsumer) -> bool:
    """Whether there is more to read, although none of it has come yet: then nobody is to think
    that this was all."""
    ends = await consumer.end_offsets(list(consumer.assignment()))
    for partition, end in ends.items():
        if await consumer.position(partition) < end:
            return True
    return False


async def missing_topics(where: Brokers, topics: Collection[str]) -> list[str]:
    """Those of these topics that there are not yet. Asked without making them, or a group."""
    client = AIOKafkaConsumer(
        bootstrap_servers=list(where.servers), request_timeout_ms=_REQUEST_MS, **where.options
    )
    try:
        async with asyncio.timeout(_REQUEST_MS / 1000):
            await client.start()
            there = await client.topics()
    except (KafkaError, OSError, TimeoutError) as error:
        raise Unavailable(trouble(where, topics, error)) from error
    finally:
        await _stopped(client)
    return sorted(set(topics) - there)


def _producer(where: Brokers) -> AIOKafkaProducer:
    # Not compressed: most of an event are hashes, and gzip took more time than all the rest. The
    # topic can be told to do it (compression.type).
    return AIOKafkaProducer(
        bootstrap_servers=list(where.servers),
        enable_idempotence=True,
        acks="all",
        linger_ms=5,
        max_batch_size=262_144,
        request_timeout_ms=_REQUEST_MS,
        **where.options,
    )


async def _stopped(client: AIOKafkaProducer | AIOKafkaConsumer) -> None:
    """Let go of it, within a moment: a broker that is gone does not say goodbye."""
    try:
        async with asyncio.timeout(_GOODBYE):
            await client.stop()
    except (KafkaError, OSError, TimeoutError):
        pass


def trouble(where: Brokers, topics: Collection[str], error: BaseException) -> str:
    """What is wrong, where, and what to do."""
    told = str(error) or type(error).__name__
    if isinstance(error, UnknownTopicOrPartitionError):
        names = " or ".join(sorted(topics))
        return f"{where.named}: Kafka has no topic {names}. Create it, or let the server do that."
    if isinstance(error, KafkaConnectionError | KafkaTimeoutError | OSError | TimeoutError):
        return f"{where.named}: Kafka does not answer ({told}). Check that it runs, and `events`."
    return f"{where.named}: Kafka refused ({told}). Check what its server says, and `events`."
