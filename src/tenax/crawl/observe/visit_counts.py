"""What is counted of visits? From settlements that are durable to the tally, a batch at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tenax.fetch.tally import Tally
from tenax.model import OutcomeWord, Reason, Role, State
from tenax.outcome import End, Settlement

_PAGES = frozenset({OutcomeWord.READ, OutcomeWord.DUPLICATE, OutcomeWord.UNCHANGED})
_NO_PAGES = frozenset({Role.SITEMAP, Role.FEED, Role.IMAGE})
_PARSED = {
    OutcomeWord.READ: "page",
    OutcomeWord.GARBAGE: "garbage",
    OutcomeWord.UNRENDERED: "unrendered",
}


def count_visits(tally: Tally, settlements: Iterable[Settlement]) -> None:
    """Once for each visit, when the ledger has it. Tries are counted where they are made."""
    observe = tally.durations.observe
    ended: Counter[OutcomeWord] = Counter()
    asked: Counter[OutcomeWord] = Counter()
    """Of those, visits of pages that were asked for."""
    for settlement in settlements:
        word = settlement.outcome or OutcomeWord.WAITING
        ended[word] += 1
        attempt, next = settlement.attempt, settlement.next
        if attempt is not None:
            observe(attempt.total_ms)
            tally.bytes += attempt.bytes
            if settlement.role not in _NO_PAGES:
                asked[word] += 1
            for earlier in settlement.earlier:
                observe(earlier.total_ms)
                tally.bytes += earlier.bytes
        if (page := settlement.page) is not None:
            tally.sizes.observe(page.size)
            if page.product is not None:
                kind = "complete" if page.product.is_complete else "incomplete"
                tally.products[kind] = tally.products.get(kind, 0) + 1
        if settlement.rejected:
            for reason, count in settlement.rejected.items():
                tally.rejected[reason] = tally.rejected.get(reason, 0) + count
        if word is OutcomeWord.FAILED:
            tally.failed += 1
        elif word is OutcomeWord.REFUSED and settlement.cause == Reason.ROBOTS:
            tally.robots += 1
        if isinstance(next, End):
            tally.dead += next.state is State.FAILED
        else:
            tally.requeued += 1
            tally.retries += next.counts
    for word, count in ended.items():
        tally.visits[word] = tally.visits.get(word, 0) + count
    for word, count in asked.items():
        tally.pages += count if word in _PAGES else 0
        if (verdict := _PARSED.get(word)) is not None:
            tally.verdicts[verdict] = tally.verdicts.get(verdict, 0) + count
