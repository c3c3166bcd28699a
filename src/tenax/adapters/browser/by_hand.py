"""A Chromium with a window, for a person to log in with: what it keeps for the site is told, and
the browser with its profile is gone."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from playwright.async_api import Error, async_playwright

from tenax.adapters.browser import chromium
from tenax.ports import Unavailable


async def cookies_by_hand(
    url: str, executable: str, until: Callable[[], Awaitable[None]], *, headless: bool = False
) -> list[dict[str, Any]]:
    """Open this page and wait until the person is done, or has closed the window."""
    program = chromium.find(executable)
    if program is None:
        raise Unavailable(chromium.missing(executable))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        async with async_playwright() as driver:
            try:
                context = await driver.chromium.launch_persistent_context(
                    profile, executable_path=program, headless=headless, no_viewport=True
                )
            except Error as error:
                raise Unavailable(
                    f"no window could be opened ({str(error).splitlines()[0][:200]}). Log in"
                    " elsewhere, and bring the cookies: --cookies FILE."
                ) from error
            seen: list[dict[str, Any]] = []
            page = context.pages[0] if context.pages else await context.new_page()
            gone = asyncio.Event()
            context.on("close", lambda _: gone.set())
            page.on("close", lambda _: gone.set())
            await _go(page, url)
            done = asyncio.ensure_future(until())
            closed = asyncio.ensure_future(gone.wait())
            try:
                while not (done.done() or closed.done()):
                    seen = await _cookies(context) or seen
                    await asyncio.wait((done, closed), timeout=0.5, return_when="FIRST_COMPLETED")
                return await _cookies(context) or seen
            finally:
                done.cancel()
                closed.cancel()
                await context.close()


async def _go(page: Any, url: str) -> None:
    with suppress(Error):  # the person sees what is wrong, and can type another address
        await page.goto(url)


async def _cookies(context: Any) -> list[dict[str, Any]]:
    try:
        return list(await context.cookies())
    except Error:  # the window was closed a moment ago
        return []
