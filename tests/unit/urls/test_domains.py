"""Which registrable domain a host name belongs to."""

from __future__ import annotations

import pytest

from tenax.urls.domains import registrable_domain


@pytest.mark.parametrize(
    ("hostname", "domain"),
    [
        ("example.com", "example.com"),
        ("a.b.example.com", "example.com"),
        ("shop.example.co.uk", "example.co.uk"),
        ("example.com.", "example.com"),
        ("me.github.io", "me.github.io"),
        ("www.me.github.io", "me.github.io"),
        ("a.xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("www.a.xn--55qx5d.cn", "a.xn--55qx5d.cn"),
        ("x.www.ck", "www.ck"),
        ("intranet.corp", "intranet.corp"),
    ],
)
def test_a_name_belongs_to_the_label_below_its_public_suffix(hostname: str, domain: str) -> None:
    assert registrable_domain(hostname) == domain


@pytest.mark.parametrize("hostname", ["co.uk", "github.io", "com"])
def test_a_public_suffix_is_its_own_domain(hostname: str) -> None:
    assert registrable_domain(hostname) == hostname


@pytest.mark.parametrize("hostname", ["localhost", "127.0.0.1", "10.1.2.3", "::1", "2001:db8::1"])
def test_addresses_and_single_labels_are_their_own_domain(hostname: str) -> None:
    assert registrable_domain(hostname) == hostname
