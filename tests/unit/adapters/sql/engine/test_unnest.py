"""Do statements written for one row run over arrays of them? (ADR 0018; on a server, the contracts
of the ledger's ports tell)"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.asyncpg import dialect as asyncpg_dialect
from sqlalchemy.engine import Connection

from tenax.adapters import sql
from tenax.adapters.sql.engine.bulk import Bulk, of_rows
from tenax.adapters.sql.engine.unnest import over_rows

DIALECT = asyncpg_dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's
things = sa.table(
    "things",
    sa.column("id", sa.BigInteger),
    sa.column("name", sa.String),
    sa.column("size", sa.Integer),
)


class Unconnected:
    """What builders of statements look at."""

    dialect = DIALECT


SERVER = cast("Connection", Unconnected())


def words(text: str) -> str:
    return " ".join(text.split())


def bulks() -> list[Any]:
    found: dict[int, Any] = {}
    for module in pkgutil.walk_packages(sql.__path__, f"{sql.__name__}."):
        if "migrations" in module.name:
            continue
        loaded = importlib.import_module(module.name)
        for name, value in vars(loaded).items():
            if isinstance(value, Bulk):
                found.setdefault(id(value), pytest.param(value, id=f"{module.name}.{name}"))
    return list(found.values())


@pytest.mark.parametrize("bulk", bulks())
def test_every_bulk_statement_of_the_ledger_takes_its_rows_from_arrays(bulk: Bulk) -> None:
    made = bulk._for_rows(SERVER)
    assert words(made.text).count("unnest(") == 1
    row = tuple(range(len(bulk.names)))
    arrays = [each for each in made.parameters([row, row]) if isinstance(each, list)]
    assert arrays == [[n, n] for n in row], "all columns, in the order of the rows"


def test_an_update_names_the_arrays_as_another_table() -> None:
    change = (
        sa.update(things)
        .where(things.c.id == sa.bindparam("which"))
        .values(size=things.c.size + sa.bindparam("more"))
    )
    made = over_rows(change, ("more", "which"), DIALECT)
    assert words(made.text) == (
        "UPDATE things SET size=(things.size + given.more)"
        " FROM unnest($1::INTEGER[], $2::BIGINT[]) AS given(more, which)"
        " WHERE things.id = given.which"
    )


def test_what_a_statement_brings_itself_finds_its_place_before_the_arrays() -> None:
    change = (
        sa.update(things)
        .where(things.c.id == sa.bindparam("which"))
        .values(name="ours", size=sa.bindparam("big"))
    )
    made = over_rows(change, ("which", "big"), DIALECT)
    assert words(made.text).startswith("UPDATE things SET name=$1::VARCHAR, size=given.big FROM")
    assert made.parameters([(7, 1), (8, 2)]) == ("ours", [7, 8], [1, 2])


def test_a_query_inside_a_query_names_the_arrays_once() -> None:
    nearest = sa.select(things.c.id).where(things.c.size >= sa.bindparam("here")).limit(1)
    both = sa.union_all(sa.select(nearest.subquery()), sa.select(nearest.subquery()))
    made = over_rows(both, ("here",), DIALECT)
    text = words(made.text)
    assert text.startswith("SELECT given.n, answers.* FROM unnest($1::INTEGER[]) WITH ORDINALITY")
    assert (text.count("unnest("), text.count('things.size >= given."here"')) == (1, 2)


def test_text_that_a_server_cannot_store_is_replaced_where_it_is_text() -> None:
    insert = of_rows(SERVER, sa.insert(things), ("id", "name"))
    made = over_rows(insert, ("id", "name"), DIALECT)
    assert made.parameters([(1, "a\0b"), (2, None)]) == ([1, 2], ["a\ufffdb", None])


def test_an_insert_of_values_is_not_taken_for_one_over_rows() -> None:
    values = sa.insert(things).values(id=sa.bindparam("id"), name=sa.bindparam("name"))
    with pytest.raises(AssertionError):
        over_rows(values, ("id", "name"), DIALECT)


def test_a_parameter_without_a_type_is_found_before_a_server_guesses() -> None:
    with pytest.raises(AssertionError, match="type of what is not known"):
        over_rows(sa.select(sa.func.f(sa.bindparam("what"))), ("what",), DIALECT)


@pytest.mark.parametrize("path", sorted(Path(sql.__path__[0]).glob("*.py")), ids=lambda p: p.stem)
def test_sql_is_built_and_never_edited_as_text(path: Path) -> None:
    imported = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert "re" not in imported
