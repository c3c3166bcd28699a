"""Does the compiled pass say what the tree says, and keep to its memory, for so many seconds?

    make fuzz ARGS="--seconds 3600"          python -m tests.fuzz [--seconds 60] [--seed N]

What is asked is a build of `native/` under the address and undefined-behaviour sanitizers, with
every warning an error. The seed is printed: with it and a number, a page comes again (--only).
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
from tests.fuzz.generators import page

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
    start = told = time.monotonic()
    number = followed = 0
    while only is not None or time.monotonic() - start < seconds:
        body = page(seed, number if only is None else only)
        found = differences(body)
        followed += found is not None
        if found:
            report(seed, number if only is None else only, body)
            return 1
        number += 1
        if only is not None:
            break
        if time.monotonic() - told > _TOLD_EVERY:
            told = time.monotonic()
            print(f"{number:,} pages, {followed:,} read without a tree", flush=True)
    print(f"{number:,} pages, {followed:,} read without a tree: no difference", flush=True)
    return 0


def report(seed: int, number: int, body: bytes) -> None:
    small = shrunk(body)
    print(f"page {number} of seed {seed} is read otherwise without a tree:\n{small!r}")
    for difference in differences(small) or ():
        print(f"  {difference}")


def shrunk(body: bytes) -> bytes:
    """The same difference, or another, in fewer bytes."""
    step = len(body) // 2
    while step:
        place = 0
        while place < len(body):
            less = body[:place] + body[place + step :]
            if differences(less):
                body = less
            else:
                place += step
        step //= 2
    return body


if __name__ == "__main__":
    sys.exit(main())
