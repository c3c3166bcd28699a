"""The text that Prometheus scrapes, by its own library: our series, and those of the process."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from tenax.ports.checks import MetricSeries

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Exposition:
    """One registry for each process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._registry)
        self._ours = _OurSeries()
        self._registry.register(self._ours)

    def text(self, all_series: Iterable[MetricSeries]) -> bytes:
        self._ours.told = tuple(all_series)
        return generate_latest(self._registry)


class _OurSeries(Collector):
    told: tuple[MetricSeries, ...] = ()

    def collect(self) -> Iterator[Metric]:
        return map(_family, self.told)


def _family(each: MetricSeries) -> Metric:
    names = [name for name, _ in _first_labels(each)]
    if each.kind == "histogram":
        histogram = HistogramMetricFamily(each.name, each.help, labels=names)
        for one in each.buckets:
            buckets = [(_bound(bound), float(count)) for bound, count in one.bounds]
            histogram.add_metric([value for _, value in one.labels], buckets, one.total)
        return histogram
    kind = CounterMetricFamily if each.kind == "counter" else GaugeMetricFamily
    family = kind(each.name, each.help, labels=names)
    for labels, value in each.values:
        family.add_metric([text for _, text in labels], value)
    return family


def _bound(value: float) -> str:
    return "+Inf" if math.isinf(value) else repr(value)


def _first_labels(each: MetricSeries) -> tuple[tuple[str, str], ...]:
    """All values of a series have the same labels."""
    if each.buckets:
        return each.buckets[0].labels
    return each.values[0][0] if each.values else ()
