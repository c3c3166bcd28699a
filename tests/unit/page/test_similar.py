"""PAGE-2: the SimHash of a main text, and where its like is to be found."""

from __future__ import annotations

from itertools import combinations
from random import Random
from zlib import crc32

import pytest

from tenax.model import Headers, Response
from tenax.page import similar
from tenax.page.read import read
from tenax.page.rules import LEAST_TEXT, MOST_FEATURES
from tenax.page.similar import distance, reach, simhash, turns, unsigned
from tenax.page.text import bare

pytestmark = pytest.mark.usefixtures("either_way")

_SYLLABLES = [*(c + v for c in "bpmwflrstnkdg" for v in "aeiou"), "un", "er", "en", "ing"]
_RARE = ["jo", "xi", "que", "zo"]
NEAR = 3


def words(count: int, seed: int, *, rare: bool = False) -> list[str]:
    """Some of them with letters that long texts are cut at."""
    dice = Random(seed)
    syllables = [*_SYLLABLES, *(_RARE if rare else ())]
    known = ["".join(dice.choices(syllables, k=dice.randint(1, 4))) for _ in range(400)]
    return dice.choices(known, k=count)


def text(count: int, seed: int = 1, *, rare: bool = False) -> str:
    return " ".join(words(count, seed, rare=rare))


def hashed(said: str) -> int:
    found = simhash(bare(said.encode()))
    assert found is not None
    return found


def product(name: str, price: str, about: str) -> str:
    return (
        f"{name}. Price {price} including tax. In stock, delivered within two working days."
        f" {about} Add to basket. Customers say: good value, arrived quickly, would buy it again."
        " Returns within thirty days, free of charge. Guarantee of two years on all parts."
    )


# Written down: hashes stand in ledgers, so another way to compute them is another revision.
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 3, "5b0e6088a28d2702"),
        (text(60), "76ad4d82885d8346"),
        (text(600), "ed3e3a368e1c1260"),
        (text(6_000), "f0d07192883e8853"),
        (text(6_000, rare=True), "2e24d8c4cd7f4a8b"),
        (text(16_000, rare=True), "ff7f82c00db720c1"),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю. " * 2, "4c30360803511f15"),
        (
            "今日は天気がいいから、散歩しましょう。明日は雨が降るそうです。傘を忘れないで。",
            "a183184e48448d39",
        ),
    ],
)
def test_a_text_has_this_hash_in_every_process_and_version(said: str, expected: str) -> None:
    assert f"{hashed(said):016x}" == expected


