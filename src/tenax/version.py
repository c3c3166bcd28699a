"""Which Tenax is this, and how is more of it had?"""

from __future__ import annotations

VERSION = "0.1.0"
DISTRIBUTION = "tenax-crawler"
"""What it is called where packages are published; there, tenax is something else."""


def pip_install(extra: str) -> str:
    """The command that adds an optional part."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"
