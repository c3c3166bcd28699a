"""The promises of `Products`: once per URL, touched by change alone, prices kept (PROD-3, 5)."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.adapters.sql.records.products import SqlProducts
from tenax.model import Image, ImageKind, Page, Product, Role, Stock
from tenax.outcome import Attempt, Kept
from tenax.ports.products import PriceRecord, ProductFilter, Sighting
from tests.contract.test_pages import FULL
from tests.ledgers import START, Ledger, settlement, target

A = "https://a.example"
KETTLE = Product(
    url=f"{A}/kettle", name="Kettle", description="Boils.", price="19.90", currency="EUR",
    regular_price="25.00", availability=Stock.IN_STOCK, brand="Öfen", category="Kitchen",
    breadcrumbs=("Home", "Kitchen"), sku="K-1", mpn="M-1", gtin="4006381333931", rating=4.5,
    reviews=12, confidence=0.95, confidences={"price": 0.9}, parser_version="1",
    images=(Image(f"{A}/1.jpg", "front", ImageKind.PRIMARY, 0, 480, 480),
            Image(f"{A}/2.jpg", "", ImageKind.THUMBNAIL, 1)),
)  # fmt: skip


async def sell(ledger: Ledger, url: str, product: Product | None, job: str = "job") -> int:
    """Visit a URL once; what its page offers is committed with it."""
    worker, job_id = await ledger.worker(), await ledger.job(job)
    await worker.frontier.add(job_id, [target(url)])
    ledger.clock.time += 5
    (held,) = await worker.frontier.claim([job_id])
    page = replace(FULL, url=url, product=product, fetched_at=ledger.clock.time)
    await worker.frontier.commit([replace(settlement(held, held.targets[0]), page=page)], [held.id])
    return held.targets[0].id


def again(id: int, product: Product | None, at: float) -> Sighting:
    return Sighting(id, at, product)


def store(ledger: Ledger) -> SqlProducts:
    return SqlProducts(ledger.database)


async def test_a_product_is_told_as_its_page_told_it(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    (record,) = await store(ledger).get([id])
    assert record.product == KETTLE
    assert (record.job, record.first_seen_at, record.updated_at) == ("job", START + 5, START + 5)


async def test_a_page_without_a_product_stores_none(ledger: Ledger) -> None:
    await sell(ledger, f"{A}/about", None)
    assert await store(ledger).find(ProductFilter()) == []


async def test_what_did_not_change_is_not_touched(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    # Who read it, and how sure they were, is not what it is.
    same = replace(KETTLE, confidence=0.6, confidences={}, parser_version="2")
    assert await store(ledger).note([again(id, same, START + 900)]) == 0
    (record,) = await store(ledger).get([id])
    assert record.updated_at == START + 5


async def test_a_change_moves_updated_at_and_nothing_else(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    renamed = replace(KETTLE, name="Teakettle", images=KETTLE.images[:1])
    assert await store(ledger).note([again(id, renamed, START + 900)]) == 1
    (record,) = await store(ledger).get([id])
    assert (record.product.name, record.product.images) == ("Teakettle", KETTLE.images[:1])
    assert (record.first_seen_at, record.updated_at) == (START + 5, START + 900)


async def test_every_change_of_price_is_kept(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    products = store(ledger)
    await products.note([again(id, replace(KETTLE, name="Teakettle"), START + 100)])
    cheaper = replace(KETTLE, price="17.00")
    await products.note([again(id, cheaper, START + 200)])
    await products.note([again(id, cheaper, START + 300)])
    await products.note([again(id, replace(KETTLE, price="21.00", regular_price=""), START + 400)])
    assert await products.history(id) == [
        PriceRecord(START + 5, "19.90", "EUR", "25.00"),
        PriceRecord(START + 200, "17.00", "EUR", "25.00"),
        PriceRecord(START + 400, "21.00", "EUR", ""),
    ]


async def test_products_are_found_by_what_they_are(ledger: Ledger) -> None:
    products = store(ledger)
    lamp = replace(
        KETTLE, name="Lamp 100%", brand="Lumen", price="120.00", category="Light", sku="L-7",
        availability=Stock.OUT_OF_STOCK, currency="USD",
    )  # fmt: skip
    await sell(ledger, f"{A}/kettle", KETTLE)
    await sell(ledger, f"{A}/lamp", lamp, job="other")
    asked = {
        "kettle": ProductFilter(text="KETT"),
        "lamp": ProductFilter(text="100%"),
        "by number": ProductFilter(text="l-7"),
        "brand": ProductFilter(brand="lumen"),
        "category": ProductFilter(category="Kitchen"),
        "out": ProductFilter(availability=Stock.OUT_OF_STOCK),
        "dear": ProductFilter(lowest=100),
        "cheap": ProductFilter(highest=100),
        "dollars": ProductFilter(currency="usd"),
        "job": ProductFilter(job="other"),
        "host": ProductFilter(host="b.example"),
    }
    found = {what: [r.product.name for r in await products.find(w)] for what, w in asked.items()}
    assert found == {
        "kettle": ["Kettle"], "lamp": ["Lamp 100%"], "by number": ["Lamp 100%"],
        "brand": ["Lamp 100%"], "category": ["Kettle"], "out": ["Lamp 100%"],
        "dear": ["Lamp 100%"], "cheap": ["Kettle"], "dollars": ["Lamp 100%"],
        "job": ["Lamp 100%"], "host": [],
    }  # fmt: skip
    assert await products.count(ProductFilter(lowest=100)) == 1


async def test_those_that_cost_less_than_at_first_are_found(ledger: Ledger) -> None:
    products = store(ledger)
    kettle = await sell(ledger, f"{A}/kettle", KETTLE)
    await sell(ledger, f"{A}/lamp", replace(KETTLE, name="Lamp"))
    await products.note([again(kettle, replace(KETTLE, price="9.00"), START + 200)])
    assert [r.product.name for r in await products.find(ProductFilter(is_cheaper=True))] == [
        "Kettle"
    ]


async def test_pages_of_products_come_in_parts(ledger: Ledger) -> None:
    products = store(ledger)
    for n in range(3):
        await sell(ledger, f"{A}/{n}", replace(KETTLE, name=f"Kettle {n}"))
    first = await products.find(ProductFilter(), limit=2)
    rest = await products.find(ProductFilter(), after=first[-1].target_id, limit=2)
    assert [r.product.name for r in (*first, *rest)] == ["Kettle 0", "Kettle 1", "Kettle 2"]


async def test_a_page_that_asks_not_to_be_kept_takes_its_product_along(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    await worker.frontier.revisit(job_id)
    ledger.clock.time += 5
    (held,) = await worker.frontier.claim([job_id])
    gone = replace(settlement(held, held.targets[0]), page=None, kept=Kept.DROPPED, renews=True)
    await worker.frontier.commit([gone], [held.id])
    assert await store(ledger).get([id]) == []
    assert await store(ledger).history(id) == []


async def test_how_well_a_site_can_be_read_is_counted_by_day_and_version(ledger: Ledger) -> None:
    products = store(ledger)
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    await sell(ledger, f"{A}/lamp", replace(KETTLE, problems=("no price",)))
    day = 86_400.0
    # A page that had a product and has none any more is a page its parser could not read.
    await products.note([again(id, None, START + day)])
    newer = replace(KETTLE, parser_version="2")
    await products.note([again(id, newer, START + day)])
    found = [(r.site, r.parser, r.version, r.pages, r.complete) for r in await products.rates()]
    assert found == [
        ("a.example", "generic", "1", 2, 1),
        ("a.example", "generic", "1", 1, 0),
        ("a.example", "generic", "2", 1, 1),
    ]


async def picture(ledger: Ledger, url: str, body: bytes) -> None:
    """Visit a picture's URL, which led to another."""
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [replace(target(url), role=Role.IMAGE)])
    ledger.clock.time += 5
    (held,) = await worker.frontier.claim([job_id])
    found = Page(f"{url}?v=2", 200, "image/png", body, START, digest=b"p" * 32)
    tried = Attempt(START, "read", 200, chain=(url, found.url))
    visit = replace(settlement(held, held.targets[0]), page=None, image=found, attempt=tried)
    await worker.frontier.commit([visit], [held.id])


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x80\x00\x00\x01\xe0"


