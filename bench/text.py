"""How well and how fast is the main text of pages found?

`python -m bench.text FOLDER` reads a folder with a truth: `ground-truth.json`, an object of
`{name: {"articleBody": text}}`, beside `html/NAME.html` or `html/NAME.html.gz`; or pairs of
`NAME.html` and `NAME.txt`. It prints precision, recall and F1 over groups of four words (the means
of all pages), and milliseconds a page with parsing, for what users read, for the text that is
hashed, and for the parser's own main text. Speeds are medians of rounds in which all take turns:
on a busy machine only their ratio means something.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import turbohtml

from tenax.page import text
from tenax.page.charset import decide_charset
from tenax.page.reading import main_content
from tenax.page.reading.main_content import Markup

Extractor = Callable[[Markup], str]
_WORD = re.compile(r"\w+")
_TOGETHER = 4


@dataclass(frozen=True, slots=True)
class Sample:
    """A page and what somebody says is its text."""

    name: str
    markup: Markup
    truth: str


@dataclass(frozen=True, slots=True)
class Score:
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.text", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--worst", type=int, default=0, help="name so many of the worst pages")
    options = parser.parse_args(arguments)
    samples = list(samples_in(options.folder))
    if not samples:
        parser.error(f"{options.folder}: no pages with a truth")
    extractors = _extractors()
    times: dict[str, list[float]] = {name: [] for name in extractors}
    found: dict[str, list[str]] = {}
    for _ in range(options.rounds):
        for name, extract in extractors.items():
            started = time.process_time()
            found[name] = [extract(sample.markup) for sample in samples]
            times[name].append((time.process_time() - started) / len(samples) * 1_000)
    size = sum(len(sample.markup.body) for sample in samples) // len(samples)
    print(f"{len(samples)} pages of {size:,} bytes on average\n")
    print("| text | F1 | precision | recall | ms a page |\n|---|---|---|---|---|")
    for name, texts in found.items():
        scores = [score(sample.truth, each) for sample, each in zip(samples, texts, strict=True)]
        mean = _mean(scores)
        taken = statistics.median(times[name])
        print(
            f"| {name} | {mean.f1:.3f} | {mean.precision:.3f} | {mean.recall:.3f} | {taken:.2f} |"
        )
        ranked = sorted(zip(scores, samples, strict=True), key=lambda pair: pair[0].f1)
        for each, sample in ranked[: options.worst]:
            print(f"    {each.f1:.2f} {sample.name}")
    return 0


def _extractors() -> dict[str, Extractor]:
    return {
        "main text": main_content.main_text,
        "hashed text": lambda markup: text.main_text(markup.tree()),
        "turbohtml's": _of_the_parser,
    }


def _of_the_parser(markup: Markup) -> str:
    return turbohtml.parse(markup.body, encoding=markup.charset, positions=False).main_text()


def samples_in(folder: Path) -> Iterator[Sample]:
    truths = folder / "ground-truth.json"
    if not truths.exists():
        for path in sorted(folder.rglob("*.html")):
            truth = path.with_suffix(".txt")
            if truth.exists():
                yield _sample(path.stem, path.read_bytes(), truth.read_text("utf-8"))
        return
    for name, said in sorted(json.loads(truths.read_bytes()).items()):
        plain, packed = (folder / "html" / f"{name}.html{end}" for end in ("", ".gz"))
        body = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
        yield _sample(name, body, said.get("articleBody") or "")


def _sample(name: str, body: bytes, truth: str) -> Sample:
    return Sample(name, Markup(body, decide_charset(body, "").name), truth)


def score(truth: str, found: str) -> Score:
    """Of groups of words, each as often as it stands there. Two empty texts agree."""
    there, here = _groups(truth), _groups(found)
    both = (there & here).total()
    if not there and not here:
        return Score(1.0, 1.0)
    return Score(both / max(1, here.total()), both / max(1, there.total()))


def _groups(said: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(said)
    if len(words) < _TOGETHER:
        return Counter([tuple(words)] if words else [])
    return Counter(zip(*(words[start:] for start in range(_TOGETHER)), strict=False))


def _mean(scores: Sequence[Score]) -> Score:
    return Score(
        statistics.fmean(each.precision for each in scores),
        statistics.fmean(each.recall for each in scores),
    )


if __name__ == "__main__":
    raise SystemExit(main())
