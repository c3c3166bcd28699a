"""How a target's last visit ended, and the cause, as words in columns; `reason` is left to people.

Filled from the reasons and errors that are there, as far as they tell: the last code to read those
back. Every target that was ever visited is written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

# The words of the day.
FAULTS = (
    "dns", "connect_refused", "connect_timeout", "read_timeout", "reset", "tls", "protocol",
    "too_large", "too_many_redirects", "proxy", "client_error", "server_error", "bad_gateway",
    "encoding", "internal",
)  # fmt: skip
REASONS = (
    "malformed", "scheme", "too_long", "credentials_in_url", "private_address", "blocked_host",
    "out_of_scope", "excluded", "too_deep", "file_type", "trap", "nofollow", "host_limit",
    "job_limit", "known", "robots",
)  # fmt: skip
VERDICTS = (
    "challenge", "captcha", "access_denied", "ip_blocked", "needs_javascript", "empty_shell",
    "login_wall", "soft_404", "parked", "truncated", "too_short", "no_text",
)  # fmt: skip
NO_PAGES = ("noindex", "sitemap", "feed", "image")
"""What a reason begins with of what was read and not stored as a page."""
REVISIT = "revisit"

_targets = sa.table("targets", *map(sa.column, ("id", "state", "reason", "outcome", "cause")))
_attempts = sa.table("attempts", *map(sa.column, ("id", "target_id", "outcome", "error", "cause")))
_letters = sa.table("dead_letters", *map(sa.column, ("target_id", "fault", "detail")))
_reason = sa.cast(_targets.c.reason, sa.Text)
_is_robots = sa.and_(_targets.c.state == "blocked", _reason.startswith("robots: ", autoescape=True))


def upgrade() -> None:
    op.add_column("targets", sa.Column("outcome", sa.String(), nullable=True))
    op.add_column("targets", sa.Column("cause", sa.String(), nullable=True))
    op.add_column("attempts", sa.Column("cause", sa.String(), nullable=True))
    op.add_column("dead_letters", sa.Column("detail", sa.Text(), nullable=True))
    words = sa.update(_targets).where(_targets.c.reason.is_not(None))
    op.execute(
        words.values(
            outcome=_outcome(),
            cause=_cause(),
            reason=sa.case((_is_robots, _behind(_reason, "robots: ")), else_=_reason),
        )
    )
    error = sa.cast(_attempts.c.error, sa.Text)
    op.execute(
        sa.update(_attempts)
        .where(_attempts.c.error.is_not(None))
        .values(
            cause=sa.case(
                (_attempts.c.outcome.in_(("failed", "stale")), _first_word(error, FAULTS)),
                (_attempts.c.outcome == "garbage", _first_word(error, VERDICTS)),
                (_attempts.c.outcome == "refused", _first_word(error, REASONS)),
            )
        )
    )
    prefix = sa.func.length(_letters.c.fault) + len(": ")
    op.execute(
        sa.update(_letters).values(
            detail=sa.select(sa.func.substr(_reason, prefix + 1))
            .where(_targets.c.id == _letters.c.target_id, _targets.c.cause == _letters.c.fault)
            .scalar_subquery()
        )
    )


def downgrade() -> None:
    op.execute(
        sa.update(_targets)
        .where(_targets.c.outcome == "refused", _targets.c.cause == "robots")
        .where(_targets.c.state == "blocked")
        .values(reason="robots: " + _reason)
    )
    op.drop_column("dead_letters", "detail")
    op.drop_column("attempts", "cause")
    op.drop_column("targets", "cause")
    op.drop_column("targets", "outcome")


def _outcome() -> sa.ColumnElement[Any]:
    state = _targets.c.state
    done = sa.case(
        (_reason == "duplicate", "duplicate"),
        (_reason.startswith("unchanged: "), "unchanged"),
        (_reason.startswith("stale: "), "stale"),
        (_reason.startswith("moved ("), "moved"),
        else_="read",
    )
    blocked = sa.case((_begins(_reason, "priced"), "priced"), else_="refused")
    # What is to be visited again was finished; without an attempt, because nothing may be asked.
    last = (
        sa.select(_attempts.c.outcome)
        .where(_attempts.c.target_id == _targets.c.id)
        .order_by(_attempts.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    waits = sa.case(
        (_reason == REVISIT, sa.func.coalesce(last, "refused")),
        (_reason.in_(("http 429", "http 503")), "throttled"),
        (sa.or_(*(_begins(_reason, fault) for fault in FAULTS)), "failed"),
        else_="waiting",
    )
    return sa.case(
        (state == "done", done),
        (state == "gone", "gone"),
        (state == "rejected", "garbage"),
        (state == "blocked", blocked),
        (state == "failed", "failed"),
        else_=waits,
    )


def _cause() -> sa.ColumnElement[Any]:
    state = _targets.c.state
    done = sa.case(
        (_reason.startswith("unchanged: "), _behind(_reason, "unchanged: ")),
        (_reason.startswith("stale: "), _behind(_reason, "stale: ")),
        else_=_first_word(_reason, NO_PAGES),
    )
    return sa.case(
        (state == "done", done),
        (state == "rejected", _first_word(_reason, VERDICTS)),
        (state == "blocked", _first_word(_reason, REASONS)),
        (state.in_(("failed", "pending", "leased")), _first_word(_reason, FAULTS)),
    )


def _first_word(prose: sa.ColumnElement[str], words: Sequence[str]) -> sa.ColumnElement[Any]:
    return sa.case(*((_begins(prose, word), word) for word in words))


def _begins(prose: sa.ColumnElement[str], word: str) -> sa.ColumnElement[bool]:
    return sa.or_(prose == word, prose.startswith(f"{word}:", autoescape=True))


def _behind(prose: sa.ColumnElement[str], start: str) -> sa.ColumnElement[str]:
    return sa.func.substr(prose, len(start) + 1)
