"""Where do very many seeds come from? Files with a URL on each line, or standard input."""

from __future__ import annotations

import gzip
import io
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tenax.cli.terminal.say import note
from tenax.ops.jobs.bulk_seeds import Seed
from tenax.settings import SettingsError

STDIN = "-"
_GZIP = b"\x1f\x8b"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_LONGEST = 16_384
"""No URL is taken that comes near this; a file without line breaks must not fill the memory."""


class SeedFile:
    """Can be read as often as one likes, a line at a time."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self.name = name
        self._file = file

    def __iter__(self) -> Iterator[Seed]:
        """Blank lines and those that begin with `#` say nothing."""
        try:
            text = self._as_text()
            try:
                for number, line in enumerate(_lines(text), start=1):
                    stripped = line.strip()
                    if stripped and not stripped.startswith("#"):
                        yield Seed(f"{self.name}:{number}", stripped)
            finally:
                # Or the file would be closed with it, and it is read again.
                if not self._file.closed:
                    text.detach()
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise SettingsError(f"--seeds {self.name}: not a whole gzip file ({error}).") from error
        except OSError as error:
            raise _unreadable(self.name, error) from error

    def close(self) -> None:
        self._file.close()

    def _as_text(self) -> io.TextIOWrapper:
        self._file.seek(0)
        begin = self._file.read(2)
        self._file.seek(0)
        raw: Any = self._file
        if begin == _GZIP:
            raw = gzip.GzipFile(fileobj=self._file)
            begin = raw.read(2)
            raw.seek(0)
        # Some shells write what they redirect as UTF-16.
        encoding = "utf-16" if begin in _WIDE else "utf-8-sig"
        return io.TextIOWrapper(raw, encoding=encoding, errors="replace")


@contextmanager
def opened(names: tuple[str, ...]) -> Iterator[list[SeedFile]]:
    """The files of these names; standard input is copied, so that it can be read twice."""
    files: list[SeedFile] = []
    if names.count(STDIN) > 1:
        raise SettingsError("--seeds -: standard input can be read only once.")
    try:
        for name in names:
            files.append(_stdin() if name == STDIN else SeedFile(name, _open(name)))
        yield files
    finally:
        for file in files:
            file.close()


def job_name(names: tuple[str, ...]) -> str:
    """What a crawl of these files is called: like the first of them."""
    if names[0] == STDIN:
        return "stdin"
    name = Path(names[0]).name
    return name.removesuffix(".gz").removesuffix(".txt") or name


def _open(name: str) -> IO[bytes]:
    try:
        if not Path(name).is_file():
            # A pipe or a device cannot be read twice either.
            return _copied(Path(name).open("rb"))
        return Path(name).open("rb")
    except OSError as error:
        raise _unreadable(name, error) from error


def _stdin() -> SeedFile:
    if sys.stdin.isatty():
        note("Reading seeds: a URL on each line, Ctrl-D at the end.")
    return SeedFile("stdin", _copied(sys.stdin.buffer))


def _copied(source: IO[bytes]) -> IO[bytes]:
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `opened`
    shutil.copyfileobj(source, copy, 1 << 20)
    return copy


def _unreadable(name: str, error: OSError) -> SettingsError:
    return SettingsError(f"--seeds {name}: cannot be read ({error.strerror or error}).")


def _lines(file: io.TextIOWrapper) -> Iterator[str]:
    """Lines, of which the very long are cut: they are refused for their length anyway."""
    while line := file.readline(_LONGEST):
        rest = line
        while not rest.endswith("\n") and (rest := file.readline(_LONGEST)):
            pass
        yield line
