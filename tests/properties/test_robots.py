"""What holds for every robots.txt and every answer to it, whatever a site sends? (ROB-1)"""

from __future__ import annotations

import random
import re
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from tenax.hosts.robots import decode, parse
from tenax.hosts.robots_policy import (
    Access,
    RobotsAnswer,
    RobotsPolicy,
    access,
    is_fresh,
    record_answer,
)
from tenax.model import Fault, RobotsRecord

POLICY = RobotsPolicy()
TOKENS = ["tenax", "other", "*"]

segments = st.text("ab/.", max_size=4)
paths = st.builds("/{}".format, st.text("ab/.", max_size=10))
rule_paths = st.builds(
    lambda parts, end: "/" + "*".join(parts) + end,
    st.lists(segments, min_size=1, max_size=3),
    st.sampled_from(["", "", "$"]),
)
rules = st.tuples(st.sampled_from(["Allow", "Disallow"]), rule_paths)
groups = st.tuples(
    st.lists(st.sampled_from(TOKENS), min_size=1, max_size=2, unique=True),
    st.lists(rules, min_size=1, max_size=5),
)
lines = st.one_of(
    st.sampled_from([*(f"User-agent: {token}" for token in TOKENS), "# note", "", "junk"]),
    rules.map(lambda rule: f"{rule[0]}: {rule[1]}"),
    st.text(max_size=12),
)


def written(files: list[tuple[list[str], list[tuple[str, str]]]]) -> str:
    return "\n".join(
        line
        for agents, rules in files
        for line in (
            *(f"User-agent: {agent}" for agent in agents),
            *(f"{key}: {path}" for key, path in rules),
            "",
        )
    )


@given(st.binary(max_size=300), st.text(max_size=30), st.text(max_size=8))
def test_no_bytes_no_path_and_no_token_raise(data: bytes, path: str, token: str) -> None:
    robots = parse(data)
    robots.decide(path, token)
    robots.rights(path, token)
    robots.crawl_delay(token)


@given(st.lists(lines, max_size=12).map("\n".join), paths)
def test_junk_among_the_lines_never_raises(text: str, path: str) -> None:
    parse(text).decide(path, "tenax")


@given(st.binary(max_size=300))
def test_decoding_what_was_decoded_changes_nothing(data: bytes) -> None:
    text = decode(data)
    assert decode(text) == text


@given(st.lists(st.binary(max_size=20) | st.sampled_from([b"User-agent: *", b"Disallow: /a"])))
def test_the_text_kept_decides_as_the_bytes_received(parts: list[bytes]) -> None:
    data = b"\n".join(parts)
    assert parse(decode(data)).decide("/a", "tenax") == parse(data).decide("/a", "tenax")


@given(st.lists(lines, max_size=12), st.sampled_from(["\n", "\r", "\r\n"]), paths)
def test_the_verdict_points_at_the_line_its_rule_stands_in(
    parts: list[str], end: str, path: str
) -> None:
    verdict = parse(end.join(parts)).decide(path, "tenax")
    if verdict.line:
        assert verdict.rule in re.split("\r\n|\r|\n", decode(end.join(parts)))[verdict.line - 1]


@given(st.lists(groups, max_size=5), paths)
def test_a_longer_disallow_that_matches_never_lets_in(
    files: list[tuple[list[str], list[tuple[str, str]]]], path: str
) -> None:
    longest = max((len(p) for _, rules in files for _, p in rules), default=0)
    disallow = path + "*" * longest
    text = written([*files, (["tenax"], [("Disallow", disallow)])])
    assert not parse(text).decide(path, "tenax").allowed


@given(st.lists(groups, max_size=5), rule_paths, paths)
def test_one_more_disallow_lets_nothing_in_that_was_shut_out(
    files: list[tuple[list[str], list[tuple[str, str]]]], disallow: str, path: str
) -> None:
    own = (["tenax"], [("Disallow", "/zzz")])
    before = parse(written([*files, own])).decide(path, "tenax")
    after = parse(written([*files, own, (["tenax"], [("Disallow", disallow)])]))
    assert before.allowed or not after.decide(path, "tenax").allowed


@given(st.lists(groups, max_size=5), st.randoms(use_true_random=False), paths)
def test_the_order_of_groups_does_not_matter(
    files: list[tuple[list[str], list[tuple[str, str]]]], rng: random.Random, path: str
) -> None:
    shuffled = rng.sample(files, len(files))
    first, second = parse(written(files)), parse(written(shuffled))
    assert first.decide(path, "tenax").allowed == second.decide(path, "tenax").allowed


@given(st.lists(rules, max_size=6), st.randoms(use_true_random=False), paths)
def test_the_order_of_rules_does_not_matter(
    own: list[tuple[str, str]], rng: random.Random, path: str
) -> None:
    shuffled = rng.sample(own, len(own))
    first, second = parse(written([(["*"], own)])), parse(written([(["*"], shuffled)]))
    assert first.decide(path, "tenax").allowed == second.decide(path, "tenax").allowed


