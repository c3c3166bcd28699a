"""What may a program ask of a crawl? The fields of `JobSpec` as a type checker knows keyword
arguments, so that a misspelt one is found before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from tenax.model.words import ScopeKind, UrlSource

_Texts = Sequence[str]


class JobOptions(TypedDict, total=False):
    sitemaps: _Texts
    scope: ScopeKind | str
    include: _Texts
    exclude: _Texts
    allowed_hosts: _Texts
    blocked_hosts: _Texts
    max_depth: int
    max_pages: int | None
    max_pages_per_host: int | None
    max_urls: int | None
    drop_parameters: _Texts
    drop_trailing_slash: bool
    discover: Sequence[UrlSource | str]
    recrawl: float | None
    schedule: str
    products: bool
    images: bool
