"""Does a crawl go as far as it was told and no farther? (URL-5, URL-7, CLI-1)"""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from tenax.demo import Reply, Site, SiteRequest, TreeSite, Truth, serving
from tests.e2e.command import Tenax

SUMMARY = {
    "job", "state", "pages", "new_pages", "renewed", "duplicates", "known", "pending", "done",
    "failed", "gone", "blocked", "rejected", "not_taken", "waiting", "waiting_for_browser",
    "deferred", "seconds", "pages_per_second", "data", "records", "handler_failures",
}  # fmt: skip


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_page_limit_is_met_exactly_and_raising_it_goes_on(tenax: Tenax, processes: str) -> None:
    site = TreeSite(pages=300)
    with serving([site]) as web:
        flags = (site.url, "--delay", "0", "--processes", processes)
        first = tenax.crawl(*flags, "--max-pages", "37")
        assert (first.code, len(tenax.pages())) == (0, 37)
        assert "page limit" in first.err
        again = tenax.crawl(*flags, "--max-pages", "37")
        assert (again.code, len(tenax.pages())) == (0, 37)
        assert tenax.crawl(*flags, "--max-pages", "100").code == 0
        assert len(tenax.pages()) == 100
        assert tenax.crawl(*flags).code == 0
        assert len(tenax.pages()) == 300
    asked = [visit.path for visit in web.log if visit.path != "/robots.txt"]
    assert len(asked) == len(set(asked)) == 300
    assert tenax.audit().code == 0


def test_a_depth_limit_counts_links_from_the_seed(tenax: Tenax) -> None:
    with serving([ChainSite()]) as web:
        assert tenax.crawl(web.seeds[0], "--delay", "0", "--max-depth", "3").code == 0
        assert _paths(tenax) == ["/", "/a/1", "/a/2", "/a/3"]
        told = tenax.run("why", f"{web.seeds[0]}a/4")
        assert tenax.crawl(web.seeds[0], "--delay", "0", "--max-depth", "0").code == 0
    assert "No crawl" in told.out or "127.0.0.1" in told.out
    assert _paths(tenax) == ["/", "/a/1", "/a/2", "/a/3"]


def test_include_and_exclude_say_what_is_asked_for(tenax: Tenax) -> None:
    with serving([ForkSite()]) as web:
        seed = web.seeds[0]
        flags = ("--include", f"{seed}red/*", "--exclude", "re:/red/[34]$")
        ended = tenax.crawl(seed, "--delay", "0", *flags)
    assert ended.code == 0, ended.err
    assert _paths(tenax) == ["/", "/red/1", "/red/2", "/red/5"]
    asked = {visit.path for visit in web.log} - {"/robots.txt"}
    assert asked == {"/", "/red/1", "/red/2", "/red/5"}
    assert "excluded" in ended.err


@pytest.mark.parametrize(
    ("scope", "expected"),
    [("host", {"first"}), ("prefix", {"first"}), ("any", {"first", "second"})],
)
def test_scope_decides_which_hosts_are_asked(tenax: Tenax, scope: str, expected: set[str]) -> None:
    sites = [TreeSite(name="first", pages=5), TreeSite(name="second", pages=5)]
    with serving(sites) as web:
        ended = tenax.crawl(web.seeds[0], "--delay", "0", "--scope", scope)
    assert ended.code == 0, ended.err
    assert {visit.site for visit in web.log} == expected


def test_scope_prefix_stays_under_the_seeds_path(tenax: Tenax) -> None:
    with serving([ForkSite()]) as web:
        ended = tenax.crawl(f"{web.seeds[0]}red/1", "--delay", "0", "--scope", "prefix")
    assert ended.code == 0, ended.err
    assert _paths(tenax) == [f"/red/{number}" for number in range(1, 6)]


def test_no_more_than_a_thousand_links_of_a_page_are_taken(tenax: Tenax) -> None:
    """URL-7: in document order."""
    with serving([ManyLinksSite()]) as web:
        # Pages that all say the same would be a trap, if traps were looked for.
        assert tenax.crawl(web.seeds[0], "--delay", "0", traps__patience=100_000).code == 0
    numbers = sorted(int(path[1:]) for path in _paths(tenax) if path != "/")
    assert numbers == list(range(1000))


def test_json_is_one_object_with_the_promised_keys_and_nothing_else(tenax: Tenax) -> None:
    site = TreeSite(pages=20)
    with serving([site]):
        ended = tenax.crawl(site.url, "--delay", "0", "--json")
    assert ended.code == 0
    assert ended.out.count("\n") == 1
    assert set(json.loads(ended.out)) == SUMMARY
    assert (ended.json["state"], ended.json["pages"], ended.json["pending"]) == ("done", 20, 0)
    assert ended.err == ""


