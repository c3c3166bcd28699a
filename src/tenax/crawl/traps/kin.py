"""What does a page name at its host, of its own kind and of others? (URL-6)

By that it is told whether a kind of URL leads on, and whether its pages ever name the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tenax.crawl.settle import Admitted
from tenax.crawl.traps.judgement import TrapStanding
from tenax.model import Page, Reason, Role
from tenax.urls.normalise import origin_of, resolve_all

_MOST = 16
"""URLs that are looked up, of other kinds and of its own."""
_SAMPLED = 100
"""Links of a page that are looked at for what it names of its own kind."""


class Kin(NamedTuple):
    """What a page names at its host."""

    keys: tuple[bytes, ...] = ()
    """Of its own kind, known and new."""
    others: tuple[bytes, ...] = ()
    """Of other kinds, new as far as is known."""
    more: int = 0
    """How many more, than are looked up."""


_NONE = Kin()


def kin_of(
    page: Page,
    host: str,
    shape: str,
    offer: Admitted,
    standing: TrapStanding,
    shape_at: Callable[[str], str],
    key_at: Callable[[str], bytes | None],
) -> Kin:
    """Of its own kind known ones and new ones, of others those that are new. Of a page that names
    hardly any new one the known ones are of no interest."""
    deeper = offer.rejected.get(Reason.TOO_DEEP, 0)
    if not offer.found and deeper < 2:
        return _NONE  # as it is of most pages
    family = standing.family(shape)
    new = [t for t in offer.found if t.host == host and t.role is Role.PAGE]
    same = [t.key for t in new if standing.family(t.shape) == family]
    # Who names more of its own folder is judged by that: the rest is furniture.
    is_within = len(same) > 1
    told: dict[str, bool] = {}

    def is_akin(other: str) -> bool:
        # A page names hundreds of URLs, of a few shapes.
        known = told.get(other)
        if known is None:
            known = (
                standing.family(other) == family if is_within else standing.is_akin(shape, other)
            )
            told[other] = known
        return known

    own = same if is_within else [t.key for t in new if is_akin(t.shape)]
    known = {*own}
    others = [t.key for t in new if t.key not in known]
    more = max(0, len(own) - _MOST) + max(0, len(others) - _MOST)
    keys = own[:_MOST]
    if len(keys) + deeper > 1:
        here = origin_of(page.url) + "/"
        for url in resolve_all(page.links[:_SAMPLED], page.base or page.url):
            if len(keys) >= 2 * _MOST:
                break
            if url is None or not url.startswith(here) or url == page.url:
                continue
            if is_akin(shape_at(url)) and (key := key_at(url)) and key not in keys:
                keys.append(key)
    return Kin(tuple(keys), tuple(others[:_MOST]), more)
