"""A Python prompt beside an open crawl: IPython's where it is installed, else Python's own."""

from __future__ import annotations

import code as python
import tempfile
import traceback
import webbrowser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tenax.sync
from tenax.cli.terminal import say
from tenax.settings import Settings

_HELP = """page        what was fetched: page.css("h1").text, page.xpath(…), page.markdown
fetch(URL)  fetch another one; it becomes `page`
view()      show the page in your browser, as it was served
crawl       the open crawl: crawl.pages(), crawl.search(…), crawl.records(…)"""


class Look:
    """What the prompt knows: the page that was fetched last, and how to get another one."""

    def __init__(self, crawl: tenax.sync.SyncCrawl) -> None:
        self.names: dict[str, Any] = {
            "crawl": crawl, "fetch": self.fetch, "view": self.view, "page": None,
            "__name__": "__console__", "__doc__": None,
        }  # fmt: skip
        self._crawl = crawl

    def fetch(self, url: str) -> Any:
        """The page at this URL, by the rules of a crawl; None where there is none."""
        got = self._crawl.fetch(url, dry=True)
        say.note(f"{say.printable(got.url)}: {say.printable(got.told)}.")
        self.names["page"] = got.page
        return got.page

    def view(self) -> str:
        """Show the page in a browser; the file that it was written to."""
        page = self.names["page"]
        if page is None:
            return "There is no page: fetch(URL) gets one."
        with tempfile.NamedTemporaryFile("wb", suffix=".html", delete=False) as file:
            file.write(page.body or b"")
        webbrowser.open(Path(file.name).as_uri())
        return file.name


def prompt(settings: Settings, config: Path | None, url: str | None, code: str | None) -> int:
    own = {"contact": settings.contact, "allow_private": list(settings.allow_private)}
    with tenax.sync.open(settings.data, config=config, **own) as crawl:
        look = Look(crawl)
        if url is not None:
            look.fetch(url)
        if code is not None:
            return _run(code, look.names)
        if find_spec("IPython") is not None:
            say.note(_HELP)
            import_module("IPython").start_ipython(
                argv=["--no-banner", "--no-confirm-exit"], user_ns=look.names
            )
        else:
            python.interact(banner=_HELP, local=look.names, exitmsg="")
    return 0


def _run(code: str, names: dict[str, Any]) -> int:
    try:
        exec(compile(code, "<-c>", "exec"), names)
    except Exception:
        say.note(traceback.format_exc(limit=-1).rstrip())
        return 1
    return 0
