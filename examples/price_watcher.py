"""Visit a shop (again), and tell what got cheaper since the last time.

    python price_watcher.py https://shop.example.org/ --alert 'notify-send "$1"'

Run it from cron; what was seen is in ./price-data.
"""

import argparse
import asyncio
import subprocess
from collections.abc import Sequence

import tenax


async def watch(url: str, data: str) -> list[str]:
    """A line for every product whose price fell in this run."""
    told = []
    async with tenax.open(data) as crawl:
        before = {product.id: product.product.price async for product in crawl.products()}
        async for _ in crawl.run(url, job="prices", again=True):
            pass
        async for record in crawl.products(is_cheaper=True):
            product, earlier = record.product, before.get(record.id)
            if earlier and product.price and float(product.price) < float(earlier):
                now = f"{product.price} {product.currency}"
                told.append(f"{product.name}: {now}, was {earlier}: {product.url}")
    return told


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--data", default="./price-data")
    parser.add_argument("--alert", help="a shell command that gets each line as $1")
    asked = parser.parse_args(arguments)
    for line in asyncio.run(watch(asked.url, asked.data)):
        print(line)
        if asked.alert:
            # What a shop calls its products is an argument, and never part of the command.
            subprocess.run(["sh", "-c", asked.alert, "alert", line], check=True)


if __name__ == "__main__":
    main()
