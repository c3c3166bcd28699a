"""What does an answer mean? (FE-6, FE-7, ROB-5, HOST-1)"""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.fetch.answers import account, judge, price_of, retry_after
from tenax.model import Failure, Fault, Forbidden, Headers, Reason, Response
from tenax.outcome import (
    Failed,
    Garbage,
    Gone,
    Moved,
    Outcome,
    Priced,
    Refused,
    Stale,
    Throttled,
    Unchanged,
    Waiting,
)

NOW = 1_790_000_000.0


def answer(status: int, **headers: str) -> Response:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response("https://a.example/", status, Headers(pairs), b"")


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (304, Unchanged(304)),
        (404, Gone(404)),
        (410, Gone(410)),
        (402, Priced("")),
        (429, Throttled(429, None)),
        (502, Failed(Fault.BAD_GATEWAY, "http 502", 502)),
        (503, Failed(Fault.BAD_GATEWAY, "http 503", 503)),
        (504, Failed(Fault.BAD_GATEWAY, "http 504", 504)),
        (500, Failed(Fault.SERVER_ERROR, "http 500", 500)),
        (501, Failed(Fault.SERVER_ERROR, "http 501", 501)),
        (599, Failed(Fault.SERVER_ERROR, "http 599", 599)),
        (400, Failed(Fault.CLIENT_ERROR, "http 400", 400)),
        (401, Failed(Fault.CLIENT_ERROR, "http 401", 401)),
        (403, Failed(Fault.CLIENT_ERROR, "http 403", 403)),
        (451, Failed(Fault.CLIENT_ERROR, "http 451", 451)),
        (300, Failed(Fault.PROTOCOL, "unexpected http 300", 300)),
        (101, Failed(Fault.PROTOCOL, "unexpected http 101", 101)),
    ],
)
def test_a_status_has_one_meaning(status: int, meaning: Outcome) -> None:
    assert judge(answer(status), NOW) == meaning


@pytest.mark.parametrize("status", [200, 201, 203, 206, 226])
def test_a_success_is_a_page_to_read(status: int) -> None:
    response = answer(status)
    assert judge(response, NOW) is response


@given(st.integers(100, 999))
def test_every_status_means_something(status: int) -> None:
    meaning = judge(answer(status), NOW)
    assert isinstance(meaning, Response) == (200 <= status < 300)


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_names_a_time_is_throttling(status: int) -> None:
    assert judge(answer(status, retry_after="7"), NOW) == Throttled(status, 7.0)


@pytest.mark.parametrize("status", [502, 504, 500, 403])
def test_elsewhere_a_time_only_delays_the_retry(status: int) -> None:
    meaning = judge(answer(status, retry_after="7"), NOW)
    assert isinstance(meaning, Failed)
    assert meaning.retry_after == 7.0


def test_everything_said_about_a_price_is_kept() -> None:
    """ROB-5: pay per crawl, x402, HTTP challenges and RSL, in the order they were sent."""
    asked = answer(
        402,
        server="edge",
        crawler_price="USD 0.01",
        crawler_error="MissingCrawlerPrice",
        payment_required="eyJ4NDAyVmVyc2lvbiI6Mn0=",
        www_authenticate='Payment id="x"',
        link='</style.css>; rel=preload, <https://a.example/rsl.xml>; rel="license"',
    )
    assert judge(asked, NOW) == Priced(
        "crawler-price: USD 0.01; crawler-error: MissingCrawlerPrice;"
        " payment-required: eyJ4NDAyVmVyc2lvbiI6Mn0=;"
        ' www-authenticate: Payment id="x"; license: https://a.example/rsl.xml'
    )


def test_a_price_is_one_line_and_cannot_grow_without_end() -> None:
    hostile = price_of(answer(402, crawler_price="1\x1b[2J\x00 \u202e EUR\x7f").headers)
    assert hostile == "crawler-price: 1 [2J EUR"
    many = Headers(tuple((f"crawler-{n}", "x" * 9_000) for n in range(50)))
    assert len(price_of(many)) == 4_000
    assert len(price_of(answer(402, payment_required="x" * 9_000).headers)) < 2_100


def test_a_failure_keeps_its_fault() -> None:
    assert judge(Failure(Fault.DNS, "nowhere"), NOW) == Failed(Fault.DNS, "nowhere")


def test_a_forbidden_address_is_refused_with_its_reason() -> None:
    meaning = judge(Forbidden("127.0.0.1", "loopback"), NOW)
    assert meaning == Refused(Reason.PRIVATE_ADDRESS, "127.0.0.1: loopback")
    assert isinstance(judge(Forbidden("::1"), NOW), Refused)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 120 ", 120.0),
        ("0", None),
        ("00", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("٣", None),
        ("99999999999999999999999999", 9_999_999_999.0),
        (formatdate(NOW + 90, usegmt=True), 90.0),
        (formatdate(NOW - 90, usegmt=True), None),
        (formatdate(NOW, usegmt=True), None),
        ("Sunday, 21-Sep-26 14:14:50 GMT", 1_790_000_090.0 - NOW),
        ("Mon, 99 Foo 2026 00:00:00 GMT", None),
        ("Mon, 01 Jan 0000 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_nonsense_is_nothing(
    value: str, seconds: float | None
) -> None:
    assert retry_after(Headers((("Retry-After", value),)), NOW) == seconds


def test_no_retry_after_is_nothing() -> None:
    assert retry_after(Headers(), NOW) is None


@given(st.text(max_size=40))
def test_no_retry_after_raises(value: str) -> None:
    seconds = retry_after(Headers((("retry-after", value),)), NOW)
    assert seconds is None or seconds > 0


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Failed(Fault.DNS, "no such name"), "dns: no such name"),
        (
            Failed(Fault.SERVER_ERROR, "http 500", 500, 30.0),
            "server_error: http 500, Retry-After: 30 s",
        ),
        (Throttled(429, 30.0), "http 429, Retry-After: 30 s"),
        (Throttled(429, None), "http 429, no usable Retry-After"),
        (Garbage("captcha", "title 'Are you human?'"), "captcha: title 'Are you human?'"),
        (Refused(Reason.ROBOTS, "robots.txt line 3"), "robots: robots.txt line 3"),
        (Priced("crawler-price: USD 0.01"), "crawler-price: USD 0.01"),
        (Priced(""), "it names no price"),
        (Stale(Fault.RESET), "reset: the last good copy serves"),
        (Waiting(NOW, "no proxy is free"), "no proxy is free"),
        (Unchanged(200, "same bytes"), "same bytes"),
        (Unchanged(304), ""),
        (Gone(404), ""),
        (Moved("https://b.example/", 301, permanent=True), ""),
        (answer(200), ""),
    ],
    ids=str,
)
def test_the_record_of_an_attempt_says_what_its_outcome_does_not(
    outcome: Outcome | Response, told: str
) -> None:
    """FE-12, CLI-2: down to the header."""
    assert account(outcome) == told
