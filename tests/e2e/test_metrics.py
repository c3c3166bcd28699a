"""Do the roles of a fleet, added up, tell what the servers saw of a crawl with failures? (OBS-1)"""

from __future__ import annotations

import os
import signal
import urllib.request
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from services.ports import free_ports
from tenax.demo import TreeSite, serving
from tenax.demo.site import Cut, LoggedRequest, Reply, SiteRequest
from tests.e2e.command import Tenax, children, until
from tests.e2e.test_queues import end, is_done, queue_on, start_job
from tests.unit.ops.health.test_metrics import PROMISED

Scraped = dict[tuple[str, tuple[str, ...]], float]
OF_THE_LEDGER = (("crawler_frontier_size", "done"), ("page_fetcher_dlq_size",))


class TroubledSite(TreeSite):
    """A site with a page that always fails, one that is cut off, one that is not there, and one
    that robots.txt forbids."""

    def answer(self, request: SiteRequest) -> Reply:
        match request.path:
            case "/robots.txt":
                return Reply(b"User-agent: *\nDisallow: /p/5\n", kind="text/plain")
            case "/p/3":
                return Reply(b"out of order", 500)
            case "/p/4":
                return Reply(b"", 404)
            case "/p/6":
                return Reply(cut=Cut.RESET)
        return super().answer(request)


def scrape(port: int) -> Scraped | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as said:
            told = said.read().decode()
    except OSError:
        return None
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(told)
        for sample in family.samples
    }


def test_all_roles_added_up_tell_what_the_servers_saw(tenax: Tenax) -> None:
    sites = [TreeSite(name="tree", pages=60), TroubledSite(name="sick", pages=20)]
    (api, *ports) = free_ports(5)
    fleet = queue_on("redis") | {
        "retry__attempts": 2,
        "retry__base": 0.1,
        "events": f"file:///{tenax.folder}/events",
    }
    commands = (
        ("scheduler",), ("worker", "--processes", "2"), ("relay",),
        ("serve", "--no-workers", "--port", str(api)),
    )  # fmt: skip
    with serving(sites) as web:
        start_job(tenax, sites)
        roles = [
            tenax.start(*command, "--quiet", health__port=port, **fleet)
            for command, port in zip(commands, ports, strict=True)
        ]
        until(lambda: is_done(tenax) or not all(each.is_alive for each in roles), "done")
        asked: Counter[str] = Counter(str(each.status) for each in web.log if each.status)

        def added_up() -> tuple[list[Scraped], Counter[str]]:
            found = [told for port in ports if (told := scrape(port)) is not None]
            codes: Counter[str] = Counter()
            for told in found:
                for (name, labels), value in told.items():
                    if name == "crawler_http_status_total":
                        codes[labels[0]] += int(value)
            return found, codes

        def is_heard() -> bool:
            found, codes = added_up()
            given_up = sum(told.get(("page_fetcher_dlq_enqueued_total", ()), 0) for told in found)
            # A connection that was reset has no code, and may have been the last one.
            return codes == asked and given_up >= 2

        # What the second process of the worker has counted is heard of a second later.
        until(is_heard, "the same counts")
        found, _ = added_up()
        end(*roles)
    assert len(found) == len(roles)
    for told in found:
        named = {name for name, _ in told}
        missing = PROMISED - named - {f"{n.rpartition('_')[0]}" for n in named}
        # A series with labels has no sample while nothing was counted.
        assert missing <= {
            "crawler_http_status_total", "page_fetcher_circuit_breaker_state",
            "page_fetcher_consecutive_failures", "page_fetcher_current_backoff_seconds",
        }  # fmt: skip

    def total(name: str, *labels: str) -> float:
        return sum(told.get((name, labels), 0.0) for told in found)

    read = len(tenax.pages())
    assert total("crawler_pages_fetched_total") == read == total("page_fetcher_pages_fetched_total")
    assert total("crawler_robots_denials_total") == 1
    assert total("page_fetcher_pages_skipped_robots_total") == 1
    assert total("page_fetcher_dlq_enqueued_total") == 2
    assert total("page_fetcher_pages_failed_total") == 4
    assert total("page_fetcher_retries_total") == 2
    assert total("crawler_visits_total", "gone") == asked["404"] - _robots(web.log)
    assert total("page_fetcher_content_size_bytes_count") == read
    assert total("crawler_events_told_total", "events") >= read
    for name, *labels in OF_THE_LEDGER:
        assert len({told[name, tuple(labels)] for told in found}) == 1, name
    assert found[0]["page_fetcher_dlq_size", ()] == 2
    assert max(told["crawler_active_workers", ()] for told in found) >= 2


def _robots(log: Iterable[LoggedRequest]) -> int:
    """Sites without robots.txt answer 404, too."""
    return sum(each.path == "/robots.txt" and each.status == 404 for each in log)


def test_the_processes_of_a_celery_worker_tell_by_one_port_what_all_of_them_count(
    tenax: Tenax,
) -> None:
    """The one that has the port is killed; another takes it, and forgets nothing."""
    sites = [TreeSite(name=f"tree{n}", pages=30) for n in range(3)]
    (port,) = free_ports(1)
    fleet = queue_on("rabbitmq") | {"health__port": port}
    flags = ("--pool", "prefork", "--concurrency", "3", "--without-gossip", "--without-mingle")
    with serving(sites) as web:
        worker = tenax.start_celery(*flags, **fleet)
        until(lambda: scrape(port) is not None or not worker.is_alive, "it answers without work")
        start_job(tenax, sites)
        scheduler = tenax.start("scheduler", **{**fleet, "health__port": 0})
        until(lambda: is_done(tenax) or not worker.is_alive, "done")
        asked: Counter[str] = Counter(str(each.status) for each in web.log if each.status)

        def counted() -> Counter[str]:
            told = scrape(port) or {}
            return Counter({labels[0]: int(value) for (name, labels), value in told.items()
                            if name == "crawler_http_status_total"})  # fmt: skip

        until(lambda: counted() == asked, "the same counts")
        os.kill(listener(port, children(worker.pid)), signal.SIGKILL)
        until(lambda: counted() == asked, "another tells the same")
        end(scheduler, worker)
    assert len(tenax.pages()) == 90


def listener(port: int, pids: Iterable[int]) -> int:
    """Which of these processes has this port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = "0A"
    sockets = {
        f"socket:[{row[9]}]"
        for row in rows
        if row[3] == listening and int(row[1].rpartition(":")[2], 16) == port
    }
    (found,) = [
        pid
        for pid in pids
        if sockets & {os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir()}
    ]
    return found
