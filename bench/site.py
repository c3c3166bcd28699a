"""What is crawled? Three sites made of the same real documentation pages.

`documentation` is the plain site, `heavy` has pages of the size the web serves today, `crowded`
names a great many URLs for each page it has.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCES = {
    "python": Path("/usr/share/doc/python3.11/html"),
    "postgresql": Path("/usr/share/doc/postgresql-doc-15/html"),
}
PACKAGES = ("python3.11-doc", "postgresql-doc-15")
HEAVY_BYTES = 239_000
LINKS_A_PAGE = 1_000
"""No more than a crawler may be expected to take from one page."""
ITEMS = 1_600
"""Pages that differ, of those that the many URLs of the crowded site lead to."""


@dataclass(frozen=True, slots=True)
class Site:
    root: Path
    pages: int
    """How many HTML pages a crawl from index.html should find."""
    mean_bytes: int
    real: bool
    """False when the documentation was not to be had and the pages were generated."""

    def describe(self) -> str:
        kind = "real documentation pages" if self.real else "GENERATED pages (no documentation)"
        return f"{self.pages:,} {kind}, {self.mean_bytes / 1000:.0f} kB mean"


def documentation(root: Path, copies: int = 1) -> Site:
    """The documentation as it is, under /0/, and with other letters under /1/ … /copies-1/; and an
    index that leads into each. half-0.html and half-1.html lead into one half of them each.
    """
    trees, real = _source_pages()
    starts = []
    for copy in range(copies):
        for tree, pages in trees.items():
            _write_tree(root / str(copy) / tree, pages, copy)
            starts.append(f"{copy}/{tree}/index.html")
    _write_index(root, starts)
    for half in range(2):
        _write_index(
            root, starts[half * copies // 2 * 2 : (half + 1) * copies // 2 * 2], f"half-{half}.html"
        )
    reached = len(_reachable(trees))
    sizes = [len(body) for pages in trees.values() for body in pages.values()]
    return Site(root, reached * copies + 1, sum(sizes) // len(sizes), real)


def heavy(root: Path, copies: int = 1) -> Site:
    """Pages of about 239 kB: bodies of several real pages in one, links turned inwards."""
    trees, real = _source_pages()
    bodies = list(_packed([body for tree in trees.values() for body in tree.values()]))
    count = len(bodies)
    names = [f"page-{number}.html" for number in range(count)]
    pages = {name: _turned_inwards(body, count) for name, body in zip(names, bodies, strict=True)}
    for copy in range(copies):
        _write_tree(root / str(copy), pages, copy)
    _write_index(root, [f"{copy}/{name}" for copy in range(copies) for name in names])
    return Site(root, count * copies + 1, sum(map(len, pages.values())) // count, real)


def crowded(root: Path, known: int) -> Site:
    """Real pages that each name 1,000 more URLs, to make a crawler know `known` of them.

    The URLs lie under /known/, where the server answers each with the item its name ends with: a
    page of its own, or they would rightly be taken for a trap.
    """
    trees, real = _source_pages()
    bodies = sorted((body for tree in trees.values() for body in tree.values()), key=len)
    typical = bodies[len(bodies) // 8 : -len(bodies) // 8]
    words = sorted({Path(name).stem for tree in trees.values() for name in tree})
    hubs = max(1, known // LINKS_A_PAGE)
    root.mkdir(parents=True)
    for hub in range(hubs):
        links = _crowd(words, hub)
        (root / f"hub-{hub}.html").write_bytes(_with_links(typical[hub % len(typical)], links))
    (root / "items").mkdir()
    for item, body in enumerate(bodies[:ITEMS]):
        # Without their links, which lead nowhere from here.
        (root / "items" / f"{item}.html").write_bytes(body.replace(b"href=", b"title="))
    _write_index(root, [f"hub-{hub}.html" for hub in range(hubs)])
    mean = sum(path.stat().st_size for path in root.glob("hub-*.html")) // hubs
    return Site(root, hubs + 1, mean, real)


Tree = dict[str, bytes]


def _source_pages() -> tuple[dict[str, Tree], bool]:
    if not all(path.is_dir() for path in SOURCES.values()) and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-y", "-qq", *PACKAGES], check=False, timeout=300)
    if all((path / "index.html").is_file() for path in SOURCES.values()):
        return {name: _read_tree(path) for name, path in SOURCES.items()}, True
    return {"python": _generated(530, seed=1), "postgresql": _generated(1_165, seed=2)}, False


def _read_tree(source: Path) -> Tree:
    paths = sorted(path for path in source.rglob("*.html") if path.is_file())
    return {path.relative_to(source).as_posix(): path.read_bytes() for path in paths}


def _generated(count: int, seed: int) -> Tree:
    """Pages with the size and the number of links of the real ones, from a fixed seed."""
    dice = random.Random(seed)
    words = [
        "".join(dice.choices("abcdefghijklmnoprstuvw", k=dice.randint(2, 11))) for _ in range(4_000)
    ]
    names = ["index.html", *(f"{words[n % 4_000]}-{n}.html" for n in range(1, count))]
    return {name: _generated_page(dice, words, names, number) for number, name in enumerate(names)}


def _generated_page(dice: random.Random, words: list[str], names: list[str], number: int) -> bytes:
    # The next page is always linked, so that every page can be reached.
    targets = [names[(number + 1) % len(names)], *dice.choices(names, k=110)]
    blocks = (
        f"<p class='{dice.choice(words)}'>{' '.join(dice.choices(words, k=35))} "
        f"<a href='{target}#{dice.choice(words)}'>{dice.choice(words)}</a></p>\n"
        for target in targets
    )
    title = f"<!DOCTYPE html><html><head><title>{names[number]}</title></head><body>\n"
    return (title + "".join(blocks) + "</body></html>\n").encode()


def _write_tree(folder: Path, pages: Tree, copy: int) -> None:
    for name, body in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(reworded(body, copy) if copy else body)


_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_TEXT = re.compile(rb"(<(script|style)\b.*?</\2>|<[^>]*>|&[#\w]+;)", re.IGNORECASE | re.DOTALL)


def reworded(body: bytes, copy: int) -> bytes:
    """The same page in other words, each letter `copy` letters on: what says what another page says
    brings nothing, and a crawler that looks would rightly take a site full of it for a trap."""
    turned = bytes.maketrans(_LETTERS, _LETTERS[copy:] + _LETTERS[:copy])
    # Text, what is no text, and of that the element's name: by turns.
    parts = _TEXT.split(body)
    parts[::3] = [text.translate(turned) for text in parts[::3]]
    del parts[2::3]
    return b"".join(parts)


def _write_index(root: Path, targets: list[str], name: str = "index.html") -> None:
    root.mkdir(parents=True, exist_ok=True)
    items = "\n".join(f'<li><a href="{target}">{target}</a></li>' for target in targets)
    head = "<!DOCTYPE html><html><head><title>Index</title></head>"
    page = f"{head}<body><ul>{items}</ul></body></html>"
    (root / name).write_text(page, encoding="utf-8")


def _reachable(trees: dict[str, Tree]) -> set[str]:
    """The pages a crawl from both front pages finds, told without any crawler's parser."""
    pages = {
        f"/{tree}/{name}": body for tree, found in trees.items() for name, body in found.items()
    }
    todo = [f"/{tree}/index.html" for tree in trees]
    seen = set(todo)
    while todo:
        here = todo.pop()
        for path in _links(pages[here], here):
            if path in pages and path not in seen:
                seen.add(path)
                todo.append(path)
    return seen


