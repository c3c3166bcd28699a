"""Is a request that is sent twice acted on once, and answered twice? (API-1)"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tenax.ports.accounts import ApiRole, Repeat
from tests.asking import Answer, Asker, ask, opened

JOB = {"name": "shop", "seeds": ["https://shop.example/"]}


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    async with opened(tmp_path) as made:
        found = Asker(made)
        await found.make_keys()
        yield found


async def post(asker: Asker, path: str, body: Any, key: str) -> Answer:
    headers = {"idempotency-key": key}
    secret = asker.keys[ApiRole.ADMIN]
    return await ask(asker.api, path, "POST", secret, json.dumps(body).encode(), headers)


def ledger_bytes(asker: Asker) -> bytes:
    folder = Path(asker.opened.ledger.settings.data)
    return b"".join(file.read_bytes() for file in folder.glob("ledger.db*"))


async def test_the_second_time_it_is_answered_and_not_done(asker: Asker) -> None:
    first = await post(asker, "/api/jobs", JOB, "k")
    second = await post(asker, "/api/jobs", JOB, "k")
    assert (first.status, second.status) == (201, 201)
    assert second.body == first.body
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert (await post(asker, "/api/jobs", JOB, "other")).status == 409, "acted on: it is there"


async def test_a_key_is_for_one_request_of_one_caller(asker: Asker) -> None:
    await post(asker, "/api/jobs", JOB, "k")
    assert (await post(asker, "/api/jobs", {**JOB, "name": "x"}, "k")).status == 422
    assert (await post(asker, "/api/jobs/preview", {"seeds": JOB["seeds"]}, "k")).status == 200
    assert (await post(asker, "/api/jobs", JOB, "k" * 300)).status == 422


async def test_an_answer_with_a_secret_in_it_is_not_kept(asker: Asker) -> None:
    body = {"name": "ci", "role": "user"}
    made = await post(asker, "/api/keys", body, "k")
    assert made.status == 201
    assert (await post(asker, "/api/keys", body, "k")).status == 409, "sent again, done again"
    written = ledger_bytes(asker)
    assert made.json["key"].encode() not in written


async def test_refusals_are_kept_too(asker: Asker) -> None:
    first = await post(asker, "/api/jobs/nobody/start", {}, "k")
    second = await post(asker, "/api/jobs/nobody/start", {}, "k")
    assert (first.status, second.status) == (404, 404)


async def test_of_two_at_once_one_is_acted_on(asker: Asker) -> None:
    said = await asyncio.gather(*(post(asker, "/api/jobs", JOB, "k") for _ in range(4)))
    assert sorted({each.status for each in said} - {409}) == [201]
    assert len(await asker.opened.ledger.jobs.all()) == 1


async def test_what_never_ended_may_be_sent_again(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = asker.opened.ledger
    assert await ledger.repeats.begin(b"1" * 32, b"2" * 32) is Repeat.NEW
    assert await ledger.repeats.begin(b"1" * 32, b"2" * 32) is Repeat.UNDER_WAY
    then = ledger.clock.now() + 121
    monkeypatch.setattr(ledger.clock, "now", lambda: then)
    assert await ledger.repeats.begin(b"1" * 32, b"2" * 32) is Repeat.NEW
    await ledger.repeats.end(b"1" * 32, None)
    assert await ledger.repeats.begin(b"1" * 32, b"3" * 32) is Repeat.NEW


async def test_what_can_be_got_can_be_asked_for_without_its_body(asker: Asker) -> None:
    got = await asker.ask("/api/jobs")
    head = await asker.ask("/api/jobs", "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(got.body))
    assert (await asker.ask("/api/jobs/none/start", "HEAD")).status == 405


async def test_long_answers_are_compressed_for_those_who_like_it(asker: Asker) -> None:
    path, key = "/api/settings", asker.keys[ApiRole.ADMIN]
    plain = await ask(asker.api, path, key=key)
    packed = await ask(asker.api, path, key=key, headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2
