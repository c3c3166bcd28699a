"""How are pages written as a folder of Markdown? One file each, with front matter, under names of
letters and figures alone: nothing from the web names a file anywhere else (SEC-4)."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path

import orjson

from tenax.ops.dates import iso
from tenax.ops.export.export import Stored
from tenax.ops.export.places import put_in_place
from tenax.page.reading.link_style import LinkStyle
from tenax.ports import PageRecord

_NO_NAME = re.compile(r"[^a-z0-9]+")
_NO_JOB = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80
_HASHED = 12
# What YAML takes for no text, or for the end of a line.
_UNPRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_FACTS = (
    "title", "url", "description", "language", "published", "modified", "fetched_at",
    "content_hash", "job",
)  # fmt: skip


class MarkdownFolder:
    """A `Writer` of a folder. Pages that were there before are written over; no file is removed."""

    def __init__(self, folder: Path, links: LinkStyle = LinkStyle.INLINE) -> None:
        self._folder = folder
        self._links = links

    def begin(self, sizes: dict[str, int] | None) -> None:
        self._folder.mkdir(exist_ok=True)

    def write(self, stored: Stored) -> None:
        """Nothing for a page without text: a picture, or one whose body is lost."""
        text = stored.told(lambda document: document.as_markdown(self._links))
        if not text:
            return
        path = self._folder / folder_name(stored.page.job) / file_name(stored.page)
        path.parent.mkdir(exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        # Not through a link that somebody may have put there.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with os.fdopen(os.open(part, flags, 0o666), "wb") as file:
            file.write(f"{front_matter(stored.page)}\n{text}\n".encode("utf-8", "replace"))
        put_in_place(part, path)

    def flush(self) -> dict[str, int]:
        return {}

    def finish(self) -> None: ...

    def close(self) -> None: ...


def file_name(page: PageRecord) -> str:
    """The same whenever the same URL is exported, and no other's."""
    words = _NO_NAME.sub("-", page.url.partition("://")[2].lower()).strip("-")
    return f"{words[:_LONGEST_NAME].strip('-') or 'page'}-{page.url_hash[:_HASHED]}.md"


def folder_name(job: str) -> str:
    """The job's own where it is the name of a folder; else one like it, and no other's."""
    name = _NO_JOB.sub("-", job).strip(".-")[:_LONGEST_NAME]
    if name and name == job:
        return name
    return f"{name or 'job'}-{sha256(job.encode('utf-8', 'replace')).hexdigest()[:_HASHED]}"


def front_matter(page: PageRecord) -> str:
    """YAML, each value as JSON has it; what is not known is left out."""
    known = [(name, _value(page, name)) for name in _FACTS]
    lines = [f"{name}: {_quoted(value)}" for name, value in known if value]
    return "\n".join(["---", *lines, "---", ""])


def _value(page: PageRecord, name: str) -> str:
    return iso(page.fetched_at) or "" if name == "fetched_at" else getattr(page, name)


def _quoted(text: str) -> str:
    plain = text.encode("utf-8", "replace").decode()
    return _UNPRINTED.sub(lambda c: f"\\u{ord(c[0]):04x}", orjson.dumps(plain).decode())
