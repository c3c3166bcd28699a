"""`tenax why`, `config` and `doctor`: ask Tenax about a URL, its settings and its surroundings."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from tenax.cli.terminal import options, say

if TYPE_CHECKING:
    from tenax.ops.health.doctor import Check, Facts
    from tenax.settings import Settings


def why(
    url: Annotated[str, typer.Argument(metavar="URL", help="Known or not, fetched or not.")],
    post: options.Post = None,
    content_type: options.ContentType = None,
    job: options.JobName = None,
    data: options.Data = None,
    as_json: options.Json = False,
    allow_private: options.AllowPrivate = None,
    config: options.Config = None,
) -> None:
    """Tell the whole story of a URL: where it stands, why, and what happens next.

    Works for URLs never seen, and before the first crawl: then it tells what would happen.
    """
    from tenax.cli.explain.show_story import tell_why

    settings = options.settings(config, data=data, allow_private=allow_private or None).settings
    sends = options.sends(post, content_type)
    raise typer.Exit(options.run(tell_why(settings, say.well_formed(url), job, as_json, sends)))


def config(
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Print every setting in force and who set it, as a tenax.toml that could be saved."""
    from tenax.cli.explain.toml_tree import toml_line
    from tenax.ops.secrets import masked

    loaded = options.settings(config, data=data)
    rows = [(name, masked(name, value), source) for name, value, source in loaded.rows()]
    if as_json:
        say.as_json({name: {"value": value, "source": source} for name, value, source in rows})
        return
    for name, value, source in rows:
        typer.echo(toml_line(name, value, source))


def doctor(
    recovery: Annotated[
        bool, typer.Option("--recovery", help="After a restore or an outage: is all as it was?")
    ] = False,
    bodies: Annotated[
        bool, typer.Option("--bodies", help="With --recovery: read every stored body.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Check that this machine is fit for a crawl. Ends with 1 when something has to be repaired."""
    from tenax.compose.checkup import examine
    from tenax.ops.health.doctor import CheckVerdict, diagnose

    if bodies and not recovery:
        wrong = "--bodies needs --recovery; or use `tenax audit --bodies`."
        raise typer.Exit(say.fail(wrong, say.EXIT_BAD_INPUT))
    settings = options.settings(config, data=data).settings
    facts = examine(settings)
    checks = _recovery(settings, facts, bodies) if recovery else diagnose(facts)
    if as_json:
        say.as_json([say.plain(check) for check in checks])
    else:
        for check in checks:
            typer.echo(f"{check.verdict:<4}  {check.name:<12}  {_wrapped(check.says)}")
            if check.advice:
                typer.echo(f"{'':20}{_wrapped(check.advice)}")
    if any(check.verdict is CheckVerdict.FAIL for check in checks):
        raise typer.Exit(say.EXIT_UNFIT)


def _recovery(settings: Settings, facts: Facts, bodies: bool) -> list[Check]:
    from tenax.compose.lifecycle.recovery import look_inside
    from tenax.ops.health.recovery import checklist, is_openable

    inside = None
    if is_openable(facts):
        inside = options.run(look_inside(settings, facts, bodies))
    return checklist(facts, inside, settings.lease.silence)


def _wrapped(text: str) -> str:
    return f"\n{'':20}".join(textwrap.wrap(say.printable(text), 78, break_long_words=False))
