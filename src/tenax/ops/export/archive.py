"""Which records tell of a stored page? Its redirects, its answer and the request for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise

from msgspec import Struct

from tenax.fetch.content_types import is_text
from tenax.ops.export import cdxj, warc
from tenax.ops.export.cdxj import IndexEntry
from tenax.ops.export.export import Stored
from tenax.ops.export.warc import Exchange, Original
from tenax.outcome import Attempt
from tenax.ports import PageRecord

_REMEMBERED = 50_000
"""Bodies recognised when they come again: of more, the oldest is written anew, and that is no
error."""
_NOTHING = sha256(b"").hexdigest()
_REDIRECT = 302
_IN_HEADERS = "header "
_LICENSE = "header link rel=license"


class Recorded(Struct, frozen=True):
    """A record, and what the index says of it; nothing where the index is silent."""

    data: bytes
    entry: tuple[Exchange, str] | None = None
    """The exchange, and the media type it is listed with."""


class WarcArchive:
    """Makes records of pages, one after the other, and knows which bodies it has had."""

    def __init__(self, file: str, agent: str) -> None:
        self.file = file
        self._agent = agent
        self._seen: OrderedDict[str, Original] = OrderedDict()

    def records(self, stored: Stored) -> Iterator[Recorded]:
        """Nothing for a page whose body is lost: an answer without it would be another one."""
        page = stored.page
        if page.digest and stored.body is None:
            return
        attempt = _attempt(stored)
        yield from self._redirects(page, attempt)
        exchange = _exchange(stored, attempt, self._agent)
        original = self._seen.get(page.digest) if page.digest else None
        if original is not None:
            self._seen.move_to_end(page.digest)
            yield _recorded(warc.revisit(exchange, original), exchange, "warc/revisit")
            yield Recorded(warc.request(exchange, "revisit"))
            return
        if page.digest:
            self._remember(page.digest, Original(exchange.url, exchange.at))
        yield _recorded(warc.response(exchange), exchange, page.content_type)
        yield Recorded(warc.request(exchange))

    def _redirects(self, page: PageRecord, attempt: Attempt | None) -> Iterator[Recorded]:
        hops = _hops(page, attempt)
        for number, (here, there) in enumerate(pairwise(hops)):
            exchange = Exchange(
                url=here,
                at=page.fetched_at,
                status=_REDIRECT,
                headers=(("Location", there), ("Content-Length", "0")),
                body=b"",
                digest=_NOTHING,
                name=f"{_name(page)} hop {number}",
                agent=self._agent,
                sends=page.sends if number == 0 else None,
            )
            yield _recorded(warc.response(exchange), exchange, "")
            yield Recorded(warc.request(exchange))

    def _remember(self, digest: str, original: Original) -> None:
        self._seen[digest] = original
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)


def index_line(recorded: Recorded, offset: int, length: int, file: str) -> bytes:
    """Empty for a record that is not listed."""
    if recorded.entry is None:
        return b""
    exchange, mime = recorded.entry
    return cdxj.line(
        IndexEntry(
            exchange.url,
            exchange.at,
            mime,
            exchange.status,
            exchange.digest,
            offset,
            length,
            file,
        )
    )


def headers_of(page: PageRecord) -> list[tuple[str, str]]:
    """The header fields of its answer that are known, as far as they are."""
    charset = f"; charset={page.charset}" if page.charset else ""
    known = [
        ("Content-Type", f"{page.content_type}{charset}" if page.content_type else ""),
        ("ETag", page.etag),
        ("Last-Modified", page.last_modified),
    ]
    for where, what in page.rights:
        if where == _LICENSE:
            known.append(("Link", f'<{what}>; rel="license"'))
        elif where.startswith(_IN_HEADERS):
            known.append((where.removeprefix(_IN_HEADERS).title(), what))
    return [(name, value) for name, value in known if value]


def _recorded(data: bytes, exchange: Exchange, mime: str) -> Recorded:
    return Recorded(data, (exchange, mime))


def _exchange(stored: Stored, attempt: Attempt | None, agent: str) -> Exchange:
    page, body = stored.page, stored.body or b""
    return Exchange(
        url=page.final_url,
        at=page.fetched_at,
        status=page.status,
        headers=(*headers_of(page), ("Content-Length", str(len(body)))),
        body=body,
        digest=page.digest or _NOTHING,
        name=_name(page),
        address=attempt.address if attempt else "",
        agent=agent,
        # Behind a redirect it is the first request that sent it.
        sends=page.sends if len(_hops(page, attempt)) == 1 else None,
        is_cut=not body and not is_text(page.content_type),
    )


def _name(page: PageRecord) -> str:
    return f"{page.job} {page.url_hash} {page.fetched_at:.3f}"


def _attempt(stored: Stored) -> Attempt | None:
    """The one that brought the page, if it is still on record: the first since it was fetched."""
    since = stored.page.fetched_at - 0.001
    return next((a for a in stored.attempts if a.at >= since and a.status), None)


def _hops(page: PageRecord, attempt: Attempt | None) -> Sequence[str]:
    """Every URL from the one asked for to the one that answered."""
    if page.final_url == page.url:
        return (page.url,)
    chain = attempt.chain if attempt else ()
    hops = dict.fromkeys((page.url, *chain, page.final_url))
    hops[page.final_url] = hops.pop(page.final_url)
    return tuple(hops)
