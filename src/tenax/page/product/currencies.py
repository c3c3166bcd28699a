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
    "BZD", "ETB", "IRR", "KYD", "MZN", "NAD", "RWF", "SDG", "SYP", "XPF", "YER", "AFN", "ANG",
    "AOA", "AWG", "BIF", "BMD", "BTN", "CDF", "CVE", "DJF", "ERN", "FKP", "GMD", "GNF", "GYD",
    "HTG", "KMF", "LRD", "LSL", "MGA", "MRU", "MWK", "PGK", "SCR", "SRD", "SZL", "TJS", "TMT",
    "VES", "VUV", "WST", "XCD",
})  # fmt: skip
TOLD: Final = CODES | {
    "ALL", "AMD", "CLF", "COU", "CUP", "GIP", "KPW", "SBD", "SHP", "SLE", "SLL", "SOS", "SSP",
    "STN", "SVC", "TOP", "XCG", "ZWG", "ZWL",
}  # fmt: skip
"""Those that a field for machines may name: in a text, "TOP 10" and "AMD 5600" are no money."""
THREE_DIGITS: Final = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
"""Currencies whose smallest coin is a thousandth: 12.500 is twelve and a half."""

SIGNS: Final[dict[str, str]] = {
    ":-": "SEK",
    "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₪": "ILS",
    "฿": "THB", "₫": "VND", "₱": "PHP", "₦": "NGN", "₸": "KZT", "₾": "GEL", "＄": "$", "￥": "¥",
    "￡": "GBP", "￦": "KRW", "֏": "AMD", "؋": "AFN", "៛": "KHR", "₵": "GHS",
    "US$": "USD", "U$S": "USD", "U$D": "USD", "R$": "BRL", "A$": "AUD", "AU$": "AUD", "C$": "C$",
    "CA$": "CAD", "CAD$": "CAD", "CAN$": "CAD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD",
    "NT$": "TWD", "NT": "NT", "MX$": "MXN", "AR$": "ARS", "Mex$": "MXN", "Col$": "COP",
    "COL$": "COP", "$U": "UYU", "N$": "NAD", "EC$": "XCD", "BZ$": "BZD", "Bds$": "BBD",
    "BDS$": "BBD", "FJ$": "FJD", "GY$": "GYD", "BN$": "BND", "B$": "BND",
    "$": "$", "¥": "¥", "kr": "kr", "Kr": "kr",
    "KR": "kr", "kr.": "kr", "Kr.": "kr", "zł": "PLN", "zl": "PLN", "ZŁ": "PLN", "Zł": "PLN",
    "ZL": "PLN", "zł.": "PLN", "Kč": "CZK", "KČ": "CZK", "Kc": "CZK",
    "Ft": "HUF", "FT": "HUF", "Ft.": "HUF", "lei": "lei", "Lei": "lei", "LEI": "lei",
    "Rs": "Rs", "Rs.": "Rs", "RS": "Rs", "RM": "MYR", "Rp": "IDR", "Rp.": "IDR", "R": "ZAR",
    "S/": "PEN", "S/.": "PEN", "Fr.": "CHF", "SFr.": "CHF", "sFr.": "CHF", "SFr": "CHF",
    "円": "JPY", "元": "元", "元整": "元",
    "TL": "TRY", "din": "RSD", "din.": "RSD",
    "KSh": "KES", "Ksh": "KES", "KSH": "KES", "KShs": "KES", "Kshs": "KES", "KSh.": "KES",
    "Ksh.": "KES", "USh": "UGX", "Ush": "UGX", "TSh": "TZS", "Tsh": "TZS", "FRw": "RWF",
    "Frw": "RWF", "FBu": "BIF", "FCFA": "FCFA", "F CFA": "FCFA", "CFA": "CFA",
    "원": "KRW", "บาท": "THB", "đ": "VND", "Đ": "VND", "VNĐ": "VND", "vnđ": "VND", "VNd": "VND",
    "đồng": "VND", "RMB": "CNY", "Dhs": "AED", "Dhs.": "AED", "Dh": "AED", "SR": "SR",
    "S.R.": "SR", "QR": "QR", "QR.": "QR",
    "₨": "Rs", "৳": "BDT", "GH₵": "GHS", "GH¢": "GHS", "GHC": "GHS", "E£": "EGP", "LE": "EGP",
    "EGP£": "EGP", "KM": "BAM", "NIS": "ILS", "L.E.": "EGP", "L.E": "EGP", "Tk": "BDT",
    "Tk.": "BDT", "DH": "MAD", "KD": "KWD", "BD": "BD", "B/.": "PAB", "₡": "CRC",
    "₲": "PYG", "Gs.": "PYG", "Gs": "PYG", "₭": "LAK", "₮": "MNT", "₼": "AZN", "රු": "LKR",
    "रू": "NPR", "रु": "INR", "रु.": "INR", "रुपये": "INR", "ரூ": "INR", "টাকা": "BDT",
    "روپے": "Rs", "J$": "JMD", "TT$": "TTD", "RD$": "DOP", "Php": "PHP", "PhP": "PHP",
    "BsF": "VES", "Bs.F": "VES", "Bs": "Bs", "Bs.": "Bs", "Birr": "ETB", "birr": "ETB",
    "ብር": "ETB", "Br": "Br", "Br.": "Br", "Lek": "lek", "lek": "lek", "Lekë": "ALL", "lekë": "ALL",
    "ლარი": "GEL", "₾.": "GEL", "դրամ": "AMD", "դր.": "AMD", "төгрөг": "MNT", "ກີບ": "LAK",
    "ကျပ်": "MMK", "ευρώ": "EUR", "ΕΥΡΩ": "EUR", "שקל": "ILS", "שקלים": "ILS", "ש״ח": "ILS",
    'ש"ח': "ILS", "ש'ח": "ILS", "שח": "ILS",
    "so'm": "UZS", "so‘m": "UZS", "soʻm": "UZS", "so’m": "UZS", "manat": "AZN", "hrn": "UAH",
    "TRL": "TRY", "Türk Lirası": "TRY", "港元": "HKD", "港幣": "HKD", "港币": "HKD",
    "新台幣": "TWD", "新臺幣": "TWD", "台幣": "TWD", "人民币": "CNY", "人民幣": "CNY",
    # What means money at home only.
    "DA": "DA", "DT": "DT", "Kz": "Kz", "MT": "MT", "MK": "MK", "Ks": "Ks", "Ar": "Ar",
    "kn": "kn", "K": "K", "L": "L", "P": "P", "Q": "Q", "с": "с", "d": "d",
}  # fmt: skip
"""What several currencies share stands for itself: $, ¥, kr, Rs, rubles, dirhams, rials."""

