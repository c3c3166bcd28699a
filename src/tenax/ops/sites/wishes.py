"""What does somebody want of a site? Keys and values as given, held to what rules may say.

The same for whoever asks: `KEY=VALUE` of a command, or the JSON of a request.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from tenax.jobs.revisit_policy import RecrawlPolicy, wrong_interval
from tenax.model import SiteRules
from tenax.model.host import SITE_SECRETS
from tenax.model.knobs import knob
from tenax.ops.secrets import masked
from tenax.urls.sites import KEYS, in_environment, spelled, wrong_rules

TABLES: Final = SITE_SECRETS
"""Keys that have names of their own below them."""
_LISTS: Final = ("include", "exclude")
_STDIN: Final = "-"
_MOST_SHOWN: Final = 40


class SiteProblem(Struct, frozen=True):
    """Why rules cannot be as they were asked for: which key, and what to do."""

    key: str
    why: str
    is_unknown: bool = False
    """There are no rules for the pattern."""

    @property
    def told(self) -> str:
        return f"{self.key}: {self.why}" if self.key else self.why


def read_wishes(texts: Iterable[str], next_line: Callable[[], str]) -> dict[str, Any] | SiteProblem:
    """`KEY=VALUE` as typed. Lists name their key once for each pattern; the value of a header or
    cookie that is `-` is the `next_line`, so that it stands in no shell's history."""
    wanted: dict[str, Any] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark:
            return SiteProblem("", f"{text[:_MOST_SHOWN]!r}: write KEY=VALUE, such as delay=5.")
        key, dot, inner = name.partition(".")
        if (problem := unknown_key(key)) is not None:
            return problem
        if key in TABLES:
            if not dot or not inner:
                return SiteProblem(key, f"name one of them: {key}.NAME=VALUE.")
            wanted.setdefault(key, {})[inner] = next_line() if value == _STDIN else value
        elif dot:
            return SiteProblem(key, f"{name[:_MOST_SHOWN]!r} has nothing below it.")
        elif key in _LISTS:
            wanted.setdefault(key, []).append(value)
        elif key in wanted:
            return SiteProblem(key, "given twice.")
        else:
            wanted[key] = value
    return wanted


def make_rules(
    pattern: str, wanted: Mapping[str, Any], recrawl: RecrawlPolicy, *, strict: bool = True
) -> SiteRules | SiteProblem:
    """The rules that these wishes come to. Not `strict`, numbers and switches may be texts."""
    for key in wanted:
        if (problem := unknown_key(str(key))) is not None:
            return problem
    try:
        host = spelled(pattern)
    except ValueError as error:
        return SiteProblem("host", str(error).removeprefix("host: "))
    given = {key: value for key, value in wanted.items() if value is not None}
    try:
        rules = msgspec.convert({"host": host, **given}, SiteRules, strict=strict)
    except msgspec.ValidationError as error:
        return _out_of_bounds(str(error), given)
    if wrong := wrong_rules(rules):
        return SiteProblem(*wrong)
    if (name := in_environment(rules)) is not None:
        return SiteProblem(
            f"login_fields.{name}",
            "env: is for settings files. Give its value: here it is kept encrypted.",
        )
    if rules.interval and (why := wrong_interval(rules.interval, recrawl)):
        return SiteProblem("interval", why)
    problem = None if rules.parser is None else unknown_parser(rules.parser)
    return rules if problem is None else problem


def unknown_key(key: str) -> SiteProblem | None:
    if key in KEYS:
        return None
    return SiteProblem("", f"unknown key {key[:_MOST_SHOWN]!r}.{_nearest(key, KEYS)}")


def unknown_parser(name: str) -> SiteProblem | None:
    # Who names no parser need not load them.
    from tenax.page.sites import parser_names

    known = parser_names()
    if name in known:
        return None
    return SiteProblem("parser", f"no parser of this name.{_nearest(name, known)}")


def _nearest(name: str, known: Iterable[str]) -> str:
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else f" Use {', '.join(known)}."


def _out_of_bounds(error: str, given: Mapping[str, Any]) -> SiteProblem:
    """msgspec names the place as `$.delay`."""
    key = re.split(r"[.\[`]", error.partition(" - at `$.")[2])[0]
    bounds, value = knob(SiteRules, key), given.get(key)
    if bounds.kind == "table" and isinstance(value, Mapping):
        return SiteProblem(key, "each of its values must be a text.")
    if bounds.is_list:
        return SiteProblem(key, f"must be a list of {bounds.plural}.")
    shown = masked(key, value) if isinstance(value, str | int | float) else ""
    told = f"{str(shown)[:_MOST_SHOWN]!r} will not do: " if shown != "" else ""
    return SiteProblem(key, f"{told}{bounds.demand(value)}.")
