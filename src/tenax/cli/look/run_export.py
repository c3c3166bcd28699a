"""How is an export run from a terminal, and what is said when it ends or is cut off?"""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec import Struct

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.bar import Bar
from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_INFRASTRUCTURE,
    EXIT_INTERRUPTED,
    fail,
    note,
    plural,
)
from tenax.compose import Ledger, open_ledger
from tenax.compose.exports import make_warc_stream, make_writer
from tenax.ops.export.export import DEFAULT, FIELDS, Exporter, ExportField, UnknownField, choose
from tenax.ops.export.files import Export, can_resume
from tenax.ops.export.formats import Format
from tenax.ops.export.products import (
    PRICE_FIELDS,
    PRODUCT_FIELDS,
    PriceExporter,
    ProductExporter,
)
from tenax.ops.products.wanted import UnclearQuestion, since
from tenax.ports.products import ProductFilter
from tenax.settings import Settings


class ExportOrder(Struct, frozen=True):
    """One `tenax export` as the user asked for it."""

    settings: Settings
    format: Format
    job: str | None
    output: Path | None
    fields: list[str] | None
    added: list[str]
    resume: bool
    products: bool = False
    prices: bool = False
    changed_since: str | None = None

    @property
    def what(self) -> str:
        """What an export that was cut off must have been asked for to be gone on with."""
        kind = f"{' products' * self.products}{' prices' * self.prices}"
        since = f" since={self.changed_since}" if self.changed_since else ""
        fields = f"fields={self.fields} {self.added}"
        return f"{self.format}{kind} job={self.job} {fields}{since}"

    @property
    def noun(self) -> str:
        return "price" if self.prices else "product" if self.products else "page"

    @property
    def flag(self) -> str:
        """Which of them, as it was asked for."""
        return " --prices" if self.prices else " --products" if self.products else ""

    @property
    def known(self) -> tuple[ExportField, ...]:
        return _fields(products=self.products, prices=self.prices)

    @property
    def usual(self) -> list[str]:
        return [field.name for field in self.known] if self.flag else list(DEFAULT)


async def export_pages(order: ExportOrder) -> int:
    if problem := _contradiction(order):
        return fail(problem, EXIT_BAD_INPUT)
    names = order.usual if order.fields is None else order.fields
    try:
        fields = choose(names + order.added, order.known)
    except UnknownField as error:
        all_of_them = f"tenax export{order.flag} --list-fields"
        return fail(f"--fields: {error} `{all_of_them}` has them all.", EXIT_BAD_INPUT)
    async with open_ledger(order.settings, create=False) as ledger:
        if await chosen_jobs(ledger, order.job) is None:
            return EXIT_BAD_INPUT
        try:
            changed = since(order.changed_since, ledger.clock.now())
        except UnclearQuestion as error:
            return fail(f"--changed-since {order.changed_since!r}: {error}", EXIT_BAD_INPUT)
        exporter = _exporter(order, ledger, fields, changed)
        try:
            if order.output is not None:
                return await _to_file(order, ledger, exporter, fields, order.output)
            await _to_stdout(order, ledger, exporter)
        except BrokenPipeError:
            raise
        except OSError as error:
            where = order.output or "stdout"
            return fail(f"{where}: cannot be written ({error.strerror}).", EXIT_INFRASTRUCTURE)
    _tell(order, exporter)
    return 0


def _exporter(
    order: ExportOrder, ledger: Ledger, fields: tuple[ExportField, ...], changed: float | None
) -> Exporter | ProductExporter | PriceExporter:
    if order.prices:
        return PriceExporter(ledger.products, fields, changed)
    if order.products:
        return ProductExporter(ledger.products, fields, changed)
    is_warc = order.format is Format.WARC
    chosen = () if is_warc else fields
    return Exporter(ledger.pages, ledger.content, chosen, whole=is_warc)


