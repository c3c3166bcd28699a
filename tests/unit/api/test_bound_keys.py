"""Does a key for one job tell anything of another? Whatever is asked, about what that other job
knows it answers as about what nobody knows."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tenax.compose.api import Opened
from tenax.model import JobSpec, Url
from tenax.ops.accounts.api_keys import add_key
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings
from tenax.urls.normalise import url_hash
from tests.asking import MUCH, Asker, ask, opened
from tests.ledgers import settlement, target

OURS, THEIRS, NOBODYS = "ours00.example", "theirs.example", "absent.example"


async def stored(made: Opened, job: str, host: str) -> None:
    url = f"https://{host}/page"
    saved = await made.ledger.jobs.save(job, JobSpec(seeds=(url,)))
    frontier = made.ledger.frontier
    await frontier.add(saved.id, [target(url, depth=0)])
    (held,) = await frontier.claim([saved.id], 10)
    await frontier.commit([settlement(held, held.targets[0], stored=True)], [held.id])


@pytest.fixture
async def asker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Asker]:
    async with opened(tmp_path, Settings(data=str(tmp_path), api=MUCH)) as made:
        now = made.ledger.clock.now()
        monkeypatch.setattr(made.ledger.clock, "now", lambda: now)
        await stored(made, "ours", OURS)
        await stored(made, "theirs", THEIRS)
        asker = Asker(made)
        asker.keys[ApiRole.ADMIN] = await add_key(made.keys, "k", ApiRole.ADMIN, jobs=("ours",))
        # A stream goes on for ever; closed, it says so.
        asker.api.state.live.close()
        yield asker


def questions(asker: Asker, host: str) -> list[tuple[str, str]]:
    """Every route, with `job` where that is known, and each pair of what else could be asked for
    about this host."""
    url = f"https://{host}/page"
    values = {"host": host, "url": url, "contains": host, "domain": host, "q": host,
              "url_hash": url_hash(Url(url)), "pattern": host}  # fmt: skip
    found = []
    for path, operations in asker.checked.document["paths"].items():
        for method, operation in operations.items():
            if path.startswith("/api/auth/") or path == "/api/stats":
                continue  # of nobody's in particular
            real = re.sub(r"\{(\w+)\}", lambda part: values.get(part[1], "1"), path)
            real = real.replace("/api/jobs/1", "/api/jobs/ours")
            names = [each["name"] for each in operation.get("parameters", ())]
            job = ["job=ours"] if "job" in names else []
            pairs = [f"{name}={values[name]}" for name in names if name in values and name != "q"
                     and f"{{{name}}}" not in path]  # fmt: skip
            for count in range(3):
                for some in combinations(pairs, count):
                    query = "&".join([*job, *some])
                    found.append((method.upper(), f"{real}?{query}" if query else real))
    return found


async def told(asker: Asker, method: str, path: str, host: str) -> tuple[int, Any]:
    answer = await ask(asker.api, path, method, asker.keys[ApiRole.ADMIN])
    text = answer.body.decode().replace(url_hash(Url(f"https://{host}/page")), "HASH")
    return answer.status, text.replace(host, "HOST")


async def test_about_what_others_know_it_is_told_what_it_would_be_of_what_nobody_knows(
    asker: Asker,
) -> None:
    asked = [each for each in questions(asker, THEIRS) if each[0] == "GET"]
    of_nobody = [each for each in questions(asker, NOBODYS) if each[0] == "GET"]
    assert len(asked) == len(of_nobody) > 60
    differ = []
    for (method, path), (_, other) in zip(asked, of_nobody, strict=True):
        if await told(asker, method, path, THEIRS) != await told(asker, method, other, NOBODYS):
            differ.append(path)
    assert differ == []


async def test_what_is_its_own_it_is_told(asker: Asker) -> None:
    url = f"https://{OURS}/page"
    for path in (
        f"/api/pages/{url_hash(Url(url))}?job=ours", f"/api/pages?job=ours&host={OURS}",
        f"/api/domains/{OURS}/shapes?job=ours", "/api/jobs/ours", f"/api/why?job=ours&url={url}",
    ):  # fmt: skip
        status, text = await told(asker, "GET", path, OURS)
        assert (status, "ours" in text) == (200, True), path
    story = await asker.ask(f"/api/why?job=ours&url={url}")
    assert story.json["standing"]["word"] == "ok"
    assert story.json["host"] is None, "how much of it is known in all jobs"


async def test_it_changes_nothing_but_its_job(asker: Asker) -> None:
    changing = [each for each in questions(asker, THEIRS) if each[0] != "GET"]
    assert len(changing) > 30
    for method, path in changing:
        status, _ = await told(asker, method, path, THEIRS)
        assert status == 403 or "ours" in path, (method, path)
    urls = {path for _, path in questions(asker, THEIRS) if "theirs" in path}
    assert urls
    ledger = asker.opened.ledger
    assert await ledger.jobs.get("theirs") is not None
    theirs = await asker.opened.overview.host(THEIRS)
    assert theirs is not None
    assert (theirs.known, theirs.pages, theirs.host.paused) == (1, 1, False)


async def test_a_parameter_given_twice_is_refused(asker: Asker) -> None:
    for query in ("job=theirs&job=ours", "job=ours&job=theirs", "job=ours&limit=1&limit=2"):
        answer = await asker.ask(f"/api/pages?{query}")
        assert (answer.status, answer.is_problem) == (422, True), query
        assert "twice" in answer.json["detail"]
