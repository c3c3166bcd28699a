"""Which settings may not be shown? Their values are masked wherever people read them (SEC-3)."""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from tenax.model import SiteRules, Webhook
from tenax.model.host import SITE_SECRETS

MASK = "********"
# Whole words of a name. `token` is not among them: it is the crawler's name in robots.txt,
# and a key that is a secret says so (`api_key`).
_SECRET_WORDS = ("password", "passphrase", "secret", "api_key", "access_key", "private_key")
_SECRET = re.compile(rf"(?:^|[._])(?:{'|'.join(_SECRET_WORDS)})(?:[._]|$)")
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^/?#@:]*):[^/?#]*@")
# In a connection URL up to the last @: whoever forgot to escape a slash keeps their secret too.
_PASSWORD_IN_CONNECTION = re.compile(r"(?<=://)([^/?#@:]*):.*@")
_BEHIND_HOST = re.compile(r"^(\w+://[^/?#]*)[/?#].+", re.DOTALL)
# Clients of databases take them there, too.
_PASSWORD_IN_QUERY = re.compile(r"(?<=[?&])(\w*password)=[^&#]*", re.IGNORECASE)


def masked(name: str, value: Any) -> Any:
    """The value, or a mask; in a URL only the password is covered."""
    if _SECRET.search(name):
        return MASK if value else value
    if isinstance(value, str):
        is_web = value.startswith(("http://", "https://"))
        password = _PASSWORD_IN_URL if is_web else _PASSWORD_IN_CONNECTION
        return _PASSWORD_IN_QUERY.sub(rf"\1={MASK}", password.sub(rf"\1:{MASK}@", value))
    if isinstance(value, tuple):
        return tuple(masked(name, item) for item in value)
    if isinstance(value, SiteRules):
        # Which headers, cookies and fields a site gets may be seen; what they say opens doors.
        return replace(value, **{key: _hidden(getattr(value, key)) for key in SITE_SECRETS})
    if isinstance(value, Webhook):
        # Many receivers know their senders by a secret path.
        origin = _BEHIND_HOST.sub(rf"\1/{MASK}", value.url)
        return replace(value, url=masked(name, origin), secret=MASK)
    return value


def _hidden(values: dict[str, str] | None) -> dict[str, str] | None:
    return None if values is None else dict.fromkeys(values, MASK)