_WORDS: Final[dict[str, str]] = {
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "euroa": "EUR", "eurų": "EUR", "eiro": "EUR",
    "eurot": "EUR", "usd": "USD", "gbp": "GBP", "pln": "PLN", "chf": "CHF", "czk": "CZK",
    "uah": "UAH", "brl": "BRL", "aud": "AUD", "dkk": "DKK", "rsd": "RSD", "vnd": "VND",
    "inr": "INR", "idr": "IDR", "yen": "JPY", "won": "won", "reais": "BRL", "soles": "soles",
    "pesos": "pesos", "colones": "CRC", "kronor": "SEK", "kroner": "kroner", "krónur": "ISK",
    "korun": "CZK", "forint": "HUF", "złotych": "PLN", "zlotych": "PLN", "złoty": "PLN",
    "lira": "lira",
    "р": "руб", "руб": "руб", "рубль": "руб", "рубля": "руб", "рублей": "руб", "грн": "UAH",
    "гривна": "UAH", "гривен": "UAH", "гривень": "UAH", "гривні": "UAH", "лв": "BGN",
    "лева": "BGN", "ден": "ден", "денари": "MKD", "дин": "RSD", "рсд": "RSD", "динара": "RSD",
    "тг": "KZT", "тнг": "KZT", "тенге": "KZT", "теңге": "KZT", "сом": "KGS", "сум": "UZS",
    "сўм": "UZS", "сомони": "TJS", "сомонӣ": "TJS", "лей": "MDL", "леев": "MDL", "манат": "AZN",
    "евро": "EUR", "євро": "EUR", "драм": "AMD", "лари": "GEL", "долл": "USD", "доллар": "USD",
    "доллара": "USD", "долларов": "USD", "бел.руб": "BYN", "бел. руб": "BYN",
}  # fmt: skip
"""Words that are written in small letters, in large ones, and with a point behind them."""

