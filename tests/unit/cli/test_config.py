"""Is what `tenax config` prints a settings file that says the same? (MODE-2)"""

from __future__ import annotations

from pathlib import Path

import pytest

from tenax.settings import load
from tests.cli import invoke


@pytest.mark.parametrize(
    "toml",
    [
        "",
        "[feed]\npatience = inf\n",
        '[[sites]]\nhost = "a.example"\n[[sites]]\nhost = "b.example"\ninterval = 86400\n',
        'allow_private = ["10.0.0.0/8"]\n[job]\nmax_pages = 7\nexclude = ["*/\\"a\\"/*"]\n',
    ],
)
def test_what_is_printed_can_be_saved_and_says_the_same(tmp_path: Path, toml: str) -> None:
    file, saved = tmp_path / "tenax.toml", tmp_path / "saved.toml"
    file.write_text(toml)
    shown = invoke(["config", "--config", str(file)])
    assert shown.exit_code == 0, shown.output
    saved.write_text(shown.stdout)
    assert load(file=saved, environment={}).settings == load(file=file, environment={}).settings
