"""An index that names ever more sitemaps: does the crawl end, find every page, and say so?"""

from __future__ import annotations

from dataclasses import dataclass

from tenax.demo import Reply, Site, SiteRequest, Truth, serving
from tests.e2e.command import Tenax

HEAD = '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def test_sitemaps_without_end_end_and_the_user_is_told(tenax: Tenax) -> None:
    site = EndlessIndexSite()
    with serving([site]) as web:
        few = {"listing__budget": 25, "listing__ahead": 3, "job__discover": "sitemaps"}
        ended = tenax.crawl(site.url, "--delay", "0", **few)
        shown = tenax.run("hosts", site.url, listing__budget=25)
    asked = [visit.path for visit in web.log]
    assert ended.code == 0, ended.err
    # Three are the well-known names, which are tried where robots.txt names another.
    listings = ("/map", "/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml")
    assert sum(path.startswith(listings) for path in asked) == 25
    assert sum(path.startswith("/page/") for path in asked) == 10
    assert "names more than 25 sitemaps" in ended.err
    assert "listing_limit" in ended.err
    assert "25 sitemaps in job" in shown.out
    assert "all that listing.budget allows" in shown.out
    assert tenax.audit().code == 0


@dataclass
class EndlessIndexSite(Site):
    name: str = "endless"

    def answer(self, request: SiteRequest) -> Reply:
        if request.path == "/robots.txt":
            return self.robots("User-agent: *", f"Sitemap: {self.origin}/map.xml")
        if request.path.startswith("/map"):
            name = f"{self.origin}{request.path.removesuffix('.xml')}"
            maps = "".join(f"<sitemap><loc>{name}-{n}.xml</loc></sitemap>" for n in range(20))
            body = f"{HEAD}{maps}</sitemapindex>".encode()
            return Reply(body, kind="application/xml")
        if request.path == "/":
            return self.page("Home", " ".join(f'<a href="/page/{n}">{n}</a>' for n in range(10)))
        return self.page(request.path, f"<p>{request.path} has words of its own.</p>")

    def truth(self) -> Truth:
        return Truth(front=self.url)
