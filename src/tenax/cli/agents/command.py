"""`tenax mcp`: what was crawled, as tools for language models."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tenax.cli.terminal import options


class Allowed(StrEnum):
    """What a model may do besides reading."""

    CRAWL = "crawl"


def mcp(
    allow: Annotated[
        list[Allowed] | None,
        typer.Option("--allow", help="Let it fetch and crawl, too. Without: it only reads."),
    ] = None,
    allow_private: options.AllowPrivate = None,
    contact: options.Contact = None,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Offer search, read, why, pages, products, records and crawls as tools of the Model Context
    Protocol, over standard input and output.

    Programs for language models start it by themselves: name it in their settings. With --allow
    crawl it also works on every running job, as `tenax worker` does.
    """
    from tenax.cli.agents.work import AgentOrder, serve_agents

    settings = options.working_settings(
        config, data=data, contact=contact, allow_private=allow_private or None
    ).settings
    order = AgentOrder(settings, may_crawl=Allowed.CRAWL in (allow or ()))
    raise typer.Exit(options.run(serve_agents(order)))
