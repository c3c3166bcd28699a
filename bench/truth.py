"""How true is what is read from real pages? Beside trafilatura and extruct, in one run.

    python -m bench.truth FOLDER [--worst 10] [--type article] [--records OUT.jsonl] [--no-peers]

The folder holds `truth.jsonl`, an object a line: `file` (below the folder), `url`, `type`, `title`,
`published`, `main_text`, `must` and `must_not` (snippets that belong to the text and that do not);
where nobody wrote down the text, only the snippets are counted. `bench.strangers` makes such
folders of pages that other projects test with.
Prints by page type: F1 of words (each as often as it stands there) and of groups of four words,
the shares of snippets that are there and of those that wrongly are; then titles, dates and
products. `--records` keeps everything that was read, a line a page, so that two versions of the
code can be compared field by field:

    python -m bench.truth FOLDER --compare BEFORE.jsonl AFTER.jsonl
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.crawlers import PythonPeer
from bench.report import Table
from bench.text import score
from tenax.model import Headers, Response
from tenax.page.charset import decide_charset
from tenax.page.read import read
from tenax.page.reading import main_content
from tenax.page.reading.document import Document
from tenax.page.reading.main_content import Markup

EXTRACTORS = ("trafilatura==2.3.1", "extruct==0.18.0")
FETCHED_AT = 1_800_000_000.0
_WORD = re.compile(r"\w+")
_MIXED = "all but articles"


class Truth(Struct, frozen=True):
    """What somebody says of a page."""

    file: str
    url: str
    type: str
    title: str | None = ""
    author: str | None = ""
    published: str | None = ""
    main_text: str | None = ""
    must: list[str] | None = None
    must_not: list[str] | None = None


class Reading(Struct):
    """What somebody read on a page."""

    text: str = ""
    title: str = ""
    headline: str = ""
    """The title without the site's name; that, where somebody knows no other."""
    published: str = ""
    product: bool = False
    text_seconds: float = 0.0
    product_seconds: float = 0.0


class Ours(Struct):
    """All that is ours of a page, to compare with another version's."""

    file: str
    page: dict[str, object]
    text: str


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.truth", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--type", help="only pages of this type")
    parser.add_argument("--worst", type=int, default=0, help="name so many of the worst pages")
    parser.add_argument("--records", type=Path, help="keep here what was read")
    parser.add_argument("--no-peers", action="store_true", help="only ours")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("BEFORE", "AFTER"))
    options = parser.parse_args(arguments)
    if options.compare:
        return print_differences(*options.compare)
    truths = [each for each in truths_in(options.folder) if options.type in (None, each.type)]
    if not truths:
        parser.error(f"{options.folder}: no truth.jsonl with such pages")
    records, found = read_ours(options.folder, truths)
    readers = {"tenax": found}
    if not options.no_peers:
        readers |= read_by_others(options.folder, truths)
    for table in tables(truths, readers):
        print(table.markdown())
    name_worst(truths, found, options.worst)
    if options.records:
        lines = [msgspec.json.encode(each) for each in records]
        options.records.write_bytes(b"\n".join(lines) + b"\n")
    return 0


