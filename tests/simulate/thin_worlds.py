"""Sites whose pages say little that is new, healthy ones and traps: what tells them apart is
whether they come to an end (URL-6)."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from tenax.model import Response
from tests.simulate.worlds import World, html, number, prose, tree

_SONGS = [prose("song", n, words=3) for n in range(40)]


def playlists(days: int = 12, hours: int = 20) -> World:
    """The same forty songs in every hour; each hour is named by its day."""

    def answer(path: str) -> Response | None:
        parts = [part for part in path.removeprefix("/played").split("/") if part]
        if not path.startswith("/played") and path != "/":
            return None
        if not all(part.isdecimal() for part in parts) or len(parts) > 2:
            return None
        limits = (days, hours)[: len(parts)]
        if any(int(part) >= most for part, most in zip(parts, limits, strict=True)):
            return None
        if len(parts) == 2:
            played = Random(path).sample(_SONGS, 12)
            return html(f"Hour {parts[1]}", "".join(f"<p>{song}</p>" for song in played))
        count = days if not parts else hours
        place = "/played" + "".join(f"/{part}" for part in parts)
        return html("Playlists", "", [f"{place}/{n}" for n in range(count)])

    pages = {"/", *(f"/played/{d}" for d in range(days))}
    pages |= {f"/played/{d}/{h}" for d in range(days) for h in range(hours)}
    return World("playlists", answer, frozenset(pages))


def dead_leaves(depth: int = 8) -> World:
    """A tree of two branches; its last pages name only pages that are gone."""
    living = tree(2, depth)

    def answer(path: str) -> Response | None:
        found = living.answer(path)
        if found is None or path.count("/") != depth + 1:
            return found
        return html("Leaf", f"<p>{prose('leaf', path)}</p>", [f"{path}/0", f"{path}/1"])

    return replace(living, name="tree-dead-leaves", answer=answer, depth=depth + 5)


def _stories(entries: list[str], path: str, own: str = "", stories: int = 120) -> Response | None:
    if path == "/":
        return html("Stories", "", [f"/story/{n}" for n in range(stories)] + entries)
    n = number(path, "/story/")
    if n is None or n >= stories:
        return None
    return html(f"Story {n}", f"<p>{prose('story', n)}</p>", [own.format(n)] if own else [])


_STORIES = frozenset({"/", *(f"/story/{n}" for n in range(120))})


def printed(stories: int = 500) -> World:
    """Each story once more, to be printed; it tells where it belongs."""

    def answer(path: str) -> Response | None:
        place, _, query = path.partition("?")
        if query not in ("", "print=1"):
            return None
        own = "/story/{}?print=1" if not query else ""
        found = _stories([], place, own, stories)
        if found is None or found.body is None:
            return found
        canonical = f'</title><link rel="canonical" href="{place}">'
        return replace(found, body=found.body.replace(b"</title>", canonical.encode()))

    pages = frozenset({"/", *(f"/story/{n}" for n in range(stories))})
    return World("printed", answer, pages, lambda path: path.endswith("?print=1"))


def shared() -> World:
    """Three things to do with each story, each for somebody who has signed in."""

    def answer(path: str) -> Response | None:
        place, mark, _ = path.partition("?back=")
        if (mark and place not in ("/share", "/wish", "/report")) or len(path) > 300:
            return None
        deeds = [f"{deed}?back={path.replace('?', '.')}" for deed in ("/share", "/wish", "/report")]
        if mark:
            return html("Please sign in", "", deeds)
        found = _stories([], path)
        if found is None or found.body is None:
            return found
        links = "".join(f'<a href="{deed}">Do</a>' for deed in deeds)
        return replace(found, body=found.body.replace(b"</main>", f"{links}</main>".encode()))

    return World("shared", answer, _STORIES, lambda path: "?back=" in path, depth=100)


def lattice() -> World:
    """A map: each place names those around it, and says where it is."""

    def answer(path: str) -> Response | None:
        if not path.startswith("/map?"):
            return _stories(["/map?x=500&y=500&z=4"], path)
        fields = [part.partition("=")[2] for part in path.partition("?")[2].split("&")]
        if len(fields) != 3 or not all(field.isdecimal() for field in fields):
            return None
        x, y, z = map(int, fields)
        near = [(x + 1, y, z), (x - 1, y, z), (x, y + 1, z), (x, y - 1, z), (x, y, z + 1)]
        seen = " ".join(Random(path).sample(_SONGS[:8], 2))
        return html(f"Map {x / 10} {y / 10}", f"<p>In view: {seen}</p>",
                    [f"/map?x={a}&y={b}&z={c}" for a, b, c in near])  # fmt: skip

    return World("map", answer, _STORIES, lambda path: path.startswith("/map"), 100)
