"""Does `/api/sites` let whom it is for read and change the rules of sites? (HOST-7, API-3)"""

from __future__ import annotations

from pathlib import Path

from tenax.model import SiteRules
from tenax.ops.secrets import MASK
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings
from tests.asking import Asker, opened

RULES = {"delay": 5, "exclude": ["*/tag/*"], "headers": {"X-Key": "hunter2"}}
SEEN = {"delay": 5.0, "exclude": ["*/tag/*"], "headers": {"X-Key": MASK}}


async def test_rules_are_put_seen_and_deleted_and_obeyed_by_this_process(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        put = await asker.ask("/api/sites/*.example", "PUT", body=RULES)
        assert (put.status, put.json) == (
            200,
            {"host": "*.example", "source": "ledger", "rules": SEEN},
        )
        assert made.ledger.sites.of("a.example").rules.headers == {"X-Key": "hunter2"}
        seen = await asker.ask("/api/sites/*.Example", role=ApiRole.USER)
        assert (seen.status, seen.json["rules"]) == (200, SEEN)
        # What was shown may be sent back: the secret stays.
        again = await asker.ask(
            "/api/sites/*.example", "PUT", body={**seen.json["rules"], "delay": 6}
        )
        assert again.json["rules"]["delay"] == 6.0
        rules = made.ledger.sites.of("a.example").rules
        assert (rules.headers, rules.delay) == ({"X-Key": "hunter2"}, 6.0)
        gone = await asker.ask("/api/sites/*.example", "DELETE")
        assert (gone.status, gone.json) == (200, {"host": "*.example", "removed": True})
        assert not made.ledger.sites
        assert (await asker.ask("/api/sites/*.example")).status == 404
        assert (await asker.ask("/api/sites/*.example", "DELETE")).status == 404
    assert asker.told == [
        "api: key admin PUT /api/sites/*.example: 200",
        "api: key admin PUT /api/sites/*.example: 200",
        "api: key admin DELETE /api/sites/*.example: 200",
        "api: key admin DELETE /api/sites/*.example: 404",
    ]


async def test_a_put_replaces_and_what_it_does_not_name_is_gone(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        await asker.ask("/api/sites/a.example", "PUT", body=RULES)
        await asker.ask("/api/sites/a.example", "PUT", body={"max_pages": 3})
        told = await asker.ask("/api/sites/a.example")
    assert told.json["rules"] == {"max_pages": 3}


async def test_rules_of_the_settings_are_listed_too_and_by_host(tmp_path: Path) -> None:
    settings = Settings(
        data=str(tmp_path / "data"), sites=(SiteRules("a.example", render="never"),)
    )
    async with opened(tmp_path, settings) as made:
        asker = Asker(made)
        await asker.make_keys()
        for pattern in ("*.example", "b.org"):
            await asker.ask(f"/api/sites/{pattern}", "PUT", body={"delay": 2})
        told = (await asker.ask("/api/sites", role=ApiRole.USER)).json
        assert [(each["host"], each["source"]) for each in told["items"]] == [
            ("a.example", "settings"), ("b.org", "ledger"), ("*.example", "ledger")
        ]  # fmt: skip
        first = (await asker.ask("/api/sites?limit=2")).json
        rest = (await asker.ask(f"/api/sites?limit=2&cursor={first['next']}")).json
        assert first["items"] + rest["items"] == told["items"]
        assert rest["next"] is None
        matching = (await asker.ask("/api/sites?host=a.example")).json["items"]
        assert [each["host"] for each in matching] == ["a.example", "*.example"]


async def test_what_cannot_be_is_a_problem_and_changes_nothing(tmp_path: Path) -> None:
    wrong: list[tuple[object, str]] = [
        ({"dleay": 5}, "unknown key 'dleay'. Did you mean 'delay'?"),
        ({"delay": "5"}, "must be at least 0 seconds"),
        ({"delay": -1}, "must be at least 0 seconds"),
        ({"exclude": "*/x"}, "must be a list of texts"),
        ({"headers": {"X": 5}}, "each of its values must be a text"),
        ({"headers": {"X": MASK}}, "there is none to keep"),
        ({"host": "b.example"}, "unknown key 'host'"),
        ({"parser": "nobodys"}, "no parser of this name"),
        (b"{}", "say nothing"),
        ([1], "not as it should be"),
    ]
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        for body, told in wrong:
            answer = await asker.ask("/api/sites/a.example", "PUT", body=body)
            assert (answer.status, answer.is_problem) == (422, True)
            assert told in answer.json["detail"]
        assert not made.ledger.sites


async def test_only_admins_change_them_and_nobody_unknown_sees_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        for method in ("PUT", "DELETE"):
            body = {"delay": 1} if method == "PUT" else None
            denied = await asker.ask("/api/sites/a.example", method, ApiRole.USER, body)
            assert (denied.status, denied.is_problem) == (403, True)
        for path in ("/api/sites", "/api/sites/a.example"):
            assert (await asker.ask(path, role=ApiRole.ANONYMOUS)).status == 401
        assert (await asker.ask("/api/sites/a%2Fb", "PUT", body={"delay": 1})).status in (404, 422)
