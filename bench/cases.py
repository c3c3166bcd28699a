"""What is measured? A function a case: make a site, crawl it, fill a table."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench import broad, fleet, frontier, replay
from bench.certificates import make_certificate
from bench.comparison import compare
from bench.crawlers import Crawl, Crawler, Run, Tenax
from bench.ledger import LedgerSize, measure_ledger
from bench.made_pages import made_pages
from bench.neighbours import SECONDS, Neighbourhood, neighbourhood
from bench.recrawl import compare as compare_recrawl
from bench.report import Table, megabytes, number, spread
from bench.saved import saved_pages, site_of
from bench.server import Server, serve
from bench.site import Site, crowded, documentation, heavy


@dataclass(frozen=True, slots=True)
class Bench:
    """What every case needs: who runs, how often, where."""

    crawlers: dict[str, Crawler]
    """Those that can run, by their short names."""
    absent: dict[str, str]
    """Those that can't, and why."""
    cores: list[int]
    rounds: int
    quick: bool
    say: Callable[[str], None]
    pages: Path | None = None
    """Where pages were saved, for the case that is about such; None makes some."""
    runs: list[tuple[str, Run]] = field(default_factory=list)
    """Every run of every case, for the record."""

    def crawl_cores(self, processes: int = 1) -> list[int] | None:
        """The first cores, one for each process; None on a machine that has but one."""
        return self.cores[:processes] if len(self.cores) > 1 else None

    @property
    def server_core(self) -> int | None:
        return self.cores[-1] if len(self.cores) > 1 else None

    def run(self, case: str, crawler: Crawler, crawl: Crawl) -> Run:
        run = crawler.run(crawl)
        self.runs.append((case, run))
        rate = run.problem or f"{run.rate:,.0f} pages/s, {run.wall:.2f} s in all"
        self.say(f"  {case}: {crawler.name}: {rate}")
        return run


def one_core(bench: Bench) -> Table:
    """P1: every crawler on the documentation, a core for it and one for the server."""
    with _scratch() as folder, _documentation(bench, folder) as (site, server):
        runs = _alternately(bench, "P1", folder, server.url, site.pages)
    notes = [_describe(site, server), "Aim: 0.50, better 0.80."]
    return compare("P1", "one core, one site, unpaced", runs, bench.absent, notes)


def two_processes(bench: Bench) -> Table:
    """P2: Tenax with two processes against one; two reference loops for comparison."""
    copies = 2 if bench.quick else 6
    found: dict[str, list[tuple[float, float]]] = {"reference": [], "tenax": []}
    with _scratch() as folder, _documentation(bench, folder, copies) as (site, server):
        for _ in range(bench.rounds):
            for name, rates in found.items():
                if name in bench.crawlers:
                    rates += _one_and_two(bench, name, folder, server.url, site.pages)
    labels = {"reference": "reference loop, two side by side", "tenax": "tenax --processes 2"}
    rows = [[labels[name], *_gain(rates)] for name, rates in found.items()]
    notes = [_describe(site, server), "From making the process to its end. Aim: 1.6, better 1.9."]
    if len(bench.cores) < 3:
        notes.append(
            "No core is left for the server: the reference row shows what that costs a bare loop."
        )
    title = "two processes, same site"
    return Table("P2", title, ["crawler", "one, pages/s", "two, pages/s", "gain"], rows, notes)


def broad_crawl(bench: Bench) -> Table:
    """P3: Tenax on many hosts that may each be asked once a second, judged by their server."""
    hosts, seconds = (200, 8.0) if bench.quick else (1_000, 30.0)
    crawler = bench.crawlers["tenax"]
    seen: list[broad.Seen] = []
    for _ in range(bench.rounds):
        for processes in sorted({1, min(2, len(bench.cores))}):
            with _scratch() as folder:
                seen.append(broad.measure(crawler, folder, hosts, seconds, processes))
            bench.runs.append(("P3", seen[-1].run))
            bench.say(f"  P3: {seen[-1].told}")
    return broad.table(seen, hosts)


def frontier_at_scale(bench: Bench) -> Table:
    """P4: claims and commits in a frontier that grows tenfold and tenfold again, on a disk."""
    urls = 100_000 if bench.quick else 10_000_000
    if problem := frontier.lacking(frontier.FOLDER, urls):
        raise OSError(problem)
    with tempfile.TemporaryDirectory(prefix="tenax-bench-", dir=frontier.FOLDER) as folder:
        decades = asyncio.run(frontier.measure(Path(folder), urls, frontier.MOST_HOSTS, bench.say))
    return frontier.table(decades)


