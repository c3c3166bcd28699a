"""Backup of everything a crawl keeps, while it goes on: ledger, bodies, keys, lists (LIFE-2).

The ledger is copied at one moment, then the bodies that it refers to: those were stored before it
said so. The manifest is written last, so a backup that has none was interrupted and is not used.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path

import msgspec
from msgspec import Struct, field

from tenax.ops.dates import iso
from tenax.ops.lifecycle.relocate import RelocationProgress, bring, in_batches
from tenax.ports import Clock, ContentStock, ContentStore, Unavailable
from tenax.ports.lifecycle.copies import KeptLists, LedgerCopies, LedgerCopy
from tenax.ports.lifecycle.retention import Upkeep

BACKUP = "backup"
"""The name of the lease: while it is held, no body is removed."""
_LEASE = 600.0
FORMAT = 1
MANIFEST, LEDGER, CONTENT, KEYS, LISTS = (
    "manifest.json", "ledger", "content", "keys", "lists.msgpack",
)  # fmt: skip
_DIGESTS = "bodies.list"
_DIGEST = 32


class Manifest(Struct, frozen=True):
    """What a backup has, and how each part can be told to be whole."""

    format: int
    tenax: str
    made_at: str
    ledger: LedgerCopy
    bodies: int = 0
    body_bytes: int = 0
    """Unpacked."""
    missing: int = 0
    """Bodies that the ledger refers to and the store did not have, or had damaged."""
    missing_named: tuple[str, ...] = ()
    """The first few of these."""
    keys: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of each key file."""
    lists: dict[str, int] = field(default_factory=dict)
    lists_sha256: str = ""


class BackupParts(Struct, frozen=True):
    """What there is to be copied, or to be filled."""

    copies: LedgerCopies
    upkeep: Upkeep | None
    """None where there is no ledger yet."""
    content: ContentStore
    keys: tuple[Path, ...]
    """Key files, there or not."""
    lists: KeptLists | None
    stock: Callable[[Path], ContentStock]
    """Bodies in a folder."""
    clock: Clock
    keeps_bodies: bool = True
    """False where bodies expire by themselves: then they are nobody's to keep."""


async def back_up(
    parts: BackupParts,
    folder: Path,
    *,
    version: str,
    heard: Callable[[str], None] = lambda _: None,
) -> Manifest:
    """Copy everything into a folder that is empty or not there yet; what is not finished goes."""
    _make_room(folder)
    try:
        async with _holding(parts, folder):
            return await _copy_all(parts, folder, version, heard)
    except BaseException:
        _clear(folder)
        raise


@asynccontextmanager
async def _holding(parts: BackupParts, folder: Path) -> AsyncIterator[None]:
    """No body is removed meanwhile, however long a table takes."""
    if parts.upkeep is None:
        yield
        return
    await _hold(parts, folder)
    keeping = asyncio.create_task(_keep_holding(parts, folder))
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await parts.upkeep.give_back(BACKUP, str(folder), done=True)


async def _keep_holding(parts: BackupParts, folder: Path) -> None:
    while True:
        await parts.clock.sleep(_LEASE / 6)
        # Who copies will hear of it as well.
        with suppress(Unavailable):
            await _hold(parts, folder)


async def _hold(parts: BackupParts, folder: Path) -> None:
    if parts.upkeep is not None and not await parts.upkeep.take(BACKUP, str(folder), _LEASE):
        raise Unavailable(
            "Another backup is being made, or one was killed in the last ten minutes. Run it again"
            " when that has ended."
        )


