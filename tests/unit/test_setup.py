"""By which Python `make setup` works (requirements/setup.sh)."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_python_that_is_none_is_named_and_the_environment_is_left_alone(tmp_path: Path) -> None:
    venv = tmp_path / ".venv"
    venv.mkdir()
    (venv / "kept").touch()

    ended = subprocess.run(
        ["sh", str(ROOT / "requirements/setup.sh"), str(venv)],
        env={**os.environ, "PYTHON": str(tmp_path / "python9")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode != 0
    assert f"PYTHON={tmp_path}/python9 is no Python 3.11 or newer" in ended.stderr
    assert (venv / "kept").exists()
