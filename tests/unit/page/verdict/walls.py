"""What do walls look like in the wild, and what must never be taken for one? See walls.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

PROSE = (
    "The harbour of Merrow was dug by hand in a single winter, and every family of the town can "
    "still name the stretch of wall that its own people laid. "
)
_MENU = "<nav>" + "".join(f'<a href="/{n}">Department {n}</a> ' for n in range(30)) + "</nav>"
_LIST = "<ul>" + "".join(f'<li><a href="/{n}">Part {n}</a>' for n in range(30)) + "</ul>"
_DATA: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


class Wall(NamedTuple):
    name: str
    kind: str
    body: str
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200
    missed: bool = False


def _written_out(body: str) -> str:
    body = re.sub(r"\{prose (\d+)\}", lambda found: PROSE * int(found[1]), body)
    return body.replace("{menu}", _MENU).replace("{list}", _LIST)


WALLS = [
    Wall(
        entry["name"],
        entry["kind"],
        _written_out(entry["body"]),
        tuple(entry.get("headers", {}).items()),
        entry.get("status", 200),
        entry.get("missed", False),
    )
    for entry in _DATA["wall"]
]
ABOUT = {entry["name"]: _written_out(entry["body"]) for entry in _DATA["about"]}
SMALL = {entry["name"]: _written_out(entry["body"]) for entry in _DATA["small"]}