unreserved = st.text("abzAZ019-._~/é漢🦀", min_size=1, max_size=10)


def escape_some(text: str, rng: random.Random) -> str:
    """The same path with some characters as escapes, in either case."""
    pieces = [
        character
        if character == "/" or rng.random() < 0.5
        else "".join(rng.choice(["%{:02X}", "%{:02x}"]).format(o) for o in character.encode())
        for character in text
    ]
    return "".join(pieces)


@given(unreserved, unreserved, st.randoms(use_true_random=False))
def test_how_a_path_is_escaped_does_not_matter(rule: str, path: str, rng: random.Random) -> None:
    plain = parse(f"User-agent: *\nDisallow: /{rule}").decide(f"/{path}", "tenax").allowed
    robots = parse(f"User-agent: *\nDisallow: /{escape_some(rule, rng)}")
    assert robots.decide(f"/{escape_some(path, rng)}", "tenax").allowed is plain


@given(st.text("ab*", max_size=8), st.text("ab", max_size=12), st.booleans())
def test_wildcards_match_as_a_regular_expression_would(
    glob: str, text: str, anchored: bool
) -> None:
    end = "$" if anchored else ""
    found = re.match(f"/{glob.replace('*', '.*')}{end}", f"/{text}")
    verdict = parse(f"User-agent: *\nDisallow: /{glob}{end}").decide(f"/{text}", "tenax")
    assert verdict.allowed == (found is None)


@given(st.lists(groups, max_size=5), paths)
def test_a_second_opinion_agrees(
    files: list[tuple[list[str], list[tuple[str, str]]]], path: str
) -> None:
    """Protego, where it follows the RFC: without versions or parts of names in user-agent lines,
    other records between them, or escaped delimiters in queries.
    """
    text = written(files)
    expected = Protego.parse(text).can_fetch(f"https://a.example{quote(path)}", "tenax")
    assert parse(text).decide(path, "tenax").allowed == expected


answers = st.one_of(
    st.builds(
        RobotsAnswer,
        status=st.integers(100, 599),
        body=st.binary(max_size=20),
        cache_control=st.sampled_from(["", "max-age=60", "max-age=999999", "no-store"]),
    ),
    st.builds(RobotsAnswer, fault=st.sampled_from(Fault)),
)
steps = st.lists(st.tuples(answers, st.floats(0, 40 * 86_400)), min_size=1, max_size=6)


def play(steps: list[tuple[RobotsAnswer, float]]) -> tuple[RobotsRecord, float]:
    record: RobotsRecord | None = None
    now = 1_000_000_000.0
    for answer, wait in steps:
        record = record_answer(record, "https://a.example", answer, now, POLICY)
        now += wait
    assert record is not None
    return record, now


@given(steps)
def test_an_unreachable_file_never_rules_by_a_copy_older_than_thirty_days(
    steps: list[tuple[RobotsAnswer, float]],
) -> None:
    record, now = play(steps)
    if record.error and access(record, now, POLICY)[0] is Access.RULES:
        assert 0 < record.good_at >= now - POLICY.keep_last_good


@given(steps)
def test_no_answer_is_relied_on_for_more_than_a_day_or_less_than_five_minutes(
    steps: list[tuple[RobotsAnswer, float]],
) -> None:
    record, _ = play(steps)
    assert 300 <= record.expires_at - record.fetched_at <= 86_400


@given(steps)
def test_a_server_error_never_opens_the_site(steps: list[tuple[RobotsAnswer, float]]) -> None:
    record, now = play([*steps, (RobotsAnswer(status=503), 0.0)])
    assert access(record, now, POLICY)[0] is not Access.ALLOW_ALL


@given(steps)
def test_text_and_its_date_come_and_go_together(steps: list[tuple[RobotsAnswer, float]]) -> None:
    record, _ = play(steps)
    assert record.good_at or not record.text


@given(steps)
def test_a_record_just_made_is_fresh(steps: list[tuple[RobotsAnswer, float]]) -> None:
    record, _ = play(steps)
    assert is_fresh(record, record.fetched_at)


@given(st.lists(groups, max_size=5), paths, st.sampled_from(["tenax", "other", "third"]))
def test_what_is_kept_for_one_crawler_says_to_it_what_the_whole_file_does(
    files: list[tuple[list[str], list[tuple[str, str]]]], path: str, token: str
) -> None:
    text = f"Content-Usage: train-ai=n\n{written(files)}\nCrawl-delay: 7\nSitemap: /s.xml"
    whole, kept = parse(text), parse(text).only_for(token)
    assert kept.decide(path, token) == whole.decide(path, token)
    assert kept.rights(path, token) == whole.rights(path, token)
    assert kept.crawl_delay(token) == whole.crawl_delay(token)
    assert (kept.sitemaps, kept.sha256) == (whole.sitemaps, whole.sha256)
