"""What does reading bodies without fetching them need? Ledger, content store, and the door."""

from __future__ import annotations

from tenax.compose.app import App
from tenax.compose.clients import read_signatures
from tenax.compose.products import open_products
from tenax.crawl.admit import Admission
from tenax.model import Job, Page
from tenax.ops.replay.import_archive import Importer
from tenax.ops.replay.reread import Replay
from tenax.ports import PageRecord
from tenax.ports.replayed import PageFilter, Rereads


def open_rereads(app: App) -> Rereads:
    from tenax.adapters.sql.records.replayed import SqlRereads

    return SqlRereads(app.database, app.settings.similar)


async def make_replay(app: App, which: PageFilter, *, dry: bool, links: bool) -> Replay:
    """`links` offers what pages link to to their jobs."""
    offer = None
    if links:
        jobs = {job.name: job for job in await app.parts.jobs.all()}
        offer = _Links(app, jobs).offer
    token = app.settings.token
    products = open_products(app)
    return Replay(
        open_rereads(app), app.content, which, token, dry=dry, offer=offer, products=products
    )


def make_importer(app: App, job: Job) -> Importer:
    """Takes archives into this job."""
    from tenax.adapters.sql.records.imports import SqlImports

    settings = app.settings
    imports = SqlImports(app.database, settings.similar)
    limit = settings.fetch.limits.body_bytes
    signatures = read_signatures(settings)
    return Importer(imports, app.content, app.admission(job), settings.token, limit, signatures)


class _Links:
    """Offers links as a visit does: through the door of the job."""

    def __init__(self, app: App, jobs: dict[str, Job]) -> None:
        self._app = app
        self._jobs = jobs
        self._admissions: dict[str, Admission] = {}

    async def offer(self, record: PageRecord, page: Page) -> int:
        job = self._jobs.get(record.job)
        if job is None:
            return 0
        if job.name not in self._admissions:
            self._admissions[job.name] = self._app.admission(job)
        offered = self._admissions[job.name].offer_page(page, record.depth, record.target_id)
        if not offered.found:
            return 0
        return (await self._app.parts.frontier.add(job.id, offered.found)).new
