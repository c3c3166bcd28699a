"""Does a login by hand bring the browser's cookies, and leave no browser behind?"""

from __future__ import annotations

import pytest

from tenax.adapters.browser.by_hand import cookies_by_hand
from tenax.ports import Unavailable
from tests.servers import Server, answer

pytestmark = pytest.mark.alone


async def test_the_cookies_of_the_page_are_told_once_the_person_is_done() -> None:
    async def at_once() -> None:
        pass

    async with Server(
        {"/": answer(b"hi", headers={"Set-Cookie": "session=abc; HttpOnly"})}
    ) as server:
        told = await cookies_by_hand(server.url("/"), "", at_once, headless=True)
    assert [(each["name"], each["value"], each["domain"]) for each in told] == [
        ("session", "abc", "127.0.0.1")
    ]


async def test_who_has_no_chromium_is_told_what_to_do() -> None:
    with pytest.raises(Unavailable, match="no such program"):
        await cookies_by_hand("http://127.0.0.1:9/", "/nowhere/chromium", _never)


async def _never() -> None:
    raise AssertionError("nothing was opened")
