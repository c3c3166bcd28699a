"""What is a manual like to crawl? A tree of pages with relative links, and an odd appendix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tenax.demo import oddities
from tenax.demo.site import Reply, Site, SiteRequest, listing, paragraphs
from tenax.demo.truth import Truth
from tenax.demo.words import MANUAL, Dice, paragraph, sentence

CHAPTERS = {
    "install": "Installing Loomlight",
    "first-pattern": "Your first pattern",
    "threads": "Threads and tension",
    "storage": "Where spools are kept",
    "recovery": "When a thread breaks",
    "security": "Keys and locks",
    "cluster": "Many looms as one",
    "api": "Talking to the loom",
    "operations": "Day to day",
    "upgrades": "From one release to the next",
}
SECTIONS = (
    "overview", "requirements", "quick-start", "concepts", "options", "examples", "limits",
    "patterns", "errors", "tuning", "testing", "migration", "questions", "glossary",
)  # fmt: skip


@dataclass
class DocsSite(Site):
    name: str = "docs"
    title: str = "Loomlight Manual"
    tagline: str = "A weaver's guide to reliable batches, release 4.2."

    def menu(self) -> Sequence[tuple[str, str]]:
        return (("/", "Contents"), ("/appendix/", "Appendix"))

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self._contents()
            case ["robots.txt"]:
                return self._rules()
            case [chapter, "" | "index.html.bak"] if chapter in CHAPTERS:
                return self._chapter(chapter)
            case [chapter, page] if chapter in CHAPTERS and page.removesuffix(".html") in SECTIONS:
                return self._section(chapter, page.removesuffix(".html"))
            case ["drafts", "roadmap"]:
                return self.sheet("Roadmap", "<h1>Roadmap</h1>\n<p>Not ready to be read.</p>")
            case _:
                return oddities.answer(self, request) or self.missing()

    def truth(self) -> Truth:
        paths = ["/", *(f"/{chapter}/" for chapter in CHAPTERS)]
        paths += [f"/{chapter}/{name}.html" for chapter in CHAPTERS for name in SECTIONS]
        closed = {
            self.at(path): "robots" for path in ("/drafts/roadmap", "/install/index.html.bak")
        }
        return oddities.complete(
            self,
            Truth(
                front=self.url,
                pages=self.all_at(paths),
                never=closed,
                never_under=(self.at("/drafts/"),),
            ),
        )

    def sheet(self, title: str, main: str, *, turn: int = 0, head: str = "") -> Reply:
        """A page as this site sends it: compressed, every fifth one with deflate if allowed."""
        codings = ("deflate", "gzip") if turn % 5 == 4 else ("gzip", "deflate")
        return self.page(title, main, head=head, codings=codings)

    def _rules(self) -> Reply:
        """Obeying the group of `*`, or only one of ours, is a mistake one can see."""
        return self.robots(
            "User-agent: *", "Disallow: /install/", "",
            "User-agent: Tenax", "Disallow: /drafts/", "",
            "User-agent: othercrawler", "Disallow: /", "",
            "User-agent: tenax", "Disallow: /*.bak$",
        )  # fmt: skip

    def _contents(self) -> Reply:
        chapters = listing([(f"{chapter}/", title) for chapter, title in CHAPTERS.items()])
        main = (
            f"<h1>{self.title}</h1>\n{paragraphs([paragraph(Dice('docs'), MANUAL)])}{chapters}"
            '<p>See also the <a href="appendix/">appendix</a>, the '
            '<a href="/drafts/roadmap">roadmap</a> and an '
            '<a href="install/index.html.bak">old copy</a> of chapter one.</p>'
        )
        return self.sheet("Contents", main)

    def _chapter(self, chapter: str) -> Reply:
        title = CHAPTERS[chapter]
        links = listing([(f"./{name}.html", _heading(name)) for name in SECTIONS])
        text = paragraphs([paragraph(Dice("docs", chapter), MANUAL)])
        main = f'<h1>{title}</h1>\n{text}{links}<p><a href="..">Up</a></p>'
        return self.sheet(title, main)

    def _section(self, chapter: str, name: str) -> Reply:
        dice = Dice("docs", chapter, name)
        place = SECTIONS.index(name)
        title = f"{_heading(name)}: {CHAPTERS[chapter].lower()}"
        parts = "\n".join(self._part(dice, number) for number in range(1, 4))
        after = SECTIONS[(place + 1) % len(SECTIONS)]
        other = dice.pick([each for each in CHAPTERS if each != chapter])
        elsewhere = dice.pick(SECTIONS)
        main = (
            f"<h1>{title}</h1>\n"
            '<p><a href="#part-1">One</a> <a href="#part-2">Two</a> <a href="#part-3">Three</a>'
            f'</p>\n{parts}\n<p><a href="./">Chapter</a> &middot; '
            f'<a href="{after}.html#part-2">Next: {_heading(after)}</a> &middot; '
            f'<a href="../{other}/{elsewhere}.html">{CHAPTERS[other]}</a></p>'
        )
        return self.sheet(title, main, turn=place)

    def _part(self, dice: Dice, number: int) -> str:
        option, value = dice.pick(MANUAL["option"]), dice.pick(MANUAL["value"])
        heading = sentence(dice, {**MANUAL, "sentence": ("how a {noun} {verb2} a {noun}",)})
        return (
            f'<h2 id="part-{number}">{heading}</h2>\n{paragraphs([paragraph(dice, MANUAL, 4)])}\n'
            f"<pre><code>[loom]\n{option} = {escape(value)}\n</code></pre>"
        )


def _heading(name: str) -> str:
    return name.replace("-", " ").capitalize()
