"""Does a collector get a trace of each visit, with a span for each step? (OBS-2)"""

from __future__ import annotations

import asyncio
import gzip

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tenax.adapters.local.traces import VisitTraces
from tenax.crawl.steps import Steps
from tenax.model import LeasedTarget, Step
from tests.ledgers import START, HandClock

URL = "https://a.example/x"


class Collector:
    def __init__(self) -> None:
        self.sent: list[bytes] = []

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        body = await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
        self.sent.append(gzip.decompress(body) if b"content-encoding: gzip" in head else body)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()


async def test_a_visit_is_a_trace_and_each_step_a_span_in_it() -> None:
    collector, clock = Collector(), HandClock()
    server = await asyncio.start_server(collector.take, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    traces = VisitTraces(f"http://127.0.0.1:{port}/v1/traces")
    steps = Steps(clock, traces.visited)
    mark = steps.begin(LeasedTarget(1, 2, URL, 0, 5, 0), 3, "a.example")
    for step in (Step.TURN, Step.REQUEST, Step.READ):
        clock.time += 1.0
        mark.enter(step)
    steps.commits((1, 3), "read")
    clock.time += 2.0
    steps.end((1, 3))
    await traces.close()
    server.close()
    request = ExportTraceServiceRequest.FromString(b"".join(collector.sent))
    spans = [
        span
        for each in request.resource_spans
        for scope in each.scope_spans
        for span in scope.spans
    ]
    visit = next(span for span in spans if span.name == "visit")
    told = {each.key: each.value.string_value for each in visit.attributes}
    assert told["url.full"] == URL
    assert told["tenax.outcome"] == "read"
    inside = sorted((s for s in spans if s.name != "visit"), key=lambda s: s.start_time_unix_nano)
    assert {span.parent_span_id for span in inside} == {visit.span_id}
    assert {span.trace_id for span in spans} == {visit.trace_id}
    lasted = {s.name: (s.end_time_unix_nano - s.start_time_unix_nano) / 1e9 for s in inside}
    rounded = {name: round(seconds, 3) for name, seconds in lasted.items()}
    assert rounded == {"gate": 1.0, "turn": 1.0, "request": 1.0, "read": 0.0, "commit": 2.0}
    assert visit.start_time_unix_nano == int(START * 1e9)


def test_without_a_collector_a_mark_remembers_nothing() -> None:
    steps = Steps(HandClock())
    mark = steps.begin(LeasedTarget(1, 2, URL, 0, 5, 0), 3, "a.example")
    assert not hasattr(mark, "passed")
