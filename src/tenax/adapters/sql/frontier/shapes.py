"""Counters by shape of URL, upserted in the commit: what visits brought, lately and in all (URL-6).

Which of the URLs a visit named are new is asked before they are added. "Lately" is a window that
halves itself: so a kind that was good for years is known to have ended, and the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Lookup, Statement, inserting, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.shape_tables import shapes, wordings
from tenax.adapters.sql.schema.tables import hosts, pages, targets
from tenax.model import Host, State
from tenax.outcome import Evidence, Settlement
from tenax.ports import ShapeBook, ShapeCounts
from tenax.urls.normalise import path_of
from tenax.urls.shapes import shape_of

_KEY = ("job_id", "host_id", "shape")
_IN_ALL = ("visits", "good", "late", "wordless")
_LATELY = (
    ("judged", ("judged", "fruitful", "worded", "copied")),
    ("looked", ("looked", "grew", "met", "added", "cut")),
)
_WINDOWS = {"judged": 64, "looked": 96}
"""Visits after which the older half counts for half."""
_COUNTED = tuple(name for name in ShapeCounts.__struct_fields__)
_ROW = (*_KEY, *_COUNTED)
_MOST_SAID = 4 << 20
"""Bytes of what a host's pages have said that are read; what is older is new again."""

_of_host = Statement(
    ("job", "host"),
    lambda _: sa.select(shapes.c.shape, *(shapes.c[name] for name in _COUNTED)).where(
        shapes.c.job_id == sa.bindparam("job"), shapes.c.host_id == sa.bindparam("host")
    ),
)
_said = (
    sa.select(wordings.c.id, wordings.c.hashes)
    .where(
        wordings.c.job_id == sa.bindparam("job"),
        wordings.c.host_id == sa.bindparam("host"),
        wordings.c.id > sa.bindparam("after"),
    )
    .order_by(wordings.c.id.desc())
)
_state = Statement(
    ("host", "job", "key"),
    lambda _: sa.select(targets.c.state).where(
        targets.c.host_id == sa.bindparam("host"),
        targets.c.job_id == sa.bindparam("job"),
        targets.c.key == sa.bindparam("key"),
    ),
)
_elsewhere = Statement(
    ("host", "job", "key"),
    lambda _: (
        sa.select(targets.c.state)
        .join(hosts, hosts.c.id == targets.c.host_id)
        .where(
            hosts.c.name == sa.bindparam("host"),
            targets.c.job_id == sa.bindparam("job"),
            targets.c.key == sa.bindparam("key"),
        )
    ),
)
_texts = Lookup(
    sa.select(targets.c.id, targets.c.host_id, targets.c.url, pages.c.content_hash).join(
        pages, pages.c.target_id == targets.c.id
    ),
    targets.c.id,
)
_MOST_VIEWS = 64
"""Pages like one, from which on it is not what they say that is the same."""
_alike = Statement(
    ("original",),
    lambda _: (
        sa.select(pages.c.target_id)
        .where(pages.c.duplicate_of == sa.bindparam("original"))
        .limit(_MOST_VIEWS)
    ),
)
_say = inserting(wordings, ("job_id", "host_id", "hashes"))


def _upsert(connection: Connection) -> sa.Insert:
    insert = of_rows(connection, dialect_insert(connection, shapes), _ROW)
    both = {name: shapes.c[name] + insert.excluded[name] for name in _COUNTED}
    lately = {
        name: sa.case(
            (
                both[window] > sa.literal_column(str(_WINDOWS[window])),
                both[name].op("/", precedence=8)(sa.literal_column("2")),
            ),
            else_=both[name],
        )
        for window, names in _LATELY
        for name in names
    }
    # Each visit that brought something takes half away of what was there before.
    fruitful = insert.excluded.fruitful
    halved = shapes.c.idle.op(">>", precedence=8)(fruitful)
    before = sa.case((fruitful > sa.literal_column("16"), sa.literal_column("0")), else_=halved)
    idle = before + insert.excluded.idle
    totals = {name: both[name] for name in _IN_ALL}
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=list(_KEY), set_={**totals, **lately, "idle": idle}
    )
    return upsert.returning(*(shapes.c[name] for name in _ROW))


_count = Statement(_ROW, _upsert)


class _Place(NamedTuple):
    job_id: int
    host_id: int
    shape: str


class Weighed(Struct):
    """What the visits of a commit brought, by shape, before what they found is added."""

    counts: dict[_Place, dict[str, int]]
    hosts: dict[int, str]
    said: dict[tuple[int, int], bytes]


def weigh(connection: Connection, settlements: Sequence[Settlement]) -> Weighed:
    """Ask which of the URLs that these visits named are new, and add up. Of two visits at once that
    name the same one, the second has named what is known."""
    weighed = Weighed({}, {}, {})
    proposed: set[tuple[int, str, bytes]] = set()
    copies = _copies(connection, settlements)
    for s in settlements:
        evidence = s.evidence
        if evidence is None or s.host is None:
            continue
        if evidence.said:
            at = (s.job_id, s.host.id)
            weighed.said[at] = weighed.said.get(at, b"") + evidence.said
        if not evidence.times:
            continue
        if (is_view := copies.get(s.target_id)) is not None:
            is_view = is_view or evidence.copy
            evidence = replace(
                evidence, judged=True, says=False, worded=False, leads=(), copy=is_view
            )
        states = _states(connection, s.job_id, s.host, evidence, proposed)
        brought = _brought(evidence, states)
        proposed |= {(s.job_id, target.host, target.key) for target in s.found}
        place = _Place(s.job_id, s.host.id, evidence.shape)
        counts = weighed.counts.setdefault(place, dict.fromkeys(_COUNTED, 0))
        if brought["fruitful"]:
            counts["idle"] //= 2
        for name, value in brought.items():
            counts[name] += value
        weighed.hosts[s.host.id] = s.host.name
    return weighed


