"""Does `doctor` say whether the search index can be had?"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.checkup import examine
from tenax.ops.health.doctor import CheckVerdict, diagnose
from tenax.settings import Settings


@pytest.mark.parametrize(
    ("search", "verdict"),
    [
        ("fts5:", CheckVerdict.OK),
        ("opensearch://u:secret@127.0.0.1:9", CheckVerdict.FAIL),
        ("solr://x", CheckVerdict.FAIL),
    ],
)
def test_the_index_that_is_set_is_looked_at(
    search: str, verdict: CheckVerdict, tmp_path: Path
) -> None:
    settings = replace(Settings(data=str(tmp_path)), search=search)
    (check,) = [check for check in diagnose(examine(settings)) if check.name == "search"]
    assert check.verdict is verdict
    assert "secret" not in str(check)


def test_where_none_is_set_nothing_is_said(tmp_path: Path) -> None:
    facts = examine(Settings(data=str(tmp_path)))
    assert [check for check in diagnose(facts) if check.name == "search"] == []