@pytest.mark.parametrize("count", [25, 60, 130, 400, 3_000, 60_000])
@pytest.mark.parametrize("rare", [False, True])
def test_a_bit_is_set_when_more_than_half_of_the_features_have_it(count: int, rare: bool) -> None:
    plain = bare(text(count, rare=rare).encode())
    tables = similar._tables(len(plain))
    pieces = similar._features(plain, tables, None, b"0123456789")
    features = sorted(set(map(crc32, pieces)))[:MOST_FEATURES]
    wide = [one | (one * 0x9E3779B1 >> 16 & 0xFFFFFFFF) << 32 for one in features]
    most = [sum(one >> bit & 1 for one in wide) > len(wide) // 2 for bit in range(64)]
    assert simhash(plain) == sum(1 << bit for bit in range(64) if most[bit])


def test_too_little_text_has_no_hash() -> None:
    assert simhash(b"") is None
    assert simhash(b"x" * (LEAST_TEXT - 1)) is None
    assert simhash(b"x" * LEAST_TEXT) is not None
    # Figures are no text, unless there is little else.
    assert simhash(b"x" * (LEAST_TEXT - 1) + b"7" * 20) is None


@pytest.mark.parametrize("count", [60, 300, 1_500, 8_000])
def test_white_space_case_and_figures_do_not_count(count: int) -> None:
    said = words(count, seed=2)
    stamped = [*said[:10], "12:30", *said[10:40], "page", "3", "of", "17", *said[40:]]
    later = [*said[:10], "09:05", *said[10:40], "page", "12", "of", "9", *said[40:]]
    assert hashed(" ".join(stamped)) == hashed("\n\t ".join(later).upper())


@pytest.mark.parametrize(
    ("count", "changed"), [(600, 1), (1_500, 3), (5_000, 8), (6_000, 8), (16_000, 20)]
)
def test_a_few_changed_words_change_few_bits(count: int, changed: int) -> None:
    """A majority of such pairs is near enough, and none is far."""
    apart = []
    for seed in range(40):
        dice, said = Random(seed), words(count, seed, rare=count > 5_000)
        before = hashed(" ".join(said))
        for place in dice.sample(range(count), changed):
            said[place] = "".join(dice.choices(_SYLLABLES, k=3))
        apart.append(distance(before, hashed(" ".join(said))))
    assert sum(bits <= NEAR for bits in apart) >= 24
    assert max(apart) <= 10


def test_texts_of_the_same_words_in_another_order_are_far_apart() -> None:
    said = words(800, seed=3)
    shuffled = Random(3).sample(said, len(said))
    assert distance(hashed(" ".join(said)), hashed(" ".join(shuffled))) > 12


@pytest.mark.parametrize("count", [40, 200, 1_000, 5_000, 16_000])
def test_different_texts_are_as_far_apart_as_chance_has_it(count: int) -> None:
    all_of_them = [hashed(text(count, seed, rare=count > 5_000)) for seed in range(60)]
    apart = [distance(a, b) for i, a in enumerate(all_of_them) for b in all_of_them[:i]]
    assert 26 < sum(apart) / len(apart) < 34
    assert min(apart) > 12
    # Each bit says something: none is always the same.
    shares = [sum(h >> bit & 1 for h in all_of_them) / 60 for bit in range(64)]
    assert 0.05 < min(shares) <= max(shares) < 0.95


def test_products_of_one_shop_are_no_duplicates_of_each_other() -> None:
    kettle = product(
        "Steel kettle", "24.99", "Boils a litre in three minutes and turns itself off."
    )
    bigger = product("Steel kettle XL", "34.99", "Boils two litres in five minutes.")
    toaster = product("Glass toaster", "24.99", "Watch your bread turn brown, slice by slice.")
    named = product("Iron pot", "24.99", "Boils a litre in three minutes and turns itself off.")
    for other in (bigger, toaster, named):
        assert distance(hashed(kettle), hashed(other)) > NEAR


def test_a_product_at_another_price_is_the_same_page() -> None:
    about = "Boils a litre in three minutes and turns itself off."
    dear, cheap = product("Kettle", "24.99", about), product("Kettle", "7.50", about)
    assert hashed(dear) == hashed(cheap)


def test_of_a_table_of_figures_the_figures_are_the_text() -> None:
    one = "January " + " ".join(f"{n * 7919 % 9973}" for n in range(100))
    two = "January " + " ".join(f"{n * 7907 % 9967}" for n in range(100))
    assert distance(hashed(one), hashed(two)) > NEAR


def test_tables_of_other_figures_are_as_far_apart_as_other_texts() -> None:
    """Measurements: hardly a letter in them, and every day is another."""

    def day(seed: int) -> str:
        dice = Random(seed)
        rows = [f"{n}:00 {dice.uniform(-9, 30):.1f} {dice.randint(980, 1040)}" for n in range(24)]
        return f"Weather on {seed} January\n" + "\n".join(rows)

    days = [hashed(day(seed)) for seed in range(60)]
    apart = sorted(distance(one, other) for one, other in combinations(days, 2))
    assert apart[0] > NEAR
    assert 24 <= apart[len(apart) // 2] <= 40


def test_the_frame_of_a_page_does_not_count_and_its_print_view_is_the_same() -> None:
    said = text(200)
    headers = Headers((("content-type", "text/html; charset=utf-8"),))

    def page(html: str) -> int | None:
        return read(
            Response("https://a.example/", 200, headers, html.encode()), fetched_at=0.0
        ).simhash

    framed = page(f"<nav>Home News</nav><main><p>{said}</p></main><footer>12 visitors</footer>")
    printed = page(f"<body>\n  <p>{said}</p>\n</body>")
    plain = read(
        Response(
            "https://a.example/", 200, Headers((("content-type", "text/plain"),)), said.encode()
        ),
        fetched_at=0.0,
    )
    assert framed is not None
    assert framed == printed == plain.simhash


def test_a_turned_hash_begins_with_the_next_band_and_is_signed() -> None:
    told = turns(0x8123_4567_89AB_CDEF)
    assert [f"{unsigned(turned):016x}" for turned in told] == [
        "8123456789abcdef", "456789abcdef8123", "89abcdef81234567", "cdef8123456789ab",
    ]  # fmt: skip
    assert [turned < 0 for turned in told] == [True, False, True, True]
    assert turns(told[0]) == told


def test_what_shares_the_leading_band_is_within_reach() -> None:
    first, last = reach(turns(0x8123_4567_89AB_CDEF)[0])
    assert (unsigned(first), unsigned(last)) == (0x8123_0000_0000_0000, 0x8123_FFFF_FFFF_FFFF)
    assert first < last < 0
