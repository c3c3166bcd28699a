"""What may a handler yield? Records, URLs to follow, and what is for sale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct


class Record(Struct, frozen=True):
    """Something of the user's own on a page; made by `page.record`, which checks it."""

    name: str
    fields: dict[str, Any]
    key: str = ""


class Follow(Struct, frozen=True):
    """A URL to visit, as any link: by the rules of the job. Made by `page.follow`."""

    href: str
    """As the page spells it; empty for nothing."""
    priority: int | None = None
    post: str | None = None
    """What is sent there, by POST; None to ask for it."""
    content_type: str = ""


class OwnProduct(Struct, frozen=True):
    """What is for sale on the page, as far as the user's code knows. Made by `page.product`."""

    fields: Mapping[str, str]


Told: TypeAlias = Record | Follow | OwnProduct
"""What a handler may yield."""
