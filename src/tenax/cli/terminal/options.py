"""The flags that several commands share, and how they become settings."""

from __future__ import annotations

import asyncio
import gc
import shlex
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from tenax.cli.terminal.say import EXIT_BAD_INPUT, fail
from tenax.settings import Loaded, SettingsError, load

if TYPE_CHECKING:
    from tenax.model import Sends

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
Handlers = Annotated[
    list[str] | None,
    typer.Option("--handlers", metavar="FILE", help="A Python file with handlers; repeatable."),
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
Verbose = Annotated[
    bool,
    typer.Option("--verbose", help="Log every visit, and how hosts are treated, on stderr."),
]
JobName = Annotated[str | None, typer.Option("--job", help="Only this job.")]


class ListsByItself(TyperGroup):
    """`tenax dead`, with or without flags, is `tenax dead list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        names_no_command = not args or (args[0].startswith("-") and args[0] not in ("-h", "--help"))
        if names_no_command and not ctx.resilient_parsing:
            args = ["list", *args]
        return super().parse_args(ctx, args)


Post = Annotated[
    str | None,
    typer.Option("--post", metavar="TEXT", help="Send this there, by POST: 'q=tea&page=1'."),
]
ContentType = Annotated[
    str | None,
    typer.Option("--content-type", metavar="TYPE", help="What --post is [a form]."),
]


def sends(post: str | None, content_type: str | None) -> Sends | None:
    """What the two flags say is to be sent; None for nothing."""
    from tenax.model import FORM, Post
    from tenax.model.knobs import OutOfBounds, checked

    if post is None:
        if content_type is not None:
            raise bad_input("--content-type says what --post is: give that, too.")
        return None
    kind = FORM if content_type is None else content_type
    try:
        return checked(Post("-", post, kind)).sends
    except OutOfBounds as error:
        raise bad_input(f"--post: {error}") from error


def working_settings(config: Path | None, *, verbose: bool = False, **flags: Any) -> Loaded:
    """Settings for whatever runs for long: from now on its log is written as they say."""
    from tenax.cli.terminal.logs import set_up_log

    loaded = settings(config, log__level="info" if verbose else None, **flags)
    set_up_log(loaded.settings.log)
    return loaded


def settings(config: Path | None = None, **flags: Any) -> Loaded:
    """Settings with these flags on top; double underscores are dots."""
    if data := flags.get("data"):
        _require_folder(data)
    return load({name.replace("__", "."): value for name, value in flags.items()}, file=config)


def _require_folder(data: str) -> None:
    """Whoever types `--data` as for curl means a form, and would get a folder of its name."""
    looks_sent = "=" in data or data.startswith(("{", "["))
    if looks_sent and not data.startswith((".", "/", "~")) and not Path(data).is_dir():
        raise bad_input(
            f"--data {shlex.quote(data)}: --data is the folder that keeps the crawl."
            f" To post a body: --post {shlex.quote(data)}."
            f" To make a folder of this name: --data {shlex.quote(f'./{data}')}."
        )


def slots(per_host: int | None, concurrency: int | None, delay: float | None) -> int | None:
    """Who wants no delay and says how many requests at once may mean one host alone."""
    return concurrency if per_host is None and delay == 0 else per_host


def seconds(flag: str, text: str | None) -> float | None:
    """A duration as it was typed."""
    from tenax.jobs.durations import DurationError, parse_duration

    try:
        return None if text is None else parse_duration(text)
    except DurationError as error:
        raise SettingsError(f"{flag}: {error}") from error


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