class _Text(NamedTuple):
    host_id: int
    shape: str
    content_hash: bytes


def _copies(connection: Connection, settlements: Sequence[Settlement]) -> dict[int, bool]:
    """The targets that say what one like them at their host has said, and whether they are another
    view of it: to be printed, in other colours. Of what has proved good not all was heard, so
    their words alone do not tell.

    A view says the same for a page of another kind, or tells whose it is. Where many pages are like
    one it is their frame that is the same."""
    like = {s.target_id: s for s in settlements if s.duplicate_of is not None and s.evidence}
    if not like:
        return {}
    ids = sorted({s.duplicate_of for s in like.values() if s.duplicate_of is not None})
    rows = _texts.run(connection, ids)
    texts = {id: _Text(host, _shape(url), bytes(text or b"")) for id, host, url, text in rows}
    texts |= {s.target_id: _text(s) for s in settlements if s.target_id in ids}
    copies = {}
    for id, s in like.items():
        one, other = _text(s), texts.get(s.duplicate_of or 0)
        if other is None or other.host_id != one.host_id:
            continue
        if s.evidence is not None and s.evidence.elsewhere:
            copies[id] = True
        elif other.content_hash == one.content_hash:
            copies[id] = other.shape != one.shape
        elif other.shape != one.shape:
            found = _alike.run(connection, s.duplicate_of)
            if len(found) < _MOST_VIEWS:
                copies[id] = True
    return copies


def _text(s: Settlement) -> _Text:
    if s.host is None or s.page is None:
        return _Text(0, "", b"")
    return _Text(s.host.id, _shape(s.page.url), s.page.content_hash)


def _shape(url: str) -> str:
    return shape_of(path_of(url) if not url.startswith("/") else url)


def _states(
    connection: Connection,
    job_id: int,
    host: Host,
    evidence: Evidence,
    proposed: set[tuple[int, str, bytes]],
) -> list[str | None]:
    """The states of its leads, its kin and the others; None for those that are new."""
    asked = [(target.host, target.key) for target in evidence.leads]
    led = [(name, job_id, key) for name, key in asked]
    kin = [(host.id, job_id, key) for key in (*evidence.kin, *evidence.others)]
    if not kin and not led:
        return []
    rows = [*_elsewhere.run_each(connection, led), *_state.run_each(connection, kin)]
    asked += [(host.name, key) for _, _, key in kin]
    return [
        State.PENDING.value
        if not found and (job_id, name, key) in proposed
        else found[0][0]
        if found
        else None
        for (name, key), found in zip(asked, rows, strict=True)
    ]


def _brought(evidence: Evidence, states: Sequence[str | None]) -> dict[str, int]:
    last = len(evidence.leads)
    led, kin = states[:last], states[last : last + len(evidence.kin)]
    new = kin.count(None) + evidence.deeper
    is_fruitful = evidence.judged and (evidence.says or None in led)
    # A copy that adds a line of its own was not in vain, and takes nothing away of what was.
    is_news = evidence.judged and ((evidence.says and not evidence.copy) or None in led)
    is_worded = is_fruitful and (evidence.worded or None in led[: last - evidence.figures])
    times = evidence.times if evidence.looked else 0
    others = states[last + len(evidence.kin) :].count(None)
    return {
        "visits": evidence.times,
        "good": evidence.times if is_fruitful or not (evidence.judged or evidence.late) else 0,
        "late": evidence.late,
        "wordless": evidence.judged and not is_worded,
        "judged": evidence.judged,
        "fruitful": is_news,
        "worded": is_worded,
        "copied": evidence.judged and evidence.copy,
        "idle": evidence.judged and not is_fruitful,
        "looked": times,
        "grew": times * (new > 1),
        "met": times * (State.PENDING.value in kin),
        "added": times * (new + evidence.more + others),
        "cut": times * (evidence.deeper > 0),
    }


def count(
    connection: Connection, weighed: Weighed
) -> dict[tuple[int, str], dict[str, ShapeCounts]]:
    """Write it down; by job and host, what was counted by now of these shapes."""
    rows = [
        (*place, *(int(counts[name]) for name in _COUNTED))
        for place, counts in sorted(weighed.counts.items())
    ]
    known: dict[tuple[int, str], dict[str, ShapeCounts]] = {}
    for job_id, host_id, shape, *counted in _count.run_all(connection, rows):
        known.setdefault((job_id, weighed.hosts[host_id]), {})[shape] = ShapeCounts(*counted)
    if weighed.said:
        _say.run(connection, [(*at, hashes) for at, hashes in sorted(weighed.said.items())])
    return known


def book(connection: Connection, job_id: int, host_id: int, after: int) -> ShapeBook:
    at = {"job": job_id, "host": host_id}
    rows = _of_host.run(connection, job_id, host_id)
    counts = {shape: ShapeCounts(*counted) for shape, *counted in rows}
    said, last = [], after
    room = _MOST_SAID
    for id, hashes in connection.execute(_said, {**at, "after": after}):
        last = max(last, id)
        room -= len(hashes)
        if room < 0:
            break
        said.append(bytes(hashes))
    return ShapeBook(counts, b"".join(reversed(said)), last)
