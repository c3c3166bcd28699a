"""Turn saved pages of other projects' tests, with what their authors say of them, into folders
for `bench.truth`.

    python -m bench.strangers OUT MODULE...

A module is an unpacked one of these, which `go mod download` fetches: go-htmldate and
go-trafilatura of github.com/markusmobius (days; titles, authors and snippets), go-readability of
codeberg.org/readeck or github.com/go-shiori (main text, titles). Each set becomes two folders, by a
hash of the files' names: `SET-A` to look at, `SET-B` to be scored and never looked at. A page that
is in two sets is in the same half of both. The pages are their owners': they are linked to, not
copied, and nothing of them belongs into this repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.truth import Truth
from tenax.page.html import parse
from tenax.page.text import visible_text
from tenax.urls.normalise import resolve

_TEXT = r'"(?:[^"\\]|\\.)*"|`[^`]*`'
_ENTRY = re.compile(rf"(?:\n\t|, )(?:(?P<url>{_TEXT}):\s*)?\{{(?P<body>.*?)\n\t\}}", re.DOTALL)
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)")
_SETS = {"data": "trafilatura", "data-default": "htmldate", "data-mediacloud": "mediacloud"}
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}
_BLOCK = re.compile(r"(?=</?(?:p|div|li|h[1-6]|td|tr|br|section|blockquote|pre|figure)\b)")


class Stranger(NamedTuple):
    name: str
    page: Path
    truth: Truth


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.strangers", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("modules", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    lines: dict[str, list[bytes]] = {}
    for module in options.modules:
        for name, page, truth in strangers_in(module):
            half = "AB"[hashlib.sha256(Path(truth.file).name.encode()).digest()[0] & 1]
            link = options.out / f"{name}-{half}" / truth.file
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.exists():
                link.symlink_to(page.resolve())
                lines.setdefault(f"{name}-{half}", []).append(msgspec.json.encode(truth))
    for name, told in sorted(lines.items()):
        (options.out / name / "truth.jsonl").write_bytes(b"\n".join(told) + b"\n")
        print(f"{name}: {len(told)} pages")
    return 0


def strangers_in(module: Path) -> Iterator[Stranger]:
    for file, name in _SETS.items():
        source = module / "scripts/comparison" / f"{file}.go"
        if not source.exists():
            continue
        for entry in _ENTRY.finditer(source.read_text()):
            yield from _listed(module, name, entry)
    for page in sorted(module.glob("test-pages/*/source.html")):
        yield _expected(page)


def _listed(module: Path, name: str, entry: re.Match[str]) -> Iterator[Stranger]:
    said = entry["body"]
    file, url = _field(said, "File"), _plain(entry["url"] or "") or _field(said, "URL")
    page = next((module / "test-files").glob(f"*/{_literal(file)}"), None)
    # One of them is written as "xhttps://".
    address = resolve(url[max(0, url.find("http")) :])
    if page is None or address is None:
        return
    day = _field(said, "Date")
    yield Stranger(name, page, Truth(
        f"pages/{file}", address, "article", title=_field(said, "Title"),
        author="; ".join(_fields(said, "Authors")), published="" if day == "nan" else day,
        must=_fields(said, "With"), must_not=_fields(said, "Without"),
    ))  # fmt: skip


def _expected(page: Path) -> Stranger:
    told = json.loads((page.parent / "expected-metadata.json").read_text())
    # Without spaces between its blocks, the words at their ends would be one.
    text = _BLOCK.sub(" ", (page.parent / "expected.html").read_text(errors="replace"))
    name = page.parent.name
    return Stranger("readability", page, Truth(
        f"pages/{name}", f"http://a.example/{name}/page.html", "article",
        title=told.get("title", ""), author=told.get("byline") or "",
        published=told.get("publishedTime") or told.get("published_time") or "",
        main_text=visible_text(parse(text.encode(), "utf-8")),
    ))  # fmt: skip


def _field(said: str, name: str) -> str:
    found = re.search(rf"\b{name}:\s*({_TEXT})", said)
    return _plain(found[1]) if found else ""


def _fields(said: str, name: str) -> list[str]:
    found = re.search(rf"\b{name}:\s*\[\]string\{{((?:\s*(?:{_TEXT})\s*,?)*)\s*\}}", said)
    return [_plain(each) for each in re.findall(_TEXT, found[1])] if found else []


def _plain(written: str) -> str:
    """What a literal of Go says."""
    if written.startswith("`"):
        return written[1:-1]
    return _ESCAPED.sub(
        lambda found: chr(int(found[1][1:], 16)) if len(found[1]) > 1
        else _SIGNS.get(found[1], found[1]),
        written[1:-1],
    )  # fmt: skip


def _literal(name: str) -> str:
    """A file's name in a pattern that matches nothing else."""
    return re.sub(r"([*?\[])", r"[\1]", name)


if __name__ == "__main__":
    raise SystemExit(main())
