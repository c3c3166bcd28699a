"""Does every list answer what was asked for, and say so when it cannot?"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tenax.compose.api import Opened
from tenax.model import JobSpec, JobState, Reason, State
from tenax.outcome import NEVER, Attempt, End, Evidence, Later, RequestStart
from tenax.ports.accounts import ApiRole
from tests.asking import Asker, opened
from tests.ledgers import settlement, target

A, B = "a.example", "b.example"


async def visited(made: Opened, job: int) -> None:
    """At two hosts: a page, a failure, a URL that is gone, one that waits; what was refused."""
    frontier, clock = made.ledger.frontier, made.ledger.clock
    now = clock.now()
    for host in (A, B):
        seed = target(f"https://{host}/", depth=0)
        await frontier.add(job, [seed])
        (held,) = [a for a in await frontier.claim([job], 10) if a.host.name == host]
        (first,) = held.targets
        found = [target(f"https://{host}/{word}", found_on=first.id) for word in ("fails", "gone")]
        home = replace(
            settlement(held, first, stored=True, found=found, rejected={Reason.OUT_OF_SCOPE: 9}),
            kept_rejections=((f"https://elsewhere.example/{host}", Reason.OUT_OF_SCOPE),),
            starts=(RequestStart(now - 2.0, 200, 12.0, 1.0), RequestStart(now - 1.5, 200, 9, 1.0)),
        )
        await frontier.commit([home])
        ended = {"fails": End(State.FAILED, "dns: no"), "gone": End(State.GONE, "http 404")}
        more = (await frontier.refill(held, 10, 1)).targets
        told = [
            replace(
                settlement(held, each, ended[each.url.rpartition("/")[2]]),
                attempt=Attempt(now, "gone", 404),
            )
            for each in more
        ]
        await frontier.commit(told, [held.id])
    await frontier.add(job, [target(f"https://{host}/waits") for host in (A, B)])


@asynccontextmanager
async def asking(folder: Path) -> AsyncIterator[Asker]:
    async with opened(folder) as made:
        ledger = made.ledger
        job = await ledger.jobs.save("shop", JobSpec(seeds=(f"https://{A}/", f"https://{B}/")))
        await ledger.jobs.save("other", JobSpec(seeds=("https://c.example/",)), JobState.STOPPED)
        await visited(made, job.id)
        asker = Asker(made)
        await asker.make_keys()
        yield asker


async def items(asker: Asker, path: str, role: ApiRole = ApiRole.USER) -> list[Any]:
    answer = await asker.ask(path, role=role)
    assert answer.status == 200, (path, answer.body)
    found: list[Any] = answer.json["items"]
    return found


async def test_urls_are_listed_by_state_reason_text_and_order(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        for query, urls in (
            ("state=failed", ["https://a.example/fails", "https://b.example/fails"]),
            ("state=gone&order=newest", ["https://b.example/gone", "https://a.example/gone"]),
            ("reason=http%20404&host=b.example", ["https://b.example/gone"]),
            ("contains=A.EXAMPLE/W", ["https://a.example/waits"]),
            ("order=next&host=a.example", ["https://a.example/waits"]),
            ("order=next&job=shop&limit=1", ["https://a.example/waits"]),
            ("job=other", []),
        ):
            found = await items(asker, f"/api/frontier/urls?{query}")
            assert [each["url"] for each in found] == urls, query
        (one,) = await items(asker, "/api/frontier/urls?host=a.example&state=done")
        assert one["found_at"].endswith("Z")
        assert one["next_crawl_at"] is None
        for query, part in (
            ("order=next", "name one"),
            ("order=next&job=shop&state=done", "leave out"),
            ("order=sideways", ""),
            ("job=nobody", "no job"),
        ):
            answer = await asker.ask(f"/api/frontier/urls?{query}", role=ApiRole.USER)
            assert answer.status == (404 if query == "job=nobody" else 422), query
            assert part in answer.json["detail"], query


async def test_urls_are_added_seeded_and_forgotten(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        body = {
            "job": "other",
            "urls": ["https://c.example/x", "https://far.example/", "https://c.example/x"],
        }
        added = (await asker.ask("/api/frontier/add", "POST", body=body)).json
        refused = [{"url": "https://far.example/", "reason": "out_of_scope"}]
        assert (added["new"], added["refused"]) == (1, refused)
        body = {"job": "other", "urls": ["https://far.example/", "https://far.example/too"]}
        seeded = (await asker.ask("/api/frontier/seed", "POST", body=body)).json
        assert (seeded["new"], seeded["refused"]) == (3, []), "with its own, which nobody offered"
        job = (await asker.ask("/api/jobs/other")).json
        assert "https://far.example/" in job["spec"]["seeds"]
        running = await asker.ask("/api/frontier?job=shop", "DELETE")
        assert running.status == 409
        cleared = (await asker.ask("/api/frontier?job=other", "DELETE")).json
        assert cleared == {"job": "other", "cleared": 4, "is_whole": True}
        assert (await asker.ask("/api/frontier", "DELETE")).status == 422
        assert (await asker.ask("/api/frontier/recover", "POST")).json == {"recovered": 0}
        assert (await asker.ask("/api/audit", "POST")).json["whole"] is True
        sums = (await asker.ask("/api/audit", role=ApiRole.USER)).json
        assert sums["adds_up"] is True
        assert sums["last"]["whole"] is True


async def test_jobs_tell_what_they_refused_and_which_kinds_they_visited(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        told = (await asker.ask("/api/jobs/shop/rejections", role=ApiRole.USER)).json
        assert told["counts"] == {"out_of_scope": 18}
        urls = [(each["url"], each["reason"]) for each in told["items"]]
        assert urls == [(f"https://elsewhere.example/{host}", "out_of_scope") for host in (B, A)]
        path = "/api/jobs/shop/rejections?reason=out_of_scope&limit=1"
        first = (await asker.ask(path, role=ApiRole.USER)).json
        second = (await asker.ask(f"{path}&cursor={first['next']}", role=ApiRole.USER)).json
        assert (len(first["items"]), len(second["items"])) == (1, 1)
        assert (await asker.ask("/api/jobs/shop/rejections?reason=mood")).status == 422
        (failed, gone) = await items(asker, "/api/jobs/shop/failures")
        assert {failed["reason"], gone["reason"]} == {"dns: no", "http 404"}
        assert await items(asker, "/api/jobs/shop/shapes") == []
        names = [each["job"] for each in await items(asker, "/api/jobs?state=stopped")]
        assert names == ["other"]
        assert [each["job"] for each in await items(asker, "/api/jobs?contains=SHO")] == ["shop"]
        found = (await asker.ask("/api/find?q=sho", role=ApiRole.USER)).json
        assert found["jobs"] == ["shop"]


async def test_hosts_are_listed_by_name_standing_and_size(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        await asker.ask(f"/api/admin/domains/{B}/pause", "POST")
        for query, names in (
            ("", [A, B]),
            ("q=B.EX", [B]),
            ("standing=paused", [B]),
            ("standing=breaker", []),
            ("standing=ok", [A]),
            ("trouble=true", [B]),
            ("sort=known", [A, B]),
            ("sort=pages&limit=1", [A]),
        ):
            found = await items(asker, f"/api/domains?{query}")
            assert [each["host"]["name"] for each in found] == names, query
        (one,) = await items(asker, "/api/domains?q=a.e")
        assert (one["known"], one["pages"], one["waiting"]) == (4, 1, 1)
        part = (await asker.ask("/api/domains?sort=known&limit=1")).json
        rest = await items(asker, f"/api/domains?sort=known&cursor={part['next']}")
        assert [each["host"]["name"] for each in rest] == [B]
        assert (await asker.ask("/api/domains?sort=known&standing=ok")).status == 422


async def test_a_host_tells_each_request_what_was_too_early_and_what_happened(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path) as asker:
        await asker.ask(f"/api/admin/domains/{A}/reset", "POST")
        told = (await asker.ask(f"/api/domains/{A}/timeline?minutes=5", role=ApiRole.USER)).json
        assert [each["too_early"] for each in told["requests"]] == [False, True]
        assert told["too_early"] == 1, "half a second after the first, of a delay of one"
        assert [each["kind"] for each in told["incidents"]] == ["reset"]
        assert (await asker.ask("/api/domains/nowhere.example/timeline")).status == 404
        assert (await asker.ask(f"/api/domains/{A}/timeline?minutes=0")).status == 422


async def counted(made: Opened, job: int) -> None:
    """Twenty visits of a calendar of the first host brought nothing; four days are put off."""
    frontier = made.ledger.frontier
    await frontier.add(job, [target(f"https://{A}/cal/{n}") for n in range(24)])
    (held,) = [each for each in await frontier.claim([job], 10) if each.host.name == A]
    leased = (*held.targets, *(await frontier.refill(held, 100, 1)).targets)
    days = [each for each in leased if "/cal/" in each.url]
    assert len(days) == 24
    evidence = Evidence("/cal/N", judged=True, late=True)
    told = [replace(settlement(held, each), evidence=evidence) for each in days[:20]]
    put_off = Later(NEVER, counts=False, reason="deferred: for good reasons")
    told += [replace(settlement(held, each, put_off), cause="/cal/N") for each in days[20:]]
    await frontier.commit(told, [held.id])


async def visits_of(made: Opened, job: int, shapes: dict[str, int]) -> None:
    """So many visits of these shapes at the first host, which all brought something."""
    frontier = made.ledger.frontier
    await frontier.add(job, [target(f"https://{A}/of/{n}") for n in range(len(shapes))])
    (held,) = [each for each in await frontier.claim([job], 10) if each.host.name == A]
    leased = (*held.targets, *(await frontier.refill(held, 100, 1)).targets)
    told = [
        replace(settlement(held, each), evidence=Evidence(shape, times=count))
        for each, (shape, count) in zip(leased, shapes.items(), strict=False)
    ]
    await frontier.commit(told, [held.id])


async def test_a_host_tells_what_the_kinds_of_its_urls_bring_and_why_some_wait(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path) as asker:
        ledger = asker.opened.ledger
        shop = await ledger.jobs.get("shop")
        assert shop is not None
        path = f"/api/domains/{A}/shapes"
        none = (await asker.ask(path, role=ApiRole.USER)).json
        assert (none["items"], none["is_whole"]) == ([], True)
        await counted(asker.opened, shop.id)
        told = (await asker.ask(path, role=ApiRole.USER)).json
        (one,) = told["items"]
        assert one.pop("why").startswith("/cal/N: lately 20 visits brought nothing new")
        assert {each.rpartition("/")[0] for each in one.pop("examples")} == {f"https://{A}/cal"}
        assert one == {
            "job": "shop", "shape": "/cal/N", "visits": 20, "fruitless": 20, "judged": 20,
            "fruitful": 0, "late": 20, "deferred": 4,
        }  # fmt: skip
        assert told["budgets"] == [{"job": "shop", "budget": 200, "spent": 20}]
        for query, count in (
            ("job=shop", 1),
            ("deferred=true", 1),
            ("deferred=false", 0),
            ("job=shop&deferred=true&limit=1", 1),
        ):
            assert len(await items(asker, f"{path}?{query}")) == count, query
        for query, status in (("job=nobody", 404), ("job=other", 404), ("jobs=shop", 422)):
            assert (await asker.ask(f"{path}?{query}")).status == status, query
        assert (await asker.ask("/api/domains/nowhere.example/shapes")).status == 404


async def test_the_kinds_of_a_host_come_a_part_at_a_time(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        ledger = asker.opened.ledger
        shop = await ledger.jobs.get("shop")
        assert shop is not None
        path, found, cursor = f"/api/domains/{A}/shapes?limit=2", [], ""
        await visits_of(asker.opened, shop.id, {f"/{n}/W": n for n in range(1, 6)})
        for count in (2, 2, 1):
            part = (await asker.ask(path + cursor, role=ApiRole.USER)).json
            assert len(part["items"]) == count
            found += [each["visits"] for each in part["items"]]
            cursor = f"&cursor={part['next']}"
        assert found == [5, 4, 3, 2, 1]
        assert part["next"] is None


async def test_pages_are_listed_newest_first_by_text_and_purged(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        urls = [each["url"] for each in await items(asker, "/api/pages?newest=true")]
        assert urls == ["https://b.example/", "https://a.example/"]
        assert [each["url"] for each in await items(asker, "/api/pages?contains=b.ex")] == urls[:1]
        assert await items(asker, "/api/pages?duplicates=true") == []
        assert (await asker.ask("/api/admin/pages", "DELETE")).status == 422
        assert (await asker.ask("/api/admin/pages?older_than=soon", "DELETE")).status == 422
        for query, pages, left in (
            ("older_than=2020-01-01", 0, 2),
            ("host=a.example&dry_run=true", 1, 2),
            ("host=a.example", 1, 1),
            ("all=true", 1, 0),
        ):
            answer = (await asker.ask(f"/api/admin/pages?{query}", "DELETE")).json
            assert (answer["pages"], answer["is_whole"]) == (pages, True), query
            assert len(await items(asker, "/api/pages")) == left, query
        assert (await asker.ask("/api/audit", "POST")).json["whole"] is True


async def test_a_url_tells_by_which_way_it_was_found(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        path = "/api/why/path?url=https://a.example/gone"
        (way,) = await items(asker, path)
        assert way["job"] == "shop"
        assert [each["url"] for each in way["steps"]] == [
            "https://a.example/gone",
            "https://a.example/",
        ]
        assert await items(asker, f"{path}&job=other") == []
        assert await items(asker, "/api/why/path?url=nonsense") == []


async def test_where_no_products_are_none_are_told(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        assert await items(asker, "/api/products?url=https://a.example/") == []
        assert await items(asker, "/api/products?q=nothing&cheaper=true") == []
        assert await items(asker, "/api/products/rates?days=30") == []
        prices = await asker.ask("/api/products/prices?changed_since=1d", role=ApiRole.USER)
        assert (prices.status, prices.body) == (200, b"")
        assert prices.headers["content-type"].startswith("application/x-ndjson")
        assert (await asker.ask("/api/products/prices?changed_since=soon")).status == 422


async def test_workers_and_statuses_are_told(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        (worker,) = await items(asker, "/api/workers")
        assert worker["machine"]
        assert worker["version"]
        assert (worker["role"], worker["held"]) == ("crawl", [])
        stats = (await asker.ask("/api/stats", role=ApiRole.ANONYMOUS)).json
        assert stats["statuses"] == {"200": 2, "404": 4}
        assert stats["jobs"] == {"running": 1, "stopped": 1}
        whole = (await asker.ask("/api/frontier/stats", role=ApiRole.USER)).json
        assert whole["known"] == 8
        for query in ("minutes=60&step=5", "minutes=20160&step=60", "minutes=1440&step=60"):
            series = (await asker.ask(f"/api/stats/timeseries?{query}", role=ApiRole.USER)).json
            assert sum(each["visits"] for each in series["items"]) == 6, query
            assert sum(each["s4"] for each in series["items"]) == 4, query
        assert (await asker.ask("/api/stats/timeseries?minutes=20160&step=15")).status == 422


async def test_parts_of_the_stream_are_for_those_who_may_see_them(tmp_path: Path) -> None:
    async with asking(tmp_path) as asker:
        asker.api.state.live.close()
        for query in ("job=shop", "host=a.example"):
            assert (await asker.ask(f"/api/live?{query}", role=ApiRole.ANONYMOUS)).status == 401
        missing = await asker.ask("/api/live?job=nobody", role=ApiRole.USER)
        assert missing.status == 404
        assert json.loads(missing.body)["status"] == 404
