"""ROB-6: the key file survives what happens to files, and never shows its keys to others."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tenax.adapters.local import keys
from tenax.adapters.local.keys import KeyFileError
from tenax.fetch.bot_auth.signatures import BotAuthPolicy, KeyRing

NOW = 1_800_000_000.0
DAY = 86_400.0
POLICY = BotAuthPolicy()
# RFC 9421, appendix B.1.4.
RFC_KEY = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "bot-key.pem"


def told(ring: KeyRing) -> list[tuple[bytes, float, float | None]]:
    return [(key.public, key.since, key.until) for key in ring.keys]


def pem(key: Ed25519PrivateKey, password: bytes | None = None) -> str:
    hidden = serialization.BestAvailableEncryption(password) if password else None
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        hidden or serialization.NoEncryption(),
    ).decode()


def test_a_new_key_can_sign_and_comes_back_as_it_was(path: Path) -> None:
    made = keys.create(path, NOW)
    assert made.is_new
    assert not keys.load(path).is_new
    (key,) = keys.load(path).ring.keys
    assert (key.id, key.since, key.until) == (made.ring.keys[0].id, NOW, None)
    Ed25519PublicKey.from_public_bytes(key.public).verify(key.sign(b"hello"), b"hello")


def test_only_its_owner_may_read_it_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        keys.create(path, NOW)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert keys.rotate(path, NOW, POLICY).is_private
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_file_that_others_may_read_is_noticed(path: Path) -> None:
    keys.create(path, NOW)
    path.chmod(0o640)
    assert not keys.load(path).is_private


def test_a_key_is_never_overwritten(path: Path) -> None:
    first = keys.create(path, NOW)
    with pytest.raises(KeyFileError, match="not overwritten"):
        keys.create(path, NOW)
    assert told(keys.load(path).ring) == told(first.ring)


def test_rotating_keeps_the_old_key_able_to_sign(path: Path) -> None:
    old = keys.create(path, NOW).ring.keys[0]
    ring = keys.rotate(path, NOW + DAY, POLICY).ring
    new, kept = ring.keys
    assert (new.since, new.until) == (NOW + 2 * DAY, None)
    assert (kept.public, kept.since, kept.until) == (old.public, NOW, NOW + 9 * DAY)
    assert kept.sign(b"x") == old.sign(b"x")
    assert told(keys.load(path).ring) == told(ring)


def test_rotating_after_its_time_drops_a_key(path: Path) -> None:
    old = keys.create(path, NOW).ring.keys[0]
    keys.rotate(path, NOW, POLICY)
    ring = keys.rotate(path, NOW + 30 * DAY, POLICY).ring
    assert old.id not in {key.id for key in ring.keys}
    assert len(ring.keys) == 2


def test_rotating_leaves_nothing_else_behind(path: Path) -> None:
    keys.create(path, NOW)
    keys.rotate(path, NOW, POLICY)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_key_made_elsewhere_serves(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text(RFC_KEY)
    (key,) = keys.load(path).ring.keys
    assert key.id == "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
    assert key.since == 0.0
    assert keys.rotate(path, NOW, POLICY).ring.keys[1].id == key.id


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no private key"),
        ("hello", "no private key"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "not a private key"),
        ("-----BEGIN NONSENSE-----\nAAAA\n-----END NONSENSE-----\n", "not a private key"),
        (f"Since: tomorrow\n{RFC_KEY}", "'tomorrow' is not a date"),
    ],
)
def test_a_file_that_holds_no_key_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "key.pem"
    path.write_text(text)
    with pytest.raises(KeyFileError, match=says) as error:
        keys.load(path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(
        generate_private_key(SECP256R1()).private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    with pytest.raises(KeyFileError, match="not an Ed25519 key"):
        keys.load(path)


def test_an_encrypted_key_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text(pem(Ed25519PrivateKey.generate(), b"secret"))
    with pytest.raises(KeyFileError, match="without a passphrase"):
        keys.load(path)


def test_a_public_key_is_no_private_one(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(
        Ed25519PrivateKey.generate()
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    with pytest.raises(KeyFileError, match="not a private key"):
        keys.load(path)


def test_a_missing_file_says_how_to_make_one(path: Path) -> None:
    for use in (keys.load, lambda at: keys.rotate(at, NOW, POLICY)):
        with pytest.raises(KeyFileError, match="tenax key bot"):
            use(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KeyFileError, match=r"file: cannot be made \(File exists\)"):
        keys.create(tmp_path / "file" / "key.pem", NOW)


def test_a_disk_that_takes_no_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"the key cannot be written \(File name too long\)"):
        keys.create(tmp_path / ("x" * 300), NOW)


def test_what_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(KeyFileError, match="not text"):
        keys.load(path)
