"""Alerts by mail, through a server that the settings name."""

from __future__ import annotations

import asyncio
import smtplib
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from tenax.model.dates import iso_time
from tenax.ports import Unavailable
from tenax.ports.checks import AlertRecord

_LIMIT = 30.0


class AlertMail:
    def __init__(self, server: str, sender: str, to: Sequence[str]) -> None:
        self._server = urlsplit(server)
        self._sender = sender or to[0]
        self._to = tuple(to)

    async def send(self, event: str, alert: AlertRecord) -> None:
        try:
            await asyncio.to_thread(self._deliver, self.letter(event, alert))
        except (OSError, smtplib.SMTPException) as error:
            raise Unavailable(f"the mail server did not take a mail ({error}).") from error

    def letter(self, event: str, alert: AlertRecord) -> EmailMessage:
        about = f" ({alert.about})" if alert.about else ""
        letter = EmailMessage()
        letter["From"] = self._sender
        letter["To"] = ", ".join(self._to)
        # What a site is called must not write a header of its own.
        subject = f"[tenax] {event}: {alert.what}{about}"
        letter["Subject"] = "".join(c if c.isprintable() else " " for c in subject)[:200]
        at = alert.cleared_at or alert.raised_at or alert.since
        letter["Date"] = datetime.fromtimestamp(at, UTC)
        domain = self._sender.rpartition("@")[2].strip("<> ") or "localhost"
        letter["Message-ID"] = f"<tenax-{alert.id}-{event}-{round(at)}@{domain}>"
        lines = [alert.told, "", f"It began at {iso_time(alert.since)}."]
        if alert.cleared_at is not None:
            lines.append(f"It was over at {iso_time(alert.cleared_at)}.")
        lines += ["", f"Tell nobody of it for an hour: tenax alerts silence {alert.id} --for 1h"]
        letter.set_content("\n".join(lines) + "\n")
        return letter

    def _deliver(self, letter: EmailMessage) -> None:
        where = self._server
        is_tls = where.scheme == "smtps"
        kind = smtplib.SMTP_SSL if is_tls else smtplib.SMTP
        with kind(
            where.hostname or "", where.port or (465 if is_tls else 25), timeout=_LIMIT
        ) as one:
            if not is_tls and one.has_extn("starttls"):
                one.starttls()
            if where.username:
                one.login(unquote(where.username), unquote(where.password or ""))
            one.send_message(letter)
