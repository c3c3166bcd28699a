"""What did ledgers tell in prose alone, before outcomes were words, and which words is that now?"""

from __future__ import annotations

import sqlalchemy as sa

OLD: tuple[tuple[str, str | None, str | None, str | None], ...] = (
    ("done", "read", "read", None),
    ("done", "noindex", "read", "noindex"),
    ("done", "sitemap: 3 URLs", "read", "sitemap"),
    ("done", "image: 12 bytes", "read", "image"),
    ("done", "duplicate", "duplicate", None),
    ("done", "unchanged: same bytes", "unchanged", "same bytes"),
    ("done", "stale: read_timeout", "stale", "read_timeout"),
    ("done", "moved (301) to https://b.example/", "moved", None),
    ("gone", "http 404", "gone", None),
    ("rejected", "soft_404", "garbage", "soft_404"),
    ("blocked", "robots: robots.txt line 3: Disallow: /", "refused", "robots"),
    ("blocked", "private_address: 10.0.0.1: a private network", "refused", "private_address"),
    ("blocked", "priced: 1 EUR", "priced", None),
    ("blocked", "priced", "priced", None),
    ("failed", "read_timeout: 30 s", "failed", "read_timeout"),
    ("failed", "readXtimeout: no fault", "failed", None),
    ("failed", None, None, None),
    ("pending", None, None, None),
    ("pending", "http 429", "throttled", None),
    ("pending", "reset: by peer", "failed", "reset"),
    ("pending", "robots.txt: unreachable", "waiting", None),
    ("pending", "revisit", "gone", None),
    ("leased", "revisit", "refused", None),
)
"""State and reason of a target; its outcome and cause after the upgrade."""
VISITED_AGAIN = [row[1] for row in OLD].index("revisit") + 1
"""The target that has an attempt on record: it was gone."""
LETTER = [row[0] for row in OLD].index("failed") + 1
"""The target that has a dead letter."""
ATTEMPTS = (
    ("read", None, None),
    ("failed", "reset: by peer", "reset"),
    ("garbage", "captcha: title", "captcha"),
    ("refused", "robots: robots.txt line 3", "robots"),
    ("throttled", "http 429, Retry-After: 3 s", None),
)
"""Outcome and error of attempts; their cause after the upgrade."""


def fill(connection: sa.Connection) -> None:
    """A ledger of revision 0008 with all of these."""
    insert = sa.text(
        "INSERT INTO targets (id, job_id, host_id, key, url, state, priority, depth, reason)"
        " VALUES (:id, 1, 1, :key, '/', :state, 5, 1, :reason)"
    )
    for id, (state, reason, _, _) in enumerate(OLD, 1):
        row = {"id": id, "key": bytes([id]), "state": state, "reason": reason}
        connection.execute(insert, row)
    tried = sa.text("INSERT INTO attempts (target_id, at, outcome, error) VALUES (:t, 1, :o, :e)")
    for outcome, error, _ in ATTEMPTS:
        connection.execute(tried, {"t": 1, "o": outcome, "e": error})
    connection.execute(tried, {"t": VISITED_AGAIN, "o": "gone", "e": None})
    letter = "INSERT INTO dead_letters VALUES (:t, 1, 1, 7, 'read_timeout', 3)"
    connection.execute(sa.text(letter), {"t": LETTER})


def check_words(connection: sa.Connection) -> None:
    """After the upgrade, words say it; prose says no less than before."""
    rows = connection.exec_driver_sql(
        "SELECT state, reason, outcome, cause FROM targets ORDER BY id"
    )
    found = [tuple(row) for row in rows]
    assert [(row[0], row[2], row[3]) for row in found] == [(s, o, c) for s, _, o, c in OLD]
    assert [row[1] for row in found] == [r and r.removeprefix("robots: ") for _, r, _, _ in OLD]
    tried = connection.exec_driver_sql("SELECT cause FROM attempts WHERE target_id = 1 ORDER BY id")
    assert list(tried.scalars()) == [cause for _, _, cause in ATTEMPTS]
    assert connection.exec_driver_sql("SELECT detail FROM dead_letters").scalar() == "30 s"


def check_prose(connection: sa.Connection) -> None:
    """After the way back, everything is as it was."""
    rows = connection.exec_driver_sql("SELECT state, reason FROM targets ORDER BY id")
    assert [tuple(row) for row in rows] == [(state, reason) for state, reason, _, _ in OLD]
