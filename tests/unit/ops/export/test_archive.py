"""Do others read the WARC files we write, and do they find what was stored? (STORE-5)"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from tenax.compose.crawler import Crawler
from tenax.ops.export.archive import WarcArchive
from tenax.ops.export.cdxj import sort_lines, surt
from tenax.ops.export.export import Exporter
from tenax.ops.export.files import Export, WarcFile, can_resume
from tenax.ops.export.warc import Exchange, member, response, warcinfo
from tenax.testing import SimulatedWeb, crawl, page, redirect, simulate, status

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it warns of itself
    from fastwarc.warc import ArchiveIterator as FastIterator
    from fastwarc.warc import WarcRecordType

HOME = "https://a.example/"
SAME = "https://a.example/same"
Made = tuple[bytes, bytes]


async def export(app: Crawler, file: Path, **options: Any) -> Export:
    exporter = Exporter(app.ledger.pages, app.ledger.content, whole=True)
    writer = WarcFile(file, "tenax-test", "Tenax/test", 1_790_000_000.0)
    made = Export(exporter, writer, file, "warc", options.pop("tick", lambda _: None))
    await made.run(None, resume=options.pop("resume", False))
    return made


def small_web(web: SimulatedWeb) -> None:
    web.at(HOME, page("home", "/x", "/same", "/old", "/picture", x_robots_tag="noai", etag='"1"'))
    web.at("https://a.example/x", page("one and the same, with words enough"))
    web.at(SAME, page("one and the same, with words enough"))
    web.at("https://a.example/old", redirect("/new"))
    web.at("https://a.example/new", status(200, "caf\u00e9 " * 30, content_type="text/plain"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WARC file of a small crawl, its index beside it."""
    file = tmp_path_factory.mktemp("warc") / "pages.warc.gz"

    async def play(web: SimulatedWeb, app: Crawler) -> None:
        small_web(web)
        await crawl(app, HOME)
        await export(app, file)

    simulate(play)
    return file


def read(file: Path) -> list[Any]:
    with file.open("rb") as stream:
        records = []
        for record in ArchiveIterator(stream, check_digests="raise"):
            record.payload = record.content_stream().read()
            records.append(record)
        return records


def of_kind(file: Path, kind: str) -> dict[str, Any]:
    return {
        record.rec_headers.get_header("WARC-Target-URI"): record
        for record in read(file)
        if record.rec_type == kind
    }


