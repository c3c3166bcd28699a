"""Who runs, and with which command? The reference loop, Tenax, and the peers, installed on demand.

Peers live in a cache folder outside the tree, each in an environment of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench import measure

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tenax-bench"
SCRAPY = ("scrapy==2.19.0", "uvloop==0.23.0")
CRAWLEE = ("crawlee[parsel]==1.11.0",)
INSTALL_SECONDS = 600
CONNECTIONS = "64"
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl: what it says of itself and what it cost."""

    crawler: str
    pages: int
    seconds: float
    """As the crawler itself reports, from its first line after imports to its last."""
    wall: float
    """From making the process to its end."""
    cpu: float
    rss: int
    rss_largest: int
    started_at: float
    problem: str = ""
    """Why this run must not be compared; empty when it did the whole work."""
    summary: dict[str, object] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        return self.pages / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Crawl:
    """What is asked of a crawler."""

    url: str
    folder: Path
    """Empty and its own: where it may write."""
    expected: int
    """The pages it has to read; 0 asks for none in particular."""
    cores: list[int] | int | None
    timeout: float = 300.0
    ca: Path | None = None
    processes: int = 1
    max_pages: int | None = None
    may_miss: int = 0
    """So many more or fewer are right, too: walls are no pages, and an index has two names."""
    also: tuple[str, ...] = ()
    """Further URLs to start from. These and the delay only Tenax is asked for."""
    delay: float = 0.0
    """Seconds between requests to one host."""
    interrupt: float | None = None
    """Seconds after which it is ended by Ctrl-C."""


@dataclass(frozen=True, slots=True)
class Crawler:
    name: str

    def prepare(self) -> str:
        """Install what is missing; the answer is why it cannot run, or empty."""
        return ""

    def command(self, crawl: Crawl) -> list[str]:
        raise NotImplementedError

    def env(self) -> dict[str, str]:
        return dict(os.environ)

    def run(self, crawl: Crawl) -> Run:
        env = self.env() | ({"SSL_CERT_FILE": str(crawl.ca)} if crawl.ca else {})
        cost = measure.run(
            self.command(crawl), cores=crawl.cores, timeout=crawl.timeout, env=env,
            interrupt=crawl.interrupt,
        )  # fmt: skip
        summary = _last_json(cost.stdout)
        pages, seconds = summary.get("pages"), summary.get("seconds")
        return Run(
            crawler=self.name,
            pages=pages if isinstance(pages, int) else 0,
            seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
            wall=cost.wall,
            cpu=cost.cpu,
            rss=cost.rss,
            rss_largest=cost.rss_largest,
            started_at=cost.started_at,
            problem=_problem(cost, summary, crawl),
            summary=summary,
        )


@dataclass(frozen=True, slots=True)
class Reference(Crawler):
    name: str = "reference loop"

    def prepare(self) -> str:
        check = "import can_ada, pycurl, turbohtml, uvloop; pycurl.AsyncCurlMulti"
        return _failure([sys.executable, "-c", check])

    def command(self, crawl: Crawl) -> list[str]:
        out = crawl.folder / "pages.jsonl"
        return [sys.executable, str(HERE / "reference.py"), str(out), crawl.url]