_ARABIC: Final[dict[str, str]] = {
    "د.إ": "AED", "ر.س": "SAR", "ر.ق": "QAR", "ر.ع": "OMR", "ر.ي": "YER", "﷼": "ريال",
    "ج.م": "EGP", "ل.ل": "LBP", "ل.س": "SYP", "د.ك": "KWD", "د.ب": "BHD", "د.ا": "JOD",
    "د.أ": "JOD", "د.ع": "IQD", "د.ت": "TND", "د.م": "MAD", "د.ج": "DZD", "دج": "DZD",
    "د.ل": "LYD", "ج.س": "SDG", "ر.ع.م": "OMR", "درهم": "درهم", "دراهم": "درهم", "ريال": "ريال",
    "ریال": "IRR", "جنيه": "جنيه", "دينار": "دينار", "دنانير": "دينار", "ليرة": "ليرة",
    "دولار": "USD", "دولار أمريكي": "USD", "يورو": "EUR",
    **{f"درهم {of}": code for of, code in (("إماراتي", "AED"), ("اماراتي", "AED"),
                                           ("مغربي", "MAD"))},
    **{f"ريال {of}": code for of, code in (("سعودي", "SAR"), ("قطري", "QAR"), ("عماني", "OMR"),
                                           ("عُماني", "OMR"), ("يمني", "YER"))},
    **{f"دينار {of}": code for of, code in (
        ("كويتي", "KWD"), ("أردني", "JOD"), ("اردني", "JOD"), ("عراقي", "IQD"), ("بحريني", "BHD"),
        ("تونسي", "TND"), ("جزائري", "DZD"), ("ليبي", "LYD"))},
    **{f"جنيه {of}": code for of, code in (("مصري", "EGP"), ("سوداني", "SDG"),
                                           ("إسترليني", "GBP"), ("استرليني", "GBP"))},
    **{f"ليرة {of}": code for of, code in (("لبنانية", "LBP"), ("سورية", "SYP"),
                                           ("تركية", "TRY"))},
}  # fmt: skip
SIGNS.update(
    (spelled, code)
    for word, code in _WORDS.items()
    for case in (word, word.capitalize(), word.upper())
    for spelled in (case, f"{case}.")
)
SIGNS.update(
    (spelled, code)
    for word, code in _ARABIC.items()
    for spelled in ((word, f"{word}.") if "." in word else (word,))
)

