"""The tables of the ledger, for SQLite and PostgreSQL alike.

Sized for tens of millions of URLs: the claim path is three narrow indexes, nothing scans, and
bodies live elsewhere. Random keys are grouped by host, so that a page's links touch one
neighbourhood of the identity index instead of all of it.

What only SQLite is told here, which rows an index is of, the migrations tell PostgreSQL: naming
its options would load its dialect, a tenth of the time until a crawl begins.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    literal_column,
    text,
)

from tenax.adapters.sql.schema.account_tables import acts as acts
from tenax.adapters.sql.schema.account_tables import api_keys as api_keys
from tenax.adapters.sql.schema.account_tables import repeats as repeats
from tenax.adapters.sql.schema.account_tables import request_counts as request_counts
from tenax.adapters.sql.schema.account_tables import sessions as sessions
from tenax.adapters.sql.schema.account_tables import users as users
from tenax.adapters.sql.schema.basis import LONG as _LONG
from tenax.adapters.sql.schema.basis import metadata as metadata
from tenax.adapters.sql.schema.consumer_tables import consumers as consumers
from tenax.adapters.sql.schema.consumer_tables import handovers as handovers
from tenax.adapters.sql.schema.cookie_tables import cookies as cookies
from tenax.adapters.sql.schema.link_tables import link_sources as link_sources
from tenax.adapters.sql.schema.link_tables import links as links
from tenax.adapters.sql.schema.product_tables import images as images
from tenax.adapters.sql.schema.product_tables import parse_rates as parse_rates
from tenax.adapters.sql.schema.product_tables import product_jobs as product_jobs
from tenax.adapters.sql.schema.product_tables import product_prices as product_prices
from tenax.adapters.sql.schema.product_tables import product_stock as product_stock
from tenax.adapters.sql.schema.product_tables import product_terms as product_terms
from tenax.adapters.sql.schema.product_tables import products as products
from tenax.adapters.sql.schema.record_tables import handler_failures as handler_failures
from tenax.adapters.sql.schema.record_tables import handler_rates as handler_rates
from tenax.adapters.sql.schema.record_tables import record_history as record_history
from tenax.adapters.sql.schema.record_tables import records as records
from tenax.adapters.sql.schema.shape_tables import shapes as shapes
from tenax.adapters.sql.schema.shape_tables import wordings as wordings
from tenax.adapters.sql.schema.site_tables import site_version as site_version
from tenax.adapters.sql.schema.site_tables import sites as sites
from tenax.adapters.sql.schema.target_tables import crashes as crashes
from tenax.adapters.sql.schema.target_tables import posts as posts
from tenax.adapters.sql.schema.upkeep_tables import storage_samples as storage_samples
from tenax.adapters.sql.schema.upkeep_tables import upkeep as upkeep
from tenax.adapters.sql.schema.watch_tables import host_requests as host_requests
from tenax.adapters.sql.schema.watch_tables import incidents as incidents
from tenax.adapters.sql.schema.watch_tables import stat_hours as stat_hours
from tenax.adapters.sql.schema.watch_tables import stats as stats

REVISION = "0029"
"""The Alembic revision these tables correspond to."""

# `seeds` stand apart from the rest of the spec: there may be very many, and claims read the spec.
# Ids are never used twice: what a process still knows of a deleted job must not be taken for
# another's.
jobs = Table(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("state", String, nullable=False),
    Column("spec", Text, nullable=False),
    Column("seeds", Text),
    Column("created_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("next_run_at", Double),
    sqlite_autoincrement=True,
)
Index("jobs_state", jobs.c.state, jobs.c.id)

# `unit` is whom the host shares its politeness with (FR-5); NULL when with nobody. `troubled` is
# whether there is more to tell of it than that it answers: so those can be found among millions.
hosts = Table(
    "hosts",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("origin", String, nullable=False),
    Column("paused", Boolean, nullable=False, server_default=text("false")),
    Column("state", Text, nullable=False, server_default="{}"),
    Column("unit", String),
    Column("troubled", Boolean, nullable=False, server_default=text("false")),
)
Index("hosts_troubled", hosts.c.name, sqlite_where=hosts.c.troubled == text("1"))

# When the hosts of a politeness unit may be asked next, whichever of them was asked last; and
# which of them wait for their turn, the first one longest.
units = Table(
    "units",
    metadata,
    Column("key", String, primary_key=True),
    Column("next_at", Double, nullable=False),
)
turns = Table(
    "turns",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("unit", String, nullable=False),
    Column("host_id", _LONG, nullable=False),
    sqlite_autoincrement=True,
)
Index("turns_unit", turns.c.unit, turns.c.host_id, unique=True)

# What one job has at one host. `ready_at` is when the pair may give out work: NULL when nothing
# waits there; while the host is held, the moment its lease would expire, so that a claim also
# finds what a vanished worker left behind. `looked_at` is when guesses were last made there,
# `pages` how many are stored.
lanes = Table(
    "lanes",
    metadata,
    Column("host_id", _LONG, primary_key=True, autoincrement=False),
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("known", _LONG, nullable=False, server_default=text("0")),
    Column("ready_at", Double),
    Column("looked_at", Double),
    Column("pages", _LONG, nullable=False, server_default=text("0")),
    sqlite_with_rowid=False,
)
Index("lanes_job", lanes.c.job_id, lanes.c.host_id)
Index("lanes_ready", lanes.c.job_id, lanes.c.ready_at,
      sqlite_where=lanes.c.ready_at.is_not(None))  # fmt: skip

# `url` is the path and query where the host's origin precedes them, else the whole URL.
# `due_at` 0 means "at any time", which also takes the least room. `outcome` is the word of how the
# last visit ended, `cause` the fault, reason or verdict behind it; `reason` is prose, for people.
# `pushed_at` is when it was pushed while it was being visited, until that visit is committed;
# `found_at` is when it came to be known, in whole seconds.
targets = Table(
    "targets",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("job_id", Integer, nullable=False),
    Column("host_id", _LONG, nullable=False),
    Column("key", LargeBinary(12), nullable=False),
    Column("url", Text, nullable=False),
    Column("state", String, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("due_at", Double, nullable=False, server_default=text("0")),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("found_on", _LONG),
    Column("lease_id", _LONG),
    Column("reason", Text),
    Column("role", String),
    Column("outcome", String),
    Column("cause", String),
    Column("pushed_at", Double),
    Column("found_at", BigInteger),
    Column("rare", String),
)
Index("targets_identity", targets.c.host_id, targets.c.job_id, targets.c.key, unique=True)
_pending = targets.c.state == text("'pending'")
Index("targets_queue", targets.c.host_id, targets.c.job_id, targets.c.priority, targets.c.due_at,
      sqlite_where=_pending)  # fmt: skip
# The text of it stands in queries too, or no database sees that the index answers them.
is_listing = targets.c.role.in_([literal_column("'sitemap'"), literal_column("'feed'")])
Index("targets_listings", targets.c.host_id, targets.c.job_id, targets.c.role,
      sqlite_where=is_listing)  # fmt: skip
# States that are rare, and looked for the more: in each order that somebody may want them in.
# `rare` is such a state, and NULL in all others: to see that costs next to nothing, and most
# changes of `state` need not look at these indexes. It may be out of date once the state is.
RARE = ("failed", "blocked", "rejected", "gone")
is_rare = targets.c.rare.is_not(None)
for _name, _columns in (
    ("targets_rare", (targets.c.rare, targets.c.id)),
    ("targets_rare_job", (targets.c.job_id, targets.c.rare, targets.c.id)),
    ("targets_rare_host", (targets.c.host_id, targets.c.rare, targets.c.id)),
):
    Index(_name, *_columns, sqlite_where=is_rare)
_leased = targets.c.lease_id.is_not(None)
Index("targets_lease", targets.c.lease_id, sqlite_where=_leased)

# Ids are never used twice: a late worker's lease must not look like a newer one's.
assignments = Table(
    "assignments",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("host_id", _LONG, nullable=False, index=True),
    Column("worker_id", Integer, nullable=False, index=True),
    Column("slots", Integer, nullable=False),
    Column("exclusive", Boolean, nullable=False),
    Column("unit", String, index=True),
    Column("expires_at", Double, nullable=False),
    sqlite_autoincrement=True,
)

workers = Table(
    "workers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("pid", Integer, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
    Column("under_way", Text),  # what it does, as JSON: its oldest visits and their steps
    Column("machine", String),
    Column("role", String),
    Column("version", String),
    sqlite_autoincrement=True,
)

pages = Table(
    "pages",
    metadata,
    Column("target_id", _LONG, primary_key=True, autoincrement=False),
    Column("job_id", Integer, nullable=False),
    Column("url_hash", LargeBinary(32), nullable=False),
    Column("final_url", Text),
    Column("status", Integer, nullable=False),
    Column("content_type", String),
    Column("charset", String),
    Column("title", Text),
    Column("description", Text),
    Column("canonical", Text),
    Column("language", String),
    Column("published", String),
    Column("modified", String),
    Column("content_hash", LargeBinary(32)),
    Column("digest", LargeBinary(32)),
    Column("length", Integer, nullable=False),
    Column("words", Integer, nullable=False),
    Column("links", Integer, nullable=False),
    Column("fetched_at", Double, nullable=False),
    Column("etag", String),
    Column("last_modified", String),
    Column("rights", Text),
    Column("checked_at", Double),
    Column("stale", String),
    Column("simhash", BigInteger),
    Column("duplicate_of", _LONG),
    # Since when the main text is what it is; NULL where that is since it was fetched.
    Column("changed_at", Double),
)
_doubled = pages.c.duplicate_of.is_not(None)
Index("pages_duplicate_of", pages.c.duplicate_of, sqlite_where=_doubled)

# The SimHash of every page that is no duplicate, turned to begin with each of its four bands:
# pages at most three bits apart share one of these, and the nearer they are, the nearer they stand.
fingerprints = Table(
    "fingerprints",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("band", Integer, primary_key=True, autoincrement=False),
    Column("bits", BigInteger, primary_key=True, autoincrement=False),
    Column("target_id", _LONG, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

# When a finished target is to be visited again (FR-6), and what a sitemap said of it. `next_at` is
# NULL while its target is not finished, or was given up. At `news_at` a sitemap or feed has told of
# something new, until its visit is committed. Only jobs that recrawl have any of this.
revisits = Table(
    "revisits",
    metadata,
    Column("target_id", _LONG, primary_key=True, autoincrement=False),
    Column("job_id", Integer, nullable=False),
    Column("next_at", Double),
    Column("interval", Double, nullable=False),
    Column("visited_at", Double, nullable=False),
    Column("modified", Double),
    Column("news_at", Double),
)
_planned = revisits.c.next_at.is_not(None)
Index("revisits_due", revisits.c.job_id, revisits.c.next_at, sqlite_where=_planned)

# What has to be done to all targets of a job, some at a time: `after` is how far it has got.
walks = Table(
    "walks",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("kind", String, primary_key=True),
    Column("after", _LONG, nullable=False),
    Column("last", _LONG, nullable=False),
    sqlite_with_rowid=False,
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("target_id", _LONG, nullable=False, index=True),
    Column("at", Double, nullable=False),
    Column("outcome", String, nullable=False),
    Column("status", Integer),
    Column("ttfb_ms", Integer),
    Column("total_ms", Integer),
    Column("bytes", Integer),
    Column("client", String),
    Column("address", String),
    Column("chain", Text),
    Column("error", Text),
    Column("proxy", String),
    Column("cause", String),
    Column("download_ms", Integer),
    Column("kbps", Integer),
    Column("body", Text),  # of an error, as far as it is kept
)

# A target given up, waiting for a person: it goes when the target is returned or it is purged.
# Why it failed stands in the target, and the history in its attempts. One index per question.
dead_letters = Table(
    "dead_letters",
    metadata,
    Column("target_id", _LONG, primary_key=True, autoincrement=False),
    Column("job_id", Integer, nullable=False),
    Column("host_id", _LONG, nullable=False),
    Column("at", Double, nullable=False),
    Column("fault", String, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("detail", Text),
)
_place = (dead_letters.c.at, dead_letters.c.target_id)
Index("dead_letters_at", *_place)
Index("dead_letters_job", dead_letters.c.job_id, *_place)
Index("dead_letters_host", dead_letters.c.host_id, *_place)
Index("dead_letters_fault", dead_letters.c.fault, *_place)

robots = Table(
    "robots",
    metadata,
    Column("origin", String, primary_key=True),
    Column("status", Integer),
    Column("text", Text, nullable=False),
    Column("fetched_at", Double, nullable=False),
    Column("good_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
    Column("error", Text, nullable=False),
)

# `secret` is user and password, sealed; `state` is what policy owns. Ids are never used twice:
# what a process still reports of a removed proxy must not count for another.
proxies = Table(
    "proxies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("group_name", String, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("scheme", String, nullable=False),
    Column("host", String, nullable=False),
    Column("port", Integer, nullable=False),
    Column("secret", LargeBinary),
    Column("state", Text, nullable=False, server_default="{}"),
    sqlite_autoincrement=True,
)

rejections = Table(
    "rejections",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("job_id", Integer, nullable=False),
    Column("url", Text, nullable=False, index=True),
    Column("reason", String, nullable=False),
    Column("at", Double, nullable=False),
)
Index("rejections_job", rejections.c.job_id, rejections.c.reason, rejections.c.id)

# Running totals per job, kept by the same transactions that change what they count.
tallies = Table(
    "tallies",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("name", String, primary_key=True),
    Column("count", _LONG, nullable=False),
    sqlite_with_rowid=False,
)

# What a host has taught: how its pages are numbered, where its archives are, whether its sitemaps
# tell the truth (DISC-2, DISC-3, FR-6).
rules = Table(
    "rules",
    metadata,
    Column("host_id", _LONG, primary_key=True, autoincrement=False),
    Column("kind", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("state", Text, nullable=False),
    Column("updated_at", Double, nullable=False),
)

# What others are to be told, written with the visit that it tells of. Ids are handed out before a
# transaction is committed: only where transactions follow one another, as in SQLite, do they also
# tell the order in which rows appear. Elsewhere `place` does, given to rows that are there.
outbox = Table(
    "outbox",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("place", BigInteger),
    Column("kind", String, nullable=False),
    Column("key", LargeBinary(32), nullable=False),
    Column("value", Text, nullable=False),
    Column("at", Double, nullable=False),
    sqlite_autoincrement=True,
)
Index("outbox_place", outbox.c.place, outbox.c.id, sqlite_where=outbox.c.place.is_not(None))

# How far each of those who are told has come, and which relay tells it until when.
cursors = Table(
    "cursors",
    metadata,
    Column("name", String, primary_key=True),
    Column("place", BigInteger, nullable=False),
    Column("holder", String),
    Column("held_until", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
    sqlite_with_rowid=False,
)

# What was wrong, since when, and who was told of it.
# `raised_at` is NULL until the trouble has lasted, `cleared_at` until it is over. `heard` has who
# was told of what, as words with a space between. The row of `what` = '*' is the lease of whoever
# looks: its holder in `about`, until `since`.
alerts = Table(
    "alerts",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("what", String, nullable=False),
    Column("about", Text, nullable=False),
    Column("told", Text, nullable=False),
    Column("value", Double, nullable=False),
    Column("since", Double, nullable=False),
    Column("raised_at", Double),
    Column("cleared_at", Double),
    Column("silent_until", Double, nullable=False, server_default=text("0")),
    Column("heard", Text, nullable=False, server_default=""),
    sqlite_autoincrement=True,
)
Index("alerts_cleared", alerts.c.cleared_at)
