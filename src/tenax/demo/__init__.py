"""The demo web: a family of local sites, known to the last page, to prove a crawler on."""

from __future__ import annotations

from tenax.demo.chronicle import ChronicleSite
from tenax.demo.flaky import FlakySite
from tenax.demo.server import SITES, DemoWeb, serving
from tenax.demo.site import Cut, LoggedRequest, Reply, Site, SiteRequest
from tenax.demo.slow import SlowSite
from tenax.demo.tree import TreeSite
from tenax.demo.truth import Article, Rendered, Trap, TrueProduct, Truth, truth

__all__ = [
    "SITES",
    "Article",
    "ChronicleSite",
    "Cut",
    "DemoWeb",
    "FlakySite",
    "LoggedRequest",
    "Rendered",
    "Reply",
    "Site",
    "SiteRequest",
    "SlowSite",
    "Trap",
    "TreeSite",
    "TrueProduct",
    "Truth",
    "serving",
    "truth",
]  # fmt: skip
