"""What a text points at, and which URLs are the same one (URL-1, URL-2, URL-3)."""

from __future__ import annotations

from hashlib import sha256

import pytest

from tenax.urls.normalise import (
    IdentityRules,
    explain,
    host_of,
    hostname_of,
    normalise,
    origin_of,
    path_of,
    plain_escapes,
    resolve,
    resolve_all,
    seed_url,
    url_hash,
    url_key,
)

RULES = IdentityRules()
BASE = "https://example.com/a/b?c"


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("HTTP://EXAMPLE.com:80/A", "http://example.com/A"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("http://a.example/x/./y/../z", "http://a.example/x/z"),
        ("http://a.example/x/%2e%2E/z", "http://a.example/z"),
        ("http://a.example/x#part", "http://a.example/x"),
        ("http://a.example/?q#", "http://a.example/?q"),
        ("  http://a.example/x\n", "http://a.example/x"),
        ("ht\ttp://a.exa\nmple/x\ry", "http://a.example/xy"),
        ("http:///foo", "http://foo/"),
        ("http:\\\\a.example\\b", "http://a.example/b"),
        ("http://bücher.example/ä?ö=ü", "http://xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC"),
        ("http://faß.example/", "http://xn--fa-hia.example/"),
        # What an older standard had otherwise: one host must not become another.
        ("http://FAẞ.example/", "http://xn--fa-hia.example/"),
        ("http:FAẞ.example/x", "http://xn--fa-hia.example/x"),
        (" ht\ntp:/\t/FA\nẞ.example/", "http://xn--fa-hia.example/"),
        ("http://fa%E1%BA%9E.example/", "http://xn--fa-hia.example/"),
        ("http://u:p@FAẞ.example:81/", "http://u:p@xn--fa-hia.example:81/"),
        ("http://a.example/x^y?x^y", "http://a.example/x%5Ey?x^y"),
        ("http://xn--a.example/", "http://xn--a.example/"),
        ("http://a.example/a b", "http://a.example/a%20b"),
        ("http://a.example/%zz%7e", "http://a.example/%zz%7e"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("http://%31%32%37.0.0.1/", "http://127.0.0.1/"),
        ("http://１２７。0。0。1/", "http://127.0.0.1/"),  # noqa: RUF001 - full-width on purpose
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("http://[0:0::1]:80/", "http://[::1]/"),
        ("http://example.com./", "http://example.com./"),
        ("mailto:a@b.example", "mailto:a@b.example"),
    ],
)
def test_a_text_is_read_as_browsers_read_it(text: str, href: str) -> None:
    assert resolve(text) == href


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("", "https://example.com/a/b?c"),
        ("#top", "https://example.com/a/b?c"),
        ("?q", "https://example.com/a/b?q"),
        ("x", "https://example.com/a/x"),
        ("../../../x", "https://example.com/x"),
        ("/x", "https://example.com/x"),
        ("//other.example/x", "https://other.example/x"),
        ("/\\evil.example", "https://evil.example/"),
        ("\\\\evil.example", "https://evil.example/"),
        ("https:x", "https://example.com/a/x"),
        ("http:x", "http://x/"),
        ("http://other.example", "http://other.example/"),
        ("javascript:void(0)", "javascript:void(0)"),
        ("//FAẞ.example/", "https://xn--fa-hia.example/"),
        ("\\\\FAẞ.example", "https://xn--fa-hia.example/"),
        ("x^y", "https://example.com/a/x%5Ey"),
        ("faẞ", "https://example.com/a/fa%E1%BA%9E"),
    ],
)
def test_a_relative_text_is_resolved_against_its_base(text: str, href: str) -> None:
    assert resolve(text, BASE) == href


@pytest.mark.parametrize(
    "text",
    ["", "x", "/x", "http://", "http://[::1", "http://a b/", "http://%zz/", "http://a:99999/",
     "http://1.2.3.4.5/", "http://[fe80::1%eth0]/", "://x"],
)  # fmt: skip
def test_a_text_that_is_no_url_gives_none(text: str) -> None:
    assert resolve(text) is None


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert resolve("http://a.example/\ud800x") == "http://a.example/%EF%BF%BDx"
    assert resolve("x\udfff", "http://a.example/\ud800/") == (
        "http://a.example/%EF%BF%BD/x%EF%BF%BD"
    )


