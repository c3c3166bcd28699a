"""What do the commands of `tenax key api` do?"""

from __future__ import annotations

from msgspec import Struct

from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    fail,
    moment,
    note,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import open_ledger
from tenax.jobs.durations import parse_duration
from tenax.ops.accounts.api_keys import KeyRefused, add_key, key_facts
from tenax.ops.dates import iso
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings


class WantedKey(Struct, frozen=True):
    """A key as the user asked for it."""

    name: str
    role: str
    jobs: tuple[str, ...] | None
    expires: str | None


async def make_key(settings: Settings, wanted: WantedKey, json: bool) -> int:
    name, role = wanted.name, wanted.role
    try:
        seconds = parse_duration(wanted.expires) if wanted.expires is not None else None
    except ValueError as error:
        return fail(f"--expires: {error}", EXIT_BAD_INPUT)
    async with open_ledger(settings) as ledger:
        for job in wanted.jobs or ():
            if await ledger.jobs.get(job) is None:
                told = f"--job: no job of the name {printable(job)[:80]}. `tenax jobs` lists them."
                return fail(told, EXIT_BAD_INPUT)
        until = None if seconds is None else ledger.clock.now() + seconds
        try:
            key = await add_key(
                ledger.api_keys, name, ApiRole(role), jobs=wanted.jobs, expires_at=until
            )
        except KeyRefused as error:
            told = f"key api add {printable(name)[:80]}: {error}"
            return fail(
                f"{told} `tenax key api revoke {printable(name)[:80]}` ends one.", EXIT_BAD_INPUT
            )
    if json:
        told_until = None if until is None else iso(until)
        as_json({"name": name, "role": role, "jobs": wanted.jobs, "expires_at": told_until,
                 "key": key})  # fmt: skip
        return 0
    print(key)
    note(f"This is the key of {name} ({role}). It is not shown again: keep it secret, and send it")
    note("as `Authorization: Bearer KEY`.")
    return 0


async def list_keys(settings: Settings, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        found = await ledger.api_keys.all()
    if json:
        for key in found:
            as_json(key_facts(key))
        return 0
    if not found:
        note("No keys. Make one: tenax key api add NAME --role user")
        return 0
    rows = [
        (
            key.name,
            key.role.value,
            "all" if key.jobs is None else ", ".join(key.jobs),
            moment(key.created_at),
            "never" if key.used_at is None else moment(key.used_at),
            "revoked" if key.expires_at is None else moment(key.expires_at),
        )
        for key in found
    ]
    heads = ("role", "jobs", "since", "last used", "good until")
    columns = (TableColumn("name", yields=True), *(TableColumn(head) for head in heads))
    print("\n".join(table(columns, rows, terminal_width())))
    return 0


async def revoke_key(settings: Settings, name: str, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        is_revoked = await ledger.api_keys.revoke(name)
    if json:
        as_json({"name": name, "revoked": is_revoked})
        return 0 if is_revoked else EXIT_NOTHING
    if not is_revoked:
        return fail(
            f"no key of the name {printable(name)[:80]}. `tenax key api` lists them.", EXIT_NOTHING
        )
    note(f"The key of {name} is revoked.")
    return 0