@dataclass(frozen=True, slots=True)
class Tenax(Crawler):
    name: str = "tenax"
    program: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    """Its environment, where that says more than ours."""

    def env(self) -> dict[str, str]:
        # As it is once installed: where no bytecode may be written, each start compiles it anew.
        without = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        return {**without, **self.given}

    def prepare(self) -> str:
        return _failure([*self.located(), "--help"])

    def located(self) -> list[str]:
        if self.program:
            return list(self.program)
        beside = Path(sys.executable).with_name("tenax")
        found = str(beside) if beside.exists() else shutil.which("tenax")
        return [found] if found else [sys.executable, "-m", "tenax.cli"]

    def command(self, crawl: Crawl) -> list[str]:
        limit = ["--max-pages", str(crawl.max_pages)] if crawl.max_pages else []
        return [
            *self.located(), "crawl", crawl.url, *crawl.also,
            "--data", str(crawl.folder / "data"), "--job", "bench", "--delay", f"{crawl.delay:g}",
            "--concurrency", CONNECTIONS, "--processes", str(crawl.processes),
            "--allow-private", "127.0.0.0/8", "--contact", "mailto:bench@example.org",
            "--quiet", "--json", *limit,
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class PythonPeer(Crawler):
    script: str = ""
    requirements: tuple[str, ...] = ()
    keeps_jobdir: bool = False

    def prepare(self) -> str:
        return _failure([self.python, "-c", ""]) and self.install()

    @property
    def python(self) -> str:
        # The name changes with the versions, so an upgrade never meets an old environment.
        digest = hashlib.sha256(" ".join((sys.version, *self.requirements)).encode()).hexdigest()
        return str(CACHE / f"venv-{digest[:12]}" / "bin" / "python")

    def install(self) -> str:
        folder = Path(self.python).parent.parent
        making = folder.with_name(folder.name + ".making")
        shutil.rmtree(making, ignore_errors=True)
        pip = [str(making / "bin/python"), "-m", "pip", "install", "-q"]
        problem = _failure([sys.executable, "-m", "venv", str(making)])
        problem = problem or _failure([*pip, *self.requirements])
        if not problem:
            making.rename(folder)
        return problem

    def command(self, crawl: Crawl) -> list[str]:
        script, out = str(HERE / "peers" / self.script), str(crawl.folder / "pages.jsonl")
        jobdir = [str(crawl.folder / "job")] if self.keeps_jobdir else []
        return [self.python, script, out, crawl.url, *jobdir]

    def env(self) -> dict[str, str]:
        return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@dataclass(frozen=True, slots=True)
class Colly(Crawler):
    name: str = "colly"

    def prepare(self) -> str:
        go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
        if not go:
            return "go is not installed"
        CACHE.mkdir(parents=True, exist_ok=True)
        source = HERE / "peers" / "colly"
        return _failure([go, "build", "-C", str(source), "-o", str(CACHE / "colly"), "."])

    def command(self, crawl: Crawl) -> list[str]:
        return [str(CACHE / "colly"), str(crawl.folder / "pages.jsonl"), crawl.url]


def all_crawlers(tenax: tuple[str, ...] = ()) -> dict[str, Crawler]:
    return {
        "reference": Reference(),
        "tenax": Tenax(program=tenax),
        "colly": Colly(),
        "crawlee": PythonPeer("Crawlee-py, memory", "crawlee_crawl.py", CRAWLEE),
        "scrapy": PythonPeer("Scrapy tuned", "scrapy_crawl.py", SCRAPY),
        "scrapy-jobdir": PythonPeer("Scrapy with JOBDIR", "scrapy_crawl.py", SCRAPY, True),
    }


def _failure(command: list[str]) -> str:
    """Why the command cannot run, in a line; empty when it can."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = (done.stderr or done.stdout).strip().splitlines() or [f"status {done.returncode}"]
    return lines[-1].strip()[:200]


def _problem(cost: measure.Cost, summary: dict[str, object], crawl: Crawl) -> str:
    if cost.timed_out:
        return f"stopped after {crawl.timeout:.0f} s"
    if cost.status != (INTERRUPTED if crawl.interrupt else 0):
        tail = cost.stderr.strip().splitlines()[-1:] or [""]
        return f"exit status {cost.status}: {tail[0][:200]}"
    if not isinstance(summary.get("seconds"), int | float):
        return f"printed no summary: {cost.stdout[-200:]!r}"
    pages = summary.get("pages")
    known = pages if isinstance(pages, int) else 0
    if crawl.expected and abs(known - crawl.expected) > crawl.may_miss:
        return f"read {pages} pages instead of {crawl.expected}"
    return ""


def _last_json(text: str) -> dict[str, object]:
    """The last JSON object printed: a line of its own, or the whole of an indented output."""
    for candidate in [*reversed(text.splitlines()), text]:
        try:
            found = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return {}
