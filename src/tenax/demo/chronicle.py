"""What is a deep archive like to crawl? Hundreds of articles, of which the front page links to
one in twenty and no article to another."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from html import escape

from tenax.demo import syndication
from tenax.demo.newsroom import SECTIONS, NewsStory, article
from tenax.demo.site import Reply, Site, SiteRequest, is_number, paragraphs
from tenax.demo.truth import Truth
from tenax.demo.words import TOWN, Dice, fill, paragraph, slug

FIRST, LAST = datetime(2021, 7, 2, 6, 0, tzinfo=UTC), datetime(2026, 6, 28, 18, 0, tzinfo=UTC)
PER_MONTH_PAGE = 4
IN_FEED = 30
SITEMAPS = ("sitemap-recent.xml", "sitemap-older.xml.gz")
WAYS = ("sitemap", "feed", "archives")
"""How more than the front page can be found, besides `pagination`: named as in `Truth.hidden`."""


@dataclass
class ChronicleSite(Site):
    """Articles filed by date, found by whatever `ways` the site offers.

    By `archives` every month has its pages, at an address one can guess; by `pagination` the
    articles are a blog's, page behind page, and the pages name only the first three of them.
    """

    name: str = "chronicle"
    title: str = "The Merrow Chronicle"
    tagline: str = "A record of small things, kept since 2021."
    articles: int = 400
    ways: tuple[str, ...] = WAYS
    has_empty_pages: bool = False
    """A month without articles has a page all the same, and so has a number beyond the last."""

    def __post_init__(self) -> None:
        if self.articles < 20:
            raise ValueError(
                f"ChronicleSite(articles={self.articles}): at least 20, or the front links to none."
            )

    @cached_property
    def stories(self) -> tuple[NewsStory, ...]:
        """All of them, newest first."""
        return tuple(self._make(number) for number in reversed(range(self.articles)))

    @property
    def on_front(self) -> tuple[NewsStory, ...]:
        return self.stories[: self._front_size]

    @property
    def _front_size(self) -> int:
        return self.articles // 20

    @cached_property
    def _by_path(self) -> dict[str, NewsStory]:
        return {story.path: story for story in self.stories}

    @cached_property
    def _months(self) -> dict[str, list[NewsStory]]:
        """The stories of every month, by its path."""
        months: dict[str, list[NewsStory]] = {}
        for story in self.stories if "archives" in self.ways else ():
            months.setdefault(f"/news/{story.published:%Y/%m}/", []).append(story)
        return months

    @property
    def _listed(self) -> list[NewsStory]:
        """Three fifths: sitemaps are seldom complete."""
        return [each for each in self.stories if "sitemap" in self.ways and each.number % 5 < 3]

    @property
    def _fed(self) -> Sequence[NewsStory]:
        return self.stories[:IN_FEED] if "feed" in self.ways else ()

    def menu(self) -> Sequence[tuple[str, str]]:
        return (("/", "Today"), ("/about", "About"))

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self._front()
            case ["about"]:
                text = [paragraph(Dice("chronicle", "about", part), TOWN) for part in range(3)]
                return self.page("About", f"<h1>About us</h1>\n{paragraphs(text)}")
            case ["robots.txt"]:
                return self._rules()
            case ["sitemap_index.xml"] if self._listed:
                return syndication.sitemap_index(self, SITEMAPS)
            case [name] if name in SITEMAPS and self._listed:
                return self._sitemap(name)
            case ["feed.xml"] if self._fed:
                return syndication.feed(self, self._fed)
            case ["page", number] if "pagination" in self.ways:
                return self._blog_page(number)
            case _ if request.path in self._by_path:
                return self._article(self._by_path[request.path])
            case ["news", year, month, ""] if self._months and (year + month).isdecimal():
                return self._month_page(request)
            case _:
                return self.missing()

    def truth(self) -> Truth:
        linked = [*self.on_front, *self._on_page(2), *self._on_page(3)]
        behind = self._urls(self.stories) - self._urls(linked)
        hidden = {
            "sitemap": behind & self._urls(self._listed),
            "feed": behind & self._urls(self._fed),
            "archives": behind | self.all_at(self._month_paths) if self._months else None,
            "pagination": behind | self.all_at(self._blog_paths[2:]) if self._blog_paths else None,
        }
        return Truth(
            front=self.url,
            pages=self.all_at(["/", "/about", *self._blog_paths[:2]]) | self._urls(linked),
            files=self.all_at(["/feed.xml"] if self._fed else []),
            hidden={way: urls for way, urls in hidden.items() if urls},
            articles={
                self.at(each.path): article(each, self.at(each.path)) for each in self.stories
            },
        )

    def _urls(self, some: Iterable[NewsStory]) -> frozenset[str]:
        return self.all_at([each.path for each in some])

    @property
    def _month_paths(self) -> list[str]:
        return [
            path if page == 1 else f"{path}?page={page}"
            for path, stories in self._months.items()
            for page in range(1, _pages(len(stories), PER_MONTH_PAGE) + 1)
        ]

    @property
    def _blog_paths(self) -> list[str]:
        numbers = range(2, self._pages + 1) if "pagination" in self.ways else ()
        return [f"/page/{number}" for number in numbers]

    @property
    def _pages(self) -> int:
        return _pages(self.articles, self._front_size)

    def _on_page(self, number: int) -> tuple[NewsStory, ...]:
        if "pagination" not in self.ways:
            return ()
        return self.stories[(number - 1) * self._front_size : number * self._front_size]

    def _make(self, number: int) -> NewsStory:
        dice = Dice("chronicle", number)
        headline = fill(dice.pick(TOWN["headline"]), dice, TOWN)
        title = f"{headline[0].upper()}{headline[1:]}, part {number + 1}"
        # Evenly spread, so that no month is without one.
        published = FIRST + (LAST - FIRST) / self.articles * number
        published = published.replace(microsecond=0) + timedelta(minutes=dice.number(0, 59))
        return NewsStory(
            number=number,
            path=f"/news/{published:%Y/%m/%d}/{slug(headline)}-{number + 1}",
            title=title,
            author=dice.pick(TOWN["name"]),
            section=SECTIONS[number % len(SECTIONS)],
            published=published,
            modified=published + timedelta(days=3) if number % 9 == 0 else None,
            dated_by="meta",
            text=tuple(paragraph(dice, TOWN, dice.number(3, 5)) for _ in range(4)),
        )

    def _rules(self) -> Reply:
        named = [f"Sitemap: {self.origin}/sitemap_index.xml"] if self._listed else []
        return self.robots("User-agent: *", "Disallow: /search", *named)

    def _sitemap(self, name: str) -> Reply:
        is_recent = name == SITEMAPS[0]
        half = self.articles // 2
        xml = syndication.sitemap(
            self, [s for s in self._listed if (s.number >= half) is is_recent]
        )
        if is_recent:
            return Reply(xml, kind="application/xml")
        return Reply(gzip.compress(xml, mtime=0), kind="application/gzip")

    def _front(self) -> Reply:
        main = f"<h1>{self.title}</h1>\n{_teasers(self.on_front)}{self._pager()}"
        return self.page("Today", main, head=self._head)

    @property
    def _head(self) -> str:
        return syndication.FEED_LINK if self._fed else ""

    def _pager(self) -> str:
        links = " ".join(f'<a href="{path}">{path[6:]}</a>' for path in self._blog_paths[:2])
        return f"<p>More: {links}</p>" if links else ""

    def _blog_page(self, number: str) -> Reply:
        if not is_number(number, self._pages) or number == "1":  # the front page is the first
            return self._nothing()
        title = f"Articles, page {number}"
        main = f"<h1>{title}</h1>\n{_teasers(self._on_page(int(number)))}{self._pager()}"
        return self.page(title, main)

    def _month_page(self, request: SiteRequest) -> Reply:
        stories = self._months.get(request.path, [])
        number = request.params.get("page", "1")
        if not is_number(number, _pages(len(stories), PER_MONTH_PAGE)):
            return self._nothing()
        page = int(number)
        shown = stories[(page - 1) * PER_MONTH_PAGE : page * PER_MONTH_PAGE]
        title = f"Our articles of {shown[0].published:%m/%Y}, page {page}"
        more = "" if shown[-1] is stories[-1] else _more(f"{request.path}?page={page + 1}")
        return self.page(title, f"<h1>{title}</h1>\n{_teasers(shown)}{more}")

    def _nothing(self) -> Reply:
        if not self.has_empty_pages:
            return self.missing()
        text = "Our archive has many more articles. The latest of them are on the front page."
        return self.page("Articles", f"<h1>Articles</h1>\n<p>{text}</p>{self._pager()}")

    def _article(self, story: NewsStory) -> Reply:
        stamp = f'<time datetime="{story.published.isoformat()}">{story.published:%d/%m/%Y}</time>'
        main = (
            f"<article>\n<h1>{escape(story.title)}</h1>\n"
            f'<p class="byline">By {story.author}, {stamp}, in {story.section}</p>\n'
            f"{paragraphs(story.text)}\n</article>"
        )
        times = [("published", story.published), ("modified", story.modified)]
        head = "".join(
            f'<meta property="article:{what}_time" content="{when.isoformat()}">\n'
            for what, when in times
            if when is not None
        )
        return self.page(story.title, main, head=head)


def _pages(articles: int, per_page: int) -> int:
    return -(-articles // per_page)


def _teasers(shown: Sequence[NewsStory]) -> str:
    return "\n".join(
        f'<section><h2><a href="{each.path}">{escape(each.title)}</a></h2>'
        f"<p>{escape(each.text[0][:120])}&hellip;</p></section>"
        for each in shown
    )


def _more(path: str) -> str:
    return f'<p><a rel="next" href="{path}">Earlier in this month</a></p>'
