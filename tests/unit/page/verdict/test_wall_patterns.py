"""Does the table do what it says, and is a user's table held to the same? (VAL-2)"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tenax.model import Headers, Response
from tenax.page.verdict.features import PageMark, count_words, parts_of, plain
from tenax.page.verdict.pattern_table import (
    SignatureError,
    complaints_about,
    judge_sample,
    load,
    shipped,
)
from tenax.page.verdict.phrases import PhrasePlace, WallPhrases, safe_pattern
from tenax.page.verdict.validate import validate_unread
from tenax.page.verdict.wall_patterns import Signature, Signatures, WallKind

ROWS = shipped().rows


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_does_what_its_samples_say(row: Signature) -> None:
    assert list(complaints_about(row, shipped())) == []


def every_phrase() -> list[tuple[Signature, PhrasePlace, str]]:
    return [
        (row, phrases.place, phrase)
        for row in ROWS
        for phrases in row.places
        for phrase in phrases.exact
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_every_phrase_of_a_row_can_match(row: Signature) -> None:
    """Samples cover some; a phrase with a typo or too long for its row would sleep forever."""
    for of, place, phrase in every_phrase():
        if of is row:
            verdict = judge_sample(built_for(row, place, phrase), row, shipped())
            assert verdict is not None, (place, phrase)
            assert verdict.kind == row.kind, (place, phrase, verdict)


def built_for(row: Signature, place: PhrasePlace, phrase: str) -> str:
    """The smallest page with this phrase in this place, and the other places filled as well."""
    said = {p.place: (p.exact or (p.patterns[0].pattern,))[0] for p in row.places} | {place: phrase}
    top = said.get(PhrasePlace.TOP, "")
    title = said.get(PhrasePlace.TITLE, top)
    heading = said.get(PhrasePlace.HEADING, top)
    marks = "<script src=a.js></script>" * (PageMark.SCRIPT in row.has)
    marks += "<input type=password>" * (PageMark.PASSWORD in row.has)
    header = f"{said[PhrasePlace.HEADER]}\n\n" if PhrasePlace.HEADER in said else ""
    return (
        f"{header}<title>{title}</title><!--{said.get(PhrasePlace.HTML, '')}--><body>{marks}"
        f"<noscript>{said.get(PhrasePlace.NOSCRIPT, '')}</noscript><h1>{heading}</h1>"
        f"<p>{said.get(PhrasePlace.TEXT, '')}</p>"
    )


def test_ids_are_unique_and_readable() -> None:
    ids = [row.id for row in ROWS]
    assert len(set(ids)) == len(ids)
    assert all(each == each.lower() and " " not in each for each in ids)


def test_every_kind_that_phrases_can_tell_has_a_row() -> None:
    structural = {WallKind.EMPTY_SHELL, WallKind.TRUNCATED, WallKind.TOO_SHORT, WallKind.NO_TEXT}
    assert {row.kind for row in ROWS} == set(WallKind) - structural


def test_walls_are_short_in_the_table() -> None:
    """The length up to which pages are looked at closely is what judging costs."""
    assert shipped().longest <= 200


# Words and where they stand.


@pytest.mark.parametrize(
    ("title", "part"),
    [
        ("Page not found | Merrow", "page not found"),
        ("Merrow - Page Not Found", "page not found"),
        ("404: Page not found", "page not found"),
        ("Oops! That page can\u2019t be found.", "that page cant be found"),
        ("Error 404 (Not Found)!!1", "error 404 not found 1"),
        ("ページが見つかりません\uff5c港町", "ページが見つかりません"),
        ("页面不存在_港口", "页面不存在"),
        ("  Just a\n moment... ", "just a moment"),
    ],
)
def test_a_title_has_parts(title: str, part: str) -> None:
    assert part in parts_of(title)


@pytest.mark.parametrize(
    "title", ["Not found? Try this", "class NotFound", "not_found", "Node.js not found in path"]
)
def test_what_only_resembles_a_phrase_is_no_part(title: str) -> None:
    assert "not found" not in parts_of(title)


def test_a_title_without_words_has_no_parts() -> None:
    assert parts_of(" \u2013 | … ") == ()
    assert parts_of("") == ()


def test_plain_text_has_words_and_single_spaces() -> None:
    assert plain("  You don\u2019t\thave — PERMISSION! ") == "you dont have permission"


def test_scripts_without_spaces_are_counted_by_characters() -> None:
    assert count_words("two words") == 2
    assert count_words("この港は一つの冬の間に掘られた") > 5


def test_text_phrases_are_whole_words() -> None:
    row = signature(text=["buy this domain"], kind=WallKind.PARKED)
    assert judged("<p>Buy this domain now, it is the best of all of them", row) == "mine"
    assert judged("<p>Buy this domainname now, it is the best of all of them", row) == ""


# Rows.


def signature(
    *,
    kind: WallKind = WallKind.ACCESS_DENIED,
    agree: int = 0,
    alone: int = 0,
    max_words: int = 60,
    max_links: int | None = None,
    has: frozenset[PageMark] = frozenset(),
    lacks: frozenset[PageMark] = frozenset(),
    unless: list[str] | None = None,
    **places: list[str],
) -> Signature:
    return Signature(
        id="mine",
        kind=kind,
        places=tuple(
            WallPhrases.of(place, places[place]) for place in PhrasePlace if place in places
        ),
        has=has,
        lacks=lacks,
        agree=agree,
        alone=alone,
        max_words=max_words,
        max_links=max_links,
        unless=WallPhrases.of(PhrasePlace.TEXT, unless) if unless else None,
    )


def judged(body: str, row: Signature, headers: tuple[tuple[str, str], ...] = ()) -> str:
    held = Headers((("Content-Type", "text/html; charset=utf-8"), *headers))
    verdict = validate_unread(
        Response("https://a.example/", 200, held, body.encode()), Signatures((row,))
    )
    return verdict.signature if verdict else ""


WALL = "<title>Halt</title><h1>Stop</h1><p>The bridge is up and nobody may pass it today.</p>"


def test_every_place_has_to_agree() -> None:
    assert judged(WALL, signature(title=["halt"], heading=["stop"])) == "mine"
    assert judged(WALL, signature(title=["halt"], heading=["go"])) == ""


def test_some_places_may_be_enough() -> None:
    def row(agree: int) -> Signature:
        return signature(agree=agree, title=["halt"], heading=["go"], text=["nobody may pass"])

    assert judged(WALL, row(2)) == "mine"
    assert judged(WALL, row(3)) == ""


def test_one_place_is_enough_on_a_page_of_few_words() -> None:
    assert judged(WALL, signature(title=["halt"], text=["x"], alone=11)) == "mine"
    assert judged(WALL, signature(title=["halt"], text=["x"], alone=10)) == ""


def test_only_the_first_place_is_enough() -> None:
    assert judged(WALL, signature(title=["x"], text=["nobody may pass"], alone=50)) == ""


def test_the_top_is_the_title_or_the_heading() -> None:
    assert judged(WALL, signature(top=["halt"])) == "mine"
    assert judged(WALL, signature(top=["stop"])) == "mine"
    assert judged(WALL, signature(top=["bridge"])) == ""


def test_longer_pages_do_not_match() -> None:
    assert judged(WALL, signature(title=["halt"], max_words=11)) == "mine"
    assert judged(WALL, signature(title=["halt"], max_words=10)) == ""


def test_pages_with_more_links_do_not_match() -> None:
    linked = WALL + "<a href=/a>a</a><a href=/b>b</a><a href=#top>top</a>"
    assert judged(linked, signature(title=["halt"], max_links=2)) == "mine"
    assert judged(linked, signature(title=["halt"], max_links=1)) == ""


def test_a_page_that_talks_about_it_does_not_match() -> None:
    assert judged(WALL, signature(title=["halt"], unless=["the bridge is"])) == ""


def test_what_a_page_is_built_of_counts() -> None:
    script = frozenset({PageMark.SCRIPT})
    scripted = WALL + "<script>1</script>"
    assert judged(scripted, signature(title=["halt"], has=script)) == "mine"
    assert judged(WALL, signature(title=["halt"], has=script)) == ""
    assert judged(scripted, signature(title=["halt"], lacks=script)) == ""
    assert (
        judged(
            WALL + "<script type=application/ld+json>{}</script>",
            signature(title=["halt"], has=script),
        )
        == ""
    )


def test_a_header_and_a_phrase_can_be_asked_for_together() -> None:
    row = signature(header=["server: gate"], title=["halt"])
    assert judged(WALL, row, (("Server", "Gate/2"),)) == "mine"
    assert judged(WALL, row, (("Server", "other"),)) == ""


def test_the_first_row_gives_the_verdict() -> None:
    first = signature(title=["halt"])
    second = Signature("other", WallKind.CAPTCHA, first.places)
    response = Response(
        "https://a.example/", 200, Headers((("Content-Type", "text/html"),)), WALL.encode()
    )
    verdict = validate_unread(response, Signatures((second, first)))
    assert verdict is not None
    assert verdict.signature == "other"


# Patterns.


@pytest.mark.parametrize(
    "source", ["a*", "a+b", "(ab)+", "a{2,}", "(a{1,9}){1,9}", "x{0,99}y{0,99}", "(", "a{,5}"]
)
def test_a_pattern_that_could_take_long_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match=r"Use|Write|no regular expression"):
        safe_pattern(source)


@pytest.mark.parametrize(
    "source", ["a{1,20} b", r"a\+b", "[*+]x", "error [0-9]{1,3}", "(?:a|b) ?c"]
)
def test_a_bounded_pattern_is_taken(source: str) -> None:
    assert safe_pattern(source).pattern == source


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_no_page_makes_a_pattern_slow(row: Signature) -> None:
    hostile = [
        "a" * 20_000,
        "1 " * 10_000,
        "<iframe " * 4_000,
        "var dd={rt" * 3_000,
        "your ip 1" * 3_000,
    ]
    started = time.process_time()
    for phrases in row.places:
        for pattern in phrases.patterns:
            for text in hostile:
                pattern.search(text)
    assert time.process_time() - started < 1.0


# Tables of users.

MINE = """
[[signature]]
id = "drawbridge"
kind = "access_denied"
title = "Drawbridge"
text = ["the bridge is up"]
match = "<title>Drawbridge</title><p>Sorry, the bridge is up."
not = "<title>Drawbridges</title><p>A history of them: when the bridge is up, ships pass."
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "signatures.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_path_the_shipped_table_is_loaded() -> None:
    assert load() is shipped()


