"""What is a page's own heading, without the name of its site?

The largest of its headings, if there is one of these; of several, and with none, the first that
agrees with its title: headings, what it tells other sites to call it (`og:title`), the title.
The site's name is taken from each of them, and from the only heading the kicker that stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

SEPARATOR = re.compile(r"\s+[-\u2013\u2014|·•:»«~/\\]+\s+|\s*[|»«]\s*|\s+[-\u2013\u2014]\s*")
_NOT_SAID = re.compile(r"[\W_]+")
_MARKS = " \t\n¶#§\N{LINK SYMBOL}"
_SHORTEST_NAME = 3
_WORD = re.compile(r"\w+")
_FEWEST_WORDS = 3
# Letters: an article or a number before a title is part of it.
_TELLING = 5
_OPENING = "\"'([\u00ab\u00bb\u00bf\u00a1\u2018\u201a\u201c\u201e"


def headline_of(headings: Sequence[str], title: str, shared: str, site: str, url: str) -> str:
    """`headings` are the page's h1s, `shared` its og:title, `site` what it says the site is called.
    Empty where it has neither headings nor titles."""
    names = _names(site, url)
    stripped = {alike(each): each.strip(_MARKS) for each in reversed(headings) if alike(each)}
    # What ends a title of several parts is the site's name, also where it is the largest heading.
    *before, last = SEPARATOR.split(title)
    if before and alike(last) in stripped:
        names.add(alike(last))
    own = [own_part(each, names) for each in reversed(stripped.values())]
    own = [each for each in own if not _is_name(each, names)]
    titles = [own_part(shared, names), own_part(title, names)]
    if len(own) == 1:
        return _without_kicker(own[0], titles)
    own += titles
    agreed = (each for each in own if each and alike(each) in alike(title))
    return next(agreed, "") or next(filter(None, own), "")


def _without_kicker(heading: str, titles: Sequence[str]) -> str:
    """A heading without the subject, the place or the day above it, which stands within it on many
    pages, when what is behind that is what the page is called elsewhere."""
    said = list(_WORD.finditer(heading))
    for title in titles:
        own = _WORD.findall(title.lower())
        before = said[: -len(own)]
        behind = said[len(before) :]
        if (
            len(own) >= _FEWEST_WORDS
            and [each[0].lower() for each in behind] == own
            and any(len(each[0]) >= _TELLING for each in before)
        ):
            start = behind[0].start()
            between = heading[before[-1].end() : start]
            if between[0].isspace():
                return heading[start - (between[-1] in _OPENING) :]
    return heading


def own_title(title: str, site: str, url: str) -> str:
    """The title without the site's name: what a page's heading can be found by."""
    return own_part(title, _names(site, url))


def own_part(title: str, names: set[str]) -> str:
    """A title without those of its parts, at its ends, that are the site's name."""
    places = [(found.start(), found.end()) for found in SEPARATOR.finditer(title)]
    while places and _is_name(title[places[-1][1] :], names):
        title = title[: places.pop()[0]]
    start = 0
    while places and _is_name(title[start : places[0][0]], names):
        start = places.pop(0)[1]
    return title[start:].strip()


def alike(text: str) -> str:
    """What is the same for texts that differ in nothing but signs and capitals."""
    return _NOT_SAID.sub("", text.lower())


def _is_name(part: str, names: set[str]) -> bool:
    said = alike(part)
    return not said or any(said == name or _is_about(said, name) for name in names)


def _is_about(said: str, name: str) -> bool:
    """Whether one is the other with a word more: `Ada`, `Ada Blog`, `ada.example`."""
    short, long = sorted((said, name), key=len)
    return len(short) > _SHORTEST_NAME and short in long and 2 * len(short) > len(long)


def _names(site: str, url: str) -> set[str]:
    return {alike(site), *_names_in_host(url)} - {""}


def _names_in_host(url: str) -> Iterator[str]:
    """What a host's name may say of the site's: `ada.example` and `www.ada.example` say Ada."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return
    labels = [each for each in host.split(".") if each != "www"]
    yield alike(host)
    for label in labels[:-1]:
        if len(label) > _SHORTEST_NAME:
            yield alike(label)
