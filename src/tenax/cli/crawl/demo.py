"""`tenax demo`: crawl the sites Tenax serves itself, and show what it found and refused."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tenax.cli.crawl.demo_report import tell
from tenax.cli.crawl.progress import ProgressLine
from tenax.cli.terminal import options
from tenax.cli.terminal.say import note, plural
from tenax.compose.crawler import Crawler, open_crawler
from tenax.crawl.run import conclude
from tenax.demo.server import DemoWeb
from tenax.model import Job, JobState
from tenax.ops.jobs.change import create_or_change
from tenax.ops.jobs.create import JobInvalid, NewJob
from tenax.settings import Loaded, Settings, load

_SETTINGS = """\
# What `tenax demo` crawled with; use it to look around: tenax pages --config THIS_FILE
data = {data}
contact = "mailto:demo@example.org"
allow_private = ["127.0.0.0/8"]

# A demonstration cannot wait for minutes. These hosts are ours and are treated as any other,
# but with shorter waits than a crawl of somebody else's should have: keep the defaults there.
"""
BRISK: Mapping[str, object] = {
    "job.max_pages": 1800,
    "pace.delay": 0.02,
    "throttle.pause": 2.0,
    "throttle.second_pause": 3.0,
    "throttle.third_pause": 4.0,
    "throttle.slowest": 600.0,
    "throttle.fastest": 3000.0,
    "budget.lock": 2.0,
    "breaker.backoffs": (1.0, 2.0, 4.0, 8.0),
    "cooldown.seconds": 1.0,
    "robots.retry_base": 0.2,
    "browser.settle": 2.0,
    "feed.patience": 5.0,
}


def run_demo(data: str | None, quiet: bool, with_console: bool = False) -> int:
    folder = Path(data or tempfile.mkdtemp(prefix="tenax-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "tenax.toml"
    file.write_text(settings_file(folder), encoding="utf-8")
    loaded = load(file=file)
    return options.run(_look_on(loaded) if with_console else _demo(loaded.settings, file, quiet))


def serve_demo() -> int:
    from tenax.demo.__main__ import main

    return main([])


def settings_file(folder: Path) -> str:
    """What the demo crawls with, every hurry beside its default."""
    lines = [_SETTINGS.format(data=json.dumps(str(folder)))]
    defaults: Any = Settings()
    for name, value in BRISK.items():
        default: object = reduce(getattr, name.split("."), defaults)
        usual = "none" if default is None else json.dumps(default)
        lines.append(f"{name} = {json.dumps(value)}  # default: {usual}\n")
    return "".join(lines)


async def _demo(settings: Settings, file: Path, quiet: bool) -> int:
    async with DemoWeb() as web, open_crawler(settings) as crawler:
        note(f"Serving {plural(len(web.sites), 'small site')} on this machine and crawling them: a"
             " shop, a news archive, documentation,")  # fmt: skip
        note("traps, slow and failing servers, walls, pages made by scripts, and owners who want")
        note("to be left alone.\n")
        job = await _start(crawler, web)
        started = crawler.parts.clock.now()
        async with ProgressLine.shown(crawler.ledger, job, quiet=quiet):
            await crawler.run(job).run()
        await conclude(crawler.parts, job)
        await tell(crawler.ledger, web, job, crawler.parts.clock.now() - started)
        _next_steps(web, file)
        findings = await crawler.ledger.auditor.audit()
    return 1 if findings else 0


async def _look_on(loaded: Loaded) -> int:
    """The same with the console, which stays until somebody ends it."""
    from tenax.cli.fleet.serve import Service, serve_api

    async with DemoWeb() as web:
        async with open_crawler(loaded.settings) as crawler:
            await _start(crawler, web)
        order = Service(
            loaded.settings,
            "127.0.0.1",
            0,
            has_workers=True,
            quiet=False,
            opens=True,
            sources=loaded.sources,
        )
        return await serve_api(order)


async def _start(crawler: Crawler, web: DemoWeb) -> Job:
    spec = replace(crawler.ledger.settings.job, seeds=tuple(web.seeds))
    wanted = NewJob("demo", spec, is_started=True)
    answer = await create_or_change(crawler.ledger.job_context, wanted)
    assert not isinstance(answer, JobInvalid), answer
    await crawler.ledger.jobs.set_state(answer.job.id, JobState.RUNNING)
    return answer.job


def _next_steps(web: DemoWeb, file: Path) -> None:
    tenax = "tenax" if shutil.which("tenax") else sys.argv[0]
    note(f"\nEverything is in {file.parent}. Have a look:")
    note(f"  {tenax} pages --config {file}")
    note(f"  {tenax} why {web.sites['wall'].url}challenge --config {file}")
    note(f"  {tenax} why {web.sites['shop'].url}cart --config {file}")
    note(f"  {tenax} hosts --config {file}")
    note(f"  {tenax} audit --config {file}")
    note(f"Then crawl something of your own: {tenax} crawl URL --contact mailto:you@example.org")
