"""Do the routes of an operator do what they say? Jobs, hosts, dead letters, URLs, proxies."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tenax.model import RobotsRecord
from tenax.ports.accounts import ApiRole
from tests.asking import Asker, opened

JOB = {"name": "shop", "seeds": ["https://shop.example/"], "exclude": ["*/cart*"]}


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    async with opened(tmp_path) as made:
        found = Asker(made)
        await found.make_keys()
        assert (await found.ask("/api/jobs", "POST", body=JOB)).status == 201
        yield found


async def test_a_preview_says_what_would_be_taken_and_writes_nothing(asker: Asker) -> None:
    urls = ["https://shop.example/p/1", "https://shop.example/cart/2", "https://other.example/"]
    body = {"seeds": ["shop.example"], "exclude": ["*/cart*"], "urls": [*urls, "http://10.0.0.8/"]}
    answer = await asker.ask("/api/jobs/preview", "POST", ApiRole.USER, body)
    assert answer.status == 200
    told = [(each["url"], each["taken"], each["reason"]) for each in answer.json["items"]]
    assert told == [
        ("https://shop.example/", True, None),
        ("https://shop.example/p/1", True, None),
        ("https://shop.example/cart/2", False, "excluded"),
        ("https://other.example/", False, "out_of_scope"),
        ("http://10.0.0.8/", False, "private_address"),
    ]
    assert answer.json["taken"] == 2
    assert any("excluded: refused" in line for line in answer.json["items"][2]["checks"])
    assert [job.name for job in await asker.opened.ledger.jobs.all()] == ["shop"]
    wrong = await asker.ask("/api/jobs/preview", "POST", body={**body, "schedule": "often"})
    assert (wrong.status, "schedule" in wrong.json["detail"]) == (422, True)


async def test_a_job_is_changed_field_by_field(asker: Asker) -> None:
    body = {"seeds": ["https://shop.example/new"], "max_pages": 7}
    answer = await asker.ask("/api/jobs/shop", "PATCH", body=body)
    assert answer.status == 200, answer.json
    job = await asker.opened.ledger.jobs.get("shop")
    assert job is not None
    assert job.spec.seeds == ("https://shop.example/", "https://shop.example/new")
    assert (job.spec.max_pages, job.spec.exclude) == (7, ("*/cart*",))
    await asker.ask("/api/jobs/shop", "PATCH", body={"exclude": []})
    job = await asker.opened.ledger.jobs.get("shop")
    assert job is not None
    assert (job.spec.max_pages, job.spec.exclude) == (7, ())
    assert (await asker.ask("/api/jobs/shop", "PATCH", body={"max_pags": 7})).status == 422
    assert (await asker.ask("/api/jobs/none", "PATCH", body={"max_pages": 7})).status == 404


async def test_a_job_runs_again_when_it_is_told(asker: Asker) -> None:
    answer = await asker.ask("/api/jobs/shop/run", "POST")
    assert (answer.status, answer.json["state"], answer.json["again"]) == (200, "running", 0)
    assert (await asker.ask("/api/jobs/shop/failures")).json == {"items": [], "next": None}


async def test_urls_are_added_by_the_rules_of_the_job(asker: Asker) -> None:
    urls = ["https://shop.example/p/1", "https://shop.example/", "https://other.example/"]
    answer = await asker.ask("/api/frontier/add", "POST", body={"job": "shop", "urls": urls})
    assert answer.json == {
        "job": "shop",
        "new": 1,
        "known": 1,
        "refused": [{"url": "https://other.example/", "reason": "out_of_scope"}],
    }
    assert (await asker.ask("/api/frontier/recover", "POST")).json == {"recovered": 0}


async def test_urls_are_added_ten_times_a_minute(asker: Asker) -> None:
    body = {"job": "shop", "urls": ["https://shop.example/"]}
    # One was the job itself.
    said = [(await asker.ask("/api/frontier/add", "POST", body=body)).status for _ in range(10)]
    assert said == [200] * 9 + [429]


async def test_a_host_is_paused_resumed_and_reset(asker: Asker) -> None:
    for act, word in (("pause", "paused"), ("resume", None), ("reset", None)):
        answer = await asker.ask(f"/api/admin/domains/shop.example/{act}", "POST")
        assert answer.status == 200
        is_paused = answer.json["host"]["paused"]
        assert is_paused == (word == "paused"), act
        assert answer.json["delay"] == asker.opened.ledger.settings.pace.delay
    assert (await asker.ask("/api/admin/domains/none.example/pause", "POST")).status == 404


async def test_the_line_of_robots_txt_that_decides_is_told(asker: Asker) -> None:
    unasked = (await asker.ask("/api/domains/shop.example/robots")).json
    assert (unasked["allowed"], unasked["text"]) == (None, None)
    now = asker.opened.ledger.clock.now()
    text = "User-agent: *\nDisallow: /calendar\nAllow: /\nUser-agent: other\nDisallow: /\n"
    record = RobotsRecord("https://shop.example", 200, text, now, now, now + 3_600)
    await asker.opened.ledger.robots.save(record)
    told = (await asker.ask("/api/domains/shop.example/robots?path=/calendar?y=2031")).json
    assert (told["allowed"], told["line"], told["rule"]) == (False, 2, "Disallow: /calendar")
    assert told["text"] == text
    assert told["groups"] == [{"line": 1, "applies": True}, {"line": 4, "applies": False}]
    assert unasked["groups"] == []
    assert (await asker.ask("/api/domains/shop.example/robots?path=nowhere")).status == 422
    learned = (await asker.ask("/api/domains/shop.example/learned")).json
    assert (learned["listings"], learned["fruitless"]) == ([], [])


async def test_dead_letters_are_counted_before_they_are_purged(asker: Asker) -> None:
    assert (await asker.ask("/api/dead-letters/counts")).json == {"total": 0, "faults": {}}
    dry = await asker.ask("/api/dead-letters/purge", "POST", body={"all": True, "dry_run": True})
    assert dry.json == {"purged": 0, "jobs": {}, "not_found": [], "faults": {}}
    purged = await asker.ask("/api/dead-letters/purge", "POST", body={"all": True})
    assert purged.json["purged"] == 0
    assert (await asker.ask("/api/dead-letters/purge", "POST", body={"all": False})).status == 422


async def test_proxies_are_added_changed_and_removed_and_their_secrets_not_told(
    asker: Asker,
) -> None:
    body = {"url": "http://me:hunter2@proxy.example:8080", "name": "p"}
    made = await asker.ask("/api/proxies", "POST", body=body)
    assert (made.status, made.json["login"]) == (201, True)
    assert (await asker.ask("/api/proxies", "POST", body=body)).status == 409
    bad = await asker.ask("/api/proxies", "POST", body={"url": "gopher://x"})
    assert bad.status == 422
    off = await asker.ask("/api/proxies/p", "PATCH", body={"enabled": False, "group": "slow"})
    assert (off.json["state"], off.json["group"]) == ("disabled", "slow")
    listed = await asker.ask("/api/proxies", role=ApiRole.USER)
    assert b"hunter2" not in listed.body
    assert [each["name"] for each in listed.json["items"]] == ["p"]
    assert (await asker.ask("/api/proxies/p", "DELETE")).status == 200
    assert (await asker.ask("/api/proxies/p", "DELETE")).status == 404


async def test_settings_audit_and_find(asker: Asker) -> None:
    settings = (await asker.ask("/api/settings", role=ApiRole.USER)).json
    assert {"name": "api.user", "value": 100, "source": "default"} in settings["items"]
    audit = (await asker.ask("/api/audit", "POST")).json
    assert (audit["whole"], audit["findings"]) == (True, [])
    found = (await asker.ask("/api/find?q=shop")).json
    assert (found["jobs"], found["hosts"]) == (["shop"], ["shop.example"])
    assert (await asker.ask("/api/find?q=shop.example")).json["url"] == "https://shop.example/"
