"""Which cookies of a browser are for a host? RFC 6265, and files as they are written."""

from __future__ import annotations

import pytest

from tenax.fetch.cookies.jar import MOST
from tenax.ops.sites.cookie_files import (
    BrowserCookie,
    CookieFileError,
    for_host,
    from_browser,
    read_cookies,
)

NOW = 1_800_000_000.0
TXT = """# Netscape HTTP Cookie File
#HttpOnly_.example.org\tTRUE\t/\tTRUE\t1900000000\tsession\tabc
club.example.org\tFALSE\t/\tFALSE\t0\ttheme\tdark

.example.org\tTRUE\t/\tTRUE\t1700000000\told\tx
"""


def chosen(cookies: list[BrowserCookie], host: str) -> dict[str, str]:
    return {each.name: each.value for each in for_host(cookies, host, NOW)}


def test_a_file_of_curl_and_one_of_a_browser_say_the_same() -> None:
    listed = """{"cookies": [
        {"name": "session", "value": "abc", "domain": ".example.org", "expires": 1900000000},
        {"name": "theme", "value": "dark", "domain": "club.example.org", "expires": -1},
        {"name": "old", "value": "x", "domain": ".example.org", "expirationDate": 1.5e9},
        {"value": "without a name"}, 7]}"""
    for text in (TXT, listed):
        cookies = read_cookies(text)
        assert chosen(cookies, "club.example.org") == {"session": "abc", "theme": "dark"}
        assert chosen(cookies, "example.org:8080") == {"session": "abc"}
        assert chosen(cookies, "badexample.org") == {}


def test_a_cookie_of_one_host_is_not_for_those_below_it_or_for_addresses() -> None:
    def of(domain: str, wide: bool, path: str = "/") -> list[BrowserCookie]:
        return [BrowserCookie(domain, "a", "b", path, None, wide)]

    assert chosen(of("example.org", False), "www.example.org") == {}
    assert chosen(of("example.org", True), "www.example.org") == {"a": "b"}
    for suffix, host in (("org", "example.org"), ("co.uk", "example.co.uk")):
        assert chosen(of(suffix, True), host) == {}, "a public suffix is nobody's"
    assert chosen(of("0.0.1", True), "127.0.0.1") == {}
    assert chosen(of("127.0.0.1", False), "127.0.0.1:8100") == {"a": "b"}
    assert chosen(of("example.org", True, "/admin"), "example.org") == {}


def test_of_one_name_the_narrowest_domain_counts_and_there_are_not_too_many() -> None:
    two = [BrowserCookie("a.example.org", "s", "narrow"), BrowserCookie("example.org", "s", "wide")]
    assert chosen(two, "a.example.org") == {"s": "narrow"}
    many = [BrowserCookie("example.org", f"n{n}", "v") for n in range(200)]
    assert len(chosen(many, "example.org")) == MOST


def test_what_is_no_such_file_is_told() -> None:
    for text in ("hello", "[", '{"a": 1}'):
        with pytest.raises(CookieFileError):
            read_cookies(text)
    assert from_browser("text") is None