def test_a_malformed_base_counts_as_none() -> None:
    assert resolve("http://a.example/", "http://[") == "http://a.example/"
    assert resolve("x", "http://[") is None


@pytest.mark.parametrize(
    ("given", "identity"),
    [
        # escapes
        ("http://a.example/%7euser/%41", "http://a.example/~user/A"),
        ("http://a.example/caf%c3%a9", "http://a.example/caf%C3%A9"),
        ("http://a.example/a%2fb%3fc", "http://a.example/a%2Fb%3Fc"),
        ("http://a.example/%zz%4", "http://a.example/%zz%4"),
        ("http://a.example/%2541", "http://a.example/%2541"),
        ("http://a.example/x%2e", "http://a.example/x."),
        ("http://a.example/?%71=%2b%7E", "http://a.example/?q=%2B~"),
        # query
        ("http://a.example/?b=2&a=1", "http://a.example/?a=1&b=2"),
        ("http://a.example/?a=2&a=1&a=2", "http://a.example/?a=1&a=2&a=2"),
        ("http://a.example/?a-b=1&a=2", "http://a.example/?a=2&a-b=1"),
        ("http://a.example/?", "http://a.example/"),
        ("http://a.example/?&&", "http://a.example/"),
        ("http://a.example/?a=1&&b=2&", "http://a.example/?a=1&b=2"),
        ("http://a.example/?a=1;b=2", "http://a.example/?a=1;b=2"),
        ("http://a.example/?a=?", "http://a.example/?a=?"),
        # what is dropped
        ("http://a.example/?utm_source=x&UTM_Medium=y&id=7", "http://a.example/?id=7"),
        ("http://a.example/?utm%5Fsource=x", "http://a.example/"),
        ("http://a.example/?gclid", "http://a.example/"),
        ("http://a.example/?PHPSESSID=1&x", "http://a.example/?x"),
        ("http://a.example/?utm=1&side=2", "http://a.example/?side=2&utm=1"),
        ("http://a.example/x;jsessionid=F00?q=1", "http://a.example/x?q=1"),
        ("http://a.example/x;JSESSIONID=F00/y", "http://a.example/x/y"),
        ("http://a.example/x;v=1;sid=2;w=3/", "http://a.example/x;v=1;w=3/"),
        ("http://a.example/;phpsessid=1", "http://a.example/"),
        ("http://a.example/x;source=wire", "http://a.example/x;source=wire"),
        # host
        ("http://example.com./x", "http://example.com/x"),
        ("http://example.com.:8080/x", "http://example.com:8080/x"),
        # slashes stay
        ("http://a.example/x/", "http://a.example/x/"),
        ("http://a.example//x//", "http://a.example//x//"),
    ],
)
def test_the_identity_is_the_normal_form(given: str, identity: str) -> None:
    """URL-2."""
    href = resolve(given)
    assert href is not None
    assert normalise(href, RULES) == identity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.example/", "https://a.example/"),
        ("http://a.example/x", "http://a.example/X"),
        ("http://a.example/?a", "http://a.example/?a="),
        ("http://a.example/?a=1", "http://a.example/?a=1&a=1"),
        ("http://a.example/a%2Fb", "http://a.example/a/b"),
        ("http://a.example/?a=%26b", "http://a.example/?a=&b"),
        ("http://a.example/x", "http://a.example/x/"),
        ("http://a.example/?q=a+b", "http://a.example/?q=a%2Bb"),
    ],
)
def test_urls_a_server_can_tell_apart_stay_apart(one: str, other: str) -> None:
    assert normalise(one, RULES) != normalise(other, RULES)


def test_the_order_of_equal_names_and_values_does_not_matter() -> None:
    assert normalise("http://a.example/?a&a=", RULES) == normalise("http://a.example/?a=&a", RULES)


@pytest.mark.parametrize("text", ["%%341", "%4%31", "%%34%31", "%%2541", "%25%34%31", "%"])
def test_decoding_never_completes_another_escape(text: str) -> None:
    once = plain_escapes(text)
    assert plain_escapes(once) == once


