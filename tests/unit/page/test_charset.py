"""PAGE-1: charset by BOM, header, meta, then detection."""

from __future__ import annotations

import pytest

from tenax.page.charset import Charset, CharsetSource, canonical_name, decide_charset, decode


def test_a_byte_order_mark_beats_the_header() -> None:
    assert decide_charset(b"\xef\xbb\xbfabc", "text/html; charset=koi8-r") == Charset(
        "utf-8", CharsetSource.BOM
    )
    assert decide_charset(b"\xff\xfea\0", None).name == "utf-16le"
    assert decide_charset(b"\xfe\xff\0a", None).name == "utf-16be"


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ("text/html;charset=UTF8", "utf-8"),
        ('text/html; charset="windows-1251"', "windows-1251"),
        ("text/html; Charset = 'KOI8-R'", "koi8-r"),
        ("text/html; charset=ISO-8859-1", "windows-1252"),
        ("text/html; charset=us-ascii; x=y", "windows-1252"),
        ("text/html; charset=gb2312", "gbk"),
    ],
)
def test_the_header_beats_the_markup_and_is_read_as_browsers_read_it(
    header: str, name: str
) -> None:
    assert decide_charset(b"<meta charset=big5>", header) == Charset(name, CharsetSource.HEADER)


@pytest.mark.parametrize(
    "header", ["text/html", "text/html; charset=", "text/html; charset=utf-7", "", None, ";;=\0"]
)
def test_a_header_without_a_known_label_is_no_header(header: str | None) -> None:
    assert decide_charset(b"<meta charset=big5>", header) == Charset("big5", CharsetSource.META)


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        (b"<meta charset=shift_jis>", "shift_jis"),
        (b'<META CHARSET = "euc-kr" >', "euc-kr"),
        (
            b'<meta http-equiv=Content-Type content="text/html; charset=windows-1250">',
            "windows-1250",
        ),
        (b"<meta content='text/html;charset=iso-8859-2' http-equiv=content-type>", "iso-8859-2"),
        (b'<?xml version="1.0" encoding="ISO-8859-7"?><html>', "iso-8859-7"),
        (b"<meta charset=nonsense><meta charset=koi8-u>", "koi8-u"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<!-- <meta charset=big5> --><meta charset=koi8-r>", "koi8-r"),
        (b"<p title='<meta charset=big5>'><meta charset=koi8-r>", "koi8-r"),
        (b"<!--><meta charset=koi8-r>", "koi8-r"),
    ],
)
def test_the_declaration_in_the_markup_is_found(markup: bytes, name: str) -> None:
    assert decide_charset(markup + b"\xe9", None) == Charset(name, CharsetSource.META)


@pytest.mark.parametrize(
    "markup",
    [
        b"<!-- <meta charset=big5>",
        b'<meta name=x content="text/html; charset=big5">',
        b"<metadata charset=big5>",
    ],
)
def test_what_only_looks_like_a_declaration_is_not_one(markup: bytes) -> None:
    assert decide_charset(markup, None) == Charset("utf-8", CharsetSource.DETECTED)


def test_utf16_without_a_mark_is_known_by_its_xml_declaration() -> None:
    assert decide_charset('<?xml version="1.0"?>'.encode("utf-16-le"), None).name == "utf-16le"
    assert decide_charset('<?xml version="1.0"?>'.encode("utf-16-be"), None).name == "utf-16be"


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("plain ascii", "ascii", "utf-8"),
        ("", "ascii", "utf-8"),
        ("žluťoučký kůň", "utf-8", "utf-8"),
        ("Это обычный русский текст без объявления кодировки", "cp1251", "windows-1251"),
        ("これは日本語のテキストです。宣言はありません。", "shift_jis", "shift_jis"),
        ("これは日本語のテキストです", "iso2022_jp", "iso-2022-jp"),
        ("café déjà vu, naïveté et garçon", "latin-1", "windows-1252"),
    ],
)
def test_an_undeclared_encoding_is_detected(text: str, encoding: str, name: str) -> None:
    body = text.encode(encoding)
    charset = decide_charset(body, "text/html")
    assert charset == Charset(name, CharsetSource.DETECTED)
    assert decode(body, charset.name) == text


def test_one_broken_character_does_not_make_a_utf8_page_latin() -> None:
    body = "Příliš žluťoučký kůň úpěl ďábelské ódy ".encode() * 20 + b"\xc5"
    assert decide_charset(body, None).name == "utf-8"


