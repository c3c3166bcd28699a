"""Does the API tell the user's own records, all they were, and how handlers do? (REC-1)"""

from __future__ import annotations

from pathlib import Path

from tenax.compose.api import open_api
from tenax.ports.accounts import ApiRole
from tenax.testing import SimulatedWeb, crawl, open_test_app, run_virtually
from tests.asking import Asker
from tests.simulate.test_own_records import HOME, QUOTES, SITE, home, quote, with_handlers, written


def test_records_are_listed_told_whole_and_rated(tmp_path: Path) -> None:
    async def story() -> None:
        web = SimulatedWeb()
        settings = with_handlers(written(tmp_path, QUOTES + "    raise KeyError('x')\n"))
        async with open_test_app(web, tmp_path / "data", settings) as app:
            web.at(HOME, home("/quote/1", "/quote/2"))
            web.at(f"{SITE}/quote/1", quote(1, "Ada"), quote(1, "Bob"))
            web.at(f"{SITE}/quote/2", quote(2, "Cyd"))
            await crawl(app, HOME)
            await crawl(app, HOME, again=True)
            async with open_api(app.ledger, None, app) as made:
                asker = Asker(made)
                await asker.make_keys()
                await _ask(asker)

    run_virtually(story())


async def _ask(asker: Asker) -> None:
    async def told(query: str) -> list[str]:
        answer = await asker.ask(f"/api/records?{query}", role=ApiRole.USER)
        assert answer.status == 200, answer.body
        return [each["data"]["author"] for each in answer.json["items"]]

    assert sorted(await told("name=quote")) == ["Bob", "Cyd"]
    assert await told("name=nothing") == []
    assert await told(f"url={SITE}/quote/2") == ["Cyd"]
    assert await told("q=bob&status=there&host=q.example&job=test&handler=quote") == ["Bob"]
    assert await told("status=gone") == []
    first = (await asker.ask("/api/records?limit=1", role=ApiRole.USER)).json
    rest = await told(f"limit=1&cursor={first['next']}")
    assert len(rest) == 1
    assert rest != [first["items"][0]["data"]["author"]]
    for query in ("status=lost", "changed_since=soon", "url=mailto:x"):
        assert (await asker.ask(f"/api/records?{query}", role=ApiRole.USER)).status == 422, query
    assert (await asker.ask("/api/records?job=nobody", role=ApiRole.USER)).status == 404
    (bob,) = (await asker.ask("/api/records?q=Bob", role=ApiRole.USER)).json["items"]
    whole = (await asker.ask(f"/api/records/{bob['id']}", role=ApiRole.USER)).json
    assert [state["data"]["author"] for state in whole["history"]] == ["Ada", "Bob"]
    assert (await asker.ask("/api/records/987", role=ApiRole.USER)).status == 404
    (rate,) = (await asker.ask("/api/records/rates", role=ApiRole.USER)).json["items"]
    assert (rate["handler"], rate["records"], rate["pages"]) == ("quote", 3, 3)
    assert rate["failures"] == 3
    assert rate["last_failure"]["error"].endswith("KeyError: 'x'\n")
    assert rate["last_day"] == bob["last_seen_at"][:10]
