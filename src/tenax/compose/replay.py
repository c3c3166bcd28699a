"""What does reading bodies without fetching them need? Ledger, content store, and the door."""

from __future__ import annotations

from collections.abc import Sequence

from tenax.compose.clients import read_signatures
from tenax.compose.handlers import make_handlers
from tenax.compose.ledger import Ledger
from tenax.crawl.admit import Admission
from tenax.model import Job, Page
from tenax.ops.replay.import_archive import Importer
from tenax.ops.replay.reread import Replay
from tenax.page.handlers.registry import Handler
from tenax.ports import PageRecord
from tenax.ports.replayed import PageFilter


async def make_replay(
    ledger: Ledger,
    which: PageFilter,
    *,
    dry: bool,
    links: bool,
    handlers: Sequence[Handler] = (),
    threads: bool = True,
) -> Replay:
    """`links` offers what pages link to to their jobs. `handlers` are those of the program,
    besides those that the settings name: all of them read the pages, too. Without `threads` they
    do so on the event loop, for simulations."""
    from tenax.adapters.local.rehearsal import ForkedRehearsal

    offer = None
    if links:
        jobs = {job.name: job for job in await ledger.jobs.all()}
        offer = _Links(ledger, jobs).offer
    token = ledger.settings.token
    products = ledger.products
    return Replay(
        ledger.rereads, ledger.content, which, token, dry=dry, offer=offer, products=products,
        sites=ledger.sites, handlers=make_handlers(ledger.settings, handlers, threads=threads),
        records=ledger.records, rehearsal=ForkedRehearsal(ledger.settings.reading),
    )  # fmt: skip


def make_importer(ledger: Ledger, job: Job) -> Importer:
    """Takes archives into this job."""
    from tenax.adapters.sql.records.imports import SqlImports

    settings = ledger.settings
    imports = SqlImports(ledger.database, settings.similar)
    limit = settings.fetch.limits.body_bytes
    signatures = read_signatures(settings)
    return Importer(
        imports, ledger.content, ledger.admission(job), settings.token, limit, signatures
    )


class _Links:
    """Offers links as a visit does: through the door of the job."""

    def __init__(self, ledger: Ledger, jobs: dict[str, Job]) -> None:
        self._ledger = ledger
        self._jobs = jobs
        self._admissions: dict[str, Admission] = {}

    async def offer(self, record: PageRecord, page: Page) -> int:
        job = self._jobs.get(record.job)
        if job is None:
            return 0
        if job.name not in self._admissions:
            self._admissions[job.name] = self._ledger.admission(job)
        offered = self._admissions[job.name].offer_page(page, record.depth, record.target_id)
        if not offered.found:
            return 0
        return (await self._ledger.frontier.add(job.id, offered.found)).new
