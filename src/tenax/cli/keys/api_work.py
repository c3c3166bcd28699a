"""What do the commands of `tenax key api` do?"""

from __future__ import annotations

import re

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
from tenax.ops.accounts.api_keys import digest_of, new_key
from tenax.ops.dates import iso
from tenax.ports.api_keys import ApiRole
from tenax.settings import Settings

_NAME = re.compile(r"[\w.@+-]{1,64}")


async def add_key(settings: Settings, name: str, role: str, json: bool) -> int:
    if not _NAME.fullmatch(name):
        return fail(
            f"key api add {printable(name)[:80]}: use up to 64 letters, digits and . _ - @ +.",
            EXIT_BAD_INPUT,
        )
    key = new_key()
    async with open_ledger(settings) as ledger:
        if not await ledger.api_keys.add(name, ApiRole(role), digest_of(key)):
            return fail(
                f"there is a key {name} already. Revoke it first: tenax key api revoke {name}",
                EXIT_BAD_INPUT,
            )
    if json:
        as_json({"name": name, "role": role, "key": key})
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
            as_json({"name": key.name, "role": key.role, "created_at": iso(key.created_at)})
        return 0
    if not found:
        note("No keys. Make one: tenax key api add NAME --role user")
        return 0
    rows = [(key.name, key.role.value, moment(key.created_at)) for key in found]
    columns = (TableColumn("name", yields=True), TableColumn("role"), TableColumn("since"))
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
