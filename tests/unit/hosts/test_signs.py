"""What did a visit say about its host?"""

from __future__ import annotations

import pytest

from tenax.hosts.signs import (
    Answered,
    FailedWith,
    Probed,
    Sign,
    ToldToWait,
    TurnedAway,
    WalledOff,
    sign_of,
    sign_of_probe,
)
from tenax.model import Fault, Page, Reason
from tenax.outcome import (
    Duplicate,
    Failed,
    Garbage,
    Gone,
    Moved,
    Outcome,
    Priced,
    Read,
    Refused,
    Stale,
    Throttled,
    Unchanged,
    Waiting,
)

AT = 1_790_000_000.0
READ = Read(Page("https://a.example/", 200, "text/html", b"", AT))


@pytest.mark.parametrize(
    ("outcome", "sign"),
    [
        (READ, Answered(AT)),
        (Unchanged(304), Answered(AT)),
        (Duplicate(7), Answered(AT)),
        (Moved("https://b.example/", 301, True), Answered(AT)),
        (Gone(404), Answered(AT)),
        (Priced(""), Answered(AT)),
        (Garbage("soft_404", ""), Answered(AT)),
        (Garbage("challenge", "", status=503), Answered(AT)),
        (Garbage("access_denied", "", status=403), TurnedAway(AT)),
        (Throttled(429, None), ToldToWait(AT)),
        (Throttled(503, 9.0), ToldToWait(AT, 9.0, 503)),
        (Failed(Fault.CLIENT_ERROR, "", 403), TurnedAway(AT)),
        (Failed(Fault.CLIENT_ERROR, "", 401), FailedWith(AT, Fault.CLIENT_ERROR)),
        (Failed(Fault.BAD_GATEWAY, "", 502), FailedWith(AT, Fault.BAD_GATEWAY)),
        (Stale(Fault.DNS), FailedWith(AT, Fault.DNS)),
        (Stale(Fault.CLIENT_ERROR, "http 403", 403), TurnedAway(AT)),
        (Failed(Fault.PROXY, ""), None),
        (Failed(Fault.INTERNAL, ""), None),
        (Refused(Reason.ROBOTS, ""), None),
        (Waiting(AT, ""), None),
    ],
    ids=repr,
)
def test_an_outcome_says_one_thing_about_its_host(outcome: Outcome, sign: Sign | None) -> None:
    assert sign_of(outcome, AT) == sign


def test_a_hard_verdict_is_a_wall() -> None:
    assert sign_of(Garbage("captcha", "", is_hard=True), AT) == WalledOff(AT)


@pytest.mark.parametrize(
    ("outcome", "sign"),
    [
        (READ, Probed(AT)),
        (Gone(404), Probed(AT)),
        (Failed(Fault.CLIENT_ERROR, "", 405), Probed(AT)),
        (Failed(Fault.CLIENT_ERROR, "", 403), Probed(AT)),
        (Failed(Fault.SERVER_ERROR, "", 501), Probed(AT)),
        (Throttled(429, 9.0), ToldToWait(AT, 9.0)),
        (Failed(Fault.BAD_GATEWAY, "", 502), Probed(AT, Fault.BAD_GATEWAY)),
        (Failed(Fault.RESET, ""), Probed(AT, Fault.RESET)),
        (Failed(Fault.CONNECT_REFUSED, ""), Probed(AT, Fault.CONNECT_REFUSED)),
        (Failed(Fault.PROXY, ""), None),
        (Waiting(AT, ""), None),
    ],
    ids=repr,
)
def test_a_probe_asks_only_whether_the_server_is_there(outcome: Outcome, sign: Sign | None) -> None:
    assert sign_of_probe(outcome, AT) == sign
