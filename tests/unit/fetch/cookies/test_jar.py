"""Which cookies does a jar take, and which does it send? By RFC 6265."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tenax.fetch.cookies.jar import MOST, MOST_TOGETHER, Jar, read_set_cookie
from tenax.fetch.headers import Introductions
from tenax.model import SiteRules
from tenax.model.cookie import JarContent
from tenax.urls.sites import Sites

NOW = 1_790_000_000.0
URL = "https://club.example.org/account/login"


class Clock:
    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody sleeps here")


def jar_of(*headers: str, url: str = URL, clock: Clock | None = None) -> Jar:
    jar = Jar(clock or Clock())
    jar.take(url, headers)
    return jar


def names(jar: Jar, url: str) -> list[str]:
    return [name for name, _ in jar.pairs(url)]


def test_a_cookie_goes_where_its_path_and_scheme_allow() -> None:
    jar = jar_of("a=1; Path=/", "b=2", "c=3; Path=/forum", "d=4; Path=/; Secure")
    assert names(jar, "https://club.example.org/") == ["a", "d"]
    assert names(jar, "https://club.example.org/account/x?y=/forum") == ["b", "a", "d"]
    assert names(jar, "https://club.example.org/forum/1") == ["c", "a", "d"]
    assert "c" not in names(jar, "https://club.example.org/forums")
    assert names(jar, "http://club.example.org/") == ["a"]


def test_a_cookie_ends_when_it_says_so_and_max_age_counts_before_expires() -> None:
    clock = Clock()
    jar = jar_of(
        "a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "b=2; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "c=3; Path=/; Expires=whenever",
        clock=clock,
    )
    assert names(jar, URL) == ["a", "c"]
    clock.at += 61
    assert (names(jar, URL), jar.names) == (["c"], {"c"})
    jar.take(URL, ["c=; Path=/; Max-Age=0"])
    assert jar.pairs(URL) == []


def test_a_cookie_for_somebody_else_or_without_sense_is_not_taken() -> None:
    for header in (
        "a=1; Domain=other.example.org",
        "a=1; Domain=org",
        "a=1; Domain=deeper.club.example.org",
        "novalue",
        "=1",
        f"a={'x' * 5_000}",
        "a=1\r\nX-Evil: 1",
    ):
        assert read_set_cookie(header, URL, NOW) is None, header
    assert read_set_cookie("a=1; Secure", "http://club.example.org/", NOW) is None
    assert read_set_cookie("a=1; Domain=.example.org", URL, NOW) is not None
    assert read_set_cookie("a=1; Domain=0.0.1", "http://127.0.0.1/", NOW) is None


def test_a_jar_keeps_the_latest_and_no_more_than_it_may() -> None:
    jar = jar_of(*(f"c{n}=1; Path=/" for n in range(MOST + 10)), "c59=2; Path=/")
    assert len(jar.pairs(URL)) == MOST
    assert ("c59", "2") in jar.pairs(URL)
    assert "c9" not in jar.names


_ATTRIBUTES = st.tuples(
    st.sampled_from(["Max-Age", "Expires", "Domain", "Path", "Secure"]),
    st.one_of(
        st.text(max_size=30),
        st.from_regex(r"-{0,3}[0-9]{0,20}", fullmatch=True),
        st.from_regex(
            r"[A-Z][a-z]{2}, [0-9]{1,3}[- ][A-Z][a-z]{2}[- ][0-9]{1,5}( [0-9:+-]{0,9}){0,2}"
        ),
    ),
).map("=".join)


@given(
    st.text(max_size=200) | st.lists(_ATTRIBUTES, max_size=4).map("; ".join).map("a=1; ".__add__)
)
@example("a=1; Max-Age=--5")
@example("a=1; Max-Age=----------------5")
def test_nothing_that_a_server_sets_raises_or_breaks_a_header(text: str) -> None:
    for _, value in jar_of(text, f"a=1; {text}").pairs(URL):
        assert value.isprintable()


def test_of_one_name_a_members_session_counts_and_else_what_rules_name() -> None:
    rules = SiteRules("club.example.org", cookies={"consent": "yes", "sid": "old"})
    introductions = Introductions("me", "en", Sites([rules]))
    jar = jar_of("sid=new; Path=/", "lang=de; Path=/")
    assert dict(introductions.headers(URL, jar))["Cookie"] == "consent=yes; sid=old; lang=de"
    jar.become(jar_of("sid=mine; Path=/"), b"mark")
    assert dict(introductions.headers(URL, jar))["Cookie"] == "sid=mine; consent=yes"
    assert dict(introductions.headers(URL))["Cookie"] == "consent=yes; sid=old"


def test_a_jar_fits_into_one_header_whatever_a_server_sets() -> None:
    jar = jar_of(*(f"n{number}={'v' * 900}; Path=/" for number in range(60)))
    kept = jar.pairs(URL)
    assert sum(len(f"{name}={value}; ") for name, value in kept) <= MOST_TOGETHER
    assert [name for name, _ in kept] == [f"n{n}" for n in range(60 - len(kept), 60)]
    thousands = jar_of(*(f"n{number}=1; Path=/" for number in range(5_000)))
    assert len(thousands.pairs(URL)) == MOST


def test_names_that_promise_how_they_were_set_are_held_to_it() -> None:
    jar = jar_of(
        "__Host-a=1; Path=/; Secure", "__Host-b=1; Secure", "__Host-c=1; Path=/",
        "__Host-d=1; Path=/; Secure; Domain=example.org", "__Secure-e=1; Path=/",
        "__secure-f=1; Path=/; Secure",
    )  # fmt: skip
    assert names(jar, URL) == ["__Host-a", "__secure-f"]


def test_only_what_is_new_is_worth_writing_down() -> None:
    clock = Clock()
    jar = Jar(clock)
    assert jar.take_changes() is None
    jar.take(URL, ["a=1; Path=/; Max-Age=3600"])
    content = jar.take_changes()
    assert content is not None
    assert [(each.name, each.value) for each in content.cookies] == [("a", "1")]
    jar = Jar(clock, content)
    jar.take(URL, ["a=1; Path=/; Max-Age=3600"])
    clock.at += 59
    jar.take(URL, ["a=1; Path=/; Max-Age=3600"])
    assert jar.take_changes() is None, "its end was put off by less than a minute"
    clock.at += 2
    jar.take(URL, ["a=1; Path=/; Max-Age=3600"])
    assert jar.take_changes() is not None
    jar.take(URL, ["a=2; Path=/; Max-Age=3600"])
    assert jar.take_changes() is not None
    jar.take(URL, ["a=; Path=/; Max-Age=0"])
    assert jar.take_changes() == JarContent()
    jar.become(Jar(clock), b"")
    assert jar.take_changes() == JarContent(), "that there is nothing any more is told, too"


def test_what_a_jar_holds_is_in_no_repr() -> None:
    jar = jar_of("sid=s3cr3t; Path=/")
    assert "s3cr3t" not in repr(jar.take_changes())
