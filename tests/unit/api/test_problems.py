"""Is every error a problem (RFC 9457) that says what, and nothing of what is nobody's business?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tenax.api import guard
from tenax.api.listing import Removed
from tenax.ports import Unavailable
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings
from tests.asking import HOSTILE, MUCH, Answer, Asker, ask, opened, told_oddly


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        yield asker


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asker]:
    """One for all that are refused: to make one takes a hundred times as long as to ask it."""
    async with opened(tmp_path_factory.mktemp("shared")) as made:
        asker = Asker(made)
        await asker.make_keys()
        yield asker


def failing(error: BaseException) -> Any:
    async def get() -> Removed:
        raise error

    return get


async def said_of(asker: Asker, answer: Any) -> Answer:
    guard.Doors(asker.api).get("/api/odd", answer, ApiRole.USER)
    return await asker.ask("/api/odd")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/api/nowhere", 404),
        ("GET", "/docs", 404),
        ("GET", "/openapi.json", 404),
        ("PUT", "/api/jobs", 405),
        ("OPTIONS", "/api/jobs", 405),
        ("GET", "/api/jobs?limit=many", 422),
        ("GET", "/api/jobs?limit=0", 422),
        ("GET", "/api/jobs?limit=501", 422),
        ("GET", "/api/jobs?cursor=!!", 400),
        ("GET", "/api/frontier/urls?state=lost", 422),
        ("GET", "/api/pages/abc", 422),
        ("GET", f"/api/pages/{'0' * 64}", 404),
        ("GET", "/api/pages?job=nobody", 404),
        ("GET", "/api/domains/nowhere.example", 404),
        ("GET", "/api/jobs/nobody", 404),
        ("GET", "/api/jobs/nobody/progress", 404),
        ("POST", "/api/jobs/nobody/start", 404),
        ("DELETE", "/api/jobs/nobody", 404),
        ("GET", "/api/why", 422),
        ("GET", "/api/search", 422),
        ("GET", "/api/search?q=price:cheap", 422),
        ("GET", "/api/search?q=colour:red", 422),
        ("GET", "/api/products/7", 404),
        ("GET", "/api/products/7/prices", 404),
        ("GET", "/api/products/7/images/0", 404),
        ("GET", "/api/products?availability=perhaps", 422),
        ("GET", "/api/products?status=lost", 422),
        ("GET", "/api/products?changed_since=lately", 422),
        ("GET", "/api/products?min_rating=6", 422),
        ("POST", "/api/jobs", 422),
        ("POST", "/api/dead-letters/return", 422),
    ],
)
async def test_every_mistake_is_told_as_a_problem(
    shared: Asker, method: str, path: str, status: int
) -> None:
    said = await shared.ask(path, method)
    assert said.status == status
    assert said.is_problem


async def test_no_route_passes_over_a_parameter_that_it_does_not_know(asker: Asker) -> None:
    """One that is misspelled would answer with everything, or act on it."""
    routes = (await asker.ask("/api/openapi.json")).json["paths"]
    asked = [(verb.upper(), path) for path, verbs in routes.items() for verb in verbs]
    assert len(asked) > 20
    for method, path in asked:
        filled = path.replace("{name}", "nobody").replace("{domain}", "a.example")
        filled = filled.replace("{product_id}", "7").replace("{position}", "0")
        said = await asker.ask(f"{filled.replace('{url_hash}', '0' * 64)}?colour=red", method)
        assert (said.status, said.is_problem) == (422, True), path
        declared = [each["name"] for each in routes[path][method.lower()].get("parameters", ())
                    if each["in"] == "query"]  # fmt: skip
        assert said.json["known"] == sorted(declared)
        assert "colour" not in said.json["detail"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("path", HOSTILE)
async def test_hostile_addresses_break_nothing(shared: Asker, path: str) -> None:
    said = await shared.ask(path)
    assert said.status < 500
    assert said.status == 200 or said.is_problem


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("path", ["/api/jobs/a%00", "/api/why?url=%00", "/api/pages?host=a%00b"])
async def test_a_null_character_is_refused_before_a_database_sees_it(
    shared: Asker, path: str
) -> None:
    said = await shared.ask(path)
    assert (said.status, said.is_problem) == (400, True)


async def test_no_field_of_a_body_breaks_anything(tmp_path: Path) -> None:
    """Half a character cannot even be told back, and PostgreSQL knows no null character."""
    async with opened(tmp_path, Settings(data=str(tmp_path), api=MUCH)) as made:
        asker = Asker(made)
        await asker.make_keys()
        told = [each async for each in told_oddly(asker)]
    assert len(told) > 400
    broken = [(asked, body) for asked, body, said in told if said.status >= 500]
    assert broken == []
    for asked, body, said in told:
        if "\\u0000" in body or "\\ud" in body:
            assert (said.status, said.is_problem) == (422, True), (asked, body)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b'{"headers": {"X-A": "\\u0000"}}', "body.headers.X-A"),
        (b'{"headers": {"X-A": ["b", "\\ud83d"]}}', "body.headers.X-A.1"),
        (b'{"a\\u0000": 1}', "body.a\\x00"),
        (b'"\\ude00"', "body"),
    ],
)
async def test_what_is_no_text_is_told_with_its_place(
    shared: Asker, body: bytes, where: str
) -> None:
    said = await shared.ask("/api/sites/a.example", "PUT", body=body)
    assert said.status == 422
    (one,) = said.json["errors"]
    assert one["where"] == where
    assert "character" in one["why"]
    whole = b'{"headers": {"X-A": "\\ud83d\\ude00 \\\\u0000"}}'
    assert (await shared.ask("/api/sites/a.example", "PUT", body=whole)).status == 200


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"[" * 5_000,
        b'{"name": "\\u0000", "seeds": ["https://a.example/"]}',
        b'{"name": "\\ud800", "seeds": ["https://a.example/"]}',
        b'{"name": "a/b", "seeds": ["https://a.example/"]}',
        b'{"name": "a", "seeds": ["\\u0000"]}',
        b'{"name": "a", "seeds": [7]}',
        b'{"name": "a", "seeds": []}',
        b'{"name": "a", "seeds": ["not a url at all"]}',
        b'{"name": "a", "seeds": ["file:///etc/passwd"]}',
        b'{"name": "a", "seeds": ["http://127.0.0.1/"]}',
        b'{"name": "a", "seeds": ["https://a.example/"], "max_pages": -1}',
        b'{"name": "a", "seeds": ["https://a.example/"], "max_pages": 1e400}',
        b'{"name": "a", "seeds": ["https://a.example/"], "max_pages": 1000000000001}',
        b'{"name": "a", "seeds": ["https://a.example/"], "max_depth": 1000001}',
        b'{"name": "a", "seeds": ["https://a.example/"], "recrawl": NaN}',
        b'{"name": "a", "seeds": ["https://a.example/"], "recrawl": Infinity}',
        b'{"name": "a", "seeds": ["https://a.example/"], "include": ["re:("]}',
        b'{"name": "a", "seeds": ["https://a.example/"], "schedule": "whenever"}',
        b'{"name": "a", "seeds": ["https://a.example/"], "recrawl": 0.001}',
        b'{"name": "a", "seeds": ["https://a.example/"], "secret_key": "x"}',
    ],
)
async def test_hostile_bodies_break_nothing_and_make_no_job(shared: Asker, body: bytes) -> None:
    said = await shared.ask("/api/jobs", "POST", body=body)
    assert 400 <= said.status < 500
    assert said.is_problem
    assert await shared.opened.ledger.jobs.all() == []


@pytest.mark.parametrize("headers", [{}, {"content-length": "99999999999"}])
async def test_a_body_too_long_is_refused_whether_it_says_so_or_not(
    asker: Asker, headers: dict[str, str]
) -> None:
    body = b" " * (1_500_000 if not headers else 10)
    key = asker.keys[ApiRole.ADMIN]
    said = await ask(asker.api, "/api/jobs", "POST", key, body, headers)
    assert said.status == 413
    assert said.is_problem


async def test_headers_too_long_are_refused(asker: Asker) -> None:
    said = await ask(asker.api, "/api/stats", headers={"x": "y" * 40_000})
    assert (said.status, said.is_problem) == (431, True)


async def test_what_is_broken_inside_is_nobodys_business(asker: Asker) -> None:
    said = await said_of(asker, failing(ValueError("postgresql://me:secret@host")))
    assert said.status == 500
    assert said.is_problem
    assert b"secret" not in said.body


async def test_while_the_ledger_is_away_it_says_when_to_come_back(asker: Asker) -> None:
    said = await said_of(asker, failing(Unavailable("db.internal:5432 refuses us")))
    assert said.status == 503
    assert said.is_problem
    assert b"internal" not in said.body
    assert said.headers["retry-after"].isdecimal()


async def test_an_answer_that_takes_too_long_is_given_up(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "READ_SECONDS", 0.05)

    async def get() -> Removed:
        await asyncio.sleep(3_600)
        return Removed("too late")

    said = await said_of(asker, get)
    assert (said.status, said.is_problem) == (503, True)


async def test_every_answer_says_how_it_is_to_be_taken(asker: Asker) -> None:
    for path in ("/health", "/api/stats", "/nowhere", "/api/jobs/%00"):
        said = await asker.ask(path)
        assert said.headers["x-content-type-options"] == "nosniff"
        assert said.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in said.headers["content-security-policy"]
        assert "server" not in said.headers
        assert not [name for name in said.headers if name.startswith("access-control")]
