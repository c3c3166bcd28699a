"""Is there one line for each visit, with all that is known of it, and one when a host is treated
otherwise, with what happens next? (OBS-2)"""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

import pytest

from tenax.compose.crawler import Crawler
from tenax.model import Fault
from tenax.testing import SimulatedWeb, crawl, failing, page, robots, simulate, status
from tests.simulate.test_counts import PATIENT


def logged(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [{"event": each.getMessage(), **each.facts} for each in caplog.records
            if hasattr(each, "facts")]  # fmt: skip


async def story(web: SimulatedWeb, app: Crawler) -> None:
    home = "https://a.example/"
    web.at(f"{home}robots.txt", robots("User-agent: *\nDisallow: /no"))
    web.at(home, page("home", "/b", "/no", "/gone", "/cut"))
    web.at(f"{home}b", page("b"))
    web.at(f"{home}gone", status(404))
    web.at(f"{home}cut", failing(Fault.RESET), page("whole"))
    gone = "https://b.example/"
    web.at(f"{gone}robots.txt", *[failing(Fault.CONNECT_TIMEOUT)] * 3, status(404))
    web.at(gone, page("back"))
    await crawl(app, home, gone)


def test_each_visit_and_each_change_is_a_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tenax"):
        simulate(story, PATIENT)
    lines = logged(caplog)
    visits = [line for line in lines if line["event"] == "visit"]
    assert Counter((line["url"].rpartition("/")[2], line["outcome"]) for line in visits) >= Counter(
        [("", "read"), ("b", "read"), ("no", "refused"), ("gone", "gone"), ("cut", "failed"),
         ("cut", "read"), ("", "waiting"), ("", "read")]
    )  # fmt: skip
    (cut,) = [line for line in visits if line["outcome"] == "failed"]
    assert (cut["cause"], cut["state"], cut["spent"], cut["job"]) == (
        "reset", "pending", True, "test",
    )  # fmt: skip
    assert cut["due"].endswith("Z")
    (read,) = [line for line in visits if line["url"] == "https://a.example/b"]
    assert read["status"] == 200
    assert {"ms", "bytes", "size", "host", "client", "state"} <= set(read)
    opened = [line for line in lines if line["event"] == "breaker_opened"]
    assert {line["host"] for line in opened} == {"b.example"}
    assert opened[0]["then"]
    assert opened[0]["until"]


def test_nothing_is_made_of_a_visit_when_nobody_listens(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tenax"):
        simulate(story, PATIENT)
    assert logged(caplog) == []
