"""Is there one form for times outside the ledger, and one place that makes it?"""

from __future__ import annotations

from pathlib import Path

import tenax
from tenax.model.dates import iso_time
from tenax.ops.dates import iso


def test_times_are_iso_8601_in_utc_to_the_millisecond() -> None:
    assert iso_time(1_790_000_000.0) == "2026-09-21T14:13:20.000Z"
    assert iso_time(1_790_000_000.1239) == "2026-09-21T14:13:20.123Z"
    assert iso_time(0.0) == "1970-01-01T00:00:00.000Z"


def test_a_time_that_is_not_known_is_none() -> None:
    assert iso(0.0) is None
    assert iso(None) is None
    assert iso(1_790_000_000.5) == "2026-09-21T14:13:20.500Z"


def test_no_other_module_spells_it() -> None:
    root = Path(tenax.__file__).parent
    spelled = [f for f in root.rglob("*.py") if 'timespec="milliseconds"' in f.read_text()]
    assert [str(file.relative_to(root)) for file in spelled] == ["model/dates.py"]
