"""Have the rules of sites changed? One number is read; the rules only when it is another.

Whoever works looks with every look at the jobs, so that a whole fleet obeys within seconds, and no
visit asks for it (HOST-7).
"""

from __future__ import annotations

import logging

from tenax.ports import SiteStore, Unavailable
from tenax.urls.sites import Sites

log = logging.getLogger(__name__)


class SiteNews:
    def __init__(self, store: SiteStore, sites: Sites) -> None:
        self._store = store
        self._sites = sites
        self._opens = False
        self._unread = 0

    async def open_secrets(self) -> None:
        """Read the rules with what they send: for those who ask the web. Raises when a secret
        cannot be opened."""
        self._opens = True
        if await self._store.version():
            await self._load()

    async def look(self) -> None:
        version = await self._store.version()
        if version in (self._sites.version, self._unread):
            return
        try:
            await self._load()
        except Unavailable as error:
            # A crawl under way goes on by the rules that it knows.
            self._unread = version
            log.error("the rules of sites were changed, and cannot be read: %s", error)

    async def _load(self) -> None:
        read = await self._store.load(secrets=self._opens)
        self._sites.heed(read.version, read.rules)
