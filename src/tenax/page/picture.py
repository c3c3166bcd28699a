"""How large is a picture, and of which kind? Read from the first bytes of the formats shops use."""

from __future__ import annotations

from typing import Final

_FARTHEST: Final = 200_000
"""Bytes of a JPEG in which its size is looked for: thumbnails and profiles may stand before it."""
_NO_FRAME: Final = frozenset({0xC4, 0xC8, 0xCC})


def size_of(body: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; None when it is none of the formats, or broken."""
    found: tuple[int, int] | None = None
    if body[:8] == b"\x89PNG\r\n\x1a\n" and len(body) >= 24:
        found = _big(body[16:20]), _big(body[20:24])
    elif body[:6] in (b"GIF87a", b"GIF89a") and len(body) >= 10:
        found = _little(body[6:8]), _little(body[8:10])
    elif body[:4] == b"RIFF" and body[8:12] == b"WEBP" and len(body) >= 30:
        found = _webp(body)
    elif body[:2] == b"\xff\xd8":
        found = _jpeg(body)
    return found if found and found[0] > 0 and found[1] > 0 else None


def type_of(body: bytes) -> str:
    """Its media type; `application/octet-stream` when it is none of the formats."""
    kinds = (
        (b"\x89PNG\r\n\x1a\n", "image/png"), (b"GIF8", "image/gif"), (b"\xff\xd8", "image/jpeg"),
    )  # fmt: skip
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    if body[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return next(
        (kind for start, kind in kinds if body.startswith(start)), "application/octet-stream"
    )


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _webp(body: bytes) -> tuple[int, int] | None:
    match body[12:16]:
        case b"VP8 ":
            return _little(body[26:28]) & 0x3FFF, _little(body[28:30]) & 0x3FFF
        case b"VP8L":
            bits = _little(body[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return _little(body[24:27]) + 1, _little(body[27:30]) + 1
        case _:
            return None


def _jpeg(body: bytes) -> tuple[int, int] | None:
    """The first frame header, from segment to segment (ITU T.81, B.2)."""
    place = 2
    while place + 9 <= min(len(body), _FARTHEST):
        if body[place] != 0xFF:
            return None
        marker = body[place + 1]
        if marker == 0xFF:
            place += 1
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            return _big(body[place + 7 : place + 9]), _big(body[place + 5 : place + 7])
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            place += 2
        else:
            place += 2 + max(2, _big(body[place + 2 : place + 4]))
    return None
