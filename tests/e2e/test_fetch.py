"""One URL now: by the command, the library and the API, on a real server (CLI-1, CLI-3, API-1)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

import tenax as package
from tenax.demo import DemoWeb, Reply, SiteRequest, TreeSite, serving
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings
from tests.asking import Asker, opened
from tests.e2e.command import Tenax, until
from tests.e2e.politeness import measured_lateness, too_early

LOCAL = "127.0.0.1/32"


@dataclass
class House(TreeSite):
    """A site that forbids a path, has lost another one, and throttles at a third."""

    pages: int = 40

    def answer(self, request: SiteRequest) -> Reply:
        match request.path:
            case "/robots.txt":
                return Reply(b"User-agent: *\nDisallow: /closed\n", kind="text/plain")
            case "/lost":
                return Reply(b"no", 404)
            case "/busy":
                return Reply(b"later", 429, headers=(("retry-after", "600"),))
            case _:
                return super().answer(request)


def test_the_command_prints_the_page_and_tells_how_it_went(tenax: Tenax) -> None:
    site = House()
    with serving([site]):
        url = site.url.rstrip("/")

        def fetch(path: str, *flags: str) -> tuple[int, str, str]:
            ended = tenax.run("fetch", url + path, "--delay", "0", *flags, allow_private=LOCAL)
            return ended.code, ended.out, ended.err

        code, out, err = fetch("/p/1", "--dry")
        assert (code, "rowing club" in out, "not stored" in err) == (0, True, True)
        assert tenax.pages() == []
        code, out, err = fetch("/p/1", "--as", "markdown")
        assert (code, out.startswith("# Page 1"), "stored in job 'fetch'" in err) == (0, True, True)
        assert [page.url for page in tenax.pages()] == [f"{url}/p/1"]
        code, out, _ = fetch("/p/1", "--as", "body", "--quiet")
        assert (code, out.lower().startswith("<!doctype html>")) == (0, True)
        code, out, err = fetch("/closed")
        assert (code, out) == (8, "")
        assert "forbidden by robots.txt line 2: Disallow: /closed" in err
        assert fetch("/lost")[0] == 1
        told = tenax.run("fetch", f"{url}/busy", "--json", "--wait", "1", allow_private=LOCAL)
        assert (told.code, told.json["outcome"]) == (5, "throttled")
        assert told.json["again_at"]
        assert tenax.audit().code == 0


def test_a_crawl_under_way_in_another_process_is_asked_in_turn(tenax: Tenax) -> None:
    site = House(pages=3_000)
    with serving([site]) as web, measured_lateness() as lateness:
        url = site.url.rstrip("/")
        running = tenax.start_crawl(site.url, "--delay", "0.1")
        until(lambda: len(web.log) > 5, "the crawl is under way")
        patient = ("--delay", "0.1", "--wait", "120")
        ended = tenax.run("fetch", f"{url}/p/2999", *patient, allow_private=LOCAL)
        assert ended.code == 0
        assert running.is_alive
        running.interrupt()
        running.wait()
        assert too_early(web.asked(site.name), 0.1, lateness) == []
        assert tenax.audit().code == 0


async def test_the_library_and_the_api_give_the_same(tmp_path: Path) -> None:
    site = House()
    here: dict[str, Any] = {"allow_private": [LOCAL], "pace__delay": 0.0}
    async with DemoWeb([site]):
        url = site.url.rstrip("/")
        async with package.open(tmp_path / "library", **here) as crawl:
            got = await crawl.fetch(f"{url}/p/2")
            assert got.page is not None
            assert got.page.title == "Page 2 | The Index"
            assert (got.outcome, got.end) == ("read", "got")
            refused = await crawl.fetch(f"{url}/closed", dry=True)
            assert (refused.page, refused.end) == (None, "refused")
        settings = Settings(data=str(tmp_path / "api"), allow_private=(LOCAL,))
        async with opened(tmp_path, settings) as made:
            asker = Asker(made)
            await asker.make_keys()
            answer = await asker.ask("/api/fetch", "POST", body={"url": f"{url}/p/2"})
            assert (answer.status, answer.json["outcome"]) == (200, "read")
            assert (answer.json["stored"], answer.json["page"]["title"]) == (True, got.page.title)
            dry = await asker.ask("/api/fetch", "POST", body={"url": f"{url}/p/3", "dry": True})
            assert (dry.json["stored"], dry.json["job"]) == (False, None)
            user = await asker.ask("/api/fetch", "POST", ApiRole.USER, {"url": f"{url}/p/2"})
            assert user.status == 403
            for wrong in ({"url": ""}, {"url": url, "wait": 99}, {"url": url, "job": "none"}):
                assert (await asker.ask("/api/fetch", "POST", body=wrong)).status == 422
            public = await asker.ask("/api/fetch", "POST", body={"url": "https://example.org/"})
            assert (public.status, "contact" in public.json["detail"]) == (409, True)
            alone = Asker(replace(made, crawler=None))
            alone.keys = asker.keys
            assert (await alone.ask("/api/fetch", "POST", body={"url": url})).status == 503
