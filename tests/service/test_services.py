"""The promises of `services`: one instance however many ask, found again, and ended when unused."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import services
from services import catalogue, obtain
from services.__main__ import main
from services.instance import Service
from services.ports import ask
from tests.live import absent, own_service

QUICK = ["postgres", "redis", "s3"]
"""The others take many seconds to start; what holds here is not theirs but the folder's."""


@pytest.fixture
def redis(tmp_path: Path) -> Service:
    """One that is not running yet."""
    kind = catalogue.KINDS["redis"]
    try:
        kind.obtain()
    except services.Missing as missing:
        absent(str(missing))
    return Service(kind, tmp_path / "redis")


@pytest.mark.parametrize("name", QUICK)
def test_a_killed_server_comes_back_at_the_same_address(name: str, tmp_path: Path) -> None:
    with own_service(name, tmp_path) as service:
        before = service.url
        service.kill()
        assert not service.is_running()
        service.start()
        assert service.is_running()
        assert service.url == before


@pytest.mark.parametrize("name", QUICK)
def test_nothing_of_a_private_server_is_left(name: str, tmp_path: Path) -> None:
    with own_service(name, tmp_path) as service:
        port = service.port
    assert not list(tmp_path.iterdir())
    assert not ask(port, b"\r\n")


def test_a_write_that_redis_answered_survives_its_being_killed(tmp_path: Path) -> None:
    with own_service("redis", tmp_path) as redis:
        assert say(redis, "SET kept yes") == b"+OK\r\n"
        redis.kill()
        redis.start()
        assert say(redis, "GET kept") == b"$3\r\nyes\r\n"


def test_starting_twice_starts_once(redis: Service) -> None:
    redis.start()
    try:
        first = redis._read()
        redis.start()
        assert redis._read() == first
    finally:
        redis.stop()


def test_processes_that_ask_at_once_get_the_same_server(redis: Service) -> None:
    code = (
        "import sys; from pathlib import Path; from services import catalogue;"
        "from services.instance import Service;"
        "s = Service(catalogue.KINDS['redis'], Path(sys.argv[1])); s.start(); print(s._read().pid)"
    )

    def ask_from_elsewhere(_: int) -> str:
        command = [sys.executable, "-c", code, str(redis.folder)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    try:
        with ThreadPoolExecutor(4) as at_once:
            assert len(set(at_once.map(ask_from_elsewhere, range(4)))) == 1
    finally:
        redis.stop()


def test_the_last_test_run_to_end_stops_the_server(redis: Service) -> None:
    me, another = os.getpid(), os.getppid()
    redis.start(user=me)
    redis.start(user=another)
    redis.let_go(me)
    assert redis.is_running()
    redis.let_go(another)
    assert not redis.is_running()


def test_a_run_that_crashed_keeps_nothing_running(redis: Service) -> None:
    crashed = subprocess.Popen([sys.executable, "-c", ""])
    crashed.wait()
    redis.start(user=crashed.pid)
    redis.start(user=os.getpid())
    redis.let_go(os.getpid())
    assert not redis.is_running()


@pytest.mark.skipif(os.geteuid() != 0, reason="nobody else may be less nice again")
def test_a_server_is_as_nice_as_the_run_it_serves_and_not_as_who_asked_first(
    redis: Service,
) -> None:
    code = (
        "import os, sys; from pathlib import Path; from services import catalogue;"
        "from services.instance import Service; os.nice(5);"
        "s = Service(catalogue.KINDS['redis'], Path(sys.argv[1])); s.start(user=int(sys.argv[2]))"
    )
    subprocess.run([sys.executable, "-c", code, str(redis.folder), str(os.getpid())], check=True)
    try:
        server = redis._read().pid
        assert os.getpriority(os.PRIO_PROCESS, server) == os.getpriority(os.PRIO_PROCESS, 0)
    finally:
        redis.stop()


def test_who_leaves_a_server_running_leaves_without_a_word(tmp_path: Path) -> None:
    start = (
        "from pathlib import Path; from services import processes;"
        "print(processes.launch(['sleep', '60'], {}, Path('.'), Path('log'))[0])"
    )
    python = [sys.executable, "-W", "error", "-c", start]
    paths = {"PYTHONPATH": str(Path(__file__).parents[2])}
    ended = subprocess.run(
        python, cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True, check=False
    )
    os.kill(int(ended.stdout), signal.SIGKILL)
    assert ended.stderr == ""


def test_what_a_person_started_no_test_run_stops(redis: Service) -> None:
    redis.start(keep=True)
    redis.start(user=os.getpid())
    redis.let_go(os.getpid())
    assert redis.is_running()
    redis.stop()


def test_the_command_starts_tells_and_stops(
    redis: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(catalogue, "ROOT", tmp_path)
    assert main(["start", "redis"]) == 0
    assert re.fullmatch(
        r"export TENAX_REDIS=redis://:\w+@127\.0\.0\.1:\d+/0\n", capsys.readouterr()[0]
    )
    main(["status", "redis", "kafka"])
    assert re.fullmatch(r"redis: running on port \d+\nkafka: stopped\n", capsys.readouterr()[0])
    main(["stop"])
    main(["status", "redis"])
    assert capsys.readouterr()[0] == "redis: stopped\n"


def test_a_server_that_cannot_start_says_its_last_words(redis: Service) -> None:
    redis = Service(redis.kind, redis.folder, options={"no-such-setting": "1"})
    with pytest.raises(services.Missing, match=r"ended while starting: .*no-such-setting"):
        redis.start()
    assert not redis.is_running()


def test_an_unknown_server_is_told_with_the_known_ones() -> None:
    with pytest.raises(services.Missing, match=r"no service 'mysql'\. There are: postgres, redis"):
        services.require("mysql")


def test_who_may_not_install_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(services.Missing, match="apt install some-package"):
        obtain.program("no-such-program", "some-package")


def say(redis: Service, command: str) -> bytes:
    secret = redis._read().secret
    with socket.create_connection(("127.0.0.1", redis.port)) as connection:
        replies = connection.makefile("rwb")
        replies.write(f"AUTH {secret}\r\n".encode())
        replies.flush()
        assert replies.readline() == b"+OK\r\n"
        replies.write(f"{command}\r\n".encode())
        replies.flush()
        answer = replies.readline()
        return answer + replies.readline() if answer.startswith(b"$") else answer
