"""A program that reads a crawl in a loop and is killed, again and again, at some page.

`killed_reader.py DATA FILE URL TIMES`: what it has read it writes to the file before it dies. The
last line says how many records of its handler there are, on how many pages, and how many kilobytes
of memory the largest of the first four programs took, and that of the last four.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator

import tenax
import tenax.compose.crawler  # loaded once, before the forks
import tenax.library


@tenax.on("*")
def titled(page: tenax.Page) -> Iterator[tenax.Told]:
    yield page.record("titled", title=page.title)


async def read(data: str, file: str, url: str, most: int) -> None:
    seen = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    async with tenax.open(data, allow_private=["127.0.0.1/32"], pace__delay=0.0) as crawl:
        count = 0
        async for page in crawl.run(url, job="killed"):
            os.write(seen, f"{page.url}\n".encode())
            count += 1
            if count == most:
                os.kill(os.getpid(), signal.SIGKILL)


async def records(data: str) -> tuple[int, int]:
    async with tenax.open(data) as crawl:
        found = [record.url async for record in crawl.records("titled")]
    return len(found), len(set(found))


def main() -> None:
    data, file, url, times = sys.argv[1:]
    memory = []
    for time in range(int(times)):
        child = os.fork()
        if not child:
            asyncio.run(read(data, file, url, 1 + 3 * (time % 4)))
            os._exit(0)
        _, _, used = os.wait4(child, 0)
        memory.append(used.ru_maxrss)
    asyncio.run(read(data, file, url, 0))
    kept, pages = asyncio.run(records(data))
    with open(file, "a") as seen:
        seen.write(f"{kept} {pages} {max(memory[:4])} {max(memory[-4:])}\n")


if __name__ == "__main__":
    main()
