"""Does other code say the same of the same pages? Every field of every record, before and after.

    python -m bench.records FOLDER... --keep before.jsonl     # with the code as it was
    python -m bench.records FOLDER... --against before.jsonl  # with the code as it is now

Reads every HTML file below the folders as a crawl does, products and verdict included, and writes
a line a page; or compares what is written with what is said now, and tells each difference. With
`PYTHONPATH=OTHER/src` before it, it is the code of another clone that reads.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.steps import pages_in
from bench.truth import FETCHED_AT
from tenax.page.read import read
from tenax.page.verdict.pattern_table import shipped
from tenax.page.verdict.validate import validate

_SHOWN = 200


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.records", description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--keep", type=Path, help="write the records here")
    parser.add_argument("--against", type=Path, help="compare with what was written there")
    options = parser.parse_args(arguments)
    told = dict(_records(options.folders))
    if options.keep:
        lines = (json.dumps([name, fields]) for name, fields in told.items())
        options.keep.write_text("\n".join(lines) + "\n")
    differences = [*_differences(_kept(options.against), told)] if options.against else []
    print("\n".join(differences), end="\n" if differences else "")
    products = sum(fields["product"] != "None" for fields in told.values())
    print(f"{len(told):,} records, {products:,} with a product; {len(differences):,} differences")
    return 1 if differences else 0


def _records(folders: Sequence[Path]) -> Iterator[tuple[str, dict[str, str]]]:
    for folder in folders:
        for name, response in pages_in(folder):
            page = read(response, fetched_at=FETCHED_AT, products=True)
            names = (each for each in page.__struct_fields__ if each != "body")
            fields = {each: getattr(page, each) for each in names}
            fields["verdict"] = validate(response, page, shipped())
            yield f"{folder}/{name}", {each: _spelled(value) for each, value in fields.items()}


def _spelled(value: object) -> str:
    """Sets have no order, and are printed in another one by every process."""
    return repr(sorted(value)) if isinstance(value, frozenset) else repr(value)


def _kept(path: Path) -> dict[str, dict[str, str]]:
    return dict(map(json.loads, path.read_text().splitlines()))


def _differences(
    before: dict[str, dict[str, str]], now: dict[str, dict[str, str]]
) -> Iterator[str]:
    for name in sorted(before.keys() | now.keys()):
        was, fields = before.get(name, {}), now.get(name, {})
        for each in sorted(was.keys() | fields.keys()):
            if was.get(each) != fields.get(each):
                said, says = was.get(each, "nothing"), fields.get(each, "nothing")
                yield f"{name} {each}: {said[:_SHOWN]} -> {says[:_SHOWN]}"


if __name__ == "__main__":
    raise SystemExit(main())
