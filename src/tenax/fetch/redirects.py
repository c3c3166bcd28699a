"""Where does a redirect lead, and may we go there within the same visit?"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from tenax.fetch.answers import PERMANENT, REDIRECTS
from tenax.model import Fault, Reason, Response, Sends
from tenax.model.knobs import Count
from tenax.outcome import Failed, Moved, Outcome, Refused
from tenax.urls.normalise import host_of, resolve

_KEEPS_REQUEST = frozenset({307, 308})


class RedirectPolicy(Struct, frozen=True):
    most: Count = 5
    """Redirects followed in one visit (FE-3)."""
    allow_downgrade: bool = False
    """Follow https → http; off, because it hands a private visit to anyone on the way."""


def follow(
    response: Response,
    chain: tuple[str, ...],
    policy: RedirectPolicy,
    preferred: Callable[[str], str] = lambda url: url,
) -> str | Outcome:
    """The next URL to ask at this host, or how the visit ends instead (FE-3).

    `chain` are the URLs asked so far, the one that answered last included. `preferred` is what is
    really asked for instead of a URL: https, where the rules of its site insist on that.
    """
    here = response.url
    location = (response.headers.get("location") or "").strip()
    if not location:
        return Failed(Fault.PROTOCOL, f"http {response.status} without a Location", response.status)
    to = resolve(location, here)
    if to is None:
        return Failed(Fault.PROTOCOL, f"http {response.status} to an unreadable Location")
    to = preferred(to)
    scheme = to.split(":", 1)[0]
    if scheme not in ("http", "https"):
        return Refused(Reason.SCHEME, f"redirect to {scheme}:")
    if here.startswith("https:") and scheme == "http" and not policy.allow_downgrade:
        return Refused(Reason.SCHEME, f"redirect from https to http: {to}")
    if host_of(to) != host_of(here):
        return Moved(to, response.status, response.status in PERMANENT)
    if to in chain:
        return Failed(Fault.TOO_MANY_REDIRECTS, f"redirect loop back to {to}", response.status)
    if len(chain) > policy.most:
        return Failed(Fault.TOO_MANY_REDIRECTS, f"more than {policy.most} redirects")
    return to


def lead(
    response: Response,
    chain: tuple[str, ...],
    sends: Sends | None,
    policy: RedirectPolicy,
    preferred: Callable[[str], str],
) -> tuple[str | Outcome, Sends | None]:
    """The same of a request that sent something, and what is sent there: by 307 and 308 the same,
    by all others nothing, for they lead to what came of it (RFC 9110, 15.4)."""
    if sends is None:
        return follow(response, chain, policy, preferred), None
    if not keeps_request(response):
        # A form may well lead back to its own page: that is no loop.
        return follow(response, (), policy, preferred), None
    step = follow(response, chain, policy, preferred)
    return replace(step, sends=sends) if isinstance(step, Moved) else step, sends


def keeps_request(response: Response) -> bool:
    return response.status in _KEEPS_REQUEST


def is_redirect(response: Response) -> bool:
    return response.status in REDIRECTS
