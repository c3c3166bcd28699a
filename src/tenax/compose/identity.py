"""In whose name do we ask? The user agent, the keys, and how we can be reached (ROB-6)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tenax.settings import Settings, SettingsError
from tenax.urls.addresses import AddressRules, literal_address
from tenax.urls.normalise import hostname_of, resolve, seed_url
from tenax.version import VERSION

if TYPE_CHECKING:
    from tenax.adapters.local.keys import KeyFile


def user_agent(settings: Settings) -> str:
    """Who we say we are (ROB-6); a custom one in the settings is taken as it is."""
    if settings.fetch.user_agent:
        return settings.fetch.user_agent
    contact = f" (+{settings.contact})" if settings.contact else ""
    return f"{settings.token}/{VERSION}{contact}"


def bot_keys(settings: Settings, *, create: bool = False, rotate: bool = False) -> KeyFile:
    """The keys that sign our requests; `create` makes them where there are none."""
    from tenax.adapters.local import keys
    from tenax.adapters.local.clock import SystemClock

    path = Path(settings.bot_auth.key or Path(settings.data) / "bot-key.pem")
    now = SystemClock().now()
    try:
        if create and not path.exists():
            return keys.create(path, now)
        return keys.rotate(path, now, settings.bot_auth) if rotate else keys.load(path)
    except keys.KeyFileError as error:
        raise SettingsError(str(error)) from error


def require_contact(settings: Settings, seeds: Sequence[str]) -> None:
    """Site owners must be able to reach whoever crawls them (ROB-6): told before anything starts.

    What a name leads to is not known yet, so the connection is judged by its address again.
    """
    if settings.contact:
        return
    for url in seeds:
        href = resolve(seed_url(url))
        if href is None or not href.startswith(("http://", "https://")):
            continue
        name = hostname_of(href)
        if _is_public(name):
            raise SettingsError(
                f"{name} is a public host, and no contact is set. Say how its owner can reach"
                " you: --contact mailto:you@example.org (or a URL), TENAX_CONTACT, or `contact`"
                " in tenax.toml."
            )


# Names that are never public: special use by RFC 6761, 6762, 8375 and ICANN's .internal.
_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")


def _is_public(name: str) -> bool:
    address = literal_address(name)
    if address is not None:
        return AddressRules().judge(address) is None
    return "." in name and not name.endswith(_PRIVATE_NAMES)
