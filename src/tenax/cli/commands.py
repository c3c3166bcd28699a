"""Which commands are there, and what becomes of their errors?"""

from __future__ import annotations

import errno
import sys
from collections.abc import Collection
from importlib import import_module
from typing import Any

import typer

from tenax.cli.terminal.help import HELP, GroupedCommands, example_of
from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_INFRASTRUCTURE, fail
from tenax.ports import Unavailable
from tenax.settings import SettingsError

_COMMANDS = {
    "crawl": "crawl.command.crawl",
    "init": "begin.command.init",
    "shell": "begin.command.shell",
    "fetch": "fetch.command.fetch",
    "worker": "fleet.worker_command.worker",
    "scheduler": "fleet.scheduler_command.scheduler",
    "relay": "events.command.relay",
    "serve": "fleet.serve_command.serve",
    "mcp": "agents.command.mcp",
    "consume": "events.command.consume",
    "demo": "crawl.command.demo",
    "pages": "look.command.pages",
    "export": "look.command.export",
    "products": "products.command.products",
    "records": "records.command.records",
    "search": "search.command.search",
    "reindex": "search.command.reindex",
    "links": "search.command.links",
    "replay": "replay.command.replay",
    "import-warc": "replay.command.import_warc",
    "hosts": "look.command.hosts",
    "audit": "look.command.audit",
    "why": "explain.command.why",
    "config": "explain.command.config",
    "doctor": "explain.command.doctor",
    "jobs": "jobs.command.app",
    "frontier": "frontier.command.app",
    "db": "storage.database_command.app",
    "dead": "dead.command.app",
    "alerts": "alerts.command.app",
    "content": "storage.content_command.app",
    "gc": "storage.gc_command.gc",
    "purge": "storage.purge_command.purge",
    "report": "storage.report_command.app",
    "archive": "storage.gc_command.archive",
    "backup": "storage.backup_command.backup",
    "restore": "storage.backup_command.restore",
    "key": "keys.command.app",
    "user": "users.command.app",
    "proxies": "proxies.command.app",
    "sites": "sites.command.app",
    "login": "sites.login.login",
}
"""Each command, or family of them, and where it is written."""
_SETTINGS: dict[str, dict[str, Any]] = {
    # What begins with a minus is part of the query there.
    "search": {"context_settings": {"ignore_unknown_options": True}},
}


def make_app(only: str = "") -> typer.Typer:
    """The command line; of the commands those called `only`, where there are any.

    Reading the parameters of all of them takes longer than opening a ledger.
    """
    app = typer.Typer(
        name="tenax",
        help="A web crawler that holds on: polite, crash-proof, fast, and able to say why.",
        epilog="`tenax COMMAND -h` tells what it takes, with an example. Begin with: tenax demo",
        cls=GroupedCommands,
        context_settings=HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(_version)
    for name in _names(only):
        module, _, within = _COMMANDS[name].rpartition(".")
        found = getattr(import_module(f"tenax.cli.{module}"), within)
        if isinstance(found, typer.Typer):
            app.add_typer(found, epilog=example_of(name))
        else:
            app.command(name, epilog=example_of(name), **_SETTINGS.get(name, {}))(found)
    return app


def _names(only: str) -> Collection[str]:
    if only == "--version":
        return ()
    return (only,) if only in _COMMANDS else _COMMANDS


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
        make_app(*sys.argv[1:2])()
    except SettingsError as error:
        sys.exit(fail(str(error), EXIT_BAD_INPUT))
    except Unavailable as error:
        sys.exit(fail(str(error), EXIT_INFRASTRUCTURE))
    except BrokenPipeError:
        # The reader went away (`tenax pages | head`): nothing to complain about.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        sys.exit(fail("no space is left where the output goes.", EXIT_INFRASTRUCTURE))
