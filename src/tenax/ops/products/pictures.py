"""What does a product look like? The stored bytes of a picture that was downloaded (PROD-4)."""

from __future__ import annotations

from msgspec import Struct

from tenax.model import Image
from tenax.page.picture import type_of
from tenax.ports import ContentStore
from tenax.ports.products import ProductRecord


class StoredPicture(Struct, frozen=True):
    image: Image
    body: bytes
    content_type: str
    """By its first bytes: what a server called it is not kept."""


class NoPicture(Struct, frozen=True):
    """There is none to be had: why, and what to do."""

    why: str


async def picture(
    record: ProductRecord, position: int, content: ContentStore
) -> StoredPicture | NoPicture:
    """The picture at this place among the product's; 0 is the first."""
    image = next((each for each in record.product.images if each.position == position), None)
    if image is None:
        many = len(record.product.images)
        return NoPicture(f"the product has {many} pictures, the first one is 0.")
    if not image.digest:
        return NoPicture(
            "it was not downloaded. A job does that with images = true, and as long as it runs;"
            " `tenax why` tells of the picture's URL what became of it."
        )
    body = await content.get(bytes.fromhex(image.digest))
    if body is None:
        return NoPicture("its bytes are not in the content store any more.")
    return StoredPicture(image, body, type_of(body))
