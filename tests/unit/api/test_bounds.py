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
