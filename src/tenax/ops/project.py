"""What does a new crawl of yours begin with? A settings file with comments, and a handlers file."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

SETTINGS = "tenax.toml"
HANDLERS = "handlers.py"

_SETTINGS = """# What Tenax does in this folder. Every setting with its default: tenax config
# Flags of a command and TENAX_… variables go before what stands here.

{contact}
data = "./tenax-data"          # what is crawled is kept here
handlers = ["handlers.py"]     # your own records: tenax records
# allow_private = ["127.0.0.1"]  # a network of yours that may be crawled

[job]
# scope = "host"               # how far to go: host, domain, prefix or any
# max_pages = 1000             # end after so many
# include = ["*/docs/*"]       # only these
# exclude = ["*/tag/*"]        # not these
# products = true              # read what is for sale

[pace]
# delay = 1.0                  # seconds between two requests to one host

# One site may be treated otherwise than the rest:
# [[sites]]
# host = "*.example.org"
# delay = 5.0
"""

_HANDLERS = '''"""What you want to know of the pages: a record for each."""

from tenax import Page, on


@on("*")
def article(page: Page):
    """Of every page: what it is called, and how much it says. Narrow the pattern, choose fields."""
    yield page.record("article", key=page.url, headline=page.headline, words=page.words)
    # yield page.record("price", amount=page.css(".price").text)
    # yield page.follow(page.css("a.next").attr("href"))
'''


class ProjectBegun(Struct, frozen=True):
    files: tuple[Path, ...]


class ProjectExists(Struct, frozen=True):
    """These are there, and nothing was written."""

    files: tuple[Path, ...]


def begin_project(folder: Path, contact: str = "") -> ProjectBegun | ProjectExists:
    """Write both files into the folder, which is made if need be."""
    # A TOML text in quotes takes what JSON takes.
    written = contact.replace("\\", "\\\\").replace('"', '\\"')
    line = (
        f'contact = "{written}"'
        if contact
        else '# contact = "mailto:you@example.org"  # public sites are only visited with one'
    )
    texts = {folder / SETTINGS: _SETTINGS.replace("{contact}", line), folder / HANDLERS: _HANDLERS}
    there = tuple(path for path in texts if path.exists())
    if there:
        return ProjectExists(there)
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    return ProjectBegun(tuple(texts))
