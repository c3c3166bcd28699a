"""The flags that say what a job is: shared by `crawl`, `jobs create` and `jobs change`."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.jobs.calendar import ScheduleError, parse_schedule
from tenax.jobs.durations import DurationError, parse_duration
from tenax.model import ScopeKind
from tenax.settings import SettingsError

Scope = Annotated[
    ScopeKind | None, typer.Option("--scope", help="How far to go from the seeds [host].")
]
Include = Annotated[
    list[str] | None,
    typer.Option("--include", help="Only URLs like this glob (or re:REGEX); repeatable."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", help="No URLs like this glob (or re:REGEX); repeatable."),
]
MaxPages = Annotated[int | None, typer.Option("--max-pages", help="End after this many pages.")]
MaxDepth = Annotated[
    int | None, typer.Option("--max-depth", help="Links away from a seed, at most [10].")
]
Seeds = Annotated[
    list[str] | None,
    typer.Option(
        "--seeds", metavar="FILE", help="Also start from the URLs in this file, - for stdin."
    ),
]
Sitemap = Annotated[
    list[str] | None,
    typer.Option("--sitemap", metavar="URL", help="Also start from what this sitemap lists."),
]
Recrawl = Annotated[
    str | None,
    typer.Option(
        "--recrawl", metavar="DURATION", help="Visit each page again, at first after this: 1d, 6h."
    ),
]
Schedule = Annotated[
    str | None,
    typer.Option("--schedule", help="Run by itself: 'every 6h', '@daily', or a cron line."),
]


def recrawl_seconds(text: str | None) -> float | None:
    """None when the flag was not given."""
    try:
        return None if text is None else parse_duration(text)
    except DurationError as error:
        raise SettingsError(f"--recrawl {error}") from error


def checked_schedule(text: str | None) -> str | None:
    try:
        return None if text is None else parse_schedule(text).text
    except ScheduleError as error:
        raise SettingsError(f"--schedule {error}") from error
