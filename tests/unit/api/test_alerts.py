"""Can what is wrong be seen and silenced over HTTP?"""

from __future__ import annotations

import json
from pathlib import Path

from tenax.ports.checks import AlertRecord
from tenax.settings import Settings, load
from tests.asking import Asker, opened
from tests.cli import invoke


async def test_alerts_are_listed_and_silenced(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        now = made.ledger.clock.now()
        disk = AlertRecord(0, "disk", "", "3 % of the disk is free", 0.03, now, now)
        over = AlertRecord(0, "errors", "", "41 % failed", 0.41, now, now, now)
        await made.ledger.alerts.write([disk, over], [], [])
        (found,) = (await asker.ask("/api/alerts")).json["items"]
        assert (found["what"], found["state"], found["about"]) == ("disk", "raised", None)
        everything = (await asker.ask("/api/alerts?all=true&limit=1")).json
        assert [each["what"] for each in everything["items"]] == ["errors"]
        cursor = everything["next"]
        more = (await asker.ask(f"/api/alerts?all=true&limit=1&cursor={cursor}")).json
        assert [each["what"] for each in more["items"]] == ["disk"]
        path = f"/api/alerts/{found['id']}/silence"
        said = await asker.ask(path, "POST", body={"lasting": "8h"})
        assert said.status == 200, said.body
        (found,) = (await asker.ask("/api/alerts")).json["items"]
        assert found["state"] == "silenced"
        assert found["silent_until"] == said.json["silent_until"]
        for body in ({"lasting": "soon"}, {"lasting": "90d"}, {"x": 1}):
            assert (await asker.ask(path, "POST", body=body)).status == 422
        assert (await asker.ask("/api/alerts/999/silence", "POST")).status == 404


async def test_the_rules_are_those_that_the_command_tells(tmp_path: Path) -> None:
    file = tmp_path / "tenax.toml"
    file.write_text(
        '[[alerts]]\nwhat = "disk"\nthreshold = 0.2\n[[alerts]]\nwhat = "backlog"\noff = true\n'
        '[[alerts]]\nwhat = "price_drop"\nname = "cheap"\nbrand = "Acme"\n'
    )
    said = invoke(["alerts", "rules", "--json", "--config", str(file)]).stdout
    rules = load(file=file, environment={}).settings.alerts
    async with opened(tmp_path, Settings(data=str(tmp_path / "data"), alerts=rules)) as made:
        asker = Asker(made)
        await asker.make_keys()
        told = (await asker.ask("/api/alerts/rules")).json["items"]
    assert told == [json.loads(line) for line in said.splitlines()]
    whats = {rule["what"]: rule for rule in told}
    assert whats["disk"]["threshold"] == 0.2
    assert "backlog" not in whats
    assert whats["price_drop"]["of"] == {"brand": "Acme"}
