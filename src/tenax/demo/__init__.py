"""The demo web: a family of local sites, known to the last page, to prove a crawler on."""

from __future__ import annotations

from tenax.demo.chronicle import ChronicleSite
from tenax.demo.flaky import FlakySite
from tenax.demo.server import SITES, DemoWeb, serving
from tenax.demo.site import Cut, Reply, Request, Site, Visit
from tenax.demo.slow import SlowSite
from tenax.demo.tree import TreeSite
from tenax.demo.truth import Article, Product, Rendered, Trap, Truth, truth

__all__ = [
    "SITES", "Article", "ChronicleSite", "Cut", "DemoWeb", "FlakySite", "Product", "Rendered",
    "Reply", "Request", "Site", "SlowSite", "Trap", "TreeSite", "Truth", "Visit", "serving",
    "truth",
]  # fmt: skip
