"""Which settings may not be shown? Their values are masked wherever people read them (SEC-3)."""

from __future__ import annotations

import re
from typing import Any

MASK = "********"
# Whole words of a name. `token` is not among them: it is the crawler's name in robots.txt,
# and a key that is a secret says so (`api_key`).
_SECRET_WORDS = ("password", "passphrase", "secret", "api_key", "access_key", "private_key")
_SECRET = re.compile(rf"(?:^|[._])(?:{'|'.join(_SECRET_WORDS)})(?:[._]|$)")
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^/?#@:]*):[^/?#]*@")


def masked(name: str, value: Any) -> Any:
    """The value, or a mask; in a URL only the password is covered."""
    if _SECRET.search(name):
        return MASK if value else value
    if isinstance(value, str):
        return _PASSWORD_IN_URL.sub(rf"\1:{MASK}@", value)
    if isinstance(value, tuple):
        return tuple(masked(name, item) for item in value)
    return value
