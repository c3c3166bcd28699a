"""What does a PDF file say? Asked in a process of its own, because the library is C and the file
is whatever somebody sent.

It gets the file on its standard input and answers on its standard output. Limits of time and
memory are the kernel's: whoever hangs in C hears nothing else.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from tenax.page.pdf.told import MEMORY, MOST_CHARACTERS, MOST_LINKS, MOST_PAGES, SECONDS, PdfAnswer

OVER_MEMORY = 65
_LONGEST_URI = 4_000
_PASSWORD = "it needs a password"


def tell(body: bytes) -> PdfAnswer:
    """What it says, or why nobody can tell."""
    import pypdfium2
    import pypdfium2.raw as raw

    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        is_locked = error.err_code == raw.FPDF_ERR_PASSWORD
        return PdfAnswer(why=_PASSWORD if is_locked else "it is broken, or no PDF")
    pages: list[str] = []
    links: dict[str, None] = {}
    left, were_read = MOST_CHARACTERS, 0
    for number in range(min(len(document), MOST_PAGES)):
        text = ""
        with suppress(pypdfium2.PdfiumError):
            page = document[number]
            text_page = page.get_textpage()
            text = text_page.get_text_range(0, min(text_page.count_chars(), left))
            were_read += 1
            _find_links(raw, page, links)
            # Each holds what it found, until it is let go.
            text_page.close()
            page.close()
        pages.append(text)
        left -= len(text)
        if left <= 0:
            break
    if not were_read:
        return PdfAnswer(why="none of its pages can be read")
    said = {name: _said(document, name) for name in ("Title", "Subject", "CreationDate", "ModDate")}
    return PdfAnswer(
        title=said["Title"],
        subject=said["Subject"],
        created=said["CreationDate"],
        modified=said["ModDate"],
        pages=pages,
        links=list(links),
    )


def _said(document: Any, name: str) -> str:
    with suppress(UnicodeDecodeError):
        return str(document.get_metadata_value(name))[:_LONGEST_URI]
    return ""


def _find_links(raw: Any, page: Any, links: dict[str, None]) -> None:
    """Those that lead to a URI, in their order."""
    at, link = ctypes.c_int(0), raw.FPDF_LINK()
    # A loop of our own bound: what the file says of their number need not be so.
    for _ in range(MOST_LINKS):
        if len(links) >= MOST_LINKS or not raw.FPDFLink_Enumerate(page, at, link):
            return
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        size = raw.FPDFAction_GetURIPath(page.pdf, action, None, 0)
        if not 1 < size <= _LONGEST_URI:
            continue
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(page.pdf, action, buffer, size)
        links[buffer.value.decode("utf-8", "replace")] = None


def _keep_within(seconds: float, memory: int) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        mapped = int(Path("/proc/self/statm").read_text().split()[0])
        most = mapped * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with suppress(OSError, ValueError):
        # It has no business with files, whoever it may have become.
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _work() -> None:
    body = sys.stdin.buffer.read()
    answers = os.dup(1)
    os.dup2(2, 1)
    import pypdfium2  # noqa: F401 - before the limits, which are for the file alone

    _keep_within(SECONDS, MEMORY)
    try:
        answer = msgspec.msgpack.encode(tell(body))
    except MemoryError:
        os._exit(OVER_MEMORY)
    with open(answers, "wb") as out:
        out.write(answer)
    os._exit(0)


if __name__ == "__main__":
    _work()
