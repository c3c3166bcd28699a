"""How long is what kept? Days, by kind of data."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tenax.model.knobs import Days, Seconds


class RetentionPolicy(Struct, frozen=True):
    automatic: Literal["safe", "all", "off"] = "safe"
    """What `tenax serve` and `tenax scheduler` remove by themselves: `safe` what nobody misses
    (bodies that nothing refers to, old attempts, minutes of statistics, sessions), `all` pages,
    bodies and URLs that are too old as well, `off` nothing."""
    every: Seconds = 86_400.0
    """Seconds between two of these."""
    done: Days = 7.0
    """Days after the end of their job that URLs are kept which brought no page."""
    failed: Days = 30.0
    """The same of URLs that failed, were refused or are gone."""
    pages: Days = 90.0
    """Days since they were last seen that pages are kept, in jobs that are over."""
    bodies: Days = 30.0
    """Days since their page was last seen that bodies are kept."""
    attempts: Days = 7.0
    """Days that the history of visits is kept; that of dead letters stays with them."""
    stats: Days = 7.0
    """Days that figures are kept by the minute."""
    sessions: Days = 1.0
    """Days that sessions are kept which are over."""
    archive: str = ""
    """Where pages and failures are written before they go: file:///PATH or s3://BUCKET/PREFIX;
    empty for archive/ in the data folder, `none` for nowhere."""
    archive_format: Literal["json", "csv"] = "json"
    """How: JSON Lines or CSV, gzip either way."""
