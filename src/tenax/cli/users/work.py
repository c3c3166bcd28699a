"""What do the commands of `tenax user` do?"""

from __future__ import annotations

import getpass
import sys

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
from tenax.compose import Ledger, open_ledger
from tenax.compose.api import require_libraries
from tenax.ops.accounts.passwords import PasswordRefused
from tenax.ops.accounts.users import AccountRefused, Accounts, user_facts
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings, SettingsError


def asked_password(from_stdin: bool) -> str:
    """From whoever sits there, or from a line of standard input."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise SettingsError("there is nobody to ask for a password: use --password-stdin.")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise SettingsError("the two passwords differ.")
    return password


async def add_user(settings: Settings, name: str, role: str, password: str, json: bool) -> int:
    require_libraries()
    async with open_ledger(settings) as ledger:
        try:
            await _accounts(ledger).add(name, ApiRole(role), password)
        except (AccountRefused, PasswordRefused) as error:
            return fail(f"user add {printable(name)[:80]}: {error}", EXIT_BAD_INPUT)
    if json:
        as_json({"name": name, "role": role})
    else:
        note(f"{name} ({role}) can log in.")
    return 0


async def list_users(settings: Settings, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        found = await ledger.users.all()
    if json:
        for user in found:
            as_json(user_facts(user))
        return 0
    if not found:
        note("Nobody can log in. Add somebody: tenax user add NAME --role admin")
        return 0
    rows = [
        (
            user.name,
            user.role.value,
            moment(user.created_at),
            "to be chosen" if user.one_time else "chosen",
        )
        for user in found
    ]
    heads = ("role", "since", "password")
    columns = (TableColumn("name", yields=True), *(TableColumn(head) for head in heads))
    print("\n".join(table(columns, rows, terminal_width())))
    return 0


async def change_password(settings: Settings, name: str, password: str, json: bool) -> int:
    require_libraries()
    async with open_ledger(settings, create=False) as ledger:
        try:
            is_changed = await _accounts(ledger).choose_password(name, password)
        except PasswordRefused as error:
            return fail(f"user passwd: {error}", EXIT_BAD_INPUT)
    if json:
        as_json({"name": name, "changed": is_changed})
        return 0 if is_changed else EXIT_NOTHING
    if not is_changed:
        return _nobody(name)
    note(f"{name} has another password, and has to log in again.")
    return 0


async def remove_user(settings: Settings, name: str, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        try:
            is_removed = await _accounts(ledger).remove(name)
        except AccountRefused as error:
            return fail(f"user remove: {error}", EXIT_BAD_INPUT)
    if json:
        as_json({"name": name, "removed": is_removed})
        return 0 if is_removed else EXIT_NOTHING
    if not is_removed:
        return _nobody(name)
    note(f"{name} is removed.")
    return 0


def _accounts(ledger: Ledger) -> Accounts:
    return Accounts(ledger.users, ledger.clock)


def _nobody(name: str) -> int:
    told = f"nobody of the name {printable(name)[:80]}. `tenax user` lists them."
    return fail(told, EXIT_NOTHING)
