"""What do all tables of the ledger share? Where they are gathered, and how long a number may be."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()

# SQLite's integers are as long as they have to be, and only INTEGER numbers rows by itself.
LONG = BigInteger().with_variant(Integer(), "sqlite")
