"""How many requests may one visit send, and how many of them to somebody else's servers?

A page's scripts decide what the browser asks for, so that without a bound any page could aim us
at a third host. A site's own servers (one registrable domain) share the bound of the visit;
everybody else's have a smaller one for each domain, however many names it is asked by.
"""

from __future__ import annotations

from collections import Counter

from tenax.adapters.browser.policy import BrowserPolicy
from tenax.model import Request
from tenax.urls.domains import registrable_domain
from tenax.urls.normalise import hostname_of

_MOST_NAMED = 3


class RequestBounds:
    """Counts what one visit sends; `allow` says whether one more may go to this host."""

    def __init__(self, home: str, most: int, most_elsewhere: int) -> None:
        self._home = registrable_domain(home)
        self._most = most
        self._most_elsewhere = most_elsewhere
        self._sent: Counter[str] = Counter()
        self._withheld: Counter[str] = Counter()

    def allow(self, host: str) -> bool:
        """Counted either way: as sent, or as withheld."""
        site = registrable_domain(host)
        is_over = self._sent.total() >= self._most or (
            site != self._home and self._sent[site] >= self._most_elsewhere
        )
        (self._withheld if is_over else self._sent)[site] += 1
        return not is_over

    @property
    def told(self) -> str:
        """What was not sent, in words; empty when everything was."""
        if not self._withheld:
            return ""
        named = self._withheld.most_common(_MOST_NAMED)
        others = len(self._withheld) - len(named)
        where = ", ".join(f"{count:,} to {site}" for site, count in named)
        more = f" and to {others:,} more" if others else ""
        return (
            f"{self._withheld.total():,} requests of the page not sent ({where}{more}): a visit may"
            f" send {self._most:,}, {self._most_elsewhere:,} of them to another site"
        )


def bounds_of(request: Request, policy: BrowserPolicy) -> RequestBounds:
    """Of the visit to this page."""
    home = hostname_of(request.url)
    return RequestBounds(home, policy.requests, policy.requests_elsewhere)
