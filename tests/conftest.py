"""Which settings hold for every test: only Hypothesis has any."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: machines are shared, and a slow example is not a wrong one.
settings.register_profile("tenax", deadline=None, max_examples=60)
# The same examples every time, so that a red build is about the change it ran on.
settings.register_profile("ci", settings.get_profile("tenax"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "tenax")
