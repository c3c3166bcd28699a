"""What does an answer to /robots.txt mean, and for how long? (ROB-1; RFC 9309 sections 2.3, 2.4)

- 2xx: the body is the rules.
- 4xx but 429, 401 and 403 included: the file is unavailable, which means no rules.
- A redirect left unfollowed, because there were too many or it led nowhere: unavailable too.
  The RFC permits it past five hops, and Google does the same.
- 5xx, 429 and everything without a complete answer: unreachable. The last good copy serves
  for 30 days; without one nothing may be asked for, except under `on_error = "allow"`. The file
  is asked for again after an hour; where no connection could be had, with the host's breaker.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from tenax.hosts.signs import AMBIGUOUS, Probed, Sign, Unreached
from tenax.model import Fault, HostTrouble, RobotsRecord
from tenax.model.knobs import Bytes, Count, Seconds, SomeSeconds
from tenax.outcome import RETRYABLE, SITE_WIDE
from tenax.ports.retry import Backoff

if TYPE_CHECKING:
    from tenax.urls.sites import SiteAtHost


class RobotsPolicy(Struct, frozen=True):
    cache: Seconds = 86_400.0
    """The longest an answer is relied on; RFC 9309 section 2.4 says a day."""
    cache_floor: Seconds = 300.0
    """The shortest, whatever Cache-Control says: the file must not become our main request."""
    retry_unreachable: Seconds = 3_600.0
    """Seconds until an unreachable file is asked for again."""
    keep_last_good: Seconds = 30 * 86_400.0
    """How long an unreachable file's last copy serves, counted from when we got it."""
    on_error: Literal["disallow", "allow"] = "disallow"
    """What an unreachable file without a usable copy means. "allow" breaks RFC 9309."""
    max_redirects: Count = 5
    """Followed across hosts too; the rules hold for the origin asked first."""
    timeout: SomeSeconds = 10.0
    """Seconds for one try."""
    retries: Count = 2
    """Further tries at once when there was no answer to rely on."""
    retry_base: Seconds = 2.0
    """Seconds before the first retry; each further one waits twice as long."""
    max_bytes: Bytes = 8 * 524_288
    """What a transfer may cost. More than is read, since a cut transfer gives no body at all."""
    memory: Bytes = 128_000_000
    """Bytes for the rules of all hosts in one process; the ledger has what is let go of."""


def robots_at(policy: RobotsPolicy, site: SiteAtHost) -> RobotsPolicy:
    """The policy at a host, by the rules of its site."""
    wanted = site.rules.robots_on_error
    return policy if wanted in (None, policy.on_error) else replace(policy, on_error=wanted)


class RobotsAnswer(Struct, frozen=True):
    """What came of asking: a final status with its body, or a fault."""

    status: int | None = None
    body: bytes = b""
    fault: Fault | None = None
    detail: str = ""
    cache_control: str = ""
    is_elsewhere: bool = False
    """The host has answered, and led us on to where this came from."""
    again_at: float = 0.0
    """When to ask again, where that is the breaker's to say of the host it led us to; else 0."""


class Access(StrEnum):
    RULES = "rules"
    ALLOW_ALL = "allow_all"
    DISALLOW_ALL = "disallow_all"


def record_answer(
    previous: RobotsRecord | None,
    origin: str,
    answer: RobotsAnswer,
    now: float,
    policy: RobotsPolicy,
) -> RobotsRecord:
    """The record as this answer leaves it."""
    status, error = _judge(answer)
    text, good_at, life = "", 0.0, _lifetime(answer.cache_control, policy)
    if status == 304 and previous is not None and previous.good_at:
        # We only ask conditionally while we hold a copy; it has just been confirmed.
        text, good_at, error = previous.text, now, ""
    elif _is_success(status):
        # Settings name the policy above; who only looks need not load what reads the file.
        from tenax.hosts.robots import decode

        text, good_at = decode(answer.body), now
    elif not _is_unavailable(status):
        life = max(1.0, answer.again_at - now) if answer.again_at else policy.retry_unreachable
        if previous is not None:
            text, good_at = previous.text, previous.good_at
    return RobotsRecord(origin, status, text, now, good_at, now + life, error)


def borrowed(record: RobotsRecord, url: str, now: float) -> RobotsAnswer:
    """What the document of another host, as it is known, answers to those who lead there.

    It was retried already, so trouble with it has no status that would call for that; and it is
    not relied on for longer than there.
    """
    life = f"max-age={max(1, int(record.expires_at - now))}"
    if not record.error:
        return RobotsAnswer(record.status, record.text.encode(), cache_control=life)
    if _is_unavailable(record.status):
        return RobotsAnswer(record.status, cache_control=life)
    return RobotsAnswer(detail=f"leads to {url}, which {record.error}")


