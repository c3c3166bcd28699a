"""Handlers for people who do not program: `[[records]]` tables become handlers like any (REC-2)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, get_args

import msgspec
import turbohtml

from tenax.model.record import FieldKind, FieldRule, RecordRule
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.page.handlers.registry import Handler
from tenax.page.handlers.selection import Selection
from tenax.page.handlers.storable import RecordInvalid, fields_of
from tenax.page.handlers.told import Record
from tenax.urls.patterns import UrlPatterns

_NUMBER: Final = re.compile(r"[-+]?\d[\d.,\u00a0\u202f ']*")
_EMPTY: Final = turbohtml.parse("")


def handlers_of_rules(rules: Sequence[RecordRule]) -> list[Handler]:
    """A handler for each. Raises `ValueError` for patterns that are none."""
    return [_handler(rule) for rule in rules]


def wrong_rules(rules: Sequence[RecordRule]) -> Iterator[tuple[int, str]]:
    """The number of each rule that cannot be followed, and what is wrong with it."""
    for number, rule in enumerate(rules, 1):
        if why := _wrong(rule):
            yield number, why


def _wrong(rule: RecordRule) -> str:
    if not rule.fields:
        return "fields: name at least one, as text = '.text'."
    if rule.key and rule.key not in rule.fields:
        return f"key: {rule.key!r} is no field of it. It has {', '.join(rule.fields)}."
    try:
        fields_of(rule.name, None, dict.fromkeys(rule.fields, ""))
        UrlPatterns("pattern", _patterns(rule))
    except ValueError as error:
        return str(error)
    if not all(_patterns(rule)):
        return "pattern: name the pages, as '*/quote/*'."
    selectors = {"each": rule.each}
    for name, field in rule.fields.items():
        try:
            selectors[f"fields.{name}"] = _rule(field).css
        except msgspec.ValidationError as error:
            return f"fields: {name}: {_misspelt(str(error))}"
    for name, selector in selectors.items():
        try:
            if selector:
                _EMPTY.select(selector)
        except ValueError as error:
            return f"{name}: {error}."
    return ""


def _misspelt(error: str) -> str:
    text, _, place = error.partition(" - at `$.")
    if "unknown field" in text:
        known = ", ".join(FieldRule.__struct_fields__)
        return f"{text.removeprefix('Object contains ')}. Use {known}."
    kinds = ", ".join(get_args(FieldKind))
    hint = f" Use {kinds}." if place.startswith("type") else ""
    return f"{place.rstrip('`') or 'a selector, or a table'}: {text}.{hint}"


def _handler(rule: RecordRule) -> Handler:
    fields = {name: _rule(field) for name, field in rule.fields.items()}

    def tell(page: CrawledPage) -> Iterator[Record]:
        whole = Selection([page._tree.root])
        for found in whole.css(rule.each) if rule.each else whole:
            told = {name: _value(page, found, field) for name, field in fields.items()}
            if any(told[name] in (None, "", []) for name, f in fields.items() if f.required):
                continue
            key = str(told[rule.key]) if rule.key and told[rule.key] else None
            yield page.record(rule.name, told, key=key)

    version = hashlib.sha256(msgspec.json.encode(rule)).hexdigest()[:8]
    patterns = UrlPatterns(f"[[records]] {rule.name}", _patterns(rule))
    return Handler(f"rule {rule.name}", version, patterns, tell, source="[[records]]")


def _patterns(rule: RecordRule) -> tuple[str, ...]:
    return (rule.pattern,) if isinstance(rule.pattern, str) else rule.pattern


def _rule(field: object) -> FieldRule:
    """Raises `ValueError`."""
    if isinstance(field, FieldRule):
        return field
    return FieldRule(field) if isinstance(field, str) else msgspec.convert(field, FieldRule)


def _value(page: CrawledPage, within: Selection, rule: FieldRule) -> Any:
    """What stands there; None where nothing does. A number that is none is an error, told once."""
    found = within.css(rule.css) if rule.css else within
    if rule.type == "texts":
        return found.attrs(rule.attr) if rule.attr else found.texts
    if rule.type == "html":
        return found.html or None
    text = found.attr(rule.attr) if rule.attr else found.text
    if not text:
        return None
    match rule.type:
        case "url":
            return page.absolute(text) or None
        case "number":
            return _number(text)
        case "whole":
            number = _number(text)
            if number != int(number):
                raise RecordInvalid(f"{text[:60]!r} is no whole number.")
            return int(number)
        case "date":
            return _date(text)
        case _:
            return text


def _number(text: str) -> float:
    """`1,299.50`, `1.299,50 €` and `12` are numbers: of two kinds of mark the last is decimal, and
    one alone is, unless three digits follow."""
    found = _NUMBER.search(text)
    if found is None:
        raise RecordInvalid(f"{text[:60]!r} is no number.")
    digits = re.sub(r"[\s']", "", found[0]).rstrip(".,")
    last = max(digits.rfind("."), digits.rfind(","))
    if last >= 0:
        mark, behind = digits[last], digits[last + 1 :]
        is_grouped = digits.count(mark) > 1 or (len(behind) == 3 and mark == ",")
        whole = re.sub(r"[.,]", "", digits[:last])
        digits = whole + behind if is_grouped else f"{whole}.{behind}"
    return float(digits)


def _date(text: str) -> str:
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        raise RecordInvalid(f"{text[:60]!r} is no date as 2026-05-31 (ISO 8601).") from None
