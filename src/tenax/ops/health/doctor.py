"""Is this machine fit for a crawl? Facts in, judgements out; each says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum

from msgspec import Struct

from tenax.jobs.durations import tell_duration
from tenax.ports import Backlog, LedgerFacts, Library, RedisFacts, ServerFacts
from tenax.version import pip_install

OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 35, 0)
"""RETURNING came with it."""
OLDEST_REDIS = (6, 2)
"""LMOVE and ZADD GT came with it."""
OLDEST_POSTGRES = 15
_TIGHT_DISK = 1_000_000_000
_FULL_DISK = 50_000_000
_SPARE_FILES = 64
"""Open files beyond the connections: the ledger, bodies being written, our own pipes."""
_RELEASED = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
_SKEW = 300.0
_LATE = 60.0
"""Seconds that events may wait: a relay is at most a few behind."""


class CheckVerdict(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Check(Struct, frozen=True):
    name: str
    verdict: CheckVerdict
    says: str
    advice: str = ""


class Facts(Struct, frozen=True):
    """What was found on this machine."""

    python: tuple[int, int, int]
    libraries: tuple[Library, ...]
    client: str
    """How the HTTP client names itself and its TLS library; empty when it did not load."""
    has_tls: bool
    is_compiled: bool
    """The part of the reading that is in C was built."""
    wants_compiled: bool
    """It is to be used (`page.compiled`)."""
    sqlite: tuple[int, ...]
    roots: str
    """The file of trusted certificates."""
    root_count: int
    data: str
    data_error: str
    """Why nothing can be written there; empty when it can."""
    free_bytes: int
    ledger: LedgerFacts
    open_files: int
    concurrency: int
    contact: str
    now: float
    playwright: str | None
    """The version of what drives a browser; None when it is not installed."""
    browser: str
    """The Chromium found, by name, version and path; empty when there is none that runs."""
    browser_error: str
    """Why there is none, and what to do; empty when there is one."""
    is_told: bool = False
    """Others are to be told of pages."""
    backlogs: tuple[Backlog, ...] = ()
    """How far behind they are."""
    redis: RedisFacts | None = None
    """None where none is named."""
    servers: tuple[ServerFacts, ...] = ()
    """Others that the settings name."""
    search: tuple[str, str] | None = None
    """Where the search index is, and why it cannot be had; None where none is set."""
    is_connected: bool = True
    """Whether anybody out there can be reached."""
    probes: tuple[str, ...] = ()
    """Who was asked for that; a look at the routes where nobody is named."""
    free_share: float | None = None
    """Of the data folder's disk."""
    least_share: float = 0.0
    """Below this no work is claimed."""


def diagnose(facts: Facts) -> list[Check]:
    """Every check, in the order one would repair things."""
    return [
        _python(facts),
        *_libraries(facts),
        _client(facts),
        _reading(facts),
        _roots(facts),
        _sqlite(facts),
        *_disk(facts),
        _network(facts),
        _ledger(facts.ledger),
        _open_files(facts),
        _clock(facts),
        _contact(facts),
        _browser(facts),
        *_events(facts),
        *_redis(facts.redis),
        *map(_server, facts.servers),
        *_search(facts.search),
    ]


def _python(facts: Facts) -> Check:
    says = ".".join(map(str, facts.python))
    if facts.python >= OLDEST_PYTHON:
        return Check("Python", CheckVerdict.OK, says)
    return Check("Python", CheckVerdict.FAIL, says, "Tenax needs Python 3.11 or newer.")


def _libraries(facts: Facts) -> Iterator[Check]:
    broken = [library for library in facts.libraries if library.error or not library.version]
    for library in broken:
        says = f"{library.name}: {library.error or 'not installed'}"
        yield Check(
            "libraries", CheckVerdict.FAIL, says, f"pip install --force-reinstall {library.name}"
        )
    if not broken:
        named = ", ".join(f"{library.name} {library.version}" for library in facts.libraries)
        yield Check("libraries", CheckVerdict.OK, named)


def _client(facts: Facts) -> Check:
    if not facts.client:
        return Check(
            "HTTP client", CheckVerdict.FAIL, "did not load", "Reinstall pycurl (see above)."
        )
    if not facts.has_tls:
        says = f"{facts.client}: built without TLS"
        return Check("HTTP client", CheckVerdict.FAIL, says, "pip install --force-reinstall pycurl")
    return Check("HTTP client", CheckVerdict.OK, facts.client)


