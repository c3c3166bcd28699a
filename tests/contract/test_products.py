"""The promises of `Products`: once per URL whichever jobs saw it, touched by change alone, prices
and availabilities kept, and said whether it is still there (PROD-3, 5)."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.sql.records import products as sql_products
from tenax.adapters.sql.records.products import SqlProducts
from tenax.model import (
    Image,
    ImageKind,
    OutcomeWord,
    Page,
    Product,
    ProductStatus,
    Role,
    State,
    Stock,
)
from tenax.outcome import Attempt, End, Kept
from tenax.ports.products import PriceRecord, ProductFilter, ProductRecord, Sighting, StockRecord
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


async def visit(ledger: Ledger, outcome: OutcomeWord, cause: str = "", job: str = "job") -> float:
    """Visit again what there is, which ends so; when that was."""
    worker, job_id = await ledger.worker(), await ledger.job(job)
    await worker.frontier.revisit(job_id, gone_before=ledger.clock.time + 1)
    ledger.clock.time += 5
    (held,) = await worker.frontier.claim([job_id])
    state = {OutcomeWord.UNCHANGED: State.DONE, OutcomeWord.STALE: State.DONE}.get(
        outcome, State.GONE if outcome is OutcomeWord.GONE else State.REJECTED
    )
    kept = Kept.CHECKED if outcome is OutcomeWord.UNCHANGED else Kept.STALE
    tried = Attempt(ledger.clock.time, outcome.value, 200)
    done = replace(
        settlement(held, held.targets[0], End(state)), page=None, attempt=tried, outcome=outcome,
        cause=cause, renews=True, kept=kept, stale="" if kept is Kept.CHECKED else outcome.value,
    )  # fmt: skip
    await worker.frontier.commit([done], [held.id])
    return ledger.clock.time


async def record_of(ledger: Ledger, target_id: int) -> ProductRecord:
    return (await store(ledger).of_targets([target_id]))[target_id]


def again(id: int, product: Product | None, at: float) -> Sighting:
    return Sighting(id, at, product)


def store(ledger: Ledger) -> SqlProducts:
    return SqlProducts(ledger.database)


async def test_a_product_is_told_as_its_page_told_it(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    record = await record_of(ledger, id)
    assert record.product == KETTLE
    assert (record.jobs, record.status) == (("job",), ProductStatus.LISTED)
    assert (record.job, record.first_seen_at, record.updated_at) == ("job", START + 5, START + 5)


async def test_a_page_without_a_product_stores_none(ledger: Ledger) -> None:
    await sell(ledger, f"{A}/about", None)
    assert await store(ledger).find(ProductFilter()) == []


async def test_what_did_not_change_is_not_touched(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    # Who read it, and how sure they were, is not what it is.
    same = replace(KETTLE, confidence=0.6, confidences={}, parser_version="2")
    assert await store(ledger).note([again(id, same, START + 900)]) == 0
    record = await record_of(ledger, id)
    assert record.updated_at == START + 5


async def test_a_change_moves_updated_at_and_nothing_else(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    renamed = replace(KETTLE, name="Teakettle", images=KETTLE.images[:1])
    assert await store(ledger).note([again(id, renamed, START + 900)]) == 1
    record = await record_of(ledger, id)
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
    assert await products.history((await record_of(ledger, id)).id) == [
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
    rest = await products.find(ProductFilter(), after=first[-1].id, limit=2)
    assert [r.product.name for r in (*first, *rest)] == ["Kettle 0", "Kettle 1", "Kettle 2"]


async def test_a_page_that_asks_not_to_be_kept_takes_its_product_along(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    await worker.frontier.revisit(job_id)
    ledger.clock.time += 5
    (held,) = await worker.frontier.claim([job_id])
    gone = replace(settlement(held, held.targets[0]), page=None, kept=Kept.DROPPED, renews=True)
    was = await record_of(ledger, id)
    await worker.frontier.commit([gone], [held.id])
    assert await store(ledger).of_targets([id]) == {}
    assert (await store(ledger).get([was.id]), await store(ledger).history(was.id)) == ([], [])


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
    for record in (await products.of_targets([kettle, lamp])).values():
        first, second = record.product.images
        assert (first.size, first.digest, first.width) == (None, "", 480)
        assert (second.width, second.height, second.size) == (640, 480, len(PNG))
        assert second.digest == (b"p" * 32).hex()
    assert await ledger.pages.find() != []
    assert all(each.content_type != "image/png" for each in await ledger.pages.find())


async def test_a_picture_that_cannot_be_measured_keeps_what_its_page_says(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    await picture(ledger, f"{A}/1.jpg", b"not a format we know")
    record = await record_of(ledger, id)
    assert (record.product.images[0].width, record.product.images[0].size) == (480, 20)


async def delete(ledger: Ledger, job: str) -> None:
    while not (await ledger.jobs.delete(await ledger.job(job))).is_gone:
        assert await ledger.auditor.audit() == []


async def test_products_go_with_their_job(ledger: Ledger) -> None:
    record = await record_of(ledger, await sell(ledger, f"{A}/kettle", KETTLE))
    await delete(ledger, "job")
    products = store(ledger)
    assert await products.find(ProductFilter()) == []
    assert (await products.history(record.id), await products.stock(record.id)) == ([], [])


async def test_jobs_share_one_product_and_one_history(ledger: Ledger) -> None:
    products = store(ledger)
    first = await sell(ledger, f"{A}/kettle", KETTLE)
    second = await sell(ledger, f"{A}/kettle", replace(KETTLE, price="17.00"), job="other")
    (record,) = await products.find(ProductFilter())
    assert await products.of_targets([first, second]) == {first: record, second: record}
    assert (record.jobs, record.product.price) == (("job", "other"), "17.00")
    assert (record.first_seen_at, record.updated_at) == (START + 5, START + 10)
    assert [price.price for price in await products.history(record.id)] == ["19.90", "17.00"]
    for job in ("job", "other"):
        assert [r.id for r in await products.find(ProductFilter(job=job))] == [record.id]


async def test_deleting_a_job_leaves_the_history_that_another_shares(ledger: Ledger) -> None:
    products = store(ledger)
    await sell(ledger, f"{A}/kettle", KETTLE)
    await sell(ledger, f"{A}/kettle", replace(KETTLE, price="17.00"), job="other")
    await sell(ledger, f"{A}/lamp", replace(KETTLE, name="Lamp"))
    await delete(ledger, "job")
    (record,) = await products.find(ProductFilter())
    assert (record.jobs, record.product.url) == (("other",), f"{A}/kettle")
    assert [price.price for price in await products.history(record.id)] == ["19.90", "17.00"]
    assert len(record.product.images) == 2
    await delete(ledger, "other")
    assert await products.find(ProductFilter()) == []


async def test_what_an_older_page_says_is_no_news(ledger: Ledger) -> None:
    """The body that one job stored on Monday, read again when another has seen Tuesday's."""
    products = store(ledger)
    first = await sell(ledger, f"{A}/kettle", KETTLE)
    second = await sell(ledger, f"{A}/kettle", replace(KETTLE, price="17.00"), job="other")
    assert await products.note([again(first, KETTLE, START + 5)]) == 0
    assert await products.note([again(first, None, START + 5)]) == 0
    assert (await record_of(ledger, second)).product.price == "17.00"


