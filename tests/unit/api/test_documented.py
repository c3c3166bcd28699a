"""Is every route and every metric in the reference, as it is, and nothing else?"""

from __future__ import annotations

import re
from pathlib import Path

from tenax.api.guard import GuardedRoute, declared
from tenax.ops.health.metrics import series
from tests.asking import Asker, opened
from tests.unit.ops.health.test_metrics import LEDGER, PROCESS

DOCS = Path(__file__).parents[3] / "docs" / "reference"
REFERENCE, METRICS = DOCS / "api.md", DOCS / "metrics.md"


async def test_every_route_is_told_with_its_role(tmp_path: Path) -> None:
    told = set(
        re.findall(
            r"^\| `([A-Z]+) (/\S*)` \| (\w+) \|",
            REFERENCE.read_text().partition("## Who may")[0],
            re.M,
        )
    )
    async with opened(tmp_path) as made:
        routes = Asker(made).api.router.routes
    real = set()
    for route in routes:
        assert isinstance(route, GuardedRoute)
        real |= {(method, route.path, declared(route)[0].value) for method in route.methods or ()}
    assert told == real


def test_every_metric_is_told_with_its_kind() -> None:
    pattern = r"^\| `((?:crawler|page_fetcher)_\w+)` \| (\w+) \| (?:process|ledger) \|"
    told = set(re.findall(pattern, METRICS.read_text(), re.M))
    assert told == {(each.name, each.kind) for each in series(PROCESS, LEDGER)}
