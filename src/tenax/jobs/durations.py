"""How do people write durations? `90s`, `6h`, `1d12h`, `2 weeks`, and back."""

from __future__ import annotations

import re


class DurationError(ValueError):
    """Not a duration; the text says why, and what to write."""


_UNITS = (("week", 604_800), ("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_SPELLINGS = (
    "w(?:eeks?)?",
    "d(?:ays?)?",
    "h(?:ours?|rs?)?",
    "m(?:in(?:ute)?s?)?",
    "s(?:ec(?:ond)?s?)?",
)
_PATTERN = re.compile(r"\s*".join(rf"(?:([0-9]+(?:\.[0-9]+)?)\s*{unit}\b)?" for unit in _SPELLINGS))
_GLUED = re.compile(r"(?<=[a-z])(?=[0-9])")
_LONGEST = 3_660 * 86_400.0


def parse_duration(text: str) -> float:
    """Seconds: numbers with units, from the largest to the smallest."""
    wanted = _GLUED.sub(" ", text.strip().lower())
    match = _PATTERN.fullmatch(wanted)
    if not wanted or match is None:
        unit = " without a unit" if re.fullmatch(r"[0-9.]+", wanted) else ""
        raise DurationError(f"{text!r} is no duration{unit}. Write 90s, 30m, 6h, 1d12h or 2w.")
    seconds = sum(
        float(number) * size
        for number, (_, size) in zip(match.groups(), _UNITS, strict=True)
        if number
    )
    if not 0 < seconds <= _LONGEST:
        raise DurationError(f"{text!r}: use more than nothing and at most ten years.")
    return seconds


def tell_duration(seconds: float) -> str:
    """`1 day 12 hours`, `1.5 seconds`: exact, to the millisecond."""
    told: list[str] = []
    left = round(seconds, 3)
    for name, size in _UNITS[1:]:
        count = left // size if size > 1 else left
        left -= count * size
        if count:
            told.append(f"{count:g} {name}{'' if count == 1 else 's'}")
    return " ".join(told) or "0 seconds"
