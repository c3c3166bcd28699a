"""How is a key of the API made, and what is kept of it?"""

from __future__ import annotations

import secrets
from hashlib import sha256

_PREFIX = "tnx_"
"""So that a key is recognised where it should not be: in a log, in a repository."""
_BYTES = 32


def new_key() -> str:
    return _PREFIX + secrets.token_urlsafe(_BYTES)


def digest_of(key: str) -> bytes:
    """What is kept of a key. It is 256 random bits, so nobody finds it by trying: a slow hash, as
    for what people think up, would cost every request and protect nothing more."""
    return sha256(key.encode()).digest()
