"""Is every yes of docs/reference/expectations.md proved by tests that there are?"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "expectations.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]*)\|$", re.MULTILINE)


def test_sixty_expectations_are_answered_and_counted() -> None:
    rows = ROW.findall(PAGE)
    assert [int(number) for number, *_ in rows] == list(range(1, 61))
    yes = sum(said == "yes" for _, _, said, _ in rows)
    assert all(said == "yes" or said.startswith("no") for _, _, said, _ in rows)
    assert f"{yes} yes, {60 - yes} no." in PAGE


def test_every_yes_names_tests_that_there_are() -> None:
    wrong = []
    for number, what, said, proof in ROW.findall(PAGE):
        named = re.findall(r"`(tests/\S+\.py)::(test_\w+)` ", proof)
        if said != "yes":
            if proof.strip():
                wrong.append(f"{number} {what}: no, and yet proved")
        elif not named or re.sub(r"`\S+` ", "", proof):
            wrong.append(f"{number} {what}: no proof")
        for path, name in named:
            file = ROOT / path
            if not file.exists() or f"def {name}(" not in file.read_text(encoding="utf-8"):
                wrong.append(f"{number} {what}: {path}::{name} is not there")
    assert wrong == []
