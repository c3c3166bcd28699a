"""What this process has counted since it started: plain numbers, added up where things happen.

No locks and no library: one thread counts, and whoever is asked for figures reads them. A tally
can be sent to another process, and tallies of several processes are added up (OBS-1).
"""

from __future__ import annotations

from bisect import bisect_left

from msgspec import Struct, field

from tenax.model import Failure, Forbidden, Request, Response

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of durations: from a cache on this machine to a server at the end of its limit."""
BYTES = (1e3, 4e3, 16e3, 64e3, 256e3, 1e6, 4e6, 16e6)
"""Upper bounds of sizes: from an error page to the largest body that is taken by default."""
_MS = tuple(1_000.0 * bound for bound in SECONDS)


class Histogram(Struct):
    """How many values were how large."""

    bounds: tuple[float, ...]
    counts: list[int] = field(default_factory=list)
    """One for each bound, and one for all above; not yet added up."""
    total: float = 0.0

    def __post_init__(self) -> None:
        if not self.counts:
            self.counts = [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def add(self, other: Histogram) -> None:
        self.counts = [mine + more for mine, more in zip(self.counts, other.counts, strict=True)]
        self.total += other.total


def _durations() -> Histogram:
    return Histogram(_MS)


def _database() -> dict[str, Histogram]:
    return {"read": Histogram(SECONDS), "write": Histogram(SECONDS)}


class Tally(Struct):
    """All counters of a process; each only grows."""

    codes: dict[int, int] = field(default_factory=dict)
    """Answers by status code, those to robots.txt, probes and every hop of a redirect included."""
    unanswered: dict[str, int] = field(default_factory=dict)
    """Requests that were not answered, by fault."""
    proxied: dict[str, int] = field(default_factory=dict)
    """Requests through proxies: `answered` or `unanswered`."""
    visits: dict[str, int] = field(default_factory=dict)
    """Visits by outcome."""
    rejected: dict[str, int] = field(default_factory=dict)
    """URLs that were found and not taken, by reason."""
    verdicts: dict[str, int] = field(default_factory=dict)
    """Bodies that were parsed: `page`, or what they were instead."""
    products: dict[str, int] = field(default_factory=dict)
    """Pages that sell something: `complete` where all a product must have was read."""
    probes: dict[str, int] = field(default_factory=dict)
    """Questions whether a host is back, by what came of them."""
    changes: dict[str, int] = field(default_factory=dict)
    """How the treatment of hosts changed, by what changed."""
    told: dict[str, int] = field(default_factory=dict)
    """Events that were told, by sink."""
    pages: int = 0
    failed: int = 0
    requeued: int = 0
    retries: int = 0
    dead: int = 0
    robots: int = 0
    bytes: int = 0
    """Of bodies and heads, as they came over the wire."""
    stalls: int = 0
    """How often nothing happened for so long that this process looked what is wrong."""
    verified: int = 0
    """Pages that were read by compiled code and without it."""
    different: int = 0
    """Of those, pages that compiled code read otherwise."""
    durations: Histogram = field(default_factory=_durations)
    """Milliseconds of each try at a page."""
    sizes: Histogram = field(default_factory=lambda: Histogram(BYTES))
    """Bytes of each page's body."""
    database: dict[str, Histogram] = field(default_factory=_database)
    """Seconds of each transaction, waiting for it included."""

    def count(self, request: Request, answer: Response | Failure | Forbidden) -> None:
        """One exchange, whatever it was for."""
        if isinstance(answer, Forbidden):
            return
        if answer.status is not None:  # also of an answer that broke off
            self.codes[answer.status] = self.codes.get(answer.status, 0) + 1
        if isinstance(answer, Failure):
            self.unanswered[answer.fault] = self.unanswered.get(answer.fault, 0) + 1
        if request.proxy is not None:
            word = "answered" if isinstance(answer, Response) else "unanswered"
            self.proxied[word] = self.proxied.get(word, 0) + 1

    def add(self, other: Tally) -> None:
        """What another process has counted."""
        for name in self.__struct_fields__:
            mine, more = getattr(self, name), getattr(other, name)
            if isinstance(mine, Histogram):
                mine.add(more)
            elif isinstance(mine, dict):
                for key, value in more.items():
                    if isinstance(value, Histogram):
                        mine[key].add(value)
                    else:
                        mine[key] = mine.get(key, 0) + value
            else:
                setattr(self, name, mine + more)


class Tallies:
    """The tally of this process, and those of the processes that it has started."""

    def __init__(self) -> None:
        self.own = Tally()
        self._others: dict[int | str, Tally] = {}

    def heard(self, who: int | str, tally: Tally) -> None:
        """What a process of ours has counted so far. One that has ended counts on: a counter that
        falls looks like one that began anew."""
        self._others[who] = tally

    def total(self) -> Tally:
        total = Tally()
        for each in (self.own, *self._others.values()):
            total.add(each)
        return total
