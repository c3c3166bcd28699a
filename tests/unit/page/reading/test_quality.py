"""PAGE-1: texts read as well as can be, with tenax[quality]."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tenax.page.reading import main_content, quality
from tenax.page.reading.document import Document
from tenax.page.reading.main_content import Markup
from tenax.page.reading.quality import NotInstalled

URL = "https://site.example/section/page.html"
SENTENCE = "The river rose in the night, and by morning the lower bridge could not be crossed."
STORY = "".join(f"<p>{SENTENCE} That was day {n}.</p>" for n in range(9))
PAGE = f"""<html><body><nav>Menu</nav><article><h1>The flood</h1>{STORY}
<p>See <a href="../map">the map</a> of all the places that were under water by then.</p>
<pre><code class="language-python">flood()</code></pre></article>
<div class="comments"><p>I do not believe a word.</p></div></body></html>"""


def test_the_story_is_read_without_what_is_around_it() -> None:
    document = Document(PAGE.encode(), URL, "text/html; charset=utf-8", quality=True)
    assert document.main_text.count(SENTENCE) == 9
    assert "Menu" not in document.main_text
    assert "believe" not in document.main_text


def test_it_is_trafilatura_that_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trafilatura.extract", lambda *_, **__: SENTENCE * 20)
    assert quality.main_text(Markup(PAGE.encode(), "utf-8")) == SENTENCE * 20


@pytest.mark.parametrize("theirs", [None, "", "Only a line."])
def test_where_it_finds_little_ours_is_taken(
    monkeypatch: pytest.MonkeyPatch, theirs: str | None
) -> None:
    monkeypatch.setattr("trafilatura.extract", lambda *_, **__: theirs)
    markup = Markup(PAGE.encode(), "utf-8")
    assert quality.main_text(markup) == main_content.main_text(markup)
    assert quality.main_markdown(markup, URL) == main_content.main_markdown(markup, URL)


def test_what_it_cannot_read_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> str:
        raise RecursionError("too deep")

    monkeypatch.setattr("trafilatura.extract", broken)
    markup = Markup(PAGE.encode(), "utf-8")
    assert quality.main_text(markup) == main_content.main_text(markup)


def test_markdown_keeps_the_language_of_listings_and_absolute_links() -> None:
    markdown = Document(PAGE.encode(), URL, "text/html; charset=utf-8", quality=True).markdown
    assert "```python\nflood()\n```" in markdown
    assert "[the map](https://site.example/map)" in markdown


def test_markdown_is_theirs_where_the_two_read_different_things(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = "# Elsewhere\n\n" + "Quite another text, said nobody here before. " * 20
    monkeypatch.setattr("trafilatura.extract", lambda *_, **__: other.strip())
    assert quality.main_markdown(Markup(PAGE.encode(), "utf-8"), URL) == other.strip()


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"pip install 'tenax\[quality\]'"):
        Document(b"", URL, quality=True)


def test_nothing_of_it_is_imported_before_it_is_asked_for() -> None:
    program = "import sys, tenax.page.reading.document; sys.exit('trafilatura' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
