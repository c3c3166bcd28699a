"""Sixty stories that are wanted, for traps to stand beside (URL-6)."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qsl

from tenax.model import Response
from tests.simulate.worlds import Answer, World, html, number, prose

STORIES = frozenset({"/", *(f"/story/{n}" for n in range(60))})


def story(n: int) -> str:
    return f"<p>{prose('story', n)}</p>"


def beside(
    name: str,
    entries: list[str],
    within: Answer,
    is_trap: Callable[[str], bool],
    own: Callable[[int], list[str]] = lambda n: [],
    depth: int = 1_000,
    pages: frozenset[str] = STORIES,
) -> World:
    """A trap that sixty stories lead to; each has links of its own, too."""

    def answer(path: str) -> Response | None:
        if path == "/":
            return html("Home", "<p>Hello.</p>", [f"/story/{n}" for n in range(60)] + entries)
        n = number(path, "/story/")
        if n is not None and n < 60:
            return html(f"Story {n}", story(n), ["/", *entries, *own(n)])
        return within(path)

    return World(name, answer, pages, is_trap, depth)


def below(folder: str) -> Callable[[str], bool]:
    return lambda path: path.startswith(folder)


def query(path: str, place: str) -> dict[str, str] | None:
    here, mark, rest = path.partition("?")
    return dict(parse_qsl(rest)) if here == place and mark else None
