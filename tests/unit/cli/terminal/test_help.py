"""Is every command in a group of the help, with an example that can be typed?"""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from typer.main import get_command

from tenax.cli.commands import make_app
from tenax.cli.terminal.help import EXAMPLES
from tests.cli import invoke


def parse(command: Any, name: str, words: list[str]) -> None:
    context = command.make_context(name, list(words))
    if hasattr(command, "resolve_command"):
        below, found, rest = command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        parse(found, below, rest)


def test_every_command_has_a_group_and_an_example_that_can_be_typed(
    subtests: pytest.Subtests,
) -> None:
    app: Any = get_command(make_app())
    assert app.commands.keys() == EXAMPLES.keys()
    for name, line in EXAMPLES.items():
        with subtests.test(name):
            first, *words = shlex.split(line)
            assert (first, words[0]) == ("tenax", name)
            parse(app, "tenax", words)


def test_the_help_comes_in_groups_and_h_asks_for_it() -> None:
    told = invoke(["-h"]).output
    places = [told.index(f"\n{title}:") for title in ("Crawl", "Ask why", "Keep it")]
    assert places == sorted(places)
    assert "More:" not in told
    for words in (["why"], ["dead"], ["dead", "list"]):
        assert invoke([*words, "-h"]).output == invoke([*words, "--help"]).output
    assert "Example:\n    $ tenax why https://" in invoke(["why", "-h"]).output
