"""Prices as many countries write them."""

from __future__ import annotations

import pytest

from tenax.page.product.currencies import PricePlace
from tenax.page.product.prices import (
    amount_of,
    find_amounts,
    find_money,
    is_currency,
    machine_amount,
    spelled,
)

HERE = PricePlace()


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("1.234,56 €", "1234.56", "EUR"),
        ("₹1,23,456", "123456", "INR"),
        ("CHF 1'200.-", "1200", "CHF"),
        ("from $10", "10", "USD"),
        ("12,90 zł", "12.90", "PLN"),
        ("¥1,980", "1980", "JPY"),
        ("R$ 1.299,90", "1299.90", "BRL"),
        ("1 299 kr", "1299", "SEK"),
        ("2 199,- kr", "2199", "SEK"),
        ("$1,299", "1299", "USD"),
        ("1.299 €", "1299", "EUR"),
        ("$0.999", "0.999", "USD"),
        ("€ 12,-", "12", "EUR"),
        ("12€99", "12.99", "EUR"),
        ("US$12.34", "12.34", "USD"),
        ("KWD 12.500", "12.50", "KWD"),
        ("EUR 1 234,50", "1234.50", "EUR"),
        ("Rs. 1,299.00", "1299", "INR"),
        ("1,980円(税込)", "1980", "JPY"),
        ("10 000 руб.", "10000", "RUB"),
        ("Rp 150.000", "150000", "IDR"),
        ("12.345.678 ₫", "12345678", "VND"),
        ("$12.34 CAD", "12.34", "CAD"),
        ("1\N{NARROW NO-BREAK SPACE}299,00 €", "1299", "EUR"),
        ("１２８０円", "1280", "JPY"),
        ("Rs.1,23,456.00", "123456", "INR"),
        ("kr.129,50", "129.50", "SEK"),
        ("L.E. 450", "450", "EGP"),
        ("RD$1,250.00", "1250", "DOP"),
        ("120,00 DH", "120", "MAD"),
        (".75 €", "0.75", "EUR"),
        ("$.99", "0.99", "USD"),
        ("118, 99 TL", "118.99", "TRY"),
        ("1.118, 99 TL", "1118.99", "TRY"),
        ("$119. 95", "119.95", "USD"),
        ("SGD$4.90", "4.90", "SGD"),
        ("AUD $4.90", "4.90", "AUD"),
        ("US $18.00", "18", "USD"),
        ("C $20.50", "20.50", "CAD"),
        ("1 290 Руб.", "1290", "RUB"),
        ("1290 р.", "1290", "RUB"),
        ("1 200 гривень", "1200", "UAH"),
        ("999 ГРН", "999", "UAH"),
        ("15,90 лв.", "15.90", "BGN"),
        ("199 درهم", "199", "AED"),
        ("٤٩٫٥٠ ر.س", "49.50", "SAR"),
        ("99 ريال", "99", "SAR"),
        ("250 جنيه", "250", "EGP"),
        ("150,000 ل.ل.", "150000", "LBP"),
        ("د.إ 49.00", "49", "AED"),
        ("5.250 د.ك", "5.25", "KWD"),
        ('120 ש"ח', "120", "ILS"),
        ("18 eur", "18", "EUR"),
        ("Pln 42,50", "42.50", "PLN"),
        ("S/.37.90", "37.90", "PEN"),
        ("B/.12.25", "12.25", "PAB"),
        ("EC$31", "31", "XCD"),
        ("U$D 64", "64", "USD"),
        ("\u200fر.س.\u200f ٧٢٫٥٠", "72.50", "SAR"),
        ("د.إ.\u200f 64", "64", "AED"),
        ("27 درهم مغربي", "27", "MAD"),
        ("3.500 دينار بحريني", "3.50", "BHD"),
        ("1900 دينار جزائري", "1900", "DZD"),
        ("46 ريال عماني", "46", "OMR"),
        ("31 دولار", "31", "USD"),
        ("38 שקלים", "38", "ILS"),
        ("रु. 640", "640", "INR"),
        ("31 ლარი", "31", "GEL"),
        ("3 700 ֏", "3700", "AMD"),
        ("45 000 soʻm", "45000", "UZS"),
        ("7 200 теңге", "7200", "KZT"),
        ("40 долларов", "40", "USD"),
        ("61,30 бел. руб.", "61.30", "BYN"),
        ("新台幣 860", "860", "TWD"),
        ("￦27,000", "27000", "KRW"),
        ("2,300 yen", "2300", "JPY"),
        ("215.000 đồng", "215000", "VND"),
        ("Rp. 88.000", "88000", "IDR"),
        ("7 500 FCFA", "7500", "XOF"),
        ("Ksh. 2,350", "2350", "KES"),
        ("340 Birr", "340", "ETB"),
        ("31 ευρώ", "31", "EUR"),
        ("249 korun", "249", "CZK"),
        ("79,90 Zł", "79.90", "PLN"),
        ("$6.20 400 g", "6.20", "USD"),
        ("£8.75 250ml", "8.75", "GBP"),
        ("$0.0375", "0.0375", "USD"),
        ("0,00862 €", "0.0086", "EUR"),
        ("14 90 €", "14.90", "EUR"),
        ("$ 8 25", "8.25", "USD"),
        ("Price:-7.40$", "7.40", "USD"),
    ],
)
def test_a_price_is_read_as_its_country_writes_it(text: str, amount: str, currency: str) -> None:
    money = find_money(text, HERE)[0]
    assert (money.amount, money.currency) == (amount, currency)


