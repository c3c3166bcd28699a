"""ROB-6: who may be crawled by somebody who says nothing of himself?"""

from __future__ import annotations

import pytest

from tenax.compose import require_contact
from tenax.settings import Settings, SettingsError, load


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/", "example.org", "HTTP://EXAMPLE.ORG:8080/x", "https://bücher.de",
        "http://8.8.8.8/", "http://134744072/", "http://[2606:4700::1111]/", "http://a.local.org",
        "https://example.org./", "http://mylocalhost.com/", "http://testlocal.xn--p1ai/",
    ],
)  # fmt: skip
def test_a_public_host_needs_a_contact(url: str) -> None:
    with pytest.raises(SettingsError, match="is a public host, and no contact is set"):
        require_contact(Settings(), ["http://127.0.0.1/", url])
    require_contact(Settings(contact="mailto:me@example.org"), [url])


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/", "localhost:8000", "http://shop.localhost/", "http://10.1.2.3/",
        "http://[::1]/", "http://192.168.0.1/", "http://intranet/", "http://wiki.internal/",
        "http://printer.local/", "http://printer.local./", "http://router.home.arpa/",
        "http://site.test/", "mailto:me@example.org", "not a url", "",
    ],
)  # fmt: skip
def test_a_host_of_ones_own_needs_none(url: str) -> None:
    require_contact(Settings(), [url])


@pytest.mark.parametrize(
    "contact",
    [
        "https://example.org/bot", "http://example.org", "mailto:me@example.org", "me@example.org",
        "https://example.org/~me?x=1#bot",
    ],
)  # fmt: skip
def test_a_contact_is_a_url_or_a_mail_address(contact: str) -> None:
    assert load({"contact": contact}, environment={}).settings.contact == contact


@pytest.mark.parametrize(
    "contact",
    [
        "me", "example.org", "https://", "@", "me@", "me @example.org", "a@b\r\nX-Evil: 1",
        "https://example.org/)(", "m\u00e9@example.org", "mailto:", "javascript:alert(1)",
    ],
)  # fmt: skip
def test_a_contact_that_reaches_nobody_or_breaks_the_header_is_refused(contact: str) -> None:
    with pytest.raises(SettingsError, match="neither a URL nor a mail address"):
        load({"contact": contact}, environment={})
