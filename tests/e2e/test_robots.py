"""Are the wishes of site owners obeyed on the wire? (ROB-1, ROB-3, FR-5)"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tenax.demo import Reply, Site, SiteRequest, SlowSite, Truth, serving
from tests.e2e.command import Tenax
from tests.e2e.politeness import measured_lateness, too_early


def test_what_robots_txt_closes_is_never_requested(tenax: Tenax) -> None:
    with serving([ClosedInPartsSite()]) as web:
        ended = tenax.crawl(web.seeds[0], "--delay", "0")
        told = tenax.run("why", web.seeds[0] + "closed/1")
    assert ended.code == 0, ended.err
    assert sorted(visit.path for visit in web.log) == ["/", "/closed/open", "/free", "/robots.txt"]
    assert "robots.txt line 2" in told.out
    assert tenax.audit().code == 0


def test_robots_txt_is_the_first_thing_asked_for(tenax: Tenax) -> None:
    with serving([ClosedInPartsSite()]) as web:
        tenax.crawl(web.seeds[0], "--delay", "0")
    assert web.log[0].path == "/robots.txt"
    assert web.log[0].agent.startswith("tenax/")


def test_a_site_closed_altogether_gets_one_request_and_the_user_an_answer(tenax: Tenax) -> None:
    with serving(["private"]) as web:
        ended = tenax.crawl(web.seeds[0], "--delay", "0")
    assert ended.code == 1
    assert "robots" in ended.err
    assert [visit.path for visit in web.log] == ["/robots.txt"]


def test_a_broken_robots_txt_closes_the_site_and_the_user_is_told(tenax: Tenax) -> None:
    with serving(["brokenrobots"]) as web:
        ended = tenax.crawl(web.seeds[0], "--delay", "0", robots__retry_base=0.02)
    assert ended.code == 5
    assert {visit.path for visit in web.log} == {"/robots.txt"}
    assert len(web.log) == 3, "once and two retries"
    assert re.search(r"waits until .*: its robots.txt cannot be had \(.*503", ended.err)
    assert "Run the same command again" in ended.err
    assert tenax.audit().code == 0


def test_asking_again_before_the_hour_is_over_asks_the_broken_site_nothing(tenax: Tenax) -> None:
    with serving(["brokenrobots"]) as web:
        tenax.crawl(web.seeds[0], "--delay", "0", robots__retry_base=0.02)
        before = len(web.log)
        ended = tenax.crawl(web.seeds[0], "--delay", "0", robots__retry_base=0.02)
    assert ended.code == 5
    assert len(web.log) == before


def test_a_crawl_delay_is_obeyed_although_the_user_wants_none(tenax: Tenax) -> None:
    site = SlowSite(delay=0.0, drip=0.0)
    with measured_lateness() as lateness, serving([site]) as web:
        ended = tenax.crawl(site.url, "--delay", "0")
    assert ended.code == 0, ended.err
    assert {page.url for page in tenax.pages()} == site.truth().pages
    assert too_early(web.log, site.crawl_delay, lateness) == []


def test_a_crawl_delay_is_obeyed_by_several_processes_together(tenax: Tenax) -> None:
    site = SlowSite(delay=0.0, drip=0.0, crawl_delay=0.25)
    with measured_lateness() as lateness, serving([site]) as web:
        ended = tenax.crawl(site.url, "--delay", "0", "--processes", "2")
    assert ended.code == 0, ended.err
    assert {page.url for page in tenax.pages()} == site.truth().pages
    assert too_early(web.log, site.crawl_delay, lateness) == []


def test_hosts_that_lead_to_one_victim_cost_it_one_request(tenax: Tenax) -> None:
    """Of 200 such hosts each asked it once, within 42 ms, for what it forbids."""
    victim = VictimSite(name="victim")
    led = [LeadingSite(name=f"led{n}") for n in range(12)]
    with serving([victim, *led]) as web:
        seeds = [site.url for site in led]
        ended = tenax.crawl(*seeds, "--delay", "0", robots__retry_base=0.02, feed__patience=1)
        told = tenax.run("why", seeds[0])
    assert ended.code == 5, ended.err
    assert [visit.path for visit in web.asked("victim")] == ["/robots.txt"]
    assert "robots.txt there forbids it, line 2: Disallow: /cgi" in told.out
    assert tenax.audit().code == 0


@dataclass
class LeadingSite(Site):
    """Its robots.txt aims at somebody else."""

    def answer(self, request: SiteRequest) -> Reply:
        if request.path == "/robots.txt":
            location = f"{self.origins['victim']}/cgi/{self.name}"
            return Reply(status=302, headers=(("Location", location),))
        return self.page("Page", "words")

    def truth(self) -> Truth:
        return Truth(front=self.url)


@dataclass
class VictimSite(Site):
    def answer(self, request: SiteRequest) -> Reply:
        return self.robots("User-agent: *", "Disallow: /cgi")

    def truth(self) -> Truth:
        return Truth(front=self.url)


@dataclass
class ClosedInPartsSite(Site):
    name: str = "closed"

    def answer(self, request: SiteRequest) -> Reply:
        if request.path == "/robots.txt":
            return self.robots("User-agent: *", "Disallow: /closed/", "Allow: /closed/open")
        links = "/closed/1", "/closed/2", "/closed/open", "/%63losed/3", "/free"
        return self.page("Page", " ".join(f'<a href="{link}">link</a>' for link in links))

    def truth(self) -> Truth:
        return Truth(front=self.url)
