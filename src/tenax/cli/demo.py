"""`tenax demo`: crawl the sites Tenax serves itself, and show what it found and refused."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from tenax.cli import options
from tenax.cli.progress import Progress
from tenax.cli.say import duration, note, plural, printable
from tenax.compose import App, open_app
from tenax.crawl.run import conclude, offer_seeds
from tenax.demo.server import DemoWeb
from tenax.demo.truth import Truth, truth
from tenax.model import Job, JobSpec, JobState
from tenax.ports import PageRecord
from tenax.settings import Settings, load
from tenax.urls.normalise import IdentityRules, host_of, normalise

_SETTINGS = """\
# What `tenax demo` crawled with; use it to look around: tenax pages --config THIS_FILE
data = "{data}"
contact = "mailto:demo@example.org"
allow_private = ["127.0.0.0/8"]

[pace]
delay = 0.02

[job]
max_pages = 900

# A demonstration cannot wait for minutes: the same treatment of hosts, twenty times as fast.
[throttle]
pause = 2.0
second_pause = 3.0
third_pause = 4.0
slowest = 600.0
fastest = 3000.0

[budget]
lock = 2.0

[breaker]
backoffs = [1.0, 2.0, 3.0, 4.0]

[cooldown]
seconds = 30.0

[feed]
patience = 5.0

[robots]
retry_base = 0.2
"""
_RULES = IdentityRules(JobSpec().drop_parameters, drop_trailing_slash=False)
_SHOWN = 3


def run_demo(data: str | None, quiet: bool) -> int:
    folder = Path(data or tempfile.mkdtemp(prefix="tenax-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "tenax.toml"
    file.write_text(_SETTINGS.format(data=folder), encoding="utf-8")
    return options.run(_demo(load(file=file).settings, file, quiet))


def serve_demo() -> int:
    from tenax.demo.__main__ import main

    return main([])


async def _demo(settings: Settings, file: Path, quiet: bool) -> int:
    async with DemoWeb() as web, open_app(settings) as app:
        note(f"Serving {plural(len(web.sites), 'small site')} on this machine and crawling them: a"
             " shop, a news archive, documentation,")  # fmt: skip
        note("traps, slow and failing servers, walls, and owners who want to be left alone.\n")
        spec = replace(settings.job, seeds=tuple(web.seeds))
        job = await app.parts.jobs.save("demo", spec)
        await app.parts.jobs.set_state(job.id, JobState.RUNNING)
        await offer_seeds(app.parts, app.admission(job))
        started = app.parts.clock.now()
        async with Progress.shown(app, job, quiet=quiet):
            await app.run(job).run()
        await conclude(app.parts, job)
        seconds = app.parts.clock.now() - started
        await _tell(app, web, job, seconds)
        _next_steps(web, file)
        findings = await app.auditor.audit()
    return 1 if findings else 0


@dataclass(frozen=True, slots=True)
class _SiteReport:
    name: str
    url: str
    stored: list[PageRecord]
    truth: Truth
    requests: int
    breaches: int

    @property
    def missed(self) -> int:
        return len(self.truth.pages - {_identity(page) for page in self.stored})

    @property
    def fakes(self) -> int:
        return sum(1 for page in self.stored if _identity(page) in self.truth.garbage)

    def line(self) -> str:
        verdict = "complete" if not self.missed else f"{self.missed} missed"
        if not self.truth.pages:
            verdict = "left alone" if not self.stored else "nothing real to be had"
        elif self.truth.traps:
            verdict += ", its traps bounded"
        if self.fakes:
            # Nothing judges content yet: better to say so than to count walls as pages.
            verdict += f"; {self.fakes} stored are walls or shells, not yet told apart"
        closed = "0 forbidden" if not self.breaches else f"{self.breaches} FORBIDDEN"
        return (
            f"  {self.name:<13}{len(self.stored):>6} pages  {self.requests:>5} requests"
            f"  {closed:<12}  {verdict}"
        )


async def _tell(app: App, web: DemoWeb, job: Job, seconds: float) -> None:
    reports = await _reports(app, web)
    stored = sum(len(report.stored) for report in reports)
    note(f"{plural(stored, 'page')} from {plural(len(reports), 'site')} in {duration(seconds)}:\n")
    for report in reports:
        note(report.line())
    counts = await app.parts.jobs.counts(job.id)
    refused = ", ".join(
        f"{count:,} {reason}"
        for reason, count in sorted(counts.rejected.items(), key=lambda item: -item[1])
        if reason != "known"
    )
    note(f"\nLinks not taken: {refused}.")
    note("Ended otherwise:")
    for reason, count in await app.pages.failures(job.id, limit=8):
        note(f"  {count:>5}x {printable(reason)[:90]}")
    for name, _, why in await app.hosts.waiting(job.id):
        note(f"  {name} is left for later: {why}.")
    _samples(reports)


async def _reports(app: App, web: DemoWeb) -> list[_SiteReport]:
    stored: dict[str, list[PageRecord]] = {}
    after = 0
    while batch := await app.pages.find(after=after, limit=500):
        after = batch[-1].target_id
        for page in batch:
            stored.setdefault(host_of(page.url), []).append(page)
    truths = truth(web)
    reports = []
    for name, site in web.sites.items():
        visits = web.asked(name)
        asked = [site.url.rstrip("/") + visit.path for visit in visits]
        breaches = truths[name].breaches(asked)
        pages = stored.get(host_of(site.url), [])
        reports.append(_SiteReport(name, site.url, pages, truths[name], len(visits), len(breaches)))
    return reports


def _samples(reports: list[_SiteReport]) -> None:
    for report in reports:
        known = report.truth.products or report.truth.articles
        chosen = [page for page in report.stored if _identity(page) in known][:_SHOWN]
        if chosen:
            note(f"\nFrom the {report.name}:")
        for page in chosen:
            day = f"{page.published[:10]}  " if page.published else ""
            note(f"  {day}{printable(page.title)[:70]}  ({page.words} words)")


def _identity(page: PageRecord) -> str:
    return normalise(page.final_url, _RULES)


def _next_steps(web: DemoWeb, file: Path) -> None:
    tenax = "tenax" if shutil.which("tenax") else sys.argv[0]
    note(f"\nEverything is in {file.parent}. Have a look:")
    note(f"  {tenax} pages --config {file}")
    note(f"  {tenax} why {web.sites['shop'].url}cart --config {file}")
    note(f"  {tenax} hosts --config {file}")
    note(f"  {tenax} audit --config {file}")
    note(f"Then crawl something of your own: {tenax} crawl URL --contact mailto:you@example.org")
