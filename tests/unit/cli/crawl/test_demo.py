"""Does the demo say honestly how it went, and how it was hurried?"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tenax.cli.crawl.demo import BRISK, settings_file
from tenax.cli.crawl.demo_report import SiteReport, Told, browser_advice, discoveries, wares
from tenax.demo.catalogue import products
from tenax.demo.truth import Rendered, Trap, Truth
from tenax.model import Product, ProductStatus, Stock
from tenax.ports import PageRecord
from tenax.ports.products import ProductRecord
from tenax.settings import Settings, load

FRONT = "http://127.0.0.1:9000/"
PLAIN = Truth(FRONT, pages=frozenset({FRONT, FRONT + "b"}))
WALLED = replace(PLAIN, garbage={FRONT + "wall": "captcha", FRONT + "login": "login_wall"})
SCRIPTED = Truth(
    FRONT, garbage={FRONT: "needs_javascript"}, rendered={FRONT: Rendered("t", "text", ())}
)
WALL = Told("wall", "/wall", "captcha", "title 'are you a human'")


def report(known: Truth, *stored: str, **more: Any) -> SiteReport:
    pages = tuple(_page(number, FRONT + path) for number, path in enumerate(stored))
    facts: dict[str, Any] = {"told": (), "requests": 3, "breaches": 0} | more
    return SiteReport(name="wall", truth=known, stored=pages, **facts)


def _page(number: int, url: str) -> PageRecord:
    return PageRecord(
        target_id=number, job="demo", url=url, final_url=url, status=200, content_type="text/html",
        charset="utf-8", title="", description="", canonical="", language="", published="",
        modified="", digest="", content_hash="", length=1, words=1, link_count=0, fetched_at=0.0,
        url_hash="", depth=0, etag="", last_modified="", rights=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        (report(PLAIN, "", "b"), "complete"),
        (report(PLAIN, ""), "1 missed"),
        (report(replace(PLAIN, traps=(Trap("t", (FRONT,), 1),)), "", "b"),
         "complete, its traps bounded"),
        (report(Truth(FRONT)), "left alone"),
        (report(Truth(FRONT), ""), "STORED, AND CLOSED TO US"),
        (report(WALLED, "", "b", told=(WALL,)), "complete; 1 of 2 fake pages refused"),
        (report(WALLED, "", "b", "wall", told=()),
         "complete; 0 of 2 fake pages refused; 1 FAKE PAGES STORED"),
        (report(SCRIPTED, "", by_browser=True), "complete, made by a browser"),
        (report(SCRIPTED), "1 missed: needs a browser, see below"),
        (report(SCRIPTED, ""),
         "complete: needs a browser, see below; 1 FAKE PAGES STORED"),
    ],
)  # fmt: skip
def test_a_site_is_held_against_what_is_there(told: SiteReport, verdict: str) -> None:
    assert told.line().endswith(f"0 forbidden   {verdict}")


def test_a_request_that_had_to_be_left_alone_is_shouted() -> None:
    assert " 2 FORBIDDEN " in report(PLAIN, "", "b", breaches=2).line()


def test_how_much_was_found_that_no_link_leads_to_is_told_in_one_line() -> None:
    way, other = frozenset({FRONT + "old", FRONT + "older"}), frozenset({FRONT + "old"})
    deep = replace(PLAIN, hidden={"sitemap": way, "feed": other, "script": frozenset({FRONT})})
    (line,) = discoveries([report(PLAIN, ""), report(deep, "", "old")])
    assert line == "\nNo link leads to 2 pages; 1 were discovered: wall 1 of 2."
    assert list(discoveries([report(PLAIN), report(SCRIPTED)])) == []


def test_how_to_get_a_browser_is_told_where_one_was_missed() -> None:
    advice = "\n".join(browser_advice([report(PLAIN), report(SCRIPTED)]))
    assert "pip install 'tenax-crawler[browser]'" in advice
    assert "Chromium" in advice
    assert "tenax doctor" in advice


def test_nobody_is_told_to_get_a_browser_who_had_one() -> None:
    assert list(browser_advice([report(PLAIN), report(SCRIPTED, "", by_browser=True)])) == []


def test_evidence_from_the_web_stays_on_its_line() -> None:
    line = Told("wall", "/wall", "captcha", "title '\x1b[2J\n" + "x" * 500).line()
    assert line.isprintable()
    assert len(line) <= 100


def test_the_demo_says_how_many_products_were_read_right() -> None:
    goods = {each.url: each for each in products("https://shop.example")[:3]}
    shop = SiteReport("shop", Truth("https://shop.example/", products=goods), (), (), 0, 0)
    read = [
        ProductRecord(
            n, ("demo",),
            Product(each.url, each.name, "", each.price, each.currency, "",
                    Stock(each.availability), each.brand, each.category, sku=each.sku),
            ProductStatus.LISTED, 0.0, 0.0, 0.0, 0.0,
        )
        for n, each in enumerate(goods.values())
    ]  # fmt: skip
    assert "Of 3 products for sale 3 were read, 3 of them" in "".join(wares([shop], read))
    wrong = replace(read[0], product=replace(read[0].product, price="1.00"))
    assert "2 were read, 1 of them" in "".join(wares([shop], [wrong, read[1]]))
    other = replace(read[0], product=replace(read[0].product, url="https://shop.example/about"))
    assert "1 page TAKEN FOR A PRODUCT'S" in "".join(wares([shop], [other]))
    assert list(wares([replace(shop, truth=Truth("https://a.example/"))], [])) == []


def test_the_settings_of_the_demo_can_be_used_and_name_the_defaults_they_replace() -> None:
    text = settings_file(Path('/tmp/a "quoted" folder'))
    assert tomllib.loads(text)["data"] == '/tmp/a "quoted" folder'
    for name, value in BRISK.items():
        default = _setting(Settings(), name)
        assert default != value, "nothing to be honest about"
        (line,) = [line for line in text.splitlines() if line.startswith(f"{name} = ")]
        told = line.partition("# default: ")[2]
        assert told == ("none" if default is None else str(_as_list(default)))


def test_the_demo_is_hurried_by_what_its_settings_say(tmp_path: Path) -> None:
    file = tmp_path / "tenax.toml"
    file.write_text(settings_file(tmp_path))
    settings = load(file=file, environment={}).settings
    for name, value in BRISK.items():
        assert _setting(settings, name) == value


def _setting(settings: Settings, name: str) -> object:
    found: object = settings
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _as_list(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
