"""Who may use the console and the API, who is logged in, what did they change, how often do they
ask?"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Index, Integer, LargeBinary, String, Table, Text

from tenax.adapters.sql.schema.basis import LONG as _LONG
from tenax.adapters.sql.schema.basis import metadata

# Programs, by the SHA-256 of their key. Ids are never used twice: what is still counted for a
# revoked key must not be held against another. `jobs` is a JSON array, or NULL for all.
api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("role", String, nullable=False),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("created_at", Double, nullable=False),
    Column("jobs", Text),
    Column("expires_at", Double),
    Column("used_at", Double),
    sqlite_autoincrement=True,
)

# People, by the argon2 hash of their password.
users = Table(
    "users",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("role", String, nullable=False),
    Column("password", Text, nullable=False),
    Column("one_time", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),
    sqlite_autoincrement=True,
)

# Those who have logged in, by the SHA-256 of what their cookie says.
sessions = Table(
    "sessions",
    metadata,
    Column("digest", LargeBinary(32), primary_key=True),
    Column("user_id", Integer, nullable=False, index=True),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False, index=True),
)

# What was changed by the API, and by whom (SEC-5).
acts = Table(
    "acts",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("at", Double, nullable=False),
    Column("who", String, nullable=False),
    Column("what", Text, nullable=False),
    Column("status", Integer, nullable=False),
    sqlite_autoincrement=True,
)

# What was answered to a request with an Idempotency-Key, by the hash of who sent it, where, and the
# key; `request` is the hash of its body, `status` NULL while it is under way.
repeats = Table(
    "repeats",
    metadata,
    Column("digest", LargeBinary(32), primary_key=True),
    Column("request", LargeBinary(32), nullable=False),
    Column("at", Double, nullable=False, index=True),
    Column("status", Integer),
    Column("content_type", String),
    Column("body", LargeBinary),
)

# Requests of each asker in a window of time, where no Redis counts them.
request_counts = Table(
    "request_counts",
    metadata,
    Column("asker", String, primary_key=True),
    Column("slot", _LONG, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Index("request_counts_slot", "slot"),
)
