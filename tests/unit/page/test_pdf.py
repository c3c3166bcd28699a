"""What is read of PDF files, sound ones and those that somebody made to do harm."""

from __future__ import annotations

import asyncio
import signal

import pytest

from tenax.compose.crawler import Crawler
from tenax.fetch.fetch_policy import FetchPolicy
from tenax.fetch.reading import foresee
from tenax.model import Headers, Page, Response
from tenax.page import pdf
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.page.pdf import told
from tenax.page.pdf.child import tell
from tenax.page.read import read
from tenax.page.reading.document import Document
from tenax.settings import Settings, SettingsError
from tenax.testing import SimulatedWeb, simulate
from tests import pdf_files

URL = "https://a.example/papers/manual.pdf"
TYPE = (("Content-Type", "application/pdf"),)
INFO = (
    b"/Title (The \\(short\\) manual) /CreationDate (D:20260102030405+01'00') /ModDate (D:20260203)"
)
MANUAL = pdf_files.pdf(
    pdf_files.lines("Looms", "A thread that is long enough to fill a line", "goes on in the next."),
    pdf_files.lines("The second page & its <end>"),
    info=INFO,
    uris=["/more", "mailto:a@b.example", "https://b.example/x#part"],
)
TEXT = (
    "Looms\nA thread that is long enough to fill a line goes on in the next.\n\n"
    "The second page & its <end>"
)


def page_of(body: bytes) -> Page:
    return read(Response(URL, 200, Headers(TYPE), body), fetched_at=1_790_000_000.0)


def test_a_file_is_read_like_a_page() -> None:
    page = page_of(MANUAL)
    assert (page.title, page.content_type) == ("The (short) manual", "application/pdf")
    assert page.published.startswith("2026-01-02")
    assert page.modified.startswith("2026-02-03")
    assert (page.words, page.body, page.unreadable) == (22, MANUAL, "")
    assert {"/more", "https://b.example/x"} <= set(page.links)
    assert page.content_hash


def test_its_document_has_text_markdown_chunks_and_links() -> None:
    document = Document(MANUAL, URL, "application/pdf")
    assert document.text == document.main_text == document.markdown == TEXT
    assert (document.title, document.language) == ("The (short) manual", "en")
    assert document.published.startswith("2026-01-02")
    assert [link.url for link in document.links] == [
        "https://a.example/more",
        "https://b.example/x",
    ]
    assert "".join(chunk.text for chunk in document.chunks(1_000)) == TEXT
    assert document.content_hash == page_of(MANUAL).content_hash


def test_selectors_find_nothing_in_the_bytes_of_a_file() -> None:
    body = pdf_files.pdf(b"% <p>no markup</p>\n" + pdf_files.lines("Text"))
    assert not CrawledPage(page_of(body)).css("p")


def test_without_a_title_the_first_line_is_one() -> None:
    assert page_of(pdf_files.pdf(pdf_files.lines("Of looms", "More."))).title == "Of looms"


def test_a_page_without_text_is_one_without_words() -> None:
    page = page_of(pdf_files.pdf(b""))
    assert (page.words, page.title, page.unreadable) == (0, "", "")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (MANUAL[: len(MANUAL) // 4], "it is broken, or no PDF"),
        (b"%PDF-1.7\n" + b"\xff" * 5_000, "it is broken, or no PDF"),
        (b"<p>a page under a wrong name</p>", "it does not begin like one"),
        (b"", "it does not begin like one"),
        (pdf_files.locked(), "it needs a password"),
        (pdf_files.looping(), "none of its pages can be read"),
    ],
)
def test_what_cannot_be_read_is_told(body: bytes, why: str) -> None:
    page = page_of(body)
    assert (page.unreadable, page.title, page.words, page.links) == (f"PDF: {why}", "", 0, ())
    assert Document(body, URL, "application/pdf").text == ""


def test_pages_that_are_only_promised_cost_nothing() -> None:
    assert page_of(pdf_files.boastful()).title == "The only page"


def test_one_that_unpacks_to_more_than_its_share_is_not_read() -> None:
    page = page_of(pdf_files.bomb(2 * told.MEMORY))
    assert f"{told.MEMORY:,}" in page.unreadable


def test_no_more_pages_and_characters_are_read_than_bounds_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = pdf_files.pdf(*(pdf_files.lines(f"Page {number}") for number in range(9)))
    monkeypatch.setattr("tenax.page.pdf.child.MOST_PAGES", 3)
    assert tell(body).pages == ["Page 0", "Page 1", "Page 2"]
    monkeypatch.setattr("tenax.page.pdf.child.MOST_CHARACTERS", 8)
    assert tell(body).pages == ["Page 0", "Pa"]


def test_no_more_links_are_read_than_bounds_say(monkeypatch: pytest.MonkeyPatch) -> None:
    body = pdf_files.pdf(pdf_files.lines("x"), uris=[f"/{number}" for number in range(9)])
    monkeypatch.setattr("tenax.page.pdf.child.MOST_LINKS", 4)
    assert tell(body).links == ["/0", "/1", "/2", "/3"]


def test_the_clock_of_the_kernel_ends_who_takes_too_long() -> None:
    ended = pdf.ended(-signal.SIGALRM)
    assert ended == told.PdfAnswer(why="it took more than 20 s")
    assert "SIGSEGV" in pdf.ended(-signal.SIGSEGV).why


def test_without_the_extra_the_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "is_installed", lambda: False)
    page = page_of(pdf_files.pdf(pdf_files.lines("Read by nobody")))
    assert "pip install 'tenax-crawler[pdf]'" in page.unreadable


def test_what_was_read_ahead_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    body = pdf_files.pdf(pdf_files.lines("Read once"))
    assert asyncio.run(foresee(Response(URL, 200, Headers(TYPE), body))) == 0
    monkeypatch.setattr(pdf, "is_installed", lambda: False)
    assert page_of(body).title == "Read once"


def test_pages_of_other_kinds_are_left_to_whoever_reads_them() -> None:
    html = Headers((("Content-Type", "text/html"),))
    assert asyncio.run(foresee(Response(URL, 200, html, MANUAL))) == len(MANUAL)
    assert asyncio.run(foresee(Response(URL, 200, Headers(TYPE), None))) == 0


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("D:20260102030405+01'00'", "2026-01-02T03:04:05+01:00"),
        ("D:20260102030405Z", "2026-01-02T03:04:05Z"),
        ("D:202601020304-05", "2026-01-02T03:04:00-05:00"),
        ("20260102", "2026-01-02"),
        ("D:2026", "2026-01-01"),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_dates_as_such_files_write_them(written: str, meant: str) -> None:
    assert pdf.when(written) == meant


def test_words_that_the_paper_broke_are_whole_again() -> None:
    pages = ["A manual about loom\x02\r\ning\x00 things\r\n", "", "two"]
    assert pdf.laid_out(told.PdfAnswer(pages=pages)).text == "A manual about looming things\n\ntwo"


def test_what_a_file_says_of_itself_is_no_markup() -> None:
    head = pdf.laid_out(told.PdfAnswer(title="</title><script>", links=['"><b>'], pages=["x"])).head
    assert b"<script>" not in head
    assert b"<b>" not in head


def test_a_crawl_that_wants_them_without_the_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pdf, "is_installed", lambda: False)
    wants = Settings(contact="mailto:test@example.org", fetch=FetchPolicy(pdf=True))

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        raise AssertionError("it was opened")

    with pytest.raises(SettingsError, match=r"fetch\.pdf needs .*tenax-crawler\[pdf\]"):
        simulate(story, wants)
