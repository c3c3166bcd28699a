"""Does an archive become pages of a job, whoever wrote it, without a network? (STORE-5)"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tenax.compose.crawler import Crawler
from tenax.compose.replay import make_importer
from tenax.model import Job, JobSpec, JobState, ScopeKind
from tenax.ops.export.export import Exporter
from tenax.ops.export.files import Export, WarcFile
from tenax.ops.replay.import_archive import ImportTally
from tenax.testing import SimulatedWeb, crawl, page, redirect, simulate, status

HOME = "https://a.example/"
HTML = (("Content-Type", "text/html; charset=utf-8"),)
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def archive(records: Iterable[tuple[str, str, Sequence[tuple[str, str]], bytes]]) -> bytes:
    """Answers as warcio writes them: (URL, status line, headers, body)."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    for url, line, headers, body in records:
        head = StatusAndHeaders(line, list(headers), "HTTP/1.1")
        made = writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=head)
        writer.write_record(made)
    return out.getvalue()


async def job(app: Crawler, **spec: Any) -> Job:
    wanted = JobSpec(scope=ScopeKind.ANY, **spec)
    return await app.parts.jobs.save("archive", wanted, JobState.DONE)


def taken(data: bytes, **spec: Any) -> tuple[ImportTally, dict[str, Any]]:
    """What importing this archive came to, and the pages by URL."""

    async def play(web: SimulatedWeb, app: Crawler) -> tuple[ImportTally, dict[str, Any]]:
        importer = make_importer(app.ledger, await job(app, **spec))
        await importer.take(io.BytesIO(data), "a.warc.gz")
        assert web.requests == []
        assert await app.ledger.auditor.audit() == []
        return importer.tally, {record.url: record for record in await app.ledger.pages.find()}

    return simulate(play)


def test_an_answer_becomes_a_page_with_all_that_its_head_says() -> None:
    headers = (*HTML, ("ETag", '"7"'), ("X-Robots-Tag", "noai"), ("Content-Language", "fr"))
    tally, pages = taken(archive([(HOME, "200 OK", headers, b"<title>T</title><p>texte")]))
    home = pages[HOME]
    assert tally.new == 1
    assert (home.title, home.etag, home.language) == ("T", '"7"', "fr")
    assert ("header x-robots-tag", "noai") in home.rights
    assert home.job == "archive"


