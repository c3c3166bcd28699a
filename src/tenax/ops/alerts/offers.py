"""Which products changed so that somebody wants to know? By rules of one's own: cheaper, dearer, to
be had again, not to be had any more. Compared with how they were offered some time ago."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tenax.model import ProductStatus, Stock
from tenax.ops.alerts.judge import Symptom
from tenax.ops.alerts.rules import AlertRule, AlertWhat, Limit
from tenax.ops.products.timeline import OfferPoint, timeline
from tenax.ports.products import ProductFilter, ProductHistory, ProductRecord, Products

DAY = 86_400.0
MOST = 100
"""Products that one rule tells of at a time; of a sale of everything it is told how many there are
besides."""
_BATCH = 500
_SLACK = 900.0
"""Seconds that a change may be written later than the moment of the visit that it is dated with."""


class Offers:
    """Looks at what has changed since the last look, and again at what was told of."""

    def __init__(self, products: Products, rules: Sequence[tuple[AlertRule, Limit]]) -> None:
        self._products = products
        self._rules = rules
        self._looked: dict[int, float] = {}
        self._watched: dict[int, set[int]] = {number: set() for number in range(len(rules))}

    async def look(self, now: float) -> list[Symptom]:
        found: list[Symptom] = []
        for number, (rule, limit) in enumerate(self._rules):
            begin = now - (rule.within or DAY)
            since = max(begin, self._looked.get(number, begin) - _SLACK)
            moved = await self._moved(rule, limit, since, begin, self._watched[number])
            self._watched[number] = set(moved)
            self._looked[number] = now
            found += _symptoms(rule, limit, moved)
        return found

    async def _moved(
        self, rule: AlertRule, limit: Limit, since: float, begin: float, watched: set[int]
    ) -> dict[int, tuple[float, str, ProductRecord]]:
        """Products that are not all well by this rule: how far they have moved, and from what."""
        found: dict[int, tuple[float, str, ProductRecord]] = {}
        again = list(watched)
        wanted, after = _wanted(rule, since), 0
        while True:
            records = await self._products.find(wanted, after, _BATCH)
            full = len(records) == _BATCH
            after = records[-1].id if records else after
            if not full:
                known = {record.id for record in records}
                records += await self._products.get([id for id in again if id not in known])
            histories = await self._products.histories([record.id for record in records])
            found |= _measured(rule, limit, records, histories, begin)
            if not full:
                return found


def _wanted(rule: AlertRule, since: float) -> ProductFilter:
    return ProductFilter(
        job=rule.job, host=rule.host, brand=rule.brand, category=rule.category, sku=rule.sku,
        gtin=rule.gtin, changed_since=since,
    )  # fmt: skip


def _measured(
    rule: AlertRule,
    limit: Limit,
    records: Sequence[ProductRecord],
    histories: Mapping[int, ProductHistory],
    begin: float,
) -> dict[int, tuple[float, str, ProductRecord]]:
    found = {}
    for record in records:
        value, told = moved(rule.what, timeline(histories[record.id]), begin)
        if not limit.is_well(value):
            found[record.id] = value, told, record
    return found


def moved(what: AlertWhat, points: Sequence[OfferPoint], begin: float) -> tuple[float, str]:
    """How far a product has moved since then in the way that is asked for, and in words."""
    if not points:
        return 0.0, ""
    now = points[-1]
    # As it was offered then; one that is younger, as it was at first.
    was = next((point for point in reversed(points) if point.at <= begin), points[0])
    if what in (AlertWhat.IN_STOCK, AlertWhat.OUT_OF_STOCK):
        is_asked = _can_be_had(now) is (what is AlertWhat.IN_STOCK)
        # Whichever it was then: it may have gone and come back since.
        other = [_can_be_had(each) for each in points if each.at >= was.at]
        turned = is_asked and any(each is (what is not AlertWhat.IN_STOCK) for each in other)
        return float(turned), now.availability.value or now.status.value
    if was.currency != now.currency or now.status is not ProductStatus.LISTED:
        return 0.0, ""
    before, price = _amount(was.price), _amount(now.price)
    if not before or not price:
        return 0.0, ""
    share = (before - price) / before
    told = f"{was.price} -> {now.price} {now.currency}".strip()
    return max(0.0, share if what is AlertWhat.PRICE_DROP else -share), told


def _can_be_had(point: OfferPoint) -> bool | None:
    """None where nobody knows."""
    if point.status is ProductStatus.DELISTED:
        return False
    if point.availability is Stock.UNKNOWN:
        return None
    return point.availability is Stock.IN_STOCK


def _amount(price: str) -> float:
    try:
        return float(price)
    except ValueError:
        return 0.0


def _symptoms(
    rule: AlertRule, limit: Limit, found: Mapping[int, tuple[float, str, ProductRecord]]
) -> list[Symptom]:
    prefix = f"{rule.name}: " if rule.name else ""
    # Those known longest first: a product that is told of keeps its place.
    ordered = sorted(found.items())
    told = [
        Symptom(rule.what, value, _told(rule.what, value, text, record), f"{prefix}{record.id}",
                limit)
        for _, (value, text, record) in ordered[:MOST]
    ]  # fmt: skip
    if more := sum(limit.is_bad(value) for _, (value, _, _) in ordered[MOST:]):
        most = max(value for _, (value, _, _) in ordered[MOST:])
        told.append(Symptom(rule.what, most, f"{more:,} more products", f"{prefix}and more", limit))
    return told


def _told(what: AlertWhat, value: float, text: str, record: ProductRecord) -> str:
    name = f"{record.product.name} ({record.product.url})"
    match what:
        case AlertWhat.PRICE_DROP:
            return f"{value:.0%} cheaper, {text}: {name}"
        case AlertWhat.PRICE_RISE:
            return f"{value:.0%} dearer, {text}: {name}"
        case AlertWhat.IN_STOCK:
            return f"can be had again: {name}"
        case _:
            return f"cannot be had any more ({text}): {name}"
