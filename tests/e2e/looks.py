"""Does a page look roughly as it did when somebody last looked at it?

A picture becomes a few numbers: how much is going on in each field of a coarse grid, and how much
there is of each kind of colour. Other figures, times and ports change them little; a style that is
missing, a column that fell below, a theme that was not obeyed change them much. The pictures
themselves stay in `.pictures/`, to be looked at.
"""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from playwright.sync_api import Browser, Page

KEPT = Path(__file__).parent / "looks.json"
PICTURES = Path(__file__).parents[2] / ".pictures" / "console"
IS_KEEPING = bool(os.environ.get("TENAX_KEEP_LOOKS"))
"""Somebody has looked at all of them: they are to be like this from now on."""
MOST = 1.9
"""Steps of fifteen by which fields of the grid may differ, in the mean."""
MOST_COLOUR = 0.12
"""Share of the picture that may have another colour."""
_MEASURE = """async picture => {
    const image = new Image();
    image.src = "data:image/png;base64," + picture;
    await image.decode();
    const [wide, high, columns, rows] = [240, 180, 12, 9];
    const canvas = new OffscreenCanvas(wide, high);
    const drawn = canvas.getContext("2d");
    drawn.drawImage(image, 0, 0, wide, high);
    const dots = drawn.getImageData(0, 0, wide, high).data;
    const light = at => (dots[at] * 3 + dots[at + 1] * 6 + dots[at + 2]) / 10;
    const busy = Array(columns * rows).fill(0);
    const colours = { dark: 0, middle: 0, light: 0, red: 0, yellow: 0, green: 0, blue: 0 };
    for (let y = 0; y < high - 1; y++) for (let x = 0; x < wide - 1; x++) {
        const at = 4 * (y * wide + x);
        const here = light(at);
        const step = Math.abs(here - light(at + 4)) + Math.abs(here - light(at + 4 * wide));
        const field = Math.floor(y * rows / high) * columns + Math.floor(x * columns / wide);
        busy[field] += Math.min(64, step);
        const [red, green, blue] = dots.slice(at, at + 3);
        const most = Math.max(red, green, blue), least = Math.min(red, green, blue);
        const grey = most < 70 ? "dark" : most < 200 ? "middle" : "light";
        const warm = green > blue + 40 ? "yellow" : "red";
        const hue = most === blue ? "blue" : most === green ? "green" : warm;
        const kind = most - least < 48 ? grey : hue;
        colours[kind] += 1;
    }
    const all = (wide - 1) * (high - 1);
    for (const kind in colours) colours[kind] = +(colours[kind] / all).toFixed(3);
    const each = all / busy.length;
    const grid = busy.map(sum => Math.min(15, Math.round(1.5 * sum / each)).toString(16)).join("");
    return { size: [image.width, image.height], grid, colours };
}"""


class Look(Struct, frozen=True):
    size: tuple[int, int]
    grid: str
    """A digit of sixteen for each field, row by row."""
    colours: dict[str, float]


class Looks:
    """Pictures of one run beside what was kept."""

    def __init__(self, browser: Browser) -> None:
        self._page = browser.new_page()
        self._kept: dict[str, Look] = {}
        if KEPT.exists():
            self._kept = msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Look])
        self._seen: dict[str, Look] = {}
        PICTURES.mkdir(parents=True, exist_ok=True)

    def differs(self, page: Page, name: str) -> list[str]:
        """What is otherwise than it was; the picture is kept either way."""
        name = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        picture = page.screenshot(path=PICTURES / f"{name}.png")
        told: Any = self._page.evaluate(_MEASURE, base64.b64encode(picture).decode())
        now = self._seen[name] = msgspec.convert(told, Look)
        if IS_KEEPING:
            return []
        if name not in self._kept:
            return [f"nobody has looked at {name} yet: TENAX_KEEP_LOOKS=1"]
        return list(differences(self._kept[name], now))

    def close(self) -> None:
        self._page.context.close()
        if IS_KEEPING:
            merged = {**self._kept, **self._seen}
            lines = (
                f"{json.dumps(k)}: {msgspec.json.encode(v).decode()}" for k, v in merged.items()
            )
            KEPT.write_text("{\n" + ",\n".join(sorted(lines)) + "\n}\n")


def differences(before: Look, now: Look) -> list[str]:
    found = []
    if before.size != now.size:
        found.append(f"size {now.size}, was {before.size}")
    steps = [abs(int(a, 16) - int(b, 16)) for a, b in zip(before.grid, now.grid, strict=True)]
    if sum(steps) / len(steps) > MOST:
        found.append(f"looks otherwise by {sum(steps) / len(steps):.2f} of 15")
    moved = sum(abs(before.colours[kind] - now.colours[kind]) for kind in now.colours) / 2
    if moved > MOST_COLOUR:
        found.append(f"other colours on {moved:.0%} of it")
    return found
