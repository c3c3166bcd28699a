"""Reading with the compiled code and without it, for tests that compare the two."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tenax.model import Headers, Page, Response
from tenax.page import native
from tenax.page.read import read

URL = "https://a.example/news/2024/05/06/b"
_BUILT = native.NATIVE


def required() -> bool:
    """Whether there is anything to compare. Where it has to be there, it is an error if not."""
    assert _BUILT is not None or not os.environ.get("CI"), "tenax.page._native was not built"
    return _BUILT is not None


@contextmanager
def in_python() -> Iterator[None]:
    with _using(None):
        yield


@contextmanager
def compiled() -> Iterator[None]:
    with _using(_BUILT):
        yield


@contextmanager
def _using(chosen: native.Native | None) -> Iterator[None]:
    before, native.NATIVE = native.NATIVE, chosen
    try:
        yield
    finally:
        native.NATIVE = before


def page_of(body: bytes, content_type: str = "text/html; charset=utf-8") -> Page:
    headers = Headers((("Content-Type", content_type),))
    return read(Response(URL, 200, headers, body), fetched_at=1_800_000_000.0, products=True)
