"""Who vouches for a server and for its clients? An authority of the test's own, and nobody else."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = datetime.timedelta(days=1)


class Authority:
    """Signs for anybody. Files are PEM, keys PKCS 8."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        own = self._sign(self._name, self._key.public_key(), is_authority=True)
        self.path = self._written("ca.pem", own)

    def vouch(self, name: str, password: str = "") -> tuple[Path, Path]:
        """The files of a certificate for 127.0.0.1 and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        sealed: serialization.KeySerializationEncryption = serialization.NoEncryption()
        if password:
            sealed = serialization.BestAvailableEncryption(password.encode())
        certificate = self._sign(subject, key.public_key())
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, sealed
        )
        return self._written(f"{name}.pem", certificate), self._written(f"{name}.key", secret)

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, *, is_authority: bool = False
    ) -> bytes:
        now = datetime.datetime.now(datetime.UTC)
        here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _DAY)
            .not_valid_after(now + _DAY)
            .add_extension(x509.SubjectAlternativeName([here]), critical=False)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        return made.public_bytes(serialization.Encoding.PEM)

    def _written(self, name: str, data: bytes) -> Path:
        path = self._folder / name
        path.write_bytes(data)
        return path
