"""What has a host set? Cookies as they are kept, and what people see of them: never what they say.

Apart from who reads them: an instance of a struct keeps all that its module has loaded until the
interpreter ends, and some of that minds.
"""

from __future__ import annotations

from msgspec import Struct


class SetCookie(Struct, frozen=True, omit_defaults=True):
    """One as a server sets it."""

    name: str
    value: str
    path: str = "/"
    expires: float | None = None
    """None for as long as the session lasts."""
    secure: bool = False


class JarContent(Struct, frozen=True, omit_defaults=True):
    """What a jar holds, as it is written down. As secret as a password."""

    cookies: tuple[SetCookie, ...] = ()
    login: bytes = b""
    """The mark of the login by which they are a member's; empty for those of a stranger."""

    def __repr__(self) -> str:
        """Nothing of it: reprs end up in logs (SEC-3)."""
        return "JarContent()"


class KeptCookies(Struct, frozen=True):
    """What a host has set in a job, as the ledger keeps it: nobody sees more than the names."""

    names: tuple[str, ...] = ()
    sealed: bytes = b""
    """Empty when there are none any more."""


class CookieNames(Struct, frozen=True):
    """What a host has set in a job, by name; what the cookies say, nobody is told."""

    job_id: int
    job: str
    names: tuple[str, ...]
    changed_at: float