@pytest.mark.parametrize("first", ["", "x"])
def test_of_a_long_page_the_beginning_is_enough_when_it_is_sure(first: str) -> None:
    """Wherever in a character it ends."""
    body = (first + "žluťoučký kůň " * 20_000).encode()
    assert decide_charset(body, None).name == "utf-8"
    assert decide_charset(body + b"\xc5 \xff", None).name == "utf-8"


def test_of_a_long_page_that_begins_in_plain_ascii_the_rest_decides() -> None:
    plain = b"nothing to tell by " * 20_000
    assert decide_charset(plain + "žluťoučký kůň".encode(), None).name == "utf-8"
    assert decide_charset(plain + "Это обычный текст".encode("cp1251"), None).name != "utf-8"


@pytest.mark.parametrize("place", range(65_530, 65_540))
def test_a_character_where_the_sample_ends_is_one_character(place: int) -> None:
    body = (b"x" * place) + "\u20ac".encode() + b"x" * 70_000
    assert decide_charset(body, None).name == "utf-8"


def test_decoding_replaces_what_it_cannot_read_and_drops_the_mark() -> None:
    assert decode(b"\xef\xbb\xbfa\xffb", "utf-8") == "a\ufffdb"
    assert decode(b"\xff\xfea\0", "utf-16le") == "a"
    assert decode(b"a\0b", "utf-16le") == "a\ufffd"
    assert decode("ж".encode(), "no such charset") == "ж"


@pytest.mark.parametrize("label", ["", " ", "\0", "é", "x" * 100_000, "utf-7", "hz-gb-2312"])
def test_labels_no_browser_reads_are_unknown(label: str) -> None:
    assert canonical_name(label) is None


LATE = b"<script>" + b"x = 1; " * 500 + b"</script>"


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        (b"<meta charset=koi8-r>", "koi8-r"),
        (b'<META CHARSET = "koi8-r" >', "koi8-r"),
        (b'<meta charSet="koi8-r"/>', "koi8-r"),
        (b'<meta http-equiv=Content-Type content="text/html; charset=koi8-r">', "koi8-r"),
        (b"<meta charset=nonsense><meta charset=koi8-r>", "koi8-r"),
        (b"<meta charset=utf-16le>", "utf-8"),
        (b"<!-- <meta charset=big5> --><meta charset=koi8-r>", "koi8-r"),
        (b"<script>'<meta charset=big5>'</script><meta charset=koi8-r>", "koi8-r"),
        (b"<title><meta charset=big5></title><meta charset=koi8-r>", "koi8-r"),
        (b"<link charset=big5><a charset=big5><meta charset=koi8-r>", "koi8-r"),
        (b"<meta name=charset content='x'><meta charset=koi8-r>", "koi8-r"),
    ],
)
def test_a_declaration_far_down_counts_before_detection(markup: bytes, name: str) -> None:
    body = LATE + markup + "<p>größer</p>".encode()
    assert decide_charset(body, "text/html") == Charset(name, CharsetSource.META)
    assert decide_charset(body, "text/html; charset=big5").name == "big5"
    assert decide_charset(b"\xef\xbb\xbf" + body, None).source is CharsetSource.BOM
    assert decide_charset(b"<meta charset=euc-kr>" + body, None).name == "euc-kr"


@pytest.mark.parametrize(
    "markup",
    [
        b"<script>var x = '<meta charset=koi8-r>'",
        b"<!-- <meta charset=koi8-r>",
        b"<body><meta name=x content=y>charset=koi8-r",
        b"<meta charset=koi8-r",
        b"<meta charset=nonsense>",
        b"<meta " + b"x " * 500 + b"charset=koi8-r>",
    ],
)
def test_what_is_no_declaration_far_down_is_detected(markup: bytes) -> None:
    body = LATE + markup + "<p>größer, länger</p>".encode()
    assert decide_charset(body, None) == Charset("utf-8", CharsetSource.DETECTED)


def test_a_declaration_across_the_prescans_end_is_read() -> None:
    for before in range(1_000, 1_030):
        body = b"x" * before + b"<meta charset=koi8-r>"
        assert decide_charset(body, None) == Charset("koi8-r", CharsetSource.META)


def test_very_many_mentions_are_not_all_looked_at() -> None:
    body = b"<!--" + b"<meta charset=koi8-r>" * 40_000
    assert decide_charset(body, None) == Charset("utf-8", CharsetSource.DETECTED)
