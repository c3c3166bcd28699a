"""Handlers from the user's files: each is run once, as a module; what it marks with @on counts."""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from tenax.page.handlers.registry import Handler, collecting


class HandlerFileError(ValueError):
    """A file cannot be used: what, where, and what to do."""


def load(files: Sequence[str | Path]) -> list[Handler]:
    """The handlers of these files. Raises `HandlerFileError`."""
    found: list[Handler] = []
    for file in files:
        found += _load(Path(file))
    return found


def _load(path: Path) -> list[Handler]:
    if not path.is_file():
        raise HandlerFileError(f"{path}: no such file with handlers.")
    whole = path.resolve()
    name = f"tenax_handlers_{hashlib.sha256(str(whole).encode()).hexdigest()[:12]}"
    spec = spec_from_file_location(name, whole)
    if spec is None or spec.loader is None:
        raise HandlerFileError(f"{path}: handlers are written in Python: name a .py file.")
    # What stands beside it can be imported, as if it were run itself.
    if str(whole.parent) not in sys.path:
        sys.path.append(str(whole.parent))
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        with collecting() as found:
            spec.loader.exec_module(module)
    except SyntaxError as error:
        where = f"{path}, line {error.lineno}" if error.filename == str(whole) else str(path)
        raise HandlerFileError(f"{where}: not valid Python: {error.msg}.") from None
    except (Exception, SystemExit) as error:
        raise HandlerFileError(
            f"{path}{_line(error, whole)}: {type(error).__name__}: {error}"
        ) from None
    if not found:
        raise HandlerFileError(
            f'{path}: no handlers in it. Write @on("*/pattern/*") above a function:'
            " from tenax import on, Page."
        )
    return found


def _line(error: BaseException, path: Path) -> str:
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    return f", line {lines[-1]}" if lines else ""
