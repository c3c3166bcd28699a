"""Ask the API whatever its document allows, and what it does not: `python -m tests.api_fuzz`.

Schemathesis, with all of its checks, against a real server on SQLite. The arguments are those of
`schemathesis run`: `--max-examples 500 --seed 7`.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import orjson

from tenax.api.app import build
from tenax.api.document import document
from tenax.api.server import Server, listen
from tenax.model import JobSpec
from tenax.ops.accounts.api_keys import add_key
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings
from tests.asking import MUCH, opened


class Served(NamedTuple):
    url: str
    key: str
    document: Path
    """Of the API: whoever asks the server for it waits no longer than ten seconds."""


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """An API with a job, on a thread of its own; its key is an admin's."""
    ready: list[tuple[Served, asyncio.AbstractEventLoop, Server]] = []
    begun = threading.Event()

    async def serve() -> None:
        try:
            async with opened(folder, Settings(data=str(folder), api=MUCH)) as made:
                await made.ledger.jobs.save("prices", JobSpec(seeds=("https://shop.example/",)))
                key = await add_key(made.keys, "fuzz-7c1b", ApiRole.ADMIN)
                listener = listen("127.0.0.1", 0)
                api = build(made)
                server = Server(api, listener)
                told = folder / "openapi.json"
                told.write_bytes(orjson.dumps(document(api)))
                where = f"http://127.0.0.1:{listener.getsockname()[1]}"
                ready.append((Served(where, key, told), asyncio.get_running_loop(), server))
                begun.set()
                await server.run_here()
        finally:
            begun.set()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    begun.wait()
    served, loop, server = ready[0]
    try:
        yield served
    finally:
        loop.call_soon_threadsafe(server.stop)
        thread.join()


def fuzz(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    with serving(folder) as served:
        return subprocess.run(
            [
                str(Path(sys.executable).parent / "schemathesis"),
                "--config-file", str(Path(__file__).parent / "schemathesis.toml"),
                "run", str(served.document), "--url", served.url,
                "--header", f"Authorization: Bearer {served.key}",
                "--checks", "all", "--exclude-path", "/api/live", "--no-color",
                "--request-timeout", "300", *arguments,
            ],
            cwd=folder,
            capture_output=True,
            text=True,
        )  # fmt: skip


def main() -> int:
    given = sys.argv[1:]
    if "--seed" not in given:
        given += ["--seed", str(random.randrange(2**31))]
    with tempfile.TemporaryDirectory() as folder:
        ended = fuzz(Path(folder), *given)
    print(ended.stdout, ended.stderr, " ".join(given), sep="\n")
    return ended.returncode


if __name__ == "__main__":
    raise SystemExit(main())
