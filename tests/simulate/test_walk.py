"""The walk of a URL runs one way, and what a visit changes is written once (bench/hops.py)."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.hops import CLAIM, COMMIT, MOVED, RELEASE, ROBOTS, SITE, Profile, ordinary, profile
from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.hosts.pace import PacePolicy
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, simulate

MOST_BACKWARD = 8
DOOR, WOKEN, REDIRECTED = ("visit", "admit"), ("commit", "visit"), ("fetch", "visit")


@pytest.fixture(scope="module")
def heard() -> Profile:
    return profile()


def test_no_visit_goes_backward_more_often_than_eight_times(heard: Profile) -> None:
    assert len(heard.visits) > 40
    backward = {visit.url: visit.backward for visit in heard.visits[1:]}
    assert max(backward.values()) <= MOST_BACKWARD, backward


def test_an_ordinary_visit_goes_back_only_to_ask_the_door(heard: Profile) -> None:
    """And when it is written, whoever waits for new URLs is woken."""
    for visit in ordinary(heard):
        assert set(visit.back) <= {DOOR, WOKEN}, visit.url
        assert visit.back[WOKEN] <= 1, visit.url


def test_a_redirect_is_led_back_once_to_the_visit_which_asks_door_and_gate(heard: Profile) -> None:
    (moved,) = [visit for visit in heard.visits if visit.url == MOVED]
    assert set(moved.back) <= {DOOR, WOKEN, REDIRECTED}
    assert moved.back[REDIRECTED] == 1


def test_a_visit_is_written_by_one_transaction(heard: Profile) -> None:
    written = [target for commit in heard.commits for target in commit]
    assert len(written) == len(heard.visits[1:])
    # Paced, a visit is alone in its transaction, unless nothing was asked for.
    assert len(heard.commits) > 0.8 * len(written)


def test_nothing_is_written_on_the_side_while_visits_are_under_way(heard: Profile) -> None:
    """All that is written besides is of hosts and processes, not of visits: claims, robots.txt,
    leases, and every two seconds what a process is doing."""
    writes = sum((visit.writes for visit in heard.visits[1:]), Counter[str]())
    beside = {CLAIM, COMMIT, RELEASE, ROBOTS} | {
        "SqlFrontier.renew", "SqlFrontier.show", "SqlJobs.set_state",
    }  # fmt: skip
    assert set(writes) <= beside
    assert writes[ROBOTS] == 1


def test_nothing_is_claimed_for_what_is_found_at_a_host_that_we_hold() -> None:
    """It is refilled: a claim after each visit that found something would find nothing."""
    heard, pages = Profile(), 200

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for number in range(pages):
            links = [f"/{number * 4 + more}" for more in range(1, 5) if number * 4 + more < pages]
            web.at(f"{SITE}/{number}", page(f"page {number}", *links))
        with heard.listening():
            await crawl(app, f"{SITE}/0", discover=())

    seldom, unpaced = FeedPolicy(poll=60.0, poll_most=60.0), PacePolicy(delay=0.0)
    simulate(story, Settings(contact="mailto:a@example.org", pace=unpaced, feed=seldom))
    claims = sum(visit.writes[CLAIM] for visit in heard.visits)
    assert claims < len(heard.commits) // 2
