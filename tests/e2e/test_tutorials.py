"""Do the tutorials work for somebody who types what they say? Every `$` of them is run, every file
they show is written, and what they show as printed is printed, figures aside."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

from tests.e2e.command import Running
from tests.test_docs import ROOT

TUTORIALS = ROOT / "docs" / "tutorials"
BLOCK = re.compile(r"^```(console|python|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w.]+)\n")
PORT = "8100"
SHELL = re.compile(r"[<>|&]")


class Step(NamedTuple):
    command: str
    """Empty for a file."""
    text: str
    """What is printed; or what the file has."""
    file: str = ""


def steps(text: str) -> Iterator[Step]:
    for kind, block in BLOCK.findall(text):
        if kind == "console":
            for command, _, printed in (
                part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
            ):
                yield Step(command, printed)
        elif named := FILE.match(block):
            yield Step("", block, named[1])


class Reader:
    """Somebody at a terminal, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = str(free_port())
        self._environment = {k: v for k, v in os.environ.items() if not k.startswith("TENAX_")}
        self._environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._served: list[subprocess.Popen[str]] = []

    def follow(self, text: str) -> None:
        for step in steps(text.replace(PORT, self.port)):
            if step.file:
                (self.folder / step.file).write_text(step.text, encoding="utf-8")
            elif not step.command.startswith("pip install"):
                self._type(step)

    def close(self) -> None:
        for process in self._served:
            process.terminate()
            process.communicate()

    def _type(self, step: Step) -> None:
        if step.command.endswith("&"):
            said = self._serve(step.command.removesuffix("&"))
        elif step.command.startswith("tenax ") and not SHELL.search(step.command):
            said = self._tenax(shlex.split(step.command)[1:])
        else:
            ran = subprocess.run(
                ["bash", "-c", step.command], cwd=self.folder, env=self._environment,
                capture_output=True, text=True,
            )  # fmt: skip
            said = ran.stdout + ran.stderr
            assert ran.returncode == 0, f"$ {step.command}\n{said}"
        for line in filter(str.strip, step.text.splitlines()):
            assert plain(line) in plain(said), f"$ {step.command}\nno {line!r} in\n{said}"

    def _tenax(self, words: list[str]) -> str:
        ended = Running(words, self.folder, self._environment).wait()
        assert ended.code == 0, f"$ tenax {' '.join(words)}\n{ended.out}{ended.err}"
        return ended.out + ended.err

    def _serve(self, command: str) -> str:
        process = subprocess.Popen(
            shlex.split(command), cwd=self.folder, env=self._environment,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._served.append(process)
        assert process.stdout is not None
        return process.stdout.readline()


def plain(text: str) -> str:
    """Without figures, which differ from run to run, and how they are aligned."""
    return re.sub(r"\s+", " ", re.sub(r"\d[\d.,:]*", "0", text)).strip()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        port: int = opened.getsockname()[1]
        return port


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    made = Reader(tmp_path)
    try:
        yield made
    finally:
        made.close()


def test_who_scrapes_has_their_records_in_a_file(reader: Reader) -> None:
    reader.follow((TUTORIALS / "scrape.md").read_text(encoding="utf-8"))
    table = pq.read_table(reader.folder / "reviews.parquet")
    assert {"product", "stars", "text", "author"} <= set(table.column_names)
    assert all(table["author"].to_pylist())


def test_who_asks_a_manual_gets_a_piece_of_it(reader: Reader) -> None:
    reader.follow((TUTORIALS / "rag.md").read_text(encoding="utf-8"))
    assert list(reader.folder.glob("manual/*/*.md"))
    assert (reader.folder / "changed.jsonl").exists()


def test_who_watches_a_price_sees_it_fall(reader: Reader) -> None:
    reader.follow((TUTORIALS / "prices.md").read_text(encoding="utf-8"))
    assert (reader.folder / "prices.csv").read_text().count("Kettle") == 2


def test_every_tutorial_is_followed() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [p.name for p in TUTORIALS.glob("*.md") if f'"{p.name}"' not in source] == []
