"""What does the demo shop sell? Eighty-odd products in seven categories, nine currencies."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from tenax.demo.truth import TrueProduct
from tenax.demo.words import SHELF, Dice, paragraph, sentence, slug

BRANDS = ("Fernholt", "Osprey & Lane", "Kitayama", "Brisa", "Nordhus", "Tally")
CATEGORIES: dict[str, tuple[str, ...]] = {
    "Tents": ("Ridge Tent", "Dome Tent", "Tarp Shelter", "Bivouac", "Bell Tent", "Beach Shade"),
    "Packs": ("Day Pack", "Rolltop", "Duffel", "Hip Bag", "Framed Rucksack", "Satchel"),
    "Kitchen": ("Kettle", "Nesting Pots", "Camp Stove", "Dripper", "Folding Knife", "Flask"),
    "Lighting": ("Storm Lantern", "Head Torch", "String Lights", "Candle Lamp", "Lamp", "Beacon"),
    "Clothing": ("Rain Shell", "Wool Jumper", "Trousers", "Sun Hat", "Work Gloves", "Oilskin"),
    "Furniture": ("Folding Stool", "Camp Bed", "Table", "Deck Chair", "Hammock", "Bookshelf"),
    "Instruments": ("Compass", "Barometer", "Glasses", "Tide Watch", "Rain Gauge", "Altimeter"),
}
MODELS = ("Merrow", "Tallow", "Skerry", "Lumen", "Fjell", "Alder", "Petrel", "Quay")
MARKUPS = (
    "json-ld", "json-ld", "json-ld", "microdata", "json-ld-graph", "text", "open-graph", "json-ld",
    "rdfa", "text", "microdata", "json-ld-wrong",
)  # fmt: skip


class Locale(NamedTuple):
    """How prices are written in one place."""

    tag: str
    currency: str
    pattern: str
    thousands: str
    point: str
    digits: int
    rate: int
    """Roughly how many of its units make a euro, so that prices look sane."""


LOCALES = (
    Locale("en-US", "USD", "${}", ",", ".", 2, 1),
    Locale("de-DE", "EUR", "{} \N{EURO SIGN}", ".", ",", 2, 1),
    Locale("en-GB", "GBP", "\N{POUND SIGN}{}", ",", ".", 2, 1),
    Locale("ja-JP", "JPY", "\N{YEN SIGN}{}", ",", "", 0, 160),
    Locale("fr-FR", "EUR", "{} \N{EURO SIGN}", "\N{NARROW NO-BREAK SPACE}", ",", 2, 1),
    Locale("sv-SE", "SEK", "{} kr", "\N{NO-BREAK SPACE}", ",", 2, 11),
    Locale("de-CH", "CHF", "CHF {}", "'", ".", 2, 1),
    Locale("pt-BR", "BRL", "R$ {}", ".", ",", 2, 6),
    Locale("en-IN", "INR", "\N{INDIAN RUPEE SIGN}{}", ",", ".", 2, 95),
    Locale("pl-PL", "PLN", "{} zł", "\N{NO-BREAK SPACE}", ",", 2, 4),
)
BY_TAG = {locale.tag: locale for locale in LOCALES}
AVAILABILITY = ("InStock", "InStock", "InStock", "OutOfStock", "InStock", "PreOrder", "InStock")


class Review(Struct, frozen=True):
    author: str
    stars: int
    text: str


def products(origin: str) -> tuple[TrueProduct, ...]:
    """The whole catalogue, category by category; each product knows its URL under `origin`."""
    items = [
        (category, kind, half)
        for category, kinds in CATEGORIES.items()
        for half in range(2)
        for kind in kinds
    ]
    return tuple(_product(number, *item, origin) for number, item in enumerate(items))


def display(price: str, locale: Locale) -> str:
    """The price as a shop of that place prints it: 1299.00 becomes 1.299,00 € in de-DE."""
    whole, _, cents = price.partition(".")
    grouped = _group(whole, locale)
    return locale.pattern.format(grouped + (locale.point + cents if locale.digits else ""))


def reviews(product: TrueProduct) -> list[Review]:
    """The few reviews that stand on the page itself."""
    dice = Dice("reviews", product.sku)
    return [
        Review(
            author=dice.pick(SHELF["name"]),
            stars=dice.number(3, 5),
            text=sentence(dice, {**SHELF, "sentence": SHELF["review"]}),
        )
        for _ in range(min(product.reviews, 3))
    ]


def _product(number: int, category: str, kind: str, half: int, origin: str) -> TrueProduct:
    dice = Dice("product", number)
    brand, locale = dice.pick(BRANDS), LOCALES[number * 7 % len(LOCALES)]
    model = MODELS[(number + half * 3) % len(MODELS)]
    name = f"{brand} {model} {kind}"
    sku = f"{category[:2].upper()}-{1000 + number * 7}"
    price = _price(dice, locale)
    reviewed = dice.number(0, 140) if number % 4 else 0
    return TrueProduct(
        url=f"{origin}/product/{slug(model + ' ' + kind)}-{number + 1}",
        name=name,
        price=price,
        currency=locale.currency,
        availability=AVAILABILITY[number % len(AVAILABILITY)],
        brand=brand,
        category=category,
        sku=sku,
        gtin=_ean13(f"40{dice.number(10**9, 10**10 - 1)}"),
        description=paragraph(dice, SHELF, 3),
        images=tuple(f"{origin}/img/{sku.lower()}-{view}.png" for view in range(1, 4)),
        markup=MARKUPS[number % len(MARKUPS)],
        locale=locale.tag,
        was=_higher(price, dice, locale) if number % 5 == 2 else None,
        rating=f"{dice.number(31, 50) / 10:.1f}" if reviewed else None,
        reviews=reviewed,
    )


def _price(dice: Dice, locale: Locale) -> str:
    amount = dice.pick((9, 19, 24, 35, 49, 79, 120, 189, 349, 640, 1299)) * locale.rate
    if not locale.digits:
        return str(amount // 10 * 10)
    return f"{amount}.{dice.pick(('00', '50', '90', '95', '99'))}"


def _higher(price: str, dice: Dice, locale: Locale) -> str:
    whole, _, cents = price.partition(".")
    raised = int(whole) * dice.number(115, 160) // 100 + 1
    return f"{raised}.{cents}" if locale.digits else str(raised)


def _group(whole: str, locale: Locale) -> str:
    head, tail = whole[:-3], whole[-3:]
    # India groups by two beyond the first thousand: 1,29,900.
    size = 2 if locale.tag == "en-IN" else 3
    parts = [tail]
    while head:
        parts.insert(0, head[-size:])
        head = head[:-size]
    return locale.thousands.join(parts)


def _ean13(digits: str) -> str:
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return f"{digits}{-total % 10}"