async def _copy_all(
    parts: BackupParts, folder: Path, version: str, heard: Callable[[str], None]
) -> Manifest:
    # First: what is taken from a list meanwhile is in the ledger, and in both it does no harm.
    lists = await parts.lists.read() if parts.lists is not None else {}
    made_at = iso(parts.clock.now()) or ""
    digests = folder / _DIGESTS
    (folder / LEDGER).mkdir()
    ledger = await parts.copies.write(folder / LEDGER, digests, lambda name: heard(f"table {name}"))
    brought = await _copy_bodies(parts, folder, digests, heard)
    digests.unlink()
    keys = _copy_keys(parts.keys, folder / KEYS)
    packed = msgspec.msgpack.encode(lists) if lists else b""
    if packed:
        _write(folder / LISTS, packed)
    manifest = Manifest(
        FORMAT,
        version,
        made_at,
        ledger,
        bodies=brought.bodies,
        body_bytes=brought.size,
        missing=brought.damaged,
        missing_named=brought.named,
        keys=keys,
        lists={name: len(items) for name, items in lists.items()},
        lists_sha256=sha256(packed).hexdigest() if packed else "",
    )
    os.sync()  # once for all bodies: to wait for each of them takes many times as long
    _write(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
    return manifest


def read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise Unavailable(
            f"{folder}: no {MANIFEST}: this is no backup, or one that was interrupted."
            " Name the folder that `tenax backup` wrote."
        ) from None
    except (OSError, msgspec.DecodeError) as error:
        raise Unavailable(f"{path}: cannot be read ({error}). Use another backup.") from error
    if manifest.format != FORMAT:
        raise Unavailable(
            f"{path}: format {manifest.format}, this Tenax reads {FORMAT}. Use the Tenax that"
            f" made it ({manifest.tenax}), or a newer one."
        )
    return manifest


async def damage(
    stock: ContentStock, folder: Path, heard: Callable[[str], None] = lambda _: None
) -> list[str]:
    """What of a backup is not as it was written; empty for one that can be relied on."""
    manifest = read_manifest(folder)
    wrong = []
    for name, facts in manifest.ledger.tables.items():
        heard(f"table {name}")
        path = _table_file(folder, name)
        if path is None or path.stat().st_size != facts.size or _hash(path) != facts.sha256:
            wrong.append(f"{LEDGER}: the table {name} is missing or not what was written")
    for name, digest in manifest.keys.items():
        path = folder / KEYS / name
        if not path.is_file() or _hash(path) != digest:
            wrong.append(f"{KEYS}/{name}: missing or not what was written")
    path = folder / LISTS
    if manifest.lists and (not path.is_file() or _hash(path) != manifest.lists_sha256):
        wrong.append(f"{LISTS}: missing or not what was written")
    return [*wrong, *await _damaged_bodies(stock, manifest, heard)]


async def _damaged_bodies(
    stock: ContentStock, manifest: Manifest, heard: Callable[[str], None]
) -> list[str]:
    wrong, sound = [], 0
    async for digests in stock.digests():
        for digest in digests:
            body = await stock.get(digest)
            if body is None or sha256(body).digest() != digest:
                wrong.append(f"{CONTENT}: {digest.hex()} is damaged")
            else:
                sound += 1
        heard(f"{sound:,} bodies")
    if sound + len(wrong) < manifest.bodies:
        wrong.append(f"{CONTENT}: {manifest.bodies - sound - len(wrong):,} bodies are missing")
    return wrong


async def _copy_bodies(
    parts: BackupParts, folder: Path, listed: Path, heard: Callable[[str], None]
) -> RelocationProgress:
    copied = RelocationProgress()
    if not parts.keeps_bodies:
        return copied
    target = parts.stock(folder / CONTENT)
    try:
        for digests in _digests(listed):
            for some in in_batches(digests):
                copied = await bring(parts.content, target, some, copied, keep=True)
            await _hold(parts, folder)
            heard(f"{copied.bodies:,} bodies")
    finally:
        await target.close()
    return copied


def _digests(listed: Path) -> Iterator[list[bytes]]:
    """As the ledger lists them; one that several pages have, as often."""
    with listed.open("rb") as file:
        while part := file.read(_DIGEST * 1_000):
            yield list(dict.fromkeys(part[i : i + _DIGEST] for i in range(0, len(part), _DIGEST)))


def _copy_keys(files: tuple[Path, ...], folder: Path) -> dict[str, str]:
    there = [path for path in files if path.is_file()]
    if there:
        folder.mkdir(mode=0o700)
    for path in there:
        shutil.copy2(path, folder / path.name)
        os.chmod(folder / path.name, 0o600)
    return {path.name: _hash(folder / path.name) for path in there}


def _make_room(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Unavailable(
                f"{folder}: not empty. Name a folder that is not there yet: a backup never"
                " overwrites another."
            )
    except OSError as error:
        raise Unavailable(f"{folder}: cannot be written ({error.strerror}).") from error


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _table_file(folder: Path, name: str) -> Path | None:
    return next((folder / LEDGER).glob(f"{name}.*"), None)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _write(path: Path, data: bytes) -> None:
    """There as a whole or not at all, whatever happens to the machine."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)
