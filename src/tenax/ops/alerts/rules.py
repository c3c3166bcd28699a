"""When is somebody woken? The rules, what each measures, when its trouble is over (OBS-4). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from tenax.model.knobs import SECONDS, Seconds


class AlertWhat(StrEnum):
    ERRORS = "errors"
    """The share of visits that failed, over the last minutes."""
    BACKLOG = "backlog"
    """By which share the URLs that wait have grown in a minute."""
    SILENT_WORKER = "silent_worker"
    """Seconds for which a worker that is on the list was not heard of."""
    STALL = "stall"
    """Seconds for which no visit of a worker has got on."""
    PARSE_RATE = "parse_rate"
    """How well the products of a site are read, as a share of how they were before."""
    DISK = "disk"
    """The free share of the data folder's disk."""
    DEAD_LETTERS = "dead_letters"
    """URLs given up within an hour."""
    RELAY = "relay"
    """Seconds that the oldest event has waited for a sink."""
    SERVER = "server"
    """Seconds for which a server of ours, or our own network, has not answered."""
    PRICE_DROP = "price_drop"
    """By which share a product has become cheaper. Only by a rule of one's own."""
    PRICE_RISE = "price_rise"
    """By which share a product has become dearer. Only by a rule of one's own."""
    IN_STOCK = "in_stock"
    """1 for a product that can be had again. Only by a rule of one's own."""
    OUT_OF_STOCK = "out_of_stock"
    """1 for a product that cannot be had any more. Only by a rule of one's own."""


OF_PRODUCTS = (
    AlertWhat.PRICE_DROP, AlertWhat.PRICE_RISE, AlertWhat.IN_STOCK, AlertWhat.OUT_OF_STOCK,
)  # fmt: skip
"""What nobody is told of unless they ask for it, of some products or all."""


class AlertRule(Struct, frozen=True, forbid_unknown_fields=True):
    """What differs from the default of one kind of alert, or who wants to know what of which
    products."""

    what: AlertWhat
    threshold: Annotated[float, Meta(ge=0)] | None = None
    """Beyond it something is wrong; the default's where it is not named."""
    lasting: Seconds | None = None
    """For how many seconds it has to be so; the default's where it is not named."""
    off: bool = False
    """Nobody is to be woken by this."""
    name: Annotated[str, Meta(max_length=60)] = ""
    """Tells several rules of products apart."""
    within: Annotated[float, Meta(ge=60), SECONDS] | None = None
    """Of products: over how many seconds they are compared; a day where it is not named."""
    host: str | None = None
    """Of products: only those of this host. The same for those that follow."""
    brand: str | None = None
    category: str | None = None
    sku: str | None = None
    gtin: str | None = None
    job: str | None = None


PRODUCT_TERMS = ("host", "brand", "category", "sku", "gtin", "job")
PRODUCT_KEYS = ("name", "within", *PRODUCT_TERMS)


class AlertingPolicy(Struct, frozen=True):
    look: Annotated[float, Meta(ge=0.1), SECONDS] = 15.0
    """Seconds between two looks at everything that may be wrong."""
    mail: tuple[str, ...] = ()
    """Addresses that are told by mail."""
    sender: str = ""
    """The address that mails are from; empty for the first that they are to."""
    smtp: str = ""
    """Who sends them: smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the start."""


class Limit(Struct, frozen=True):
    """A rule as it is applied."""

    threshold: float
    lasting: float
    is_upper: bool = True
    """Too much is wrong; else too little."""

    def is_bad(self, value: float) -> bool:
        return value > self.threshold if self.is_upper else value < self.threshold

    def is_well(self, value: float) -> bool:
        """Not only just: what goes to and fro around the threshold is one trouble, not many."""
        if self.is_upper:
            return value <= _WELL * self.threshold
        return value >= min(self.threshold / _WELL, 1.0)


_WELL = 0.9
DEFAULTS: Mapping[AlertWhat, Limit] = {
    AlertWhat.ERRORS: Limit(0.2, 300.0),
    AlertWhat.BACKLOG: Limit(0.1, 300.0),
    AlertWhat.SILENT_WORKER: Limit(120.0, 0.0),
    AlertWhat.STALL: Limit(300.0, 0.0),
    AlertWhat.PARSE_RATE: Limit(0.7, 0.0, is_upper=False),
    AlertWhat.DISK: Limit(0.05, 0.0, is_upper=False),
    AlertWhat.DEAD_LETTERS: Limit(100.0, 300.0),
    AlertWhat.RELAY: Limit(300.0, 60.0),
    AlertWhat.SERVER: Limit(60.0, 0.0),
}
"""What is promised (OBS-4), and what we would want to know besides."""
_OF_PRODUCTS = {
    AlertWhat.PRICE_DROP: Limit(0.1, 0.0),
    AlertWhat.PRICE_RISE: Limit(0.1, 0.0),
    AlertWhat.IN_STOCK: Limit(0.5, 0.0),
    AlertWhat.OUT_OF_STOCK: Limit(0.5, 0.0),
}


def limits(rules: Iterable[AlertRule]) -> dict[AlertWhat, Limit]:
    """All that are on; of several rules for one thing the last one counts."""
    found = dict(DEFAULTS)
    for rule in rules:
        if rule.what in OF_PRODUCTS:
            continue
        if rule.off:
            found.pop(rule.what, None)
            continue
        found[rule.what] = _limit(rule, DEFAULTS[rule.what])
    return found


def product_rules(rules: Iterable[AlertRule]) -> list[tuple[AlertRule, Limit]]:
    """Those of products, each for itself."""
    return [
        (rule, _limit(rule, _OF_PRODUCTS[rule.what]))
        for rule in rules
        if rule.what in OF_PRODUCTS and not rule.off
    ]


def wrong_alerts(rules: Iterable[AlertRule]) -> Iterator[tuple[str, str]]:
    """Which rule cannot be meant so, and what to do about it."""
    seen: set[tuple[AlertWhat, str]] = set()
    for rule in rules:
        if rule.what not in OF_PRODUCTS:
            if odd := [key for key in PRODUCT_KEYS if getattr(rule, key)]:
                yield f"{odd[0]} of {rule.what}", f"is for {', '.join(OF_PRODUCTS)} only."
            continue
        if rule.what in (AlertWhat.IN_STOCK, AlertWhat.OUT_OF_STOCK) and rule.threshold is not None:
            yield f"threshold of {rule.what}", "has no meaning: it is so, or it is not."
        if (rule.what, rule.name) in seen:
            yield f"{rule.what} {rule.name}".strip(), "is there twice: give each a `name`."
        seen.add((rule.what, rule.name))


def _limit(rule: AlertRule, known: Limit) -> Limit:
    return Limit(
        known.threshold if rule.threshold is None else rule.threshold,
        known.lasting if rule.lasting is None else rule.lasting,
        known.is_upper,
    )


_MAIL = re.compile(r"[!-'*-?A-~]+@[A-Za-z0-9.-]+")


def wrong_alerting(policy: AlertingPolicy) -> Iterator[tuple[str, str, str]]:
    """The setting, how it is told of, and what is wrong with it."""
    if policy.mail and not policy.smtp.startswith(("smtp://", "smtps://")):
        wrong = "name who sends the mails: smtp://USER:PASSWORD@HOST:PORT or smtps://…"
        yield "alerting.smtp", "alerting.smtp", wrong
    for address in (*policy.mail, *filter(None, (policy.sender,))):
        if not _MAIL.fullmatch(address):
            yield "alerting.mail", f"alerting.mail: {address!r}", "is no mail address."
