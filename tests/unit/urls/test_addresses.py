"""Who may be connected to (SEC-1)."""

from __future__ import annotations

import pytest

from tenax.urls.addresses import AddressRules, literal_address


@pytest.mark.parametrize(
    "ip",
    [
        "1.1.1.1",
        "8.8.8.8",
        "93.184.215.14",
        "172.15.255.255",
        "172.32.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "2606:4700:4700::1111",
        "2a00:1450:4001:81b::200e",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
    ],
)
def test_public_addresses_are_allowed(ip: str) -> None:
    assert AddressRules().judge(ip) is None


@pytest.mark.parametrize(
    ("ip", "why"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("::1", "loopback"),
        ("10.0.0.1", "private"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.168.1.1", "private"),
        ("fc00::1", "private"),
        ("fdff::1", "private"),
        ("169.254.0.1", "link-local"),
        ("fe80::1", "link-local"),
        ("100.64.0.1", "carrier-grade NAT"),
        ("100.127.255.255", "carrier-grade NAT"),
        ("169.254.169.254", "cloud metadata"),
        ("100.100.100.200", "cloud metadata"),
        ("168.63.129.16", "cloud metadata"),
        ("192.0.0.192", "cloud metadata"),
        ("fd00:ec2::254", "cloud metadata"),
        ("0.0.0.0", "unspecified"),
        ("::", "unspecified"),
        ("0.1.2.3", "this network"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.255", "multicast"),
        ("ff02::1", "multicast"),
        ("ff0e::1", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "broadcast"),
        ("192.0.2.1", "documentation"),
        ("198.18.0.1", "benchmarking"),
        ("192.88.99.1", "6to4 relay"),
        ("2001:db8::1", "documentation"),
        ("3fff::1", "documentation"),
        ("fec0::1", "site-local"),
        ("100::1", "discard-only"),
        ("4000::1", "reserved"),
        ("5f00::1", "reserved"),
        ("::ffff:0:8.8.8.8", "reserved"),
    ],
)
def test_every_special_range_is_refused_by_name(ip: str, why: str) -> None:
    assert AddressRules().judge(ip) == why


@pytest.mark.parametrize(
    ("ip", "why"),
    [
        ("::ffff:127.0.0.1", "IPv4-mapped loopback"),
        ("::ffff:7f00:1", "IPv4-mapped loopback"),
        ("::ffff:169.254.169.254", "IPv4-mapped cloud metadata"),
        ("64:ff9b::10.0.0.1", "NAT64 private"),
        ("64:ff9b::169.254.169.254", "NAT64 cloud metadata"),
        ("64:ff9b:1::8.8.8.8", "local NAT64"),
        ("2002:7f00:1::", "6to4 loopback"),
        ("2002:808:808::1", "6to4 tunnel"),
        ("2001:0:808:808:0:0:f5ff:fffe", "Teredo private"),
        ("2001:0:808:808:0:0:f7f7:f7f7", "Teredo tunnel"),
        ("::127.0.0.1", "IPv4-compatible loopback"),
        ("::8.8.8.8", "IPv4-compatible tunnel"),
    ],
)
def test_an_address_inside_another_does_not_hide(ip: str, why: str) -> None:
    assert AddressRules().judge(ip) == why


@pytest.mark.parametrize("ip", ["", "localhost", "127.1", "0x7f.0.0.1", "1.2.3.4/32", "[::1]"])
def test_what_is_no_address_is_refused(ip: str) -> None:
    assert AddressRules().judge(ip) == "not an address"


def test_a_scoped_address_is_refused_even_in_an_allowed_network() -> None:
    assert AddressRules(("fe80::/10",)).judge("fe80::1%eth0") == "scoped to a network interface"


@pytest.mark.parametrize("ip", ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"])
def test_an_allowed_network_is_allowed_in_every_spelling(ip: str) -> None:
    assert AddressRules(("127.0.0.0/8",)).judge(ip) is None


@pytest.mark.parametrize(
    ("ip", "why"),
    [
        ("::1", "loopback"),
        ("10.0.0.1", "private"),
        ("2002:7f00:1::", "6to4 loopback"),
        ("::127.0.0.1", "IPv4-compatible loopback"),
    ],
)
def test_allowing_one_network_opens_no_other(ip: str, why: str) -> None:
    assert AddressRules(("127.0.0.0/8",)).judge(ip) == why


def test_a_single_address_may_be_allowed() -> None:
    rules = AddressRules(("10.0.0.7", "fd00::/8"))
    judged = [rules.judge(ip) for ip in ("10.0.0.7", "10.0.0.8", "fd12::1")]
    assert judged == [None, "private", None]


@pytest.mark.parametrize("text", ["localhost", "10.0.0.5/8", "10.0.0.0/33", "", "::1%lo"])
def test_a_bad_network_is_refused_with_advice(text: str) -> None:
    with pytest.raises(ValueError, match=r"allow_private: .* is not a network .*10\.0\.0\.0/8"):
        AddressRules((text,))


@pytest.mark.parametrize(
    ("hostname", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("::ffff:7f00:1", "::ffff:7f00:1"),
        ("example.com", None),
        ("example1", None),
        ("4.example.com", None),
        ("1.2.3", None),
        ("", None),
    ],
)
def test_a_host_name_may_be_an_address(hostname: str, address: str | None) -> None:
    assert literal_address(hostname) == address
