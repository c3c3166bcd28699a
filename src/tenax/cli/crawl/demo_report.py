"""How well did the demo go? What was found and refused, held against what is known to be there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

from msgspec import Struct

from tenax.cli.terminal.say import duration, note, plural, printable
from tenax.compose import Ledger
from tenax.demo.server import DemoWeb
from tenax.demo.site import Site
from tenax.demo.truth import TrueProduct as Truthful
from tenax.demo.truth import Truth, truth
from tenax.model import Client, Job, JobSpec, Product, Reason
from tenax.ops.why.lookup import target_in
from tenax.outcome import Garbage, Read, Unrendered
from tenax.ports import PageRecord
from tenax.ports.products import ProductFilter, ProductRecord
from tenax.urls.normalise import IdentityRules, host_of, normalise
from tenax.version import pip_install

_RULES = IdentityRules(JobSpec().drop_parameters, drop_trailing_slash=False)
_SHOWN = 3
_MOST_PRODUCTS = 10_000
_WIDTH = 100


class Told(Struct, frozen=True):
    """An answer that was not taken for a page: its verdict, and what gave it away."""

    site: str
    path: str
    verdict: str
    evidence: str

    def line(self) -> str:
        text = f"  {self.site:<8}{self.path:<25}{self.verdict:<18}{printable(self.evidence)}"
        return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "\N{HORIZONTAL ELLIPSIS}"


class SiteReport(Struct, frozen=True):
    name: str
    truth: Truth
    stored: tuple[PageRecord, ...]
    told: tuple[Told, ...]
    requests: int
    breaches: int
    by_browser: bool = False
    """A browser could read what was a shell without one."""

    @property
    def missed(self) -> int:
        """Against all there is: what only a browser can have, too."""
        return len(self.truth.to_store(by_browser=True) - self._had())

    @property
    def fakes(self) -> int:
        return len(self._had() & self.truth.to_refuse(by_browser=self.by_browser).keys())

    @property
    def unlinked(self) -> frozenset[str]:
        """Pages that no link leads to, and that sitemaps, feeds or a good guess do."""
        ways = self.truth.hidden.items()
        return frozenset[str]().union(*(urls for way, urls in ways if way != "script"))

    @property
    def discovered(self) -> int:
        return len(self.unlinked & self._had())

    @property
    def needs_browser(self) -> bool:
        return bool(self.truth.rendered) and not self.by_browser

    def line(self) -> str:
        closed = "0 forbidden" if not self.breaches else f"{self.breaches} FORBIDDEN"
        return (
            f"  {self.name:<13}{len(self.stored):>6} pages  {self.requests:>5} requests"
            f"  {closed:<12}  {'; '.join(self._verdicts())}"
        )

    def _verdicts(self) -> Iterator[str]:
        if not self.truth.to_store(by_browser=True):
            yield "left alone" if not self.stored else "STORED, AND CLOSED TO US"
            return
        how = "complete" if not self.missed else f"{self.missed} missed"
        if self.truth.traps:
            how += ", its traps bounded"
        elif self.truth.rendered:
            how += ", made by a browser" if self.by_browser else ": needs a browser, see below"
        yield how
        refused = len(self.truth.to_refuse(by_browser=self.by_browser))
        if refused and not self.needs_browser:
            yield f"{len(self.told)} of {refused} fake pages refused"
        if self.fakes:
            yield f"{self.fakes} FAKE PAGES STORED"

    def _had(self) -> set[str]:
        return {_identity(page) for page in self.stored}


async def tell(ledger: Ledger, web: DemoWeb, job: Job, seconds: float) -> None:
    reports = await _reports(ledger, web, job)
    stored = sum(len(report.stored) for report in reports)
    note(f"{plural(stored, 'page')} from {plural(len(reports), 'site')} in {duration(seconds)}:\n")
    for report in reports:
        note(report.line())
    for line in (*discoveries(reports), *browser_advice(reports)):
        note(line)
    found = await ledger.products.find(ProductFilter(job=job.name), limit=_MOST_PRODUCTS)
    for line in wares(reports, found):
        note(line)
    _tell_apart(reports)
    await _tell_others(ledger, job, reports)
    _samples(reports)


def discoveries(reports: Sequence[SiteReport]) -> Iterator[str]:
    """How much was found of what no link leads to."""
    deep = [report for report in reports if report.unlinked]
    if deep:
        there = plural(sum(len(report.unlinked) for report in deep), "page")
        found = sum(report.discovered for report in deep)
        of = ", ".join(f"{each.name} {each.discovered} of {len(each.unlinked)}" for each in deep)
        yield f"\nNo link leads to {there}; {found:,} were discovered: {of}."


def wares(reports: Sequence[SiteReport], found: Sequence[ProductRecord]) -> Iterator[str]:
    """How many of the products for sale were read, and how many of those rightly."""
    truths = {url: each for report in reports for url, each in report.truth.products.items()}
    if not truths:
        return
    read = {str(normalise(record.product.url, _RULES)): record.product for record in found}
    right = sum(url in read and _says(read[url]) == _says(each) for url, each in truths.items())
    wrongly = len(read.keys() - truths.keys())
    more = f", and {plural(wrongly, 'page')} TAKEN FOR A PRODUCT'S" if wrongly else ""
    yield (
        f"\nOf {plural(len(truths), 'product')} for sale {len(read.keys() & truths.keys()):,} were"
        f" read, {right:,} of them without a mistake{more}: tenax products."
    )


def _says(product: Product | Truthful) -> tuple[str, ...]:
    return tuple(
        str(getattr(product, name))
        for name in ("name", "price", "currency", "availability", "brand", "category", "sku")
    )


def browser_advice(reports: Sequence[SiteReport]) -> Iterator[str]:
    """How the pages could be had that only a browser gets; nothing where one was there."""
    for report in reports:
        if report.needs_browser:
            pages = f"{report.name} site makes its {plural(len(report.truth.rendered), 'page')}"
            yield f"\nThe {pages} by JavaScript, and there was no browser"
            yield f"that could run it. To have them: {pip_install('browser')}, and a Chromium"
            yield "(Debian: apt install chromium). tenax doctor says whether it can be used."


def _tell_apart(reports: Sequence[SiteReport]) -> None:
    told = [told for report in reports for told in report.told]
    if told:
        note("\nAnswered with 200 and yet no pages, so not kept:")
    for each in told:
        note(each.line())


async def _tell_others(ledger: Ledger, job: Job, reports: Sequence[SiteReport]) -> None:
    counts = await ledger.jobs.counts(job.id)
    refused = ", ".join(
        f"{count:,} {reason}"
        for reason, count in sorted(counts.rejected.items(), key=lambda item: -item[1])
        if reason is not Reason.KNOWN
    )
    note(f"\nLinks not taken: {refused}.")
    note("Ended otherwise:")
    named = {told.verdict for report in reports for told in report.told}
    for reason, count in await ledger.pages.failures(job.id, limit=8 + len(named)):
        if reason not in named:
            note(f"  {count:>5}x {printable(reason)[:90]}")
    for name, _, why in await ledger.hosts.waiting(job.id):
        note(f"  {name} is left for later: {why}.")


async def _reports(ledger: Ledger, web: DemoWeb, job: Job) -> list[SiteReport]:
    stored: dict[str, list[PageRecord]] = {}
    after = 0
    while batch := await ledger.pages.find(job=job.name, after=after, limit=500):
        after = batch[-1].target_id
        for page in batch:
            stored.setdefault(host_of(page.url), []).append(page)
    truths = truth(web)
    reports = []
    for name, site in web.sites.items():
        visits = web.asked(name)
        asked = [site.origin + visit.path for visit in visits]
        by_browser = await _is_rendered(ledger, job, truths[name])
        refusals = truths[name].to_refuse(by_browser=by_browser)
        report = SiteReport(
            name=name,
            truth=truths[name],
            stored=tuple(stored.get(host_of(site.url), ())),
            told=tuple([told async for told in _refused(ledger, job, site, refusals)]),
            requests=len(visits),
            breaches=len(truths[name].breaches(asked)),
            by_browser=by_browser,
        )
        reports.append(report)
    return reports


async def _is_rendered(ledger: Ledger, job: Job, known: Truth) -> bool:
    target = await target_in(job, known.front, ledger.pages) if known.rendered else None
    attempts = await ledger.pages.attempts(target.id) if target else []
    return any(each.client == Client.BROWSER and each.outcome == Read.word for each in attempts)


async def _refused(
    ledger: Ledger, job: Job, site: Site, refusals: Mapping[str, str]
) -> AsyncIterator[Told]:
    """What became of the answers that are to be refused, where one was."""
    for url in refusals:
        target = await target_in(job, url, ledger.pages)
        attempts = await ledger.pages.attempts(target.id) if target else []
        if attempts and attempts[-1].outcome in (Garbage.word, Unrendered.word):
            last = attempts[-1]
            evidence = last.error.removeprefix(f"{last.cause}: ")  # which has a column of its own
            yield Told(site.name, url.removeprefix(site.origin), last.cause, evidence)


def _samples(reports: Sequence[SiteReport]) -> None:
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