_HREF = re.compile(rb"""<a\b[^>]*?\shref=(["'])(.*?)\1""", re.IGNORECASE | re.DOTALL)


def _links(body: bytes, here: str) -> set[str]:
    hrefs = {
        match[2].decode("utf-8", "replace").partition("#")[0] for match in _HREF.finditer(body)
    }
    folder = os.path.dirname(here)
    return {
        os.path.normpath(os.path.join(folder, href)) for href in hrefs if href and ":" not in href
    }


_BODY = re.compile(rb"<body[^>]*>(.*)</body>", re.IGNORECASE | re.DOTALL)


def _packed(bodies: list[bytes]) -> Iterator[bytes]:
    """The pages in order, several in one, so that their mean size is as wanted."""
    inner = [match[1] if (match := _BODY.search(body)) else body for body in bodies]
    pages = max(1, round(sum(map(len, inner)) / HEAVY_BYTES))
    per_page = len(inner) / pages
    for page in range(pages):
        part = inner[round(page * per_page) : round((page + 1) * per_page)]
        head = b"<!DOCTYPE html><html><head><title>Page %d</title></head><body>\n" % page
        yield head + b"\n".join(part) + b"\n</body></html>\n"


def _turned_inwards(body: bytes, count: int) -> bytes:
    """Every link to another page of the sources now names one of ours, the same one each time."""

    def turned(match: re.Match[bytes]) -> bytes:
        path, mark, fragment = match[2].partition(b"#")
        if not path or b":" in path:
            return match[0]
        name = b"page-%d.html" % (sum(path) * 31 % count)
        return match[0][: match.start(2) - match.start()] + name + mark + fragment + match[1]

    return _HREF.sub(turned, body)


def _crowd(words: list[str], hub: int) -> list[str]:
    """1,000 URLs nobody else names, spread over sections as the paths of a large site are."""
    dice = random.Random(hub)
    sections = dice.choices(words, k=20)
    return [
        f"/known/{sections[n % 20]}/{dice.choice(words)}-{number}-{number % ITEMS}.html"
        for n, number in enumerate(range(hub * LINKS_A_PAGE, (hub + 1) * LINKS_A_PAGE))
    ]


def _with_links(body: bytes, links: list[str]) -> bytes:
    """The links come first, so that a limit on links a page cuts the page's own instead."""
    items = "\n".join(f'<a href="{link}">{link.rsplit("/", 1)[1]}</a>' for link in links)
    at = body.lower().find(b"<body")
    at = body.find(b">", at) + 1
    return body[:at] + f"<div>{items}</div>".encode() + body[at:]