_CENTRAL: Final = dict.fromkeys(("cm", "ga", "cg", "td", "cf", "gq"), "XAF")
_SHARED: Final[dict[str, dict[str, str]]] = {
    "$": {
        "": "USD", "ca": "CAD", "au": "AUD", "nz": "NZD", "sg": "SGD", "hk": "HKD", "mx": "MXN",
        "ar": "ARS", "cl": "CLP", "co": "COP", "tw": "TWD", "uy": "UYU",
    },
    "C$": {"": "CAD", "ni": "NIO"},
    "¥": {"": "JPY", "cn": "CNY", "zh": "CNY"},
    "元": {"": "CNY", "tw": "TWD", "hant": "TWD", "hk": "HKD"},
    "kr": {
        "": "SEK", "no": "NOK", "nb": "NOK", "nn": "NOK", "dk": "DKK", "da": "DKK", "is": "ISK",
    },
    "kroner": {"": "NOK", "dk": "DKK", "da": "DKK"},
    "lei": {"": "RON", "md": "MDL"},
    "руб": {"": "RUB", "by": "BYN", "be": "BYN"},
    "FCFA": _CENTRAL | {"": "XOF"},
    "ليرة": {"": "LBP", "sy": "SYP", "tr": "TRY"},
    "درهم": {"": "AED", "ma": "MAD"},
    "ريال": {"": "SAR", "qa": "QAR", "om": "OMR", "ye": "YER", "ir": "IRR", "fa": "IRR"},
    "جنيه": {"": "EGP", "sd": "SDG"},
    "دينار": {
        "": "KWD", "jo": "JOD", "iq": "IQD", "bh": "BHD", "tn": "TND", "dz": "DZD", "ly": "LYD",
    },
    "Rs": {
        "": "INR", "pk": "PKR", "lk": "LKR", "np": "NPR", "ne": "NPR", "ur": "PKR", "mu": "MUR",
        "sc": "SCR",
    },
    # Elsewhere these are a day, a letter, a size, a picture to be scanned.
    "CFA": _CENTRAL | dict.fromkeys(("ci", "sn", "ml", "bf", "tg", "bj", "fr"), "XOF") | {"": ""},
    "Bs": {"": "", "es": "BOB", "bo": "BOB", "ve": "VES"},
    "Br": {"": "", "by": "BYN", "be": "BYN", "et": "ETB", "am": "ETB"},
    "ден": {"": "", "mk": "MKD"},
    "pesos": {
        "": "", "mx": "MXN", "ar": "ARS", "cl": "CLP", "co": "COP", "uy": "UYU", "do": "DOP",
        "ph": "PHP",
    },
    "soles": {"": "", "pe": "PEN"},
    "lek": {"": "", "al": "ALL", "sq": "ALL"},
    "NT": {"": "", "tw": "TWD"},
    "SR": {"": "", "sa": "SAR", "ar": "SAR"},
    "QR": {"": "", "qa": "QAR"},
    "BD": {"": "", "bh": "BHD"},
    "lira": {"": "", "tr": "TRY"},
    "won": {"": "", "kr": "KRW", "ko": "KRW"},
    "kn": {"": "", "hr": "HRK"},
    "DA": {"": "", "dz": "DZD"},
    "DT": {"": "", "tn": "TND"},
    "Kz": {"": "", "ao": "AOA"},
    "MT": {"": "", "mz": "MZN"},
    "MK": {"": "", "mw": "MWK"},
    "Ks": {"": "", "mm": "MMK", "my": "MMK"},
    "Ar": {"": "", "mg": "MGA"},
    "K": {"": "", "zm": "ZMW", "pg": "PGK"},
    "L": {"": "", "hn": "HNL"},
    "P": {"": "", "bw": "BWP", "ph": "PHP"},
    "Q": {"": "", "gt": "GTQ"},
    "с": {"": "", "kg": "KGS", "ky": "KGS"},
    "d": {"": "", "vn": "VND", "vi": "VND"},
}  # fmt: skip
# Endings that many use who live elsewhere say nothing about where a shop is.
_VAGUE_ENDINGS = frozenset({"co", "is", "io", "tv", "me"})
_SPOKEN_THERE: Final = {"co": "es", "is": "is"}
PLAIN: Final = frozenset(sign for sign, code in SIGNS.items() if _SHARED.get(code, {"": code})[""])
"""Signs that mean money wherever they stand."""


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
    is_vague = place.ending in _VAGUE_ENDINGS and _SPOKEN_THERE.get(place.ending) != language
    ending = "" if is_vague else place.ending
    for hint in (region, ending, language):
        if hint and hint in shared:
            return shared[hint]
    return shared[""]