def _contradiction(order: ExportOrder) -> str:
    flag = order.flag.strip()
    if order.products and order.prices:
        return "--products and --prices are two things to export: use one."
    if flag and order.format is Format.WARC:
        return f"{flag}: WARC files keep pages. Use --format jsonl, csv or parquet."
    if flag and order.added:
        return f"{flag}: they have no text, links or body. `--fields` chooses among what they have."
    if order.changed_since is not None and not flag:
        return "--changed-since: for products only. Add --products or --prices."
    if order.output is None and order.format is Format.PARQUET:
        return "--format parquet: a Parquet file needs a name. Use --output FILE."
    if order.output is None and order.resume:
        return "--resume: only a file can be gone on with. Use --output FILE."
    if order.format is Format.WARC and (order.fields or order.added):
        return "--format warc: its records have no fields to choose. Leave the fields away."
    return ""


async def _to_stdout(
    order: ExportOrder, ledger: Ledger, exporter: Exporter | ProductExporter | PriceExporter
) -> None:
    out = sys.stdout.buffer
    if isinstance(exporter, Exporter) and order.format is Format.WARC:
        stream = make_warc_stream(ledger)
        out.write(stream.heading)
        async for stored in exporter.stored(order.job):
            out.writelines(stream.records(stored))
    else:
        async for line in exporter.lines(order.format, order.job):
            out.write(line)
    out.flush()


async def _to_file(
    order: ExportOrder,
    ledger: Ledger,
    exporter: Exporter | ProductExporter | PriceExporter,
    fields: tuple[ExportField, ...],
    output: Path,
) -> int:
    writer = make_writer(ledger, order.format, output, fields)
    if order.resume and not can_resume(output):
        note(f"Nothing of {output} is there to go on with: from the beginning.")
    with Bar(await _count(ledger, order)) as bar:
        export = Export(exporter, writer, output, order.what, bar.tick)
        async with interruptible(export):
            is_complete = await export.run(order.job, resume=order.resume)
    if not is_complete:
        goes_on = " The same command with --resume goes on from there." * can_resume(output)
        note(f"Cut off after {plural(exporter.tally.pages, order.noun)}.{goes_on}")
        return EXIT_INTERRUPTED
    if export.resumed:
        note(f"{plural(export.resumed, order.noun)} of them were there already.")
    _tell(order, exporter)
    return 0


async def _count(ledger: Ledger, order: ExportOrder) -> int:
    if order.flag:
        # Of prices nobody knows how many there are; of products it is at least as many.
        return await ledger.products.count(ProductFilter(job=order.job))
    return await page_count(ledger, order.job)


async def page_count(ledger: Ledger, job: str | None) -> int:
    jobs = [each for each in await ledger.jobs.all() if job in (None, each.name)]
    return sum([(await ledger.jobs.counts(each.id)).pages for each in jobs])


def _tell(order: ExportOrder, exporter: Exporter | ProductExporter | PriceExporter) -> None:
    tally = exporter.tally
    to = f" to {order.output}" if order.output else ""
    note(f"Exported {plural(tally.pages, order.noun)}{to}.")
    if not tally.lost_bodies:
        return
    left = "they are left out" if order.format is Format.WARC else "their fields are null"
    bodies = plural(tally.lost_bodies, "body", "bodies")
    note(f"{bodies} missing or damaged: {left}. `tenax audit --bodies` names the pages.")


def _fields(*, products: bool, prices: bool) -> tuple[ExportField, ...]:
    return PRICE_FIELDS if prices else PRODUCT_FIELDS if products else FIELDS


def tell_fields(*, products: bool = False, prices: bool = False) -> int:
    fields = _fields(products=products, prices=prices)
    width = max(len(field.name) for field in fields)
    for field in fields:
        usual = "" if products or prices or field.name in DEFAULT else "  (when asked for)"
        print(f"{field.name:<{width}}  {field.meaning}{usual}")
    return 0
