"""Which addresses may be connected to?

The question is asked of the address of the socket, not of a name (SEC-1), and of literal
addresses in URLs. The answer is no unless the address is known to be part of the public
internet, so a gap in a list refuses a site rather than opening a network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network


class AddressRules:
    """Public addresses may be connected to; others only inside a network `allow` names.

    An allowed IPv4 network is allowed through IPv4-mapped and NAT64 addresses too: they reach
    the same machine.
    """

    __slots__ = ("_judge", "_networks", "allow")

    def __init__(self, allow: tuple[str, ...] = ()) -> None:
        self.allow = allow
        self._networks = tuple(_network(text) for text in allow)
        # Asked for every connection, mostly about the same few addresses.
        self._judge: Callable[[str], str | None] = lru_cache(maxsize=4096)(self._judge_afresh)

    def judge(self, ip: str) -> str | None:
        """None when it may be connected to, otherwise what it is, in a few words."""
        return self._judge(ip)

    def __repr__(self) -> str:
        return f"AddressRules(allow={self.allow!r})"

    def _judge_afresh(self, ip: str) -> str | None:
        try:
            address = ip_address(ip)
        except ValueError:
            return "not an address"
        if isinstance(address, IPv6Address) and address.scope_id is not None:
            return "scoped to a network interface"
        if self._is_allowed(address):
            return None
        return _refusal(address)

    def _is_allowed(self, address: Address) -> bool:
        if not self._networks:
            return False
        target = _same_machine(address)
        return any(address in net or (target is not None and target in net)
                   for net in self._networks)  # fmt: skip


def literal_address(hostname: str) -> str | None:
    """The address when the host name of a resolved URL is one, without brackets."""
    name = hostname.strip("[]")
    if ":" not in name and not name.rpartition(".")[2].isdecimal():
        return None
    try:
        address = ip_address(name)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if mapped is None:
        return str(address)
    # As URLs spell it: from 3.13 on Python writes ::ffff:127.0.0.1.
    high, low = divmod(int(mapped), 1 << 16)
    return f"::ffff:{high:x}:{low:x}"


# Special ranges by what they are. The standard library's `is_global` is asked as well, but
# not alone: until 3.11.10 it called several of these global, and it says nothing of why.
_NAMED: tuple[tuple[str, tuple[Network, ...]], ...] = tuple(
    (name, tuple(ip_network(text) for text in texts))
    for name, texts in (
        (
            "cloud metadata",
            (
                "169.254.169.254/32",
                "169.254.170.2/32",  # credentials of container tasks
                "169.254.170.23/32",
                "100.100.100.200/32",
                "192.0.0.192/32",
                "168.63.129.16/32",  # Azure's platform channel: a public address, served inside
                "fd00:ec2::254/128",
                "fd00:ec2::23/128",
                "fd20:ce::254/128",
            ),
        ),
        ("unspecified", ("0.0.0.0/32", "::/128")),
        ("this network", ("0.0.0.0/8",)),
        ("loopback", ("127.0.0.0/8", "::1/128")),
        ("private", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")),
        ("carrier-grade NAT", ("100.64.0.0/10",)),
        ("link-local", ("169.254.0.0/16", "fe80::/10")),
        ("site-local", ("fec0::/10",)),
        ("multicast", ("224.0.0.0/4", "ff00::/8")),
        ("broadcast", ("255.255.255.255/32",)),
        ("benchmarking", ("198.18.0.0/15", "2001:2::/48")),
        (
            "documentation",
            (
                "192.0.2.0/24",
                "198.51.100.0/24",
                "203.0.113.0/24",
                "2001:db8::/32",
                "3fff::/20",
            ),
        ),
        ("protocol assignment", ("192.0.0.0/24",)),
        ("6to4 relay", ("192.88.99.0/24",)),
        ("discard-only", ("100::/64",)),
        ("local NAT64", ("64:ff9b:1::/48",)),
        ("reserved", ("240.0.0.0/4",)),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_COMPATIBLE = IPv6Network("::/96")
_IPV6_UNICAST = IPv6Network("2000::/3")
"""The only IPv6 space ever assigned to public networks."""


def _refusal(address: Address) -> str | None:
    if named := _named(address):
        return named
    if isinstance(address, IPv4Address):
        return None if address.is_global else "not global"
    if wrapped := _wrapped(address):
        return _wrapped_refusal(address, *wrapped)
    if address not in _IPV6_UNICAST:
        return "reserved"
    return None if address.is_global else "not global"


def _named(address: Address) -> str | None:
    return next(
        (name for name, networks in _NAMED if any(address in network for network in networks)),
        None,
    )


def _wrapped(address: IPv6Address) -> tuple[str, IPv4Address] | None:
    """The IPv4 address inside one, and how it got in."""
    low = IPv4Address(int(address) & 0xFFFF_FFFF)
    if address.ipv4_mapped is not None:
        return "IPv4-mapped", address.ipv4_mapped
    if address in _NAT64:
        return "NAT64", low
    if address.sixtofour is not None:
        return "6to4", address.sixtofour
    if address.teredo is not None:
        return "Teredo", address.teredo[1]
    if address in _IPV4_COMPATIBLE:
        return "IPv4-compatible", low
    return None


def _wrapped_refusal(address: IPv6Address, wrapping: str, inner: IPv4Address) -> str | None:
    if why := _refusal(inner):
        return f"{wrapping} {why}"
    # The tunnels are retired (RFC 7526, RFC 4291 2.5.5.1) and lead through a gateway of the
    # sender's choice; mapped and NAT64 addresses are just other spellings of the inner one.
    return None if _same_machine(address) is not None else f"{wrapping} tunnel"


def _same_machine(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address is merely another spelling of."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped


def wrong_networks(texts: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """What is wrong with the setting `allow_private`: its name, how it is told of, and why."""
    for text in texts:
        if wrong := wrong_network(text):
            yield "allow_private", "allow_private", wrong


def wrong_network(text: str) -> str | None:
    """What is wrong with a network as it was written; None if nothing is."""
    try:
        ip_network(text)
    except ValueError as error:
        return _no_network(text, str(error))
    return _no_network(text, "a network has no interface") if "%" in text else None


def _no_network(text: str, why: str) -> str:
    return (
        f"{text!r} is not a network ({why}). Name addresses or networks, such as 127.0.0.1,"
        " 10.0.0.0/8 or fd00::/8."
    )


def _network(text: str) -> Network:
    if wrong := wrong_network(text):
        raise ValueError(f"allow_private: {wrong}")
    return ip_network(text)
