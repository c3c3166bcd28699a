"""Which URLs are of one shape, and which are kin? (URL-6)"""

from __future__ import annotations

import pytest

from tenax.urls.shapes import LONGEST, family_of, loosened, shape_of


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("/", "/"),
        ("/about", "/W"),
        ("/about/", "/W/"),
        ("/a-long-way-home", "/S"),
        ("/p/12", "/p/N"),
        ("/wiki/Zebra", "/wiki/W"),
        ("/wiki/Zebra_crossing", "/wiki/S"),
        ("/wiki/%C3%84pfel", "/wiki/S"),
        ("/2026/11/storm-over-merrow", "/N/N/S"),
        ("/calendar/2026-11-04", "/calendar/N"),
        ("/news/2026/11/storm-over-merrow?page=3", "/news/N/N/S?page"),
        ("/shop/tents/?page=2", "/shop/W/?page"),
        ("/docs/install/first-pattern.html", "/docs/W/S.html"),
        ("/s/0123456789abcdef/item/5", "/s/H/W/N"),
        ("/x/123e4567-e89b-12d3-a456-426614174000", "/x/H"),
        ("/v2/users/ab12", "/v0/W/A"),
        ("/lobby/1;jsessionid=AB12", "/lobby/N"),
        ("/filter/color/red/size/s", "/filter/W/W/*"),
        ("/filter/color/red/size/s/brand/fern/sort/price", "/filter/W/W/*"),
        ("/en/blog/2026/a-post", "/en/blog/N/S"),
        ("/de-AT/shop/x", "/de-AT/shop/W"),
        ("/index.php?view=article&id=5", "/W.php?id,view"),
        ("/list?b=1&a=2&b=3", "/W?a,b"),
        ("/list?f[0]=x&f[12]=y", "/W?f[0]"),
        ("/list?e=1&d=1&c=1&b=1&a=1", "/W?a,b,c,d,*"),
        ("/list?", "/W"),
    ],
)
def test_what_varies_is_left_out(url: str, shape: str) -> None:
    assert shape_of(url) == shape


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/article/12", "/article/3017"),
        ("/maze/amber-road-12", "/maze/teal-gate-7"),
        ("/list?sort=name&view=grid", "/list?view=list&sort=price"),
        ("/a/b/c/d/e", "/a/b/c/d/e/f/g/h"),
    ],
)
def test_more_of_the_same_is_one_shape(one: str, other: str) -> None:
    assert shape_of(one) == shape_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/article/12", "/article/12?print=1"),
        ("/article/12", "/author/12"),
        ("/article/12", "/article/a-storm"),
        ("/docs/install.html", "/docs/install.pdf"),
        ("/a/b", "/a/b/"),
    ],
)
def test_other_kinds_are_other_shapes(one: str, other: str) -> None:
    assert shape_of(one) != shape_of(other)


@pytest.mark.parametrize(
    ("url", "family"),
    [
        ("/", "/"),
        ("/about", "/"),
        ("/about/", "/"),
        ("/lounge?visit=1", "/?"),
        ("/calendar/2026/11", "/calendar/"),
        ("/calendar/2026/11/04", "/calendar/"),
        ("/shop/filter?color=red", "/shop/?"),
        ("/en/blog/2026/a-post", "/en/blog/"),
        ("/0123456789abcdef/about", "/H/"),
    ],
)
def test_kin_are_in_one_folder(url: str, family: str) -> None:
    assert family_of(shape_of(url)) == family


def test_a_shape_is_short_whatever_the_url() -> None:
    long = "/folder/" + "?" + "&".join(f"{'name' * 20}{c}=1" for c in "abcdefgh")
    other = long.replace("name", "mane")
    assert len(shape_of("/" + "x" * 19 + "/y" + long)) <= LONGEST
    assert shape_of(long) != shape_of(other)


@pytest.mark.parametrize(
    ("shape", "loose"),
    [
        ("/calendar/N", "/W/N"),
        ("/a-long-name/N/S?page", "/S/N/S?page"),
        ("/N/S", "/N/S"),
        ("/W", "/W"),
        ("/", "/"),
    ],
)
def test_a_shape_can_do_without_the_name_of_its_folder(shape: str, loose: str) -> None:
    assert loosened(shape) == loose
    assert loosened(loose) == loose