def test_warcio_finds_nothing_wrong_with_it(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Asked:
        inputs = (str(made),)
        verbose = False

    checker = Checker(Asked())
    checker.process_all()
    assert (checker.exit_value, capsys.readouterr().out) == (0, "")


def test_fastwarc_reads_every_record_and_every_digest_holds(made: Path) -> None:
    any_type = WarcRecordType.any_type
    with made.open("rb") as stream:
        for record in FastIterator(stream, record_types=any_type, parse_http=False):
            assert record.verify_block_digest()
    kinds = []
    with made.open("rb") as stream:
        for record in FastIterator(stream, record_types=any_type):
            kinds.append(record.record_type)
            if record.record_type == WarcRecordType.response:
                assert record.verify_payload_digest()
    assert len(kinds) == len(read(made))
    assert WarcRecordType.revisit in kinds


def test_the_first_record_says_that_heads_are_reconstructed(made: Path) -> None:
    first = read(made)[0]
    assert first.rec_type == "warcinfo"
    assert b"reconstructed" in first.payload
    assert first.rec_headers.get_header("WARC-Filename") == "pages.warc.gz"


def test_an_answer_has_the_stored_body_and_the_headers_that_are_known(made: Path) -> None:
    home = of_kind(made, "response")[HOME]
    assert b"home" in home.payload
    assert home.http_headers.get_header("ETag") == '"1"'
    assert home.http_headers.get_header("X-Robots-Tag") == "noai"
    assert home.http_headers.get_header("Content-Type") == "text/html; charset=utf-8"
    digest = home.rec_headers.get_header("WARC-Payload-Digest")
    assert digest == f"sha256:{sha256(home.payload).hexdigest()}"


def test_every_answer_has_its_request_and_they_name_each_other(made: Path) -> None:
    records = read(made)
    answers = {
        r.rec_headers.get_header("WARC-Record-ID") for r in records if r.rec_type != "request"
    }
    asked = [r for r in records if r.rec_type == "request"]
    assert len(asked) == len([r for r in records if r.rec_type in ("response", "revisit")])
    assert all(r.rec_headers.get_header("WARC-Concurrent-To") in answers for r in asked)


def test_the_same_body_again_is_a_revisit_that_names_the_first(made: Path) -> None:
    first, again = "https://a.example/x", SAME
    record = of_kind(made, "revisit")[again]
    headers = record.rec_headers
    assert headers.get_header("WARC-Refers-To-Target-URI") == first
    original = of_kind(made, "response")[first].rec_headers
    assert headers.get_header("WARC-Refers-To-Date") == original.get_header("WARC-Date")
    assert headers.get_header("WARC-Payload-Digest") == original.get_header("WARC-Payload-Digest")
    assert record.payload == b""


def test_a_redirect_is_an_answer_of_its_own(made: Path) -> None:
    record = of_kind(made, "response")["https://a.example/old"]
    assert record.http_headers.get_statuscode() == "302"
    assert record.http_headers.get_header("Location") == "https://a.example/new"
    assert "https://a.example/new" in of_kind(made, "response")


def test_record_ids_are_not_used_twice(made: Path) -> None:
    ids = [record.rec_headers.get_header("WARC-Record-ID") for record in read(made)]
    assert len(ids) == len(set(ids))


def test_the_index_leads_to_every_answer(made: Path) -> None:
    lines = made.with_name("pages.cdxj").read_bytes().splitlines()
    assert lines == sorted(lines)
    data, found = made.read_bytes(), set()
    for line in lines:
        _key, stamp, rest = line.split(b" ", 2)
        entry = json.loads(rest)
        at, length = int(entry["offset"]), int(entry["length"])
        (record,) = ArchiveIterator(io.BytesIO(data[at : at + length]))
        assert record.rec_headers.get_header("WARC-Target-URI") == entry["url"]
        assert len(stamp) == 14
        found.add(entry["url"])
    assert found == of_kind(made, "response").keys() | of_kind(made, "revisit").keys()


def simulated(play: Callable[[Crawler], Awaitable[None]]) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        names = [f"/p{number}" for number in range(12)]
        web.at(HOME, page("home", *names))
        for name in names:
            web.at(f"https://a.example{name}", page(f"text of {name}, which is its own"))
        await crawl(app, HOME)
        await play(app)

    simulate(story)


def test_an_export_that_was_stopped_goes_on_to_the_same_file(tmp_path: Path) -> None:
    async def play(app: Crawler) -> None:
        await export(app, tmp_path / "whole" / "a.warc.gz")
        file = tmp_path / "a.warc.gz"
        exporter = Exporter(app.ledger.pages, app.ledger.content, whole=True)
        writer = WarcFile(file, "tenax-test", "Tenax/test", 1_790_000_000.0)
        cut = Export(exporter, writer, file, "warc", lambda n: cut.stop() if n == 5 else None)
        assert not await cut.run(None, resume=False)
        assert not file.exists()
        assert can_resume(file)
        with (tmp_path / "a.warc.gz.part").open("ab") as part:
            part.write(b"half a record that a crash left")
        resumed = await export(app, file, resume=True)
        assert resumed.resumed == 5

    (tmp_path / "whole").mkdir()
    simulated(play)
    assert (tmp_path / "a.warc.gz").read_bytes() == (tmp_path / "whole/a.warc.gz").read_bytes()
    assert (tmp_path / "a.cdxj").read_bytes() == (tmp_path / "whole/a.cdxj").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.cdxj", "a.warc.gz", "whole"]


def test_what_is_shorter_than_it_was_is_begun_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.warc.gz"

    async def play(app: Crawler) -> None:
        exporter = Exporter(app.ledger.pages, app.ledger.content, whole=True)
        writer = WarcFile(file, "tenax-test", "Tenax/test", 1_790_000_000.0)
        cut = Export(exporter, writer, file, "warc", lambda n: cut.stop() if n == 5 else None)
        await cut.run(None, resume=False)
        (tmp_path / "a.warc.gz.part").write_bytes(b"")
        assert (await export(app, file, resume=True)).resumed == 0

    simulated(play)
    assert len(of_kind(file, "response")) == 13


def test_what_came_from_the_web_becomes_no_header() -> None:
    hostile = Exchange(
        "https://a.example/", 1.0, 200, [("ETag", "x\r\nSet-Cookie: a\r\n\r\n<p>")], b"", "", "n"
    )
    (record,) = ArchiveIterator(io.BytesIO(member(response(hostile))))
    assert [name for name, _ in record.http_headers.headers] == ["ETag"]


def test_a_warcinfo_for_a_stream_names_no_file() -> None:
    assert b"WARC-Filename" not in warcinfo("", 1.0, "Tenax/test")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.Example.org/", "org,example)/"),
        ("http://example.org/A/b/?b=2&a=1", "org,example)/a/b?a=1&b=2"),
        ("https://shop.example.co.uk:8443/x", "uk,co,example,shop:8443)/x"),
        ("http://127.0.0.1:8000/x", "127.0.0.1:8000)/x"),
    ],
)
def test_a_key_turns_the_host_round(url: str, key: str) -> None:
    assert surt(url) == key


def test_very_many_lines_are_sorted_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenax.ops.export.cdxj._IN_MEMORY", 7)
    lines = [f"{number * 37 % 101:03}\n".encode() for number in range(101)]
    out = io.BytesIO()
    sort_lines(lines, out)
    assert out.getvalue().splitlines(keepends=True) == sorted(lines)


def test_only_so_many_bodies_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenax.ops.export.archive._REMEMBERED", 2)
    archive = WarcArchive("a.warc.gz", "agent")
    for digest in ("a", "b", "c"):
        archive._remember(digest, None)  # type: ignore[arg-type]  # what, is no matter here
    assert list(archive._seen) == ["b", "c"]