def _reading(facts: Facts) -> Check:
    if not facts.wants_compiled:
        says = "in Python alone, because page.compiled is false"
        return Check("reading", CheckVerdict.WARN, says, "Pages are read faster without it.")
    if facts.is_compiled:
        return Check("reading", CheckVerdict.OK, "compiled")
    says = "in Python alone, so pages take longer"
    advice = "Install a C compiler and Python's headers, and then Tenax again."
    return Check("reading", CheckVerdict.WARN, says, advice)


def _roots(facts: Facts) -> Check:
    if facts.root_count:
        says = f"{facts.root_count} trusted in {facts.roots}"
        return Check("certificates", CheckVerdict.OK, says)
    advice = "Install your system's ca-certificates, or name a bundle in SSL_CERT_FILE."
    return Check("certificates", CheckVerdict.FAIL, f"none found in {facts.roots}", advice)


def _sqlite(facts: Facts) -> Check:
    says = ".".join(map(str, facts.sqlite))
    if facts.sqlite >= OLDEST_SQLITE:
        return Check("SQLite", CheckVerdict.OK, says)
    return Check(
        "SQLite", CheckVerdict.FAIL, says, "Tenax needs SQLite 3.35: use a newer Python build."
    )


def _disk(facts: Facts) -> Iterator[Check]:
    if facts.data_error:
        says = f"{facts.data}: {facts.data_error}"
        yield Check(
            "data folder", CheckVerdict.FAIL, says, "Name one you may write to with --data."
        )
        return
    yield Check("data folder", CheckVerdict.OK, f"{facts.data} can be written")
    says = f"{_size(facts.free_bytes)} free"
    if facts.free_share is not None and facts.free_share < facts.least_share:
        says += f", {facts.free_share:.1%} of the disk: no work is claimed"
        advice = "Free some space, use another disk with --data, or set care.disk."
        yield Check("disk", CheckVerdict.FAIL, says, advice)
    elif facts.free_bytes >= _TIGHT_DISK:
        yield Check("disk", CheckVerdict.OK, says)
    else:
        verdict = CheckVerdict.WARN if facts.free_bytes >= _FULL_DISK else CheckVerdict.FAIL
        yield Check("disk", verdict, says, "Free some space, or use another disk with --data.")


def _network(facts: Facts) -> Check:
    """A machine without one can still crawl itself."""
    if facts.is_connected:
        says = f"{', '.join(facts.probes)} can be reached" if facts.probes else "there is a route"
        return Check("network", CheckVerdict.OK, says)
    if facts.probes:
        says = f"none of {', '.join(facts.probes)} can be reached: no work is claimed"
        advice = "Repair the network, or name others in care.probe."
        return Check("network", CheckVerdict.FAIL, says, advice)
    says = "this machine has no route to anywhere"
    return Check("network", CheckVerdict.WARN, says, "Only its own servers can be crawled.")


def _ledger(ledger: LedgerFacts) -> Check:
    if not ledger.exists and not ledger.on_server:
        return Check("ledger", CheckVerdict.OK, "none yet; the first crawl makes it")
    says = f"{ledger.path}, {_size(ledger.size)}"
    if ledger.on_server and ledger.error:
        return Check("ledger", CheckVerdict.FAIL, ledger.error, "")
    if ledger.on_server:
        says += f", PostgreSQL {ledger.version}"
        if _major(ledger.version) < OLDEST_POSTGRES:
            advice = f"Tenax needs PostgreSQL {OLDEST_POSTGRES} or newer."
            return Check("ledger", CheckVerdict.FAIL, says, advice)
    if ledger.on_server and ledger.revision != ledger.known_revision:
        says += f", schema {ledger.revision or 'none'}, this Tenax has {ledger.known_revision}"
        return Check("ledger", CheckVerdict.FAIL, says, "Run `tenax db upgrade`.")
    if ledger.on_server:
        return Check("ledger", CheckVerdict.OK, f"{says}, schema {ledger.revision}")
    if ledger.error:
        advice = "Restore it from a backup, or use another folder with --data."
        return Check("ledger", CheckVerdict.FAIL, f"{says}: {ledger.error}", advice)
    if ledger.revision != ledger.known_revision:
        says += f", schema {ledger.revision or 'unknown'}, this Tenax has {ledger.known_revision}"
        advice = "An older one is upgraded by the next command; a newer one needs a newer Tenax."
        return Check("ledger", CheckVerdict.WARN, says, advice)
    found = "sound" if ledger.is_complete else "sound as far as read (too large to read through)"
    return Check("ledger", CheckVerdict.OK, f"{says}, schema {ledger.revision}, {found}")


def _major(version: str) -> int:
    """The number before the first dot; what has none is new enough for all we know."""
    number = version.partition(".")[0].partition(" ")[0]
    return int(number) if number.isdecimal() else OLDEST_POSTGRES


