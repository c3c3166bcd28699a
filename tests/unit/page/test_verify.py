"""Are some pages read both ways, and is what compiled code reads otherwise found and put right?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tenax.page import native, read
from tenax.page.native import Verified
from tenax.page.scan import Scanned, scan
from tests.either_way import compiled, page_of, required

pytestmark = pytest.mark.skipif(not required(), reason="tenax.page._native was not built")

PAGE = b"<title>Plums</title><p>Plums and apples.<a href=/b>more</a>"


@pytest.fixture(autouse=True)
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Verified]:
    fresh = Verified()
    monkeypatch.setattr(native, "VERIFIED", fresh)
    share = native.VERIFY
    with compiled():
        yield fresh
        native.use(compiled=True, verify=share)


def wrong(body: bytes, charset: str) -> Scanned | None:
    found = scan(body, charset)
    return found and replace(found, links=["/wrong"])


def test_a_page_that_is_read_alike_is_counted(counted: Verified) -> None:
    native.use(compiled=True, verify=1.0)
    page_of(PAGE)
    assert counted == Verified(pages=1, different=0)


def test_of_a_page_that_is_read_otherwise_the_tree_counts(
    counted: Verified, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(read, "scan", wrong)
    native.use(compiled=True, verify=1.0)
    assert page_of(PAGE).links == ("/b",)
    assert counted == Verified(pages=1, different=1)
    assert "compiled code read links otherwise" in caplog.text
    assert "page.compiled = false" in caplog.text


def test_nothing_is_read_twice_unless_asked_for(
    counted: Verified, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "scan", wrong)
    native.use(compiled=True, verify=0.0)
    assert page_of(PAGE).links == ("/wrong",)
    assert counted == Verified()


def test_the_share_is_one_of_digests() -> None:
    native.use(compiled=True, verify=0.25)
    chosen = [native.is_verified(bytes([first, 0, 0, 0])) for first in range(256)]
    assert chosen == [True] * 64 + [False] * 192


def test_compiled_code_can_be_switched_off_and_on_again() -> None:
    native.use(compiled=False, verify=0.0)
    assert scan(PAGE, "utf-8") is None
    native.use(compiled=True, verify=native.SHARE_VERIFIED)
    assert scan(PAGE, "utf-8") is not None
