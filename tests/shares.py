"""Which process of a parallel run takes which test? The longest first, from three queues.

Those that need a processor when they need one come before all others, as many side by side as
there are seats: in between, each would have to wait until nearly all others are done. Most of what
they do is waiting, and what only computes fills that: some of the processes stand back and do that
alone, on whatever the others leave of a processor, from the beginning to the end. Then come the
tests of other processes and servers, more at once than there are processors: they wait as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from xdist.scheduler import LoadScopeScheduling

from tests.turns import SEATS

TOGETHER = frozenset(
    {
        "tests/e2e/test_browser.py",
        "tests/e2e/test_console.py",
        "tests/e2e/test_console_newcomer.py",
        "tests/e2e/test_demo_web.py",
        "tests/e2e/test_fleet.py",
        "tests/e2e/test_hostile.py",
        "tests/e2e/test_hostile_clients.py",
        "tests/e2e/test_install.py",
        "tests/e2e/test_serve.py",
        "tests/e2e/test_traps.py",
        "tests/service/test_browser.py",
        "tests/simulate/test_crash.py",
    }
)
"""Files whose tests share what takes long to make, or need so much of the machine that two of them
at once would be too many."""

_CONTRACTS = "tests/contract/"
WAITING = (_CONTRACTS, "tests/e2e/", "tests/service/", "tests/test_deploy.py")
"""Where tests wait for servers and other processes."""

_LEDGERS = frozenset({"sqlite", "postgresql"})
"""Contracts of these compute: time stands still for them, and while PostgreSQL is asked it is that
which computes."""

_ONE_BY_ONE = ("tests/contract/", "tests/e2e/", "tests/service/", "tests/simulate/")
"""Folders whose tests are worth a message each; the files of others are handed out whole."""


class Kind(StrEnum):
    ALONE = "alone"
    COMPUTES = "computes"
    WAITS = "waits"


_FRONT = (Kind.ALONE, Kind.WAITS, Kind.COMPUTES)
_BETWEEN = (Kind.WAITS, Kind.COMPUTES)
"""Once nobody needs to be alone any more."""
_BACK = (Kind.COMPUTES,)


class Place(Struct, frozen=True):
    """Of a process among those of its run: its number, counted from 0, and how many began."""

    number: int
    of: int

    @property
    def stands_back(self) -> bool:
        # Whoever replaces one that died has a higher number than any, and does everything.
        return self.of - self.of // 3 <= self.number < self.of

    @property
    def is_between(self) -> bool:
        return not self.stands_back and SEATS <= self.number < self.of

    @property
    def likes(self) -> tuple[Kind, ...]:
        if self.stands_back:
            return _BACK
        return _BETWEEN if self.is_between else _FRONT


def place_of(worker: str, of: int) -> Place:
    """By the name that xdist gives it: gw0, gw1 …"""
    return Place(int(worker.removeprefix("gw")), of)


class Share(Struct, frozen=True):
    """Tests that one process runs, one after the other."""

    scope: str
    kind: Kind
    seconds: float
    """As far as is known."""


def shares(tests: Iterable[tuple[str, bool]], seconds: Callable[[str], float]) -> list[Share]:
    """What to hand out, the longest first; of each test its name and whether it is to be alone."""
    kinds: dict[str, Kind] = {}
    for name, alone in tests:
        scope = scope_of(name)
        kinds[scope] = Kind.ALONE if alone else kinds.get(scope, kind_of(name))
    found = [Share(scope, kind, seconds(scope)) for scope, kind in kinds.items()]
    return sorted(found, key=lambda share: -share.seconds)


def scope_of(name: str) -> str:
    file = name.partition("::")[0]
    return name if file.startswith(_ONE_BY_ONE) and file not in TOGETHER else file


def kind_of(name: str) -> Kind:
    _, _, case = name.removesuffix("]").partition("[")
    is_contract_of_ledger = name.startswith(_CONTRACTS) and _LEDGERS & {*case.split("-")}
    waits = name.startswith(WAITING) and not is_contract_of_ledger
    return Kind.WAITS if waits else Kind.COMPUTES


def next_for(place: Place, scopes: Iterable[str], kind: Callable[[str], Kind]) -> str | None:
    """What the process at this place is to run next; None if no more is for it."""
    return next((scope for each in place.likes for scope in scopes if kind(scope) is each), None)


def note(path: Path, found: Iterable[Share]) -> None:
    """Tell the process that hands them out: it sees names only. All workers tell the same."""
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(msgspec.json.encode(list(found)))
    partial.rename(path)


class Shares(LoadScopeScheduling):  # type: ignore[misc]  # xdist's schedulers have no types
    """Hands out shares. Each process is told of one test ahead, which is as late as can be."""

    def __init__(self, config: Any, log: Any, noted: Path) -> None:
        super().__init__(config, log)
        self._noted = noted
        self._kinds: dict[str, Kind] = {}
        self._places: dict[str, int] = {}
        self.collection: list[str] | None = None

    def schedule(self) -> None:
        if self.collection is None:
            if not self._check_nodes_have_same_collection():
                return
            names: list[str] = next(iter(self.registered_collections.values()))
            self.collection = names
            self._places = {name: place for place, name in enumerate(names)}
            for name in names:
                self.workqueue.setdefault(scope_of(name), {})[name] = False
            noted = msgspec.json.decode(self._noted.read_bytes(), type=list[Share])
            self._kinds = {share.scope: share.kind for share in noted}
        self._reschedule_all()

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        name = self.registered_collections[node][item_index]
        scope = self._split_scope(name)
        share = self.assigned_work[node][scope]
        share[name] = True
        # Else all that was ever done would be counted at every step.
        if all(share.values()):
            del self.assigned_work[node][scope]
        if self._kinds[scope] is Kind.ALONE:
            self._reschedule_all()
        else:
            self._reschedule(node)

    def remove_node(self, node: Any) -> str | None:
        """Returns the test that took its process with it, which is not tried again."""
        shares: dict[str, dict[str, bool]] = self.assigned_work.pop(node)
        left = [name for share in shares.values() for name, is_done in share.items() if not is_done]
        if not left:
            return None
        shares[scope_of(left[0])][left[0]] = True
        self.workqueue.update({k: share for k, share in shares.items() if not all(share.values())})
        self._reschedule_all()
        return left[0]

    def _reschedule_all(self) -> None:
        for node in self.nodes:
            self._reschedule(node)

    def _reschedule(self, node: Any) -> None:
        place = place_of(node.gateway.id, self.numnodes)
        if node.shutting_down or (place.is_between and self._is_one_alone()):
            return
        while self._pending_of(self.assigned_work[node]) < 2:
            scope = next_for(place, self.workqueue, self._kinds.__getitem__)
            if scope is None:
                node.shutdown()
                return
            share = self.assigned_work[node][scope] = self.workqueue.pop(scope)
            node.send_runtest_some([
                self._places[name] for name, is_done in share.items() if not is_done
            ])  # fmt: skip

    def _is_one_alone(self) -> bool:
        """Or waits for it."""
        held = (scope for shares in self.assigned_work.values() for scope in shares)
        return any(self._kinds[scope] is Kind.ALONE for scope in (*self.workqueue, *held))

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)
