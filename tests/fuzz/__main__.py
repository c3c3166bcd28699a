"""Does what is compiled say what tree and Python say, and keep to its memory, for so long?

    make fuzz ARGS="--seconds 3600"          python -m tests.fuzz [--seconds 60] [--seed N]

What is asked is a build of `native/` under the address and undefined-behaviour sanitizers, with
every warning an error. The seed is printed: with it and a number, a page comes again (--only).
Seconds are those of a processor: on a busy machine as many pages are asked for as on an idle one.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from tenax.page import native
from tests.fuzz.build import NATIVE, Unbuildable, build, environment
from tests.fuzz.compare import differences
from tests.fuzz.generators import TWINS_EVERY, page
from tests.fuzz.twins import twins_differ

_BUILT = "TENAX_FUZZ_BUILT"
_TOLD_EVERY = 30.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--only", type=int, help="the page of this number alone")
    parser.add_argument("--sources", type=Path, default=NATIVE, help="a changed copy of native/")
    args = parser.parse_args()
    if _BUILT in os.environ:
        native.NATIVE = loaded(Path(os.environ[_BUILT]))
        return ask(args.seed, args.seconds, args.only)
    with TemporaryDirectory() as folder:
        try:
            built = build(Path(folder), args.sources)
        except Unbuildable as reason:
            print(reason, file=sys.stderr)
            return 3
        # The sanitizer has to be there before Python allocates anything.
        told = [f"--{name}={value}" for name, value in vars(args).items() if value is not None]
        argv = [sys.executable, "-m", "tests.fuzz", *told]
        surroundings = os.environ | environment() | {_BUILT: str(built)}
        return os.spawnve(os.P_WAIT, sys.executable, argv, surroundings)


def loaded(path: Path) -> native.Native:
    loader = ExtensionFileLoader("tenax.page._native", str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return cast(native.Native, module)


def ask(seed: int, seconds: float, only: int | None) -> int:
    """Page after page, until one is read otherwise."""
    print(f"seed {seed}", flush=True)
    start, told = time.process_time(), time.monotonic()
    number = followed = twins = 0
    while only is not None or time.process_time() - start < seconds:
        body = page(seed, number if only is None else only)
        found = differences(body)
        followed += found is not None
        has_twins = only is not None or number % TWINS_EVERY == 0
        twins += has_twins
        if found or (has_twins and twins_differ(body)):
            report(seed, number if only is None else only, body)
            return 1
        number += 1
        if only is not None:
            break
        if time.monotonic() - told > _TOLD_EVERY:
            told = time.monotonic()
            print(_told(number, followed, twins), flush=True)
    print(f"{_told(number, followed, twins)}: no difference", flush=True)
    return 0


def _told(number: int, followed: int, twins: int) -> str:
    return f"{number:,} pages, {followed:,} read without a tree, {twins:,} by all twins"


def report(seed: int, number: int, body: bytes) -> None:
    small = shrunk(body)
    print(f"page {number} of seed {seed} is read otherwise by what is compiled:\n{small!r}")
    for difference in all_differences(small):
        print(f"  {difference}")


def all_differences(body: bytes) -> list[str]:
    """From the tree, and from what Python does."""
    return [*(differences(body) or ()), *twins_differ(body)]


def shrunk(body: bytes) -> bytes:
    """The same difference, or another, in fewer bytes."""
    step = len(body) // 2
    while step:
        place = 0
        while place < len(body):
            less = body[:place] + body[place + step :]
            if all_differences(less):
                body = less
            else:
                place += step
        step //= 2
    return body


if __name__ == "__main__":
    sys.exit(main())
