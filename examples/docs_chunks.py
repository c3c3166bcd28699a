"""Divide a manual into pieces of Markdown for search by meaning.

python docs_chunks.py https://docs.example.org/ chunks.jsonl --size 1500
"""

import argparse
import asyncio
from collections.abc import Sequence

import tenax


async def divide(url: str, file: str, size: int, data: str, most: int | None) -> int:
    async with tenax.open(data) as crawl:
        async for _ in crawl.run(url, job="docs", max_pages=most):
            pass
        return await crawl.export(file, job="docs", chunks=size, links="none")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("file")
    parser.add_argument("--size", type=int, default=1_500, help="characters of a piece, at most")
    parser.add_argument("--data", default="./docs-data")
    parser.add_argument("--max-pages", type=int)
    asked = parser.parse_args(arguments)
    count = asyncio.run(divide(asked.url, asked.file, asked.size, asked.data, asked.max_pages))
    print(f"{count} pieces in {asked.file}.")


if __name__ == "__main__":
    main()
