"""What do questions about links need? The ledger alone."""

from __future__ import annotations

from tenax.compose.app import App
from tenax.ports.graph import LinkGraph


def open_graph(app: App) -> LinkGraph:
    from tenax.adapters.sql.reports.link_graph import SqlLinkGraph

    return SqlLinkGraph(app.database)
