"""A site and two traps, written after pages that name their views were heard whole, and run once on
that rule before any of them was looked at (URL-6, decision 0031)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tenax.model import Response
from tests.simulate.beside import below, beside
from tests.simulate.more_healthy import PHRASES, Page, made
from tests.simulate.worlds import World, html, prose


def key(couplets: int = 190) -> World:
    """To tell plants apart: each step has two short lines out of few, and leads to two others, or
    to a plant, of which there is a name and a height."""
    dice = Random("key")
    open_ends = ["/key/1"]
    pages: dict[str, Page] = {"/": ("Key to the plants", "<p>Begin here.</p>", ["/key/1"])}
    for n in range(1, couplets + 1):
        here = open_ends.pop(dice.randrange(len(open_ends)))
        ways = [f"/key/{2 * n}", f"/key/{2 * n + 1}"]
        lines = dice.sample(PHRASES, 2)
        pages[here] = ("Key", f"<p>{lines[0]} ..... 1</p><p>{lines[1]} ..... 2</p>", ways)
        open_ends += ways
    for n, here in enumerate(open_ends):
        genus = prose("genus", n % 25, words=1).title()
        body = f"<p>{10 + dice.randrange(90)} cm</p><p>{dice.choice(PHRASES)}</p>"
        pages[here] = (f"{genus} {prose('plant', n % 40, words=1)}", body, ["/"])
    return made("key", pages)


def playback() -> World:
    """Recordings that can be played from any second on, each of which names some others."""

    def within(path: str) -> Response | None:
        place, _, second = path.removeprefix("/play/").partition("/")
        if not (path.startswith("/play/") and place.isdecimal() and second.isdecimal()):
            return None
        n, at = int(place), int(second)
        moves = [at + 10, at + 30, at + 300, max(0, at - 10)]
        body = f"<p>{at // 3600}:{at // 60 % 60:02}:{at % 60:02}</p><p>Sound on</p>"
        links = [f"/play/{n}/{move}" for move in moves if move != at]
        return html(f"Recording {n}", body, [*links, f"/story/{n % 60}"])

    return beside("playback", [], within, below("/play/"), lambda n: [f"/play/{n}/0"])


def embeds() -> World:
    """The first half of each story, to be shown elsewhere: in six colours and five widths, with a
    line that is like it nowhere else."""
    colours = ("light", "dark", "sepia", "blue", "rose", "plain")

    def within(path: str) -> Response | None:
        parts = path.removeprefix("/embed/").split("/")
        if not path.startswith("/embed/") or len(parts) != 3 or not parts[0].isdecimal():
            return None
        n, colour, width = int(parts[0]), parts[1], parts[2]
        if n >= 60 or colour not in colours or width not in ("200", "320", "480", "640", "900"):
            return None
        words = prose("story", n).split()
        body = f"<p>{' '.join(words[: len(words) // 2])}</p><p>{prose(path, words=4)}</p>"
        return html(f"Story {n}", body, [f"/story/{n}"])

    def own(n: int) -> list[str]:
        return [f"/embed/{n}/{c}/{w}" for c in colours for w in (200, 320, 480, 640, 900)]

    return beside("embeds", [], within, below("/embed/"), own)


NEWEST: tuple[Callable[[], World], ...] = (key, playback, embeds)