@pytest.mark.parametrize("segment", ["..;sid=1", ".;sid=1", "%2e%2e;sid=1", "%2E.;sid=1;sid=2"])
def test_dropping_a_session_id_never_leaves_a_dot_segment(segment: str) -> None:
    identity = normalise(f"http://a.example/x/{segment}/y", RULES)
    assert resolve(identity) == identity


@pytest.mark.parametrize(
    ("given", "identity"),
    [
        ("http://a.example/", "http://a.example/"),
        ("http://a.example//", "http://a.example/"),
        ("http://a.example/x/", "http://a.example/x"),
        ("http://a.example/x//?q=/", "http://a.example/x?q=/"),
        ("http://a.example/x/;sid=1", "http://a.example/x"),
    ],
)
def test_a_trailing_slash_is_dropped_on_request_but_never_the_root(
    given: str, identity: str
) -> None:
    assert normalise(given, IdentityRules(drop_trailing_slash=True)) == identity


def test_a_job_may_drop_other_parameters() -> None:
    rules = IdentityRules(("Color", "x_*"))
    assert normalise("http://a.example/p;color=1?x_1=2&utm_id=3&colors=4", rules) == (
        "http://a.example/p?colors=4&utm_id=3"
    )


def test_a_job_may_ignore_queries_altogether() -> None:
    assert normalise("http://a.example/p?a=1&b", IdentityRules(("*",))) == "http://a.example/p"


def test_a_star_inside_a_parameter_name_is_refused_with_advice() -> None:
    with pytest.raises(ValueError, match=r"'a\*b' has a \* inside.*only end a name"):
        IdentityRules(("a*b",))


def test_rules_are_equal_when_they_were_asked_for_alike() -> None:
    assert IdentityRules(("a",)) == IdentityRules(("a",))


def test_identities_of_other_schemes_are_left_alone() -> None:
    assert normalise("mailto:b;sid=1?a=%7e&", RULES) == "mailto:b;sid=1?a=%7e&"


def test_the_hash_is_sha256_of_the_identity() -> None:
    """URL-3."""
    identity = normalise("https://example.com/", RULES)
    digest = sha256(b"https://example.com/")
    assert url_hash(identity) == digest.hexdigest()
    assert url_key(identity) == digest.digest()[:12]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("https://example.com/", []),
        ("HTTPS://example.com/", ["lower-cased scheme"]),
        ("https://Example.COM/", ["lower-cased host"]),
        ("https://bücher.example/", ["wrote the international host as xn--bcher-kva.example"]),
        ("http://0x7f.1/", ["wrote host 0x7f.1 as 127.0.0.1"]),
        ("https://example.com:443/", ["dropped default port 443"]),
        ("https://example.com./", ["dropped the dot after the host: it names the same host"]),
        (" https://example.com/\n", ["removed white space"]),
        ("/x", [f"resolved against {BASE}"]),
        ("../x", [f"resolved against {BASE}", "resolved dot segments"]),
        ("https://example.com/\\x", ["read \\ as /"]),
        (
            "https://example.com/ä",
            ["percent-encoded characters that may not stand in a URL"],
        ),
        ("https://example.com/#x", ["dropped fragment #x"]),
        ("https://example.com/?utm_source=x", ["dropped tracking parameter utm_source"]),
        ("https://example.com/?sid=1", ["dropped session parameter sid"]),
        ("https://example.com/x;sid=1", ["dropped session id from the path segment x"]),
        ("https://example.com/?b&a", ["sorted query parameters"]),
        ("https://example.com/?", ["dropped the empty query"]),
        ("https://example.com/?a&", ["dropped an empty query parameter"]),
        (
            "https://example.com/%7e",
            ["decoded needless percent-escapes and upper-cased the others in the path"],
        ),
        (
            "https://example.com/?%7e",
            ["decoded needless percent-escapes and upper-cased the others in the query"],
        ),
        ("https://example.com", ["rewrote it as the URL standard spells it"]),
    ],
)
def test_every_change_is_explained(text: str, notes: list[str]) -> None:
    """CLI-2: the normal form, and the rule for each change."""
    explained = explain(text, BASE, RULES)
    assert explained is not None
    assert explained[1] == notes


