"""The log on stderr: console or JSON, one line for each event, and nothing in it that anybody on
the web could have written as a line of its own (OBS-2, SEC-4)."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime
from typing import Any

from tenax.cli.terminal.say import printable
from tenax.crawl.observe.visit_log import FACTS
from tenax.crawl.policy import LogPolicy
from tenax.model.dates import iso_time

_PLAIN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:?&%+@~,;()[]"
)
_HANDLER = "tenax"
_ACTS = logging.getLogger("tenax.acts")
_ACT = logging.ERROR + 5
"""Above what any level leaves out."""
logging.addLevelName(_ACT, "ACT")


def set_up_log(policy: LogPolicy) -> None:
    """From now on our log is written as the policy says; that of libraries only where it warns."""
    handler = logging.StreamHandler(sys.stderr)
    handler.set_name(_HANDLER)
    handler.setFormatter(_JsonLines() if policy.format == "json" else _ConsoleLines())
    root = logging.getLogger()
    for other in [each for each in root.handlers if each.get_name() == _HANDLER]:
        root.removeHandler(other)
    root.addHandler(handler)
    ours = logging.getLogger("tenax")
    ours.setLevel(policy.level.upper())


def log_act(message: str) -> None:
    """What somebody did who may: always told (SEC-5)."""
    _ACTS.log(_ACT, message)


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    found: dict[str, Any] = getattr(record, FACTS, {})
    return found


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "at": iso_time(record.created),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
            **_facts(record),
        }
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        # ASCII: also line separators of Unicode are spelled out.
        return json.dumps(told, default=str, ensure_ascii=True)


class _ConsoleLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        facts = [f"{name}={_value(value)}" for name, value in _facts(record).items()]
        line = " ".join([at, record.levelname.lower(), printable(record.getMessage()), *facts])
        if not record.exc_info:
            return line
        trace = self.formatException(record.exc_info).splitlines()
        return "\n".join([line, *(f"    {printable(each)}" for each in trace)])


def _value(value: object) -> str:
    text = printable(str(value))
    return text if text and _PLAIN.issuperset(text) else json.dumps(text, ensure_ascii=False)
