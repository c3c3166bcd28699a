"""Is a robots.txt read and obeyed as RFC 9309 says? (ROB-1, ROB-2)"""

from __future__ import annotations

import pytest

from tenax.hosts.robots import MAX_BYTES, MAX_SITEMAPS, Preference, RobotsVerdict, decode, parse

# RFC 9309 section 5.1
SIMPLE = """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""
# RFC 9309 section 5.2
LONGEST = """\
User-Agent: foobot
Allow: /example/page/
Disallow: /example/page/disallowed.gif
"""
# RFC 9309 section 2.2.1, two groups of one token and the group for everybody else
MERGED = """\
user-agent: ExampleBot
disallow: /foo
disallow: /bar

user-agent: *
disallow: /all

user-agent: ExampleBot
disallow: /baz
"""


@pytest.mark.parametrize(
    ("text", "token", "path", "allowed"),
    [
        (SIMPLE, "anybot", "/", True),
        (SIMPLE, "anybot", "/example/", False),
        (SIMPLE, "anybot", "/example/deep/page.html", False),
        (SIMPLE, "anybot", "/publications/", True),
        (SIMPLE, "anybot", "/a.gif", False),
        (SIMPLE, "anybot", "/a.gif?b", True),
        (SIMPLE, "anybot", "/publications/a.gif", True),
        (SIMPLE, "foobot", "/", False),
        (SIMPLE, "foobot", "/publications/", False),
        (SIMPLE, "foobot", "/example/page.html", True),
        (SIMPLE, "foobot", "/example/allowed.gif", True),
        (SIMPLE, "foobot", "/example/other.gif", False),
        (SIMPLE, "barbot", "/example/page.html", False),
        (SIMPLE, "bazbot", "/example/page.html", False),
        (SIMPLE, "barbot", "/a.gif", True),
        (SIMPLE, "bazbot", "/example/", True),
        (SIMPLE, "quxbot", "/example/page.html", True),
        (SIMPLE, "quxbot", "/a.gif", True),
        (LONGEST, "foobot", "/example/page/", True),
        (LONGEST, "foobot", "/example/page/allowed.gif", True),
        (LONGEST, "foobot", "/example/page/disallowed.gif", False),
        (LONGEST, "foobot", "/example/page/disallowed.gif2", False),
        (MERGED, "examplebot", "/foo", False),
        (MERGED, "examplebot", "/bar", False),
        (MERGED, "examplebot", "/baz", False),
        (MERGED, "examplebot", "/all", True),
        (MERGED, "otherbot", "/foo", True),
        (MERGED, "otherbot", "/all", False),
    ],
)
def test_the_examples_of_the_rfc_hold(text: str, token: str, path: str, allowed: bool) -> None:
    assert parse(text).decide(path, token).allowed is allowed


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        # Where a match starts and ends, and case (2.2.2)
        ("Disallow: /fish", "/fish", False),
        ("Disallow: /fish", "/fish.html", False),
        ("Disallow: /fish", "/fish/salmon", False),
        ("Disallow: /fish", "/fishheads", False),
        ("Disallow: /fish", "/fish?id=1", False),
        ("Disallow: /fish", "/Fish", True),
        ("Disallow: /fish", "/catfish", True),
        ("Disallow: /fish", "/?id=fish", True),
        ("Disallow: /fish/", "/fish", True),
        ("Disallow: /fish/", "/fish/", False),
        ("Disallow: /fish/", "/fish/?x", False),
        ("Disallow: /fish?x=1", "/fish?x=12", False),
        ("Disallow: /fish?x=1", "/fish", True),
        ("Disallow: /", "/anything", False),
        # Nothing to match (2.2.2)
        ("Disallow:", "/anything", True),
        ("Allow:", "/anything", True),
        ("Disallow:\nDisallow: /x", "/x", False),
        ("", "/anything", True),
        # The most octets win, whatever the order; Allow wins ties (2.2.2)
        ("Allow: /x/\nDisallow: /x/page", "/x/page", False),
        ("Disallow: /x/page\nAllow: /x/", "/x/page", False),
        ("Disallow: /x/\nAllow: /x/page", "/x/page", True),
        ("Allow: /x/page\nDisallow: /x/", "/x/page", True),
        ("Disallow: /x\nAllow: /x", "/x", True),
        ("Allow: /x\nDisallow: /x", "/x", True),
        ("Disallow: /\nAllow: /", "/x", True),
        ("Allow: /$\nDisallow: /", "/", True),
        ("Allow: /$\nDisallow: /", "/x", False),
        ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("Allow: /x/page.\nDisallow: /*.html", "/x/page.html", True),
        ("Disallow: /a*c\nAllow: /abc", "/abc", True),
        ("Allow: /ab\nDisallow: /a*c", "/abc", False),
        ("Disallow: /ä\nAllow: /%C3", "/ä", False),
        # Wildcards (2.2.3)
        ("Disallow: /a*b", "/ab", False),
        ("Disallow: /a*b", "/axxb", False),
        ("Disallow: /a*b", "/axxbyy", False),
        ("Disallow: /a*b", "/axx", True),
        ("Disallow: /fish*", "/fish", False),
        ("Disallow: /fish*", "/fis", True),
        ("Disallow: /*", "/", False),
        ("Disallow: *", "/x", False),
        ("Disallow: *.gif", "/a/b.gif?c", False),
        ("Disallow: /**b", "/ab", False),
        ("Disallow: /*/private/", "/a/private/x", False),
        ("Disallow: /*/private/", "/private/x", True),
        ("Disallow: /*?", "/a?", False),
        ("Disallow: /*?", "/a", True),
        ("Disallow: /*?*sort=", "/a?b=1&sort=x", False),
        ("Disallow: /a*b*c*d", "/a1b2c3d", False),
        ("Disallow: /a*b*c*d", "/a1c2b3d", True),
        # The end of a path (2.2.3)
        ("Disallow: /a$", "/a", False),
        ("Disallow: /a$", "/a/", True),
        ("Allow: /a\nDisallow: /a$", "/a", False),
        ("Disallow: /a$", "/a?x", True),
        ("Disallow: /*.php$", "/x.php", False),
        ("Disallow: /*.php$", "/x.php?y", True),
        ("Disallow: /*.php$", "/x.php5", True),
        ("Disallow: /*.php$", "/x.php/y.php", False),
        ("Disallow: /a*$", "/abc", False),
        ("Disallow: /ab*b$", "/ab", True),
        ("Disallow: /ab*b$", "/abb", False),
        ("Disallow: /a$b", "/a", True),
        ("Disallow: /a$b", "/a$bc", False),
        ("Disallow: /a$$", "/a$", False),
        ("Disallow: $", "/", True),
        # Special characters matched as themselves (2.2.3)
        ("Disallow: /file-with-a-%2A.html", "/file-with-a-*.html", False),
        ("Disallow: /file-with-a-%2A.html", "/file-with-a-%2a.html", False),
        ("Disallow: /file-with-a-%2A.html", "/file-with-a-b.html", True),
        ("Disallow: /foo-%24", "/foo-$", False),
        ("Disallow: /foo-%24", "/foo-$bar", False),
        ("Disallow: /foo-%24", "/foo-", True),
        ("Disallow: /foo-%23", "/foo-%23", False),
        # Comments (2.2.3)
        ("Disallow: /a#b", "/a", False),
        ("Disallow: /a # no robots here", "/a/b", False),
        ("# Disallow: /", "/a", True),
        ("Disallow: # /", "/a", True),
        # Percent-encoding (2.2.2)
        ("Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", False),
        ("Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar", False),
        ("Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", False),
        ("Disallow: /foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https://foo.bar", False),
        ("Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
        ("Disallow: /foo/bar/ツ", "/foo/bar/ツ", False),
        ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/ツ", False),
        ("Disallow: /foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", False),
        ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
        ("Disallow: /foo/bar/baz", "/foo/bar/%62%61%7a", False),
        ("Disallow: /%7Ejoe", "/~joe", False),
        ("Disallow: /~joe", "/%7ejoe", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("Disallow: /a/b", "/a%2Fb", True),
        ("Disallow: /a%2fb", "/a%2Fb", False),
        ("Disallow: /a%3Fb", "/a?b", True),
        ("Disallow: /a b", "/a%20b", False),
        ("Disallow: /a|b", "/a%7Cb", False),
        ("Disallow: /a?b='c'", "/a?b=%27c%27", False),
        ("Disallow: /a?b=1&c", "/a?b=1%26c", True),
        ("Disallow: /*redirect=%2F", "/login?redirect=%2Fhome", False),
        ("Disallow: /*redirect=/", "/login?redirect=/home", False),
        ("Disallow: /*/private", "/x?back=/private", False),
        ("Disallow: /a*?b", "/a?x=?b", False),
        ("Allow: /a?u=/\nDisallow: /a?u=%2F", "/a?u=%2F", True),
        ("Disallow: /100%", "/100%25", False),
        ("Disallow: /%zz", "/%zz", False),
        # Paths that start elsewhere match nothing
        ("Disallow: fish", "/fish", True),
        ("Disallow: https://a.example/fish", "/fish", True),
        ("Disallow: ?x", "/?x", True),
        # The path asked for
        ("Disallow: /a$", "/a#b", False),
        ("Disallow: /$", "", False),
        ("Disallow: /?x", "?x", False),
        # robots.txt itself (2.2.2)
        ("Disallow: /", "/robots.txt", True),
        ("Disallow: /robots.txt", "/robots.txt", True),
        ("Disallow: /", "/robots.txt?x", False),
        ("Disallow: /", "/a/robots.txt", False),
    ],
)
def test_a_rule_decides_about_a_path(rules: str, path: str, allowed: bool) -> None:
    assert parse(f"User-agent: *\n{rules}\n").decide(path, "tenax").allowed is allowed


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        # Which lines are records (2.2)
        ("USER-AGENT: *\nDISALLOW: /x", "/x", False),
        ("uSeR-aGeNt: *\ndIsAlLoW: /x", "/x", False),
        ("User-agent:*\nDisallow:/x", "/x", False),
        ("  User-agent \t : \t * \n\tDisallow\t:\t/x\t", "/x", False),
        ("User-agent: *\n\n\nDisallow: /x", "/x", False),
        ("User-agent: *\n# a comment\nDisallow: /x", "/x", False),
        ("User-agent: * # everybody\nDisallow: /x # not this", "/x", False),
        ("User-agent: *\nthis is no record\n:::\n: /\nDisallow: /x", "/x", False),
        ("User-agent: *\nDisallow: /x\n<p>oops</p>\nDisallow: /y", "/y", False),
        ("foo: *\nbar: /x", "/x", True),
        ("User-agent: *\nNoindex: /x", "/x", True),
        ("User-agent: *\nDisallowed: /x", "/x", True),
        ("User-agent: *\nDisallow\nDisallow: /x", "/x", False),
        # Mistakes read as meant
        ("User-agent: *\nDissallow: /x", "/x", False),
        ("User-agent: *\nDisalow: /x", "/x", False),
        ("User agent: *\nDisallow: /x", "/x", False),
        ("Useragent: *\nDisallow: /x", "/x", False),
        ("User-agent *\nDisallow /x", "/x", False),
        ("User-agent *\nDisallow /x:y", "/x:y", False),
        ("User-agent: *\nDisallow the whole site /x", "/x", True),
        # Line ends
        ("User-agent: *\rDisallow: /x\r", "/x", False),
        ("User-agent: *\r\nDisallow: /x\r\n", "/x", False),
        ("User-agent: *\n\rDisallow: /x", "/x", False),
        ("User-agent: *\u2028Disallow: /x", "/x", True),
        # Groups (2.2.1)
        ("Disallow: /x", "/x", True),
        ("Disallow: /x\nUser-agent: *\nDisallow: /y", "/x", True),
        ("User-agent: other\nUser-agent: *\nDisallow: /x", "/x", False),
        ("User-agent: other\n\nUser-agent: *\nDisallow: /x", "/x", False),
        ("User-agent: other\nDisallow: /x\nUser-agent: *\nDisallow: /y", "/x", True),
        ("User-agent: *\nDisallow: /x\nUser-agent: *\nDisallow: /y", "/x", False),
        ("User-agent: *\nDisallow: /x\nUser-agent: *\nDisallow: /y", "/y", False),
        ("User-agent: tenax\nAllow: /\nUser-agent: *\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /\nUser-agent: tenax\nDisallow: /y", "/x", True),
        ("User-agent: *\nDisallow: /\nUser-agent: tenax", "/x", True),
        ("User-agent: *\nDisallow: /\nUser-agent: tenax\nDisallow:", "/x", True),
        ("User-agent: other\nDisallow:\nUser-agent: *\nDisallow: /x", "/x", False),
        ("User-agent:\nDisallow: /x", "/x", True),
        # Other records end nothing (2.2.4)
        ("User-agent: tenax\nSitemap: https://a.example/s\nDisallow: /x", "/x", False),
        ("User-agent: tenax\nCrawl-delay: 3\nUser-agent: b\nDisallow: /x", "/x", False),
        ("User-agent: tenax\nNonsense: 3\nUser-agent: b\nDisallow: /x", "/x", False),
        (
            "User-agent: tenax\nContent-Usage: / train-ai=n\nUser-agent: b\nDisallow: /x",
            "/x",
            False,
        ),
        ("User-agent: tenax\nDisallow: y\nUser-agent: b\nDisallow: /x", "/x", True),
        # Product tokens (2.2.1)
        ("User-agent: TENAX\nDisallow: /x", "/x", False),
        ("User-agent: tenax/1.0\nDisallow: /x", "/x", False),
        ("User-agent: Tenax/1.0 (+https://a.example)\nDisallow: /x", "/x", False),
        ("User-agent: tenax bot\nDisallow: /x", "/x", False),
        ("User-agent: tenax*\nDisallow: /x", "/x", False),
        ("User-agent: tenaxbot\nDisallow: /x", "/x", True),
        ("User-agent: tena\nDisallow: /x", "/x", True),
        ("User-agent: tenax-news\nDisallow: /x", "/x", True),
        ("User-agent: *tenax\nDisallow: /x", "/x", True),
        ("User-agent: * tenax\nDisallow: /x", "/x", False),
    ],
)
def test_a_file_is_read_line_by_line(text: str, path: str, allowed: bool) -> None:
    assert parse(text).decide(path, "tenax").allowed is allowed


def test_a_token_with_digits_finds_its_group() -> None:
    robots = parse("User-agent: bot2000/3\nDisallow: /x")
    assert not robots.decide("/x", "bot2000").allowed


def test_it_is_told_which_groups_are_about_us() -> None:
    file = (
        "Sitemap: https://a.example/s.xml\nUser-agent: *\nDisallow: /x\n\n"
        "user-agent: other\nUser-agent: tenax\nCrawl-delay: 2\nDisallow: /y\n"
        "User-agent: other\nDisallow: /\nUser-agent: Tenax/2\nAllow: /y/z\n"
    )
    for token, ours in (("tenax", {5, 11}), ("other", {5, 9}), ("nobody", {2})):
        groups = parse(file).groups(token)
        assert [each.line for each in groups] == [2, 5, 9, 11]
        assert {each.line for each in groups if each.applies} == ours
    assert parse("Disallow: /").groups("tenax") == ()
    (alone,) = parse("User-agent: other\nDisallow: /").groups("tenax")
    assert not alone.applies


def test_an_empty_token_gets_the_group_for_everybody() -> None:
    robots = parse("User-agent:\nDisallow: /x\nUser-agent: *\nDisallow: /y")
    assert robots.decide("/y", "").group == "*"


def test_the_verdict_names_the_line_the_rule_and_the_group() -> None:
    robots = parse("# hello\r\nUser-agent: Tenax\r\n\r\n  Disallow : /private/ # keep out\r\n")
    assert robots.decide("/private/x", "tenax") == RobotsVerdict(
        allowed=False, line=4, rule="Disallow : /private/", group="tenax"
    )


def test_without_a_matching_rule_the_verdict_names_no_line() -> None:
    verdict = parse("User-agent: *\nDisallow: /x").decide("/y", "tenax")
    assert verdict == RobotsVerdict(allowed=True, line=0, rule="", group="*")


def test_without_a_group_the_verdict_names_none() -> None:
    assert parse("User-agent: other\nDisallow: /").decide("/y", "tenax").group == ""


def test_of_equal_rules_the_first_line_is_named() -> None:
    assert parse("User-agent: *\nDisallow: /x\nDisallow: /x").decide("/x", "t").line == 2


def test_a_very_long_rule_is_cut_in_the_verdict() -> None:
    path = "/" + "x" * 5_000
    assert len(parse(f"User-agent: *\nDisallow: {path}").decide(path, "t").rule) < 500


def test_thousands_of_wildcards_against_a_long_path_come_to_an_end() -> None:
    robots = parse("User-agent: *\nDisallow: /" + "*a" * 5_000)
    assert robots.decide("/" + "a" * 1_999, "tenax").allowed


def test_thousands_of_wildcards_match_where_they_should() -> None:
    robots = parse("User-agent: *\nDisallow: /" + "*a" * 1_999 + "$")
    assert not robots.decide("/" + "a" * 1_999, "tenax").allowed


def test_thousands_of_agents_sharing_thousands_of_rules_do_not_multiply() -> None:
    agents = "".join(f"User-agent: bot{'x' * (i % 40)}{i}\n" for i in range(8_000))
    robots = parse(agents + "Disallow: /x\n" * 15_000)
    assert not robots.decide("/x", "bot0").allowed


def test_one_agent_named_thousands_of_times_does_not_multiply_its_rules() -> None:
    robots = parse("User-agent: tenax\n" * 10_000 + "Disallow: /x\n" * 15_000)
    assert not robots.decide("/x", "tenax").allowed


def test_a_byte_order_mark_is_skipped() -> None:
    assert not parse(b"\xef\xbb\xbfUser-agent: *\nDisallow: /x").decide("/x", "t").allowed


def test_half_a_byte_order_mark_is_skipped() -> None:
    assert not parse(b"\xef\xbbUser-agent: *\nDisallow: /x").decide("/x", "t").allowed


def test_a_first_letter_that_only_starts_like_a_mark_is_kept() -> None:
    assert decode("\uff03 hello".encode()) == "\uff03 hello"


def test_nul_and_control_characters_do_no_harm() -> None:
    robots = parse(b"\x00\x01User-agent:\x00 *\x07\nDis\x00allow: /x\x0b\n")
    assert not robots.decide("/x", "tenax").allowed


def test_a_utf_16_file_is_understood() -> None:
    robots = parse("\ufeffUser-agent: *\r\nDisallow: /x\r\n".encode("utf-16-le"))
    assert robots.decide("/x", "tenax").line == 2


def test_a_path_that_is_not_utf_8_matches_the_url_with_the_same_bytes() -> None:
    robots = parse(b"User-agent: *\nDisallow: /caf\xe9\n")
    assert not robots.decide("/caf%E9", "tenax").allowed


def test_escaping_bytes_does_not_make_a_text_that_is_cut_when_read_again() -> None:
    text = decode(b"# \xe9\n" * (MAX_BYTES // 5))
    assert decode(text) == text


def test_lone_surrogates_are_no_reason_to_fail() -> None:
    robots = parse("User-agent: *\nDisallow: /\ud800")
    assert not robots.decide("/\ud800", "tenax").allowed


def test_what_stands_within_the_first_500_kib_is_read() -> None:
    filler = b"# filler\n" * 56_888  # a little less than 500 KiB
    robots = parse(b"User-agent: *\n" + filler + b"Disallow: /x\n")
    assert robots.decide("/x", "tenax").line == 56_890


def test_what_stands_beyond_512_kib_is_not_read() -> None:
    start = b"User-agent: *\nDisallow: /x\n"
    filler = b"#" * (MAX_BYTES - len(start)) + b"\n"
    robots = parse(start + filler + b"Disallow: /y\n")
    assert [robots.decide(path, "t").allowed for path in ("/x", "/y")] == [False, True]


def test_a_line_cut_by_the_limit_is_not_read() -> None:
    start = b"User-agent: *\n"
    filler = b"#" * (MAX_BYTES - len(start) - len(b"\nDisallow: /"))
    robots = parse(start + filler + b"\nDisallow: /private\n")
    assert robots.decide("/public", "tenax").allowed


def test_a_line_that_ends_at_the_limit_is_read() -> None:
    start = b"User-agent: *\n"
    filler = b"#" * (MAX_BYTES - len(start) - len(b"\nDisallow: /x"))
    robots = parse(start + filler + b"\nDisallow: /x\n# more")
    assert not robots.decide("/x", "tenax").allowed


def test_one_endless_line_is_read_as_nothing() -> None:
    assert parse("Disallow: /" + "x" * MAX_BYTES).decide("/", "tenax").allowed


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 5", 5.0),
        ("User-agent: *\nCrawl-delay: 0.5 # s", 0.5),
        ("User-agent: *\nCrawl-delay: 0", 0.0),
        ("User-agent: *\nCrawl-delay: 2\nCrawl-delay: 7\nCrawl-delay: 3", 7.0),
        ("User-agent: *\nCrawl-delay: 2\nUser-agent: *\nDisallow: /x\nCrawl-delay: 3", 3.0),
        ("User-agent: *\nCrawl-delay: 9\nDisallow: /\nUser-agent: tenax\nCrawl-delay: 1", 1.0),
        ("User-agent: *\nCrawl-delay: 9\nDisallow: /\nUser-agent: tenax\nDisallow: /x", None),
        ("User-agent: other\nCrawl-delay: 9", None),
        ("Crawl-delay: 9\nUser-agent: *\nDisallow: /x", None),
        ("User-agent: *\nCrawl-delay: -1", None),
        ("User-agent: *\nCrawl-delay: inf", None),
        ("User-agent: *\nCrawl-delay: nan", None),
        ("User-agent: *\nCrawl-delay: 1e400", None),
        ("User-agent: *\nCrawl-delay: " + "9" * 400, None),
        ("User-agent: *\nCrawl-delay: ten", None),
        ("User-agent: *\nCrawl-delay: 1_0", None),
        ("User-agent: *\nCrawl-delay: ٣", None),
        ("User-agent: *\nCrawl-delay:", None),
        ("User-agent: *\nCrawl-delay: 4\nCrawl-delay: x", 4.0),
    ],
)
def test_the_crawl_delay_is_the_longest_that_our_group_asks_for(
    text: str, delay: float | None
) -> None:
    assert parse(text).crawl_delay("tenax") == delay


def test_sitemaps_are_kept_in_order_once_each_wherever_they_stand() -> None:
    robots = parse(
        "Sitemap: https://a.example/1.xml\nUser-agent: x\nDisallow: /\n"
        "sitemap:https://a.example/2.xml\nSitemap https://a.example/3.xml\n"
        "Site-map: https://a.example/1.xml\nSitemap:\n"
    )
    assert robots.sitemaps == tuple(f"https://a.example/{n}.xml" for n in (1, 2, 3))


def test_the_number_of_sitemaps_is_bounded() -> None:
    robots = parse("".join(f"Sitemap: https://a.example/{i}\n" for i in range(MAX_SITEMAPS + 5)))
    assert len(robots.sitemaps) == MAX_SITEMAPS


def test_a_sitemap_of_no_usable_length_is_left_out() -> None:
    longest = "https://a.example/" + "x" * (2_083 - 18)
    assert parse(f"Sitemap: {longest}\nSitemap: {longest}x").sitemaps == (longest,)


# The example of draft-ietf-aipref-attach, and a query
USAGE = """\
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: / train-ai=n
Content-Usage: /ai-ok/ train-ai=y
Content-Usage: /test?u=http:// train-ai=u

