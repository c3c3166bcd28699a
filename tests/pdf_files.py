"""PDF files as small as they can be, sound ones and others."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def written(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A file of these objects, numbered from 1; the first is its catalogue."""
    document, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(document))
        document += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        b"%bxref\n0 %d\n0000000000 65535 f \n%btrailer\n<< /Size %d /Root 1 0 R %b >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (document, size, table, size, trailer, len(document))
    )


def stream(content: bytes, filters: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), filters, content)


def lines(*texts: str) -> bytes:
    """What draws them, one below the other."""
    drawn = b"".join(b"(%b) Tj 0 -20 Td " % text.encode("ascii") for text in texts)
    return b"BT /F1 12 Tf 50 780 Td " + drawn + b"ET"


def pdf(*pages: bytes, info: bytes = b"", uris: Sequence[str] = (), trailer: bytes = b"") -> bytes:
    """One that draws these pages; its first one has the links."""
    annotations = b"".join(
        b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (%b) >> >> "
        % uri.encode("ascii")
        for uri in uris
    )
    kids = b" ".join(b"%d 0 R" % (5 + 2 * number) for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(pages)),
        _FONT,
        b"<< %b >>" % info,
    ]
    for number, page in enumerate(pages):
        links = annotations if number == 0 else b""
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Annots [%b]"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (6 + 2 * number, links),
            page if page.startswith(b"<<") else stream(page),
        ]
    return written(objects, b"/Info 4 0 R " + trailer)


def locked() -> bytes:
    """One that only its password opens, and nobody has that."""
    keys = b"/Filter /Standard /V 1 /R 2 /P -4 /O <%b> /U <%b>" % (b"ab" * 32, b"cd" * 32)
    return pdf(lines("Secret"), trailer=b"/Encrypt << %b >> /ID [<00> <00>]" % keys)


def looping() -> bytes:
    """Its pages lead round in a circle."""
    return written([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 5 >>",
        b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 5 >>",
    ])  # fmt: skip


def boastful() -> bytes:
    """It says that it has a thousand million pages, and has one."""
    sound = pdf(lines("The only page"))
    return sound.replace(b"/Count 1 ", b"/Count 999999999 ")


def bomb(size: int) -> bytes:
    """A page of so many bytes, in a thousandth of that."""
    packed = zlib.compress(b" " * size, 9)
    return pdf(stream(packed, b"/Filter /FlateDecode"))
