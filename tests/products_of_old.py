"""What did ledgers know of products while every job had its own, and what is that now?"""

from __future__ import annotations

import sqlalchemy as sa

DETAILS = '{"mpn":"M-1","rating":4.5,"regular_price":"25.00","parser":"amazon"}'
_ROWS = (
    "INSERT INTO jobs (id, name, state, spec, created_at) VALUES"
    " (1, 'one', 'done', '{}', 1), (2, 'two', 'done', '{}', 1)",
    "INSERT INTO hosts (id, name, origin) VALUES (1, 'a.example', 'https://a.example')",
    "INSERT INTO lanes (host_id, job_id, known) VALUES (1, 1, 3), (1, 2, 1)",
    "INSERT INTO tallies VALUES (1, 'done', 2), (1, 'gone', 1), (2, 'done', 1), (1, 'pages', 3),"
    " (2, 'pages', 1)",
)
TARGETS = (
    # id, job, key, url, state, fetched at, checked at, stale
    (11, 1, 1, "/kettle", "done", 50.0, 90.0, None),
    (12, 1, 2, "/lamp", "gone", 40.0, None, "gone"),
    (13, 1, 3, "/tray", "done", 40.0, None, "server_error"),
    (21, 2, 1, "/kettle", "done", 70.0, None, None),
)
PRODUCTS = (
    # target, job, price, first seen, updated
    (11, 1, "12.00", 10.0, 50.0),
    (12, 1, "5.00", 10.0, 10.0),
    (13, 1, "6.00", 10.0, 10.0),
    (21, 2, "10.00", 20.0, 60.0),
)
PRICES = ((11, 10.0, "10.00"), (11, 50.0, "12.00"), (12, 10.0, "5.00"), (13, 10.0, "6.00"),
          (21, 20.0, "10.00"), (21, 30.0, "11.00"), (21, 60.0, "10.00"))  # fmt: skip


def fill(connection: sa.Connection) -> None:
    """A ledger of revision 0011: a kettle that two jobs know, and two that one does."""
    for statement in _ROWS:
        connection.exec_driver_sql(statement)
    target = sa.text(
        "INSERT INTO targets (id, job_id, host_id, key, url, state, priority, depth)"
        " VALUES (:id, :job, 1, :key, :url, :state, 5, 1)"
    )
    page = sa.text(
        "INSERT INTO pages (target_id, job_id, url_hash, status, length, words, links, fetched_at,"
        " checked_at, stale) VALUES (:id, :job, :key, 200, 0, 0, 0, :fetched, :checked, :stale)"
    )
    for id, job, key, url, state, fetched, checked, stale in TARGETS:
        row = {"id": id, "job": job, "key": bytes([key])}
        connection.execute(target, row | {"url": url, "state": state})
        connection.execute(page, row | {"fetched": fetched, "checked": checked, "stale": stale})
    product = sa.text(
        "INSERT INTO products (target_id, job_id, name, sku, gtin, brand, price, amount, currency,"
        " availability, details, content_hash, first_seen_at, updated_at) VALUES (:id, :job,"
        " 'Kettle', 'K-1', '04006381333931', 'Öfen', :price, :amount, 'EUR', 'InStock', :details,"
        " :hash, :first, :updated)"
    )
    for id, job, price, first, updated in PRODUCTS:
        connection.execute(product, {
            "id": id, "job": job, "price": price, "amount": float(price), "details": DETAILS,
            "hash": bytes([id]), "first": first, "updated": updated,
        })  # fmt: skip
    was = sa.text(
        "INSERT INTO product_prices (target_id, at, price, currency, regular_price)"
        " VALUES (:id, :at, :price, 'EUR', '25.00')"
    )
    for id, at, price in PRICES:
        connection.execute(was, {"id": id, "at": at, "price": price})
    shown = sa.text(
        "INSERT INTO images (target_id, position, url, kind) VALUES (:id, 0, :u, 'gallery')"
    )
    for id, *_ in PRODUCTS:
        connection.execute(shown, {"id": id, "u": f"/{id}.jpg"})


def check_merged(connection: sa.Connection) -> None:
    """One kettle, as the job that read it last has it, with every price that either has seen."""

    def rows(query: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in connection.exec_driver_sql(query)]

    assert rows(
        "SELECT id, price, mpn, rating, regular_price, status, first_seen_at, updated_at, read_at,"
        " last_seen_at FROM products ORDER BY id"
    ) == [
        (11, "10.00", "M-1", 4.5, "25.00", "listed", 10.0, 60.0, 70.0, 90.0),
        (12, "5.00", "M-1", 4.5, "25.00", "delisted", 10.0, 10.0, 40.0, 40.0),
        (13, "6.00", "M-1", 4.5, "25.00", "unknown", 10.0, 10.0, 40.0, 40.0),
    ]
    assert rows("SELECT target_id, job_id, product_id FROM product_jobs ORDER BY target_id") == [
        (11, 1, 11), (12, 1, 12), (13, 1, 13), (21, 2, 11),
    ]  # fmt: skip
    # 20: the same as before. 50 and 60: what each job saw. The last is what it costs now.
    assert rows("SELECT at, price FROM product_prices WHERE product_id = 11 ORDER BY at") == [
        (10.0, "10.00"), (30.0, "11.00"), (50.0, "12.00"), (60.0, "10.00"),
    ]  # fmt: skip
    assert rows("SELECT product_id, url FROM images ORDER BY product_id") == [
        (11, "/21.jpg"), (12, "/12.jpg"), (13, "/13.jpg"),
    ]  # fmt: skip
    assert rows("SELECT product_id, at, availability FROM product_stock ORDER BY product_id") == [
        (11, 60.0, "InStock"), (12, 10.0, "InStock"), (13, 10.0, "InStock"),
    ]  # fmt: skip
    assert rows("SELECT field, value FROM product_terms WHERE product_id = 11 ORDER BY field") == [
        ("availability", "instock"), ("brand", "öfen"), ("currency", "eur"),
        ("gtin", "4006381333931"), ("mpn", "m-1"), ("sku", "k-1"),
    ]  # fmt: skip
    # What is new gets a number that none has had.
    connection.exec_driver_sql(
        "INSERT INTO products (host_id, key, url, name, details, content_hash, status, listed,"
        " offered, first_seen_at, updated_at, offer_at, read_at, last_seen_at, confirmed_at)"
        " SELECT host_id + 1, key, url, name, details, content_hash, status, listed, offered, 1, 1,"
        " 1, 1, 1, 1 FROM products WHERE id = 11"
    )
    assert rows("SELECT max(id) > 13 FROM products") in ([(1,)], [(True,)])


def check_parted(connection: sa.Connection) -> None:
    """Taken back: each job has what was known, and all of the history."""
    query = "SELECT target_id, job_id, price FROM products ORDER BY target_id"
    assert [tuple(row) for row in connection.exec_driver_sql(query)] == [
        (11, 1, "10.00"), (12, 1, "5.00"), (13, 1, "6.00"), (21, 2, "10.00"),
    ]  # fmt: skip
    query = "SELECT target_id, count(*) FROM product_prices GROUP BY target_id ORDER BY target_id"
    assert [tuple(row) for row in connection.exec_driver_sql(query)] == [
        (11, 4), (12, 1), (13, 1), (21, 4),
    ]  # fmt: skip
