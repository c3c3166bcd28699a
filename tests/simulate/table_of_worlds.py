"""The table of sites and ways to crawl them: pages found of pages there, requests spent on traps.

`python -m tests.simulate.table_of_worlds RESULTS [DOCUMENT]` crawls each world in each of four
ways, appends a line for each to RESULTS, where what is there already is not run again, and writes
the document. Several may share RESULTS; `--only` names worlds. It takes some twenty minutes of a
processor.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from tests.simulate.blind_worlds import BLIND_HEALTHY, BLIND_TRAPS
from tests.simulate.folder_worlds import ENDS, FOLDERS
from tests.simulate.newest_worlds import NEWEST
from tests.simulate.software_worlds import SOFTWARE
from tests.simulate.test_worlds import AT_MOST, HEALTHY, TRAPS, WAYS
from tests.simulate.thin_worlds import dead_leaves
from tests.simulate.unseen_worlds import UNSEEN_HEALTHY, UNSEEN_TRAPS
from tests.simulate.worlds import World, healthy

_SEED = 1
_HEAD = """# Sites and traps, crawled in four ways

Written by `python -m tests.simulate.table_of_worlds RESULTS docs/reference/trap-worlds.md`. Each
world is crawled in one go, killed at ten moments and resumed each time, by two processes at once,
and with the links of each page in another order. A site shows the pages found of those there; a
trap, which stands beside pages that are wanted, the different requests that were spent on it, of
which the bound is {bound}. What is **bold** is not whole, or beyond the bound:
[what is taken for a trap is deferred](../decisions/0031-traps-are-deferred.md) says why.
"""


def worlds() -> Iterator[tuple[str, World]]:
    """All, each with a name of its own, and which part of the table it is in."""
    blind = (*FOLDERS, *ENDS, *NEWEST, *BLIND_HEALTHY, *BLIND_TRAPS)
    more = (*blind, *SOFTWARE, *UNSEEN_HEALTHY, *UNSEEN_TRAPS, dead_leaves)
    made = [("Tried blind once", make()) for make in more]
    made += [("The rule was made with these", world) for world in (*HEALTHY, *TRAPS)]
    large = [replace(world, name=f"{world.name}, twice as large") for world in healthy(2)]
    made += [("The rule was made with these", world) for world in large]
    seen: dict[str, int] = {}
    for part, world in made:
        seen[world.name] = nth = seen.get(world.name, 0) + 1
        yield part, world if nth == 1 else replace(world, name=f"{world.name} ({nth})")


def run(results: Path, only: Sequence[str]) -> None:
    results.touch()
    for part, world in worlds():
        for way in WAYS:
            known = {tuple(line.split("\t")[:2]) for line in results.read_text().splitlines()}
            if (world.name, way.__name__) in known or (only and world.name not in only):
                continue
            came = way(world, _SEED)
            found = len(world.pages & came.asked)
            told = (world.name, way.__name__, found, len(world.pages), came.on_traps, came.deferred)
            with results.open("a") as out:
                print(*told, part, sep="\t", file=out)


def document(results: Path) -> str:
    """The table, with what was once tried blind first."""
    rows: dict[tuple[str, str], dict[str, tuple[int, int, int]]] = {}
    for line in results.read_text().splitlines():
        name, way, found, there, spent, _, part = line.split("\t")
        rows.setdefault((part, name), {})[way] = int(found), int(there), int(spent)
    parts: dict[tuple[str, str], list[str]] = {}
    failed: dict[tuple[str, str], int] = {}
    ways = [way.__name__ for way in WAYS]
    for (part, name), by_way in rows.items():
        is_trap = any(spent for _, _, spent in by_way.values())
        group = (part, "Traps, requests" if is_trap else "Sites, pages found of those there")
        cells = [_cell(*by_way[way], is_trap=is_trap) if way in by_way else "-" for way in ways]
        parts.setdefault(group, []).append(f"| {name} | {' | '.join(cells)} |")
        failed[group] = failed.get(group, 0) + sum("**" in cell for cell in cells)
    head = f"| | {' | '.join(way.replace('_', ' ') for way in ways)} |\n|{'---|' * 5}"
    text = _HEAD.format(bound=AT_MOST)
    for group in sorted(parts, key=lambda group: (group[0][:2] != "Tr", group)):
        count = sum(cell != "-" for row in parts[group] for cell in row.split(" | ")[1:])
        text += f"\n## {group[0]}: {group[1].lower()}\n\n"
        text += f"{count - failed[group]} of {count} as asked.\n\n"
        text += head + "\n" + "\n".join(parts[group]) + "\n"
    return text


def _cell(found: int, there: int, spent: int, *, is_trap: bool) -> str:
    if not is_trap:
        return f"{found}" if found == there else f"**{found} of {there}**"
    cell = f"{spent:,}" if spent <= AT_MOST else f"**{spent:,}**"
    return cell if found == there else f"{cell}, **{found} of {there} pages**"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="table_of_worlds", description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("document", type=Path, nargs="?")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args(arguments)
    run(options.results, options.only)
    if options.document is not None:
        options.document.write_text(document(options.results))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
