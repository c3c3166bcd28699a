"""A program that reads a crawl in a loop and is killed, again and again, at some page.

`killed_reader.py DATA FILE URL TIMES`: what it has read it writes to the file before it dies.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import tenax
import tenax.compose.crawler  # loaded once, before the forks
import tenax.library


async def read(data: str, file: str, url: str, most: int) -> None:
    seen = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    async with tenax.open(data, allow_private=["127.0.0.1/32"], pace__delay=0.0) as crawl:
        count = 0
        async for page in crawl.run(url, job="killed"):
            os.write(seen, f"{page.url}\n".encode())
            count += 1
            if count == most:
                os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    data, file, url, times = sys.argv[1:]
    for time in range(int(times)):
        child = os.fork()
        if not child:
            asyncio.run(read(data, file, url, 1 + 3 * (time % 4)))
            os._exit(0)
        os.waitpid(child, 0)
    asyncio.run(read(data, file, url, 0))


if __name__ == "__main__":
    main()
