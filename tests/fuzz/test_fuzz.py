"""Nothing that is generated is read otherwise by the compiled pass, nor makes it misstep.

In CI a minute of a processor, under a seed of its own, which is printed; here a few seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fuzz.build import NATIVE, Unbuildable, build, environment
from tests.fuzz.generators import page
from tests.fuzz.mutants import MUTANTS
from tests.live import absent

ROOT = Path(__file__).parents[2]
SECONDS = 60 if os.environ.get("CI") else 4


def test_the_pass_says_what_the_tree_says_for_a_while() -> None:
    ran = fuzz(f"--seconds={SECONDS}")
    print(ran.stdout)
    if ran.returncode == 3:
        absent(ran.stderr)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_page_comes_again_by_its_seed_and_number() -> None:
    assert page(7, 5) == page(7, 5) != page(7, 6)
    assert len({page(7, number) for number in range(50)}) > 40


def test_every_mutant_is_one() -> None:
    for mutant in MUTANTS:
        assert (NATIVE / mutant.file).read_text().count(mutant.sound) == 1, mutant


def test_a_step_beyond_the_page_is_seen_and_so_is_what_a_twin_says_otherwise(
    tmp_path: Path,
) -> None:
    """The sanitizers are awake: a copy of the pass that reads one byte too many does not pass. And
    the rest of the code is asked, too."""
    (tmp_path / "native").mkdir()
    for path in NATIVE.glob("*.[ch]"):
        (tmp_path / "native" / path.name).write_text(path.read_text())
    for part in ("ENDS_VALUE", "p[-1]", "REPAIR", "said.hidden", "handed_down"):
        mutant = next(each for each in MUTANTS if part in each.sound)
        path = tmp_path / "native" / mutant.file
        path.write_text(path.read_text().replace(mutant.sound, mutant.broken))
    try:
        built = build(tmp_path, tmp_path / "native")
    except Unbuildable as reason:
        absent(str(reason))
    code = f"""
from pathlib import Path
from tenax.page import native
from tests.fuzz.__main__ import loaded
from tests.fuzz.twins import twins_differ
native.NATIVE = loaded(Path({str(built)!r}))
print(twins_differ(b'xProduct"</b><p hidden>5<div class=sku><p>x'), flush=True)
native.NATIVE.scan(b"<a href=x")
"""
    surroundings = os.environ | environment() | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, env=surroundings, cwd=ROOT, capture_output=True, text=True)
    assert "AddressSanitizer" in ran.stderr
    for told in ("nodes, at most", "who tells of a product", "walk", "what is handed down"):
        assert f"{told}: " in ran.stdout, ran.stdout


def fuzz(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzz", *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