def test_encoded_bodies_are_decoded() -> None:
    body = gzip.compress(b"<title>packed</title>")
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    head = (*HTML, ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"))
    _, pages = taken(archive([(HOME, "200 OK", head, chunked)]))
    assert pages[HOME].title == "packed"


def test_what_is_no_page_is_left_out_and_told() -> None:
    image = (("Content-Type", "image/png"),)
    tally, pages = taken(
        archive(
            [
                ("https://a.example/gone", "404 Not Found", HTML, b"gone"),
                ("https://a.example/old", "301 Moved", (("Location", "/"),), b""),
                ("https://a.example/i", "200 OK", image, b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
                ("https://a.example/n", "200 OK", (*HTML, ("X-Robots-Tag", "noindex")), b"<p>no"),
                ("https://a.example/l", "200 OK", HTML, b"<p>" * 400_000),
                ("https://a.example/x.zip", "200 OK", HTML, b"<p>by its name"),
                ("dns:a.example", "200 OK", HTML, b""),
            ]
        )
    )
    assert pages == {}
    assert tally.left_out == {
        "status 404": 1, "status 301": 1, "no text": 1, "noindex": 1, "file_type": 1,
        "too_large": 1, "no web page": 1,
    }  # fmt: skip


def test_a_wall_in_front_of_a_page_is_no_page() -> None:
    """VAL-3."""
    wall = (
        b"<title>Just a moment...</title><h1>Checking your browser before accessing a.example</h1>"
    )
    tally, pages = taken(archive([(HOME, "200 OK", HTML, wall)]))
    assert (pages, tally.left_out) == ({}, {"challenge": 1})


def test_only_what_the_job_wants_is_taken() -> None:
    data = archive([
        (f"https://a.example/{n}", "200 OK", HTML, b"<p>%d" % n) for n in range(5)
    ])  # fmt: skip
    tally, pages = taken(data, exclude=("*/3",), max_pages=2)
    assert sorted(pages) == ["https://a.example/0", "https://a.example/1"]
    tally, pages = taken(data, exclude=("*/3",))
    assert (len(pages), tally.left_out) == (4, {"excluded": 1})


def test_damage_is_passed_over_and_told() -> None:
    first = archive([(HOME, "200 OK", HTML, b"<p>first")])
    broken = archive([("https://a.example/b", "200 OK", HTML, b"<p>second")])[:-40]
    last = archive([("https://a.example/c", "200 OK", HTML, b"<p>third")])
    tally, pages = taken(first + broken + last)
    assert sorted(pages) == [HOME, "https://a.example/c"]
    assert tally.damaged == 1
    assert f"a.warc.gz at byte {len(first):,}" in tally.damages[0]


def test_a_revisit_without_its_original_is_told() -> None:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    made = writer.create_revisit_record(HOME, "sha1:AAAA", HOME, "2026-01-01T00:00:00Z")
    writer.write_record(made)
    tally, pages = taken(out.getvalue())
    assert (tally.unresolved, pages) == (1, {})


def test_a_revisit_of_warcio_is_resolved() -> None:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    head = StatusAndHeaders("200 OK", list(HTML), "HTTP/1.1")
    body = io.BytesIO(b"<title>one</title><p>and the same")
    first = writer.create_warc_record(HOME, "response", body, http_headers=head)
    writer.write_record(first)
    digest = first.rec_headers.get_header("WARC-Payload-Digest")
    date = first.rec_headers.get_header("WARC-Date")
    other = "https://a.example/again"
    writer.write_record(writer.create_revisit_record(other, digest, HOME, date))
    tally, pages = taken(out.getvalue())
    assert (tally.new, tally.unresolved) == (2, 0)
    assert pages[other].digest == pages[HOME].digest
    assert pages[other].title == "one"


def posted(*exchanges: tuple[str, str, str, bytes], answer_first: bool) -> bytes:
    """Requests and their answers as warcio writes them: (URL, method, text of the page, sent)."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    for url, method, text, sent in exchanges:
        html = f"<title>{text}</title><p>{f'{text} is what it says. ' * 20}".encode()
        head = StatusAndHeaders("200 OK", list(HTML), "HTTP/1.1")
        answer = writer.create_warc_record(url, "response", io.BytesIO(html), http_headers=head)
        sends = [("Host", "a.example"), ("Content-Type", "application/json")]
        asked = StatusAndHeaders(f"{method} / HTTP/1.1", sends, is_http_request=True)
        request = writer.create_warc_record(url, "request", io.BytesIO(sent), http_headers=asked)
        if answer_first:
            writer.write_request_response_pair(request, answer)
        else:
            name = answer.rec_headers.get_header("WARC-Record-ID")
            request.rec_headers.add_header("WARC-Concurrent-To", name)
            writer.write_record(request)
            writer.write_record(answer)
    return out.getvalue()


@pytest.mark.parametrize("answer_first", [True, False])
def test_what_was_sent_makes_pages_of_their_own(answer_first: bool) -> None:
    data = posted(
        (HOME, "POST", "tea", b'{"q": "tea"}'),
        (HOME, "GET", "the form", b""),
        (HOME, "POST", "rum", b'{"q": "rum"}'),
        (HOME, "POST", "picture", b"\xff\xd8"),
        (HOME, "PUT", "put", b""),
        answer_first=answer_first,
    )

    async def play(web: SimulatedWeb, app: Crawler) -> None:
        for _ in range(2):
            importer = make_importer(app.ledger, await job(app))
            await importer.take(io.BytesIO(data), "a.warc.gz")
        assert (importer.tally.new, importer.tally.older) == (0, 3)
        assert importer.tally.left_out == {"sent what is no text": 1, "method PUT": 1}
        found = {p.title: p.sends and (p.sends.body, p.sends.content_type)
                 for p in await app.ledger.pages.find()}  # fmt: skip
        assert found == {
            "the form": None,
            "tea": ('{"q": "tea"}', "application/json"),
            "rum": ('{"q": "rum"}', "application/json"),
        }
        assert await app.ledger.auditor.audit() == []

    simulate(play)


def test_what_we_export_comes_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.warc.gz"

    def told(records: Sequence[Any]) -> dict[str, tuple[Any, ...]]:
        return {
            r.final_url: (r.title, r.digest, r.content_hash, r.simhash, r.rights, r.fetched_at,
                          r.etag, r.charset, r.words)
            for r in records
        }  # fmt: skip

    async def play(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home", "/x", "/same", "/old", "/p", x_robots_tag="noai", etag='"1"'))
        web.at("https://a.example/x", page("one and the same, with words enough"))
        web.at("https://a.example/same", page("one and the same, with words enough"))
        web.at("https://a.example/old", redirect("/new"))
        web.at("https://a.example/new", page("where it went"))
        web.at("https://a.example/p", status(200, "caf\u00e9", content_type="text/plain"))
        await crawl(app, HOME)
        exporter = Exporter(app.ledger.pages, app.ledger.content, whole=True)
        writer = WarcFile(file, "agent", "Tenax/test", 1.0)
        await Export(exporter, writer, file, "warc").run(None, resume=False)
        before = told(await app.ledger.pages.find())
        importer = make_importer(app.ledger, await job(app))
        with file.open("rb") as opened:
            await importer.take(opened, file.name)
        after = told(await app.ledger.pages.find(job="archive"))
        strip = ("robots.txt sha256",)
        assert {url: _without(each, strip) for url, each in after.items()} == {
            url: _without(each, strip) for url, each in before.items()
        }
        assert await app.ledger.auditor.audit() == []

    simulate(play)


def _without(told: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, ...]:
    """What robots.txt says of a page stands in no record of it."""
    return tuple(
        tuple(pair for pair in each if pair[0] not in names) if isinstance(each, tuple) else each
        for each in told
    )
