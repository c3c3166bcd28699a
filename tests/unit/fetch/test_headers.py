"""How a host is introduced to us: default headers and site rules (FE-13, FE-3)."""

from __future__ import annotations

import pytest

from tenax.fetch.headers import Introductions
from tenax.model import SiteRules
from tenax.urls.sites import Sites


def introductions(*sites: SiteRules) -> Introductions:
    return Introductions("tenax/1 (+mailto:me@example.org)", "en", Sites(sites))


def sent(book: Introductions, url: str) -> dict[str, str]:
    return dict(book.headers(url))


def test_by_default_we_say_who_we_are_and_nothing_else() -> None:
    headers = sent(introductions(), "https://a.example/")
    assert headers["User-Agent"] == "tenax/1 (+mailto:me@example.org)"
    assert set(headers) == {"User-Agent", "Accept", "Accept-Language", "Accept-Encoding"}


def test_site_rules_add_and_replace_headers_for_their_hosts_only() -> None:
    book = introductions(
        SiteRules(
            "*.a.example", headers={"accept-language": "de", "X-Key": "k"}, cookies={"c": "1"}
        )
    )
    there = sent(book, "https://shop.a.example/x")
    assert there["accept-language"] == "de"
    assert there["X-Key"] == "k"
    assert there["Cookie"] == "c=1"
    assert "Accept-Language" not in there
    assert "Cookie" not in sent(book, "https://b.example/")


def test_the_first_matching_rules_count() -> None:
    book = introductions(
        SiteRules("a.example", headers={"X": "first"}), SiteRules("*", headers={"X": "rest"})
    )
    assert sent(book, "https://a.example/")["X"] == "first"
    assert sent(book, "https://b.example/")["X"] == "rest"


def test_the_browser_profile_still_tells_who_we_are() -> None:
    headers = sent(introductions(SiteRules("a.example", profile="browser")), "https://a.example/")
    assert headers["Sec-Fetch-Mode"] == "navigate"
    assert headers["User-Agent"].startswith("tenax/")


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://a.example/x?y", "https://a.example/x?y"),
        ("https://a.example/x", "https://a.example/x"),
        ("http://a.example:8080/x", "http://a.example:8080/x"),
        ("http://b.example/x", "http://b.example/x"),
    ],
)
def test_https_is_forced_where_the_rules_say_so(url: str, asked: str) -> None:
    assert introductions(SiteRules("a.example", force_https=True)).preferred(url) == asked


def test_a_bad_host_pattern_is_named() -> None:
    with pytest.raises(ValueError, match=r"sites\.host"):
        introductions(SiteRules("http://a.example/"))
