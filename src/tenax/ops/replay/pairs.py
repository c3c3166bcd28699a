"""Which request does an answer of an archive belong to? It may send something (URL-1).

Writers put the request before its answer or behind it, and most name the one in the other. So an
answer waits for the record after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tenax.model import FORM, Sends
from tenax.model.knobs import OutOfBounds
from tenax.model.work import sends_of
from tenax.ops.replay.warc_reader import WarcRecord, parse_request

_ANSWERS = ("response", "resource", "revisit")
Asked = Sends | str | None
"""What was sent; why it cannot be said, which leaves the answer out; None for nothing."""


class Pairs:
    """Of one archive, record after record."""

    def __init__(self) -> None:
        self._answer: WarcRecord | None = None
        self._request: WarcRecord | None = None

    def next(self, record: WarcRecord) -> Iterator[tuple[WarcRecord, Asked]]:
        """The answers that are complete with this record, each with what was sent for it."""
        if record.kind == "request":
            if self._answer is not None and _belong(self._answer, record):
                answer, self._answer = self._answer, None
                yield answer, _asked(record)
            else:
                yield from self.rest()
                self._request = record
        elif record.kind in _ANSWERS:
            yield from self.rest()
            request, self._request = self._request, None
            if request is not None and _belong(record, request):
                yield record, _asked(request)
            else:
                self._answer = record

    def rest(self) -> Iterator[tuple[WarcRecord, Asked]]:
        """The answer that still waits: nobody knows of a request for it."""
        if self._answer is not None:
            answer, self._answer = self._answer, None
            yield answer, None


def _belong(answer: WarcRecord, request: WarcRecord) -> bool:
    """By name, where either names the other."""
    asked, answered = (each.headers.get("warc-concurrent-to", "") for each in (request, answer))
    if asked or answered:
        ids = {each.headers.get("warc-record-id", "") for each in (request, answer)}
        return bool(ids & {asked, answered} - {""})
    return answer.url == request.url


def _asked(request: WarcRecord) -> Asked:
    method, message = parse_request(request.block)
    if method in ("", "GET"):
        return None
    if method != "POST":
        return f"method {method}"
    try:
        text = message.body.decode()
        return sends_of(request.url, method, text, message.get("content-type") or FORM)
    except (UnicodeDecodeError, OutOfBounds):
        return "sent what is no text"
