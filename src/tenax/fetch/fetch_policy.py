"""How is a page asked for? The knobs of a fetch, without what fetches."""

from __future__ import annotations

from msgspec import Struct, field

from tenax.fetch.client_choice import WayPolicy
from tenax.fetch.redirects import RedirectPolicy
from tenax.model import RequestLimits
from tenax.model.knobs import AtLeastOne


class FetchPolicy(Struct, frozen=True):
    user_agent: str = ""
    """Empty for the honest default, which names the product, its version and your contact."""
    accept_language: str = "en,*;q=0.5"
    """The Accept-Language header."""
    limits: RequestLimits = field(default_factory=RequestLimits)
    redirects: RedirectPolicy = field(default_factory=RedirectPolicy)
    ways: WayPolicy = field(default_factory=WayPolicy)
    concurrency: AtLeastOne = 64
    """Requests under way at once in this process, over all hosts."""
    signatures: str = ""
    """A TOML file with your own signatures of walls, besides those that come with Tenax."""
