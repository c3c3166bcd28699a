"""Which URLs look endless by their structure, and which only seem to (URL-6)."""

from __future__ import annotations

import pytest

from tenax.urls.traps import trap

YEAR = 2026


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a/a/b",
        "/a/a/a.html",
        "/docs/en/en/intro",
        "/2024/05/05/05-things",
        "/2024/05/05/05/05",
        "/bible/genesis/1/1/1",
        "/tiles/0/0/0.html",
        "/t/0/1/0/1/0/1/0/1",
        "/t/1/1/0/1/1/0/1/1",
        "/a//b//c//d",
        "/a/b/a/b/c",
        "/" + "/".join(f"level{n}" for n in range(20)),
        "/" + "/".join(f"level{n}" for n in range(20)) + "/",
    ],
)
def test_ordinary_repetition_passes(path: str) -> None:
    assert trap(path, YEAR) is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/a/a/a", "/a three times in a row"),
        ("/a/a/a/index.html", "/a three times in a row"),
        ("/x/img/img/img/", "/img three times in a row"),
        ("/a/b/a/b/a/b", "/a/b three times in a row"),
        ("/x/a/1/a/1/a/1/y", "/a/1 three times in a row"),
        ("/a/b/c/a/b/c/a/b/c", "/a/b/c three times in a row"),
        ("/a/1/a/2/a/3/a/4/a/5/a/6", "/a 6 times"),
        ("/" + "/".join(f"level{n}" for n in range(21)), "21 path segments (limit 20)"),
        ("/" * 30, "29 path segments (limit 20)"),
    ],
)
def test_growing_paths_are_traps(path: str, why: str) -> None:
    assert trap(path, YEAR) == why


@pytest.mark.parametrize(
    "target",
    [
        "/2024/05/",
        "/2031/12/31/party",
        "/1851/09/18/archives/first-issue",
        "/product/3000/",
        "/product/3000/12",
        "/topic/2050/7",
        "/topic/3456/2",
        "/2050/99/",
        "/2050/07-things",
        "/x/2050-07-3000-b",
        "/?year=2026",
        "/?year=1650&sort=title",
        "/?date=2031-05-01",
        "/?id=2050-01-01",
        "/?expires=9999-12-31",
        "/?date=tomorrow",
        "/?date=40001",
        "/?month=7&year=2030",
        "/?yearly=3000",
    ],
)
def test_plausible_dates_and_mere_numbers_pass(target: str) -> None:
    assert trap(target, YEAR) is None


@pytest.mark.parametrize(
    ("target", "where"),
    [
        ("/2032/01/", "2032/01"),
        ("/events/2032/1", "2032/1"),
        ("/2050/07/04/", "2050/07/04"),
        ("/9999/12/31", "9999/12/31"),
        ("/cal/2050-07", "2050-07"),
        ("/cal/2050-07-04/", "2050-07-04"),
        ("/cal/0001-01-01/", "0001-01-01"),
        ("/1799/12/", "1799/12"),
        ("/?year=2032", "year=2032"),
        ("/?Year=3000&x", "year=3000"),
        ("/?month=3&year=1650", "year=1650"),
        ("/?x=1&date=2032-05-01", "date=2032-05-01"),
        ("/?date=2032-05-01T10:00", "date=2032-05-01T10:00"),
        ("/?month=2050-05", "month=2050-05"),
        ("/?date=20500501", "date=20500501"),
        ("/?date=0001-01-01", "date=0001-01-01"),
    ],
)
def test_calendars_past_any_plausible_date_are_traps(target: str, where: str) -> None:
    assert trap(target, YEAR) == f"a calendar that has reached {where}"


def test_the_plausible_years_move_with_the_present() -> None:
    assert trap("/2032/01/", 2027) is None


@pytest.mark.parametrize(
    "target",
    [
        "/?" + "&".join(f"p{n}=1" for n in range(15)),
        "/?a=1&a=2&a=3&a=4",
        "/?q=100%2525",
        "/?" + "&" * 40,
    ],
)
def test_ordinary_queries_pass(target: str) -> None:
    assert trap(target, YEAR) is None


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (
            "/?" + "&".join(f"p{n}=1" for n in range(16)),
            "16 query parameters (limit 15)",
        ),
        ("/?a=1&a=2&a=3&a=4&a=5", "query parameter a 5 times"),
        ("/?back=%2Fx%3Fback%3D%25252525252Fx", "an escape escaped over and over"),
    ],
)
def test_growing_queries_are_traps(target: str, why: str) -> None:
    assert trap(target, YEAR) == why
