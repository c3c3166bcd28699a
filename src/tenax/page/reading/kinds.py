"""What is a page for: one text, or many parts? It says so, or it shows in its paragraphs.

In an article all that is not the article is in the way. A page that offers something, a listing, a
shop is made of parts, and templates call them what articles call their clutter: banner, teaser,
carousel, header.
"""

from __future__ import annotations

import re

from turbohtml import Axis, Element

from tenax.page.reading.clutter import Prose

_MARKED = '[itemtype$="Article"],[itemtype$="/BlogPosting"],[itemprop~="articleBody"]'
_SCRIPTS = 'script[type="application/ld+json"]'
_TYPE = re.compile(r'"@type"\s*:\s*(?:\[[^\]]{0,100})?"(?:\w*Article|\w*BlogPosting|Recipe)"')
_LONG = 100
_MOSTLY = 0.85


def says_article(page: Element) -> bool:
    """Whether a page says that it is an article, in one of three vocabularies."""
    root = page.parent
    if not isinstance(root, Element):
        return False
    head = root.find("head", axis=Axis.CHILDREN)
    if head is not None:
        kind = head.select_one('meta[property="og:type"]')
        if kind is not None and "article" in (kind.attr("content") or "").lower():
            return True
    if any(_TYPE.search(script.text) for script in root.select(_SCRIPTS)):
        return True
    return page.select_one(_MARKED) is not None


def reads_as_article(page: Element, prose: Prose) -> bool:
    """Whether nearly all of its prose is in long paragraphs."""
    long = sum(held for e, held in prose.items() if held >= _LONG and e.tag == "p")
    return long >= _MOSTLY * prose.get(page, 0.0)
