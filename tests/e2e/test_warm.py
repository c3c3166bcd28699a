"""Is a command that was forked like one that was started from nothing? See tests/warm.py."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from tenax.demo import TreeSite, serving
from tests.e2e.command import Running, Tenax, until


@pytest.fixture(params=["warm", "cold"])
def either(tenax: Tenax, request: pytest.FixtureRequest) -> Tenax:
    tenax.is_cold = request.param == "cold"
    return tenax


def test_both_say_the_same_of_their_folder_environment_and_arguments(tenax: Tenax) -> None:
    (tenax.folder / "tenax.toml").write_text('[fetch]\nuser_agent = "FromFile"\n')
    asked = [("config",), ("config", "--nonsense"), ("pages",), ("nonsense",), ("why", "nowhere")]
    forked = [tenax.run(*words, job__max_pages=17) for words in asked]
    tenax.is_cold = True
    assert forked == [tenax.run(*words, job__max_pages=17) for words in asked]
    assert "job.max_pages = 17" in forked[0].out
    assert "FromFile" in forked[0].out
    assert [each.code for each in forked] != [0] * len(asked)


def test_each_is_a_process_of_its_own_with_nothing_open_that_is_ours(either: Tenax) -> None:
    with serving([TreeSite(pages=5)]) as web:
        running = either.start_crawl(web.seeds[0], "--delay", "60")
        until(lambda: len(web.log) > 0, "it crawls")
        assert os.getpgid(running.pid) == running.pid != os.getpgrp()
        assert os.getpgid(running.crawler) == running.pid
        assert Path(f"/proc/{running.pid}/cwd").resolve() == either.folder.resolve()
        files = Path(f"/proc/{running.pid}/fd").iterdir()
        opened = {int(file.name): os.readlink(file) for file in files}
        assert opened.pop(0) == os.devnull
        assert [Path(opened.pop(number)).name for number in (1, 2)] == ["out", "err"]
        own = (str(either.folder), "pipe:")
        assert [path for path in opened.values() if not path.startswith(own)] == []
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(0.01)
        assert running.is_alive
        running.interrupt()
        assert running.wait().code == 130


def test_how_it_was_killed_is_told(either: Tenax) -> None:
    with serving([TreeSite(pages=5)]) as web:
        running = either.start_crawl(web.seeds[0], "--delay", "60")
        until(lambda: len(web.log) > 0, "it crawls")
        assert running.kill().code == -signal.SIGKILL
        assert running.wait().code == -signal.SIGKILL
        assert not running.is_alive
        running.interrupt()


def test_the_limits_of_whoever_starts_it_are_its_own(either: Tenax) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with serving([TreeSite(pages=5)]) as web:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
        try:
            running = either.start_crawl(web.seeds[0], "--delay", "60")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert resource.prlimit(running.pid, resource.RLIMIT_NOFILE) == (soft - 1, hard)
        assert running.kill().code == -signal.SIGKILL


@pytest.mark.parametrize("is_ours", [False, True], ids=["of the command", "of the test as well"])
def test_what_python_heeds_only_while_it_starts_is_heeded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_ours: bool
) -> None:
    if is_ours:
        monkeypatch.setenv("PYTHONVERBOSE", "1")
    running = Running(["--version"], tmp_path, {**os.environ, "PYTHONVERBOSE": "1"})
    assert "import 'site'" in running.wait().err
    monkeypatch.undo()
    assert "import 'site'" not in Running(["--version"], tmp_path, dict(os.environ)).wait().err
