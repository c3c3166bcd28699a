"""Which candidates become targets, and the reason of those that do not (URL-4, URL-5)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tenax.model import Candidate, JobSpec, Reason, Rejected, ScopeKind, Target
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tenax.urls.normalise import IdentityRules, normalise, url_key

NOW = 1_790_000_000.0  # in 2026
SEED = "https://example.com/docs/start"
SPEC = JobSpec(seeds=(SEED,))
ANY = replace(SPEC, scope=ScopeKind.ANY)


def door(spec: JobSpec = SPEC, allow: tuple[str, ...] = ()) -> Door:
    return Door(spec, AddressRules(allow), NOW)


def link(url: str, depth: int = 1, nofollow: bool = False) -> Candidate:
    return Candidate(url, base=SEED, depth=depth, nofollow=nofollow, found_on=1)


def reason(decision: Target | Rejected) -> Reason | None:
    return decision.reason if isinstance(decision, Rejected) else None


def test_a_link_in_scope_becomes_a_target() -> None:
    url = "https://example.com/docs/x?b=2&a=%7e&utm_id=3"
    identity = normalise("https://example.com/docs/x?a=~&b=2", IdentityRules())
    assert door().decide(link("x?b=2&a=%7e&utm_id=3#part", depth=3)) == Target(
        url=url,
        identity=identity,
        key=url_key(identity),
        host="example.com",
        origin="https://example.com",
        depth=3,
        priority=5,
        found_on=1,
        shape="/docs/W?a,b",
    )


@pytest.mark.parametrize(
    ("url", "why", "detail"),
    [
        ("http://[", Reason.MALFORMED, "not a URL"),
        ("http://a..example/", Reason.MALFORMED, "host a..example has an empty label"),
        ("http://.example/", Reason.MALFORMED, "host .example has an empty label"),
        ("mailto:a@example.com", Reason.SCHEME, "mailto, not http or https"),
        ("javascript:void(0)", Reason.SCHEME, "javascript, not http or https"),
        ("httpx://example.com/", Reason.SCHEME, "httpx, not http or https"),
        ("/" + "x" * 2083, Reason.TOO_LONG, "2103 characters (limit 2083)"),
        (
            "https://user:secret@example.com/",
            Reason.CREDENTIALS_IN_URL,
            "a user name or password before the host",
        ),
        ("http://127.0.0.1/", Reason.PRIVATE_ADDRESS, "127.0.0.1 is loopback"),
        ("https://blocked.example/", Reason.BLOCKED_HOST, "matches blocked_hosts blocked.example"),
        ("https://other.example/", Reason.OUT_OF_SCOPE, "scope host: no seed is on other.example"),
        ("/private/x", Reason.EXCLUDED, "matches exclude */private/*"),
        ("/photo.jpg", Reason.FILE_TYPE, ".jpg holds no text"),
        ("/a/a/a/", Reason.TRAP, "/a three times in a row"),
        ("/2050/01/", Reason.TRAP, "a calendar that has reached 2050/01"),
    ],
)
def test_every_rejection_has_one_reason_and_names_the_rule(
    url: str, why: Reason, detail: str
) -> None:
    spec = replace(SPEC, exclude=("*/private/*",), blocked_hosts=("blocked.example",))
    decision = door(spec).decide(link(url))
    assert isinstance(decision, Rejected)
    assert (decision.reason, decision.detail) == (why, detail)


def test_a_nofollow_link_is_not_followed() -> None:
    assert reason(door().decide(link("/x", nofollow=True))) is Reason.NOFOLLOW


def test_links_are_followed_to_the_maximal_depth_only() -> None:
    assert isinstance(door().decide(link("/x", depth=10)), Target)
    assert door().decide(link("/x", depth=11)) == Rejected(
        "https://example.com/x", Reason.TOO_DEEP, "depth 11 (max_depth 10)"
    )


def test_a_url_of_the_greatest_length_passes() -> None:
    assert isinstance(door().decide(link("/" + "x" * (2083 - 20))), Target)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[64:ff9b::10.0.0.1]/",
        "http://0/",
        "http://localhost/",
        "http://LOCALHOST:8000/",
        "http://localhost./",
        "http://app.localhost/",
    ],
)
def test_literal_private_addresses_are_refused_in_every_spelling(url: str) -> None:
    """SEC-1. What names resolve to is judged when connecting."""
    assert reason(door(ANY).decide(link(url))) is Reason.PRIVATE_ADDRESS


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/", "http://[::ffff:7f00:1]/", "http://localhost/"]
)
def test_an_allowed_network_may_be_crawled(url: str) -> None:
    assert isinstance(door(ANY, allow=("127.0.0.0/8",)).decide(link(url)), Target)


def test_localhost_is_allowed_when_only_its_ipv6_address_is() -> None:
    assert isinstance(door(ANY, allow=("::1",)).decide(link("http://localhost/")), Target)


@pytest.mark.parametrize(
    "url",
    [
        "/x",
        "https://example.com/",
        "http://example.com/",
        "https://www.example.com/",
        "https://example.com./",
    ],
)
def test_scope_host_admits_the_seeds_host_and_its_www_twin(url: str) -> None:
    assert isinstance(door().decide(link(url)), Target)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com:8443/",
        "https://a.example.com/",
        "https://www.www.example.com/",
        "/\\evil.example",
        "https://example.com.evil.example/",
    ],
)
def test_scope_host_admits_no_other_host(url: str) -> None:
    assert reason(door().decide(link(url))) is Reason.OUT_OF_SCOPE


def test_the_twin_of_a_www_seed_is_the_bare_name() -> None:
    spec = JobSpec(seeds=("www.example.com",))
    assert isinstance(door(spec).decide(link("https://example.com/")), Target)


def test_scope_domain_admits_every_host_of_the_registrable_domain() -> None:
    spec = JobSpec(seeds=("https://shop.example.co.uk/",), scope=ScopeKind.DOMAIN)
    inside = door(spec).decide(link("http://a.b.example.co.uk:81/"))
    outside = door(spec).decide(link("https://other.co.uk/"))
    assert isinstance(inside, Target)
    assert outside == Rejected(
        "https://other.co.uk/", Reason.OUT_OF_SCOPE, "scope domain: no seed is in other.co.uk"
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/~me/docs/",
        "https://example.com/%7Eme/docs/x/y?z",
        "http://www.example.com/~me/docs/x",
    ],
)
def test_scope_prefix_admits_the_seeds_folder(url: str) -> None:
    spec = JobSpec(seeds=("https://example.com/%7eme/docs/start?a=/b",), scope=ScopeKind.PREFIX)
    assert isinstance(door(spec).decide(link(url)), Target)


@pytest.mark.parametrize(
    ("url", "detail"),
    [
        ("https://example.com/", "scope prefix: outside the seeds' folders"),
        ("https://example.com/docs", "scope prefix: outside the seeds' folders"),
        ("https://example.com/docs/../x", "scope prefix: outside the seeds' folders"),
        ("https://a.example/docs/", "scope prefix: no seed is on a.example"),
    ],
)
def test_scope_prefix_admits_nothing_beside_it(url: str, detail: str) -> None:
    decision = door(replace(SPEC, scope=ScopeKind.PREFIX)).decide(link(url))
    assert isinstance(decision, Rejected)
    assert (decision.reason, decision.detail) == (Reason.OUT_OF_SCOPE, detail)


def test_scope_any_admits_every_public_host() -> None:
    assert isinstance(door(ANY).decide(link("https://other.example/")), Target)


@pytest.mark.parametrize("scope", list(ScopeKind))
def test_allowed_hosts_widen_every_scope(scope: ScopeKind) -> None:
    spec = replace(SPEC, scope=scope, allowed_hosts=("*.cdn.example",))
    assert isinstance(door(spec).decide(link("https://a.cdn.example/x")), Target)


@pytest.mark.parametrize(
    "url",
    [
        "https://bad.example/",
        "https://bad.example./",
        "https://BAD.example:81/",
        "https://a.bad.example/",
    ],
)
def test_blocked_hosts_are_blocked_in_every_spelling_and_below(url: str) -> None:
    spec = replace(ANY, blocked_hosts=("bad.example",))
    assert reason(door(spec).decide(link(url))) is Reason.BLOCKED_HOST


def test_with_include_patterns_a_link_must_match_one() -> None:
    spec = replace(SPEC, include=("*/docs/*",))
    assert isinstance(door(spec).decide(link("/docs/x")), Target)
    assert door(spec).decide(link("/x")) == Rejected(
        "https://example.com/x", Reason.EXCLUDED, "matches no include pattern"
    )


def test_exclude_wins_over_include() -> None:
    spec = replace(SPEC, include=("*/docs/*",), exclude=("re:/x$",))
    assert reason(door(spec).decide(link("/docs/x"))) is Reason.EXCLUDED


def test_a_seed_is_in_scope_and_needs_no_include_pattern() -> None:
    spec = replace(SPEC, include=("*/docs/*",))
    assert isinstance(door(spec).decide(Candidate("https://late.example/2050/01/")), Target)


def test_a_seed_is_not_exempt_from_exclude() -> None:
    spec = replace(SPEC, exclude=("*late*",))
    assert reason(door(spec).decide(Candidate("https://late.example/"))) is Reason.EXCLUDED


def test_what_a_seed_redirects_to_is_no_seed() -> None:
    moved = Candidate("https://other.example/", depth=0, found_on=1)
    assert reason(door().decide(moved)) is Reason.OUT_OF_SCOPE


def test_malformed_seeds_open_no_scope() -> None:
    spec = JobSpec(seeds=("http://[", "mailto:a@example.com", "/path"))
    assert reason(door(spec).decide(link("https://example.com/"))) is Reason.OUT_OF_SCOPE


@pytest.mark.parametrize(("wanted", "given"), [(None, 2), (7, 7), (0, 1), (99, 10)])
def test_a_proposer_may_set_the_priority_within_bounds(wanted: int | None, given: int) -> None:
    """FR-3."""
    decision = door().decide(replace(link("/x"), priority=wanted))
    assert isinstance(decision, Target)
    assert decision.priority == given


def test_of_several_reasons_the_most_fundamental_is_given() -> None:
    candidate = link("https://u:p@127.0.0.1/a/a/a/x.jpg", depth=99, nofollow=True)
    assert reason(door().decide(candidate)) is Reason.CREDENTIALS_IN_URL


def test_an_explanation_goes_through_every_check() -> None:
    assert door().explain(link("https://other.example/x.pdf")) == [
        "malformed: passed",
        "scheme: passed",
        "too_long: passed",
        "credentials_in_url: passed",
        "private_address: passed",
        "blocked_host: passed",
        "nofollow: passed",
        "out_of_scope: refused, scope host: no seed is on other.example",
        "excluded: passed",
        "too_deep: passed",
        "file_type: refused, .pdf holds no text",
        "trap: passed",
    ]


def test_an_explanation_ends_where_there_is_nothing_more_to_look_at() -> None:
    assert door().explain(link("mailto:a@example.com")) == [
        "malformed: passed",
        "scheme: refused, mailto, not http or https",
    ]


def test_an_explanation_of_no_url_ends_there() -> None:
    assert door().explain(link("http://[")) == ["malformed: refused, not a URL"]


@pytest.mark.parametrize(
    "spec",
    [
        replace(SPEC, include=("re:[",)),
        replace(SPEC, exclude=("re:(",)),
        replace(SPEC, allowed_hosts=("https://a.example/",)),
        replace(SPEC, drop_parameters=("*x",)),
    ],
)
def test_a_job_that_cannot_be_understood_is_refused_at_once(spec: JobSpec) -> None:
    with pytest.raises(ValueError, match=r"^(include|exclude|allowed_hosts|drop_parameters): "):
        door(spec)


def test_pdf_files_are_taken_where_they_are_read() -> None:
    reading = Door(SPEC, AddressRules(()), NOW, pdf=True)
    for url, why in (("/docs/a.PDF", None), ("/docs/a.zip", Reason.FILE_TYPE)):
        assert reason(reading.decide(link(url))) is why
        assert reason(door().decide(link(url))) is Reason.FILE_TYPE