@pytest.mark.parametrize(
    ("outcome", "cause", "status"),
    [
        (OutcomeWord.GONE, "", ProductStatus.DELISTED),
        (OutcomeWord.GARBAGE, "soft_404", ProductStatus.DELISTED),
        (OutcomeWord.GARBAGE, "captcha", ProductStatus.UNKNOWN),
        (OutcomeWord.STALE, "server_error", ProductStatus.UNKNOWN),
        (OutcomeWord.UNCHANGED, "304", ProductStatus.LISTED),
    ],
)
async def test_how_a_visit_ends_says_whether_a_product_is_still_there(
    ledger: Ledger, outcome: OutcomeWord, cause: str, status: ProductStatus
) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    before = await record_of(ledger, id)
    at = await visit(ledger, outcome, cause)
    now = await record_of(ledger, id)
    assert (now.status, now.product) == (status, before.product)
    assert now.last_seen_at == (at if status is ProductStatus.LISTED else before.last_seen_at)
    assert now.confirmed_at == (before.confirmed_at if status is ProductStatus.UNKNOWN else at)
    # Only what became of the product is a change of it; not what became of us.
    assert now.updated_at == (at if status is ProductStatus.DELISTED else before.updated_at)


async def test_a_page_that_offers_nothing_any_more_delists(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    await store(ledger).note([again(id, None, START + 100)])
    record = await record_of(ledger, id)
    assert (record.status, record.updated_at) == (ProductStatus.DELISTED, START + 100)
    assert record.last_seen_at == START + 5
    # And a 304 to that page does not bring it back.
    ledger.clock.time += 100
    await visit(ledger, OutcomeWord.UNCHANGED)
    assert (await record_of(ledger, id)).status is ProductStatus.DELISTED


async def test_a_job_that_reads_no_products_says_nothing_of_them(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    worker = await ledger.worker()
    job_id = await ledger.job("blind", products=False)
    await worker.frontier.add(job_id, [target(f"{A}/kettle")])
    ledger.clock.time += 5
    (held,) = await worker.frontier.claim([job_id])
    page = replace(FULL, url=f"{A}/kettle", fetched_at=ledger.clock.time)
    await worker.frontier.commit([replace(settlement(held, held.targets[0]), page=page)], [held.id])
    record = await record_of(ledger, id)
    assert (record.status, record.jobs) == (ProductStatus.LISTED, ("job",))


async def test_a_404_that_another_job_finds_delists_as_well(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    worker, job_id = await ledger.worker(), await ledger.job("other")
    await worker.frontier.add(job_id, [target(f"{A}/kettle")])
    ledger.clock.time += 5
    (held,) = await worker.frontier.claim([job_id])
    tried = Attempt(ledger.clock.time, "gone", 404)
    gone = replace(settlement(held, held.targets[0], End(State.GONE)),
                   outcome=OutcomeWord.GONE, attempt=tried)  # fmt: skip
    await worker.frontier.commit([gone], [held.id])
    assert (await record_of(ledger, id)).status is ProductStatus.DELISTED


async def test_availability_has_a_history_like_the_price(ledger: Ledger) -> None:
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    products, sold_out = store(ledger), replace(KETTLE, availability=Stock.OUT_OF_STOCK)
    await products.note([again(id, sold_out, START + 100)])
    await products.note([again(id, replace(sold_out, price="18.00"), START + 200)])
    ledger.clock.time = START + 300
    gone = await visit(ledger, OutcomeWord.GONE)
    await visit(ledger, OutcomeWord.STALE)
    await products.note([again(id, KETTLE, START + 400)])
    record = await record_of(ledger, id)
    assert record.status is ProductStatus.LISTED
    assert await products.stock(record.id) == [
        StockRecord(START + 5, Stock.IN_STOCK, ProductStatus.LISTED),
        StockRecord(START + 100, Stock.OUT_OF_STOCK, ProductStatus.LISTED),
        StockRecord(gone, Stock.OUT_OF_STOCK, ProductStatus.DELISTED),
        StockRecord(START + 400, Stock.IN_STOCK, ProductStatus.LISTED),
    ]
    assert [p.price for p in await products.history(record.id)] == ["19.90", "18.00", "19.90"]


async def test_two_jobs_may_see_a_product_in_one_commit(ledger: Ledger) -> None:
    """Of one batch, each after the other, in the order of their visits."""
    ids = [await sell(ledger, f"{A}/kettle", None, job=job) for job in ("one", "two")]
    products = store(ledger)
    dearer = replace(KETTLE, price="21.00")
    await products.note([again(ids[1], dearer, START + 200), again(ids[0], KETTLE, START + 100)])
    (record,) = await products.find(ProductFilter())
    assert (record.jobs, record.product.price) == (("one", "two"), "21.00")
    assert (record.first_seen_at, record.updated_at) == (START + 100, START + 200)
    assert [p.price for p in await products.history(record.id)] == ["19.90", "21.00"]


@pytest.mark.parametrize(
    "wanted",
    [
        ProductFilter(sku="k-1"), ProductFilter(gtin="04006381333931"), ProductFilter(mpn="M-1"),
        ProductFilter(brand="ÖFEN"), ProductFilter(category="kitchen"),
        ProductFilter(availability=Stock.IN_STOCK, currency="EUR"), ProductFilter(job="job"),
        ProductFilter(status=ProductStatus.LISTED), ProductFilter(lowest_rating=4.5),
        ProductFilter(changed_since=START), ProductFilter(lowest=19, highest=20),
    ],
    ids=lambda wanted: ",".join(n for n in wanted.__struct_fields__ if getattr(wanted, n)),
)  # fmt: skip
async def test_products_are_found_by_an_index(ledger: Ledger, wanted: ProductFilter) -> None:
    """No answer looks at every product: the plan of SQLite names an index, and so it can go on."""
    products = store(ledger)
    await sell(ledger, f"{A}/kettle", KETTLE)
    assert [record.product.sku for record in await products.find(wanted)] == ["K-1"]
    assert await products.find(wanted, after=1_000) == []
    database = ledger.workers[0].database
    steps = await database.read(lambda c: _plan(c, wanted))
    by_all = ("SCAN products", "SEARCH products USING INTEGER PRIMARY KEY (rowid>?)")
    assert not [step for step in steps if step in by_all], steps


def _plan(connection: sa.Connection, wanted: ProductFilter) -> list[str]:
    if connection.dialect.name != "sqlite":
        return []
    query = sql_products.find_query(wanted, 0, 100)
    made = query.compile(connection, compile_kwargs={"literal_binds": True})
    return [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {made}")]


async def test_a_page_read_again_after_it_is_gone_corrects_what_was_known(ledger: Ledger) -> None:
    """Other code reads another availability in the stored body; the page is gone all the same."""
    id = await sell(ledger, f"{A}/kettle", KETTLE)
    gone = await visit(ledger, OutcomeWord.GONE)
    other = replace(KETTLE, availability=Stock.PRE_ORDER, price="18.00")
    assert await store(ledger).note([again(id, other, START + 5)]) == 1
    record = await record_of(ledger, id)
    assert (record.status, record.product.price) == (ProductStatus.DELISTED, "18.00")
    assert [p.price for p in await store(ledger).history(record.id)] == ["18.00"]
    last = (await store(ledger).stock(record.id))[-1]
    assert last == StockRecord(gone, Stock.PRE_ORDER, ProductStatus.DELISTED)
    assert await ledger.auditor.audit() == []
