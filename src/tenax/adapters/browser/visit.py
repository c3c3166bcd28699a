"""One page load over DevTools, in a fresh context, until the page is quiet or its time is up.

The document's own request is stopped twice: before it leaves and when its answer's head is
there. So a redirect, a download or anything that is not a page ends the visit before Chromium
acts on it, and a page that sends itself elsewhere gets no further than the request.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace
from playwright.async_api import CDPSession, Error

from tenax.adapters.browser.bounds import bounds_of
from tenax.adapters.browser.document import (
    READ,
    STOPS,
    Event,
    Head,
    honest_agent,
    is_wanted,
    moved_to,
    read_head,
    request_headers,
)
from tenax.adapters.browser.faults import fault_of
from tenax.adapters.browser.guard import Permit, Place
from tenax.adapters.browser.policy import BrowserPolicy
from tenax.fetch.content_types import is_readable
from tenax.model import WITHHELD, Failure, Fault, Forbidden, Request, Response, Timing

Result = Response | Failure | Forbidden


class BrowserVisit:
    """Drives one page over its DevTools session; `run` ends as a value, whatever the page does."""

    def __init__(
        self, devtools: CDPSession, request: Request, permit: Permit, policy: BrowserPolicy
    ) -> None:
        self.is_sound = True
        """False when the browser itself failed, or the page left it unusable."""
        self._devtools = devtools
        self._request = request
        self._permit = permit
        self._policy = policy
        self._bounds = bounds_of(request, policy)
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._sent_at = self._head_at = 0.0
        self._ended: asyncio.Future[Result] = self._loop.create_future()
        self._frame = ""
        self._url = ""
        """What is asked for, as Chromium spells it."""
        self._reloads = 0
        self._head: Head | None = None
        self._document = ""
        """The id of the request that brings, or brought, the document."""
        self._document_bytes = 0
        self._is_complete = False
        self._loading: set[str] = set()
        self._dom_at: float | None = None
        self._moved_at = self._started
        self._stirred = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def prepare(self) -> None:
        """Get ready; nothing is requested yet."""
        for name, handler in (
            ("Fetch.requestPaused", self._on_paused),
            ("Network.requestWillBeSent", self._on_request),
            ("Network.dataReceived", self._on_data),
            ("Network.loadingFinished", self._on_finished),
            ("Network.loadingFailed", self._on_failed),
            ("Network.webSocketCreated", self._on_socket),
            ("Network.webSocketHandshakeResponseReceived", self._on_socket_open),
            ("Network.webSocketFrameReceived", self._on_socket_open),
            ("Network.webSocketClosed", self._on_socket_open),
            ("Page.domContentEventFired", self._on_dom),
            ("Page.frameStoppedLoading", self._on_stopped),
            ("Inspector.targetCrashed", lambda _: self.lost("the page crashed its process")),
        ):
            self._devtools.on(name, handler)
        send = self._devtools.send
        tree = await send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        if told := honest_agent(self._request):
            await send("Emulation.setUserAgentOverride", told)
        await send("Page.enable")
        await send("Inspector.enable")
        await send("Network.enable", {"maxTotalBufferSize": 1, "maxResourceBufferSize": 1})
        await send("Fetch.enable", {"patterns": STOPS})

    async def run(self, queued: float) -> Result:
        """`queued` is when the visit was asked for, on the loop's clock."""
        try:
            result = await self._run()
        except (Error, TimeoutError) as error:
            result = self._ended.result() if self._ended.done() else self._lost(error)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        return self._with_timing(result, queued)

    def end(self, result: Result) -> None:
        if not self._ended.done():
            self._ended.set_result(result)
            self._stirred.set()

    def lost(self, what: str) -> None:
        """The page or the browser is gone; its own fault or not, it may be tried again."""
        self.is_sound = False
        self.end(self._failure(Fault.RESET, what))

    async def _run(self) -> Result:
        self._started = self._moved_at = self._loop.time()
        total = self._request.limits.total
        # Something is left for reading the page, however long it loaded.
        soon = self._started + total - min(2.0, total / 4)
        self._spawn(self._navigate())
        await self._rest(soon)
        if self._ended.done():
            return self._ended.result()
        if self._head is None or not self._is_complete:
            what = "no answer" if self._head is None else "no end of the page"
            return self._failure(Fault.READ_TIMEOUT, f"{what} after {total:g} s")
        if self._dom_at is None:
            # A script that does not arrive holds up the parser; cut off, it lets go.
            self._permit.hang_up()
            await self._rest((soon + self._started + total) / 2)
        async with asyncio.timeout_at(self._started + total):
            return await self._read(self._head)

    async def _navigate(self) -> None:
        answer = await self._devtools.send("Page.navigate", {"url": self._request.url})
        if trouble := answer.get("errorText"):
            self.end(self._explained(trouble))

    async def _rest(self, until: float) -> None:
        """Until the page is quiet, has had its time, or the visit has ended otherwise."""
        while not self._ended.done() and (now := self._loop.time()) < until:
            wake = until
            if self._dom_at is not None:
                wake = min(until, self._dom_at + self._policy.settle)
                if self._is_complete and not self._loading:
                    wake = min(wake, self._moved_at + self._policy.quiet)
                if now >= wake and await self._is_idle(until):
                    return
            self._stirred.clear()
            # Not `sleep_until_told`: its moments are the loop's, and there is no clock here.
            with suppress(TimeoutError):
                async with asyncio.timeout_at(wake):
                    await self._stirred.wait()

    async def _is_idle(self, until: float) -> bool:
        """Whether its silence is more than a want of processor: it answers, and asks nothing."""
        moved_at = self._moved_at
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self._devtools.send("Runtime.evaluate", {"expression": "0"})
        return self._moved_at == moved_at or self._loop.time() >= until

    async def _read(self, head: Head) -> Result:
        """The DOM as text, from a world of our own that the page's scripts cannot reach."""
        limit = self._request.limits.body_bytes
        world = await self._devtools.send("Page.createIsolatedWorld", {"frameId": self._frame})
        answer = await self._devtools.send(
            "Runtime.evaluate",
            {
                "expression": READ % limit,
                "contextId": world["executionContextId"],
                "returnByValue": True,
            },
        )
        text = answer["result"].get("value")
        if "exceptionDetails" in answer:
            return self._failure(Fault.INTERNAL, "the page could not be read")
        body = text.encode("utf-8", "replace") if isinstance(text, str) else None
        if body is None or len(body) > limit:
            return self._over_limit(head)
        return self._response(head.as_text(), body)

    # What Chromium tells us.

    def _on_paused(self, event: Event) -> None:
        self._spawn(self._decide(event))

    def _on_request(self, event: Event) -> None:
        # The document is watched by itself, and a stream of events never ends.
        is_document = event.get("type") == "Document" and event.get("frameId") == self._frame
        if not is_document and event.get("type") != "EventSource":
            self._loading.add(event["requestId"])
        self._stir()

    def _on_data(self, event: Event) -> None:
        if event["requestId"] == self._document:
            self._document_bytes += event["dataLength"]
            if self._head and self._document_bytes > self._request.limits.body_bytes:
                self.end(self._over_limit(self._head))

    def _on_finished(self, event: Event) -> None:
        self._is_complete = self._is_complete or event["requestId"] == self._document
        self._loading.discard(event["requestId"])
        self._stir()

    def _on_failed(self, event: Event) -> None:
        if event["requestId"] == self._document and self._head is not None:
            if event.get("canceled"):
                self._is_complete = True  # by the page itself: window.stop()
            else:
                self.end(self._explained(event["errorText"]))
        self._loading.discard(event["requestId"])
        self._stir()

    def _on_socket(self, event: Event) -> None:
        # No request is told of it. Until it stands it is on its way, like anything asked for.
        self._loading.add(event["requestId"])
        self._stir()

    def _on_socket_open(self, event: Event) -> None:
        # What it says may be what the page shows; that it stays open is no reason to wait.
        self._loading.discard(event["requestId"])
        self._stir()

    def _on_dom(self, _event: Event) -> None:
        self._dom_at = self._loop.time()
        self._stir()

    def _on_stopped(self, event: Event) -> None:
        # A parser that was left for another page says nothing of its DOM, should the page stay.
        if event["frameId"] == self._frame and self._head is not None and self._dom_at is None:
            self._on_dom(event)

    def _stir(self) -> None:
        self._moved_at = self._loop.time()
        self._stirred.set()

    # What may be requested, and what an answer means.

    async def _decide(self, event: Event) -> None:
        is_document = event["resourceType"] == "Document"
        is_ours = is_document and event["frameId"] == self._frame
        is_answer = "responseStatusCode" in event or "responseErrorReason" in event
        is_request = not is_ours and not is_answer
        if (not is_document and not is_wanted(event)) or (
            is_request and not self._may_send(event["request"]["url"])
        ):
            await self._abort(event)
        elif not is_ours or "responseErrorReason" in event:
            await self._continue(event)
        elif "responseStatusCode" in event:
            await self._judge_answer(event)
        else:
            await self._judge_request(event)

    def _may_send(self, url: str) -> bool:
        parts = urlsplit(url)
        # What a page holds itself (data:, blob:) goes nowhere.
        return not parts.scheme.startswith("http") or self._bounds.allow(parts.hostname or "")

    async def _judge_request(self, event: Event) -> None:
        url, method = event["request"]["url"], event["request"]["method"]
        if self._request.may_leave is not None and not self._request.may_leave():
            self.end(WITHHELD)
            await self._abort(event)
            return
        if not self._url:
            self._url = url
        elif method != "GET":
            await self._abort(event)  # a form sending itself: not ours to send
            return
        elif _without_fragment(url) != _without_fragment(self._url):
            self.end(self._response(moved_to(url), b""))
            await self._abort(event)
            return
        elif self._reloads >= self._policy.reloads:
            await self._abort(event)
            return
        else:
            self._reloads += 1
        self._head, self._dom_at, self._is_complete = None, None, False
        self._document, self._document_bytes = event.get("networkId", ""), 0
        self._sent_at = self._loop.time()
        await self._continue(event, headers=request_headers(event, self._request))

    async def _judge_answer(self, event: Event) -> None:
        self._head_at = self._loop.time()
        head = read_head(event)
        limits = self._request.limits
        self._head = head
        if head.size > limits.header_bytes:
            self.end(self._failure(Fault.PROTOCOL, f"headers over {limits.header_bytes} bytes"))
        elif head.ends_here:
            self.end(self._response(head, b""))
        elif head.length > limits.body_bytes:
            self.end(self._over_limit(head))
        elif head.is_page and not self._request.any_type:
            await self._continue(event)
            return
        elif head.status < 300 and not self._wants(head):
            self.end(self._response(head, None))
        else:
            self.end(await self._take(event, head))
        await self._abort(event)

    def _wants(self, head: Head) -> bool:
        return self._request.any_type or is_readable(head.media_type, self._request.pdf)

    async def _take(self, event: Event, head: Head) -> Result:
        """The body as it is, without showing it."""
        asked = {"requestId": event["requestId"]}
        stream = (await self._devtools.send("Fetch.takeResponseBodyAsStream", asked))["stream"]
        body = bytearray()
        while True:
            try:
                part = await self._devtools.send("IO.read", {"handle": stream, "size": 1 << 20})
            except Error as error:
                return self._failure(Fault.RESET, f"cut short: {_first_line(error)}")
            data = part["data"]
            body += base64.b64decode(data) if part.get("base64Encoded") else data.encode()
            if len(body) > self._request.limits.body_bytes:
                return self._over_limit(head)
            if part["eof"]:
                return self._response(head, bytes(body))

    async def _continue(self, event: Event, **changes: Any) -> None:
        await self._devtools.send(
            "Fetch.continueRequest", {"requestId": event["requestId"], **changes}
        )

    async def _abort(self, event: Event) -> None:
        await self._devtools.send(
            "Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Aborted"}
        )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        async def quietly() -> None:
            with suppress(Error):  # the page has gone, and whoever waits for it is told so
                await work

        task = self._loop.create_task(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Values.

    @property
    def _place(self) -> Place:
        parts = urlsplit(self._url or self._request.url)
        return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)

    def _explained(self, trouble: str) -> Result:
        """Where the guard knows better than Chromium, which only saw its proxy, it speaks."""
        if self._place in self._permit.refused and self._place not in self._permit.peers:
            return self._permit.refused[self._place]
        if self._permit.is_spent:
            return self._failure(Fault.TOO_LARGE, f"over {self._permit.allowance} bytes moved")
        if self._place in self._permit.lost:
            return self._permit.lost[self._place]
        if self._place in self._permit.faults:
            return self._failure(*self._permit.faults[self._place])
        return self._failure(fault_of(trouble), trouble)

    def _lost(self, error: Exception) -> Failure:
        self.is_sound = False
        if isinstance(error, TimeoutError):
            total = self._request.limits.total
            return self._failure(Fault.READ_TIMEOUT, f"a script never paused within {total:g} s")
        return self._failure(Fault.RESET, f"the browser gave up: {_first_line(error)}")

    def _over_limit(self, head: Head) -> Result:
        if head.status >= 300:  # the status is worth more than its body
            return self._response(head, None)
        limit = self._request.limits.body_bytes
        return self._failure(Fault.TOO_LARGE, f"page over {limit} bytes")

    def _response(self, head: Head, body: bytes | None) -> Response:
        address = self._permit.peers.get(self._place, "")
        note = self._bounds.told or self._permit.bounds.told
        return Response(
            self._request.url, head.status, head.headers, body, address=address, note=note
        )

    def _failure(self, fault: Fault, detail: str) -> Failure:
        status = self._head.status if self._head else None
        address = self._permit.peers.get(self._place, "")
        return Failure(fault, detail[:300], status, address=address)

    def _with_timing(self, result: Result, queued: float) -> Result:
        if isinstance(result, Forbidden):
            return result
        now = self._loop.time()
        timing = Timing(
            1000 * ((self._sent_at or now) - queued),
            1000 * (self._head_at - queued) if self._head_at else 0.0,
            1000 * (now - queued),
            self._permit.moved,
        )
        return replace(result, timing=timing)


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
