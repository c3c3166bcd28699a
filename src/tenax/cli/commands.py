"""Which commands are there, and what becomes of their errors?"""

from __future__ import annotations

import sys

import typer

from tenax.cli import (
    content,
    crawl,
    database,
    dead,
    jobs,
    key,
    look,
    products,
    proxies,
    relay,
    replay,
    scheduler,
    search,
    serve,
    tell,
    worker,
)
from tenax.cli.say import EXIT_BAD_INPUT, EXIT_INFRASTRUCTURE, fail
from tenax.ports import Unavailable
from tenax.settings import SettingsError

app = typer.Typer(
    name="tenax",
    help="A web crawler that holds on: polite, crash-proof, fast, and able to say why.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(crawl.crawl)
app.command()(worker.worker)
app.command()(scheduler.scheduler)
app.command()(relay.relay)
app.command()(serve.serve)
app.command()(relay.consume)
app.command()(crawl.demo)
app.command()(look.pages)
app.command()(look.export)
app.command()(products.products)
# What begins with a minus is part of the query there.
app.command(context_settings={"ignore_unknown_options": True})(search.search)
app.command()(search.reindex)
app.command()(search.links)
app.command()(replay.replay)
app.command()(replay.import_warc)
app.command()(look.hosts)
app.command()(look.audit)
app.command()(tell.why)
app.command()(tell.config)
app.command()(tell.doctor)
app.add_typer(jobs.app)
app.add_typer(database.app)
app.add_typer(dead.app)
app.add_typer(content.app)
app.add_typer(key.app)
app.add_typer(proxies.app)


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Print the version and end."),
) -> None:
    if version:
        from tenax.version import VERSION

        typer.echo(f"tenax {VERSION}")
        raise typer.Exit


def run() -> None:
    """Run the command; what users can put right is told in a sentence, not a traceback."""
    try:
        app()
    except SettingsError as error:
        sys.exit(fail(str(error), EXIT_BAD_INPUT))
    except Unavailable as error:
        sys.exit(fail(str(error), EXIT_INFRASTRUCTURE))
    except BrokenPipeError:
        # The reader went away (`tenax pages | head`): nothing to complain about.
        sys.stderr.close()
        sys.exit(0)
