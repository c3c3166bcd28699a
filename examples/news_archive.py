"""Keep a news site as Parquet: one row an article, with its text.

    python news_archive.py https://news.example.org/ articles.parquet

The next run visits only what is due, and writes the archive anew with all there is.
"""

import argparse
import asyncio
from collections.abc import Sequence

import tenax

FIELDS = ["url", "headline", "published", "modified", "language", "words", "text", "fetched_at"]


async def archive(url: str, file: str, data: str, most: int | None) -> int:
    async with tenax.open(data) as crawl:
        async for _ in crawl.run(url, job="news", max_pages=most):
            pass
        return await crawl.export(file, job="news", fields=FIELDS)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument(
        "file", help="ends in .parquet, or .jsonl, .csv; s3://BUCKET/KEY will do, too"
    )
    parser.add_argument("--data", default="./news-data")
    parser.add_argument("--max-pages", type=int)
    asked = parser.parse_args(arguments)
    count = asyncio.run(archive(asked.url, asked.file, asked.data, asked.max_pages))
    print(f"{count} articles in {asked.file}.")


if __name__ == "__main__":
    main()
