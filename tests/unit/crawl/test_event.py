"""What is told of a visit, and what is not (STORE-2, VAL-3)."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.crawl.event import PageFacts, TargetFacts, Telling, cache_key, event_id, kind, told
from tenax.model import EventKind, Fault, OutcomeWord, Page, Role, State
from tenax.outcome import Attempt, End, Kept, Later, Next, Settlement
from tests.schemas import check, schema, validator

NOW = 1_790_000_000.25
BODY = b"<p>hello</p>"
PAGE = Page(
    "https://a.example/final",
    200,
    "text/html",
    BODY,
    NOW,
    content_hash=sha256(b"hello").digest(),
    digest=sha256(BODY).digest(),
)
ABOUT = TargetFacts("https://a.example/", "shop", 1)
HASH = sha256(b"https://a.example/").digest()


def settled(
    then: Next | None = None,
    *,
    page: Page | None = None,
    kept: Kept | None = None,
    outcome: OutcomeWord | None = None,
    attempt: Attempt | None = Attempt(NOW, "read", 200),  # noqa: B008  a frozen value
) -> Settlement:
    then = then or End(State.DONE, "read")
    return Settlement(1, 2, 3, then, attempt, outcome, page=page, url_hash=HASH, kept=kept)


def told_of(settlement: Settlement, telling: Telling = Telling()) -> dict[str, Any]:  # noqa: B008  frozen
    return check(told(settlement, ABOUT, NOW, telling))


def test_a_page_is_told_with_everything_a_reader_needs() -> None:
    event = told_of(settled(page=PAGE))
    assert event == {
        "type": "webpage_fetched",
        "event_id": event_id(EventKind.FETCHED, "shop", HASH, NOW),
        "url": "https://a.example/",
        "final_url": "https://a.example/final",
        "url_hash": HASH.hex(),
        "unchanged": False,
        "body": "stored",
        "cache_key": PAGE.digest.hex(),
        "status_code": 200,
        "content_type": "text/html",
        "content_length": len(BODY),
        "content_hash": PAGE.content_hash.hex(),
        "text_sha256": PAGE.content_hash.hex(),
        "body_sha256": PAGE.digest.hex(),
        "digest": PAGE.digest.hex(),
        "fetched_at": "2026-09-21T14:13:20.250Z",
        "job": "shop",
    }


def test_a_url_given_up_is_told_with_what_made_it_fail() -> None:
    attempt = Attempt(NOW - 1, "failed", 500)
    end = End(State.FAILED, "server_error: http 500", Fault.SERVER_ERROR)
    event = told_of(settled(end, attempt=attempt))
    assert event == {
        "type": "webpage_failed",
        "event_id": event_id(EventKind.FAILED, "shop", HASH, NOW - 1),
        "url": "https://a.example/",
        "url_hash": HASH.hex(),
        "fault": "server_error",
        "reason": "server_error: http 500",
        "attempts": 1,
        "status_code": 500,
        "failed_at": "2026-09-21T14:13:20.250Z",
        "job": "shop",
    }


@pytest.mark.parametrize(
    "settlement",
    [
        settled(kept=Kept.CHECKED, outcome=OutcomeWord.UNCHANGED),
        settled(End(State.DONE, "noindex"), kept=Kept.DROPPED),
        settled(End(State.REJECTED, "captcha")),
        settled(End(State.GONE, "http 404"), attempt=Attempt(NOW, "gone", 404)),
        settled(End(State.BLOCKED, "robots")),
        settled(Later(NOW, counts=True, reason="reset")),
    ],
    ids=["unchanged", "noindex", "rejected", "gone", "blocked", "to be tried again"],
)
def test_what_brings_no_page_and_gives_nothing_up_is_not_told(settlement: Settlement) -> None:
    assert kind(settlement, Telling()) is None


UNCHANGED = settled(kept=Kept.CHECKED, outcome=OutcomeWord.UNCHANGED)
STORED = PageFacts(PAGE.url, 200, "text/html", len(BODY), PAGE.digest, PAGE.content_hash, NOW + 1)


def test_a_page_found_unchanged_is_told_as_it_is_stored_where_that_is_wanted() -> None:
    """Its body has its time anew: who reads it has to know."""
    telling = Telling(by_url=True, unchanged=True)
    assert kind(UNCHANGED, telling) is EventKind.FETCHED
    about = replace(ABOUT, stored=STORED)
    event = check(told(UNCHANGED, about, NOW + 2, telling))
    first = told_of(settled(page=replace(PAGE, fetched_at=NOW - 9)), telling)
    differs = ("event_id", "unchanged", "fetched_at")
    assert {name: event[name] for name in event if name not in differs} == {
        name: first[name] for name in first if name not in differs
    }
    assert (first["unchanged"], event["unchanged"]) == (False, True)
    assert event["event_id"] == event_id(EventKind.FETCHED, "shop", HASH, NOW)
    assert event["fetched_at"] == "2026-09-21T14:13:21.250Z"


def test_what_is_to_be_visited_once_more_is_not_told_as_unchanged() -> None:
    again = replace(UNCHANGED, next=Later(NOW, counts=False))
    assert kind(again, Telling(unchanged=True)) is None


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_gone_is_told_as_given_up_where_that_is_wanted(status: int) -> None:
    gone = settled(End(State.GONE, f"http {status}"), attempt=Attempt(NOW, "gone", status))
    telling = Telling(gone=True, kinds=frozenset({EventKind.FAILED}))
    assert kind(gone, telling) is EventKind.FAILED
    event = told_of(gone, telling)
    assert (event["fault"], event["status_code"]) == ("gone", status)
    guessed = replace(gone, role=Role.ARCHIVE)
    assert kind(guessed, telling) is None
    assert kind(replace(gone, attempt=Attempt(NOW, "gone", 200)), telling) is None


def test_a_page_without_a_body_says_so() -> None:
    event = told_of(settled(page=replace(PAGE, body=None, content_hash=b"", digest=b"")))
    assert event["body"] == "none"
    assert (event["cache_key"], event["body_sha256"], event["content_hash"]) == (None, None, None)
    assert event["content_length"] == 0


def test_a_body_without_text_has_a_hash_all_the_same() -> None:
    event = told_of(settled(page=replace(PAGE, content_hash=b"")))
    assert (event["body"], event["content_hash"]) == ("stored", PAGE.digest.hex())
    assert (event["text_sha256"], event["body_sha256"]) == (None, PAGE.digest.hex())


def test_where_bodies_lie_under_their_urls_the_key_says_so() -> None:
    assert told_of(settled(page=PAGE), Telling(by_url=True))["cache_key"] == f"webpage:{HASH.hex()}"
    assert cache_key(PAGE.digest, HASH, Telling()) == PAGE.digest.hex()


def test_the_same_visit_has_the_same_id_and_another_has_another() -> None:
    first = told_of(settled(page=PAGE))["event_id"]
    assert told_of(settled(page=PAGE))["event_id"] == first
    later = replace(PAGE, fetched_at=NOW + 0.001)
    assert told_of(settled(page=later))["event_id"] != first
    other_job = check(told(settled(page=PAGE), TargetFacts(ABOUT.url, "other"), NOW, Telling()))
    assert other_job["event_id"] != first


@given(
    url=st.text(min_size=1),
    job=st.text(min_size=1),
    content_type=st.text(),
    reason=st.text(max_size=3_000),
    status=st.integers(100, 599),
)
def test_whatever_the_web_says_events_are_what_their_schemas_say(
    url: str, job: str, content_type: str, reason: str, status: int
) -> None:
    about = TargetFacts(url, job, 3)
    page = replace(PAGE, url=url, content_type=content_type, status=status)
    check(told(settled(page=page), about, NOW, Telling()))
    given_up = settled(End(State.FAILED, reason, None), attempt=Attempt(NOW, "failed", status))
    check(told(given_up, about, NOW, Telling()))


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_event_has_a_schema_that_explains_and_requires_every_field(kind: EventKind) -> None:
    found = schema(kind)
    assert found["properties"]["type"]["const"] == kind
    assert set(found["required"]) == set(found["properties"])
    assert all(
        "description" in field for name, field in found["properties"].items() if name != "type"
    )


def test_a_schema_notices_what_is_wrong() -> None:
    event = told_of(settled(page=PAGE))
    wrong_ones: dict[str, Any] = {
        "event_id": "x", "cache_key": "", "fetched_at": "today", "url": 1, "unchanged": None,
        "body": "none", "content_hash": None, "body_sha256": None,
    }  # fmt: skip
    for name, wrong in wrong_ones.items():
        with pytest.raises(jsonschema.ValidationError):
            validator("webpage_fetched").validate({**event, name: wrong})


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_field_is_explained_in_the_reference(kind: EventKind) -> None:
    text = (Path(__file__).parents[3] / "docs" / "reference" / "events.md").read_text()
    told = text.partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
    rows = {line.split("`")[1] for line in told.splitlines() if line.startswith("| `")}
    assert rows == set(schema(kind)["properties"])
