"""Whose code reads pages besides ours? Handlers of files, of the program and of [[records]]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenax.settings import Settings, SettingsError

if TYPE_CHECKING:
    from tenax.crawl.handling.runner import Handlers
    from tenax.page.handlers.registry import Handler


def make_handlers(
    settings: Settings, of_program: Sequence[Handler] = (), *, threads: bool = True
) -> Handlers | None:
    """Those of the settings and these; None where there are none, and nothing of it is loaded.
    Raises `SettingsError` before anything starts."""
    if not settings.handlers and not settings.records and not of_program:
        return None
    from tenax.adapters.local.handler_files import HandlerFileError, load
    from tenax.crawl.handling.runner import Handlers
    from tenax.page.handlers.record_rules import handlers_of_rules

    try:
        found = [
            *load(settings.handlers),
            *of_program,
            *handlers_of_rules(settings.records),
        ]
    except HandlerFileError as error:
        raise SettingsError(f"handlers: {error}") from error
    for name, count in Counter(handler.name for handler in found).items():
        if count > 1:
            raise SettingsError(
                f"handlers: {count} of them are called {name!r}, and records are known by it. Give"
                ' one another name: @on("…", name="other").'
            )
    return Handlers(found, settings.handling, threads=threads)
