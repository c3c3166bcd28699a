"""Is the text of PDF files read where that is wanted, and nothing else than before where not?"""

from __future__ import annotations

from dataclasses import dataclass

from tenax.demo import Reply, Site, SiteRequest, Truth, serving
from tests import pdf_files
from tests.e2e.command import Tenax

MANUAL = pdf_files.pdf(
    pdf_files.lines("Of looms and threads", "The shuttle goes to and fro."),
    info=b"/Title (The manual) /CreationDate (D:20260102)",
    uris=["/only-there"],
)
FILES = {"manual.pdf": MANUAL, "locked.pdf": pdf_files.locked(), "broken": MANUAL[:300]}


@dataclass
class PaperSite(Site):
    """A page that links to files, and one that only a file links to."""

    name: str = "papers"

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case ["robots.txt"]:
                return self.robots()
            case [name] if name in FILES:
                return Reply(FILES[name], kind="application/pdf")
            case [""]:
                links = " ".join(f'<a href="/{name}">{name}</a>' for name in FILES)
                return self.page("Papers", f"<p>All that we ever wrote on looms. {links}</p>")
            case ["only-there"]:
                return self.page("Found", "<p>Whoever reads the manual comes here, too.</p>")
            case _:
                return self.missing()

    def truth(self) -> Truth:
        return Truth(front=self.url)


def test_files_are_read_told_exported_and_replayed(tenax: Tenax) -> None:
    site = PaperSite()
    with serving([site]):
        ended = tenax.crawl(site.url, "--delay", "0", fetch__pdf="true")
    assert ended.code == 0, ended.err
    titles = {page.title.rstrip(" |"): page for page in tenax.pages()}
    assert {*titles} == {"Papers", "The manual", "Found", ""}
    assert titles["The manual"].content_type == "application/pdf"
    # Those are recorded, as they would be otherwise, and the host is not to blame.
    for name, why in (("locked.pdf", "it needs a password"), ("broken", "it is broken, or no PDF")):
        assert f"not read: PDF: {why}" in tenax.run("why", f"{site.url}{name}").out
    assert "No dead letters" in tenax.run("dead").err
    told = tenax.run("pages", "--text", f"{site.url}manual.pdf")
    assert "The shuttle goes to and fro." in told.out
    written = tenax.run("export", "--format", "jsonl", "--markdown")
    assert "The shuttle goes to and fro." in written.out
    again = tenax.run("replay", "--json")
    assert (again.code, again.json["pages"], again.json["too_large"]) == (0, 3, 2), again.err
    assert again.json["changed"] == 0
    assert tenax.audit().code == 0


def test_they_are_recorded_and_not_read_otherwise(tenax: Tenax) -> None:
    site = PaperSite()
    with serving([site]) as web:
        ended = tenax.crawl(site.url, "--delay", "0")
    assert ended.code == 0, ended.err
    asked = {visit.path for visit in web.log} - {"/robots.txt"}
    # That one does not say in its URL what it is.
    assert asked == {"/", "/broken"}
    assert {(page.title.rstrip(" |"), bool(page.digest)) for page in tenax.pages()} == {
        ("Papers", True), ("", False),
    }  # fmt: skip