async def test_what_a_downloaded_picture_is_like_is_known_wherever_it_is_shown(
    ledger: Ledger,
) -> None:
    products = store(ledger)
    kettle = await sell(ledger, f"{A}/kettle", KETTLE)
    await picture(ledger, f"{A}/2.jpg", PNG)
    lamp = await sell(ledger, f"{A}/lamp", replace(KETTLE, name="Lamp"))
    await products.note([again(kettle, replace(KETTLE, name="Teakettle"), START + 900)])
    for record in await products.get([kettle, lamp]):
        first, second = record.product.images
        assert (first.size, first.digest, first.width) == (None, "", 480)
        assert (second.width, second.height, second.size) == (640, 480, len(PNG))
        assert second.digest == (b"p" * 32).hex()
    assert await ledger.pages.find() != []
    assert all(each.content_type != "image/png" for each in await ledger.pages.find())


async def test_a_picture_that_cannot_be_measured_keeps_what_its_page_says(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    await picture(ledger, f"{A}/1.jpg", b"not a format we know")
    (record,) = await store(ledger).get([id])
    assert (record.product.images[0].width, record.product.images[0].size) == (480, 20)


async def test_products_go_with_their_job(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    while not (await ledger.jobs.delete(await ledger.job())).is_gone:
        pass
    assert await store(ledger).get([id]) == []
    assert await store(ledger).history(id) == []
