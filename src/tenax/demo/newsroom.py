"""What was in the demo newspaper? Articles from 2023 to 2026, each with its date and author."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from msgspec import Struct

from tenax.demo.truth import Article
from tenax.demo.words import TOWN, Dice, fill, paragraph, slug

FIRST = datetime(2023, 2, 6, 7, 30, tzinfo=UTC)
COUNT = 110
EVERY = timedelta(days=11, hours=5)
"""110 articles, eleven days apart: from February 2023 to June 2026."""
SECTIONS = ("harbour", "town", "people", "weather", "culture")
ZONES = (UTC, timezone(timedelta(hours=1)), timezone(timedelta(hours=-5)))
DATED_BY = ("json-ld", "meta", "time", "text")
TWIN = 90
"""This one repeats the one before it, with hardly a word changed."""


class NewsStory(Struct, frozen=True):
    number: int
    path: str
    title: str
    author: str
    section: str
    published: datetime
    modified: datetime | None
    dated_by: str
    text: tuple[str, ...]


def stories() -> tuple[NewsStory, ...]:
    """All of them, newest first."""
    return tuple(_story(number) for number in reversed(range(COUNT)))


def article(story: NewsStory, url: str) -> Article:
    """What a crawl should find there."""
    return Article(
        url=url,
        title=story.title,
        author=story.author,
        section=story.section,
        published=story.published.isoformat(),
        modified=story.modified.isoformat() if story.modified else None,
        text="\n\n".join(story.text),
        dated_by=story.dated_by,
    )


def _story(number: int) -> NewsStory:
    dice = Dice("story", number)
    published = (FIRST + EVERY * number).astimezone(ZONES[number % len(ZONES)])
    title = _title(number)
    return NewsStory(
        number=number,
        path=f"/{published:%Y/%m}/{slug(title)}-{number}",
        title=title,
        author=dice.pick(TOWN["name"]),
        section=SECTIONS[number % len(SECTIONS)],
        published=published,
        modified=published + timedelta(days=2, hours=3) if number % 6 == 0 else None,
        dated_by=DATED_BY[number % len(DATED_BY)],
        text=_text(number),
    )


def _title(number: int) -> str:
    if number == TWIN:
        return f"{_title(TWIN - 1)} (second edition)"
    dice = Dice("headline", number)
    headline = fill(dice.pick(TOWN["headline"]), dice, TOWN)
    return headline[0].upper() + headline[1:]


def _text(number: int) -> tuple[str, ...]:
    if number == TWIN:
        first, *rest = _text(TWIN - 1)
        return (first.replace("the", "this", 1), *rest)
    dice = Dice("text", number)
    # The twins are long, so that one word more or less is little by any measure.
    length = 16 if number == TWIN - 1 else dice.number(5, 8)
    return tuple(paragraph(dice, TOWN, dice.number(4, 6)) for _ in range(length))
