"""How users' patterns match URLs and hosts (URL-5)."""

from __future__ import annotations

import pytest

from tenax.urls.patterns import HostPatterns, UrlPatterns, glob


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("abc", "abc"),
        ("*", ""),
        ("a*", "a"),
        ("*c", "abc"),
        ("a*c", "ac"),
        ("a*b*c", "a--b--c"),
        ("a**c", "abc"),
        ("*b*", "abc"),
        ("*/tag/*", "https://a.example/tag/x"),
        ("*?sort=*", "https://a.example/?sort=up"),
        ("*aab", "aaab"),
    ],
)
def test_a_star_stands_for_any_run_of_characters(pattern: str, text: str) -> None:
    assert glob(pattern)(text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("abc", "abcd"),
        ("ab*ba", "aba"),
        ("a*b*b", "ab"),
        ("a?c", "abc"),
        ("a.c", "abc"),
        ("[ab]", "a"),
        ("*/tag/*", "https://a.example/tags/x"),
    ],
)
def test_everything_else_stands_for_itself(pattern: str, text: str) -> None:
    assert not glob(pattern)(text)


def test_a_hostile_url_cannot_make_a_glob_slow() -> None:
    """Backtracking over this many stars would outlast the test suite."""
    assert not glob("*a" * 40 + "*b")("a" * 100_000)


def test_a_regular_expression_is_searched_for_and_named() -> None:
    patterns = UrlPatterns("exclude", ("*/x/*", r"re:/\d{4}/"))
    assert patterns.first_match("https://a.example/2024/y") == r"re:/\d{4}/"


def test_a_broken_regular_expression_is_refused_with_advice() -> None:
    with pytest.raises(
        ValueError, match=r"exclude: 're:\(' is not a regular expression: .*Correct"
    ):
        UrlPatterns("exclude", ("re:(",))


@pytest.mark.parametrize(
    ("pattern", "host"),
    [
        ("example.com", "example.com"),
        ("Example.COM.", "example.com"),
        ("example.com", "example.com:8080"),
        ("example.com:8080", "example.com:8080"),
        ("*.example.com", "a.b.example.com"),
        ("ads.*", "ads.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("*.bücher.example", "a.xn--bcher-kva.example"),
        ("0x7f.1", "127.0.0.1:81"),
        ("[::1]", "[::1]"),
        ("[0:0::1]", "[::1]:81"),
        ("[::1]:81", "[::1]:81"),
    ],
)
def test_a_host_pattern_matches_hosts_as_urls_spell_them(pattern: str, host: str) -> None:
    assert HostPatterns("allowed_hosts", (pattern,)).first_match(host) == pattern


@pytest.mark.parametrize(
    ("pattern", "host"),
    [
        ("example.com", "www.example.com"),
        ("example.com", "badexample.com"),
        ("*.example.com", "example.com"),
        ("example.com:8080", "example.com"),
        ("[::1]:81", "[::1]"),
    ],
)
def test_a_host_pattern_matches_no_more_than_it_says(pattern: str, host: str) -> None:
    assert HostPatterns("allowed_hosts", (pattern,)).first_match(host) is None


@pytest.mark.parametrize("host", ["example.com", "a.example.com", "a.b.example.com:81"])
def test_with_subdomains_a_name_covers_what_is_below_it(host: str) -> None:
    patterns = HostPatterns("blocked_hosts", ("example.com",), subdomains=True)
    assert patterns.first_match(host) == "example.com"


def test_with_subdomains_a_name_covers_no_longer_name() -> None:
    patterns = HostPatterns("blocked_hosts", ("example.com", "10.0.0.1"), subdomains=True)
    assert patterns.first_match("badexample.com") is None


@pytest.mark.parametrize("text", ["", "https://example.com", "example.com/x", "a b", "::1", "u@a"])
def test_what_is_no_host_is_refused_with_advice(text: str) -> None:
    with pytest.raises(ValueError, match=r"blocked_hosts: .* is not a host name\. Write it"):
        HostPatterns("blocked_hosts", (text,))
