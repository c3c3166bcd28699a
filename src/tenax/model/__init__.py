"""The nouns: what a crawl is about, as frozen values without behaviour.

Times are seconds since the epoch (UTC) and durations are seconds, both as floats; they
become dates only where a person reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenax.model.cookie import CookieNames, KeptCookies
from tenax.model.event import Event, EventKind, Webhook
from tenax.model.exchange import (
    WITHHELD,
    Failure,
    Forbidden,
    Headers,
    Proxy,
    ProxyAddress,
    ProxyEvent,
    ProxyHealth,
    ProxyReport,
    ProxyScheme,
    Request,
    RequestLimits,
    Response,
    Timing,
)
from tenax.model.host import (
    Breaker,
    Habit,
    Host,
    HostHealth,
    HostTrouble,
    Incident,
    IncidentKind,
    Pace,
    RobotsRecord,
    SiteRules,
    Throttle,
)
from tenax.model.page import Directives, Listing, ListingEntry, Page
from tenax.model.rules import DateArchive, HostRules, PageSeries, PathAnswer
from tenax.model.words import (
    MOMENTARY,
    Client,
    Fault,
    JobState,
    OutcomeWord,
    Reason,
    Role,
    ScopeKind,
    State,
    Step,
    Url,
    UrlSource,
)
from tenax.model.work import (
    FOR_A_BROWSER,
    FORM,
    SESSION_PARAMETERS,
    TRACKING_PARAMETERS,
    Assignment,
    Candidate,
    Copy,
    Job,
    JobSpec,
    LeasedTarget,
    Post,
    Rejected,
    Sends,
    Target,
    UnderWay,
    VisitUnderWay,
)

if TYPE_CHECKING:
    from tenax.model.product import (
        Image,
        ImageKind,
        OfferState,
        Product,
        ProductStatus,
        Stock,
    )

__all__ = [
    "FORM",
    "FOR_A_BROWSER",
    "MOMENTARY",
    "SESSION_PARAMETERS",
    "TRACKING_PARAMETERS",
    "WITHHELD",
    "Assignment",
    "Breaker",
    "Candidate",
    "Client",
    "CookieNames",
    "Copy",
    "DateArchive",
    "Directives",
    "Event",
    "EventKind",
    "Failure",
    "Fault",
    "Forbidden",
    "Habit",
    "Headers",
    "Host",
    "HostHealth",
    "HostRules",
    "HostTrouble",
    "Image",
    "ImageKind",
    "Incident",
    "IncidentKind",
    "Job",
    "JobSpec",
    "JobState",
    "KeptCookies",
    "LeasedTarget",
    "Listing",
    "ListingEntry",
    "OfferState",
    "OutcomeWord",
    "Pace",
    "Page",
    "PageSeries",
    "PathAnswer",
    "Post",
    "Product",
    "ProductStatus",
    "Proxy",
    "ProxyAddress",
    "ProxyEvent",
    "ProxyHealth",
    "ProxyReport",
    "ProxyScheme",
    "Reason",
    "Rejected",
    "Request",
    "RequestLimits",
    "Response",
    "RobotsRecord",
    "Role",
    "ScopeKind",
    "Sends",
    "SiteRules",
    "State",
    "Step",
    "Stock",
    "Target",
    "Throttle",
    "Timing",
    "UnderWay",
    "Url",
    "UrlSource",
    "VisitUnderWay",
    "Webhook",
]


def __getattr__(name: str) -> Any:
    """The nouns of shops, made when somebody asks: most commands never do, and all would wait."""
    if name in ("Image", "ImageKind", "OfferState", "Product", "ProductStatus", "Stock"):
        from tenax.model import product

        return getattr(product, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
