"""The flags that several commands share, and how they become settings."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from tenax.cli.terminal.say import EXIT_BAD_INPUT, fail
from tenax.settings import Loaded, load

T = TypeVar("T")

Data = Annotated[
    str | None, typer.Option("--data", help="The folder that keeps the crawl [./tenax-data].")
]
Config = Annotated[
    Path | None, typer.Option("--config", help="The settings file [tenax.toml, if there is one].")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
AllowPrivate = Annotated[
    list[str] | None,
    typer.Option("--allow-private", help="A private network (CIDR) that may be crawled."),
]
Delay = Annotated[
    float | None, typer.Option("--delay", help="Seconds between requests to one host [1.0].")
]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", help="Requests under way at once [64].")
]
PerHost = Annotated[
    int | None,
    typer.Option("--per-host", help="Requests under way at one host when the delay is 0 [8]."),
]
Contact = Annotated[
    str | None,
    typer.Option("--contact", help="Your URL or mail address, told to every site visited."),
]
JobName = Annotated[str | None, typer.Option("--job", help="Only this job.")]


class ListsByItself(TyperGroup):
    """`tenax dead`, with or without flags, is `tenax dead list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        names_no_command = not args or (args[0].startswith("-") and args[0] != "--help")
        if names_no_command and not ctx.resilient_parsing:
            args = ["list", *args]
        return super().parse_args(ctx, args)


def settings(config: Path | None = None, **flags: Any) -> Loaded:
    """Settings with these flags on top; double underscores are dots."""
    return load({name.replace("__", "."): value for name, value in flags.items()}, file=config)


def slots(per_host: int | None, concurrency: int | None, delay: float | None) -> int | None:
    """Who wants no delay and says how many requests at once may mean one host alone."""
    return concurrency if per_host is None and delay == 0 else per_host


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run on the fast event loop where there is one."""
    # What is imported stays; pages die by reference counts. Looking for cycles among them at
    # Python's usual pace costs a crawl three percent and finds nothing.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    if sys.platform == "win32":
        return asyncio.run(main)
    import uvloop

    return uvloop.run(main)


def bad_input(message: str) -> typer.Exit:
    """Say what is wrong with what was typed; to be raised."""
    return typer.Exit(fail(message, EXIT_BAD_INPUT))
