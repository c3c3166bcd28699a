"""What do questions about products need? The ledger alone."""

from __future__ import annotations

from tenax.compose.app import App
from tenax.ports.products import Products


def open_products(app: App) -> Products:
    from tenax.adapters.sql.records.products import SqlProducts

    return SqlProducts(app.database)
