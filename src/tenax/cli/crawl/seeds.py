"""How do seeds enter a job from the command line? URLs, sitemaps and files, each told of."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from tenax.cli.crawl.progress import LiveLine
from tenax.cli.crawl.seed_files import SeedFile
from tenax.cli.terminal.say import EXIT_BAD_INPUT, fail, note, plural, printable
from tenax.compose import App, require_contact
from tenax.crawl.run import offer_seeds
from tenax.crawl.settle import Busy
from tenax.model import Job, JobSpec, JobState
from tenax.ops.jobs.bulk_seeds import MOST_GROUNDS, Grounds, Seed, Sown, sow
from tenax.urls.normalise import resolve, seed_url


class Planted(Struct, frozen=True):
    """A job with the seeds that were typed."""

    job: Job
    taken: int
    """Of those seeds, how many the job has now; files not counted."""


class Planting:
    """The seeds of one command."""

    def __init__(self, app: App, files: Sequence[SeedFile] = (), *, quiet: bool = False) -> None:
        self._app = app
        self._files = files
        self._quiet = quiet
        self._line = LiveLine()
        self.busy = asyncio.Event()
        """Set once seeds have to wait until others are visited."""

    async def prepare(self, name: str, spec: JobSpec, *, is_crawled: bool = False) -> Planted:
        """Save the job, with what it had to start from before, and offer what was typed.

        For the files of a job that this process crawls, a contact has to be set.
        """
        known = await self._app.parts.jobs.get(name)
        had = known.spec if known else JobSpec()
        typed = {*spec.seeds, *spec.sitemaps}
        spec = replace(
            spec,
            seeds=_together(had.seeds, spec.seeds),
            sitemaps=_together(had.sitemaps, spec.sitemaps),
        )
        # What is wrong with the wishes is told before anything is written.
        self._app.admission(Job(0, name, JobState.STOPPED, spec, 0.0))
        grounds = tuple(self._survey(spec, is_crawled))
        job = await self._app.parts.jobs.save(
            name, replace(spec, seeds=spec.seeds + grounds), JobState.STOPPED
        )
        # What the files brought into scope is offered with the rest of them.
        offered = replace(job, spec=spec)
        offer = await offer_seeds(self._app.parts, self._app.admission(offered))
        if isinstance(offer, Busy):
            # What waits already is work enough; the seeds are part of the job for the next time.
            told = plural(offer.waiting, "URL waits", "URLs wait")
            note(f"{told} in {printable(name)} already: going on with those first.")
            return Planted(job, offer.waiting)
        for seed, reason in offer.kept:
            if seed in typed:
                told = f"{printable(seed)}: not crawled: {reason}. `tenax why` tells more."
                fail(told, EXIT_BAD_INPUT)
        return Planted(job, len(offer.found))

    async def sow(self, job: Job) -> Sown:
        """Add the seeds of the files, and say what became of them."""
        if not self._files:
            return Sown()
        try:
            sown = await sow(self._app.parts, self._app.admission(job), self._seeds(), self._tell)
        finally:
            self._line.clear()
        for seed, rejected in sown.examples:
            told = f"{printable(seed.text)[:200]}: not crawled: {rejected.reason}"
            fail(f"{seed.place}: {told}, {printable(rejected.detail)}.", EXIT_BAD_INPUT)
        refused = sum(sown.refused.values())
        if refused > len(sown.examples):
            reasons = ", ".join(f"{n:,} {reason}" for reason, n in sown.refused.most_common())
            fail(f"{plural(refused, 'seed')} not crawled in all: {reasons}.", EXIT_BAD_INPUT)
        if not self._quiet:
            known = f", {sown.known:,} known already" if sown.known else ""
            left_out = f", {refused:,} not taken" if refused else ""
            note(f"{plural(sown.read, 'seed')} read: {sown.new:,} new{known}{left_out}.")
        return sown

    async def sow_for_others(self, job: Job, *, start: bool = False) -> Sown | None:
        """The same for a job that others crawl; `start` starts it once no more fit in.

        None when the rest would have to wait for visits, and nobody is to visit anything.
        """
        sowing = asyncio.create_task(self.sow(job))
        try:
            await self.until_crawlable(sowing)
            if not sowing.done() and not await self._is_crawled(job, start):
                return None
            return await sowing
        except asyncio.CancelledError:
            note(f"\nInterrupted. What was read is in {printable(job.name)}; add the rest with"
                 f" tenax jobs change {shlex.quote(job.name)} --seeds FILE.")  # fmt: skip
            raise
        finally:
            sowing.cancel()
            await asyncio.wait((sowing,))

    async def until_crawlable(self, sowing: asyncio.Task[Sown]) -> None:
        """All seeds are in, or so many that the others have to wait until these are visited."""
        busy = asyncio.create_task(self.busy.wait())
        try:
            await asyncio.wait((sowing, busy), return_when=asyncio.FIRST_COMPLETED)
        finally:
            busy.cancel()

    async def _is_crawled(self, job: Job, start: bool) -> bool:
        jobs = self._app.parts.jobs
        if start:
            await jobs.set_state(job.id, JobState.RUNNING)
        if (await jobs.states()).get(job.id) is not JobState.RUNNING:
            return False
        if not self._quiet:
            note("As much waits as may (feed.frontier_limit). The rest follows as a worker visits"
                 " it; Ctrl-C leaves it for another time.")  # fmt: skip
        return True

    def _survey(self, spec: JobSpec, is_crawled: bool) -> Iterator[str]:
        """Read the files once before anything begins: what is in scope, and whom to tell who
        we are."""
        grounds = Grounds(spec.scope, spec.seeds)
        must_ask = is_crawled and not self._app.settings.contact
        for seed in self._seeds():
            grounds.add(seed.text)
            if must_ask:
                require_contact(self._app.settings, (seed.text,))
        if not grounds.is_complete:
            note(
                f"These seeds are on more than {MOST_GROUNDS:,} hosts. All are visited, but links"
                f" are followed only at the first {MOST_GROUNDS:,}; --scope any follows all."
            )
        return grounds.new

    def _seeds(self) -> Iterator[Seed]:
        return chain.from_iterable(self._files)

    def _tell(self, sown: Sown) -> None:
        if sown.is_busy:
            self.busy.set()
        elif not self._quiet and not self.busy.is_set() and self._line.is_due:
            self._line.show(f"{sown.read:,} seeds read · {sown.new:,} new")


def as_typed(urls: Iterable[str]) -> tuple[str, ...]:
    """Seeds as people write them, each a whole URL where it can be one."""
    return tuple(resolve(seed_url(url)) or url for url in urls)


def _together(before: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(before + more))
