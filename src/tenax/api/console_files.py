"""The console's files: built from `console/` by `make console`, served with headers of their own.

They hold no data, so anybody may have them. Every address of a page gets the same file: what it
shows is asked of the API, by the one who looks.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from msgspec import Struct
from starlette.convertors import StringConvertor, register_url_convertor

from tenax.api.envelope import OWN_HEADERS
from tenax.api.guard import Doors, GuardedRoute
from tenax.api.problems import Problem
from tenax.ports.accounts import ApiRole

BUILT = Path(__file__).parent / "console"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_HASHED = re.compile(r"-[A-Z0-9]{8}\.[a-z0-9]+$")
_FOREVER = "max-age=31536000, immutable"
_CHECKED = "no-cache"
_MISSING = """\
The console was not built, so there is nothing to show here. In a source tree: make console
The API works without it: GET /api/openapi.json tells what there is, tenax --help what else.
"""
_KINDS = {".js": "text/javascript", ".woff2": "font/woff2"}


PAGES = (
    "alerts", "dead", "frontier", "hosts", "jobs", "login", "pages", "products", "proxies",
    "records", "settings", "sites", "url", "workers",
)  # fmt: skip
"""What addresses of pages begin with; `console/src/routes.ts` has them, too."""


class _ConsolePage(StringConvertor):
    regex = rf"(?:(?:{'|'.join(PAGES)})(?:/[^\x00]*)?)?"


register_url_convertor("console_page", _ConsolePage())


class _ConsoleRoute(GuardedRoute):
    """Filters in an address are read by the page, not by us."""

    def _require_known(self, request: Request) -> None:
        pass


def add(doors: Doors, built: Path = BUILT) -> None:
    console = _Console(built)
    more: dict[str, Any] = {"counted": False, "include_in_schema": False}
    doors.get("/assets/{name}", console.asset, ApiRole.ANONYMOUS, media=("*/*",), **more)
    doors.get(
        "/{address:console_page}",
        console.page,
        ApiRole.ANONYMOUS,
        media=("text/html",),
        route_class_override=_ConsoleRoute,
        **more,
    )


class _BuiltFile(Struct, frozen=True):
    kind: str
    body: bytes
    packed: Mapping[str, bytes]
    """The same by encoding, the best first."""


class _Console:
    """Reads everything that was built once, and again when it was built anew."""

    def __init__(self, built: Path) -> None:
        self._built = built
        self._page: _BuiltFile | None = None
        self._assets: dict[str, _BuiltFile] = {}
        self._made_at: float | None = None

    async def page(self, request: Request, address: str) -> Response:
        self._freshen()
        if self._page is None:
            return Response(_MISSING, 404, media_type="text/plain")
        return _answer(request, self._page, _CHECKED)

    async def asset(self, request: Request, name: str) -> Response:
        found = self._assets.get(name)
        if found is None:
            self._freshen()
            found = self._assets.get(name)
        if found is None:
            raise Problem(404, "There is no such file; the console was renewed meanwhile: reload.")
        return _answer(request, found, _FOREVER if _HASHED.search(name) else _CHECKED)

    def _freshen(self) -> None:
        index = self._built / "index.html"
        try:
            made_at = index.stat().st_mtime
        except OSError:
            self._page, self._assets, self._made_at = None, {}, None
            return
        if made_at != self._made_at:
            self._page = _read(index)
            files = (self._built / "assets").iterdir()
            self._assets = {f.name: _read(f) for f in files if f.suffix not in (".br", ".gz")}
            self._made_at = made_at


def _read(file: Path) -> _BuiltFile:
    endings = {"br": ".br", "gzip": ".gz"}
    packed = {name: file.with_name(file.name + ending) for name, ending in endings.items()}
    kind = _KINDS.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "text/plain"
    return _BuiltFile(
        kind,
        file.read_bytes(),
        {name: path.read_bytes() for name, path in packed.items() if path.exists()},
    )


def _answer(request: Request, file: _BuiltFile, kept: str) -> Response:
    request.scope[OWN_HEADERS] = {**_HEADERS, "Cache-Control": kept}
    accepted = {
        part.partition(";")[0].strip()
        for part in request.headers.get("accept-encoding", "").split(",")
        if not re.search(r";\s*q=0(?:\.0*)?\s*$", part)
    }
    for name, body in file.packed.items():
        if name in accepted:
            headers = {"Content-Encoding": name, "Vary": "Accept-Encoding"}
            return Response(body, media_type=file.kind, headers=headers)
    return Response(file.body, media_type=file.kind, headers={"Vary": "Accept-Encoding"})
