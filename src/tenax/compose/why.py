"""By which settings is a URL judged? Those that decide about it besides its job."""

from __future__ import annotations

from tenax.ops.why.story import House
from tenax.settings import Settings
from tenax.urls.addresses import AddressRules


def house_of(settings: Settings) -> House:
    return House(
        spec=settings.job,
        addresses=AddressRules(settings.allow_private),
        token=settings.token,
        robots=settings.robots,
        treatment=settings.treatment,
        retry=settings.retry,
    )
