"""The size of a picture, from its first bytes."""

from __future__ import annotations

import pytest

from tenax.page.picture import size_of

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x80\x00\x00\x01\xe0"
GIF = b"GIF89a\x80\x02\xe0\x01"
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    b"\xff\xc2\x00\x11\x08\x01\xe0\x02\x80\x03\x01\x22\x00"
)
LOSSY = b"RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x80\x02\xe0\x01"
LOSSLESS = (
    b"RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f"
    + (639 | 479 << 14).to_bytes(4, "little")
    + bytes(8)
)
EXTENDED = (
    b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00"
    + (639).to_bytes(3, "little")
    + (479).to_bytes(3, "little")
)


@pytest.mark.parametrize("body", [PNG, GIF, JPEG, LOSSY, LOSSLESS, EXTENDED])
def test_a_picture_has_a_size(body: bytes) -> None:
    assert size_of(body) == (640, 480)


@pytest.mark.parametrize("body", [PNG, GIF, JPEG, LOSSY, LOSSLESS, EXTENDED])
def test_what_is_cut_off_has_none_or_the_right_one(body: bytes) -> None:
    assert {size_of(body[:end]) for end in range(len(body))} <= {None, (640, 480)}


def test_what_is_no_picture_has_none() -> None:
    assert size_of(b"") is None
    assert size_of(b"<svg></svg>") is None
    assert size_of(b"\xff\xd8" + b"\xff\xe0\x00\x00" * 99) is None
