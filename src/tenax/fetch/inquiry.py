"""What is asked besides pages, by the clients that pages go by: robots.txt, and whether a host that
was away is back (FE-9). Who can have no page of a host could have neither of them."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tenax.fetch import client_choice
from tenax.fetch.answers import judge
from tenax.fetch.client_choice import ClientTry
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.turns import VisitedHost
from tenax.model import Client, Failure, Forbidden, Request, Response
from tenax.outcome import Failed, Outcome, Unchanged, Waiting


class Inquiry(Struct, frozen=True):
    """What came of it."""

    answer: Response | Failure | Forbidden | Waiting
    started: float
    """When its last request was."""
    requests: int = 1
    """How many there were: one of each client that was tried."""


async def inquire(fetcher: Fetcher, request: Request, turns: VisitedHost) -> Inquiry:
    """By the client that the host is known to answer, then by those that may do better."""
    client, clients = fetcher.clients_for(turns)
    tries: list[ClientTry] = []
    while True:
        # A browser knows but one way to ask.
        method = "GET" if client is Client.BROWSER else request.method
        answer, started = await fetcher.send(replace(request, method=method), turns, client)
        tries.append(ClientTry(client, isinstance(answer, Response)))
        failed = Failed(answer.fault, answer.detail) if isinstance(answer, Failure) else None
        now = fetcher.clock.now()
        better = client_choice.after(client, failed, False, clients, turns.habit, now)
        if better is None or turns.is_silenced:
            break
        client = better
    if len(tries) > 1 and tries[-1].is_good:
        # No other lesson: what is no page may be had by clients that get none of the pages.
        turns.habit = client_choice.learn(turns.habit, tries, now, fetcher.ways)
    return Inquiry(answer, started, len(tries))


async def probe(fetcher: Fetcher, url: str, turns: VisitedHost) -> tuple[Outcome, float]:
    """Ask a host that was away whether it is back, for no page of its (HOST-3)."""
    # What was kept from before it went says nothing about whether it is back.
    request = replace(fetcher.request(url), method="HEAD", any_type=True, fresh=True)
    inquiry = await inquire(fetcher, request, turns)
    if isinstance(inquiry.answer, Waiting):
        return inquiry.answer, inquiry.started
    result = judge(inquiry.answer, fetcher.clock.now())
    return Unchanged(result.status) if isinstance(result, Response) else result, inquiry.started
