"""Does a reply travel as HTTP wants it to? Heads and bodies, without a socket."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.demo import Reply, SiteRequest
from tenax.demo.site import MODIFIED
from tenax.demo.wire import compose

PAGE = Reply(b"<h1>Hello</h1>")
SQUEEZED = Reply(b"<h1>Hello</h1>" * 9, codings=("gzip", "deflate"))


def send(reply: Reply, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    head, body = compose(SiteRequest(method, "/", given), reply)
    first, *lines = head.decode().rstrip("\r\n").split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


def test_a_head_request_gets_the_head_of_the_page_and_nothing_else() -> None:
    status, headers, body = send(PAGE, "HEAD")
    assert (status, headers["Content-Length"], body) == (200, "14", b"")


def test_a_known_tag_is_answered_304_without_a_body() -> None:
    tag = send(PAGE)[1]["ETag"]
    status, headers, body = send(PAGE, if_none_match=f'"other", {tag}')
    assert (status, body, headers["ETag"]) == (304, b"", tag)
    assert "Content-Length" not in headers


def test_a_tag_outlives_the_coding_it_came_with() -> None:
    tag = send(SQUEEZED, accept_encoding="gzip")[1]["ETag"]
    assert send(SQUEEZED, if_none_match=tag)[0] == 304


def test_the_tag_decides_where_both_conditions_are_given() -> None:
    status, _, _ = send(PAGE, if_none_match='"old"', if_modified_since=MODIFIED)
    assert status == 200


@pytest.mark.parametrize(
    ("since", "status"),
    [
        (MODIFIED, 304),
        ("Fri, 01 Jan 2027 00:00:00 GMT", 304),
        ("Wed, 01 Jan 2020 00:00:00 GMT", 200),
        ("yesterday", 200),
        ("", 200),
    ],
)
def test_a_page_not_modified_since_is_not_sent_again(since: str, status: int) -> None:
    assert send(PAGE, if_modified_since=since)[0] == status


def test_failures_carry_no_validators() -> None:
    assert "ETag" not in send(Reply(b"broken", status=500))[1]


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br", "gzip"),
        ("deflate", "deflate"),
        ("gzip;q=0, deflate", "deflate"),
        ("*", "gzip"),
        ("br", None),
        ("", None),
    ],
)
def test_the_client_chooses_among_the_codings_offered(accepted: str, coding: str | None) -> None:
    assert send(SQUEEZED, accept_encoding=accepted)[1].get("Content-Encoding") == coding


@given(st.text(alphabet="gzipdeflate*;q=0.1, ", max_size=30))
def test_whatever_is_accepted_the_page_can_be_read(accepted: str) -> None:
    _, headers, body = send(SQUEEZED, accept_encoding=accepted)
    match headers.get("Content-Encoding"):
        case "gzip":
            assert gzip.decompress(body) == SQUEEZED.body
        case "deflate":
            assert zlib.decompress(body) == SQUEEZED.body
        case _:
            assert body == SQUEEZED.body
    assert headers["Content-Length"] == str(len(body))