def _open_files(facts: Facts) -> Check:
    says = f"{facts.open_files:,} allowed, {facts.concurrency:,} connections wanted"
    needed = facts.concurrency + _SPARE_FILES
    if facts.open_files >= needed:
        return Check("open files", CheckVerdict.OK, says)
    advice = f"Raise the limit (ulimit -n {2 * needed}), or lower fetch.concurrency."
    return Check("open files", CheckVerdict.FAIL, says, advice)


def _clock(facts: Facts) -> Check:
    says = datetime.fromtimestamp(facts.now, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    advice = "Set this machine's clock: delays, retries and certificates depend on it."
    if facts.now < _RELEASED:
        return Check("clock", CheckVerdict.FAIL, f"{says}, older than this program", advice)
    if facts.ledger.changed_at > facts.now + _SKEW:
        return Check(
            "clock", CheckVerdict.WARN, f"{says}, but the ledger was written later", advice
        )
    return Check("clock", CheckVerdict.OK, says)


def _contact(facts: Facts) -> Check:
    if facts.contact:
        return Check("contact", CheckVerdict.OK, facts.contact)
    says = "not set, so only private networks can be crawled"
    advice = "Set --contact, TENAX_CONTACT, or `contact` in tenax.toml."
    return Check("contact", CheckVerdict.WARN, says, advice)


def _browser(facts: Facts) -> Check:
    """A browser is an extra: without one, pages that need JavaScript stay what they are."""
    if facts.playwright is None:
        says = "no Playwright, so pages that need JavaScript are not rendered"
        return Check("browser", CheckVerdict.WARN, says, pip_install("browser"))
    if facts.browser:
        return Check("browser", CheckVerdict.OK, f"{facts.browser}, Playwright {facts.playwright}")
    says = "none, so pages that need JavaScript are not rendered"
    return Check("browser", CheckVerdict.WARN, says, facts.browser_error)


def _events(facts: Facts) -> Iterator[Check]:
    """Only where others are told, or still wait for something."""
    for backlog in facts.backlogs:
        if not facts.is_told and not backlog.waiting:
            continue
        waits = facts.now - backlog.oldest if backlog.oldest else 0.0
        says = f"{backlog.sink}: {backlog.waiting:,} not told"
        if waits >= _LATE:
            says += f", the oldest for {tell_duration(round(waits))}"
        if waits < _LATE:
            yield Check("events", CheckVerdict.OK, says)
        elif not facts.is_told:
            advice = f"Set `events` again, or let them go: tenax relay --forget {backlog.sink}"
            yield Check("events", CheckVerdict.WARN, says, advice)
        else:
            advice = "See that Kafka or the disk takes them, and run `tenax relay`."
            if backlog.holder:
                advice = (
                    f"{backlog.holder} tells them: see what it says, and whether Kafka answers."
                )
            yield Check("events", CheckVerdict.WARN, says, advice)
    if facts.is_told and not facts.backlogs:
        yield Check("events", CheckVerdict.OK, "nobody was told anything yet")


def _search(search: tuple[str, str] | None) -> Iterator[Check]:
    if search is None:
        return
    place, error = search
    if error:
        yield Check("search", CheckVerdict.FAIL, f"the index cannot be had at {place}", error)
    else:
        yield Check("search", CheckVerdict.OK, f"the index at {place} answers")


def _redis(redis: RedisFacts | None) -> Iterator[Check]:
    if redis is None:
        return
    if redis.error:
        yield Check("Redis", CheckVerdict.FAIL, f"cannot be had at {redis.place}", redis.error)
        return
    says = f"{redis.version} at {redis.place}"
    version = tuple(int(part) for part in redis.version.split(".")[:2] if part.isdecimal())
    if version and version < OLDEST_REDIS:
        yield Check("Redis", CheckVerdict.FAIL, says, "Tenax needs Redis 6.2 or newer, or Valkey.")
    elif redis.policy.startswith("allkeys"):
        advice = "Set maxmemory-policy to noeviction or volatile-ttl: this one drops pushed URLs."
        yield Check("Redis", CheckVerdict.WARN, f"{says}, {redis.policy} when full", advice)
    else:
        yield Check("Redis", CheckVerdict.OK, says)


def _server(server: ServerFacts) -> Check:
    if server.error:
        return Check(
            server.name, CheckVerdict.FAIL, f"cannot be had at {server.place}", server.error
        )
    verdict = CheckVerdict.WARN if server.remark else CheckVerdict.OK
    return Check(server.name, verdict, f"{server.place} answers", server.remark)


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
