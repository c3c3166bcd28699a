"""`python -m tenax.cli`: the command without its installed script."""

from __future__ import annotations

from tenax.cli import main

main()
