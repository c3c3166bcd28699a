"""Encoding of nouns as rows and back: small, symmetrical, shared by the ledger's modules."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import astuple, replace

from tenax.model import (
    FOR_A_BROWSER,
    Copy,
    Habit,
    Host,
    HostHealth,
    JobSpec,
    LeasedTarget,
    Pace,
    Post,
    Role,
    UnderWay,
)
from tenax.model.knobs import without_bounds


class _HostState(msgspec.Struct, omit_defaults=True):
    """The part of a host that policy owns; new fields need a default and no migration."""

    visits: int = 0
    pace: Pace = Pace()
    health: HostHealth = HostHealth()
    habit: Habit | None = None


_host_decoder = msgspec.json.Decoder(_HostState)
_spec_decoder = msgspec.json.Decoder(JobSpec)
_seeds_decoder = msgspec.json.Decoder(tuple[str | Post, ...])
_under_way_decoder = msgspec.json.Decoder(UnderWay)
_encoder = msgspec.json.Encoder()
_NO_HABIT = Habit()


def host_state(host: Host) -> str:
    habit = None if host.habit == _NO_HABIT else host.habit
    state = _HostState(host.visits, host.pace, host.health, habit)
    return _encoder.encode(state).decode()


def host(id: int, name: str, origin: str, paused: bool, state: str) -> Host:
    known = _host_decoder.decode(state)
    return Host(
        name=name,
        origin=origin,
        id=id,
        visits=known.visits,
        pace=known.pace,
        health=known.health,
        paused=bool(paused),
        habit=known.habit or _NO_HABIT,
    )


def spec_text(spec: JobSpec) -> str:
    """All but the seeds, and what is sent somewhere."""
    return _encoder.encode(replace(spec, seeds=(), posts=())).decode()


def seeds_text(spec: JobSpec) -> str | None:
    """URLs, then requests that send something."""
    seeds = (*spec.seeds, *spec.posts)
    return _encoder.encode(seeds).decode() if seeds else None


def spec(text: str, seeds: str | None = None) -> JobSpec:
    """Without `seeds`, the limits and wishes of a job, which is what most ask for."""
    wanted = _spec(text)
    if not seeds:
        return wanted
    told = _seeds_decoder.decode(seeds)
    urls = tuple(seed for seed in told if isinstance(seed, str))
    posts = tuple(seed for seed in told if not isinstance(seed, str))
    return replace(wanted, seeds=urls, posts=posts)


def _spec(text: str) -> JobSpec:
    """A job is held to its bounds when it is made. One that was made under others must still be
    found, changed and deleted."""
    try:
        return _spec_decoder.decode(text)
    except msgspec.ValidationError:
        return JobSpec(*astuple(msgspec.json.decode(text, type=without_bounds(JobSpec))))


def short_url(url: str, origin: str) -> str:
    """A URL without the origin its host is known by; the whole URL when that differs."""
    rest = url[len(origin) :]
    return rest if rest.startswith("/") and url.startswith(origin) else url


def full_url(short: str, origin: str) -> str:
    return origin + short if short.startswith("/") else short


def leased(row: tuple[Any, ...], origin: str) -> LeasedTarget:
    """From a target's columns, followed by those of its page, where it has one."""
    id, job_id, short, depth, priority, attempts, role, due_at, crashes = row[:9]
    copy = None if row[9] is None else _copy(*row[9:])
    url = full_url(short, origin)
    role = Role(role) if role else Role.PAGE
    for_browser = due_at >= FOR_A_BROWSER
    return LeasedTarget(
        id, job_id, url, depth, priority, attempts, copy, role, crashes or 0, for_browser
    )


def _copy(
    fetched_at: float,
    etag: str | None,
    last_modified: str | None,
    digest: bytes | None,
    words: int,
    links: int,
    final_url: str | None,
) -> Copy:
    return Copy(
        etag=etag or "",
        last_modified=last_modified or "",
        digest=digest or b"",
        fetched_at=fetched_at,
        words=words,
        links=links,
        url=final_url or "",
    )


def pairs_text(pairs: tuple[tuple[str, str], ...]) -> str | None:
    return _encoder.encode(pairs).decode() if pairs else None


def pairs(text: str | None) -> tuple[tuple[str, str], ...]:
    return msgspec.json.decode(text, type=tuple[tuple[str, str], ...]) if text else ()


def chain_text(chain: tuple[str, ...]) -> str | None:
    return _encoder.encode(chain).decode() if chain else None


def chain(text: str | None) -> tuple[str, ...]:
    return msgspec.json.decode(text, type=tuple[str, ...]) if text else ()


def under_way_text(under_way: UnderWay) -> str:
    return _encoder.encode(under_way).decode()


def under_way(text: str | None) -> UnderWay | None:
    return _under_way_decoder.decode(text) if text else None
