"""What does a PDF file say, as the rest of the room understands it: a text, and markup of what a
page has in its head (decision 0047)?

It takes an extra, and a process for each file (`child.py`). What was read last is kept, since who
stores a page and who indexes it ask for the same one.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import signal
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from html import escape
from importlib.util import find_spec
from threading import Lock

import msgspec
from msgspec import Struct

from tenax.page.pdf.told import MEMORY, SECONDS, PdfAnswer
from tenax.version import pip_install

EXTRA = "pdf"
_MARK = b"%PDF-"
_FIRST_BYTES = 1_024
_OVER_MEMORY = 65
_STARTING = 60.0
"""Seconds that the process may take on a busy machine until it reads."""
_MOST_KEPT = 8
_LONGEST_TITLE = 200
_HEADROOM = 0.6
"""A line this much shorter than the longest of its page ends a paragraph."""
_BROKEN_WORD = re.compile(r"[\x02\ufffe\xad]\s*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:([+-])(\d\d)'?(\d\d)?)?"
)


class PdfText(Struct, frozen=True):
    """A file that was read, or why it was not."""

    text: str = ""
    """Its pages with an empty line between them."""
    head: bytes = b""
    """Markup in UTF-8 with its title, its dates and its links, and no text."""
    why: str = ""


_kept: OrderedDict[bytes, PdfText] = OrderedDict()
_keeping = Lock()
_threads = ThreadPoolExecutor(1, "pdf")


def is_installed() -> bool:
    return find_spec("pypdfium2") is not None


def text_of(body: bytes) -> PdfText:
    """What it says. Never raises, whatever the bytes are."""
    name = hashlib.sha256(body).digest()
    with _keeping:
        found = _kept.get(name)
    if found is None:
        found = laid_out(_ask(body))
        with _keeping:
            _kept[name] = found
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)
    return found


async def read_ahead(body: bytes) -> None:
    """Read it beside whatever else goes on, one at a time; who asks for it next has it at once."""
    await asyncio.get_running_loop().run_in_executor(_threads, text_of, body)


def laid_out(told: PdfAnswer) -> PdfText:
    if told.why:
        return PdfText(why=f"PDF: {told.why}")
    pages = [_paragraphs(page) for page in told.pages]
    text = "\n\n".join(filter(None, pages))
    title = _one_line(told.title) or _first_line(told.pages)
    head = [
        '<!doctype html><html><head><meta charset="utf-8">',
        f"<title>{escape(title[:_LONGEST_TITLE])}</title>",
        _meta('name="description"', _clean(told.subject)),
        _meta('property="article:published_time"', when(told.created)),
        _meta('property="article:modified_time"', when(told.modified)),
        "</head><body>",
        *(f'<a href="{escape(_clean(link))}"></a>' for link in told.links),
        "</body></html>",
    ]
    return PdfText(text, "".join(head).encode("utf-8", "replace"))


def when(written: str) -> str:
    """A date as PDF writes it, `D:20260102030405+01'00'`, as everybody else does; else empty."""
    found = _DATE.match(written.strip())
    if found is None:
        return ""
    year, month, day, hour, minute, second, sign, hours, minutes = found.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    if hour is None:
        return date
    zone = f"{sign}{hours}:{minutes or '00'}" if sign else "Z"
    return f"{date}T{hour}:{minute}:{second or '00'}{zone}"


def _ask(body: bytes) -> PdfAnswer:
    if not is_installed():
        return PdfAnswer(why=f"reading it takes another library: {pip_install(EXTRA)}")
    if _MARK not in body[:_FIRST_BYTES]:
        return PdfAnswer(why="it does not begin like one")
    command = [sys.executable, "-m", "tenax.page.pdf.child"]
    try:
        done = subprocess.run(
            command, input=body, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=SECONDS + _STARTING, start_new_session=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return ended(-signal.SIGALRM)
    except OSError as error:
        return PdfAnswer(why=f"no process to read it: {error}")
    if done.returncode:
        return ended(done.returncode)
    try:
        return msgspec.msgpack.decode(done.stdout, type=PdfAnswer)
    except msgspec.DecodeError:
        return PdfAnswer(why="what read it said nothing that could be understood")


def ended(code: int) -> PdfAnswer:
    if code == -signal.SIGALRM:
        return PdfAnswer(why=f"it took more than {SECONDS:g} s")
    if code == _OVER_MEMORY:
        return PdfAnswer(why=f"it took more than {MEMORY:,} bytes of memory")
    if code == -signal.SIGABRT:
        # What the library does where it gets no more.
        why = f"what read it gave up (SIGABRT): most likely over {MEMORY:,} bytes of memory"
        return PdfAnswer(why=why)
    how = signal.Signals(-code).name if code < 0 else f"code {code}"
    return PdfAnswer(why=f"it ended the process that read it ({how})")


def _paragraphs(page: str) -> str:
    """Lines put together again where they were only broken by the width of the paper."""
    joined = _BROKEN_WORD.sub("", page.replace("\r\n", "\n").replace("\r", "\n"))
    lines = list(map(_one_line, joined.split("\n")))
    full = _HEADROOM * max(map(len, lines), default=0)
    parts: list[str] = []
    goes_on = False
    for line in lines:
        if line and goes_on:
            parts[-1] += f" {line}"
        elif line:
            parts.append(line)
        goes_on = bool(line) and len(line) >= full
    return "\n".join(parts)


def _first_line(pages: Sequence[str]) -> str:
    lines = (_one_line(line) for page in pages for line in page.splitlines())
    return next(filter(None, lines), "")


def _one_line(text: str) -> str:
    return " ".join(_clean(text).split())


def _clean(text: str) -> str:
    return _CONTROL.sub(" ", text)


def _meta(name: str, content: str) -> str:
    return f'<meta {name} content="{escape(content)}">' if content else ""
