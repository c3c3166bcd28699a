"""A command in this process: what it printed and its exit code, without starting anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typer.testing import CliRunner, Result

from tenax.cli.commands import make_app


def invoke(
    words: Sequence[str], *, input: str | None = None, env: Mapping[str, str] | None = None
) -> Result:
    """As `tenax` does it, with the parameters of this command only: to read those of all of them
    takes ten times as long as most commands."""
    return CliRunner().invoke(make_app(*words[:1]), words, input=input, env=env)
