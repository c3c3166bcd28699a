"""Which certificate authorities are trusted?"""

from __future__ import annotations

import ssl
from pathlib import Path

import certifi


def trusted_roots() -> str:
    """The CA bundle: SSL_CERT_FILE or the system's, certifi's where there is none.

    A file rather than a folder, because libcurl keeps a parsed file between handshakes.
    """
    named = ssl.get_default_verify_paths().cafile
    known = (
        "/etc/ssl/certs/ca-certificates.crt",  # Debian, Alpine, Arch
        "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
        "/etc/ssl/ca-bundle.pem",  # openSUSE
        "/etc/ssl/cert.pem",  # macOS, BSD
    )
    return named or next((path for path in known if Path(path).is_file()), certifi.where())


def common_roots() -> str:
    """The CA bundle that every browser knows, or nearly so."""
    return certifi.where()