def test_a_users_rows_come_before_the_shipped_ones(tmp_path: Path) -> None:
    rows = load(written(tmp_path, MINE)).rows
    assert [row.id for row in rows] == ["drawbridge", *(row.id for row in ROWS)]


def test_a_shipped_row_can_be_disabled(tmp_path: Path) -> None:
    signatures = load(written(tmp_path, 'disable = ["for-sale"]'))
    assert {row.id for row in ROWS} - {row.id for row in signatures.rows} == {"for-sale"}


def test_a_shipped_row_can_be_replaced(tmp_path: Path) -> None:
    text = 'disable = ["captcha"]' + MINE.replace("drawbridge", "captcha")
    assert load(written(tmp_path, text)).rows[0].id == "captcha"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[signature]\n", "not TOML"),
        ("sinature = 1", "unknown field `sinature`"),
        (MINE.replace('kind = "access_denied"', 'kind = "forbidden"'), "drawbridge"),
        (MINE.replace("title =", "titel ="), "unknown field `titel`"),
        (MINE.replace('kind = "access_denied"', 'kind = "too_short"'), "decided by structure"),
        (MINE.replace('"drawbridge"', '"captcha"'), "the id is taken"),
        (MINE + MINE, "the id is taken"),
        (MINE.replace("Drawbridge\"", "re:draw.*\""), "without a bound"),
        (MINE.replace("Drawbridge\"", "re:.{1,9} up\""), "begins with no word"),
        (MINE.replace("Drawbridge\"", "!\""), "is no phrase"),
        (MINE.replace('title = "Drawbridge"', 'header = "server"'), "name: value"),
        (MINE.replace('title = "Drawbridge"', 'header = "re:server: x"'), "how the line begins"),
        (MINE + "max_words = 5000", "use 0 to 1000"),
        (MINE + "agree = 3", "it names 2 places"),
        (MINE + 'has = ["wings"]', "wings"),
        ('[[signature]]\nid = "x"\nkind = "captcha"\nmatch = "a"\nnot = "b"', "at least one of"),
        (MINE.replace("match =", "match = []\n#"), "needs a sample"),
        (MINE.replace("the bridge is up.", "all boats have to wait here."), "to be a page"),
        (MINE.replace("<title>Drawbridges", "<title>Drawbridge"), "access_denied by 'drawbridge'"),
        ('disable = ["no-such"]', "no such shipped signature"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used_says_why_and_where(
    tmp_path: Path, text: str, told: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SignatureError) as caught:
        load(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


DOCUMENT = Path(__file__).parents[4] / "docs" / "reference" / "verdicts.md"


def test_the_table_shown_in_the_documentation_can_be_loaded(tmp_path: Path) -> None:
    shown = re.findall(r"^```text\n(disable.*?)^```", DOCUMENT.read_text("utf-8"), re.M | re.S)
    (text,) = shown
    assert load(written(tmp_path, text)).rows[0].id == "drawbridge"


def test_every_kind_field_and_mark_is_documented() -> None:
    fields = set(Signature.__struct_fields__) - {"places", "counter"}
    words = {*WallKind, *PhrasePlace, *PageMark, *fields, "not"}
    text = DOCUMENT.read_text("utf-8")
    assert [word for word in sorted(words) if f"`{word}`" not in text] == []


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SignatureError, match="No such file"):
        load(tmp_path / "none.toml")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SignatureError, match="not TOML"):
        load(path)
