"""Does what we have of a page still hold, and how is it asked for only if it changed? (FE-4, FE-5)

Pure: the copy, the moment and the policy are arguments.
"""

from __future__ import annotations

import re
from email.utils import format_datetime, parsedate_to_datetime
from typing import Annotated

from msgspec import Meta, Struct

from tenax.model import Copy, Fault, Page
from tenax.model.knobs import SECONDS, Seconds
from tenax.outcome import RETRYABLE, SITE_WIDE, Failed, Garbage, Outcome, Stale

_LONGEST_TAG = 512
"""Servers make tags of a hash or two; what is longer costs every request more than it saves."""
# RFC 9110, section 8.8.3, without what is not ASCII. A bare * would match whatever is there.
_TAG = re.compile(r'(?:W/)?"[!#-~]*"')
_ARTICLE_WORDS = 200
_ARTICLE_SHARE = 10
_HUB_LINKS = 20
_HUB_SHARE = 5
_NEVER_STALE = frozenset({Fault.INTERNAL, Fault.PROXY})
"""Say nothing about the site: a bug of ours, or a proxy."""


class FreshnessPolicy(Struct, frozen=True):
    max_age: Annotated[float, Meta(ge=-1), SECONDS] = -1.0
    """Seconds a stored copy serves without a request; -1 or 0 for never."""
    max_age_article: Annotated[float, Meta(ge=-1), SECONDS] | None = None
    """The same for pages that look like an article; not set for no difference."""
    max_age_hub: Annotated[float, Meta(ge=-1), SECONDS] | None = None
    """The same for pages that look like a list of links; not set for no difference."""
    prefer_cache: bool = False
    """Any stored copy serves, whatever its age."""
    gone: Seconds = 86_400.0
    """Seconds a 404 or 410 is remembered: so long it is not asked for again."""


def is_fresh(copy: Copy | None, now: float, policy: FreshnessPolicy) -> bool:
    """Whether the copy serves without a request. One from the future does not: clocks get set."""
    if copy is None:
        return False
    return policy.prefer_cache or 0 <= now - copy.fetched_at < _max_age(copy, policy)


def _max_age(copy: Copy, policy: FreshnessPolicy) -> float:
    """By the words of the main text for each link of the page.

    A link's own text is a few words long, so that few words a link are labels and little else.
    In doubt a page is no article: too short an age costs a request that may be answered by 304,
    too long a one serves what is outdated.
    """
    special = None
    if copy.words >= max(_ARTICLE_WORDS, _ARTICLE_SHARE * copy.links):
        special = policy.max_age_article
    elif copy.links >= _HUB_LINKS and copy.words < _HUB_SHARE * copy.links:
        special = policy.max_age_hub
    return policy.max_age if special is None else special


def conditions(copy: Copy | None, hop: str = "") -> tuple[tuple[str, str], ...]:
    """What makes the server answer 304 when nothing changed; nothing where we have no validators.

    `hop` is the URL asked for when redirects led there. The validators are those of one URL: sent
    to another, they could be answered by a 304 about a page that we do not have.
    """
    if copy is None or copy.url != hop:
        return ()
    pairs = []
    if len(copy.etag) <= _LONGEST_TAG and _TAG.fullmatch(copy.etag):
        pairs.append(("If-None-Match", copy.etag))
    if _is_http_date(copy.last_modified):
        pairs.append(("If-Modified-Since", copy.last_modified))
    return tuple(pairs)


def _is_http_date(text: str) -> bool:
    """Whether it is a real date in the one form that may still be sent (RFC 9110, section 5.6.7).

    The epoch is no date of a page, but what a server says that knows none.
    """
    try:
        date = parsedate_to_datetime(text)
        return format_datetime(date, usegmt=True) == text and date.timestamp() > 0
    except (ValueError, TypeError, OverflowError):
        return False


def same_content(page: Page, copy: Copy | None, hop: str = "") -> bool:
    """Whether the page is the one we have: the same bytes, from the same URL.

    `hop` as above: elsewhere its links may mean something else. A page that asks not to be kept
    any more is not the same, for its headers may say so.
    """
    if copy is None or copy.url != hop or page.directives.noindex:
        return False
    return bool(page.digest) and page.digest == copy.digest


def stale_instead(outcome: Outcome, copy: Copy | None, is_final: bool) -> Outcome:
    """The earlier copy, where the site or the URL fails for good; else the outcome itself.

    `is_final` says that no attempt is left. What no retry would help is final anyway, and while
    a whole site is down its copies serve at once.
    """
    if copy is None:
        return outcome
    if isinstance(outcome, Garbage) and outcome.status is not None and not outcome.is_hard:
        # A wall in the way of this page, and the site says itself that it is no page.
        return Stale(Fault.CLIENT_ERROR, outcome.evidence, outcome.status)
    if not isinstance(outcome, Failed) or outcome.fault in _NEVER_STALE:
        return outcome
    fault = outcome.fault
    if is_final or fault in SITE_WIDE or fault not in RETRYABLE:
        return Stale(fault, outcome.detail, outcome.status)
    return outcome
