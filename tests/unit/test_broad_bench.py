"""Is the benchmark of politeness a fair judge? By logs that were made up."""

from __future__ import annotations

import pytest

from bench.broad import judge


def log(*requests: tuple[float, int, str]) -> list[str]:
    return [f"{at:.6f} {host} 200 {path}\n" for at, host, path in requests]


def test_a_request_too_soon_after_its_predecessor_is_counted_wherever_it_stands() -> None:
    seen = judge(log((1.0, 0, "/robots.txt"), (1.9, 0, "/"), (0.5, 1, "/"), (1.6, 1, "/b")), 2)
    assert (seen.early, seen.below) == (1, 1)
    assert seen.smallest_gap == pytest.approx(0.9)


def test_a_few_milliseconds_are_the_machines() -> None:
    seen = judge(log((1.0, 0, "/"), (1.996, 0, "/b")), 1)
    assert (seen.early, seen.below) == (0, 1)


def test_hosts_do_not_wait_for_each_other() -> None:
    assert judge(log((1.0, 0, "/"), (1.001, 1, "/")), 2).early == 0


def test_the_sustained_rate_counts_from_when_all_hosts_are_going() -> None:
    early = [(float(at), 0, f"/{at}") for at in range(10)]
    late = [(10.0 + at, host, f"/{at}") for at in range(5) for host in (0, 1)]
    seen = judge(log(*early, *late), 2)
    assert seen.started == pytest.approx(10.0)
    assert seen.sustained == pytest.approx(2.0)
    assert seen.pages_of_hosts == (4, 4, 4)


def test_a_host_without_a_page_leaves_nothing_to_boast_of() -> None:
    assert judge(log((1.0, 0, "/"), (2.0, 0, "/b")), 2).sustained == 0


def test_robots_and_missing_pages_are_requests_but_no_pages() -> None:
    lines = [*log((1.0, 0, "/robots.txt"), (2.0, 0, "/")), "3.000000 0 404 /page/2\n"]
    seen = judge(lines, 1)
    assert (seen.requests, seen.pages) == (3, 1)
