"""Where does a redirect lead, and may we go there within the same visit?"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from tenax.fetch.answers import PERMANENT, REDIRECTS
from tenax.model import Fault, Reason, Response
from tenax.model.knobs import Count
from tenax.outcome import Failed, Moved, Outcome, Refused
from tenax.urls.normalise import host_of, resolve


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


def is_redirect(response: Response) -> bool:
    return response.status in REDIRECTS
