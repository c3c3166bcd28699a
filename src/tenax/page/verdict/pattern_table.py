"""Which signatures are there, and does each do what its samples say?

The shipped table is `wall_patterns.toml`. A table of the user's own is asked first and is held to
its samples when it is loaded; ours is held to them by the tests.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from tenax.model import Headers, Response
from tenax.page.verdict.features import PageMark
from tenax.page.verdict.phrases import PhrasePlace, WallPhrases
from tenax.page.verdict.validate import PageVerdict, validate_unread
from tenax.page.verdict.wall_patterns import MOST_WORDS, Signature, Signatures, WallKind

SHIPPED = Path(__file__).with_name("wall_patterns.toml")
_URL = "https://sample.example/"
_STRUCTURAL = frozenset({WallKind.TRUNCATED, WallKind.TOO_SHORT, WallKind.NO_TEXT})


class SignatureError(ValueError):
    """A table that cannot be used; says which file, which entry, and what to do."""


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    kind: WallKind
    match: list[str] | str
    counter: list[str] | str = msgspec.field(name="not")
    header: list[str] | str = []
    title: list[str] | str = []
    heading: list[str] | str = []
    top: list[str] | str = []
    text: list[str] | str = []
    noscript: list[str] | str = []
    html: list[str] | str = []
    unless: list[str] | str = []
    has: list[PageMark] = []
    lacks: list[PageMark] = []
    agree: int = 0
    alone: int = 0
    max_words: int = 60
    max_links: int | None = None
    of_success: bool = False


class _File(msgspec.Struct, forbid_unknown_fields=True):
    signature: list[dict[str, Any]] = []
    disable: list[str] = []
    """Ids of shipped signatures that are not asked."""


@lru_cache(maxsize=1)
def shipped() -> Signatures:
    """The table that comes with us."""
    return Signatures(tuple(_rows(_parsed(SHIPPED), SHIPPED)))


def load(path: Path | None = None) -> Signatures:
    """The shipped table; with a path, that file's rows before it and without what it disables.

    SignatureError when the file cannot be used or one of its samples is judged otherwise.
    """
    if path is None:
        return shipped()
    file = _parsed(path)
    own = tuple(_rows(file, path))
    ours = {row.id: row for row in shipped().rows}
    if unknown := [each for each in file.disable if each not in ours]:
        raise SignatureError(
            f"disable = {unknown!r} in {path}: there is no such shipped signature. "
            "Use the id that stands in the verdict's evidence."
        )
    kept = [row for row in ours.values() if row.id not in file.disable]
    if twice := _twice([row.id for row in (*own, *kept)]):
        raise SignatureError(
            f"signature {twice!r} in {path}: the id is taken. Choose another, "
            "or name it in disable to replace the shipped one."
        )
    signatures = Signatures((*own, *kept))
    if complaints := [wrong for row in own for wrong in complaints_about(row, signatures)]:
        raise SignatureError(f"{path}: {' '.join(complaints)}")
    return signatures


def complaints_about(row: Signature, signatures: Signatures) -> Iterator[str]:
    """Where a row does not do what it says, one sentence each (VAL-2)."""
    for sample in row.match:
        verdict = judge_sample(sample, row, signatures)
        if verdict is None or verdict.signature != row.id:
            yield f"signature {row.id!r}: its match {sample[:80]!r} is judged {_said(verdict)}."
    for sample in row.counter:
        if (verdict := judge_sample(sample, row, signatures)) is not None:
            yield f"signature {row.id!r}: its not {sample[:80]!r} is judged {_said(verdict)}."


def judge_sample(sample: str, row: Signature, signatures: Signatures) -> PageVerdict | None:
    """A sample as an answer: HTML, after header lines and an empty line if the row asks for any."""
    pairs = [("content-type", "text/html; charset=utf-8")]
    if any(phrases.place is PhrasePlace.HEADER for phrases in row.places):
        head, _, sample = sample.partition("\n\n")
        lines = (line.partition(":") for line in head.splitlines())
        pairs += [(name.strip(), value.strip()) for name, _, value in lines]
    response = Response(_URL, 200, Headers(tuple(pairs)), sample.encode())
    return validate_unread(response, signatures)


def _said(verdict: PageVerdict | None) -> str:
    if verdict is None:
        return "to be a page"
    return f"{verdict.kind} by {verdict.signature!r}: {verdict.evidence}"


def _parsed(path: Path) -> _File:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
    except OSError as error:
        raise SignatureError(
            f"signatures {path}: {error.strerror}. Name a file that can be read."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SignatureError(f"signatures {path}: not TOML: {error}.") from error
    except msgspec.ValidationError as error:
        raise SignatureError(
            f"signatures {path}: {error}. A table has [[signature]] entries and disable = []."
        ) from error


def _rows(file: _File, path: Path) -> Iterator[Signature]:
    for number, entry in enumerate(file.signature, 1):
        name = entry.get("id") or f"number {number}"
        try:
            yield _signature(msgspec.convert(entry, _Row))
        except (ValueError, msgspec.ValidationError) as error:
            raise SignatureError(f"signature {name!r} in {path}: {error}") from error


def _signature(row: _Row) -> Signature:
    places = tuple(
        WallPhrases.of(place, listed)
        for place in PhrasePlace
        if (listed := _listed(getattr(row, place.value)))
    )
    unless = _listed(row.unless)
    if not row.id or not places:
        raise ValueError("it needs an id and at least one of " + ", ".join(PhrasePlace) + ".")
    if row.kind in _STRUCTURAL:
        raise ValueError(f"kind {row.kind} is decided by structure. Use another kind.")
    if not _listed(row.match) or not _listed(row.counter):
        raise ValueError("it needs a sample in match and a counter-sample in not.")
    if not 0 <= row.max_words <= MOST_WORDS:
        raise ValueError(f"max_words = {row.max_words}: use 0 to {MOST_WORDS}.")
    if not 0 <= row.agree <= len(places):
        raise ValueError(f"agree = {row.agree}: it names {len(places)} places.")
    return Signature(
        id=row.id,
        kind=row.kind,
        places=places,
        has=frozenset(row.has),
        lacks=frozenset(row.lacks),
        agree=row.agree,
        alone=row.alone,
        max_words=row.max_words,
        max_links=row.max_links,
        of_success=row.of_success,
        unless=WallPhrases.of(PhrasePlace.TEXT, unless) if unless else None,
        match=_listed(row.match),
        counter=_listed(row.counter),
    )


def _listed(value: list[str] | str) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _twice(ids: list[str]) -> str:
    return next((each for each in ids if ids.count(each) > 1), "")