User-Agent: ExampleBot
Allow: /
Content-Usage: / train-ai=y
"""


@pytest.mark.parametrize(
    ("token", "path", "value"),
    [
        ("tenax", "/test", "train-ai=n"),
        ("tenax", "/ai-ok/test", "train-ai=y"),
        ("tenax", "/%61i-ok/", "train-ai=y"),
        ("tenax", "/test?u=http%3A%2F%2Fb", "train-ai=u"),
        ("examplebot", "/test", "train-ai=y"),
    ],
)
def test_content_usage_comes_from_our_group_and_the_longest_path(
    token: str, path: str, value: str
) -> None:
    assert parse(USAGE).rights(path, token) == (("robots Content-Usage", value),)


def test_contradicting_content_usage_for_one_path_is_kept_in_full() -> None:
    robots = parse("User-agent: *\nContent-Usage: / train-ai=n\nContent-Usage: / train-ai=y\n")
    assert [value for _, value in robots.rights("/x", "tenax")] == ["train-ai=n", "train-ai=y"]


def test_content_usage_for_other_paths_says_nothing() -> None:
    assert parse("User-agent: *\nContent-Usage: /a/ train-ai=n").rights("/b", "tenax") == ()


def test_content_usage_without_a_path_is_about_everything() -> None:
    robots = parse("User-agent: *\nContent-Usage: train-ai=n")
    assert robots.content_usage == (Preference("/", "train-ai=n", 2),)


def test_a_path_without_a_preference_is_no_preference() -> None:
    assert parse("User-agent: *\nContent-Usage: /path").content_usage == ()


def test_a_content_signal_is_kept_as_written() -> None:
    robots = parse("User-Agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n")
    assert robots.rights("/x", "tenax") == (("robots Content-Signal", "search=yes, ai-train=no"),)


def test_a_content_signal_of_another_group_is_not_ours() -> None:
    text = "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\nUser-agent: tenax\nAllow: /"
    assert parse(text).rights("/x", "tenax") == ()


def test_preferences_before_any_group_speak_to_everybody() -> None:
    text = "Content-Signal: ai-train=no\nUser-agent: tenax\nAllow: /"
    assert parse(text).rights("/x", "tenax") == (("robots Content-Signal", "ai-train=no"),)


def test_a_licence_speaks_to_everybody_wherever_it_stands() -> None:
    text = "User-agent: other\nDisallow: /\nLicense: https://a.example/license.xml\n"
    expected = (("robots License", "https://a.example/license.xml"),)
    assert parse(text).rights("/x", "tenax") == expected


def test_all_rights_are_listed_together() -> None:
    text = (
        "License: https://a.example/l.xml\nUser-agent: *\n"
        "Content-Signal: search=yes\nContent-Usage: / train-ai=n\n"
    )
    assert parse(text).rights("/", "tenax") == (
        ("robots Content-Usage", "train-ai=n"),
        ("robots Content-Signal", "search=yes"),
        ("robots License", "https://a.example/l.xml"),
    )


def test_rights_stay_small_however_many_lines_there_are() -> None:
    lines = "".join(f"Content-Usage: / x{i}=n\nLicense: https://a.example/{i}\n" for i in range(99))
    assert len(parse(f"User-agent: *\n{lines}").rights("/", "tenax")) < 50


def test_an_absurdly_long_preference_is_not_kept() -> None:
    assert parse("User-agent: *\nContent-Signal: " + "x" * 10_000).content_signal == ()


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE html>\n<html><head><title>Not found</title></head></html>",
        b"\xef\xbb\xbf\n  <html lang=en>\n<style>\na { color: red }\n</style>",
        b"<?xml version='1.0'?><error/>",
    ],
)
def test_a_page_served_as_robots_txt_has_no_rules_and_is_recognised(body: bytes) -> None:
    robots = parse(body)
    assert (robots.looks_like_html, robots.decide("/x", "tenax").line) == (True, 0)


def test_a_robots_txt_does_not_look_like_html() -> None:
    assert not parse("User-agent: *\nDisallow: /<html>").looks_like_html


def test_asking_for_many_tokens_keeps_answers_right() -> None:
    robots = parse("User-agent: tenax\nDisallow: /x\nUser-agent: *\nDisallow: /y")
    groups = [robots.decide("/", token).group for token in (*map(str, range(100)), "tenax")]
    assert groups == ["*"] * 100 + ["tenax"]
