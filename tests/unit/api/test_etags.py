"""Is an answer that has not changed sent once? And is a misspelt word recognised?"""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import brotli
import pytest

from tests.asking import Asker, ask, opened


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        yield asker


async def test_who_has_it_is_told_so_and_no_more(asker: Asker) -> None:
    first = await asker.ask("/api/jobs")
    tag = first.headers["etag"]
    key = asker.keys[next(reversed(asker.keys))]
    for given in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        for method in ("GET", "HEAD"):
            again = await ask(asker.api, "/api/jobs", method, key, headers={"if-none-match": given})
            assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
            assert "content-length" not in again.headers
            assert "ratelimit-remaining" in again.headers
    other = await ask(asker.api, "/api/jobs", key=key, headers={"if-none-match": 'W/"other"'})
    assert (other.status, other.body) == (200, first.body)
    made = {"name": "new", "seeds": ["https://a.example/"]}
    assert (await asker.ask("/api/jobs", "POST", body=made)).status == 201
    changed = await ask(asker.api, "/api/jobs", key=key, headers={"if-none-match": tag})
    assert changed.status == 200
    assert changed.headers["etag"] != tag


async def test_the_tag_is_the_same_when_it_is_compressed(asker: Asker) -> None:
    key = asker.keys[next(reversed(asker.keys))]
    plain = await ask(asker.api, "/api/openapi.json", key=key)
    for accepted, said, unpacked in (
        ("gzip", "gzip", gzip.decompress),
        ("gzip, deflate, br", "br", brotli.decompress),
        ("br;q=0, gzip", "gzip", gzip.decompress),
        ("br;q=0.5", "br", brotli.decompress),
    ):
        headers = {"accept-encoding": accepted}
        packed = await ask(asker.api, "/api/openapi.json", key=key, headers=headers)
        assert packed.headers["content-encoding"] == said, accepted
        assert unpacked(packed.body) == plain.body
        assert len(packed.body) == int(packed.headers["content-length"]) < len(plain.body) / 4
        assert packed.headers["etag"] == plain.headers["etag"]
        assert packed.headers["vary"].lower() == "accept-encoding"
    short = await ask(asker.api, "/health", headers={"accept-encoding": "br"})
    assert "content-encoding" not in short.headers


async def test_errors_and_acts_have_none(asker: Asker) -> None:
    assert "etag" not in (await asker.ask("/api/jobs/nobody")).headers
    assert "etag" not in (await asker.ask("/api/frontier/recover", "POST")).headers


async def test_a_misspelt_word_is_recognised(asker: Asker) -> None:
    parameter = await asker.ask("/api/jobs?limti=5")
    assert parameter.status == 422
    assert parameter.json["detail"].endswith("Did you mean limit?")
    body = {"name": "x", "max_page": 5, "<script>alert(1)</script>": 1}
    field = await asker.ask("/api/jobs", "POST", body=body)
    assert field.status == 422
    why = {each["where"]: each["why"] for each in field.json["errors"]}
    assert why["body.max_page"] == "There is no such field. Did you mean max_pages?"
    assert all("Did you mean" not in text for where, text in why.items() if "script" in where)
    nobody = await asker.ask("/api/jobs?zzzzzz=5")
    assert "Did you mean" not in nobody.json["detail"]
