"""A product has one row and one history, whichever jobs have seen it, and says whether it is still
there. What several jobs knew of one URL is merged: the newest reading counts, and of the histories
every change stays."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0014"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_KEPT = (
    "name", "brand", "category", "sku", "gtin", "price", "amount", "currency", "availability",
    "details", "content_hash",
)  # fmt: skip
_SHOWN = ("position", "url", "alt", "kind", "width", "height", "size", "digest")
_PRICED = ("price", "currency", "regular_price")
_TERMS = ("sku", "mpn", "gtin", "brand", "category", "availability", "currency")


def upgrade() -> None:
    _put_aside("products", "product_prices", "images")
    _make_tables()
    # Whose row stays: the one that was read last.
    op.execute(
        "CREATE TABLE merged AS SELECT p.target_id, p.job_id, min(p.target_id) OVER same AS id,"
        " row_number() OVER (PARTITION BY t.host_id, t.key ORDER BY"
        " coalesce(g.fetched_at, p.updated_at) DESC, p.target_id) AS place,"
        " coalesce(g.fetched_at, p.updated_at) AS read_at,"
        " max(coalesce(g.checked_at, g.fetched_at, p.updated_at)) OVER same AS seen_at,"
        " min(p.first_seen_at) OVER same AS first_at,"
        " CASE WHEN t.state = 'gone' THEN 'delisted' WHEN g.stale IS NOT NULL THEN 'unknown'"
        " ELSE 'listed' END AS status, t.key, t.host_id, t.url"
        " FROM old_products p JOIN targets t ON t.id = p.target_id"
        " LEFT JOIN pages g ON g.target_id = p.target_id"
        " WINDOW same AS (PARTITION BY t.host_id, t.key)"
    )
    op.execute("CREATE INDEX merged_target ON merged (target_id)")
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    detail = "json_extract(p.details, '$.{}')" if is_sqlite else "(p.details::json ->> '{}')"
    listed = "m.status <> 'delisted'"
    op.execute(
        f"INSERT INTO products (id, key, host_id, url, {', '.join(_KEPT)}, mpn, rating,"
        " regular_price, status, listed, offered, first_seen_at, updated_at, offer_at, read_at,"
        " last_seen_at, confirmed_at)"
        f" SELECT m.id, m.key, m.host_id, m.url, {', '.join(f'p.{name}' for name in _KEPT)},"
        f" {detail.format('mpn')}, CAST({detail.format('rating')} AS DOUBLE PRECISION),"
        f" {detail.format('regular_price')}, m.status, {listed}, {listed}, m.first_at,"
        " p.updated_at, p.updated_at, m.read_at, m.seen_at, m.seen_at"
        " FROM merged m JOIN old_products p ON p.target_id = m.target_id WHERE m.place = 1"
    )
    op.execute(
        "INSERT INTO product_jobs (target_id, job_id, product_id)"
        " SELECT target_id, job_id, id FROM merged"
    )
    op.execute(
        f"INSERT INTO images (product_id, {', '.join(_SHOWN)})"
        f" SELECT m.id, {', '.join(f'i.{name}' for name in _SHOWN)}"
        " FROM merged m JOIN old_images i ON i.target_id = m.target_id WHERE m.place = 1"
    )
    _merge_prices()
    op.execute(
        "INSERT INTO product_stock (product_id, at, availability, listed)"
        " SELECT id, updated_at, availability, listed FROM products"
    )
    _write_terms()
    _drop("old_products", "old_product_prices", "old_images", "merged")
    _go_on_numbering("products")


def _merge_prices() -> None:
    """All of them in one row, without those that only repeat the one before; then what it costs
    now, where another job was the last to see another price."""
    of_one = "PARTITION BY id ORDER BY at"
    before = ", ".join(
        f"lag({name}) OVER (PARTITION BY id ORDER BY at) AS was_{name}" for name in _PRICED
    )
    same = " AND ".join(_is_same(name, f"was_{name}") for name in _PRICED)
    op.execute(
        f"INSERT INTO product_prices (product_id, at, {', '.join(_PRICED)})"
        f" SELECT id, at, {', '.join(_PRICED)} FROM ("
        f"SELECT *, {before}, row_number() OVER ({of_one}) AS number FROM ("
        f"SELECT m.id, o.at, {', '.join(f'o.{name}' for name in _PRICED)},"
        " row_number() OVER (PARTITION BY m.id, o.at ORDER BY m.place) AS choice"
        " FROM merged m JOIN old_product_prices o ON o.target_id = m.target_id"
        ") AS all_of_them WHERE choice = 1) AS in_order"
        f" WHERE number = 1 OR NOT ({same})"
    )
    differs = " OR ".join(f"NOT ({_is_same(f'l.{name}', f'p.{name}')})" for name in _PRICED)
    op.execute(
        f"INSERT INTO product_prices (product_id, at, {', '.join(_PRICED)})"
        f" SELECT p.id, p.read_at, {', '.join(f'p.{name}' for name in _PRICED)} FROM products p"
        " JOIN product_prices l ON l.product_id = p.id AND l.at ="
        " (SELECT max(at) FROM product_prices x WHERE x.product_id = p.id)"
        f" WHERE p.read_at > l.at AND ({differs})"
    )


def _is_same(one: str, other: str) -> str:
    if op.get_bind().dialect.name == "sqlite":
        return f"{one} IS {other}"
    return f"{one} IS NOT DISTINCT FROM {other}"


def _write_terms() -> None:
    """Folded by the program, as those of new products are: databases have ideas of their own of
    what a lower case is."""
    connection = op.get_bind()
    names = ", ".join(_TERMS)
    after = 0
    while rows := connection.execute(
        sa.text(f"SELECT id, {names} FROM products WHERE id > :after ORDER BY id LIMIT 1000"),
        {"after": after},
    ).all():
        after = rows[-1].id
        terms = {
            (field, _folded(field, value), row.id)
            for row in rows
            for field, value in zip(_TERMS, row[1:], strict=True)
            if value and _folded(field, value)
        }
        if terms:
            connection.execute(
                sa.text("INSERT INTO product_terms (field, value, product_id) VALUES (:f, :v, :p)"),
                [{"f": field, "v": value, "p": id} for field, value, id in sorted(terms)],
            )


def _folded(field: str, value: str) -> str:
    """As `ports/products.py` has it today; a migration stays as it is."""
    if field == "gtin":
        return "".join(filter(str.isdigit, value)).lstrip("0")
    return " ".join(value.casefold().split())


def downgrade() -> None:
    """Each job gets what is known of the product, with all of its history."""
    _put_aside("products", "product_prices", "images")
    op.create_table(
        "products",
        sa.Column("target_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("brand", sa.String(), nullable=True),
        sa.Column("category", sa.String(), nullable=True),
        sa.Column("sku", sa.String(), nullable=True),
        sa.Column("gtin", sa.String(), nullable=True),
        sa.Column("price", sa.String(), nullable=True),
        sa.Column("amount", sa.Double(), nullable=True),
        sa.Column("currency", sa.String(3), nullable=True),
        sa.Column("availability", sa.String(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("first_seen_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("target_id"),
    )
    op.create_index("products_job", "products", ["job_id", "target_id"])
    _make_prices("target_id")
    _make_images("target_id")
    copied = (
        ("products", "job_id", (*_KEPT, "first_seen_at", "updated_at"), "id"),
        ("product_prices", "", ("at", *_PRICED), "product_id"),
        ("images", "", _SHOWN, "product_id"),
    )
    for table, more, names, key in copied:
        job = "job_id, " if more else ""
        its_job = "j.job_id, " if more else ""
        op.execute(
            f"INSERT INTO {table} (target_id, {job}{', '.join(names)})"
            f" SELECT j.target_id, {its_job}{', '.join(f'o.{name}' for name in names)}"
            f" FROM product_jobs j JOIN old_{table} o ON o.{key} = j.product_id"
        )
    _drop("old_products", "old_product_prices", "old_images")
    _drop("product_jobs", "product_terms", "product_stock")


def _put_aside(*tables: str) -> None:
    """Copied, not renamed: what names its keys and indexes have is free then."""
    for table in tables:
        op.execute(f"CREATE TABLE old_{table} AS SELECT * FROM {table}")
        op.drop_table(table)


def _drop(*tables: str) -> None:
    for table in tables:
        op.drop_table(table)


def _go_on_numbering(table: str) -> None:
    """SQLite does by itself."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"SELECT setval('{table}_id_seq', coalesce(max(id), 0) + 1, false) FROM {table}")


