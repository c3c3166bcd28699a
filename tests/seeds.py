"""Which examples do the property tests of a build try? Others each time; a number repeats them."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

OPTION = "hypothesis_seed"


def choose(config: pytest.Config) -> None:
    """Unless somebody has. The worker processes of a parallel run are told what was chosen."""
    if config.getoption(OPTION) is None:
        told = getattr(config, "workerinput", {}).get(OPTION)
        setattr(config.option, OPTION, told or str(secrets.randbelow(2**32)))


def tell_worker(node: Any) -> None:
    node.workerinput[OPTION] = node.config.getoption(OPTION)


def tell(config: pytest.Config) -> None:
    """Even where no header is printed: it has to stand in the log of every build."""
    seed, reporter = config.getoption(OPTION), config.pluginmanager.get_plugin("terminalreporter")
    if seed is not None and reporter is not None:
        again = f'CI=true make test ARGS="--hypothesis-seed={seed}"'
        reporter.write_line(f"Property tests: seed {seed}; the same examples again: {again}")
