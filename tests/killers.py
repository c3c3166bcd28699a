"""Pages that kill whoever reads them: a site, and a parser for it that is installed as users do.

The parser is named by an entry point of a distribution in a folder of its own, so that the real
command loads it, and every process that it starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tenax.demo import TreeSite
from tenax.demo.site import Reply

PARSER = '''
import ctypes, faulthandler, os, re, time
from tenax.page.sites import SitePage, site_parser

libc = ctypes.CDLL(None)
"""Lets go of the interpreter's lock; by PyDLL it is held."""
held = ctypes.PyDLL(None)


def crash():
    ctypes.string_at(0)


def abort():
    os.abort()


def spin():
    """In C, with the interpreter's lock held, at the cost of a core."""
    re.match(r"(?:a+)+$", "a" * 64 + "b")


def hang():
    """The same at no cost: who waits for a mutex hears no signal. Nobody else can let go of it."""
    mutex = ctypes.create_string_buffer(256)
    held.pthread_mutex_init(mutex, None)
    while True:
        held.pthread_mutex_lock(mutex)


def sleep():
    """In C, without it, at no cost: other threads go on, the event loop does not."""
    while True:
        libc.sleep(1_000)


def eat():
    """As a library does that has run out of memory: C has no MemoryError."""
    libc.malloc.restype = ctypes.c_void_p
    while True:
        room = libc.malloc(20_000_000)
        if not room:
            os.abort()
        ctypes.memset(room, 1, 20_000_000)
        time.sleep(0.02)


def leave():
    os._exit(7)


def chat():
    print("what a nice page")
    os.system("echo and so say I")


def tell():
    with open(os.environ["KILLED_ONCE"], "w") as mark:
        mark.write(str(os.getpid()))
    sleep()


def once():
    """Only the first time: somebody typed kill -9 while the page was read."""
    mark = os.environ["KILLED_ONCE"]
    if not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), 9)


@site_parser("127.0.0.1", version="1")
def deadly(page: SitePage):
    if ways := re.search(r"way-of-dying-(\\w+)", page.text("#way")):
        globals()[ways[1]]()
    return {}
'''


@dataclass
class DeadlySite(TreeSite):
    """A tree of pages, some of which kill their reader."""

    deadly: Mapping[int, str] = field(default_factory=dict)
    """By number of the page, how: the name of a function above."""

    def _page(self, number: int) -> Reply:
        reply = super()._page(number)
        way = self.deadly.get(number)
        if way is not None:
            told = f'<p id="way">way-of-dying-{way}</p><p itemprop="price">9.90</p></body>'
            reply.body = reply.body.replace(b"</body>", told.encode())
        return reply

    def deadly_urls(self) -> set[str]:
        return {f"{self.origin}/p/{number}" for number in self.deadly}


def install(folder: Path, host: str = "127.0.0.1") -> str:
    """The parser as an installed distribution; what PYTHONPATH has to name."""
    made = folder / "site-packages"
    about = made / "deadly_sites-1.dist-info"
    about.mkdir(parents=True)
    (made / "deadly_sites.py").write_text(PARSER.replace('"127.0.0.1"', f'"{host}"'))
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly-sites\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[tenax.sites]\ndeadly = deadly_sites\n")
    return str(made)
