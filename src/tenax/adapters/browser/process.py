"""One browser process: a driver and its Chromium, health-checked and killed together."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Self

from playwright.async_api import Browser, Playwright, async_playwright

from tenax.adapters.browser import chromium, watch
from tenax.adapters.browser.policy import BrowserPolicy
from tenax.adapters.browser.priority import stand_back

_GOODBYE = 5.0
"""Seconds for ending in good order; then it is killed."""


class NoBrowser(Exception):
    """There is no browser to be had: why, and what to do."""


class BrowserProcess:
    """One Chromium with its own Playwright driver: what leaks in either ends with both."""

    def __init__(
        self, folder: Path, driver: Playwright, browser: Browser, driver_pids: set[int]
    ) -> None:
        self.browser = browser
        self._folder = folder
        self._driver = driver
        self._driver_pids = driver_pids

    @classmethod
    async def start(
        cls, policy: BrowserPolicy, folder: Path, proxy: str, trusts: Path | None = None
    ) -> Self:
        """Raises NoBrowser; then nothing of it is left. `trusts` holds certificates for it."""
        executable = chromium.find(policy.executable)
        if executable is None:
            raise NoBrowser(chromium.missing(policy.executable))
        driver: Playwright | None = None
        try:
            async with asyncio.timeout(policy.patience):
                os.makedirs(folder / "home", mode=0o700)
                if trusts is not None:
                    shutil.copytree(trusts, folder / "home" / ".pki" / "nssdb")
                driver = await async_playwright().start()
                # With a profile that is named, the driver makes no folder of its own, which would
                # stay behind if it were killed. The context that comes with it is not used.
                default = await driver.chromium.launch_persistent_context(
                    folder / "profile",
                    executable_path=executable,
                    ignore_default_args=True,
                    args=chromium.arguments(policy, folder / "profile", proxy),
                    env=chromium.environment(folder / "home"),
                    artifacts_dir=folder,
                    # Signals are for Tenax, which may want to finish its pages first.
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                    timeout=1000 * policy.patience,
                )
                browser = default.browser
                assert browser is not None
                driver_pids = await asyncio.to_thread(watch.drivers, str(folder))
                members = await asyncio.to_thread(watch.members, str(folder))
                stand_back(members | driver_pids, policy.nice)
        except BaseException as error:
            await _abandon(folder, driver)
            if isinstance(error, Exception):
                raise NoBrowser(f"{executable} did not start: {_reason(error)}") from error
            raise
        return cls(folder, driver, browser, driver_pids)

    @property
    def is_connected(self) -> bool:
        return self.browser.is_connected()

    async def memory(self) -> int:
        return await asyncio.to_thread(watch.memory, str(self._folder))

    async def is_healthy(self, patience: float) -> bool:
        """Whether a page can be opened and a script run in it."""
        try:
            async with asyncio.timeout(patience):
                context = await self.browser.new_context()
                page = await context.new_page()
                is_sane = bool(await page.evaluate("1 + 1") == 2)
                await context.close()
        except Exception:  # whatever it is, it is not health
            return False
        return is_sane

    async def kill(self) -> None:
        """At once; what is under way in it fails."""
        await asyncio.to_thread(watch.sweep, str(self._folder))

    async def close(self) -> None:
        """In good order if it will, by force if not; then its folder is gone too."""
        with suppress(Exception):
            async with asyncio.timeout(_GOODBYE):
                await self.browser.close()
        await self.kill()
        with suppress(Exception):
            async with asyncio.timeout(_GOODBYE):
                await self._driver.stop()
        await asyncio.to_thread(watch.end_drivers, self._driver_pids)


async def _abandon(folder: Path, driver: Playwright | None) -> None:
    await asyncio.to_thread(watch.sweep, str(folder))
    if driver is not None:
        with suppress(Exception):
            async with asyncio.timeout(_GOODBYE):
                await driver.stop()


def _reason(error: Exception) -> str:
    """Chromium's own complaint, which Playwright prints among its log, else the first line."""
    lines = str(error).splitlines() or [type(error).__name__]
    complaint = next((line for line in lines if "[err]" in line), lines[0])
    hint = " (set browser.sandbox to false)" if "sandbox" in str(error).lower() else ""
    return f"{complaint.strip()[:200]}{hint}"