def memory_at_scale(bench: Bench) -> Table:
    """P5: the largest process of Tenax when it knows a million URLs and goes on reading pages."""
    known = 100_000 if bench.quick else 1_000_000
    # Some more: there are never all of the pages that name them among the first ones visited.
    run, size = _crowded_crawl(bench, "P5", known * 5 // 4, more=1_695)
    short = f"only {size.known:,} URLs became known" if size.known < known else ""
    memory = [megabytes(run.rss_largest), megabytes(run.rss)]
    row = ["tenax", number(size.known), *memory, run.problem or short]
    notes = [f"{run.pages:,} pages read: those that name them, and some of those named."]
    notes += ["Aim: 250 MB, better 150."]
    columns = ["crawler", "known URLs", "largest process, MB", "all processes, MB", "problem"]
    return Table("P5", "memory at many known URLs, 64 connections", columns, [row], notes)


def ledger_size(bench: Bench) -> Table:
    """P6: bytes a known URL takes in the ledger, and a stored page besides its body."""
    crowd_run, crowd = _crowded_crawl(bench, "P6", 20_000 if bench.quick else 200_000, more=0)
    with _scratch() as folder, _documentation(bench, folder) as (site, server):
        crawl = Crawl(server.url, _fresh(folder, "tenax"), site.pages, bench.crawl_cores())
        run = bench.run("P6", bench.crawlers["tenax"], crawl)
        plain = measure_ledger(crawl.folder / "data")
    rows = [
        ["a known URL", number(crowd.known), _bytes(crowd.bytes_a_known_url), "250, better 120"],
        ["a stored page", number(plain.pages), _bytes(plain.bytes_a_page), "1,500, better 800"],
    ]  # fmt: skip
    whole = crowd.file_bytes / max(1, crowd.known)
    notes = [
        f"The whole file of the first crawl, a known URL: {whole:,.0f} bytes.",
        _breakdown(plain),
    ]
    notes += [f"Problem: {each.problem}" for each in (crowd_run, run) if each.problem]
    columns = ["what", "how many", "bytes each", "aim"]
    return Table("P6", "size of the ledger, bodies not counted", columns, rows, notes)


def tls(bench: Bench) -> Table:
    """P7: every crawler on heavy pages over TLS."""
    with _scratch() as folder:
        site = heavy(folder / "www", copies=1 if bench.quick else 2)
        certificate = make_certificate(folder)
        with serve(site.root, core=bench.server_core, certificate=certificate) as server:
            runs = _alternately(bench, "P7", folder, server.url, site.pages, certificate.ca)
    notes = [_describe(site, server), "Aim: 0.65, better 0.85."]
    return compare("P7", "HTTPS, large pages, one core", runs, bench.absent, notes)


def first_page(bench: Bench) -> Table:
    """P8: from starting `tenax crawl` on a fresh folder to its first page, as the server saw it."""
    asked, done, problems = [], [], set()
    with _scratch() as folder:
        site = documentation(folder / "www")
        with serve(site.root, core=bench.server_core, log=True) as server:
            for _ in range(max(5, bench.rounds)):
                place = _fresh(folder, "tenax")
                crawl = Crawl(server.url, place, 0, bench.crawl_cores(), max_pages=1)
                run = bench.run("P8", bench.crawlers["tenax"], crawl)
                if moment := _first_request(server, run.started_at):
                    asked.append(moment - run.started_at)
                done.append(run.wall)
                problems |= {run.problem} - {""}
    rows = [
        ["first page answered by the server", spread(asked) or "not seen"],
        ["one page crawled and stored, program ended", spread(done)],
    ]
    notes = ["From making the process. Aim for the first: 1.0 s, better 0.5.", *problems]
    return Table("P8", "time to first page, fresh data folder", ["what", "seconds"], rows, notes)


def reading_again(bench: Bench) -> Table:
    """P9: what a crawl stored, read again by one process and by two."""
    found: list[tuple[Run, float, float]] = []
    copies = 1 if bench.quick else 3
    with _scratch() as folder, _documentation(bench, folder, copies) as (site, server):
        for _ in range(bench.rounds):
            crawl = Crawl(server.url, _fresh(folder, "tenax"), site.pages, bench.crawl_cores())
            run = bench.run("P9", bench.crawlers["tenax"], crawl)
            data = crawl.folder / "data"
            rates = [replay.replay(data, n, bench.crawl_cores(n)) for n in (1, 2)]
            bench.say(f"  P9: read again by one: {rates[0]:,.0f} pages/s, by two: {rates[1]:,.0f}")
            found.append((run, rates[0], rates[1]))
    return replay.table(found, _describe(site, server))


def on_a_server(bench: Bench) -> Table:
    """P10: a ledger on PostgreSQL against SQLite, and two workers on it against one."""
    tenax = bench.crawlers["tenax"]
    assert isinstance(tenax, Tenax)
    ledgers: list[tuple[float, float]] = []
    crews: list[tuple[float, float]] = []
    pages = 30 if bench.quick else 60
    with (
        _scratch() as folder,
        _documentation(bench, folder) as (site, server),
        fleet.postgres(folder / "postgres", tenax.located()) as there,
    ):
        for _ in range(bench.rounds):
            crawl = Crawl(server.url, _fresh(folder, "sqlite"), site.pages, bench.crawl_cores())
            here = bench.run("P10", tenax, crawl)
            shared = replace(tenax, name="tenax on PostgreSQL", given=there.fresh("bench"))
            crawl = Crawl(server.url, _fresh(folder, "shared"), site.pages, bench.crawl_cores())
            away = bench.run("P10", shared, crawl)
            if not here.problem and not away.problem:
                ledgers.append((here.rate, away.rate))
            one, two = (
                fleet.workers(there, _fresh(folder, "crew"), count, pages) for count in (1, 2)
            )
            bench.say(f"  P10: one worker: {one:,.0f} pages/s, two: {two:,.0f}")
            crews.append((one, two))
    return fleet.table(ledgers, crews, [_describe(site, server)])


def real_pages(bench: Bench) -> Table:
    """P11: every crawler on pages as the web has them, a core for it and one for the server."""
    made = 150 if bench.quick else 600
    pages = saved_pages(bench.pages) if bench.pages else made_pages(made)
    if not pages:
        raise OSError(f"{bench.pages}: no HTML file in it")
    # Some are walls, or ask for a browser: whoever looks does not count these as pages. The
    # browser stays away, because the others have none.
    may_miss = max(1, len(pages) // 20)
    tenax = bench.crawlers.get("tenax")
    if isinstance(tenax, Tenax):
        given = {**tenax.given, "TENAX_FETCH__WAYS__FALLBACKS": "curl"}
        without = {**bench.crawlers, "tenax": replace(tenax, given=given)}
        bench = replace(bench, crawlers=without)
    with _scratch() as folder:
        site = site_of(folder / "www", pages)
        del pages
        with serve(site.root, core=bench.server_core) as server:
            runs = _alternately(bench, "P11", folder, server.url, site.pages, may_miss=may_miss)
    kind = "saved" if bench.pages else "MADE (no folder was given)"
    notes = [f"{site.pages:,} {kind} pages, {site.mean_bytes / 1000:.0f} kB mean, {server.kind}."]
    notes += ["Aim: 0.45, better 0.65."]
    return compare("P11", "real pages, one core", runs, bench.absent, notes)


def hostile_neighbours(bench: Bench) -> Table:
    """T1: Tenax on healthy hosts alone, and on the same ones with hostile ones beside them."""
    hosts = 30 if bench.quick else 100
    hostile = hosts // 3
    rates: dict[float, list[tuple[float, float]]] = {delay: [] for delay in _NEIGHBOURLY}
    problems: set[str] = set()
    with _scratch() as folder, neighbourhood(hosts - hostile, hostile, bench.server_core) as place:
        for _ in range(bench.rounds):
            for delay, found in rates.items():
                alone = _beside(bench, folder, place, (), delay, problems)
                beside = _beside(bench, folder, place, place.hostile, delay, problems)
                if alone and beside:
                    found.append((alone, beside))
    columns = ["a request to a host every", "alone, pages/s", "beside hostile ones", "share"]
    rows = [[f"{delay:g} s", *_gain(found)] for delay, found in rates.items()]
    notes = [
        f"{hosts - hostile} healthy hosts, alone and beside {hostile} hostile ones; one core."
        f" Pages of the healthy ones in {SECONDS:g} s, as their server saw them. Aim: 0.85.",
        *(f"Problem: {problem}" for problem in problems),
    ]
    return Table("T1", "hostile neighbours", columns, rows, notes)


def recrawling(_: Bench) -> Table:
    """RECRAWL: 90 days of visits to pages that change at known rates, simulated."""
    return compare_recrawl()


CASES: dict[str, Callable[[Bench], Table]] = {
    "P1": one_core,
    "P2": two_processes,
    "P3": broad_crawl,
    "P4": frontier_at_scale,
    "P5": memory_at_scale,
    "P6": ledger_size,
    "P7": tls,
    "P8": first_page,
    "P9": reading_again,
    "P10": on_a_server,
    "P11": real_pages,
    "T1": hostile_neighbours,
    "RECRAWL": recrawling,
}
NEED_TENAX = {"P3", "P5", "P6", "P8", "P9", "P10", "T1"}
_NEIGHBOURLY = (0.1, 0.05)
"""Seconds between requests to a host: once the hosts set the pace, once the core does."""


@contextmanager
def _scratch() -> Iterator[Path]:
    """In memory where there is room: a disk's moods would drown what is compared."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > 4e9
    with tempfile.TemporaryDirectory(prefix="tenax-bench-", dir=memory if has_room else None) as it:
        yield Path(it)


@contextmanager
def _documentation(bench: Bench, folder: Path, copies: int = 1) -> Iterator[tuple[Site, Server]]:
    site = documentation(folder / "www", copies)
    with serve(site.root, core=bench.server_core) as server:
        yield site, server


def _alternately(
    bench: Bench,
    case: str,
    folder: Path,
    url: str,
    expected: int,
    ca: Path | None = None,
    may_miss: int = 0,
) -> dict[str, list[Run]]:
    """Round after round, so that a slow minute of the machine is a slow minute for all."""
    runs: dict[str, list[Run]] = {name: [] for name in bench.crawlers}
    for _ in range(bench.rounds):
        for name, crawler in bench.crawlers.items():
            place = _fresh(folder, name)
            crawl = Crawl(url, place, expected, bench.crawl_cores(), ca=ca, may_miss=may_miss)
            runs[name].append(bench.run(case, crawler, crawl))
    return runs


def _one_and_two(
    bench: Bench, name: str, folder: Path, url: str, expected: int
) -> list[tuple[float, float]]:
    """Pages a second with one process on one core and with two on two; nothing if one failed."""
    crawler = bench.crawlers[name]
    alone = Crawl(url, _fresh(folder, name), expected, bench.crawl_cores())
    one = bench.run("P2", crawler, alone)
    if name == "tenax":
        place = _fresh(folder, name)
        both = Crawl(url, place, expected, bench.crawl_cores(2), processes=2)
        two = [bench.run("P2", crawler, both)]
    else:
        with ThreadPoolExecutor(2) as pool:
            halves = _halves(bench, folder, url, expected)
            two = list(pool.map(lambda crawl: bench.run("P2", crawler, crawl), halves))
    if one.problem or any(run.problem for run in two):
        return []
    return [(one.pages / one.wall, sum(run.pages for run in two) / max(run.wall for run in two))]


def _halves(bench: Bench, folder: Path, url: str, expected: int) -> list[Crawl]:
    return [
        Crawl(
            url.replace("index.html", f"half-{half}.html"),
            _fresh(folder, f"half-{half}"),
            (expected - 1) // 2 + 1,
            bench.crawl_cores(2),
        )
        for half in range(2)
    ]


def _gain(rates: list[tuple[float, float]]) -> list[str]:
    if not rates:
        return ["not measured", "", ""]
    one, two = (statistics.median(column) for column in zip(*rates, strict=True))
    return [number(one), number(two), spread([b / a for a, b in rates])]


def _beside(
    bench: Bench,
    folder: Path,
    place: Neighbourhood,
    hostile: Sequence[int],
    delay: float,
    problems: set[str],
) -> float | None:
    """Pages a second of the healthy hosts, with these beside them; None if it went wrong."""
    first, *others = [f"http://127.0.0.1:{port}/" for port in (*place.healthy, *hostile)]
    crawl = Crawl(
        first, _fresh(folder, "tenax"), 0, bench.crawl_cores(),
        also=tuple(others), delay=delay, interrupt=SECONDS + 5,
    )  # fmt: skip
    run = bench.run("T1", bench.crawlers["tenax"], crawl)
    problems |= {run.problem} - {""}
    return None if run.problem else place.rate(run.started_at)


def _crowded_crawl(bench: Bench, case: str, known: int, more: int) -> tuple[Run, LedgerSize]:
    with _scratch() as folder:
        site = crowded(folder / "www", known)
        with serve(site.root, core=bench.server_core) as server:
            crawl = Crawl(
                server.url, _fresh(folder, "tenax"), 0, bench.crawl_cores(),
                timeout=1_200, max_pages=site.pages + more,
            )  # fmt: skip
            run = bench.run(case, bench.crawlers["tenax"], crawl)
        return run, measure_ledger(crawl.folder / "data")


def _fresh(folder: Path, name: str) -> Path:
    """An empty folder. Nothing is deleted before the case ends: ext4 avoids the inodes of files
    deleted just now, and whoever creates files next pays fifteen times the price for it."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=work))


def _first_request(server: Server, since: float) -> float | None:
    assert server.log
    for line in server.log.read_text().splitlines():
        moment, _, path = line.partition(" ")
        if float(moment) >= since and path != "/robots.txt":
            return float(moment)
    return None


def _describe(site: Site, server: Server) -> str:
    return f"{site.describe()}; served by {server.kind}."


def _breakdown(size: LedgerSize) -> str:
    if not size.by_table:
        return "This SQLite has no dbstat: bytes by table can't be told."
    largest = sorted(size.by_table.items(), key=lambda item: -item[1])[:8]
    listed = ", ".join(f"{table} {used / max(1, size.pages):,.0f}" for table, used in largest)
    return f"The second crawl, bytes a page by table with its indexes: {listed}."


def _bytes(value: float | None) -> str:
    return "?" if value is None else number(value)
