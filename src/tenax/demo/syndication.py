"""How does a newspaper tell machines what it has? By sitemaps and feeds, made of its stories."""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import format_datetime
from html import escape

from tenax.demo.newsroom import NewsStory
from tenax.demo.site import Reply, Site

FEED_LINK = '<link rel="alternate" type="application/rss+xml" title="Feed" href="/feed.xml">\n'
_PROLOG = '<?xml version="1.0" encoding="UTF-8"?>'
_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


def sitemap_index(site: Site, names: Iterable[str]) -> Reply:
    rows = "".join(f"<sitemap><loc>{site.origin}/{name}</loc></sitemap>\n" for name in names)
    return Reply(_xml("sitemapindex", rows), kind="application/xml")


def sitemap(site: Site, listed: Iterable[NewsStory]) -> bytes:
    rows = "".join(
        f"<url><loc>{site.at(each.path)}</loc>"
        f"<lastmod>{(each.modified or each.published).isoformat()}</lastmod></url>\n"
        for each in listed
    )
    return _xml("urlset", rows)


def feed(site: Site, newest: Iterable[NewsStory]) -> Reply:
    items = "".join(
        f"<item><title>{escape(each.title)}</title><link>{site.at(each.path)}</link>"
        f'<guid isPermaLink="true">{site.at(each.path)}</guid>'
        f"<pubDate>{format_datetime(each.published)}</pubDate></item>\n"
        for each in newest
    )
    xml = (
        f'{_PROLOG}\n<rss version="2.0"><channel><title>{site.title}</title><link>{site.url}</link>'
        f"<description>{site.tagline}</description>\n{items}</channel></rss>\n"
    )
    return Reply(xml.encode(), kind="application/rss+xml")


def _xml(root: str, rows: str) -> bytes:
    return f'{_PROLOG}\n<{root} xmlns="{_SCHEMA}">\n{rows}</{root}>\n'.encode()
