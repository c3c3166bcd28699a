"""How does an audit read? One line per job when the ledger is whole, the rows when it is not."""

from __future__ import annotations

from tenax.cli.terminal.say import EXIT_FINDINGS, as_json, plain, plural, printable
from tenax.compose import open_ledger
from tenax.compose.places import kept_since
from tenax.ops.health.bodies import inspect
from tenax.ports import Counts, Finding
from tenax.settings import Settings


async def audit_ledger(settings: Settings, bodies: bool, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        findings = await ledger.auditor.audit()
        jobs = await ledger.jobs.all()
        counts = {job.name: await ledger.jobs.counts(job.id) for job in jobs}
        since = kept_since(settings, ledger.clock.now())
        inspection = None
        if bodies:
            inspection = await inspect(ledger.pages, ledger.content, since, ledger.products)
    findings += inspection.findings if inspection else ()
    checked = inspection.checked if inspection else None
    if json:
        as_json({
            "whole": not findings,
            "jobs": {name: _figures(count) for name, count in counts.items()},
            "bodies_checked": checked,
            "findings": plain(findings),
        })  # fmt: skip
    else:
        _tell(findings, counts, checked)
    return EXIT_FINDINGS if findings else 0


def _figures(counts: Counts) -> dict[str, object]:
    states = {state.value: n for state, n in counts.states.items() if n}
    return {"known": counts.known, "states": states, "pages": counts.pages}


def _tell(findings: list[Finding], counts: dict[str, Counts], checked: int | None) -> None:
    known = sum(count.known for count in counts.values())
    total = f"{plural(known, 'URL')} in {plural(len(counts), 'job')}"
    extra = "" if checked is None else f", {plural(checked, 'body', 'bodies')} read"
    if findings:
        broken = plural(len(findings), "promise is", "promises are")
        print(f"The ledger is NOT whole: {broken} broken ({total}{extra}).")
    else:
        print(f"The ledger is whole: {total}{extra}.")
    for name, count in counts.items():
        states = " + ".join(f"{n:,} {state}" for state, n in count.states.items() if n)
        print(f"  {printable(name)}: {count.known:,} known = {states or '0'}")
    for finding in findings:
        print(f"Broken: {finding.promise} ({plural(finding.count, 'row')})")
        for row in finding.rows:
            print(f"  {printable(row)}")
        if finding.count > len(finding.rows):
            print(f"  and {finding.count - len(finding.rows):,} more")
