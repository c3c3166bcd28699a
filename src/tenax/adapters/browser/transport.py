"""The browser as an HTTP client: what a server answers to one request, once scripts have run.

One exchange, as with the other transports: redirects come back as answers, among them those a
page performs itself (302, with its target as Location). The body is the DOM as text; what is
not a page comes as it is.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from playwright.async_api import BrowserContext, Page

from tenax.adapters.browser.bounds import bounds_of
from tenax.adapters.browser.guard import GuardProxy, Judge, Permit
from tenax.adapters.browser.policy import BrowserPolicy
from tenax.adapters.browser.pool import BrowserPool, Member
from tenax.adapters.browser.process import NoBrowser
from tenax.adapters.browser.visit import BrowserVisit, Result
from tenax.adapters.libcurl.names import Resolver
from tenax.adapters.libcurl.roots import trusted_roots
from tenax.adapters.local.clock import SystemClock
from tenax.model import Failure, Fault, Request
from tenax.ports import Clock
from tenax.urls.normalise import origin_of

_GOODBYE = 5.0


class _NotOpened(Exception):
    """The browser did not get as far as asking for a page."""


class BrowserTransport:
    """Renders pages in a pool of one browser; nothing is started before the first `send`.

    `limits.total` counts from the moment the page is asked for: waiting for a free slot, or for
    the browser to start, is not the host's fault.
    """

    name = "browser"

    def __init__(
        self,
        *,
        judge: Judge,
        policy: BrowserPolicy | None = None,
        clock: Clock | None = None,
        resolver: Resolver | None = None,
        ca_file: str | None = None,
    ) -> None:
        self._policy = policy or BrowserPolicy()
        roots = ca_file or trusted_roots()
        self._guard = GuardProxy(judge, resolver, roots)
        self._clock = clock or SystemClock()
        self._pool = BrowserPool(self._policy, self._clock, roots)
        self._opening: asyncio.Task[None] | None = None
        self._visits: set[asyncio.Task[Result]] = set()
        self._is_closed = False

    async def send(self, request: Request) -> Result:
        """One page. `request.url` is an href as the URL parser writes it."""
        if trouble := _unsendable(request):
            return trouble
        if self._is_closed:
            return Failure(Fault.INTERNAL, "the browser has been closed")
        if self._opening is None:
            self._opening = asyncio.create_task(self._guard.open())
        await asyncio.shield(self._opening)
        # A task of its own, so that closing can cancel the visit without cancelling the caller.
        visit = asyncio.create_task(self._visit(request))
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)
        return await visit

    async def close(self) -> None:
        """Cancels what is under way; when it returns, no process and no file is left."""
        self._is_closed = True
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)
        await self._pool.close()
        await self._guard.close()

    async def _visit(self, request: Request) -> Result:
        queued = asyncio.get_running_loop().time()
        trouble: Exception | None = None
        for _ in range(2):  # a browser that was dying has sent nothing: the next one may
            try:
                async with self._pool.member(self._guard.url) as member:
                    return await self._show(member, request, queued)
            except NoBrowser as error:
                return Failure(Fault.INTERNAL, str(error))
            except _NotOpened as error:
                trouble = error
        return Failure(Fault.INTERNAL, f"the browser opens no page: {trouble}"[:300])

    async def _show(self, member: Member, request: Request, queued: float) -> Result:
        bounds = bounds_of(request, self._policy)
        allowance = self._policy.visit_bytes
        permit = self._guard.admit(request.limits, allowance, bounds, request.proxy)
        context: BrowserContext | None = None
        is_sound = True
        try:
            async with asyncio.timeout(self._policy.patience):
                browser = member.process.browser
                context = await browser.new_context(**_context(request, permit, self._guard.url))
                await _bring(_cookies(request), context)
                page = await context.new_page()
                visit = BrowserVisit(
                    await context.new_cdp_session(page), request, permit, self._policy
                )
                _keep_alone(context, page, visit)
                await visit.prepare()
        except Exception as error:  # also what Playwright raises when its driver has died
            member.is_broken = True
            raise _NotOpened(repr(error)) from error
        else:
            result = await visit.run(queued)
            is_sound = visit.is_sound
            return result
        finally:
            await self._guard.dismiss(permit)
            is_sound = await _is_closed(context) and is_sound
            member.went(is_sound, self._clock.now())


def _context(request: Request, permit: Permit, proxy: str) -> dict[str, Any]:
    """A context that knows nothing, may do nothing, and reaches the network only with a permit."""
    named = {name.lower(): value for name, value in request.headers}
    language = named.get("accept-language")
    return {
        "proxy": {"server": proxy, "username": permit.username, "password": permit.password},
        "user_agent": named.get("user-agent"),
        "extra_http_headers": {"Accept-Language": language} if language else {},
        "accept_downloads": False,
        "service_workers": "block",
    }


async def _bring(cookies: list[Any], context: BrowserContext) -> None:
    """Chromium takes all of them or none: where there is one that it will not have, one by one."""
    try:
        await context.add_cookies(cookies)
    except Exception:
        for cookie in cookies:
            with suppress(Exception):
                await context.add_cookies([cookie])


def _cookies(request: Request) -> list[Any]:
    """Those of the Cookie header, for the site they are meant for."""
    header = next((value for name, value in request.headers if name.lower() == "cookie"), "")
    pairs = (crumb.strip().partition("=") for crumb in header.split(";") if "=" in crumb)
    root = f"{origin_of(request.url)}/"
    return [
        # Chromium takes one of such a name for the whole host or not at all.
        {"name": name, "value": value, "url": root if name.startswith("__Host-") else request.url}
        for name, _, value in pairs
    ]


def _keep_alone(context: BrowserContext, page: Page, visit: BrowserVisit) -> None:
    """End the visit when its page goes, and end at once what it opens beside itself."""
    closings = set()

    def close(popup: Page) -> None:
        task = asyncio.ensure_future(_is_closed(popup))
        closings.add(task)
        task.add_done_callback(closings.discard)

    context.on("page", close)
    page.on("crash", lambda _: visit.lost("the page crashed its process"))
    page.on("close", lambda _: visit.lost("the browser ended during the visit"))


async def _is_closed(opened: BrowserContext | Page | None) -> bool:
    """Close it; False when it would not, within reason."""
    try:
        async with asyncio.timeout(_GOODBYE):
            if opened is not None:
                await opened.close()
    except Exception:  # the browser is to blame, and is told so by the answer
        return False
    return True


def _unsendable(request: Request) -> Failure | None:
    if request.method != "GET":
        return Failure(Fault.PROTOCOL, f"method {request.method!r}: a browser only gets pages")
    if not request.url.startswith(("http://", "https://")):
        return Failure(Fault.INTERNAL, f"request not sent: {request.url[:80]} is no web address")
    for name, value in request.headers:
        if any(breaker in name + value for breaker in "\r\n\0") or not (name + value).isascii():
            return Failure(Fault.INTERNAL, f"request not sent: header {name!r} cannot be sent")
    return None
