"""What holds for every test: the settings of Hypothesis, and that no server is left running."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from services.catalogue import RUN, let_go

# No deadline: machines are shared, and a slow example is not a wrong one.
settings.register_profile("tenax", deadline=None, max_examples=60)
# The same examples every time, so that a red build is about the change it ran on.
settings.register_profile("ci", settings.get_profile("tenax"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "tenax")


def pytest_configure(config: pytest.Config) -> None:
    # The worker processes of a parallel run inherit this, so that the servers they start are
    # known to be this run's.
    os.environ.setdefault(RUN, str(os.getpid()))


def pytest_unconfigure(config: pytest.Config) -> None:
    if os.environ.get(RUN) == str(os.getpid()):
        let_go(os.getpid())