def test_a_dropped_trailing_slash_is_explained() -> None:
    rules = IdentityRules(drop_trailing_slash=True)
    assert explain("https://example.com/x/", None, rules) == (
        "https://example.com/x",
        ["dropped the trailing slash"],
    )


def test_a_malformed_url_has_no_explanation() -> None:
    assert explain("http://[", None, RULES) is None


@pytest.mark.parametrize(
    ("href", "origin", "host", "hostname", "path"),
    [
        ("http://a.example/", "http://a.example", "a.example", "a.example", "/"),
        ("https://a.example/x?y", "https://a.example", "a.example", "a.example", "/x?y"),
        ("http://a:81/x", "http://a:81", "a:81", "a", "/x"),
        ("http://a/", "http://a", "a", "a", "/"),
        ("https://[::1]/", "https://[::1]", "[::1]", "::1", "/"),
        ("https://[::1]:81/", "https://[::1]:81", "[::1]:81", "::1", "/"),
        ("https://u:p@a:81/x@y", "https://a:81", "a:81", "a", "/x@y"),
        ("https://a.example.:81/", "https://a.example.:81", "a.example:81", "a.example", "/"),
        ("https://a.example./", "https://a.example.", "a.example", "a.example", "/"),
    ],
)
def test_a_resolved_url_is_cut_at_its_delimiters(
    href: str, origin: str, host: str, hostname: str, path: str
) -> None:
    assert resolve(href) == href
    assert (origin_of(href), host_of(href), hostname_of(href), path_of(href)) == (
        origin, host, hostname, path,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.com", "https://example.com"),
        (" example.com/x?y ", "https://example.com/x?y"),
        ("example.com:8080/x", "https://example.com:8080/x"),
        ("bücher.example", "https://bücher.example"),
        ("//example.com", "https://example.com"),
        ("localhost", "http://localhost"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("app.localhost:8000", "http://app.localhost:8000"),
        ("localhost.example.com", "https://localhost.example.com"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("127.0.0.1.example", "https://127.0.0.1.example"),
        ("[::1]:8000/", "http://[::1]:8000/"),
        ("http://example.com", "http://example.com"),
        ("ftp://example.com", "ftp://example.com"),
        ("mailto:a@example.com", "mailto:a@example.com"),
    ],
)
def test_a_seed_needs_no_scheme(text: str, url: str) -> None:
    assert seed_url(text) == url


@pytest.mark.parametrize("text", ["", "   ", "/path", "./path", "?q", "#x", "\\\\host"])
def test_a_seed_that_names_no_host_stays_malformed(text: str) -> None:
    assert resolve(seed_url(text)) is None


def test_hosts_that_browsers_refuse_are_no_hosts() -> None:
    assert resolve("http://a1\u05d0/") is None
    assert resolve("http://\u00ad/") is None
    assert resolve("//\ud800/", BASE) is None


def test_links_are_resolved_on_pages_that_only_the_current_standard_knows() -> None:
    assert resolve_all(["x", "#y", "z#y"], "http://xn--a.example/b/c") == [
        "http://xn--a.example/b/x", "http://xn--a.example/b/c", "http://xn--a.example/b/z",
    ]  # fmt: skip
    assert resolve("http:x", "http://xn--a.example/b/c") == "http://xn--a.example/b/x"
    assert resolve("x", "http://FAẞ.example/") == "http://xn--fa-hia.example/x"


@pytest.mark.parametrize(
    "doubtful", ["//FAẞ.example", "x^y", "//%C3%9F", "//xn--a/", "//[", "\ud800"]
)
def test_one_doubtful_link_of_many_is_read_as_it_is_alone(doubtful: str) -> None:
    texts = ["a", "b#c", "/ü", "/d%20e", "mailto:x@y", doubtful, "//f.example"]
    assert resolve_all(texts, BASE) == [resolve(text, BASE) for text in texts]


def test_the_links_of_a_page_are_resolved_without_fragments() -> None:
    texts = ["x", "y#z", "#z", "//b.example#"]
    expected = ["a/x", "a/y", "a/b?c"]
    assert resolve_all(texts, BASE) == [
        *(f"https://example.com/{each}" for each in expected), "https://b.example/",
    ]  # fmt: skip
