"""What does Python do for a page? The instructions of its interpreter, by package and by function.

`python -m bench.opcodes` crawls the documentation site of P1 in this process, from a server of its
own, and counts under `sys.settrace`. It takes half a minute. The counts hardly depend on what else
the machine does, as times do; work done in C is not among them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import uvloop

from bench.server import serve
from bench.site import documentation
from tenax.compose.crawler import open_crawler
from tenax.hosts.pace import PacePolicy
from tenax.settings import Settings
from tenax.testing import crawl

_OURS = "/src/tenax/"
_ELSEWHERE = "elsewhere: Python's own library, SQLAlchemy"
_SLOTS = 64


class Counted:
    """Instructions and calls, by what was executed."""

    def __init__(self) -> None:
        self.instructions: Counter[CodeType] = Counter()
        self.calls: Counter[CodeType] = Counter()

    @contextmanager
    def counting(self) -> Iterator[None]:
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(None)

    def _called(self, frame: FrameType, _event: str, _: Any) -> Any:
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        self.calls[frame.f_code] += 1
        return self._executed

    def _executed(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode":
            self.instructions[frame.f_code] += 1
        return self._executed


def place_of(code: CodeType) -> str:
    """The module, from the package on."""
    return code.co_filename.rpartition(_OURS)[2] if _OURS in code.co_filename else _ELSEWHERE


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.opcodes", description=__doc__)
    parser.add_argument("--most", type=int, default=60, help="functions shown")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="tenax-bench-") as folder:
        site = documentation(Path(folder) / "site")
        with serve(site.root, core=None) as server:
            counted, pages = uvloop.run(_crawled(f"{folder}/data", server.url))
    print(f"{counted.instructions.total() / pages:,.0f} a page, of {pages:,} ({site.describe()})")
    packages: Counter[str] = Counter()
    for code, count in counted.instructions.items():
        packages[place_of(code).rpartition("/")[0] or place_of(code)] += count
    for name, count in packages.most_common():
        print(f"{count / pages:10,.0f}  {name}")
    print(f"\n{'a page':>10}{'calls':>9}")
    for code, count in counted.instructions.most_common(options.most):
        calls = counted.calls[code] / pages
        print(f"{count / pages:10.1f}{calls:9.2f}  {place_of(code)}: {code.co_qualname}")
    return 0


async def _crawled(data: str, url: str) -> tuple[Counted, int]:
    settings = Settings(
        data=data,
        contact="mailto:bench@example.org",
        allow_private=("127.0.0.0/8",),
        pace=PacePolicy(delay=0.0, slots_unpaced=_SLOTS),
    )
    counted = Counted()
    async with open_crawler(settings) as crawler:
        with counted.counting():
            counts = await crawl(crawler, url)
    return counted, counts.pages


if __name__ == "__main__":
    raise SystemExit(main())
