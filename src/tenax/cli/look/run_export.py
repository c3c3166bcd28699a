"""How is an export run from a terminal, and what is said when it ends or is cut off?"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import nullcontext

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
from tenax.compose.exports import make_export, make_exporter, make_record_exporter
from tenax.ops.export.chunks import CHUNK_FIELDS
from tenax.ops.export.export import DEFAULT, FIELDS, ExportField, UnknownField, choose
from tenax.ops.export.files import ExportSource, can_resume
from tenax.ops.export.formats import Format
from tenax.ops.export.places import Outlet, PlaceKind, WrongPlace, settle_place
from tenax.ops.export.products import PRICE_FIELDS, PRODUCT_FIELDS
from tenax.ops.products.wanted import UnclearQuestion, since
from tenax.page.reading.link_style import LinkStyle
from tenax.ports.handled import RecordFilter
from tenax.ports.products import ProductFilter
from tenax.settings import Settings

_OF_PAGES = (Format.WARC, Format.MARKDOWN)
_RESUMABLE = (PlaceKind.FILE, PlaceKind.FOLDER)


class ExportOrder(Struct, frozen=True):
    """One `tenax export` as the user asked for it."""

    settings: Settings
    format: Format | None
    job: str | None
    output: str | None
    fields: list[str] | None
    added: list[str]
    resume: bool
    products: bool = False
    prices: bool = False
    records: str | None = None
    """Of the user's own, those of this name."""
    changed_since: str | None = None
    since: str | None = None
    changed: bool = False
    chunks: int | None = None
    links: LinkStyle = LinkStyle.INLINE

    @property
    def what(self) -> str:
        """What was asked for, but for where it goes."""
        kind = f"{' products' * self.products}{' prices' * self.prices}"
        if self.chunks:
            kind = f" chunks={self.chunks}"
        if self.records is not None:
            kind = f" records={self.records}"
        if self.links is not LinkStyle.INLINE:
            kind = f"{kind} links={self.links}"
        since = f" since={self.changed_since}" if self.changed_since else ""
        if self.since:
            since = f" since={self.since}{' changed' * self.changed}"
        fields = f"fields={self.fields} {self.added}"
        return f"{kind} job={self.job} {fields}{since}"

    @property
    def noun(self) -> str:
        if self.chunks:
            return "chunk"
        if self.records is not None:
            return "record"
        return "price" if self.prices else "product" if self.products else "page"

    @property
    def flag(self) -> str:
        """Which of them, as it was asked for."""
        if self.chunks:
            return " --chunks"
        if self.records is not None:
            return " --records"
        return " --prices" if self.prices else " --products" if self.products else ""

    @property
    def known(self) -> tuple[ExportField, ...]:
        return _fields(products=self.products, prices=self.prices, chunks=self.chunks is not None)

    @property
    def usual(self) -> list[str]:
        return [field.name for field in self.known] if self.flag else list(DEFAULT)


async def export_pages(order: ExportOrder) -> int:
    try:
        place = settle_place(order.output, order.format)
    except WrongPlace as error:
        return fail(str(error), EXIT_BAD_INPUT)
    except OSError as error:
        return _unwritten(order, error)
    if problem := _contradiction(order, place):
        return fail(problem, EXIT_BAD_INPUT)
    names = order.usual if order.fields is None else order.fields
    try:
        if order.records is None:
            choose(names + order.added, order.known)
    except UnknownField as error:
        all_of_them = f"tenax export{order.flag} --list-fields"
        return fail(f"--fields: {error} `{all_of_them}` has them all.", EXIT_BAD_INPUT)
    async with open_ledger(order.settings, create=False) as ledger:
        if await chosen_jobs(ledger, order.job) is None:
            return EXIT_BAD_INPUT
        wanted = order.changed_since or order.since
        try:
            at = since(wanted, ledger.clock.now())
        except UnclearQuestion as error:
            flag = "--since" if order.since else "--changed-since"
            return fail(f"{flag} {wanted!r}: {error}", EXIT_BAD_INPUT)
        exporter: ExportSource
        if order.records is None:
            exporter, fields = make_exporter(
                ledger,
                place.form,
                names + order.added,
                products=order.products,
                prices=order.prices,
                chunks=order.chunks,
                links=order.links,
                since=at,
                changed=order.changed,
            )
        else:
            if order.records not in await ledger.records.names(order.job):
                return fail(await _no_records(order, ledger), EXIT_BAD_INPUT)
            try:
                exporter, fields = await make_record_exporter(
                    ledger, place.form, order.fields, order.records, order.job, at
                )
            except UnknownField as error:
                return fail(f"--fields: {error}", EXIT_BAD_INPUT)
        try:
            return await _export(order, place, ledger, exporter, fields)
        except BrokenPipeError:
            raise
        except OSError as error:
            return _unwritten(order, error)


async def _no_records(order: ExportOrder, ledger: Ledger) -> str:
    there = ", ".join(await ledger.records.names(order.job))
    known = f"There are {there}." if there else "No handler has told any: `tenax records --rates`."
    return f"--records {order.records!r}: there are none of this name. {known}"


