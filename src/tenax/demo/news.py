"""What is a newspaper like to crawl? A small front page before a deep, partly hidden archive."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from email.utils import format_datetime
from functools import cached_property
from html import escape

from tenax.demo.newsroom import TWIN, NewsStory, article, stories
from tenax.demo.site import Reply, Site, SiteRequest, listing, paragraphs
from tenax.demo.syndication import FEED_LINK, feed, sitemap, sitemap_index
from tenax.demo.truth import Truth
from tenax.demo.words import TOWN, Dice, paragraph

PER_PAGE = 6
OPEN_SINCE = 2025
"""Older years are in the sitemap, and at addresses one can guess, but no link leads there."""
FEED_ONLY, SITEMAP_ONLY = 107, 101
"""Numbers of the articles of the open years that stand in the feed only, the sitemap only."""
NOTES = {
    "reader-survey": '<meta name="robots" content="noindex">\n',
    "partners": '<meta name="robots" content="nofollow">\n',
    "otherbot": '<meta name="otherbot" content="noindex, nofollow">\n',
    "corrections": "",
    "embargo": "",
    "for-others": "",
    "for-us": "",
}
NOTE_HEADERS = {
    "embargo": (("X-Robots-Tag", "noindex, noarchive"),),
    "for-others": (("X-Robots-Tag", "otherbot: noindex, nofollow"),),
    "for-us": (("X-Robots-Tag", "otherbot: noarchive"), ("X-Robots-Tag", "tenax: noindex")),
}
UNSTORED = ("reader-survey", "embargo", "for-us")


@dataclass
class NewsSite(Site):
    name: str = "news"
    title: str = "The Merrow Lantern"
    tagline: str = "News from the harbour since the great storm."

    @cached_property
    def stories(self) -> tuple[NewsStory, ...]:
        return stories()

    @cached_property
    def _by_path(self) -> dict[str, NewsStory]:
        return {story.path: story for story in self.stories}

    @cached_property
    def _open(self) -> list[NewsStory]:
        """What links lead to, newest first."""
        aside = {FEED_ONLY, SITEMAP_ONLY}
        return [
            each for each in self.stories if _year(each) >= OPEN_SINCE and each.number not in aside
        ]

    def menu(self) -> Sequence[tuple[str, str]]:
        return (("/", "Today"), ("/2026/", "2026"), ("/2025/", "2025"), ("/about", "About"))

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self._front()
            case ["robots.txt"]:
                return self._rules()
            case ["sitemap_index.xml"]:
                return sitemap_index(self, ("sitemap-recent.xml", "sitemap-archive.xml.gz"))
            case ["sitemap-recent.xml"]:
                return Reply(self._sitemap(recent=True), kind="application/xml")
            case ["sitemap-archive.xml.gz"]:
                body = gzip.compress(self._sitemap(recent=False), mtime=0)
                return Reply(body, kind="application/gzip")
            case ["feed.xml"]:
                newest = [each for each in self.stories if each.number != SITEMAP_ONLY]
                return feed(self, newest[:12])
            case ["page", number]:
                return self._older(number)
            case [year, ""]:
                return self._year_page(year)
            case [year, month, ""]:
                return self._month_page(year, month)
            case [_, _, _] if request.path in self._by_path:
                story = self._by_path[request.path]
                return self._print(story) if request.query == "print=1" else self._story(story)
            case ["notes", note] if note in NOTES:
                return self._note(note)
            case ["partners", _] | ["about"] | ["advertise"] | ["letters", _]:
                return self._prose(request.segments[-1].replace("-", " ").capitalize())
            case _:
                return self.missing()

    def truth(self) -> Truth:
        prints = {f"{each.path}?print=1": each.path for each in self._open if _has_print(each)}
        closed = [each for each in self.stories if _year(each) < OPEN_SINCE]
        old = [each.path for each in closed]
        numbers = {each.number: each.path for each in self.stories}
        notes = [f"/notes/{note}" for note in NOTES if note not in UNSTORED]
        return Truth(
            front=self.url,
            pages=self.all_at(["/", "/about", *notes, *self._lists(), *prints])
            | self.all_at([each.path for each in self._open]),
            unstored=self.all_at([f"/notes/{note}" for note in UNSTORED]),
            files=self.all_at(["/feed.xml"]),
            never={
                self.at("/partners/ferry-line"): "nofollow",
                self.at("/advertise"): "nofollow",
                self.at("/letters/unread"): "nofollow",
            },
            canonicals={self.at(each): self.at(path) for each, path in prints.items()},
            similar=((self.at(numbers[TWIN - 1]), self.at(numbers[TWIN])),),
            hidden={
                "sitemap": self.all_at([*old, numbers[SITEMAP_ONLY]]),
                "feed": self.all_at([numbers[FEED_ONLY]]),
                "archives": self.all_at([*old, *_archives(closed)]),
            },
            articles={
                self.at(each.path): article(each, self.at(each.path)) for each in self.stories
            },
        )

    def _lists(self) -> list[str]:
        return [
            *(f"/page/{page}" for page in range(2, self._last_page + 1)),
            *_archives(self._open),
        ]

    @property
    def _last_page(self) -> int:
        return -(-len(self._open) // PER_PAGE)

    def _rules(self) -> Reply:
        return self.robots(
            "User-agent: *", "Disallow:", "Content-Signal: search=yes, ai-train=no", "",
            f"Sitemap: {self.origin}/sitemap_index.xml",
        )  # fmt: skip

    def _sitemap(self, *, recent: bool) -> bytes:
        listed = [
            each
            for each in self.stories
            if (_year(each) >= OPEN_SINCE) is recent and each.number != FEED_ONLY
        ]
        return sitemap(self, listed)

    def _front(self) -> Reply:
        notes = listing([(f"/notes/{note}", note.replace("-", " ").capitalize()) for note in NOTES])
        main = (
            f"<h1>{self.title}</h1>\n{paragraphs([paragraph(Dice('news'), TOWN, 3)])}"
            f"{self._teasers(self._open[:PER_PAGE])}<p><a href='/page/2'>Older articles</a></p>\n"
            f"<h2>Notes from the editors</h2>\n{notes}"
            '<p><a rel="sponsored" href="/advertise">Advertise here</a></p>'
        )
        return self.page("Front page", main, head=FEED_LINK)

    def _older(self, number: str) -> Reply:
        if number not in {str(page) for page in range(2, self._last_page + 1)}:
            return self.missing()
        page = int(number)
        shown = self._open[(page - 1) * PER_PAGE : page * PER_PAGE]
        newer = "/" if page == 2 else f"/page/{page - 1}"
        main = f"<h1>Older articles, page {page}</h1>\n{self._teasers(shown)}"
        main += f"<a href='{newer}'>Newer</a>"
        if page < self._last_page:
            main += f" <a href='/page/{page + 1}'>Older</a>"
        return self.page(f"Older articles, page {page}", main)

    def _year_page(self, year: str) -> Reply:
        months = {each.published.month for each in self._archived(year)}
        if not months:
            return self.missing()
        links = [(f"/{year}/{month:02d}/", _MONTHS[month - 1]) for month in sorted(months)]
        return self.page(f"The year {year}", f"<h1>The year {year}</h1>\n{listing(links)}")

    def _month_page(self, year: str, month: str) -> Reply:
        shown = [each for each in self._archived(year) if f"{each.published:%m}" == month]
        if not shown:
            return self.missing()
        title = f"{_MONTHS[int(month) - 1]} {year}"
        return self.page(title, f"<h1>{title}</h1>\n{self._teasers(shown)}")

    def _archived(self, year: str) -> list[NewsStory]:
        aside = {FEED_ONLY, SITEMAP_ONLY}
        return [
            each for each in self.stories if f"{_year(each)}" == year and each.number not in aside
        ]

    def _teasers(self, shown: Sequence[NewsStory]) -> str:
        return "\n".join(
            f'<article><h2><a href="{each.path}">{escape(each.title)}</a></h2>'
            f"<p>{escape(each.text[0][:140])}&hellip;</p></article>"
            for each in shown
        )

    def _story(self, story: NewsStory) -> Reply:
        family = [
            each
            for each in self.stories
            if (_year(each) >= OPEN_SINCE) == (_year(story) >= OPEN_SINCE)
        ]
        family = [
            each for each in family if each.number not in {FEED_ONLY, SITEMAP_ONLY, story.number}
        ]
        related = Dice("related", story.number).sample(family, 3)
        when = _in_words(story)
        stamp = (
            f'<time datetime="{story.published.isoformat()}">{when}</time>'
            if story.dated_by == "time"
            else when
        )
        printing = (
            f'<p><a href="{story.path}?print=1">Print version</a></p>' if _has_print(story) else ""
        )
        main = (
            f"<article>\n<h1>{escape(story.title)}</h1>\n"
            f'<p class="byline">By {story.author}, {stamp}, in {story.section}</p>\n'
            f"{paragraphs(story.text)}\n</article>\n{printing}"
            f"<aside><h2>Related</h2>{listing([(each.path, each.title) for each in related])}"
            "<p><a href='mailto:desk@lantern.example'>Write to the desk</a></p></aside>\n"
            '<section class="comments"><h2>Readers</h2><p>Well said! See <a rel="ugc nofollow" '
            'href="/letters/unread">my letter</a>.</p></section>'
        )
        head = (
            f'<link rel="canonical" href="{self.at(story.path)}">\n{FEED_LINK}{self._dates(story)}'
        )
        modified = format_datetime((story.modified or story.published).astimezone(UTC), usegmt=True)
        return self.page(story.title, main, head=head, modified=modified)

    def _dates(self, story: NewsStory) -> str:
        published, modified = story.published.isoformat(), story.modified
        match story.dated_by:
            case "json-ld":
                data = {
                    "@context": "https://schema.org",
                    "@type": "NewsArticle",
                    "headline": story.title,
                    "datePublished": published,
                    "author": {"@type": "Person", "name": story.author},
                } | ({"dateModified": modified.isoformat()} if modified else {})
                return f'<script type="application/ld+json">{json.dumps(data)}</script>\n'
            case "meta":
                lines = [("article:published_time", published)]
                lines += [("article:modified_time", modified.isoformat())] if modified else []
                return "".join(
                    f'<meta property="{name}" content="{value}">\n' for name, value in lines
                )
            case _:
                return ""

    def _print(self, story: NewsStory) -> Reply:
        body = (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{escape(story.title)}</title>"
            f'<link rel="canonical" href="{self.at(story.path)}"></head><body><article>'
            f"<h1>{escape(story.title)}</h1><p>By {story.author}, {_in_words(story)}</p>"
            f"{paragraphs(story.text)}</article></body></html>\n"
        )
        return Reply(body.encode())

    def _note(self, note: str) -> Reply:
        title = note.replace("-", " ").capitalize()
        text = paragraphs([paragraph(Dice("note", note, part), TOWN) for part in range(3)])
        link = (
            "<p><a href='/partners/ferry-line'>The ferry line</a></p>" if note == "partners" else ""
        )
        main = f"<h1>{title}</h1>\n{text}{link}"
        return self.page(title, main, head=NOTES[note], headers=NOTE_HEADERS.get(note, ()))

    def _prose(self, title: str) -> Reply:
        text = paragraphs([paragraph(Dice("news", title, part), TOWN) for part in range(3)])
        return self.page(title, f"<h1>{title}</h1>\n{text}")


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def _year(story: NewsStory) -> int:
    return story.published.year


def _in_words(story: NewsStory) -> str:
    """The date as printed; it is the only one on pages dated by text."""
    date = story.published
    return f"{date.day} {_MONTHS[date.month - 1]} {date.year}"


def _has_print(story: NewsStory) -> bool:
    return story.number % 7 == 0


def _archives(some: Sequence[NewsStory]) -> list[str]:
    years = {f"/{each.published:%Y}/" for each in some}
    return sorted(years | {f"/{each.published:%Y/%m}/" for each in some})
