"""Does the schema of a body have the bounds that the policies declare, and do they hold?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tenax.api.routes.jobs import JobBody
from tenax.model import JobSpec
from tenax.model.knobs import knob
from tests.asking import Asker, opened

NUMBERS = [
    name
    for name in JobSpec.__struct_fields__
    if name in JobBody.model_fields and "number" in knob(JobSpec, name).kind
]


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        yield asker


def test_the_schema_of_a_job_has_the_bounds_and_units_that_a_job_declares() -> None:
    assert {"max_pages", "max_depth", "recrawl"} <= set(NUMBERS)
    for name in NUMBERS:
        shown: dict[str, Any] = JobBody.model_json_schema()["properties"][name]["anyOf"][0]
        declared = knob(JobSpec, name)
        assert shown.get("minimum") == declared.least
        assert shown.get("maximum") == declared.most
        assert shown.get("unit", "") == declared.unit


async def test_a_job_may_leave_its_interval_to_the_settings(asker: Asker) -> None:
    """0 means that, as in the settings file."""
    body = b'{"name": "a", "seeds": ["https://a.example/"], "recrawl": 0}'
    assert (await asker.ask("/api/jobs", "POST", body=body)).status == 201
    (job,) = await asker.opened.ledger.jobs.all()
    assert job.spec.recrawl == 0
    assert knob(JobSpec, "recrawl").unit == "seconds"


@pytest.mark.parametrize("interval", [1, 3_599, 1e12])
async def test_an_interval_that_the_settings_do_not_allow_is_told(
    asker: Asker, interval: float
) -> None:
    body = f'{{"name": "a", "seeds": ["https://a.example/"], "recrawl": {interval}}}'.encode()
    said = await asker.ask("/api/jobs", "POST", body=body)
    assert said.status == 422
    assert "use recrawl.shortest (3600) to recrawl.longest" in str(said.json)


SEEDED = '"name": "a", "seeds": ["https://a.example/"]'
TYPED = [
    ("/api/jobs", f'{{{SEEDED}, "max_pages": true}}', "max_pages"),
    ("/api/jobs", f'{{{SEEDED}, "max_depth": false}}', "max_depth"),
    ("/api/jobs", f'{{{SEEDED}, "recrawl": "86400"}}', "recrawl"),
    ("/api/jobs", f'{{{SEEDED}, "start": 1}}', "start"),
    ("/api/jobs/preview", f'{{{SEEDED.partition(", ")[2]}, "max_pages": true}}', "max_pages"),
    ("/api/fetch", '{"url": "https://a.example/", "wait": false}', "wait"),
    ("/api/fetch", '{"url": "https://a.example/", "dry": "yes"}', "dry"),
    ("/api/dead-letters/return", '{"all": 1}', "all"),
    ("/api/dead-letters/return", '{"ids": [true]}', "ids"),
    ("/api/proxies", '{"url": "http://a.example:1/", "priority": true}', "priority"),
    ("/api/keys", '{"name": "a", "role": "user", "expires_in": true}', "expires_in"),
]


async def test_a_whole_number_may_be_written_with_a_point(asker: Asker) -> None:
    body = f'{{{SEEDED}, "max_pages": 3.0}}'.encode()
    assert (await asker.ask("/api/jobs", "POST", body=body)).status == 201
    (job,) = await asker.opened.ledger.jobs.all()
    assert job.spec.max_pages == 3


@pytest.mark.parametrize(("path", "body", "field"), TYPED)
async def test_what_a_body_says_has_its_type(
    asker: Asker, path: str, body: str, field: str
) -> None:
    """As the document says: true is no number, and 1 is no yes."""
    said = await asker.ask(path, "POST", body=body.encode())
    assert said.status == 422
    assert field in str(said.json)
