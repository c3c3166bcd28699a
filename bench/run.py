"""What does `python -m bench` do? Prepare the crawlers, run the cases, print and keep tables."""

from __future__ import annotations

import argparse
import compileall
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.cases import CASES, NEED_TENAX, Bench
from bench.crawlers import Crawler, all_crawlers
from bench.report import Table, heading, save

RESULTS = Path(__file__).with_name("results")
SOURCE = Path(__file__).parents[1] / "src"


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    # Ended from outside we still leave through every `with`: no server or folder stays behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # As an installed package is; or every start compiles, where Python may not keep what it made.
    compileall.compile_dir(SOURCE, quiet=1)
    given = sys.argv[1:] if arguments is None else arguments
    head = heading(" ".join(["python -m bench", *given]))
    cores = sorted(os.sched_getaffinity(0))
    # Keep our own sampling off the crawler's core.
    os.sched_setaffinity(0, cores[-1:])
    crawlers, absent = _prepare(options)
    bench = Bench(crawlers, absent, cores, options.rounds, options.quick, _say, options.pages)
    tables: list[Table] = []
    failed = 0
    try:
        for case in options.only:
            if case in NEED_TENAX and "tenax" not in crawlers:
                _say(f"{case}: skipped, tenax is not available")
                continue
            _say(f"{case}: {(CASES[case].__doc__ or '').partition(': ')[2]}")
            try:
                tables.append(CASES[case](bench))
            except Exception as error:
                # One broken case must not cost the figures of the others.
                failed += 1
                _say(f"{case}: failed: {type(error).__name__}: {error}")
            else:
                print("\n" + tables[-1].markdown(), flush=True)
    finally:
        if bench.runs:
            _say(f"kept in {save(RESULTS, head, tables, bench.runs)}")
    return 1 if failed else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = ",".join(all_crawlers())
    parser.add_argument("--only", default=",".join(CASES), help="cases, e.g. P1,P8 (default: all)")
    parser.add_argument("--crawlers", default=names, help=f"who runs (default: {names})")
    parser.add_argument("--rounds", type=int, help="rounds of each comparison (default 3)")
    parser.add_argument("--quick", action="store_true", help="one round, smaller sites: a check")
    parser.add_argument("--tenax", default="", help="the command to start Tenax with")
    parser.add_argument("--pages", type=Path, help="saved pages for P11 (default: made ones)")
    options = parser.parse_args(arguments)
    if options.pages and not options.pages.is_dir():
        parser.error(f"{options.pages} is no folder.")
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.only = [case.strip().upper() for case in options.only.split(",")]
    options.crawlers = [name.strip() for name in options.crawlers.split(",")]
    for given, known in ((options.only, CASES), (options.crawlers, all_crawlers())):
        for name in given:
            if name not in known:
                parser.error(f"{name!r} is unknown. Use some of: {', '.join(known)}.")
    return options


def _prepare(options: argparse.Namespace) -> tuple[dict[str, Crawler], dict[str, str]]:
    ready, absent = {}, {}
    known = all_crawlers(tuple(shlex.split(options.tenax)))
    for name in options.crawlers:
        _say(f"preparing {name}")
        if problem := known[name].prepare():
            _say(f"  not available: {problem}")
            absent[name] = problem
        else:
            ready[name] = known[name]
    return ready, absent


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