def _unwritten(order: ExportOrder, error: OSError) -> int:
    where = order.output or "stdout"
    return fail(f"{where}: cannot be written ({error.strerror}).", EXIT_INFRASTRUCTURE)


def _contradiction(order: ExportOrder, place: Outlet) -> str:
    flag = order.flag.strip()
    kinds = {
        "--products": order.products,
        "--prices": order.prices,
        "--chunks": order.chunks is not None,
        "--records": order.records is not None,
    }
    if sum(kinds.values()) > 1:
        named = [name for name, is_wanted in kinds.items() if is_wanted]
        return f"{' and '.join(named)} are two things to export: use one."
    if flag and place.form in _OF_PAGES:
        return f"{flag}: {place.form} has whole pages. Use --format jsonl, csv or parquet."
    if flag and order.added:
        return f"{flag}: they have no such fields. `--fields` chooses among what they have."
    if order.chunks and order.links is LinkStyle.FOOT:
        return "--links foot: a chunk has no foot. Use inline or none."
    if order.changed_since is not None and flag not in ("--products", "--prices", "--records"):
        return "--changed-since: for products and records. For pages: --since WHEN --changed."
    if flag != "--chunks" and flag and (order.since is not None or order.changed):
        return f"--since: for pages only. With {flag} use --changed-since WHEN."
    if order.changed and order.since is None:
        return "--changed: since when? Add --since WHEN: a date, or an age, as 12h."
    if order.resume and place.kind not in _RESUMABLE:
        return "--resume: only a file can be gone on with. Use --output FILE."
    if place.form in _OF_PAGES and (order.fields or order.added):
        return f"--format {place.form}: it has no fields to choose. Leave the fields away."
    return ""


async def _to_stdout(pieces: AsyncIterator[bytes]) -> None:
    out = sys.stdout.buffer
    async for piece in pieces:
        out.write(piece)
    out.flush()


async def _export(
    order: ExportOrder,
    place: Outlet,
    ledger: Ledger,
    exporter: ExportSource,
    fields: tuple[ExportField, ...],
) -> int:
    is_stdout = place.kind is PlaceKind.STDOUT
    can_go_on = place.kind in _RESUMABLE
    if order.resume and not can_resume(place.path):
        note(f"Nothing of {order.output} is there to go on with: from the beginning.")
    with Bar(0 if is_stdout else await _count(ledger, order), quiet=is_stdout) as bar:
        what = f"{place.form}{order.what}"
        export = make_export(
            ledger, place, exporter, fields, what, bar.tick, _to_stdout, order.links
        )
        # A pipe that nobody reads from would not let Ctrl-C be heard in order.
        is_calm = place.kind in (PlaceKind.FILE, PlaceKind.FOLDER, PlaceKind.BUCKET)
        async with interruptible(export) if is_calm else nullcontext():
            is_complete = await export.run(order.job, resume=order.resume)
    if not is_complete:
        goes_on = " The same command with --resume goes on from there." * (
            can_go_on and can_resume(place.path)
        )
        note(f"Cut off after {plural(exporter.tally.pages, order.noun)}.{goes_on}")
        return EXIT_INTERRUPTED
    if export.resumed:
        note(f"{plural(export.resumed, order.noun)} of them were there already.")
    _tell(order, place, exporter)
    return 0


async def _count(ledger: Ledger, order: ExportOrder) -> int:
    if order.records is not None:
        return await ledger.records.count(RecordFilter(name=order.records, job=order.job))
    if order.chunks is None and order.flag:
        # Of prices nobody knows how many there are; of products it is at least as many.
        return await ledger.products.count(ProductFilter(job=order.job))
    return await page_count(ledger, order.job)


async def page_count(ledger: Ledger, job: str | None) -> int:
    jobs = [each for each in await ledger.jobs.all() if job in (None, each.name)]
    return sum([(await ledger.jobs.counts(each.id)).pages for each in jobs])


def _tell(order: ExportOrder, place: Outlet, exporter: ExportSource) -> None:
    tally = exporter.tally
    to = "" if place.kind is PlaceKind.STDOUT else f" to {order.output}"
    note(f"Exported {plural(tally.pages, order.noun)}{to}.")
    if not tally.lost_bodies:
        return
    left = "they are left out" if place.form in _OF_PAGES else "their fields are null"
    bodies = plural(tally.lost_bodies, "body", "bodies")
    note(f"{bodies} missing or damaged: {left}. `tenax audit --bodies` names the pages.")


def _fields(*, products: bool, prices: bool, chunks: bool = False) -> tuple[ExportField, ...]:
    if chunks:
        return CHUNK_FIELDS
    return PRICE_FIELDS if prices else PRODUCT_FIELDS if products else FIELDS


def tell_fields(*, products: bool = False, prices: bool = False, chunks: bool = False) -> int:
    fields = _fields(products=products, prices=prices, chunks=chunks)
    width = max(len(field.name) for field in fields)
    for field in fields:
        usual = "" if fields is not FIELDS or field.name in DEFAULT else "  (when asked for)"
        print(f"{field.name:<{width}}  {field.meaning}{usual}")
    return 0
