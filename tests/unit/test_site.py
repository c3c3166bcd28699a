"""Does the site have every document once, with links that lead to pages of it?"""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SITE = runpy.run_path(str(ROOT / "docs" / "site.py"))


def leaves(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    inner = nav.values() if isinstance(nav, dict) else nav
    return [leaf for each in inner for leaf in leaves(each)]


def test_every_document_is_in_the_navigation_once(tmp_path: Path) -> None:
    SITE["gather"](ROOT, tmp_path / "docs")
    there = [path.relative_to(tmp_path / "docs").as_posix() for path in tmp_path.rglob("*.md")]
    assert sorted(leaves(SITE["navigation"](tmp_path / "docs"))) == sorted(there)
    assert {"index.md", "contributing.md", "tutorials/scrape.md"} <= set(there)


def test_links_lead_to_pages_of_the_site(tmp_path: Path) -> None:
    SITE["gather"](ROOT, tmp_path / "docs")
    lost = []
    for path in (tmp_path / "docs").rglob("*.md"):
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\((?!\w+:|#)([^)\s#]+)", text):
            if not (path.parent / link).exists():
                lost.append(f"{path.relative_to(tmp_path)}: {link}")
    assert lost == []