@pytest.mark.parametrize(
    ("sign", "place", "currency"),
    [
        ("$5", PricePlace(ending="ca"), "CAD"),
        ("$5", PricePlace(language="en-AU"), "AUD"),
        ("$5", PricePlace(declared="MXN"), "MXN"),
        ("$5", PricePlace(ending="com"), "USD"),
        ("$5", PricePlace(declared="EUR"), "USD"),
        ("5 руб", PricePlace(ending="by"), "BYN"),
        ("5 درهم", PricePlace(language="ar-MA"), "MAD"),
        ("5 ريال", PricePlace(ending="qa"), "QAR"),
        ("5 دينار", PricePlace(language="ar-JO"), "JOD"),
        ("5 ден", PricePlace(ending="mk"), "MKD"),
        ("5 ден.", PricePlace(declared="MKD"), "MKD"),
        ("5 kr", PricePlace(language="nb"), "NOK"),
        ("5 kr", PricePlace(ending="dk"), "DKK"),
        ("¥5", PricePlace(ending="cn"), "CNY"),
        ("¥5", PricePlace(language="ja"), "JPY"),
        ("Rs 5", PricePlace(ending="pk"), "PKR"),
        ("Rs 5", PricePlace(ending="mu"), "MUR"),
        ("C$ 5", PricePlace(ending="ni"), "NIO"),
        ("C$ 5", PricePlace(ending="com"), "CAD"),
        ("$ 5", PricePlace(language="es", ending="co"), "COP"),
        ("$ 5", PricePlace(language="en", ending="co"), "USD"),
        ("5元", PricePlace(language="zh-TW"), "TWD"),
        ("5元", PricePlace(language="zh"), "CNY"),
        ("5 lei", PricePlace(ending="md"), "MDL"),
        ("5 FCFA", PricePlace(ending="cm"), "XAF"),
        ("Bs. 5", PricePlace(ending="ve"), "VES"),
        ("Br 5", PricePlace(ending="et"), "ETB"),
        ("5 Br", PricePlace(ending="by"), "BYN"),
        ("5 pesos", PricePlace(language="es-AR"), "ARS"),
        ("Q5.00", PricePlace(ending="gt"), "GTQ"),
        ("L 5.00", PricePlace(ending="hn"), "HNL"),
        ("K5", PricePlace(ending="zm"), "ZMW"),
        ("5 MT", PricePlace(ending="mz"), "MZN"),
        ("Kz 5", PricePlace(language="pt", ending="ao"), "AOA"),
        ("5 DT", PricePlace(ending="tn"), "TND"),
        ("SR 5", PricePlace(ending="sa"), "SAR"),
    ],
)
def test_a_shared_sign_means_the_currency_of_the_place(
    sign: str, place: PricePlace, currency: str
) -> None:
    assert find_money(sign, place)[0].currency == currency


def test_was_and_now_are_two_amounts_in_their_order() -> None:
    assert [money.amount for money in find_money("was $20.00 now $15", HERE)] == ["20", "15"]


def test_both_ends_of_a_range_have_its_currency() -> None:
    found = find_money("10 - 20,50 €", HERE)
    assert [(money.amount, money.currency) for money in found] == [("10", "EUR"), ("20.50", "EUR")]


def test_in_a_sentence_a_gap_is_between_two_things() -> None:
    text = "We have the sizes 36, 38 and also size 40, 42 € is what each of them costs you here."
    assert [money.amount for money in find_money(text, HERE)] == ["42"]


def test_from_says_that_there_are_dearer_ones() -> None:
    assert find_money("ab 10 €", HERE)[0].is_least
    assert find_money("from $10", HERE)[0].is_least
    assert not find_money("only $10", HERE)[0].is_least


@pytest.mark.parametrize(
    "text",
    [
        "19.99",
        "Cart 3",
        "HDR 10 pixels",
        "Order 66",
        "korkr 12",
        "1 ден",
        "100 гр.",
        "40 км",
        "TOP 10",
        "AMD 5600",
        "ALL 3",
        "CUP 2",
        "L 32",
        "Q4",
        "K 9",
        "MK 2",
        "Ar 40",
        "120 DA",
        "Br 7",
        "2 soles",
        "CFA 2020",
        "Ron 12",
    ],
)
def test_a_number_without_a_currency_is_no_money(text: str) -> None:
    assert find_money(text, HERE) == []


def test_no_number_is_no_amount() -> None:
    assert amount_of("abc") == ""
    assert machine_amount(None) == ""
    assert machine_amount(True) == ""
    assert machine_amount("NaN") == ""


def test_what_machines_are_told_is_read_however_it_is_spelled() -> None:
    told = ["1,299.00", "19.9900", 19.5, "€ 12,50", 1299.0, "12,5", "USD 5"]
    assert [machine_amount(value) for value in told] == [
        "1299", "19.99", "19.50", "12.50", "1299", "12.50", "5",
    ]  # fmt: skip


def test_records_have_cents_where_the_currency_has_any() -> None:
    assert spelled("20", "EUR") == "20.00"
    assert spelled("1980", "JPY") == "1980"
    assert spelled("20.50", "EUR") == "20.50"


def test_a_sign_that_is_none_here_leaves_the_price_to_the_other_one() -> None:
    assert [money.currency for money in find_money("L 32 €", HERE)] == ["EUR"]


def test_a_machine_may_name_any_currency_of_the_world() -> None:
    assert [is_currency(told) for told in ("amd", "TOP", "XCD", "€", "ABC")] == [
        "AMD", "TOP", "XCD", "EUR", "",
    ]  # fmt: skip


def test_a_number_of_pieces_is_no_amount() -> None:
    assert find_amounts("50+") == []
    assert [money.amount for money in find_amounts("50")] == ["50"]
