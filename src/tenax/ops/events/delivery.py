"""How is the delivery of events retried? Batch, lease and backoff of the relay (OBS-5). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec import Meta, Struct

from tenax.model import Webhook
from tenax.model.knobs import SECONDS, AtLeastOne, Bytes, Name, Seconds
from tenax.ports.retry import nth


class RelayPolicy(Struct, frozen=True):
    topic: Name = "webpage_log"
    """The Kafka topic, or the name of the files, of pages."""
    dead_topic: Name = "webpage_log_dlq"
    """The same of URLs that were given up."""
    product_topic: Name = "product_log"
    """The same of products whose price, availability or status changed."""
    record_topic: Name = "record_log"
    """The same of records of your own that are new, changed or gone."""
    gone_topic: Name = "page_gone_log"
    """The same of pages that are not there any more."""
    dead_list: Name = "page_fetcher_dlq"
    """The list in Redis of URLs that were given up, or refused when they were pushed."""
    unchanged: bool = False
    """Tell visits that found a page unchanged, too; always so where bodies are in Redis."""
    gone: bool = False
    """Tell pages that answer 404 or 410 as those given up: to `dead_topic` and `dead_list`."""
    batch: AtLeastOne = 1_000
    """Events told at once."""
    look: Annotated[float, Meta(ge=0.01), SECONDS] = 0.25
    """Seconds between looks for new events when all there were are told."""
    lease: Annotated[float, Meta(ge=1), SECONDS] = 10.0
    """Seconds for which one relay holds a sink; when it dies, others wait for so long."""
    backoffs: tuple[Seconds, ...] = (1.0, 2.0, 5.0, 10.0, 30.0)
    """Seconds to wait when nobody could be told: the first time, the second …, the last for ever
    after."""
    keep: Seconds = 3_600.0
    """Seconds for which events stay when they were told: `tenax relay --since` repeats them."""
    drain: Seconds = 5.0
    """Seconds that a crawl gives its last events at its end."""
    rotate: Bytes = 134_217_728
    """Bytes after which another file is begun, where events are told to files."""


class DeliveryPatience(Struct, frozen=True):
    """How it went lately. No loop of its own: between the tries a relay renews its lease."""

    failures: int = 0
    """In a row; 0 when the last try went well."""
    until: float = 0.0
    """When to try again."""

    def failed(self, now: float, policy: RelayPolicy) -> DeliveryPatience:
        failures = self.failures + 1
        return DeliveryPatience(failures, now + nth(policy.backoffs, failures, 1.0))

    def wait(self, now: float) -> float:
        """Seconds left; 0 when it is time."""
        return max(0.0, self.until - now)


def wrong_webhooks(hooks: Iterable[Webhook]) -> Iterator[tuple[str, str, str]]:
    """The setting, how it is told of, and what is wrong with it."""
    seen = set()
    for number, hook in enumerate(hooks, 1):
        told = f"[[webhooks]] number {number}"
        if not _WEB.fullmatch(hook.url):
            yield "webhooks", told, "url: write http:// or https://, a host, and no password."
        if len(hook.secret) < _SHORTEST_SECRET:
            yield "webhooks", told, _SHORT
        if hook.url in seen:
            yield "webhooks", told, "url: it is in another table already. Name its events there."
        seen.add(hook.url)


_SHORTEST_SECRET = 24
_SHORT = (
    f"secret: write {_SHORTEST_SECRET} characters or more; `openssl rand -base64 32` makes some."
)
_WEB = re.compile(r"https?://[^/?#@\s]+(?:[/?#]\S*)?")