def access(record: RobotsRecord, now: float, policy: RobotsPolicy) -> tuple[Access, str]:
    """What the record permits, and why. Ask `is_fresh` first: this does not look at age."""
    if not record.error:
        return Access.RULES, f"robots.txt answered {record.status}"
    if _is_unavailable(record.status):
        return Access.ALLOW_ALL, f"robots.txt {record.error}, which means there are no rules"
    age = max(now - record.good_at, 0.0)
    if record.good_at and age <= policy.keep_last_good:
        why = f"robots.txt {record.error}; its copy from {age / 3600:.1f} h ago still holds"
        return Access.RULES, why
    if policy.on_error == "allow":
        return Access.ALLOW_ALL, f"robots.txt {record.error}; robots_on_error = allow"
    return Access.DISALLOW_ALL, f"robots.txt {record.error}, and there is no usable copy"


def is_unreachable(record: RobotsRecord) -> bool:
    """Whether there may be rules that could not be had."""
    return bool(record.error) and not _is_unavailable(record.status)


def is_fresh(record: RobotsRecord, now: float) -> bool:
    """Whether the record may be relied on without asking the origin again."""
    return now < record.expires_at


def is_past(record: RobotsRecord, trouble: HostTrouble | None) -> bool:
    """Whether the record tells of a failure that does not count any more: from before a person
    reset the host, or, of a host that could not be reached, from before its breaker may probe."""
    if trouble is None or not record.error:
        return False
    until = trouble.breaker.until if record.status is None else 0.0
    return record.fetched_at <= max(trouble.reset_at, until)


def sign_of_robots(
    answer: RobotsAnswer, record: RobotsRecord, started: float, now: float, policy: RobotsPolicy
) -> Sign | None:
    """What asking for the file says about its host; None when that is nothing. After an outage it
    is the breaker's probe: nothing else may be asked before it."""
    if answer.is_elsewhere:
        return Probed(started)
    if answer.fault is None:
        return Probed(started, Fault.BAD_GATEWAY if answer.status in _GATEWAYS else None)
    if answer.fault not in SITE_WIDE and answer.fault not in AMBIGUOUS:
        return None
    if access(record, now, policy)[0] is Access.DISALLOW_ALL:
        return Unreached(started, answer.fault)
    return Probed(started, answer.fault)


_GATEWAYS = (502, 503, 504)


def retry_delays(policy: RobotsPolicy) -> tuple[float, ...]:
    """How long to wait before each retry of one fetch: 2 s, then 4 s."""
    backoff = Backoff(policy.retry_base)
    return tuple(backoff.pause(failures) for failures in range(1, policy.retries + 1))


def is_worth_retrying(answer: RobotsAnswer) -> bool:
    """Whether a second try at once could help. 429 asks us not to; other 4xx are answers."""
    if answer.fault is not None:
        return answer.fault in RETRYABLE
    return answer.status is not None and answer.status >= 500


def _judge(answer: RobotsAnswer) -> tuple[int | None, str]:
    """The status that counts, and why it gives no rules; a broken-off answer has no status."""
    if answer.fault is Fault.TOO_MANY_REDIRECTS:
        return answer.status or 302, "redirects too often"
    if answer.fault is not None or answer.status is None:
        detail = ": ".join(part for part in (answer.fault or "no answer", answer.detail) if part)
        return None, f"could not be fetched ({detail})"
    if _is_success(answer.status):
        return answer.status, ""
    return answer.status, f"answered {answer.status}"


def _is_success(status: int | None) -> bool:
    return status is not None and 200 <= status < 300


def _is_unavailable(status: int | None) -> bool:
    return status is not None and 300 <= status < 500 and status not in (304, 429)


# Only a positive max-age is a wish. "no-store", "no-cache" and "max-age=0" are what frameworks
# send with everything, and would have us ask for the file every few minutes.
_MAX_AGE = re.compile(r'(?:^|[\s,])max-age\s*=\s*"?0*([1-9][0-9]{0,9})(?![0-9])', re.IGNORECASE)


def _lifetime(cache_control: str, policy: RobotsPolicy) -> float:
    found = _MAX_AGE.search(cache_control)
    if found is None:
        return policy.cache
    return min(max(float(found[1]), policy.cache_floor), policy.cache)
