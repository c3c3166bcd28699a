"""How do seeds enter a job from the command line? URLs, sitemaps and files, each told of."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator, Sequence
from itertools import chain

from tenax.cli.crawl.progress import LiveLine
from tenax.cli.crawl.seed_files import SeedFile
from tenax.cli.terminal.say import EXIT_BAD_INPUT, fail, note, plural, printable
from tenax.compose import Ledger, require_contact
from tenax.model import Job, JobSpec, JobState, Post, Reason
from tenax.ops.jobs.bulk_seeds import MOST_GROUNDS, Grounds, Seed, Sown, sow, start_in
from tenax.ops.jobs.change import JobChanged
from tenax.ops.jobs.create import JobCreated, JobInvalid
from tenax.settings import SettingsError
from tenax.urls.addresses import literal_address
from tenax.urls.normalise import hostname_of


class Planting:
    """The seeds of one command."""

    def __init__(
        self, ledger: Ledger, files: Sequence[SeedFile] = (), *, quiet: bool = False
    ) -> None:
        self._ledger = ledger
        self._files = files
        self._quiet = quiet
        self._line = LiveLine()
        self.busy = asyncio.Event()
        """Set once seeds have to wait until others are visited."""

    def grounds(
        self, spec: JobSpec, known: Job | None = None, *, is_crawled: bool = False
    ) -> tuple[str | Post, ...] | None:
        """What the files bring into scope besides the seeds typed and `known`; None without files.

        For those of a job that this process crawls, a contact has to be set.
        """
        if not self._files:
            return None
        whole = spec.added_to(known.spec) if known else spec
        return tuple(self._survey(whole, is_crawled))

    def tell(self, spec: JobSpec, answer: JobCreated | JobChanged | JobInvalid) -> None:
        """Say which of the seeds that were typed are not crawled, and why."""
        typed = {*spec.starts}
        if isinstance(answer, JobChanged) and answer.waiting:
            # What waits already is work enough; the seeds are part of the job for the next time.
            told = plural(answer.waiting, "URL waits", "URLs wait")
            note(f"{told} in {printable(answer.job.name)} already: going on with those first.")
        for seed, reason in answer.refused:
            if seed in typed:
                told = f"{printable(seed)}: not crawled: {reason}. {_what_to_do(seed, reason)}"
                fail(told, EXIT_BAD_INPUT)
        if isinstance(answer, JobInvalid) and not answer.refused:
            raise SettingsError(f"{answer.field}: {answer.why}.")

    async def sow(self, job: Job) -> Sown:
        """Add the seeds of the files, and say what became of them."""
        if not self._files:
            return Sown()
        context = self._ledger.job_context
        try:
            sown = await sow(context, self._ledger.admission(job), self._seeds(), self._tell)
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
        jobs = self._ledger.jobs
        if start:
            await jobs.set_state(job.id, JobState.RUNNING)
        if (await jobs.states()).get(job.id) is not JobState.RUNNING:
            return False
        if not self._quiet:
            note("As much waits as may (feed.frontier_limit). The rest follows as a worker visits"
                 " it; Ctrl-C leaves it for another time.")  # fmt: skip
        return True

    def _survey(self, spec: JobSpec, is_crawled: bool) -> Iterator[str | Post]:
        """Read the files once before anything begins: what is in scope, and whom to tell who
        we are."""
        grounds = Grounds(spec.scope, (*spec.seeds, *spec.posts))
        must_ask = is_crawled and not self._ledger.settings.contact
        for seed in self._seeds():
            start = start_in(seed.text)
            grounds.add(start)
            if must_ask:
                url = start.url if isinstance(start, Post) else start
                require_contact(self._ledger.settings, (url,))
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


def _what_to_do(seed: str, reason: Reason) -> str:
    if reason is not Reason.PRIVATE_ADDRESS:
        return "`tenax why` tells more."
    address = literal_address(hostname_of(seed)) or "127.0.0.1"
    return f"Is it yours? Allow it: --allow-private {address}"
