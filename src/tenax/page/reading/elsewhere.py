"""Which parts of a page lead to other pages? Told by what the heading above them says."""

from __future__ import annotations

import re
from itertools import islice

from turbohtml import Element

from tenax.page.reading.clutter import MOST_MEASURED, NEVER_CUT, Prose

_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_THINGS = "(?:items|products|posts|articles|stories|listings|content|reading|videos)"
# How such headings begin. None that may stand above a part of a text: "See also", "Recommended".
_ELSEWHERE = re.compile(
    rf"related (?!to\b)|similar {_THINGS}|recommended (?:for you|{_THINGS})|recently viewed"
    r"|(?:we think )?you(?: may| might|['\u2019]ll) (?:also|like)|also (?:see|read)\b"
    r"|(?:customers|people|others|shoppers|readers|users)\b.{0,30}\b(?:also|bought|viewed)\b"
    r"|frequently bought|explore related|read (?:next|also)\b|up next\b|more like this"
    r"|ähnliche (?:artikel|produkte|beiträge)|das könnte (?:sie|dich)|auch interessant"
    r"|(?:weitere|verwandte|neueste) (?:artikel|beiträge|themen)|explore further"
    r"|empfehlungen (?:aus|der)\b|weiterlesen|more (?:stories|articles|posts)\b"
    r"|kunden,? (?:die|kauften|haben)|zuletzt angesehen"
    r"|vous aimerez|(?:à )?lire aussi|(?:articles|produits) (?:similaires|associés|liés)"
    r"|dans la même rubrique|sur le même (?:sujet|thème)"
    r"|también te|te puede interesar|(?:artículos|productos|noticias) relacionad"
    r"|(?:ti )?potrebbe(?:ro)? (?:anche |interessar)|(?:articoli|prodotti) correlati|leggi anche"
    r"|(?:veja|leia) também|você também|(?:produtos|artigos|notícias) relacionad"
    r"|gerelateerde|lees ook|podobne produkty|polecane|zobacz (?:także|też)"
    r"|похожие (?:товары|статьи)|читайте также|benzer ürünler|関連|相关|猜你喜欢",
    re.IGNORECASE,
)
_LONGEST_HEADING, _MOST_HEADINGS = 60, 50
_LEVELS = 6
# Of the prose and of the text that such a part may be.
_SHARE_OF_PROSE, _SHARE_OF_TEXT = 0.5, 0.7


def cut_elsewhere(region: Element, prose: Prose) -> None:
    """Cut each part that begins with such a heading, as large as it is."""
    headings = [
        (heading, said)
        for heading in region.iter_elements(_HEADINGS)
        if len(said := heading.text.strip()) <= _LONGEST_HEADING and _ELSEWHERE.match(said)
    ]
    if not headings:
        return
    whole = len(region.text)
    most, longest = _SHARE_OF_PROSE * prose.get(region, 0.0), _SHARE_OF_TEXT * whole
    left = MOST_MEASURED * whole
    for heading, said in headings[:_MOST_HEADINGS]:
        part = heading
        for above in islice(heading.ancestors, _LEVELS):
            if (
                not isinstance(above, Element)
                or above.tag in NEVER_CUT
                or above == region
                or prose.get(above, 0.0) > most
                or (left := left - len(text := above.text)) < 0
                or len(text) > longest
                or not text.lstrip().startswith(said)
            ):
                break
            part = above
        if part != heading:
            part.extract()
