"""Where does a redirect lead, and may we go there? (FE-3)"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.fetch.redirects import RedirectPolicy, follow, is_redirect
from tenax.model import Fault, Headers, Reason, Response
from tenax.outcome import Failed, Moved, Outcome, Refused

HERE = "https://a.example/dir/page"
POLICY = RedirectPolicy()


def to(location: str | None, code: int = 302, here: str = HERE) -> Response:
    headers = Headers(() if location is None else (("Location", location),))
    return Response(here, code, headers, b"")


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "https://a.example/x"),
        ("x", "https://a.example/dir/x"),
        ("?q", "https://a.example/dir/page?q"),
        (" /x ", "https://a.example/x"),
        ("//a.example/x", "https://a.example/x"),
        ("https://A.example:443/x", "https://a.example/x"),
        ("/x#part", "https://a.example/x"),
    ],
)
def test_a_redirect_within_the_host_is_followed(location: str, url: str) -> None:
    assert follow(to(location), (HERE,), POLICY) == url


@pytest.mark.parametrize(("code", "permanent"), [(301, True), (302, False), (303, False),
                                                 (307, False), (308, True)])  # fmt: skip
def test_another_host_ends_the_visit_as_moved(code: int, permanent: bool) -> None:
    moved = follow(to("https://b.example/x", code), (HERE,), POLICY)
    assert moved == Moved("https://b.example/x", code, permanent)


def test_another_port_is_another_host() -> None:
    assert isinstance(follow(to("https://a.example:8443/x"), (HERE,), POLICY), Moved)


@pytest.mark.parametrize("location", [None, "", "   "])
def test_a_redirect_to_nowhere_is_a_protocol_fault(location: str | None) -> None:
    nowhere = follow(to(location), (HERE,), POLICY)
    assert isinstance(nowhere, Failed)
    assert nowhere.fault is Fault.PROTOCOL


@pytest.mark.parametrize("location", ["ftp://a.example/", "javascript:alert(1)", "data:,x"])
def test_only_the_web_is_followed(location: str) -> None:
    refused = follow(to(location), (HERE,), POLICY)
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.SCHEME


@pytest.mark.parametrize("location", ["http://a.example/x", "http://b.example/"])
def test_a_downgrade_is_refused_unless_allowed(location: str) -> None:
    refused = follow(to(location), (HERE,), POLICY)
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.SCHEME
    allowed = follow(to(location), (HERE,), RedirectPolicy(allow_downgrade=True))
    assert not isinstance(allowed, Refused)


def test_an_upgrade_stays_at_the_host() -> None:
    here = "http://a.example/"
    assert follow(to("https://a.example/", here=here), (here,), POLICY) == "https://a.example/"


@pytest.mark.parametrize("location", ["", "#top", "page"])
def test_a_redirect_to_itself_is_a_loop(location: str) -> None:
    loop = follow(to(location or HERE), (HERE,), POLICY)
    assert isinstance(loop, Failed)
    assert loop.fault is Fault.TOO_MANY_REDIRECTS


def test_the_limit_counts_redirects_not_requests() -> None:
    chain = tuple(f"https://a.example/{n}" for n in range(5))
    assert follow(to("/new"), chain, POLICY) == "https://a.example/new"
    too_many = follow(to("/new"), (*chain, HERE), POLICY)
    assert isinstance(too_many, Failed)
    assert too_many.fault is Fault.TOO_MANY_REDIRECTS


@pytest.mark.parametrize("code", [300, 304, 305, 306])
def test_other_3xx_are_no_redirects(code: int) -> None:
    assert not is_redirect(to("/x", code))


@given(st.text(max_size=60))
def test_no_location_raises(location: str) -> None:
    step = follow(to(location), (HERE,), POLICY)
    assert isinstance(step, str | Outcome)
