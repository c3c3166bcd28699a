"""Which currency does a sign stand for, here?"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

CODES: Final = frozenset({
    "AED", "ARS", "AUD", "BDT", "BGN", "BHD", "BRL", "CAD", "CHF", "CLP", "CNY", "COP",
    "CZK", "DKK", "DZD", "EGP", "EUR", "GBP", "GEL", "GHS", "HKD", "HRK", "HUF", "IDR",
    "ILS", "INR", "ISK", "JOD", "JPY", "KES", "KRW", "KWD", "KZT", "LKR", "MAD", "MXN",
    "MYR", "NGN", "NOK", "NPR", "NZD", "OMR", "PEN", "PHP", "PKR", "PLN", "QAR", "RON",
    "RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TND", "TRY", "TWD", "UAH", "USD", "UYU",
    "VND", "ZAR", "AZN", "BAM", "BBD", "BND", "BOB", "BSD", "BWP", "BYN", "CRC", "DOP", "FJD",
    "GTQ", "HNL", "IQD", "JMD", "KGS", "KHR", "LAK", "LBP", "LYD", "MDL", "MKD", "MMK", "MNT",
    "MOP", "MUR", "MVR", "NIO", "PAB", "PYG", "TTD", "TZS", "UGX", "UZS", "XAF", "XOF", "ZMW",
    "BZD", "ETB", "IRR", "KYD", "MZN", "NAD", "RWF", "SDG", "SYP", "XPF", "YER",
})  # fmt: skip
THREE_DIGITS: Final = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
"""Currencies whose smallest coin is a thousandth: 12.500 is twelve and a half."""

SIGNS: Final[dict[str, str]] = {
    ":-": "SEK",
    "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₪": "ILS",
    "฿": "THB", "₫": "VND", "₱": "PHP", "₦": "NGN", "₸": "KZT", "₾": "GEL", "＄": "$", "￥": "¥",
    "￡": "GBP", "US$": "USD", "U$S": "USD", "R$": "BRL", "A$": "AUD", "AU$": "AUD", "C$": "CAD",
    "CA$": "CAD", "CAD$": "CAD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "NT$": "TWD",
    "MX$": "MXN", "AR$": "ARS", "Mex$": "MXN", "$": "$", "¥": "¥", "kr": "kr", "Kr": "kr",
    "KR": "kr", "kr.": "kr", "zł": "PLN", "zl": "PLN", "ZŁ": "PLN", "Kč": "CZK", "KČ": "CZK",
    "Ft": "HUF", "FT": "HUF", "lei": "RON", "Lei": "RON", "LEI": "RON",
    "Rs": "Rs", "Rs.": "Rs", "RS": "Rs", "RM": "MYR", "Rp": "IDR", "R": "ZAR", "S/": "PEN",
    "S/.": "PEN", "Fr.": "CHF", "SFr.": "CHF", "sFr.": "CHF", "円": "JPY", "元": "CNY",
    "TL": "TRY", "din": "RSD", "KSh": "KES", "Ksh": "KES", "KSH": "KES",
    "Euro": "EUR", "euro": "EUR", "EURO": "EUR", "euros": "EUR", "원": "KRW", "บาท": "THB",
    "đ": "VND", "VNĐ": "VND", "RMB": "CNY", "Dhs": "AED", "Dh": "AED",
    "₨": "Rs", "৳": "BDT", "GH₵": "GHS", "E£": "EGP", "LE": "EGP", "KM": "BAM", "NIS": "ILS",
    "L.E.": "EGP", "Tk": "BDT", "Tk.": "BDT", "DH": "MAD", "KD": "KWD", "B/.": "PAB", "₡": "CRC",
    "₲": "PYG", "Gs.": "PYG", "₭": "LAK", "₮": "MNT", "₼": "AZN", "රු": "LKR",
    "रू": "NPR", "J$": "JMD", "TT$": "TTD", "RD$": "DOP",
    "د.إ": "AED", "ر.س": "SAR", "ر.ق": "QAR", "ر.ع": "OMR", "ر.ي": "YER", "﷼": "ريال",
    "ج.م": "EGP", "ل.ل": "LBP", "ل.س": "SYP", "د.ك": "KWD", "د.ب": "BHD", "د.ا": "JOD",
    "د.أ": "JOD", "د.ع": "IQD", "د.ت": "TND", "د.م": "MAD", "د.ج": "DZD", "دج": "DZD",
    "د.ل": "LYD", "درهم": "درهم", "ريال": "ريال", "ریال": "IRR", "جنيه": "جنيه", "دينار": "دينار",
    "ليرة": "LBP", "ש״ח": "ILS", 'ש"ח': "ILS", "שח": "ILS",
}  # fmt: skip
"""What several currencies share stands for itself: $, ¥, kr, Rs, rubles, dirhams, rials."""

_CYRILLIC: Final[dict[str, str]] = {
    "р": "руб", "руб": "руб", "рубль": "руб", "рубля": "руб", "рублей": "руб", "грн": "UAH",
    "гривна": "UAH", "гривен": "UAH", "гривень": "UAH", "гривні": "UAH", "лв": "BGN",
    "лева": "BGN", "ден": "ден", "денари": "MKD", "дин": "RSD", "рсд": "RSD", "динара": "RSD",
    "тг": "KZT", "тнг": "KZT", "тенге": "KZT", "сом": "KGS", "сум": "UZS",
    "сўм": "UZS", "лей": "MDL", "леев": "MDL", "манат": "AZN", "евро": "EUR",
}  # fmt: skip
SIGNS.update(
    (spelled, code)
    for word, code in _CYRILLIC.items()
    for case in (word, word.capitalize(), word.upper())
    for spelled in (case, f"{case}.")
)

_SHARED: Final[dict[str, dict[str, str]]] = {
    "$": {
        "": "USD", "ca": "CAD", "au": "AUD", "nz": "NZD", "sg": "SGD", "hk": "HKD", "mx": "MXN",
        "ar": "ARS", "cl": "CLP", "co": "COP", "tw": "TWD", "uy": "UYU",
    },
    "¥": {"": "JPY", "cn": "CNY", "zh": "CNY"},
    "kr": {
        "": "SEK", "no": "NOK", "nb": "NOK", "nn": "NOK", "dk": "DKK", "da": "DKK", "is": "ISK",
    },
    "руб": {"": "RUB", "by": "BYN", "be": "BYN"},
    # Elsewhere it is a day.
    "ден": {"": "", "mk": "MKD"},
    "درهم": {"": "AED", "ma": "MAD"},
    "ريال": {"": "SAR", "qa": "QAR", "om": "OMR", "ye": "YER", "ir": "IRR", "fa": "IRR"},
    "جنيه": {"": "EGP", "sd": "SDG"},
    "دينار": {
        "": "KWD", "jo": "JOD", "iq": "IQD", "bh": "BHD", "tn": "TND", "dz": "DZD", "ly": "LYD",
    },
    "Rs": {"": "INR", "pk": "PKR", "lk": "LKR", "np": "NPR", "ne": "NPR", "ur": "PKR"},
}  # fmt: skip
# Endings that many use who live elsewhere say nothing about where a shop is.
_VAGUE_ENDINGS = frozenset({"co", "is", "io", "tv", "me"})


class PricePlace(Struct, frozen=True):
    """Where a price is read: what decides between currencies that share a sign."""

    language: str = ""
    """The page's declared language, as "en-CA"."""
    ending: str = ""
    """The last label of the host: "ca"."""
    declared: str = ""
    """The currency that the page names for machines."""


def code_of(sign: str) -> str:
    """The ISO code of a sign, or the sign itself where several share it; "" for no currency."""
    upper = sign.upper()
    return upper if upper in CODES else SIGNS.get(sign, "")


def settle_currency(sign: str, place: PricePlace) -> str:
    """The currency meant by a sign at a place."""
    code = code_of(sign)
    shared = _SHARED.get(code)
    if shared is None:
        return code
    if place.declared and place.declared in shared.values():
        return place.declared
    language, _, region = place.language.lower().partition("-")
    region = region.rpartition("-")[2]
    ending = "" if place.ending in _VAGUE_ENDINGS else place.ending
    for hint in (region, ending, language):
        if hint and hint in shared:
            return shared[hint]
    return shared[""]
