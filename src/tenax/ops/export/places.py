"""Where does an export go, and in which form? What its name says; what is no regular file is never
replaced."""

from __future__ import annotations

import errno
import os
import stat
from enum import StrEnum
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from msgspec import Struct

from tenax.ops.export.formats import Format

_STDOUT = ("-", "/dev/stdout", "/proc/self/fd/1", "/dev/fd/1")
_BY_SUFFIX = {
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".csv": Format.CSV,
    ".parquet": Format.PARQUET,
    ".warc": Format.WARC,
}


class Packing(StrEnum):
    """How the bytes are packed."""

    NONE = ""
    GZIP = "gz"
    ZSTD = "zst"


class PlaceKind(StrEnum):
    STDOUT = "stdout"
    FILE = "file"
    """Written beside its name, and given it when it is complete."""
    STREAM = "stream"
    """A pipe or a device: written as it comes."""
    BUCKET = "bucket"
    FOLDER = "folder"
    """With a file for each page."""


class Outlet(Struct, frozen=True):
    kind: PlaceKind
    form: Format
    packing: Packing
    name: str = ""
    """As the user wrote it."""
    path: Path = Path()
    """Of a file or stream; where a symbolic link leads, not the link."""


class WrongPlace(ValueError):
    """An export cannot go there, or not in that form: what is wrong, and what to do."""


def settle_place(output: str | None, asked: Format | None) -> Outlet:
    """Raises `WrongPlace`, or OSError where the file system has to be asked."""
    if output is None or output in _STDOUT:
        form = asked or Format.JSONL
        if form is Format.PARQUET:
            raise WrongPlace("--format parquet: a Parquet file needs a name. Use --output FILE.")
        if form is Format.MARKDOWN:
            raise WrongPlace("--format markdown: which folder? Use --output FOLDER.")
        packing = Packing.GZIP if form is Format.WARC else Packing.NONE
        return Outlet(PlaceKind.STDOUT, form, packing, "stdout")
    if "://" in output:
        return _in_a_bucket(output, asked)
    if asked is Format.MARKDOWN or (asked is None and output.endswith("/")):
        return _folder(output)
    form, packing = form_of(output, asked)
    kind, path = _there(Path(output))
    if kind is PlaceKind.STREAM and form is Format.PARQUET:
        raise WrongPlace(f"{output}: is no file, and Parquet cannot be written piece by piece.")
    return Outlet(kind, form, packing, output, path)


def _folder(output: str) -> Outlet:
    path = Path(os.path.realpath(output))
    if (there := _mode(path)) is not None and not stat.S_ISDIR(there):
        raise WrongPlace(f"{output}: is no folder, and Markdown needs one. Name another.")
    return Outlet(PlaceKind.FOLDER, Format.MARKDOWN, Packing.NONE, output, path)


def form_of(name: str, asked: Format | None) -> tuple[Format, Packing]:
    """What the end of the name says, if it says anything, and what was asked for. Raises
    `WrongPlace` when these are two things."""
    inner, packing = PurePosixPath(name), Packing.NONE
    for each in (Packing.GZIP, Packing.ZSTD):
        if inner.suffix.lower() == f".{each}":
            inner, packing = inner.with_suffix(""), each
    told = _BY_SUFFIX.get(inner.suffix.lower())
    if told is not None and asked is not None and told is not asked:
        raise WrongPlace(
            f"{name}: its name says {told}, and --format says {asked}. Change one of them, or leave"
            " --format away."
        )
    form = told or asked
    if form is None and inner.suffix:
        known = ", ".join(_BY_SUFFIX)
        raise WrongPlace(
            f"{name}: {inner.suffix} is no format that is known ({known}, with .gz or .zst behind"
            " it). Name another, or say which: --format jsonl."
        )
    form = form or Format.JSONL
    return form, _packed(name, form, told, packing)


def _packed(name: str, form: Format, told: Format | None, packing: Packing) -> Packing:
    if form is Format.PARQUET and packing:
        raise WrongPlace(
            f"{name}: a Parquet file is compressed within, and nobody could read it as .{packing}."
            " Leave that away."
        )
    if form is Format.WARC:
        if packing is Packing.ZSTD:
            raise WrongPlace(
                f"{name}: web archives are read as .warc.gz or .warc. Use one of them."
            )
        # What every reader of archives expects, where the name says nothing else.
        return packing if told else Packing.GZIP
    return packing


def put_in_place(made: Path, path: Path) -> None:
    """Give a complete file its name: over a regular file, never over anything else. Raises
    OSError."""
    if (there := _mode(path)) is not None and not stat.S_ISREG(there):
        raise FileExistsError(errno.EEXIST, "something that is no regular file is there", str(path))
    made.replace(path)


def _there(path: Path) -> tuple[PlaceKind, Path]:
    if str(path).startswith(("/dev/fd/", "/proc/")):
        return PlaceKind.STREAM, path  # names of what is open, which lead nowhere else
    real = Path(os.path.realpath(path))
    mode = _mode(real)
    if mode is None or stat.S_ISREG(mode):
        return PlaceKind.FILE, real
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
        return PlaceKind.STREAM, path
    what = "a folder" if stat.S_ISDIR(mode) else "a disk" if stat.S_ISBLK(mode) else "a socket"
    hint = " For a folder of Markdown: --format markdown." if stat.S_ISDIR(mode) else ""
    raise WrongPlace(f"{path}: is {what}. Name a file in a folder that is there.{hint}")


def _mode(path: Path) -> int | None:
    """What is there, a link as such; None for nothing."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return None


def _in_a_bucket(output: str, asked: Format | None) -> Outlet:
    parts = urlsplit(output)
    if parts.scheme != "s3":
        raise WrongPlace(
            f"{output}: unknown scheme {parts.scheme!r}. Use s3://BUCKET/KEY, or a file."
        )
    key = parts.path.strip("/")
    if not parts.netloc or not key or parts.path.endswith("/"):
        raise WrongPlace(f"{output}: which object? Use s3://BUCKET/KEY?endpoint=URL&region=NAME.")
    if asked is Format.MARKDOWN:
        raise WrongPlace(f"{output}: a folder of Markdown is written to disk. Name a folder.")
    form, packing = form_of(key, asked)
    return Outlet(PlaceKind.BUCKET, form, packing, output)
