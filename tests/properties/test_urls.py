"""What holds for every URL anyone could write (URL-1, URL-2, URL-4, SEC-1)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import ada_url
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tenax.model import Candidate, JobSpec, Rejected, ScopeKind, Target
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tenax.urls.domains import registrable_domain
from tenax.urls.normalise import (
    IdentityRules,
    explain,
    host_of,
    hostname_of,
    normalise,
    origin_of,
    path_of,
    resolve,
    resolve_all,
    seed_url,
    url_key,
)
from tenax.urls.patterns import glob
from tenax.urls.priority import priority
from tenax.urls.traps import trap

RULES = (IdentityRules(), IdentityRules(drop_trailing_slash=True), IdentityRules(("*",)))
NOW = 1_790_000_000.0
DOORS = [
    Door(
        JobSpec(seeds=("https://example.com/a/",), scope=scope, exclude=("*x*y*", r"re:\d{9}")),
        AddressRules(),
        NOW,
    )
    for scope in ScopeKind
]

# Pieces that parsers quarrel over, glued together at random, reach further than random text.
PIECES = [
    "http:", "https:", "//", "/", "\\", "?", "#", "@", ":", ":80", ":443", ":0", ".", "..", "%2e",
    "%2E%2e", "%", "%%", "%4", "%41", "%34", "%31", "%7e", "%zz", "%00", "%2f", "%25", ";", "&",
    "=", "+", "sid=1", ";sid=2", ";jsessionid=A", "utm_source=x", "utm%5Fid", "a", "b=2", "a=1",
    "year=2050", "/2050/01", "/x.jpg", "example.com", "www.example.com", "EXAMPLE.com.",
    "localhost", "127.1", "0x7f", "[::1]", "[::ffff:127.0.0.1]", "bücher.example", "xn--", "ß",
    "\u200d", "\ud800", "\U0001f600", " ", "\t", "\n", "\x00", "'", '"', "<", "|", "^", "{", "`",
    "~", "*",
]  # fmt: skip
mutated = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
texts = st.one_of(
    st.text(),
    st.text(st.characters()),
    st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")),
    mutated,
    mutated.map("http://example.com/".__add__),
    mutated.map("https://example.com/?".__add__),
    mutated.map("http://".__add__),
)
bases = st.one_of(st.none(), st.just("https://example.com/a/b?c#d"), texts)


def resolved(text: str) -> str:
    """The href of a text, where it is one the crawler would request."""
    href = resolve(text)
    assume(href is not None and href.startswith(("http://", "https://")))
    assert href is not None
    return href


@given(st.lists(texts, max_size=4), bases.filter(lambda base: base is not None))
@settings(deadline=None)
def test_the_links_of_a_page_resolve_as_each_does(links: list[str], base: str) -> None:
    assert resolve_all(links, base) == [resolve(text, base) for text in links]


@given(texts, st.integers(1, 12))
@example("https://example.com/b", 1)
@example("https://me@elsewhere.example/", 1)
@example("https://me@a..b.example/", 1)
@example("http://127.0.0.1/", 1)
@example("data:a  #b", 1)
@settings(deadline=None)
def test_a_link_is_followed_as_it_is_decided(text: str, depth: int) -> None:
    href = resolve(text, "https://example.com/a/b")
    assume(href is not None)
    assert href is not None
    for door in DOORS:
        decided = door.decide(Candidate(text, "https://example.com/a/b", depth, found_on=1))
        assert door.follow(href, depth, 1) == decided


@given(texts, bases)
@example("https://elsewhere.example/" + 600 * "é", None)
@example("https://elsewhere.example/" + 680 * '"', None)
@example("https://elsewhere.example\\/a", None)
@example("https://a..b.example/", "https://example.com/")
@example("http://127.1:80/", "http://example.com/")
@settings(deadline=None)
def test_what_is_closed_at_a_glance_is_decided_so(text: str, base: str | None) -> None:
    for door in DOORS:
        reason = door.closes(text)
        if reason is not None:
            decision = door.decide(Candidate(text, base, depth=1, found_on=1))
            assert isinstance(decision, Rejected)
            assert decision.reason is reason


@given(texts, bases)
@settings(deadline=None)
def test_any_text_gets_a_decision(text: str, base: str | None) -> None:
    candidate = Candidate(text, base, depth=1, found_on=1)
    for door in DOORS:
        decision = door.decide(candidate)
        assert isinstance(decision, Target | Rejected)
        explained = door.explain(candidate)
        assert any(": refused" in line for line in explained) == isinstance(decision, Rejected)


@given(texts, bases)
@settings(deadline=None)
def test_the_identity_never_changes_what_is_requested(text: str, base: str | None) -> None:
    for found_on in (None, 1):
        decision = DOORS[-1].decide(Candidate(text, base, found_on=found_on))
        if isinstance(decision, Target):
            assert decision.url == resolve(text, base)
            assert decision.url == decision.origin + path_of(decision.url)
            assert decision.key == url_key(decision.identity)


@given(texts, bases)
@settings(deadline=None)
def test_a_resolved_url_is_an_ascii_fixed_point_without_fragment(
    text: str, base: str | None
) -> None:
    href = resolve(text, base)
    assume(href is not None and href.startswith("http"))
    assert href is not None
    assert href.isascii()
    assert "#" not in href
    assert resolve(href) == href


@given(texts, st.one_of(st.none(), st.just("https://example.com/a/b?c#d")))
@settings(deadline=None)
def test_resolving_agrees_with_another_parser(text: str, base: str | None) -> None:
    """URL-1, against ada_url."""
    # The other parser does not take what is no Unicode text.
    assume(not any("\ud800" <= char <= "\udfff" for char in text))
    try:
        expected: str | None = ada_url.URL(text, base).href.partition("#")[0]
    except ValueError:
        expected = None
    href = resolve(text, base)
    assert (href is None) == (expected is None)
    # The Ada in ada_url is newer: URLs that are not of the web are spelled otherwise.
    if (href or "").startswith(("http:", "https:")):
        assert href == expected


@given(texts, st.sampled_from(RULES))
@settings(deadline=None)
@example("http://a/%%34%31", RULES[0])
@example("http://a/?b=%41&utm_id=%", RULES[0])
@example("http://a/x/..;sid=1", RULES[0])
@example("http://a/x/%2e%2e;sid=1;sid=2/", RULES[1])
@example("http://1.2.3.4../", RULES[0])
@example("http://./", RULES[0])
def test_normalising_is_idempotent_and_survives_parsing(text: str, rules: IdentityRules) -> None:
    """URL-2."""
    identity = normalise(resolved(text), rules)
    assert normalise(identity, rules) == identity
    assert resolve(identity) == identity


@given(texts, bases, st.sampled_from(RULES))
@settings(deadline=None)
def test_the_explanation_gives_the_identity_and_a_reason_for_every_change(
    text: str, base: str | None, rules: IdentityRules
) -> None:
    href = resolve(text, base)
    explained = explain(text, base, rules)
    if href is None:
        assert explained is None
        return
    assert explained is not None
    assert explained[0] == normalise(href, rules)
    assert explained[1] or explained[0] == text


@given(
    st.lists(st.sampled_from(["a=1", "a", "a=", "a=2", "b", "b=%7e", "c=~"]), max_size=6), st.data()
)
@settings(deadline=None)
def test_the_order_of_parameters_does_not_matter(parameters: list[str], data: Any) -> None:
    shuffled = data.draw(st.permutations(parameters))
    one = "http://a.example/?" + "&".join(parameters)
    other = "http://a.example/?" + "&".join(shuffled)
    assert normalise(one, RULES[0]) == normalise(other, RULES[0])


@given(texts)
@example("HTTP:XN--")
@settings(deadline=None)
def test_the_host_key_agrees_with_the_parser(text: str) -> None:
    href = resolved(text)
    # The current standard: the other parser refuses what a doubtful text may mean.
    url = ada_url.URL(href)
    dotless = url.hostname.removesuffix(".")
    name = dotless if dotless and not dotless.endswith(".") else url.hostname
    port = f":{url.port}" if url.port else ""
    assert host_of(href) == name + port
    assert hostname_of(href) == name.strip("[]")
    assert origin_of(href) == url.origin
    assert path_of(href) == url.pathname + url.search or url.href.endswith("?")
    assert registrable_domain(hostname_of(href))


@given(texts)
@settings(deadline=None)
def test_what_follows_from_any_text_never_fails(text: str) -> None:
    resolve(seed_url(text))
    trap(text, 2026)
    assert 1 <= priority(text, 3, is_seed=False) <= 10
    assert registrable_domain(text) or not text


@given(texts, texts)
@settings(deadline=None)
def test_one_bad_seed_spoils_no_job(seed: str, url: str) -> None:
    door = Door(JobSpec(seeds=(seed, "https://example.com/")), AddressRules(), NOW)
    assert isinstance(door.decide(Candidate("https://example.com/", depth=1, found_on=1)), Target)
    door.decide(Candidate(url, depth=1, found_on=1))


_NAT64 = IPv6Network("64:ff9b::/96")
addresses = st.one_of(
    st.ip_addresses(),
    # Around the special ranges, where the mistakes are.
    st.tuples(
        st.sampled_from(
            ["::", "::ffff:0:0", "64:ff9b::", "64:ff9b:1::", "2002::", "2001::", "fc00::", "fe80::",
             "fec0::", "ff00::", "2001:db8::", "3fff::", "2000::"]
        ),
        st.integers(0, 2**32 - 1),
    ).map(lambda pair: IPv6Address(int(IPv6Address(pair[0])) + pair[1])),
)  # fmt: skip


@given(addresses)
@settings(deadline=None, max_examples=500)
def test_an_allowed_address_is_a_global_unicast_one(address: IPv4Address | IPv6Address) -> None:
    """SEC-1, against the standard library."""
    if AddressRules().judge(str(address)) is not None:
        return
    inner = getattr(address, "ipv4_mapped", None)
    if address in _NAT64:
        inner = ip_address(int(address) & 0xFFFF_FFFF)
    real = inner or address
    assert real.is_global
    assert not any((real.is_multicast, real.is_reserved, real.is_loopback, real.is_link_local))


@given(st.ip_addresses(v=4))
@settings(deadline=None)
def test_an_ipv4_address_is_judged_alike_in_its_ipv6_spellings(address: IPv4Address) -> None:
    rules = AddressRules(("10.0.0.0/8",))
    plain = rules.judge(str(address))
    for prefix, name in (("::ffff:", "IPv4-mapped"), ("64:ff9b::", "NAT64")):
        assert rules.judge(f"{prefix}{address}") == (None if plain is None else f"{name} {plain}")


@given(st.text())
@settings(deadline=None)
def test_any_text_is_judged_as_an_address(text: str) -> None:
    AddressRules(("127.0.0.0/8",)).judge(text)


@given(st.text("ab*", max_size=8), st.text("ab", max_size=10))
@settings(deadline=None)
def test_a_glob_matches_what_backtracking_would(pattern: str, text: str) -> None:
    def matches(at: int, to: int) -> bool:
        if at == len(pattern):
            return to == len(text)
        if pattern[at] == "*":
            return matches(at + 1, to) or (to < len(text) and matches(at, to + 1))
        return to < len(text) and pattern[at] == text[to] and matches(at + 1, to + 1)

    assert glob(pattern)(text) == matches(0, 0)
