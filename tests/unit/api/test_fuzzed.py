"""Does the API keep to its document, whatever it is asked? A few seconds of `tests/api_fuzz.py`."""

from __future__ import annotations

import random
from pathlib import Path

from tests.api_fuzz import fuzz


def test_nothing_is_answered_that_the_document_does_not_say(tmp_path: Path) -> None:
    seed = str(random.randrange(2**31))
    print(f"python -m tests.api_fuzz --max-examples 1 --phases fuzzing --seed {seed}")
    ended = fuzz(tmp_path, "--max-examples", "1", "--phases", "fuzzing", "--seed", seed)
    assert ended.returncode == 0, ended.stdout[-20_000:] + ended.stderr[-2_000:]
    assert "Tested: " in ended.stdout
