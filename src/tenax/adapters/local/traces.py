"""A trace of each visit, with a span for each of its steps, by OpenTelemetry (OBS-2)."""

from __future__ import annotations

import asyncio

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer, set_span_in_context

from tenax.crawl.steps import TracedMark
from tenax.version import VERSION

_PARTING = 5_000
"""Milliseconds that the last traces have when we are to end."""


class VisitTraces:
    """Sends them in batches, by a thread of its own; those that nobody takes are dropped."""

    def __init__(self, endpoint: str) -> None:
        named = {"service.name": "tenax", "service.version": VERSION}
        self._provider = TracerProvider(resource=Resource.create(named))
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint)))
        self._tracer: Tracer = self._provider.get_tracer("tenax", VERSION)

    def visited(self, mark: TracedMark, ended_at: float) -> None:
        told: dict[str, str | int] = {
            "url.full": mark.url,
            "server.address": mark.host,
            "tenax.job_id": mark.job_id,
            "tenax.outcome": mark.outcome,
        }
        visit = self._tracer.start_span("visit", start_time=_ns(mark.began_at), attributes=told)
        inside = set_span_in_context(visit)
        ends = [at for _, at in mark.passed[1:]] + [ended_at]
        for (step, began_at), over_at in zip(mark.passed, ends, strict=True):
            span = self._tracer.start_span(step.value, context=inside, start_time=_ns(began_at))
            span.end(_ns(over_at))
        visit.end(_ns(ended_at))

    async def close(self) -> None:
        await asyncio.to_thread(self._provider.force_flush, _PARTING)
        await asyncio.to_thread(self._provider.shutdown)


def _ns(seconds: float) -> int:
    return int(seconds * 1e9)