def _make_tables() -> None:
    op.create_table(
        "products",
        sa.Column("id", _LONG, nullable=False),
        sa.Column("host_id", _LONG, nullable=False),
        sa.Column("key", sa.LargeBinary(12), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("brand", sa.String(), nullable=True),
        sa.Column("category", sa.String(), nullable=True),
        sa.Column("sku", sa.String(), nullable=True),
        sa.Column("mpn", sa.String(), nullable=True),
        sa.Column("gtin", sa.String(), nullable=True),
        sa.Column("price", sa.String(), nullable=True),
        sa.Column("amount", sa.Double(), nullable=True),
        sa.Column("currency", sa.String(3), nullable=True),
        sa.Column("regular_price", sa.String(), nullable=True),
        sa.Column("availability", sa.String(), nullable=True),
        sa.Column("rating", sa.Double(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("offered", sa.Boolean(), nullable=False),
        sa.Column("first_seen_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("offer_at", sa.Double(), nullable=False),
        sa.Column("read_at", sa.Double(), nullable=False),
        sa.Column("last_seen_at", sa.Double(), nullable=False),
        sa.Column("confirmed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("products_identity", "products", ["host_id", "key"], unique=True)
    op.create_index("products_host", "products", ["host_id", "id"])
    op.create_index("products_status", "products", ["status", "id"])
    op.create_index("products_amount", "products", ["amount"])
    op.create_index("products_rating", "products", ["rating"])
    op.create_index("products_updated", "products", ["updated_at"])
    op.create_table(
        "product_jobs",
        sa.Column("target_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("product_id", _LONG, nullable=False),
        sa.PrimaryKeyConstraint("target_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("product_jobs_job", "product_jobs", ["job_id", "product_id"])
    op.create_index("product_jobs_product", "product_jobs", ["product_id"])
    op.create_table(
        "product_terms",
        sa.Column("field", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("product_id", _LONG, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("field", "value", "product_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("product_terms_product", "product_terms", ["product_id"])
    op.create_table(
        "product_stock",
        sa.Column("product_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("availability", sa.String(), nullable=True),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("product_id", "at"),
        sqlite_with_rowid=False,
    )
    _make_prices("product_id")
    _make_images("product_id")


def _make_prices(key: str) -> None:
    op.create_table(
        "product_prices",
        sa.Column(key, _LONG, autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("price", sa.String(), nullable=True),
        sa.Column("currency", sa.String(3), nullable=True),
        sa.Column("regular_price", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint(key, "at"),
        sqlite_with_rowid=False,
    )


def _make_images(key: str) -> None:
    op.create_table(
        "images",
        sa.Column(key, _LONG, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("alt", sa.Text(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("digest", sa.LargeBinary(32), nullable=True),
        sa.PrimaryKeyConstraint(key, "position"),
        sqlite_with_rowid=False,
    )
    op.create_index("images_url", "images", ["url"])
