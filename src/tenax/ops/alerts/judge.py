"""What is wrong now, what was before, and what follows? An alert is raised when its trouble has
lasted, and cleared when it is well over. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tenax.ops.alerts.rules import AlertWhat, Limit
from tenax.ports.checks import AlertRecord


class Symptom(Struct, frozen=True):
    """Something that was measured."""

    what: AlertWhat
    value: float
    told: str
    """The same for people."""
    about: str = ""
    """Which worker, site, sink or product; empty for all together."""
    limit: Limit | None = None
    """Of a rule of its own; else that of its kind."""


class Judgement(Struct, frozen=True):
    """What is to be written down."""

    new: tuple[AlertRecord, ...] = ()
    """Troubles that began; without a number yet."""
    changed: tuple[AlertRecord, ...] = ()
    over: tuple[int, ...] = ()
    """Troubles that were over before anybody was woken."""


def judge(
    rules: Mapping[AlertWhat, Limit],
    symptoms: Sequence[Symptom],
    known: Iterable[AlertRecord],
    now: float,
) -> Judgement:
    """`known` are the troubles that are not over yet. One that is not measured any more, because
    the worker has gone or the rule was switched off, is over."""
    left: dict[tuple[str, str], AlertRecord] = {}
    new: list[AlertRecord] = []
    changed: list[AlertRecord] = []
    over: list[int] = []
    ended: list[AlertRecord] = []
    for each in known:
        # Two may have raised the same at once: the later one is not needed.
        if left.setdefault((each.what, each.about), each) is not each:
            ended.append(each)
    for symptom in symptoms:
        limit = symptom.limit or rules.get(symptom.what)
        if limit is None:
            continue
        record = left.pop((symptom.what.value, symptom.about), None)
        if record is None:
            if limit.is_bad(symptom.value):
                new.append(_begun(symptom, limit, now))
            continue
        after = _gone_on(record, symptom, limit, now)
        if after is None:
            over.append(record.id)
        elif after != record:
            changed.append(after)
    for each in (*ended, *left.values()):
        if each.raised_at is None:
            over.append(each.id)
        else:
            changed.append(replace(each, cleared_at=now))
    return Judgement(tuple(new), tuple(changed), tuple(over))


def _begun(symptom: Symptom, limit: Limit, now: float) -> AlertRecord:
    return AlertRecord(
        id=0,
        what=symptom.what.value,
        about=symptom.about,
        told=symptom.told,
        value=symptom.value,
        since=now,
        raised_at=None if limit.lasting else now,
    )


def _gone_on(record: AlertRecord, symptom: Symptom, limit: Limit, now: float) -> AlertRecord | None:
    """As it stands now; None when it was over before it was worth a word."""
    if record.raised_at is None:
        if not limit.is_bad(symptom.value):
            return None
        if now - record.since < limit.lasting:
            return record
        return replace(record, raised_at=now, told=symptom.told, value=symptom.value)
    if limit.is_well(symptom.value):
        return replace(record, cleared_at=now)
    return record
