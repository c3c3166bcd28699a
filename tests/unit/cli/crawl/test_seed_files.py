"""Are seeds read from files as people write them? (CLI-1)"""

from __future__ import annotations

import gzip
import io
import tracemalloc
from pathlib import Path

import pytest

from tenax.cli.crawl.seed_files import job_name, opened
from tenax.settings import SettingsError

A, B = "https://a.example/", "https://b.example/"


def read(path: Path) -> list[tuple[int, str]]:
    """The lines that name seeds, with their numbers; the same when read again."""
    with opened((str(path),)) as (file,):
        first = [(int(seed.place.rpartition(":")[2]), seed.text) for seed in file]
        assert [seed.text for seed in file] == [text for _, text in first]
    return first


@pytest.mark.parametrize(
    "content",
    [
        f"{A}\n{B}\n",
        f"{A}\n{B}",
        f"{A}\r\n{B}\r\n",
        f"{A}\r{B}",
        f"\ufeff{A}\n{B}\n",
        f"  {A}\t\n {B}  \n",
    ],
    ids=["lines", "no-last-break", "windows", "old-mac", "bom", "spaces"],
)
@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_lines_are_read_however_they_were_written(
    tmp_path: Path, content: str, is_packed: bool, encoding: str
) -> None:
    data = content.removeprefix("\ufeff" * (encoding == "utf-16")).encode(encoding)
    path = tmp_path / "seeds.txt"
    path.write_bytes(gzip.compress(data) if is_packed else data)
    assert read(path) == [(1, A), (2, B)]


def test_blank_lines_and_comments_say_nothing_and_still_count(tmp_path: Path) -> None:
    path = tmp_path / "seeds.txt"
    path.write_text(f"# mine\n\n{A}\n  # not this\n{B}#part\n")
    assert read(path) == [(3, A), (5, f"{B}#part")]


def test_an_empty_file_has_no_seeds(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert read(tmp_path / "empty") == []


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "seeds.txt"
    with path.open("w") as file:
        file.write(f"{A}\n" + "x" * 20_000_000 + f"\n{B}\n")
    tracemalloc.start()
    found = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(number, text[:20]) for number, text in found] == [(1, A), (2, "x" * 20), (3, B)]
    assert len(found[1][1]) < 20_000
    assert peak < 5_000_000


def test_a_file_left_in_the_middle_can_be_closed(tmp_path: Path) -> None:
    path = tmp_path / "seeds.txt"
    path.write_text(f"{A}\n{B}\n")
    with opened((str(path),)) as (file,):
        rest = iter(file)
        assert next(rest).text == A
    rest.close()  # type: ignore[attr-defined]  # as the garbage collector does with a generator


def test_half_a_gzip_file_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "seeds.gz"
    path.write_bytes(
        gzip.compress(b"".join(b"https://a.example/%d\n" % n for n in range(999)))[:-9]
    )
    with pytest.raises(SettingsError, match=r"seeds\.gz: not a whole gzip file"):
        read(path)


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere: cannot be read \(No such file"):
        read(tmp_path / "nowhere")
    with pytest.raises(SettingsError, match=r"cannot be read \(Is a directory"):
        read(tmp_path)


def test_standard_input_can_be_read_twice_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{A}\n{B}\n".encode())))
    with opened(("-",)) as (file,):
        assert [seed.text for seed in file] == [A, B]
        assert [seed.place for seed in file] == ["stdin:1", "stdin:2"]


def test_standard_input_is_named_once() -> None:
    with pytest.raises(SettingsError, match="only once"), opened(("-", "-")):
        pass


@pytest.mark.parametrize(
    ("name", "job"),
    [("-", "stdin"), ("a/shops.txt", "shops"), ("shops.txt.gz", "shops"), ("shops", "shops"),
     ("shops.gz", "shops"), (".txt", ".txt")],
)  # fmt: skip
def test_a_crawl_of_a_file_is_called_like_it(name: str, job: str) -> None:
    assert job_name((name,)) == job
