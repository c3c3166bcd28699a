"""What is the story of a URL told from? The books of a ledger, and the settings besides its job."""

from __future__ import annotations

from tenax.compose.ledger import Ledger
from tenax.ops.why.story import House, StoryLedger
from tenax.settings import Settings
from tenax.urls.addresses import AddressRules
from tenax.urls.sites import Sites


def house_of(settings: Settings, sites: Sites | None = None) -> House:
    """`sites` are the rules of an open ledger; without, those of the settings hold."""
    return House(
        spec=settings.job,
        addresses=AddressRules(settings.allow_private),
        token=settings.token,
        robots=settings.robots,
        treatment=settings.treatment,
        retry=settings.retry,
        sites=Sites(settings.sites) if sites is None else sites,
        pdf=settings.fetch.pdf,
    )


def books_of(ledger: Ledger) -> StoryLedger:
    return StoryLedger(ledger.jobs, ledger.pages, ledger.hosts, ledger.robots, ledger.dead)
