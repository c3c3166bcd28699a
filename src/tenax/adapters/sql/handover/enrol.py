"""What a commit adds to the queues of consumers: a row for each page that it stores, and consumer.

Only jobs that are read in a loop have any. All others pay one look-up a transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Lookup, in_groups, inserting
from tenax.adapters.sql.schema.tables import consumers, handovers
from tenax.outcome import Settlement

_of_jobs = Lookup(sa.select(consumers.c.job_id, consumers.c.id), consumers.c.job_id)
_insert = inserting(handovers, ("consumer_id", "target_id"))


def write(connection: Connection, settlements: Sequence[Settlement]) -> None:
    """To be called behind the writing of pages: whoever begins to consume waits for those who have
    begun that, and everybody who begins later sees him."""
    stored: dict[int, list[int]] = defaultdict(list)
    for s in settlements:
        if s.page is not None:
            stored[s.job_id].append(s.target_id)
    if not stored:
        return
    rows = [
        (consumer_id, target_id)
        for job_id, consumer_id in sorted(_of_jobs.run(connection, list(stored)))
        for target_id in sorted(stored[job_id])
    ]
    if not rows:
        return
    # What was not handed over yet and has changed is not to be confirmed by who read it before.
    for some in in_groups(sorted({target_id for _, target_id in rows})):
        connection.execute(sa.delete(handovers).where(handovers.c.target_id.in_(some)))
    _insert.run(connection, rows)
