"""Finding a Chromium and its command line: it does only what we ask, and sees nothing of ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tenax.adapters.browser.policy import BrowserPolicy

_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "chrome-headless-shell",
)  # fmt: skip
_PLACES = (
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome-stable",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# What `playwright install chromium` leaves, newest last.
_DOWNLOADED = (
    ".cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    ".cache/ms-playwright/chromium_headless_shell-*/*/*headless*shell",
    "Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)

_SWITCHES = (
    # Driven through a pipe: a debugging port would be open to every program on this machine.
    "--headless", "--remote-debugging-pipe", "--no-startup-window", "--hide-scrollbars",
    "--mute-audio", "--force-color-profile=srgb", "--disable-dev-shm-usage",
    # Nothing of its own accord: updates, reports, accounts, suggestions, first steps.
    "--disable-background-networking", "--disable-breakpad", "--disable-component-update",
    "--disable-component-extensions-with-background-pages", "--disable-default-apps",
    "--disable-domain-reliability", "--disable-extensions", "--disable-field-trial-config",
    "--disable-search-engine-choice-screen", "--disable-sync", "--metrics-recording-only",
    "--no-default-browser-check", "--no-first-run", "--no-pings", "--no-service-autorun",
    "--password-store=basic", "--use-mock-keychain",
    # Every page is in front, none is kept, and a page may be as busy as it likes.
    "--allow-pre-commit-input", "--disable-back-forward-cache",
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
    "--disable-hang-monitor", "--disable-ipc-flooding-protection", "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding", "--js-flags=--max-old-space-size=512",
    # One process per page, the frames of other sites included: one session sees all requests
    # of the page, and there is nothing in a fresh context that sites could steal from another.
    "--disable-site-isolation-trials",
    # No way to the network but the guard: nothing over UDP, no names looked up.
    "--disable-quic", "--dns-prefetch-disable",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--proxy-bypass-list=<-loopback>",
)  # fmt: skip
NOT_WANTED = (
    # Site isolation, as above.
    "IsolateOrigins", "IsolateSandboxedIframes", "site-per-process",
    # http stays http: what was asked for is what is fetched.
    "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades",
    # Talks to its makers, or to the neighbourhood.
    "AimEnabled", "AutofillServerCommunication", "CertificateTransparencyComponentUpdater",
    "InterestFeedContentSuggestions", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying",
    "OptimizationGuideModelDownloading", "OptimizationHints", "PreconnectToSearch", "Translate",
    # Stands in the way of being driven: see Playwright's own list.
    "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose", "PaintHolding", "ThirdPartyStoragePartitioning",
    # A window's own pages: a process and 100 MB for each context.
    "PreloadTopChromeWebUI", "TabStripWebUI", "WebUITabStrip",
    "WebUIOmniboxAimPopup", "WebUIOmniboxPopup",
)  # fmt: skip
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH")


def find(executable: str = "") -> str | None:
    """The Chromium to run: the one named, else the first in PATH or where one usually is."""
    if executable:
        return shutil.which(executable)
    return next(_candidates(), None)


def missing(executable: str = "") -> str:
    """What to tell somebody who has none."""
    if executable:
        return f"browser.executable = {executable!r}: no such program."
    return (
        "no Chromium found. Install one (Debian: apt install chromium; or: "
        "playwright install --with-deps chromium), or name it in browser.executable."
    )


def version(executable: str) -> str:
    """How it names itself, `Chromium 156.0.8078.79`; raises OSError when it does not run."""
    try:
        ended = subprocess.run(
            [executable, "--version"], capture_output=True, text=True, timeout=20, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{executable} --version did not end") from error
    found = re.search(r"[A-Za-z ]+ \d+(\.\d+)+", ended.stdout)
    if found is None:
        raise OSError(f"{executable} --version: {(ended.stderr or ended.stdout).strip()[:200]}")
    return found[0].strip()


def arguments(policy: BrowserPolicy, profile: Path, proxy: str) -> list[str]:
    """The whole command line; the last of two contradicting arguments counts."""
    is_boxed = policy.sandbox and os.geteuid() != 0
    return [
        *policy.arguments,
        *_SWITCHES,
        *([] if is_boxed else ["--no-sandbox"]),
        f"--disable-features={','.join(NOT_WANTED)}",
        "--enable-features=SkipListAccountsWithoutGaiaCookies",
        f"--proxy-server={proxy}",
        f"--user-data-dir={profile}",
    ]


def environment(
    home: Path, environ: Mapping[str, str] = os.environ
) -> dict[str, str | float | bool]:
    """Nothing of ours but what a program needs: no secrets, and a HOME that goes with it."""
    kept = {name: environ[name] for name in _KEPT if name in environ}
    folders = {
        "HOME": home,
        "XDG_CONFIG_HOME": home / "config",
        "XDG_CACHE_HOME": home / "cache",
        "TMPDIR": home,
    }
    return {**kept, **{name: str(folder) for name, folder in folders.items()}}


def _candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, _NAMES))
    yield from filter(_is_program, _PLACES)
    for pattern in _DOWNLOADED:
        yield from filter(_is_program, sorted(map(str, Path.home().glob(pattern)), reverse=True))


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
