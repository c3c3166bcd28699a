"""What does the SimHash of a page cost, what does it find, and what would others find?

`python -m bench.similar FOLDER...` reads every HTML file below the folders as a crawl would. It
prints what hashing takes of the time of reading, next to the textbook way (shingles of three
words, hashed with BLAKE2); how often a page with a few changed words is still a near-duplicate;
and all pairs of files that are, which somebody should look at.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from bench.validation import html_files
from tenax.model import Headers, Response
from tenax.page.html import parse
from tenax.page.read import read
from tenax.page.similar import MOST_DISTANCE, distance, simhash
from tenax.page.text import bare, main_region, written

T = TypeVar("T")
_HEADERS = Headers((("Content-Type", "text/html; charset=utf-8"),))
_CHANGED = (1, 2, 4, 16)
_MOST_SHOWN = 50


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.similar", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="read only every so manyth file")
    parser.add_argument("--passes", type=int, default=5)
    options = parser.parse_args(arguments)
    files = [path for folder in options.folders for path in html_files(folder)][:: options.every]
    texts = [main_region(parse(path.read_bytes(), "utf-8"))[1] for path in files]
    print(
        f"{len(files)} files, {sum(map(len, texts)) // len(texts):,} characters of main text each"
    )
    _tell_cost(files, texts, options.passes)
    _tell_recall(texts)
    _tell_pairs(files, [simhash(bare(written(text))) for text in texts])
    return 0


def _tell_cost(files: Sequence[Path], texts: Sequence[str], passes: int) -> None:
    responses = [Response("https://bench.example/", 200, _HEADERS, f.read_bytes()) for f in files]
    reading = _milliseconds(lambda r: read(r, fetched_at=0.0), responses, passes)
    ours = _milliseconds(simhash, [bare(written(text)) for text in texts], passes)
    textbook = _milliseconds(shingled, texts, 1)
    print(f"reading a page: {reading:.3f} ms, hashing included")
    print(f"SimHash: {ours:.3f} ms, {ours / reading:.1%} of it")
    print(f"shingles of three words: {textbook:.3f} ms, {textbook / reading:.1%}")


def _milliseconds(work: Callable[[T], object], items: Iterable[T], passes: int) -> float:
    """Of the mean item; each in its best pass, since others use the machine too."""
    best = []
    for item in items:
        spent = []
        for _ in range(passes):
            start = time.perf_counter()
            work(item)
            spent.append(time.perf_counter() - start)
        best.append(min(spent))
    return sum(best) / len(best) * 1e3


def _tell_recall(texts: Sequence[str]) -> None:
    """Change some words of each page for words of another."""
    dice = random.Random(1)
    split = [re.findall(r"\s*\S+", text) for text in texts]
    vocabulary = [word for words in split[::20] for word in words]
    print("near-duplicate still, with so many words changed: ours, shingles")
    for least, most in ((100, 300), (300, 1_000), (1_000, 10_000)):
        sized = [words for words in split if least <= len(words) < most][:100]
        for count in _CHANGED if sized else ():
            pairs = [("".join(words), "".join(_changed(words, count, dice, vocabulary)))
                     for words in sized]  # fmt: skip
            shares = [
                sum(_is_near(hashed(a), hashed(b)) for a, b in pairs) / len(pairs)
                for hashed in (lambda text: simhash(bare(written(text))), shingled)
            ]
            print(f"  {least:>5} to {most:>6,} words, {count:>2} changed:"
                  f" {shares[0]:.0%}, {shares[1]:.0%}")  # fmt: skip


def _changed(
    words: Sequence[str], count: int, dice: random.Random, vocabulary: Sequence[str]
) -> list[str]:
    changed = list(words)
    for place in dice.sample(range(len(words)), count):
        changed[place] = dice.choice(vocabulary)
    return changed


def _tell_pairs(files: Sequence[Path], hashes: Sequence[int | None]) -> None:
    known = [(path, hashed) for path, hashed in zip(files, hashes, strict=True) if hashed]
    pairs = [
        (distance(one, other), path, like)
        for number, (path, one) in enumerate(known)
        for like, other in known[:number]
        if distance(one, other) <= MOST_DISTANCE
    ]
    print(f"{len(pairs)} pairs of {len(known)} pages are near-duplicates")
    for bits, path, like in sorted(pairs)[:_MOST_SHOWN]:
        print(f"  {bits} bits: {path} and {like}")


def _is_near(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and distance(one, other) <= MOST_DISTANCE


def shingled(text: str) -> int:
    """The textbook's SimHash: every three words in a row, figures as one."""
    words = re.sub(r"\d+", "0", text.lower()).split()
    counts = [0] * 64
    for shingle in {" ".join(words[place : place + 3]) for place in range(len(words) - 2)}:
        bits = int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=8).digest(), "little")
        for place in range(64):
            counts[place] += 1 if bits >> place & 1 else -1
    return sum(1 << place for place in range(64) if counts[place] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
