"""Does a mail say what is wrong, and nobody on the web write its headers?"""

from __future__ import annotations

import asyncio

import pytest

from tenax.adapters.alerts.mail import AlertMail
from tenax.ports import Unavailable
from tenax.ports.checks import AlertRecord
from tests.ledgers import START

ALERT = AlertRecord(7, "relay", "evil\r\nBcc: me@example.org", "late", 500.0, START, START + 60.0)


class Postman:
    """As much of a mail server as one mail takes."""

    def __init__(self) -> None:
        self.mail = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 here\r\n")
        while line := await reader.readline():
            word = line[:4].upper().strip()
            if word == b"DATA":
                writer.write(b"354 go on\r\n")
                self.mail = await reader.readuntil(b"\r\n.\r\n")
            elif word == b"QUIT":
                writer.write(b"221 bye\r\n")
                break
            writer.write(b"250 fine\r\n")
        writer.close()


async def test_a_mail_says_what_is_wrong_and_nobody_writes_its_headers() -> None:
    postman = Postman()
    server = await asyncio.start_server(postman.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    mail = AlertMail(f"smtp://127.0.0.1:{port}", "", ["ops@example.org", "me@example.net"])
    await mail.send("raised", ALERT)
    server.close()
    head, _, body = postman.mail.partition(b"\r\n\r\n")
    assert b"\nBcc" not in head
    assert b"Subject: [tenax] raised: relay (evil" in head
    assert b"To: ops@example.org, me@example.net" in head
    assert b"Date: " in head, "a mail without one is refused, or sorted into 1970"
    assert b"Message-ID: <tenax-7-raised-" in head, "told again, it is the same mail"
    assert b"late" in body
    assert b"tenax alerts silence 7" in body
    with pytest.raises(Unavailable):
        await mail.send("cleared", ALERT)