def test_json_of_several_processes_counts_all_of_them(tenax: Tenax) -> None:
    site = TreeSite(pages=120)
    with serving([site]):
        ended = tenax.crawl(site.url, "--delay", "0", "--json", "--processes", "2")
    assert (ended.code, ended.json["new_pages"], ended.err) == (0, 120, "")


def test_quiet_prints_the_summary_and_no_progress(tenax: Tenax) -> None:
    site = TreeSite(pages=20)
    with serving([site]):
        ended = tenax.crawl(site.url, "--delay", "0", "--quiet")
    assert ended.code == 0
    assert ended.out == ""
    assert ended.err.startswith("Finished 127.0.0.1:")
    assert "/s ·" not in ended.err


def test_a_crawl_without_a_single_page_says_so_by_its_exit_code(tenax: Tenax) -> None:
    with serving([ForkSite()]) as web:
        ended = tenax.crawl(f"{web.seeds[0]}nowhere", "--delay", "0")
    assert ended.code == 1
    assert "1 gone" in ended.err
    assert "tenax why" in ended.err


def _paths(tenax: Tenax) -> list[str]:
    return sorted("/" + page.url.split("/", 3)[3] for page in tenax.pages())


@dataclass
class ChainSite(Site):
    """Every page links to the next one only."""

    name: str = "chain"

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self.page("Front", '<a href="/a/1">on</a>')
            case ["a", number]:
                return self.page(number, f'<a href="/a/{int(number) + 1}">on</a>')
            case _:
                return self.robots()

    def truth(self) -> Truth:
        return Truth(front=self.url)


@dataclass
class ForkSite(Site):
    """Five red pages and five blue ones, each linked to by all."""

    name: str = "fork"

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""] | ["red" | "blue", _]:
                links = [f"/{way}/{number}" for way in ("red", "blue") for number in range(1, 6)]
                return self.page("Fork", " ".join(f'<a href="{link}">x</a>' for link in links))
            case ["robots.txt"]:
                return self.robots()
            case _:
                return self.missing()

    def truth(self) -> Truth:
        return Truth(front=self.url)


@dataclass
class ManyLinksSite(Site):
    name: str = "many"

    def answer(self, request: SiteRequest) -> Reply:
        if request.path == "/robots.txt":
            return self.robots()
        count = 1500 if request.path == "/" else 0
        links = " ".join(f'<a href="/{number}">{number}</a>' for number in range(count))
        return Reply(
            f"<title>Links</title><p>A page of numbers, or one of them. {links}</p>".encode()
        )

    def truth(self) -> Truth:
        return Truth(front=self.url)


@pytest.mark.parametrize("seed", ["/", "x", "::", "mailto:a@b.example", "http://", "file:///etc"])
def test_a_seed_that_is_no_web_address_is_refused_in_a_sentence(tenax: Tenax, seed: str) -> None:
    ended = tenax.crawl(seed, contact="mailto:tests@example.org")
    assert ended.code != 0
    assert "Traceback" not in ended.err
    assert seed in ended.err


def test_a_crawl_ends_in_order_when_its_time_is_over(tenax: Tenax) -> None:
    with serving([TreeSite(pages=5_000)]) as web:
        ended = tenax.crawl(web.seeds[0], "--delay", "0.2", "--max-time", "1s")
        wrong = tenax.crawl(web.seeds[0], "--max-time", "10")
    assert ended.code == 5, "work is left"
    assert "--max-time 1 second is over" in ended.err
    assert "Stopped 127.0.0.1" in ended.err
    assert "Run the same command again to go on where this ended." in ended.err
    assert "waits until" not in ended.err, "no host is in trouble"
    assert wrong.code == 2
    assert "--max-time: '10' is no duration without a unit" in wrong.err
    assert tenax.audit().code == 0


def test_who_mistypes_a_name_learns_it_at_once_and_no_job_is_left(tenax: Tenax) -> None:
    """`.invalid` is no name anywhere (RFC 6761), with a network or without."""
    ended = tenax.crawl("http://docs.example.invalid/", "--contact", "mailto:a@b.example")
    told = tenax.run("jobs", "--json")
    if "cannot be looked up" in ended.err:
        pytest.skip("no name can be looked up here: this machine has no network")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "docs.example.invalid: there is no host of this name. Check the spelling." in ended.err
    assert told.out == "", "no job"


def test_a_seed_on_this_machine_names_the_flag_that_allows_it(tenax: Tenax) -> None:
    for url, flag in (("localhost:9", "127.0.0.1"), ("http://10.1.2.3/", "10.1.2.3")):
        ended = tenax.crawl(url, allow_private="")
        assert f"Allow it: --allow-private {flag}\n" in ended.err
