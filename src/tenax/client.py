"""The API from a program: `ApiClient(address, key)`, typed answers, errors as `ApiError`.

    with ApiClient("http://127.0.0.1:8080", key) as tenax:
        for job in tenax.jobs():
            print(job.job, job.pages)

What has no method here is asked by `get`, `post` and the like, with the type of its answer.
Standard library only; one connection, kept open, for one thread.
"""

from __future__ import annotations

import http.client
import ssl
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from tenax.ops.export.page_json import PageSummary
from tenax.ops.export.product_json import ProductFacts, ProductPrices
from tenax.ops.fetch.answer import FetchAnswer
from tenax.ops.jobs.dead_letters import LettersPurged, LettersReturned
from tenax.ops.jobs.facts import JobDetail, JobSummary
from tenax.ops.jobs.preview import JobPreview
from tenax.ops.plain import understood
from tenax.ops.search.hits import HitFacts
from tenax.ops.why.story import Story
from tenax.ports import DeadLetter
from tenax.ports.overview import SeenAttempt, UrlRecord
from tenax.version import VERSION

T = TypeVar("T")
_LOST = (http.client.RemoteDisconnected, http.client.CannotSendRequest, ConnectionError)
_Given = str | int | float | bool | None


class ApiError(Exception):
    """The API answered with a problem."""

    def __init__(self, status: int, detail: str, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.problem = problem
        """All of it (RFC 9457): `errors` says what is wrong with a request."""


class ApiClient:
    def __init__(self, address: str, key: str = "", *, timeout: float = 90.0) -> None:
        """`address` is where `tenax serve` listens: `http://127.0.0.1:8080`."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{address!r} is no address of an API. Write http://HOST:PORT.")
        self._base = parts.path.rstrip("/")
        self._headers = {"user-agent": f"tenax-client/{VERSION}", "accept": "application/json"}
        if key:
            self._headers["authorization"] = f"Bearer {key}"
        if parts.scheme == "https":
            tls = ssl.create_default_context()
            self._connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=timeout, context=tls
            )
        else:
            self._connection = http.client.HTTPConnection(
                parts.hostname, parts.port, timeout=timeout
            )

    def __enter__(self) -> ApiClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    # -- Any route

    def get(self, path: str, answer: type[T], **given: _Given) -> T:
        return understood(answer, self._ask("GET", path, given))

    def all(self, path: str, item: type[T], **given: _Given) -> Iterator[T]:
        """The items of a list, to its end."""
        while True:
            part = self._ask("GET", path, given)
            yield from (understood(item, each) for each in part["items"])
            if part.get("next") is None:
                return
            given = {**given, "cursor": part["next"]}

    def post(self, path: str, answer: type[T], body: Any = None) -> T:
        return understood(answer, self._ask("POST", path, body=body))

    def patch(self, path: str, answer: type[T], body: Any) -> T:
        return understood(answer, self._ask("PATCH", path, body=body))

    def put(self, path: str, answer: type[T], body: Any) -> T:
        return understood(answer, self._ask("PUT", path, body=body))

    def delete(self, path: str, answer: type[T]) -> T:
        return understood(answer, self._ask("DELETE", path))

    # -- Jobs

    def jobs(self) -> Iterator[JobSummary]:
        return self.all("/api/jobs", JobSummary)

    def job(self, name: str) -> JobDetail:
        return self.get(_job(name), JobDetail)

    def create_job(self, name: str, *, start: bool = False, **wishes: Any) -> JobSummary:
        """`wishes` are those of `POST /api/jobs`: seeds, sitemaps, scope, max_pages …"""
        return self.post("/api/jobs", JobSummary, {"name": name, "start": start, **wishes})

    def change_job(self, name: str, **wishes: Any) -> JobDetail:
        return self.patch(_job(name), JobDetail, wishes)

    def preview_job(self, urls: list[str], **wishes: Any) -> JobPreview:
        return self.post("/api/jobs/preview", JobPreview, {"urls": urls, **wishes})

    def start(self, name: str) -> JobSummary:
        return self.post(_job(name, "start"), JobSummary)

    def pause(self, name: str) -> JobSummary:
        return self.post(_job(name, "pause"), JobSummary)

    def resume(self, name: str) -> JobSummary:
        return self.post(_job(name, "resume"), JobSummary)

    def stop(self, name: str) -> JobSummary:
        return self.post(_job(name, "stop"), JobSummary)

    def run(self, name: str) -> JobSummary:
        return self.post(_job(name, "run"), JobSummary)

    # -- URLs, pages, products

    def urls(self, **given: _Given) -> Iterator[UrlRecord]:
        return self.all("/api/frontier/urls", UrlRecord, **given)

    def visits(self, **given: _Given) -> Iterator[SeenAttempt]:
        return self.all("/api/visits", SeenAttempt, **given)

    def why(self, url: str, job: str | None = None) -> Story:
        return self.get("/api/why", Story, url=url, job=job)

    def fetch(self, url: str, **given: Any) -> FetchAnswer:
        return self.post("/api/fetch", FetchAnswer, {"url": url, **given})

    def pages(self, **given: _Given) -> Iterator[PageSummary]:
        return self.all("/api/pages", PageSummary, **given)

    def search(self, q: str, **given: _Given) -> Iterator[HitFacts]:
        return self.all("/api/search", HitFacts, q=q, **given)

    def products(self, **given: _Given) -> Iterator[ProductFacts]:
        return self.all("/api/products", ProductFacts, **given)

    def prices(self, product_id: int) -> ProductPrices:
        return self.get(f"/api/products/{product_id}/prices", ProductPrices)

    # -- Dead letters

    def dead_letters(self, **given: _Given) -> Iterator[DeadLetter]:
        return self.all("/api/dead-letters", DeadLetter, **given)

    def return_letters(self, **which: Any) -> LettersReturned:
        return self.post("/api/dead-letters/return", LettersReturned, which)

    def purge_letters(self, **which: Any) -> LettersPurged:
        return self.post("/api/dead-letters/purge", LettersPurged, which)

    def _ask(
        self, method: str, path: str, given: Mapping[str, _Given] | None = None, body: Any = None
    ) -> Any:
        query = {name: _text(value) for name, value in (given or {}).items() if value is not None}
        address = f"{self._base}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = dict(self._headers)
        data = None
        if body is not None:
            data, headers["content-type"] = msgspec.json.encode(body), "application/json"
        if method == "POST":
            # Sent again, it is answered again and not acted on twice.
            headers["idempotency-key"] = uuid.uuid4().hex
        try:
            status, said = self._send(method, address, data, headers)
        except _LOST:
            # A connection that was idle for long is closed by the server.
            self._connection.close()
            status, said = self._send(method, address, data, headers)
        if 200 <= status < 300:
            return msgspec.json.decode(said)
        try:
            problem = msgspec.json.decode(said, type=dict[str, Any])
        except msgspec.DecodeError:
            problem = {}
        raise ApiError(status, str(problem.get("detail", "")), problem)

    def _send(
        self, method: str, address: str, data: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        self._connection.request(method, address, data, dict(headers))
        answer = self._connection.getresponse()
        return answer.status, answer.read()


def _job(name: str, order: str = "") -> str:
    return f"/api/jobs/{quote(name, safe='')}" + (f"/{order}" if order else "")


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
