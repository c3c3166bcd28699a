"""Tell which links of a site lead nowhere, and on which pages they stand.

    python broken_links.py https://www.example.org/

Ends with 1 when there are any, so that a build may fail.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence

import tenax

JOB = "links"


async def links(url: str, data: str) -> dict[str, set[str]]:
    """Every URL that is linked to, with the pages that do."""
    found: dict[str, set[str]] = defaultdict(set)
    async with tenax.open(data) as crawl:
        async for page in crawl.run(url, job=JOB, again=True):
            for link in page.links:
                found[link.url].add(page.url)
    return found


def gone(data: str) -> list[str]:
    """What answered 404 or 410. Pages that are only in trouble are not broken."""
    flags = ["--job", JOB, "--state", "gone", "--limit", "1000000", "--json", "--data", data]
    command = [sys.executable, "-m", "tenax.cli", "frontier", "list", *flags]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line)["url"] for line in listed.splitlines()]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--data", default="./link-data")
    asked = parser.parse_args(arguments)
    linked = asyncio.run(links(asked.url, asked.data))
    broken = [url for url in gone(asked.data) if url in linked]
    for url in broken:
        print(url, *(f"  on {page}" for page in sorted(linked[url])), sep="\n")
    print(f"{len(broken)} broken links.")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
