"""The MetaData that gathers the ledger's tables, and the integer type of their long numbers."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()

# SQLite's integers are as long as they have to be, and only INTEGER numbers rows by itself.
LONG = BigInteger().with_variant(Integer(), "sqlite")
