"""The crawl's CA certificates, for Chromium: an NSS database in the HOME that it is given (SEC-3).

Chromium on Linux trusts its own roots and those of that database, and verifies everything else
itself. Written by the NSS library that Chromium brings along, in a process of its own: this file is
also a program, `python trust.py FOLDER`, that reads certificates from its standard input. It stands
alone: nothing of the package is imported.
"""

from __future__ import annotations

import base64
import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Sequence

_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----", re.DOTALL)
_SECONDS = 60
_LIBRARIES = ("libnss3.so", "/usr/lib/x86_64-linux-gnu/libnss3.so", "libnss3.dylib")
# certt.h: a valid and trusted authority (C), and a trusted server of its own (P).
_TRUSTED = 0x18 | 0x03


def certificates(bundle: str) -> list[bytes]:
    """Those of a PEM file, in DER; none where it cannot be read."""
    try:
        with open(bundle, "rb") as file:
            text = file.read()
    except OSError:
        return []
    return [base64.b64decode(body) for body in _PEM.findall(text)]


def unknown(roots: str, common: str) -> list[bytes]:
    """What is trusted here beyond what every browser knows: all of `roots` but `common`."""
    known = set(certificates(common))
    return [each for each in dict.fromkeys(certificates(roots)) if each not in known]


def install(found: Sequence[bytes], folder: str) -> str:
    """Make a database of these; what went wrong, or nothing."""
    text = b"\n".join(map(base64.b64encode, found))
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-S", __file__, folder],
            input=text,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if ended.returncode == 0:
        return ""
    lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else f"ended with {ended.returncode}"


class _Item(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("data", ctypes.c_char_p), ("len", ctypes.c_uint))


class _Trust(ctypes.Structure):
    _fields_ = (("ssl", ctypes.c_uint), ("email", ctypes.c_uint), ("code", ctypes.c_uint))


def main(folder: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    nss = _library()
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    nss.NSS_Initialize.argtypes = [text, text, text, text, ctypes.c_uint]
    nss.PK11_GetInternalKeySlot.restype = pointer
    nss.PK11_InitPin.argtypes = [pointer, text, text]
    nss.PK11_ImportCert.argtypes = [pointer, pointer, ctypes.c_ulong, text, ctypes.c_int]
    nss.CERT_GetDefaultCertDB.restype = pointer
    nss.CERT_NewTempCertificate.restype = pointer
    nss.CERT_NewTempCertificate.argtypes = [
        pointer, ctypes.POINTER(_Item), text, ctypes.c_int, ctypes.c_int,
    ]  # fmt: skip
    nss.CERT_ChangeCertTrust.argtypes = [pointer, pointer, ctypes.POINTER(_Trust)]
    if nss.NSS_Initialize(f"sql:{folder}".encode(), b"", b"", b"secmod.db", 0):
        sys.exit("the certificate database could not be opened")
    slot, database = nss.PK11_GetInternalKeySlot(), nss.CERT_GetDefaultCertDB()
    nss.PK11_InitPin(slot, None, b"")
    for number, line in enumerate(sys.stdin.buffer.read().split()):
        der = base64.b64decode(line)
        item = _Item(0, der, len(der))
        made = nss.CERT_NewTempCertificate(database, ctypes.byref(item), None, 0, 1)
        if not made:
            continue  # nothing that NSS takes for a certificate
        if nss.PK11_ImportCert(slot, made, 0, b"tenax-%d" % number, 0):
            sys.exit("a certificate could not be written")
        if nss.CERT_ChangeCertTrust(database, made, ctypes.byref(_Trust(_TRUSTED, 0, 0))):
            sys.exit("a certificate could not be trusted")


def _library() -> ctypes.CDLL:
    for name in _LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    sys.exit("no NSS library (Debian: libnss3) to write them with")


if __name__ == "__main__":
    main(sys.argv[1])