def truths_in(folder: Path) -> list[Truth]:
    lines = (folder / "truth.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Truth) for line in lines]


def read_ours(folder: Path, truths: Iterable[Truth]) -> tuple[list[Ours], list[Reading]]:
    records, found = [], []
    for truth in truths:
        body = (folder / truth.file).read_bytes()
        response = Response(truth.url, 200, Headers((("Content-Type", "text/html"),)), body)
        page = read(response, fetched_at=FETCHED_AT, products=True)
        started = time.process_time()
        text = main_content.main_text(Markup(body, decide_charset(body, "text/html").name))
        seconds = time.process_time() - started
        kept = msgspec.to_builtins(page, builtin_types=(bytes,), order="deterministic")
        del kept["body"]
        records.append(Ours(truth.file, _printable(kept), text))
        headline = Document(body, truth.url, "text/html").headline
        product = page.product is not None
        found.append(Reading(text, page.title, headline, page.published, product, seconds))
    return records, found


def _printable(kept: dict[str, object]) -> dict[str, object]:
    return {
        name: value.hex() if isinstance(value, bytes)
        else sorted(value) if isinstance(value, set | frozenset) else value
        for name, value in kept.items()
    }  # fmt: skip


def read_by_others(folder: Path, truths: Sequence[Truth]) -> dict[str, list[Reading]]:
    found: dict[str, list[Reading]] = {}
    peer = PythonPeer("trafilatura, extruct", "extractors.py", EXTRACTORS)
    if problem := peer.prepare():
        print(f"Without trafilatura and extruct: {problem}\n", file=sys.stderr)
        return found
    script = Path(__file__).with_name("peers") / "extractors.py"
    asked = "".join(f"{folder / each.file}\t{each.url}\n" for each in truths)
    done = subprocess.run(
        [peer.python, str(script)], input=asked, capture_output=True, text=True, check=False,
        env=peer.env(),
    )  # fmt: skip
    lines = done.stdout.splitlines()
    if len(lines) != len(truths):
        print(f"Without trafilatura and extruct: {done.stderr[-500:]}\n", file=sys.stderr)
        return found
    found["trafilatura, extruct"] = [msgspec.json.decode(line, type=Reading) for line in lines]
    return found


def tables(truths: Sequence[Truth], readers: dict[str, list[Reading]]) -> Iterator[Table]:
    types = sorted({truth.type for truth in truths})
    groups = {"all": set(types), **{each: {each} for each in types}}
    if len(types) > 1:
        groups[_MIXED] = set(types) - {"article"}
    columns = [
        "pages",
        "reader",
        "F1, words",
        "F1, fours",
        "precision",
        "recall",
        "must",
        "must not",
        "ms",
    ]
    rows = []
    for name, group in groups.items():
        for reader, found in readers.items():
            pairs = [
                (t, r)
                for t, r in zip(truths, found, strict=True)
                if t.type in group and (t.main_text or t.must)
            ]
            if pairs:
                rows.append([f"{name} ({len(pairs)})", reader, *_texts(pairs)])
    yield Table("TEXT", "main text of real pages", columns, rows, ["Means over pages."])
    yield _fields(truths, readers)
    yield _products(truths, readers)


def _texts(pairs: Sequence[tuple[Truth, Reading]]) -> list[str]:
    whole = [(truth.main_text, said.text) for truth, said in pairs if truth.main_text]
    words = [_words_score(*each) for each in whole]
    fours = statistics.fmean([score(*each).f1 for each in whole] or [0])
    means = [statistics.fmean([each[at] for each in words] or [0]) for at in range(3)]
    must = [_share(truth.must, said.text) for truth, said in pairs if truth.must]
    must_not = [_share(truth.must_not, said.text) for truth, said in pairs if truth.must_not]
    taken = statistics.fmean(said.text_seconds for _, said in pairs) * 1_000
    return [
        f"{means[2]:.3f}", f"{fours:.3f}", f"{means[0]:.3f}", f"{means[1]:.3f}",
        f"{statistics.fmean(must or [0]):.3f}", f"{statistics.fmean(must_not or [0]):.3f}",
        f"{taken:.1f}",
    ]  # fmt: skip


def _words_score(truth: str, said: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of words, each as often as it stands there."""
    there, here = (Counter(_WORD.findall(each.lower())) for each in (truth, said))
    both = (there & here).total()
    precision, recall = both / max(1, here.total()), both / max(1, there.total())
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0


def _share(snippets: list[str] | None, text: str) -> float:
    plain = _plain(text)
    there = [_plain(snippet) in plain for snippet in snippets or ()]
    return sum(there) / max(1, len(there))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _fields(truths: Sequence[Truth], readers: dict[str, list[Reading]]) -> Table:
    rows = []
    for reader, found in readers.items():
        titles = [
            _plain(t.title or "") == _plain(r.title) or _begins(r.title, t.title or "")
            for t, r in zip(truths, found, strict=True) if t.title
        ]  # fmt: skip
        same = [
            _plain(t.title or "") == _plain(r.title)
            for t, r in zip(truths, found, strict=True)
            if t.title
        ]
        headlines = [
            _plain(t.title or "") == _plain(r.headline or r.title)
            for t, r in zip(truths, found, strict=True)
            if t.title
        ]
        shares = [f"{statistics.fmean(each or [0]):.3f}" for each in (same, titles, headlines)]
        rows.append([reader, *shares, *_dates(truths, found)])
    columns = [
        "reader",
        "title the same",
        "or begins with it",
        "headline the same",
        "date F1",
        "precision",
        "recall",
        "wrong",
    ]
    notes = ["A date counts by its day; one that nobody says is there counts as neither."]
    return Table("FIELDS", "titles and dates", columns, rows, notes)


def _begins(said: str, truth: str) -> bool:
    return bool(_plain(truth)) and _plain(said).startswith(_plain(truth))


def _dates(truths: Sequence[Truth], found: Sequence[Reading]) -> list[str]:
    known = [
        (t.published[:10], r.published[:10])
        for t, r in zip(truths, found, strict=True)
        if t.published
    ]
    right = sum(1 for truth, said in known if truth == said)
    said = sum(1 for _, each in known if each)
    precision, recall = right / max(1, said), right / max(1, len(known))
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return [f"{f1:.3f}", f"{precision:.3f}", f"{recall:.3f}", str(said - right)]


def _products(truths: Sequence[Truth], readers: dict[str, list[Reading]]) -> Table:
    types = sorted({truth.type for truth in truths}, key=lambda each: (each != "product", each))
    rows = []
    for reader, found in readers.items():
        counts = Counter(t.type for t, r in zip(truths, found, strict=True) if r.product)
        rows.append([reader, *(str(counts[each]) for each in types)])
    columns = ["reader", *(f"{each} ({sum(t.type == each for t in truths)})" for each in types)]
    return Table("PRODUCTS", "pages called a product's, by what they are", columns, rows, [])


def name_worst(truths: Sequence[Truth], found: Sequence[Reading], most: int) -> None:
    def f1(pair: tuple[Truth, Reading]) -> float:
        return _words_score(pair[0].main_text or "", pair[1].text)[2]

    pairs = [pair for pair in zip(truths, found, strict=True) if pair[0].main_text]
    for truth, said in sorted(pairs, key=f1)[:most]:
        precision, recall, both = _words_score(truth.main_text or "", said.text)
        print(
            f"{both:.2f} (p {precision:.2f}, r {recall:.2f}) {truth.type} {truth.file} {truth.url}"
        )


def print_differences(before: Path, after: Path) -> int:
    """Field by field; exits with 1 when anything was found before and is missing after."""
    old, new = _by_file(before), _by_file(after)
    changed: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for file, one in old.items():
        other = new[file]
        for field, then, now in _pairs(one, other):
            if then != now:
                changed[field] += 1
                missing[field] += bool(then) and not now
                print(f"{file} {field}: {_short(then)} -> {_short(now)}")
    for field, count in changed.most_common():
        print(f"{field}: {count} changed, {missing[field]} missing")
    return 1 if any(missing.values()) else 0


def _by_file(path: Path) -> dict[str, Ours]:
    read_lines = [msgspec.json.decode(line, type=Ours) for line in path.read_bytes().splitlines()]
    return {each.file: each for each in read_lines}


def _pairs(one: Ours, other: Ours) -> Iterator[tuple[str, object, object]]:
    yield "text", one.text, other.text
    for name in one.page.keys() | other.page.keys():
        then, now = one.page.get(name), other.page.get(name)
        if name == "product" and isinstance(then, dict) and isinstance(now, dict):
            for inner in then.keys() | now.keys():
                yield f"product.{inner}", then.get(inner), now.get(inner)
        else:
            yield name, then, now


def _short(value: object) -> str:
    told = json.dumps(value, ensure_ascii=False)
    return told if len(told) <= 100 else told[:97] + "..."


if __name__ == "__main__":
    raise SystemExit(main())
