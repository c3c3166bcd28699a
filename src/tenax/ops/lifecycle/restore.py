"""Restore of a backup into an empty place: checked before, audited after (LIFE-2).

The ledger comes last and in one transaction. Until then nothing is there that anybody would use,
so whatever was interrupted is simply run again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from tenax.ops.lifecycle.backup import (
    CONTENT,
    KEYS,
    LEDGER,
    LISTS,
    BackupParts,
    Manifest,
    damage,
    read_manifest,
)
from tenax.ops.lifecycle.relocate import RelocationProgress, bring, in_batches
from tenax.ports import Finding, Unavailable


class Restored(Struct, frozen=True):
    """What came back."""

    manifest: Manifest
    bodies: int
    findings: tuple[Finding, ...] = ()
    """What the audit of the restored ledger found."""
    keys_kept: tuple[str, ...] = ()
    """Key files that were there and are others: left as they were."""
    lists_kept: tuple[str, ...] = ()
    """Lists that were not empty: left as they were."""


class BackupDamaged(Exception):
    """The backup is not as it was written: what of it."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(found)
        self.found = found


async def restore(
    parts: BackupParts, folder: Path, heard: Callable[[str], None] = lambda _: None
) -> Restored:
    """Bring everything back; raises `BackupDamaged` before anything was written."""
    manifest = read_manifest(folder)
    stock = parts.stock(folder / CONTENT)
    try:
        if found := await damage(stock, folder, heard):
            raise BackupDamaged(found)
        brought = RelocationProgress()
        async for digests in stock.digests():
            for some in in_batches(digests):
                brought = await bring(stock, parts.content, some, brought, keep=True)
            heard(f"{brought.bodies + brought.already:,} bodies restored")
    finally:
        await stock.close()
    if brought.damaged:
        raise Unavailable(
            f"{brought.damaged:,} bodies could not be written. Run it again when the store is"
            " well: nothing refers to what was written so far."
        )
    kept = _bring_keys(parts.keys, folder / KEYS, manifest)
    await parts.copies.load(folder / LEDGER, manifest.ledger, lambda name: heard(f"table {name}"))
    full = await _bring_lists(parts, folder, manifest)
    findings = await parts.copies.audit()
    os.sync()
    count = brought.bodies + brought.already
    return Restored(manifest, count, tuple(findings), kept, full)


def _bring_keys(files: tuple[Path, ...], folder: Path, manifest: Manifest) -> tuple[str, ...]:
    kept = []
    places = {path.name: path for path in files}
    for name in manifest.keys:
        source, target = folder / name, places.get(name)
        if target is None:
            continue
        if target.exists():
            if target.read_bytes() != source.read_bytes():
                kept.append(name)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        os.chmod(target, 0o600)
    return tuple(kept)


async def _bring_lists(parts: BackupParts, folder: Path, manifest: Manifest) -> tuple[str, ...]:
    if not manifest.lists:
        return ()
    if parts.lists is None:
        return tuple(manifest.lists)
    lists = msgspec.msgpack.decode((folder / LISTS).read_bytes(), type=dict[str, list[bytes]])
    return tuple(await parts.lists.fill(lists))
