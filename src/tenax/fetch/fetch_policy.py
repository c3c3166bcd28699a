"""How is a page asked for and read? The knobs of a fetch, without what fetches."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from tenax.fetch.client_choice import WayPolicy
from tenax.fetch.redirects import RedirectPolicy
from tenax.model import RequestLimits
from tenax.model.knobs import BYTES, PER_SECOND, SECONDS, AtLeastOne


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
    rate: Annotated[float, Meta(ge=0), PER_SECOND] = 0.0
    """Requests a second over all hosts and processes; 0 for as many as the hosts allow."""
    cookies: bool = True
    """Whether what a site sets is sent back to it within a job, as a browser does."""
    error_bodies: Annotated[int, Meta(ge=0, le=1_000_000), BYTES] = 0
    """Bytes kept of what an error (400 to 599) answered, with its attempt; 0 for none."""
    pdf: bool = False
    """Whether PDF files are asked for and their text is read, by the extra `pdf`."""
    signatures: str = ""
    """A TOML file with your own signatures of walls, besides those that come with Tenax."""


class ReadingPolicy(Struct, frozen=True):
    seconds: Annotated[float, Meta(ge=0.1, le=86_400), SECONDS] = 60.0
    """How long reading one page may take; a process that takes longer is ended and started anew."""
    memory: Annotated[int, Meta(ge=10_000_000), BYTES] = 1_000_000_000
    """Bytes that reading one page may take, with the same consequence."""


class PagePolicy(Struct, frozen=True):
    compiled: bool = True
    """Whether pages are read by what was compiled, where it was; otherwise in Python."""
    verify: Annotated[float, Meta(ge=0, le=1)] = 0.001
    """Share of the pages read without a tree that are read with one, too, and compared."""


class SimilarPolicy(Struct, frozen=True):
    distance: Annotated[int, Meta(ge=0, le=3, extra_json_schema={"unit": "bits"})] = 3
    """Bits of 64 in which near-duplicates may differ; about one word in a hundred at 3."""
