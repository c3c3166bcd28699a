"""Is what a page's scripts send bounded, and told? FE-10."""

from __future__ import annotations

from tenax.adapters.browser.bounds import RequestBounds


def sent(bounds: RequestBounds, host: str, times: int) -> int:
    return sum(bounds.allow(host) for _ in range(times))


def test_another_site_gets_its_share_however_many_names_it_has() -> None:
    bounds = RequestBounds("www.shop.example", 100, 5)
    assert sent(bounds, "a.victim.example", 3) + sent(bounds, "b.victim.example", 9) == 5
    assert sent(bounds, "other.example", 9) == 5


def test_a_site_s_own_servers_share_the_bound_of_the_visit() -> None:
    bounds = RequestBounds("www.shop.example", 100, 5)
    assert sent(bounds, "static.shop.example", 60) == 60
    assert sent(bounds, "www.shop.example", 60) == 40
    assert sent(bounds, "other.example", 1) == 0


def test_neighbours_under_a_public_suffix_are_others() -> None:
    assert sent(RequestBounds("me.github.io", 100, 5), "you.github.io", 9) == 5


def test_what_was_not_sent_is_told() -> None:
    bounds = RequestBounds("a.example", 100, 1)
    assert bounds.told == ""
    for name, times in (("b", 4), ("c", 3), ("d", 2), ("e", 2), ("f", 2)):
        sent(bounds, f"{name}.example", times)
    assert bounds.told == (
        "8 requests of the page not sent (3 to b.example, 2 to c.example, 1 to d.example and to"
        " 2 more): a visit may send 100, 1 of them to another site"
    )
