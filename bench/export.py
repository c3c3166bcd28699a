"""What does an export of very many pages cost? Memory must not grow with their number.

    python -m bench.export                     # 10,000 and 100,000 pages, WARC and Parquet
    python -m bench.export --pages 1000,5000

A ledger is filled with pages that nobody fetched, each with a body of its own, every tenth with one
that came before; then `tenax export` runs as a process of its own, and its largest resident size is
the kernel's word.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path

from bench.report import Table, megabytes, number
from tenax.adapters.sql.records.imports import SqlImports
from tenax.compose.crawler import Crawler, open_crawler
from tenax.model import Candidate, Job, JobSpec, JobState, Page, Rejected, ScopeKind
from tenax.ports.imports import Imported
from tenax.settings import Settings

FORMS = ("warc", "parquet", "jsonl")
_BATCH = 500
_PARAGRAPHS = tuple(
    " ".join(sha256(f"{n} {m}".encode()).hexdigest()[: 3 + m % 9] for m in range(50))
    for n in range(2_000)
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.export", description=__doc__)
    parser.add_argument("--pages", default="10000,100000")
    options = parser.parse_args(arguments)
    print(measure([int(count) for count in options.pages.split(",")]).markdown())
    return 0


def measure(counts: Sequence[int]) -> Table:
    rows = []
    with tempfile.TemporaryDirectory(prefix="tenax-bench-") as folder:
        data = Path(folder) / "data"
        made = 0
        for count in sorted(counts):
            asyncio.run(fill(data, made, count))
            made = count
            for form in FORMS:
                rows.append([form, number(count), *export(data, form, Path(folder) / form)])
    columns = ["format", "pages", "pages/s", "largest process, MB", "file, MB"]
    notes = ["Memory that does not grow with the pages is constant."]
    return Table("EXPORT", "exports of very many pages", columns, rows, notes)


def export(data: Path, form: str, output: Path) -> list[str]:
    """Rate, memory and size of one export."""
    command = [
        sys.executable, "-m", "tenax.cli", "export", "--data", str(data), "--format", form,
        "-o", str(output),
    ]  # fmt: skip
    started = time.monotonic()
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    seconds = time.monotonic() - started
    if process.returncode:
        return [told.decode()[-200:], "", ""]
    pages = int(told.decode().rpartition("Exported ")[2].split(" ")[0].replace(",", ""))
    size = output.stat().st_size
    return [number(pages / seconds), megabytes(usage.ru_maxrss * 1024), megabytes(size)]


async def fill(data: Path, first: int, last: int) -> None:
    """Have pages up to the last one in the ledger."""
    async with open_crawler(Settings(data=str(data))) as app:
        spec = JobSpec(scope=ScopeKind.ANY)
        job = await app.parts.jobs.save("bench", spec, JobState.DONE)
        pages = _pages(app, job, first, last)
        while batch := list(islice(pages, _BATCH)):
            await app.ledger.content.put(
                [(i.page.digest, i.page.body) for i in batch if i.page.body]
            )
            await _imports(app).take(job.id, batch)


def _imports(app: Crawler) -> SqlImports:
    return SqlImports(app.ledger.database, app.ledger.settings.similar)


def _pages(app: Crawler, job: Job, first: int, last: int) -> Iterator[Imported]:
    admission = app.ledger.admission(job)
    for page_number in range(first, last):
        url = f"https://host-{page_number % 50}.example/page/{page_number}"
        target = admission.door.decide(Candidate(url, depth=1))
        assert not isinstance(target, Rejected)
        body, at = _body(page_number), 1_790_000_000.0 + page_number
        # Not read: what it says makes no difference to an export, and takes longest.
        page = Page(url, 200, "text/html", body, at, "utf-8", digest=sha256(body).digest())
        yield Imported(target, page, admission.hash_of(url))


def _body(page_number: int) -> bytes:
    """About 8 kB of words; every tenth page is the same as the one before it."""
    dice = random.Random(page_number - (page_number % 10 == 9))
    paragraphs = "</p><p>".join(dice.choices(_PARAGRAPHS, k=20))
    return f"<html><title>{dice.random()}</title><body><p>{paragraphs}</p>".encode()


if __name__ == "__main__":
    raise SystemExit(main())
