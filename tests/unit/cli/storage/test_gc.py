"""Does `tenax gc` say first what would go, archive it, and say how it is read and done? (LIFE-1)"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tenax.testing import SimulatedWeb, crawl, open_test_app, page, run_virtually, status
from tests.cli import invoke

HOME = "https://a.example/"
LONG_AGO = 200 * 86_400.0


async def _crawl(folder: Path) -> None:
    web = SimulatedWeb()
    web.at(HOME, page("home", "/gone", "/fine"))
    web.at("https://a.example/fine", page("fine"))
    web.at("https://a.example/gone", status(404))
    async with open_test_app(web, folder) as opened:
        await crawl(opened, HOME, name="shop")


def test_what_is_too_old_is_told_archived_removed_and_can_be_read(tmp_path: Path) -> None:
    data = str(tmp_path / "here it is")
    run_virtually(_crawl(Path(data)))
    with closing(sqlite3.connect(f"{data}/ledger.db")) as ledger:
        # The days of a simulation are to come, for this machine.
        ledger.execute("UPDATE attempts SET at = ?", (LONG_AGO,))
        ledger.execute("UPDATE pages SET fetched_at = ?, checked_at = ?", (LONG_AGO, LONG_AGO))
        ledger.execute("UPDATE jobs SET ended_at = ?", (LONG_AGO,))
        ledger.commit()
    would = invoke(["gc", "--data", data])
    assert "2 pages not seen for 90 days" in would.stderr
    assert f"To do it: tenax gc --yes --data '{data}'" in would.stderr
    assert json.loads(invoke(["gc", "--data", data, "--json"]).stdout)["pages"] == 2
    done = invoke(["gc", "--data", data, "--yes"])
    assert "1 failed URL, 30 days after its job" in done.stderr
    assert f"tenax archive '{data}/archive/pages-" in done.stderr, "all of them, to be typed"
    assert f"'{data}/archive/failures-" in done.stderr
    assert "0 URLs in 1 job" in invoke(["audit", "--data", data]).stdout
    rows = invoke(["archive", f"{data}/archive"]).stdout.splitlines()
    assert {json.loads(row)["url"] for row in rows} >= {HOME, "https://a.example/gone"}
    into = str(tmp_path / "old.db")
    assert "3 rows" in invoke(["archive", f"{data}/archive", "--into", into]).stderr
    report = invoke(["report", "storage", "--data", data]).stdout
    assert report.split()[:3] == ["table", "rows", "size"]
    assert "pages" not in report.split(), "an empty table is not worth a line"
    assert "Nothing to remove." in invoke(["gc", "--data", data]).stderr
