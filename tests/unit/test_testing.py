"""Does virtual time pass as promised? What the simulations stand on."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tenax.model import Failure, Fault, Request, Response
from tenax.testing import (
    START,
    SimulatedWeb,
    VirtualClock,
    failing,
    page,
    run_virtually,
    scratch,
    status,
    throttled,
)


def test_a_day_passes_in_a_moment() -> None:
    async def main() -> float:
        await clock.sleep(86_400)
        return clock.now()

    clock = VirtualClock()
    began = time.monotonic()
    assert run_virtually(main()) == pytest.approx(START + 86_400)
    assert time.monotonic() - began < 5


def test_sleepers_wake_in_the_order_of_their_times() -> None:
    async def sleep(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((seconds, clock.now() - START))

    async def main() -> None:
        await asyncio.gather(*(sleep(seconds) for seconds in (3.0, 1.0, 2.0)))

    clock = VirtualClock()
    woken: list[tuple[float, float]] = []
    run_virtually(main())
    assert [seconds for seconds, _ in woken] == [1.0, 2.0, 3.0]
    assert all(at == pytest.approx(seconds) for seconds, at in woken)


def test_no_time_passes_while_there_is_something_to_do() -> None:
    async def main() -> float:
        for _ in range(1_000):
            await asyncio.sleep(0)
        return VirtualClock().now()

    assert run_virtually(main()) == START


def test_a_simulation_in_which_everybody_waits_says_so() -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="everybody waits"):
        run_virtually(main())


def test_answers_are_given_in_turn_and_the_last_for_ever() -> None:
    async def main() -> list[int]:
        web.at("https://a.example/", status(500), status(200))
        answers = [await web.send(Request("https://a.example/")) for _ in range(3)]
        return [answer.status for answer in answers if isinstance(answer, Response)]

    web = SimulatedWeb()
    assert run_virtually(main()) == [500, 200, 200]
    assert len(web.requests) == 3


def test_an_unknown_url_is_not_found_and_a_host_may_answer_for_all_its_urls() -> None:
    async def main() -> tuple[object, object]:
        web.host("b.example", lambda request: page(request.url))
        first = await web.send(Request("https://a.example/"))
        second = await web.send(Request("https://b.example/any"))
        assert isinstance(first, Response)
        assert isinstance(second, Response)
        return first.status, second.url

    web = SimulatedWeb()
    assert run_virtually(main()) == (404, "https://b.example/any")


def test_requests_are_remembered_with_their_time() -> None:
    async def main() -> None:
        await asyncio.sleep(5)
        await web.send(Request("https://a.example/robots.txt"))
        await web.send(Request("https://a.example/x"))

    web = SimulatedWeb(latency=0.5)
    run_virtually(main())
    assert web.asked("a.example") == [pytest.approx(START + 5), pytest.approx(START + 5.5)]
    assert web.urls() == ["https://a.example/x"]
    assert web.under_way == 0


def test_the_small_answers_are_what_they_say() -> None:
    assert throttled(9).headers.get("retry-after") == "9"
    assert throttled().headers.get("retry-after") is None
    assert failing(Fault.DNS) == Failure(Fault.DNS, "simulated", timing=failing(Fault.DNS).timing)
    assert b'href="/x"' in (page("hello", "/x").body or b"")


def test_a_story_s_folder_is_in_memory_where_there_is_plenty_and_gone_afterwards(
    tmp_path: Path,
) -> None:
    with scratch(tmp_path, room=1) as name:
        assert Path(name).parent == tmp_path
    assert not Path(name).exists()
    for memory, room in ((tmp_path, 1 << 62), (tmp_path / "none", 1)):
        with scratch(memory, room) as name:
            assert tmp_path not in Path(name).parents
            assert Path(name).is_dir()


def test_a_folder_of_a_killed_process_is_removed_by_the_next_and_one_in_use_is_not(
    tmp_path: Path,
) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from tenax.testing import scratch\n"
        "made = scratch(Path(sys.argv[1]), 1); (Path(made.name) / 'file').touch()\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )

    def left() -> set[str]:
        return {str(path) for path in tmp_path.iterdir()}

    with scratch(tmp_path, room=1) as ours:
        subprocess.run([sys.executable, "-c", code, tmp_path])
        assert len(left()) == 2
        for name in left():
            os.utime(name, (1.0, 1.0))
        subprocess.run([sys.executable, "-c", code, tmp_path])
        assert len(left()) == 2, "the first is gone, and there is another"
        assert ours in left()
    assert ours not in left()
