"""Deduplication of offered URLs in bounded memory: the ledger knows what is forgotten here."""

from __future__ import annotations

from mmap import mmap
from operator import itemgetter

from tenax.model import Reason

_SPELLINGS = 32_768
_LONGEST = 2_100
"""Longer hrefs are refused for their length anyway, and not worth remembering."""
_FIRST = itemgetter(0)
_SLOTS = 1 << 20
_FEW = 1 << 14


class Offered:
    """Targets by their keys; of two that share a slot the later is remembered."""

    def __init__(self) -> None:
        # Most crawls are small, and a page of memory touched for each target costs more than
        # all else here.
        self._few: dict[int, int] = {}
        self._many: memoryview | None = None

    def __contains__(self, key: bytes) -> bool:
        mark = int.from_bytes(key[:8], "little") or 1
        if self._many is None:
            return self._few.get(mark % _SLOTS) == mark
        return bool(self._many[mark % _SLOTS] == mark)

    def add(self, key: bytes) -> None:
        mark = int.from_bytes(key[:8], "little") or 1
        if self._many is not None:
            self._many[mark % _SLOTS] = mark
            return
        self._few[mark % _SLOTS] = mark
        if len(self._few) >= _FEW:
            self._many = memoryview(mmap(-1, 8 * _SLOTS)).cast("Q")
            for slot, earlier in self._few.items():
                self._many[slot] = earlier
            self._few = {}


class Spellings:
    """What became of URLs as spelled lately: whole ones, and hrefs in the folder they stood in.

    Two generations: the older one goes as a whole.
    """

    def __init__(self) -> None:
        self._young: dict[str, Reason] = {}
        self._old: dict[str, Reason] = {}
        self._folders: dict[str, dict[str, Reason]] = {}
        self._old_folders: dict[str, dict[str, Reason]] = {}
        self._in_folders = 0

    def get(self, url: str) -> Reason | None:
        reason = self._young.get(url)
        if reason is None and (reason := self._old.get(url)) is not None:
            self.put(url, reason)
        return reason

    def put(self, url: str, reason: Reason) -> None:
        if len(self._young) >= _SPELLINGS:
            self._old, self._young = self._young, {}
        self._young[url] = reason

    def of_folder(self, folder: str) -> dict[str, Reason]:
        """What is known of the hrefs in this folder; `put_in` adds to it."""
        spelled = self._folders.get(folder)
        if spelled is None or self._in_folders >= _SPELLINGS:
            if self._in_folders >= _SPELLINGS:
                self._old_folders, self._folders, self._in_folders = self._folders, {}, 0
            spelled = self._old_folders.pop(folder, {})
            if len(spelled) >= _SPELLINGS:
                spelled = {}
            self._folders[folder] = spelled
            self._in_folders += len(spelled)
        return spelled

    def put_in(self, spelled: dict[str, Reason], learned: dict[str, Reason]) -> None:
        """Remember hrefs in the folder that `spelled` was given for."""
        # A lone query belongs to one page of its folder; the very long refuse themselves.
        if "?" in map(_FIRST, learned) or max(map(len, learned), default=0) > _LONGEST:
            learned = {h: r for h, r in learned.items() if h[0] != "?" and len(h) <= _LONGEST}
        spelled.update(learned)
        self._in_folders += len(learned)
