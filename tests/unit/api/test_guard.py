"""Is the API closed by default, and open for those only whom a route is for? (API-3, API-4)"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from tenax.api.guard import Doors, GuardedRoute, declared, require_roles
from tenax.ops.accounts.api_keys import digest_of, new_key
from tenax.ports.accounts import ApiRole
from tests.asking import Asker, ask, opened


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        yield asker


OF_USERS = {"/api/jobs/preview"}
"""Sent by POST because of its size; it changes nothing."""
FOR_ADMINS = {"/api/users", "/api/keys", "/api/acts"}
"""What even a user may not look at: who else there is, and what they do."""
CONSOLE = {"/assets/nobody", "/{address:console_page}"}
"""Its files are the same for everybody."""


async def answer() -> dict[str, str]:
    return {}


def routes(asker: Asker) -> list[tuple[str, str, ApiRole]]:
    """Every route there is: method, a path that could be asked, and whom it is for."""
    found = []
    for route in asker.api.router.routes:
        assert isinstance(route, GuardedRoute)
        (method,) = route.methods or {"GET"}
        path = route.path.replace("{url_hash}", "0" * 64).replace("{target_id}", "1")
        path = (
            path.replace("{name}", "nobody")
            .replace("{user}", "nobody")
            .replace("{key}", "nobody")
            .replace("{domain}", "a.example")
        )
        found.append((method, path, declared(route)[0]))
    return found


# -- Closed by default


def test_a_route_that_does_not_say_for_whom_it_is_keeps_the_api_from_starting() -> None:
    api = FastAPI(openapi_url=None)
    Doors(api)
    api.router.add_api_route("/open", answer)
    with pytest.raises(RuntimeError, match="/open does not say for whom"):
        require_roles(api.router.routes)


def test_neither_does_one_past_the_guard_start() -> None:
    api = FastAPI(openapi_url=None)
    api.router.add_api_route("/past", answer, openapi_extra={"x-role": "user"})
    assert type(api.router.routes[0]) is APIRoute
    with pytest.raises(RuntimeError, match="/past"):
        require_roles(api.router.routes)


def test_nor_one_for_a_role_there_is_not_or_uncounted_for_some() -> None:
    for said in ({"x-role": "friend"}, {"x-role": "user", "x-uncounted": True}):
        api = FastAPI(openapi_url=None)
        Doors(api)
        api.router.add_api_route("/odd", answer, openapi_extra=said)
        with pytest.raises(RuntimeError, match="/odd"):
            require_roles(api.router.routes)


async def test_a_route_without_a_role_answers_nobody_even_if_it_was_added_later(
    asker: Asker,
) -> None:
    asker.api.router.add_api_route("/api/late", answer)
    assert (await asker.ask("/api/late")).status == 500


# -- Who may ask what


async def test_anonymous_sees_health_and_stats_a_user_every_get_an_admin_all(
    asker: Asker,
) -> None:
    for number, (method, path, _) in enumerate(routes(asker)):
        if path.startswith("/api/auth/") or path == "/api/live":
            continue  # for everybody: whoever is asked for a name and a password is nobody yet
        if path in CONSOLE:
            continue  # files without any data
        is_open = path in ("/health", "/api/stats")
        # Each from an address of its own, or the limit would answer.
        nobody = await ask(asker.api, path, method, client=f"10.0.0.{number}")
        assert nobody.status == (200 if is_open else 401), path
        user = await asker.ask(path, method, ApiRole.USER)
        is_theirs = method == "GET" and path not in FOR_ADMINS
        if path in OF_USERS:
            is_theirs = True
        assert (user.status == 403) == (not is_theirs), (method, path)
        assert user.status != 401
        admin = await asker.ask(path, method, ApiRole.ADMIN)
        assert admin.status not in (401, 403, 500), (method, path)


async def test_what_changes_something_is_for_admins(asker: Asker) -> None:
    told = {
        (method, path): role
        for method, path, role in routes(asker)
        if not path.startswith("/api/auth/")
    }
    changing = {role for (m, path), role in told.items() if m != "GET" and path not in OF_USERS}
    assert changing == {ApiRole.ADMIN}
    anonymous = {path for (_, path), role in told.items() if role is ApiRole.ANONYMOUS}
    assert anonymous == {"/health", "/api/stats", "/api/live", *CONSOLE}
    for_admins = {p for (m, p), role in told.items() if role is ApiRole.ADMIN and m == "GET"}
    assert for_admins == FOR_ADMINS


@pytest.mark.parametrize(
    "given",
    ["Bearer", "Bearer ", "Bearer nonsense", "Basic dXNlcjp1c2Vy", "tnx_", "Bearer \xff" * 9],
)
async def test_what_is_no_key_opens_nothing(asker: Asker, given: str) -> None:
    for path in ("/api/jobs", "/api/stats"):
        said = await ask(asker.api, path, headers={"authorization": given})
        assert said.status == 401
        assert said.is_problem
        assert said.headers["www-authenticate"].startswith("Bearer")


async def test_a_revoked_key_opens_nothing_from_then_on(asker: Asker) -> None:
    assert (await asker.ask("/api/jobs", role=ApiRole.USER)).status == 200
    await asker.opened.keys.revoke("user")
    assert (await asker.ask("/api/jobs", role=ApiRole.USER)).status == 401


async def test_a_body_of_somebody_who_may_not_send_it_is_not_read(asker: Asker) -> None:
    said = await ask(asker.api, "/api/jobs", "POST", body=b"{broken")
    assert said.status == 401


async def test_what_an_admin_does_is_told_without_the_key(asker: Asker) -> None:
    await asker.ask("/api/jobs/nobody/start", "POST")
    await asker.ask("/api/jobs")
    assert asker.told == ["api: key admin POST /api/jobs/nobody/start: 404"]


# -- How often


async def test_after_its_limit_an_asker_is_told_how_long_to_wait(asker: Asker) -> None:
    said = [await ask(asker.api, "/api/stats", client="10.1.1.1") for _ in range(11)]
    assert [each.status for each in said] == [200] * 10 + [429]
    assert said[-1].is_problem
    assert 0 < int(said[-1].headers["retry-after"]) <= 66
    assert said[0].headers["ratelimit-limit"] == "10"
    assert said[0].headers["ratelimit-remaining"] == "9"
    assert (await ask(asker.api, "/api/stats", client="10.1.1.2")).status == 200
    assert (await asker.ask("/api/stats")).status == 200, "a key is counted for itself"


async def test_whoever_tries_keys_is_counted(asker: Asker) -> None:
    said = [await ask(asker.api, "/api/jobs", key=new_key(), client="10.1.1.1") for _ in range(11)]
    assert [each.status for each in said] == [401] * 10 + [429]


async def test_health_may_be_asked_as_often_as_one_likes(asker: Asker) -> None:
    assert {(await ask(asker.api, "/health")).status for _ in range(30)} == {200}


# -- Keys


def test_a_key_is_256_random_bits_and_its_hash_tells_nothing_of_it() -> None:
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100
    assert all(key.startswith("tnx_") and len(key) == 47 for key in keys)
    assert {len(digest_of(key)) for key in keys} == {32}
