"""The bot's signing keys: one PEM file that only its owner may read, rotated by a rename (ROB-6).

All keys are in it, the one in use and those waiting or replaced, each with its dates as text
before its block: so a rotation is one file replaced by another, and cannot be half done. A file
made by `openssl genpkey -algorithm ed25519` serves as well.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct
from msgspec.structs import replace

from tenax.fetch.bot_auth.signatures import BotAuthPolicy, BotKey, KeyRing

_BLOCK = re.compile(r"-----BEGIN ([A-Z ]+)-----.*?-----END \1-----", re.DOTALL)
_DATE = re.compile(r"^(Since|Until): (\S+)\s*$", re.MULTILINE)
_HEADING = "Tenax's signing keys (Web Bot Auth). Secret: whoever has this file can sign as you.\n"


class KeyFileError(ValueError):
    """The key file cannot be used: what, where, and what to do."""


class KeyFile(Struct, frozen=True):
    """The keys of one file, opened."""

    path: Path
    ring: KeyRing
    is_private: bool
    """Whether nobody but the owner may read it."""
    is_new: bool = False
    """Whether it was made just now."""


def create(path: Path, now: float) -> KeyFile:
    """Make a key, unless there is a file already: a key is never overwritten."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KeyFileError(f"{path.parent}: cannot be made ({error.strerror}).") from error
    private = Ed25519PrivateKey.generate()
    _write(path, _text([(private, now, None)]))
    return replace(load(path), is_new=True)


def load(path: Path) -> KeyFile:
    keys = _read(path)
    ring = KeyRing(tuple(_bot_key(*key) for key in keys))
    return KeyFile(path, ring, is_private=not path.stat().st_mode & 0o077)


def rotate(path: Path, now: float, policy: BotAuthPolicy) -> KeyFile:
    """Add a new key, and set an end to the others."""
    held = {_public(private): private for private, _, _ in _read(path)}
    fresh = Ed25519PrivateKey.generate()
    held[_public(fresh)] = fresh
    ring = load(path).ring.rotated(_bot_key(fresh, now, None), now, policy)
    text = _text([(held[key.public], key.since, key.until) for key in ring.keys])
    _replace(path, text)
    return load(path)


_Stored = tuple[Ed25519PrivateKey, float, float | None]


def _read(path: Path) -> list[_Stored]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise KeyFileError(f"{path}: no such file. `tenax key bot` makes a key.") from None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not text"
        raise KeyFileError(f"{path}: the key cannot be read ({why}).") from error
    keys = list(_keys(path, text))
    if not keys:
        raise KeyFileError(f"{path}: no private key in it. Expected PEM, as `tenax key bot` makes.")
    return keys


def _keys(path: Path, text: str) -> Iterator[_Stored]:
    end = 0
    for block in _BLOCK.finditer(text):
        dates = dict(_DATE.findall(text[end : block.start()]))
        end = block.end()
        since, until = (_moment(path, dates.get(name)) for name in ("Since", "Until"))
        yield _private_key(path, block[0]), since or 0.0, until


def _private_key(path: Path, pem: str) -> Ed25519PrivateKey:
    try:
        key = serialization.load_pem_private_key(pem.encode(), password=None)
    except TypeError as error:
        raise KeyFileError(
            f"{path}: the key is encrypted. Store it without a passphrase, readable by you only."
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyFileError(f"{path}: not a private key in PEM form.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(f"{path}: not an Ed25519 key, which is the kind Web Bot Auth uses.")
    return key


def _moment(path: Path, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise KeyFileError(
            f"{path}: {text!r} is not a date (2026-01-31T12:00:00+00:00)."
        ) from error
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()


def _bot_key(private: Ed25519PrivateKey, since: float, until: float | None) -> BotKey:
    return BotKey(_public(private), private.sign, since, until)


def _public(private: Ed25519PrivateKey) -> bytes:
    return private.public_key().public_bytes_raw()


def _text(keys: list[_Stored]) -> str:
    parts = [_HEADING]
    for private, since, until in keys:
        parts += [f"Since: {_date(since)}\n"] if since else []
        parts += [f"Until: {_date(until)}\n"] if until is not None else []
        parts.append(
            private.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            ).decode()
        )
    return "".join(parts)


def _date(moment: float) -> str:
    """As a person writes it who changes the file: to the second, with its offset."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


def _write(path: Path, text: str) -> None:
    """To a file that is new, and never readable by others, not even for a moment."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
    except FileExistsError:
        raise KeyFileError(f"{path}: there is a file already; keys are not overwritten.") from None
    except OSError as error:
        raise KeyFileError(f"{path}: the key cannot be written ({error.strerror}).") from error


def _replace(path: Path, text: str) -> None:
    """Whole or not at all."""
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    _write(partial, text)
    try:
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise KeyFileError(f"{path}: the key cannot be replaced ({error.strerror}).") from error
