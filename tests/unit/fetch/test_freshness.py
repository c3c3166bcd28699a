"""Whether a stored copy serves, and how the server is asked only for what changed (FE-4, FE-5)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.fetch.freshness import (
    FreshnessPolicy,
    conditions,
    is_fresh,
    same_content,
    stale_instead,
)
from tenax.model import Copy, Directives, Fault, Page, Reason
from tenax.outcome import (
    RETRYABLE,
    SITE_WIDE,
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

NOW = 1_790_000_000.0
DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
DAY = 86_400.0
HOUR = Copy(fetched_at=NOW - 3_600)
PAGE = Page("https://a.example/", 200, "text/html", b"x", NOW, digest=b"d" * 32)

copies = st.builds(
    Copy,
    etag=st.text() | st.from_regex(r'\A(W/)?"[a-z!# ]*"\Z'),
    last_modified=st.text() | st.just(DATE),
    digest=st.binary(max_size=4),
    fetched_at=st.floats(0, 2 * NOW),
    words=st.integers(0, 10_000),
    links=st.integers(0, 1_000),
    url=st.sampled_from(["", "https://a.example/end"]),
)
ages = st.none() | st.floats(-1, 1e9)
policies = st.builds(FreshnessPolicy, st.floats(-1, 1e9), ages, ages)


# Conditions


@pytest.mark.parametrize(
    "etag", ['"abc"', 'W/"abc"', '""', '"a,b"', '"5f-1;gzip"', '"' + "x" * 510 + '"']
)
def test_a_tag_is_sent_back_as_it_came(etag: str) -> None:
    assert conditions(Copy(etag=etag)) == (("If-None-Match", etag),)


@pytest.mark.parametrize(
    "etag",
    [
        "",
        "abc",
        "*",
        '"a',
        'a"',
        '"a"b"',
        '"a", "b"',
        'w/"a"',
        '"a b"',
        '"a\r\nX: y"',
        '"a\x00"',
        '"a"\n',
        '"é"',
        '"' + "x" * 511 + '"',
    ],
    ids=ascii,
)
def test_what_is_no_tag_is_not_sent(etag: str) -> None:
    assert conditions(Copy(etag=etag)) == ()


def test_a_date_is_sent_back_as_it_came() -> None:
    assert conditions(Copy(last_modified=DATE)) == (("If-Modified-Since", DATE),)


@pytest.mark.parametrize(
    "date",
    [
        "", "yesterday", "0", "-1", "1994-11-06T08:49:37Z",
        "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT", f"{DATE}\r\nX: y", f" {DATE}",
    ],
)  # fmt: skip
def test_what_is_no_date_in_the_form_of_http_is_not_sent(date: str) -> None:
    """RFC 9110, section 13.1.3: a server has to ignore it, and some do worse."""
    assert conditions(Copy(last_modified=date)) == ()


def test_both_are_sent_where_there_are_both() -> None:
    told = conditions(Copy(etag='"a"', last_modified=DATE))
    assert told == (("If-None-Match", '"a"'), ("If-Modified-Since", DATE))


def test_nothing_is_asked_conditionally_that_was_never_stored() -> None:
    assert conditions(None) == ()


def test_validators_go_only_to_the_url_they_came_from() -> None:
    """Sent elsewhere, a 304 could be about a page we never had."""
    moved = Copy(etag='"a"', url="https://a.example/end")
    assert conditions(moved) == ()
    assert conditions(moved, "https://a.example/other") == ()
    assert conditions(moved, "https://a.example/end")
    assert conditions(Copy(etag='"a"'), "https://a.example/end") == ()


@given(copies)
def test_no_condition_can_break_a_request(copy: Copy) -> None:
    for name, value in conditions(copy, copy.url):
        assert name in ("If-None-Match", "If-Modified-Since")
        assert value in (copy.etag, copy.last_modified)
        assert value.isascii()
        assert value.isprintable()
        assert len(value) <= 512
        assert value != "*"


@given(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)))
def test_every_date_a_server_writes_by_the_book_is_sent(date: datetime) -> None:
    text = format_datetime(date.replace(tzinfo=UTC), usegmt=True)
    assert conditions(Copy(last_modified=text)) == (("If-Modified-Since", text),)


# Age


@pytest.mark.parametrize(
    ("max_age", "fresh"), [(-1.0, False), (0.0, False), (3_600.0, False), (3_600.1, True)]
)
def test_a_copy_serves_while_it_is_younger_than_the_max_age(max_age: float, fresh: bool) -> None:
    assert is_fresh(HOUR, NOW, FreshnessPolicy(max_age=max_age)) is fresh


def test_by_default_no_copy_serves_without_a_request() -> None:
    assert not is_fresh(Copy(fetched_at=NOW), NOW, FreshnessPolicy())


def test_any_copy_serves_where_the_cache_is_preferred() -> None:
    assert is_fresh(Copy(), NOW, FreshnessPolicy(prefer_cache=True))
    assert not is_fresh(None, NOW, FreshnessPolicy(prefer_cache=True))


def test_a_copy_from_the_future_does_not_serve() -> None:
    assert not is_fresh(Copy(fetched_at=NOW + 60), NOW, FreshnessPolicy(max_age=DAY))


@pytest.mark.parametrize(
    ("words", "links", "kind"),
    [
        (800, 40, "article"), (200, 0, "article"), (2_000, 200, "article"),
        (150, 300, "hub"), (0, 20, "hub"), (600, 150, "hub"),
        (199, 0, "page"), (800, 100, "page"), (30, 10, "page"), (0, 0, "page"), (90, 19, "page"),
    ],
)  # fmt: skip
def test_text_has_another_max_age_than_lists_of_links(words: int, links: int, kind: str) -> None:
    limits = {"article": 300.0, "hub": 100.0, "page": 200.0}
    policy = FreshnessPolicy(limits["page"], limits["article"], limits["hub"])
    copy = Copy(fetched_at=NOW, words=words, links=links)
    assert is_fresh(copy, NOW + limits[kind] - 1, policy)
    assert not is_fresh(copy, NOW + limits[kind], policy)


@given(copies)
def test_without_limits_of_their_own_all_kinds_are_alike(copy: Copy) -> None:
    policy = FreshnessPolicy(max_age=DAY)
    assert is_fresh(copy, NOW, policy) is (0 <= NOW - copy.fetched_at < DAY)


@given(copies, policies, st.floats(0, 1e9))
def test_what_is_too_old_never_becomes_fresh_by_waiting(
    copy: Copy, policy: FreshnessPolicy, wait: float
) -> None:
    if copy.fetched_at <= NOW and not is_fresh(copy, NOW, policy):
        assert not is_fresh(copy, NOW + wait, policy)


# Content


def test_equal_bytes_are_the_same_content() -> None:
    assert same_content(PAGE, Copy(digest=PAGE.digest))
    assert not same_content(PAGE, Copy(digest=b"e" * 32))


def test_equal_bytes_from_elsewhere_are_not_the_same() -> None:
    """Their links may lead elsewhere too."""
    direct, moved = Copy(digest=PAGE.digest), Copy(digest=PAGE.digest, url="https://a.example/end")
    assert not same_content(PAGE, direct, "https://a.example/end")
    assert same_content(PAGE, moved, "https://a.example/end")
    assert not same_content(PAGE, moved, "https://a.example/other")
    assert not same_content(PAGE, moved)


def test_without_a_body_nothing_is_the_same() -> None:
    bare = replace(PAGE, body=None, digest=b"")
    assert not same_content(bare, Copy(digest=b""))
    assert not same_content(PAGE, None)


def test_a_page_that_asks_not_to_be_kept_any_more_is_not_the_same() -> None:
    hidden = replace(PAGE, directives=Directives(noindex=True))
    assert not same_content(hidden, Copy(digest=PAGE.digest))


# Failure


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("is_final", [False, True])
def test_a_copy_serves_where_the_site_fails_or_no_try_is_left(fault: Fault, is_final: bool) -> None:
    outcome = stale_instead(Failed(fault, "why", 500), HOUR, is_final)
    if fault in (Fault.INTERNAL, Fault.PROXY):
        assert outcome == Failed(fault, "why", 500), "says nothing about the site"
    elif is_final or fault in SITE_WIDE or fault not in RETRYABLE:
        assert outcome == Stale(fault, "why", 500)
    else:
        assert outcome == Failed(fault, "why", 500), "another try may help"


def test_a_wall_under_an_error_is_covered_by_the_copy() -> None:
    wall = Garbage("access_denied", "imperva (http 403)", status=403)
    stale = Stale(Fault.CLIENT_ERROR, "imperva (http 403)", 403)
    assert stale_instead(wall, HOUR, is_final=False) == stale
    assert stale_instead(wall, None, is_final=True) is wall


@pytest.mark.parametrize("fault", Fault)
def test_without_a_copy_a_failure_stays_one(fault: Fault) -> None:
    assert stale_instead(Failed(fault, "why"), None, is_final=True) == Failed(fault, "why")


@pytest.mark.parametrize(
    "outcome",
    [
        Read(PAGE), Unchanged(304), Gone(404), Gone(410), Moved("https://b.example/", 301, True),
        Throttled(429, None), Garbage("captcha", "prove it"),
        Garbage("captcha", "prove it", is_hard=True, status=403), Refused(Reason.ROBOTS, "line 3"),
        Priced(""), Waiting(NOW, "closed"),
    ],
)  # fmt: skip
def test_only_failures_are_covered_by_the_copy(outcome: Outcome) -> None:
    assert stale_instead(outcome, HOUR, is_final=True) is outcome
