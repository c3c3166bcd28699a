"""Whatever the answer: judging never raises, never doubts long pages, and is the same each time."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from tenax.model import Headers, Response
from tenax.page.read import read
from tenax.page.verdict.features import parts_of, plain
from tenax.page.verdict.pattern_table import shipped
from tenax.page.verdict.phrases import safe_pattern
from tenax.page.verdict.validate import PageVerdict, validate, validate_unread
from tenax.page.verdict.wall_patterns import WallKind

PIECES = (
    "<title>", "</title>", "<h1>", "</h1>", "<p>", "<noscript>", "</noscript>", "<script>",
    "</script>", "<!--", "-->", "<div id=root>", "</div>", "<input type=password>",
    "<iframe src=x>", "<frameset>", "<meta http-equiv=refresh content=0>", "<main>", "</main>",
    "<body>", "</body>", "<html>", "</html>", "<a href=/x>x</a>", "<", "&am", "Not Found",
    "Access Denied", "403", "captcha", "g-recaptcha", "please enable javascript", "sign in",
    "_cf_chl_opt", "this domain is for sale", "Just a moment...", "ページが見つかりません",
    "\0", "\ufffd", "ž ", "word " * 30,
)  # fmt: skip
TYPES = ("text/html", "text/html; charset=utf-16", "application/xhtml+xml", "text/plain", "", "x/y")
HEADERS = (("cf-mitigated", "challenge"), ("CF-Mitigated", ""), ("x-sucuri-block", "1"), ("a", "b"))

bodies = st.one_of(
    st.none(),
    st.binary(max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=25).map(lambda parts: "".join(parts).encode()),
)
answers = st.builds(
    lambda body, content_type, status, extra: Response(
        "https://a.example/", status, Headers((("Content-Type", content_type), *extra)), body
    ),
    bodies,
    st.sampled_from(TYPES),
    st.sampled_from([200, 202, 204, 301, 403, 404, 410, 429, 500, 503]),
    st.lists(st.sampled_from(HEADERS), max_size=2),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(answers)
def test_any_answer_is_judged_and_always_the_same_way(answer: Response) -> None:
    verdict = validate_unread(answer, shipped())
    assert verdict == validate_unread(answer, shipped())
    if verdict is not None:
        assert verdict.evidence
        assert len(verdict.evidence) < 600
        assert not (verdict.is_hard and verdict.wants_browser)
        assert answer.status not in (404, 410)


@settings(max_examples=150, deadline=None)
@given(answers, st.integers(1, 3))
def test_a_long_page_is_at_worst_cut_off(answer: Response, times: int) -> None:
    """However it begins: with more words than walls have, only its end or its headers speak."""
    words = b"<p>" + b"harbour water " * 250 * times + b"</p>"
    opened = b"<html><head><title>x</title></head><body>" + words
    response = Response(answer.url, 200, Headers((("Content-Type", "text/html"),)), opened)
    tail = answer.body or b""
    longer = Response(response.url, 200, response.headers, opened + tail)
    page = read(longer, fetched_at=0.0)
    verdict = validate(longer, page, shipped())
    if page.words > shipped().longest:
        assert verdict is None or verdict.kind is WallKind.TRUNCATED


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_plain_text_is_settled(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert all(part == plain(part) and part for part in parts_of(text))


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab(|)[]{},*+?\\1 9.^$", max_size=12), st.text(alphabet="ab ", max_size=40))
def test_a_pattern_is_refused_or_works(source: str, text: str) -> None:
    with suppress(ValueError):
        safe_pattern(source).search(text)


@settings(max_examples=100, deadline=None)
@given(answers)
def test_other_than_html_is_never_judged_by_its_text(answer: Response) -> None:
    plainly = Response(answer.url, 200, Headers((("Content-Type", "text/plain"),)), answer.body)
    verdict: PageVerdict | None = validate_unread(plainly, shipped())
    assert verdict is None
