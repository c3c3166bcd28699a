"""How many real pages are judged to be none, and what does judging cost?

`python -m bench.validation FOLDER...` reads every HTML file below the folders as an answer of a
server would be read, and prints each verdict with its evidence: on pages known to be good every
one of them is a false alarm, unless a look at the file says otherwise.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tenax.model import Headers, Page, Response
from tenax.page.read import read
from tenax.page.verdict.pattern_table import load
from tenax.page.verdict.validate import PageVerdict, validate
from tenax.page.verdict.wall_patterns import Signatures

SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
ORDINARY = range(20_000, 60_000)
"""Bytes of pages like those the speed of the crawl is measured with."""
_HEADERS = Headers((
    ("Date", "Thu, 01 Jan 2026 00:00:00 GMT"),
    ("Server", "nginx"),
    ("Content-Type", "text/html"),
    ("Content-Length", "39000"),
    ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
    ("Connection", "keep-alive"),
    ("ETag", '"6955b900-9858"'),
    ("Cache-Control", "max-age=3600"),
))  # fmt: skip


@dataclass(slots=True)
class Judged:
    pages: int = 0
    bytes: int = 0
    verdicts: list[tuple[Path, PageVerdict]] = field(default_factory=list)
    timed: list[tuple[Response, Page]] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.validation", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--signatures", type=Path, help="a table of your own")
    parser.add_argument("--timed", type=int, default=3_000, help="pages kept for the timing")
    parser.add_argument("--passes", type=int, default=7)
    parser.add_argument("--every", type=int, default=1, help="judge only every so manyth file")
    options = parser.parse_args(arguments)
    signatures = load(options.signatures)
    files = [path for folder in options.folders for path in html_files(folder)][:: options.every]
    judged = judge_all(files, signatures, max(1, len(files) // max(1, options.timed)))
    for path, verdict in judged.verdicts:
        print(f"{verdict.kind}\t{verdict.signature}\t{path}\t{verdict.evidence}")
    print(told(judged))
    ordinary = [(r, p) for r, p in judged.timed if len(p.body or b"") in ORDINARY]
    for name, pages in (("all", judged.timed), ("20 to 60 kB", ordinary)):
        if pages:
            print(f"{name}: {timed(pages, signatures, options.passes)}")
    return 1 if judged.verdicts else 0


def html_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file() and not path.is_symlink():
            yield path


def judge_all(files: Sequence[Path], signatures: Signatures, step: int) -> Judged:
    """Verdicts over all files; every `step`th page is kept, so that it can be timed."""
    judged = Judged()
    for number, path in enumerate(files):
        response = Response(f"https://bench.example/{number}", 200, _HEADERS, path.read_bytes())
        page = read(response, fetched_at=0.0)
        verdict = validate(response, page, signatures)
        judged.pages += 1
        judged.bytes += len(page.body or b"")
        if verdict is not None:
            judged.verdicts.append((path, verdict))
        if number % step == 0:
            judged.timed.append((response, page))
    return judged


def told(judged: Judged) -> str:
    kinds = Counter(verdict.kind.value for _, verdict in judged.verdicts)
    found = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "none"
    size = judged.bytes / max(1, judged.pages) / 1000
    return f"{judged.pages} pages of {size:.1f} kB on average; verdicts: {found}"


def timed(pages: Sequence[tuple[Response, Page]], signatures: Signatures, passes: int) -> str:
    """The mean over the pages of one pass, and the median of that over the passes."""
    means = []
    for _ in range(passes):
        started = time.process_time()
        for response, page in pages:
            validate(response, page, signatures)
        means.append((time.process_time() - started) / len(pages) * 1e6)
    each = sorted(_microseconds(response, page, signatures) for response, page in pages)
    reading = _reading(pages)
    return (
        f"{len(pages)} pages timed {passes} times: {statistics.median(means):.1f} us a page "
        f"(passes from {min(means):.1f} to {max(means):.1f}), where reading one takes "
        f"{reading:.0f} us; half of them under {each[len(each) // 2]:.1f} us, "
        f"the slowest {each[-1]:.0f} us"
    )


def _reading(pages: Sequence[tuple[Response, Page]]) -> float:
    """What there is to compare with, measured in the same minute on the same machine."""
    started = time.process_time()
    for response, _ in pages:
        read(response, fetched_at=0.0)
    return (time.process_time() - started) / len(pages) * 1e6


def _microseconds(response: Response, page: Page, signatures: Signatures) -> float:
    started = time.process_time()
    validate(response, page, signatures)
    return (time.process_time() - started) * 1e6


if __name__ == "__main__":
    raise SystemExit(main())
