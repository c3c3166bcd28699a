"""Encryption of secrets at rest: AES-256-GCM, with a key that is kept elsewhere (FE-11).

AES-256-GCM. What a secret belongs to is part of the seal, so that a sealed secret moved to
another row opens nowhere.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import secrets
import stat
import sys
from pathlib import Path

from tenax.ports import Unavailable

KEY_FILE = "secret.key"
_KEY_BYTES = 32
_NONCE_BYTES = 12
_MARK_BYTES = 4
_VERSION = b"\x01"


class Vault:
    """Seals and opens with the key of the settings, or with the key file beside the ledger.

    The key is looked for when it is first needed: without secrets there is no key file.
    """

    def __init__(self, folder: Path, key: str = "") -> None:
        self._file = folder / KEY_FILE
        self._text = key
        self._key: bytes | None = None

    def __repr__(self) -> str:
        return f"Vault({'the key of the settings' if self._text else str(self._file)})"

    def seal(self, secret: str, belongs_to: str) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = self._find_key(create=True)
        nonce = os.urandom(_NONCE_BYTES)
        sealed = AESGCM(key).encrypt(nonce, secret.encode(), belongs_to.encode())
        return _VERSION + _mark(key) + nonce + sealed

    def open(self, sealed: bytes, belongs_to: str) -> str:
        """Raises Unavailable when the key is another than the one it was sealed with."""
        # Most crawls have no secrets: only those who do pay for the import.
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = self._find_key(create=False)
        mark, nonce, rest = _parts(sealed)
        if sealed[:1] != _VERSION:
            raise Unavailable(f"the secret of {belongs_to} was sealed by a newer Tenax; upgrade.")
        if mark != _mark(key):
            raise Unavailable(
                f"the secret of {belongs_to} was sealed with another key than {self._which()}. Give"
                " the right one as secret_key (TENAX_SECRET_KEY), or remove what it belongs to"
                " and add it again."
            )
        try:
            return AESGCM(key).decrypt(nonce, rest, belongs_to.encode()).decode()
        except InvalidTag:
            # Not chained: nothing in the library's error helps, and less is shown of ours.
            raise Unavailable(
                f"the secret of {belongs_to} is damaged, or was sealed for something else."
                " Remove that and add it again."
            ) from None

    def _which(self) -> str:
        return "the secret_key of the settings" if self._text else str(self._file)

    def _find_key(self, *, create: bool) -> bytes:
        if self._key is None:
            text = self._text or _read(self._file, create=create)
            self._key = _decoded(text, self._which())
        return self._key


def _mark(key: bytes) -> bytes:
    """Tells keys apart without telling anything of them."""
    return hashlib.sha256(b"tenax key mark" + key).digest()[:_MARK_BYTES]


def _parts(sealed: bytes) -> tuple[bytes, bytes, bytes]:
    start = 1 + _MARK_BYTES
    return sealed[1:start], sealed[start : start + _NONCE_BYTES], sealed[start + _NONCE_BYTES :]


def _decoded(text: str, which: str) -> bytes:
    try:
        key = base64.b64decode(text.strip().translate({45: "+", 95: "/"}), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != _KEY_BYTES:
        raise Unavailable(
            f"{which} is not a key: it has to be {_KEY_BYTES} random bytes in Base64, as from"
            " `openssl rand -base64 32`."
        )
    return key


def _read(file: Path, *, create: bool) -> str:
    try:
        if create and not file.exists():
            _make(file)
        _check_owner_only(file)
        return file.read_text(encoding="ascii")
    except FileNotFoundError:
        raise Unavailable(
            f"{file} is gone, and with it the key of the secrets in the ledger. Put it back, or"
            " give the key as secret_key (TENAX_SECRET_KEY)."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"{file}: the key cannot be had ({error}).") from error


def _make(file: Path) -> None:
    """Whole or not at all, and only by the first of several processes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as writer:
            writer.write(base64.b64encode(os.urandom(_KEY_BYTES)) + b"\n")
            writer.flush()
            os.fsync(writer.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return
    finally:
        draft.unlink()


def _check_owner_only(file: Path) -> None:
    if sys.platform == "win32":
        return
    if stat.S_IMODE(file.stat().st_mode) & 0o077:
        raise Unavailable(f"{file} may be read by others than you. Run: chmod 600 {file}")
