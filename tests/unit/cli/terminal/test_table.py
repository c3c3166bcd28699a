"""Do tables line up, whatever is in their cells and however narrow the terminal is?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tenax.cli.terminal.say import printable
from tenax.cli.terminal.table import TableColumn, table

COLUMNS = (
    TableColumn("n", right=True),
    TableColumn("title", most=20, yields=True),
    TableColumn("URL", yields=True),
)


def test_columns_line_up() -> None:
    assert table(COLUMNS, [("1", "a", "x"), ("100", "bb", "y")]) == [
        "  n  title  URL",
        "  1  a      x",
        "100  bb     y",
    ]


def test_wide_characters_take_two_places() -> None:
    _, first, second = table(COLUMNS, [("1", "日本", "x"), ("2", "abcd", "y")])
    assert cell_len(first) == cell_len(second)


def test_a_narrow_terminal_cuts_the_columns_that_yield() -> None:
    lines = table(COLUMNS, [("1", "t" * 50, "https://a.example/" + "p" * 80)], width=60)
    assert max(map(cell_len, lines)) == 60


def test_a_pipe_gets_whole_urls() -> None:
    url = "https://a.example/" + "p" * 200
    assert table(COLUMNS, [("1", "t", url)])[1].endswith(url)


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=4))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, str, str]]) -> None:
    shown = [(n[:5], *(printable(cell) for cell in rest)) for n, *rest in rows]
    shown = [(printable(n), title, url) for n, title, url in shown]
    assert all(cell_len(line) <= 100 for line in table(COLUMNS, shown, width=100))
