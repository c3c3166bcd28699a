"""What amount of money does a text name, however its country writes it?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final, NamedTuple

from tenax.page.product.currencies import (
    CODES,
    SIGNS,
    THREE_DIGITS,
    TOLD,
    PricePlace,
    code_of,
    settle_currency,
)

LONGEST: Final = 200
"""Characters of a text that are looked at: what is longer is no price tag."""

# What turns the direction of writing is not seen.
_TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c"
_DIGITS = str.maketrans(
    f"０１２３４５６７８９٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹．，٫{_TURNS}",
    "0123456789" * 3 + ".,." + " " * len(_TURNS),
)
_GAPS = "\u00a0\u2007\u2008\u2009\u202f "
_NUMBER = (
    # Groups of three; of two in India; five digits behind the point where pieces are tiny.
    rf"\d{{1,3}}(?:(?:[.,'’`´٬{_GAPS}]\d{{3}})+|(?:[.,]\d\d)+[.,]\d{{3}})(?!\d)"
    r"(?:[.,]\d{1,2}(?!\d))?(?:[.,][-–—]+)?"
    r"|\d+(?:[.,]\d{1,5}(?!\d))?(?:[.,][-–—]+)?"
)
# Scripts that set words apart: what stands beside a letter there is a part of a word.
_WORDLIKE = re.compile("[A-Za-zÀ-ÿĀ-ſͰ-ӿ\u0590-\u06ff]")
_KNOWN: Final = CODES.union(SIGNS)
_LONGEST_SIGN: Final = max(map(len, _KNOWN))


def _sizes(signs: Iterable[str], end: int) -> dict[str, tuple[int, ...]]:
    """How long the signs are that have this character at that end, the longest first."""
    sizes: dict[str, set[int]] = {}
    for sign in signs:
        sizes.setdefault(sign[end], set()).add(len(sign))
    return {character: tuple(sorted(each, reverse=True)) for character, each in sizes.items()}


_BY_FIRST: Final = _sizes(_KNOWN, 0)
# That of Swedish crowns stands behind: before a number, it is a label's.
_BY_LAST: Final = _sizes(_KNOWN - {":-"}, -1)
# Nothing stands before the point: .75 €. A letter there makes it the sign's: Rs.1,299, S/.45.90.
_CENTS = r"(?<![\w.,/])[.,]\d\d(?!\d)"
_FIRST = re.compile(rf"(?<!\d)(?<!\d[.,])(?:{_NUMBER})|{_CENTS}")
# On a price tag a gap is the markup's: 118, 99 TL. In a sentence it is between two things.
_TAG = 40
_APART = rf"\d{{1,3}}(?:[.,]?\d{{3}})*[.,][{_GAPS}]\d\d(?![\d.,])"
_FIRST_OF_TAG = re.compile(rf"(?<!\d)(?<!\d[.,])(?:{_APART}|{_NUMBER})|{_CENTS}")
_TO = re.compile(rf"[{_GAPS}]*[-–—~〜][{_GAPS}]*")
_SIGN_CHARACTERS = f"{_GAPS}:$€£¥₹₽₩złKčR"
# From so many on, a piece costs less: 50+ is no amount of money.
_BARE = re.compile(rf"(?<![\d.,\w])(?:{_NUMBER})(?![\d\w%+])")
# French price tags write the sign where others write the comma: 12€99.
_FRENCH = re.compile(r"(\d)\s?([€£])\s?(\d\d)(?![\d.,])")
# Others set the cents above the line, and only a gap is left of that.
_BARE_TAG: Final = 19
_RAISED = re.compile(rf"(\D{{0,6}}\d{{1,4}})[{_GAPS}](\d\d\D{{0,6}})")
_NO_CENTS = frozenset({"CLP", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "XAF", "XOF"})
_APART_GAP = re.compile(rf"([.,])[{_GAPS}](?=\d\d$)")
_SEPARATORS = re.compile(rf"[.,'’`´٬{_GAPS}]")
_FROM = re.compile(
    r"(?:\b(?:from|starting at|as low as|ab|ab nur|à partir de|a partir de|desde|da|vanaf|från|fra|"
    r"alk\.|od|от)|から)\s*:?\s*$",
    re.IGNORECASE,
)


_FREE: Final = frozenset({
    "free", "free!", "free to play", "free-to-play", "play for free", "free download", "for free",
    "kostenlos", "gratis", "gratuit", "gratuito", "grátis", "za darmo", "bezpłatnie", "zdarma",
    "zadarmo", "ingyenes", "ingyen", "gratuită", "безплатно", "бесплатно", "безкоштовно",
    "ücretsiz", "ilmainen", "無料", "免费", "免費", "무료", "miễn phí", "مجاني", "חינם",
})  # fmt: skip


def is_free(text: str) -> bool:
    """Whether a price tag says that nothing is to be paid: all it says, for shipping is, too."""
    return text.lower() in _FREE


class Money(NamedTuple):
    amount: str
    """Decimal text: "1299.00"."""
    currency: str
    """ISO 4217; empty when the text names none."""
    start: int = 0
    end: int = 0
    is_least: bool = False
    """It says "from": there are dearer ones."""


def find_money(text: str, place: PricePlace = PricePlace()) -> list[Money]:  # noqa: B008 - frozen
    """Every amount with a currency, in the order of the text."""
    return [*_money_in(text[:LONGEST], place)]


@lru_cache(maxsize=2048)
def _money_in(text: str, place: PricePlace) -> tuple[Money, ...]:
    # The same tag is looked at more than once, and lists say the same price again and again.
    if not text.isascii():
        # In ASCII there are no other digits, and none of these signs.
        text = _FRENCH.sub(r"\1,\3\2", text.translate(_DIGITS))
    if len(text) <= _BARE_TAG and (raised := _RAISED.fullmatch(text)) is not None:
        text = f"{raised[1]}.{raised[2]}"
    found: list[Money] = []
    alone: re.Match[str] | None = None
    for match in (_FIRST_OF_TAG if len(text) <= _TAG else _FIRST).finditer(text):
        sign = sign_before(text[: match.start()])
        currency = settle_currency(sign, place) if sign else ""
        after = _sign_after(text[match.end() :])
        if after and (not currency or (len(after) == 3 and after in CODES)):
            # A sign may stand on either side; where it stands on both ($10 CAD), the second
            # tells more.
            currency = settle_currency(after, place)
        if not currency:
            alone = match
            continue
        if alone is not None and _TO.fullmatch(text[alone.end() : match.start()]):
            _take(found, text, alone, currency)
        alone = None
        _take(found, text, match, currency)
    return tuple(found)


def _take(found: list[Money], text: str, match: re.Match[str], currency: str) -> None:
    amount = amount_of(match[0], currency)
    if amount:
        least = _FROM.search(text[: match.start()].rstrip(_SIGN_CHARACTERS)) is not None
        found.append(Money(amount, currency, match.start(), match.end(), least))


def sign_before(text: str) -> str:
    """The currency that a text ends with."""
    tail = text[-_LONGEST_SIGN - 3 :].rstrip(f"{_GAPS}:")
    for size in _BY_LAST.get(tail[-1:], ()):
        sign = tail[-size:]
        if sign in _KNOWN and not (
            _WORDLIKE.match(sign[0]) and size < len(tail) and _WORDLIKE.match(tail[-size - 1])
        ):
            return _told_apart(sign, tail[:-size].rstrip(_GAPS))
    return ""


def _told_apart(sign: str, before: str) -> str:
    """Which of those that share a sign, where a code or a country stands before it: SGD$, US $."""
    if sign != "$" or not before:
        return sign
    code = before[-3:]
    if code in CODES and not _WORDLIKE.match(before[-4:-3]):
        return code
    start = next((i for i in range(len(before), 0, -1) if not before[i - 1].isalpha()), 0)
    return f"{before[start:]}$" if f"{before[start:]}$" in SIGNS else sign


def _sign_after(text: str) -> str:
    """The currency that a text begins with."""
    head = text[: _LONGEST_SIGN + 3].lstrip(_GAPS)
    for size in _BY_FIRST.get(head[:1], ()):
        sign = head[:size]
        if sign in _KNOWN and not (
            _WORDLIKE.match(sign[-1]) and size < len(head) and _WORDLIKE.match(head[size])
        ):
            return sign
    return ""


def find_amounts(text: str, currency: str = "") -> list[Money]:
    """Every number that could be an amount, whether a currency stands beside it or not."""
    text = text[:LONGEST].translate(_DIGITS)
    found = [
        Money(amount_of(match[0], currency), currency, match.start(), match.end())
        for match in _BARE.finditer(text)
    ]
    return [money for money in found if money.amount]


def amount_of(number: str, currency: str = "") -> str:
    """A number as decimal text; empty when it is none.

    The last of two kinds of separators is the decimal one; a lone one is, unless three digits
    follow it.
    """
    number = number.translate(_DIGITS).strip(f"{_GAPS}\t\n").rstrip("-–—.,")
    number = _APART_GAP.sub(r"\1", number)
    marks = _SEPARATORS.findall(number)
    whole, cents = number, ""
    if marks and marks[-1] in ".,":
        head, _, tail = number.rpartition(marks[-1])
        kinds = set(marks)
        is_decimal = len(tail) != 3 if len(kinds) == 1 else True
        if len(kinds) == 1 and len(marks) > 1:
            is_decimal = len(tail) < 3 and not _is_grouped(number)
        if len(kinds) == 1 and len(marks) == 1 and len(tail) == 3:
            is_decimal = currency in THREE_DIGITS or head in ("0", "")
        if len(kinds) > 1 and len(tail) == 3 and currency not in THREE_DIGITS:
            # 1,234.567: three digits behind the last of two kinds are rather a group.
            is_decimal = False
        if is_decimal:
            whole, cents = head, tail
    whole = _SEPARATORS.sub("", whole) or "0"
    if not whole.isdecimal() or (cents and not cents.isdecimal()):
        return ""
    return settled(f"{whole}.{cents}" if cents else whole)


def settled(text: str) -> str:
    """Decimal text in its one spelling: no leading zeros, cents in pairs; empty when it is none."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return ""
    if not amount.is_finite() or amount < 0 or amount >= 10**12:
        return ""
    whole, _, cents = f"{amount:f}".partition(".")
    cents = cents.rstrip("0")
    if not cents:
        return whole
    return f"{whole}.{cents.ljust(2, '0')[:4]}"


def spelled(amount: str, currency: str) -> str:
    """An amount as records have it: with cents, where the currency has any."""
    if not amount or "." in amount or not currency or currency in _NO_CENTS:
        return amount
    return f"{amount}.00"


def machine_amount(value: object, currency: str = "") -> str:
    """The amount of a field meant for machines, where shops write whatever they like."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return settled(str(value)) if value == value else ""
    text = str(value)[:LONGEST].strip()
    if not text:
        return ""
    if re.fullmatch(r"\d+\.\d+|\d+", text):
        return settled(text)
    money = find_money(text) or find_amounts(text, currency)
    return money[0].amount if money else ""


def same(one: str, other: str) -> bool:
    return bool(one) and bool(other) and Decimal(one) == Decimal(other)


def is_currency(text: str) -> str:
    """The ISO code that a field meant for machines names; empty when it names none."""
    text = text.strip()
    code = text.upper()
    return code if code in TOLD else code if (code := code_of(text)) in TOLD else ""


def _is_grouped(number: str) -> bool:
    """Whether every separator stands before a group of three, or of two as in India."""
    groups = _SEPARATORS.split(number)[1:]
    return all(len(group) in (2, 3) for group in groups) and len(groups[-1]) == 3
