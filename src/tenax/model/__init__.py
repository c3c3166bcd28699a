"""The nouns: what a crawl is about, as frozen values without behaviour.

Times are seconds since the epoch (UTC) and durations are seconds, both as floats; they
become dates only where a person reads them.
"""

from __future__ import annotations

from tenax.model.exchange import (
    Failure,
    Forbidden,
    Headers,
    Limits,
    Proxy,
    ProxyAddress,
    ProxyEvent,
    ProxyHealth,
    ProxyReport,
    ProxyScheme,
    Request,
    Response,
    Timing,
)
from tenax.model.host import (
    Breaker,
    Habit,
    Health,
    Host,
    Pace,
    RobotsRecord,
    SiteRules,
    Throttle,
    Trouble,
)
from tenax.model.page import Directives, Page
from tenax.model.words import Client, Fault, JobState, Reason, ScopeKind, State, Url
from tenax.model.work import (
    SESSION_PARAMETERS,
    TRACKING_PARAMETERS,
    Assignment,
    Candidate,
    Copy,
    Job,
    JobSpec,
    LeasedTarget,
    Rejected,
    Target,
)

__all__ = [
    "SESSION_PARAMETERS",
    "TRACKING_PARAMETERS",
    "Assignment",
    "Breaker",
    "Candidate",
    "Client",
    "Copy",
    "Directives",
    "Failure",
    "Fault",
    "Forbidden",
    "Habit",
    "Headers",
    "Health",
    "Host",
    "Job",
    "JobSpec",
    "JobState",
    "LeasedTarget",
    "Limits",
    "Pace",
    "Page",
    "Proxy",
    "ProxyAddress",
    "ProxyEvent",
    "ProxyHealth",
    "ProxyReport",
    "ProxyScheme",
    "Reason",
    "Rejected",
    "Request",
    "Response",
    "RobotsRecord",
    "ScopeKind",
    "SiteRules",
    "State",
    "Target",
    "Throttle",
    "Timing",
    "Trouble",
    "Url",
]
