"""What does somebody need who looks on? The ledger alone."""

from __future__ import annotations

from tenax.compose.app import App
from tenax.ports.overview import Overview


def open_overview(app: App) -> Overview:
    from tenax.adapters.sql.reports.overview import SqlOverview

    return SqlOverview(app.database, app.parts.clock)
