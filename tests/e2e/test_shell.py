"""Can a page be looked at from a prompt, and does that store nothing?"""

from __future__ import annotations

from tenax.demo import TreeSite, serving
from tests.e2e.command import Tenax


def test_a_page_is_at_hand_and_another_one_can_be_fetched(tenax: Tenax) -> None:
    with serving([TreeSite(pages=5)]) as web:
        code = f'print(page.css("h1").text); fetch("{web.seeds[0]}p/1"); print(page.url)'
        ended = tenax.run("shell", web.seeds[0], "--allow-private", "127.0.0.1", "-c", code)
        failed = tenax.run("shell", "--allow-private", "127.0.0.1", "-c", "page.css('a')")
    assert (ended.code, ended.out.splitlines()) == (0, ["Page 0", f"{web.seeds[0]}p/1"])
    assert ended.err.count("not stored") == 2
    assert tenax.pages() == []
    assert failed.code == 1
    assert "'NoneType' object has no attribute 'css'" in failed.err
