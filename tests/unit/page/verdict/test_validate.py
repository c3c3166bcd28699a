"""Is a wall told from a page, and a page about walls from a wall? (VAL-1, VAL-2)"""

from __future__ import annotations

import time

import pytest

from tenax.demo.script import ScriptSite
from tenax.demo.site import SiteRequest
from tenax.demo.wall import ARTICLES, WallSite
from tenax.demo.wall import WALLS as DEMO_WALLS
from tenax.model import Headers, Response
from tenax.page.read import read
from tenax.page.verdict.pattern_table import shipped
from tenax.page.verdict.validate import (
    FOR_THE_BROWSER,
    HARD,
    PageVerdict,
    validate,
    validate_unread,
)
from tenax.page.verdict.wall_patterns import Signatures, WallKind
from tests.unit.page.verdict.walls import ABOUT, PROSE, SMALL, WALLS, Wall

HTML = "text/html; charset=utf-8"


def page(title: str, body: str) -> str:
    return f'<!DOCTYPE html><html><meta charset="utf-8"><title>{title}</title><body>{body}</html>'


def judge(
    body: str | bytes,
    status: int = 200,
    content_type: str = HTML,
    headers: tuple[tuple[str, str], ...] = (),
    signatures: Signatures | None = None,
) -> PageVerdict | None:
    raw = body.encode() if isinstance(body, str) else body
    response = Response(
        "https://a.example/x", status, Headers((("Content-Type", content_type), *headers)), raw
    )
    return validate_unread(response, signatures or shipped())


def kind(body: str | bytes, status: int = 200, content_type: str = HTML) -> str:
    verdict = judge(body, status, content_type)
    return "a page" if verdict is None else f"{verdict.kind} by {verdict.signature}"


# Walls.


CAUGHT = [wall for wall in WALLS if not wall.missed]


@pytest.mark.parametrize("wall", CAUGHT, ids=lambda w: w.name)
def test_a_wall_is_recognised(wall: Wall) -> None:
    verdict = judge(wall.body, wall.status, headers=wall.headers)
    assert verdict is not None
    assert verdict.kind == wall.kind
    assert verdict.evidence
    assert verdict.signature


def test_what_is_missed_is_known() -> None:
    """The list must not rot: a wall that is recognised by now does not belong on it."""
    passed = {w.name for w in WALLS if judge(w.body, w.status, headers=w.headers) is None}
    assert passed == {w.name for w in WALLS if w.missed}
    assert len(WALLS) >= 90


def test_every_kind_has_a_wall() -> None:
    assert {wall.kind for wall in WALLS} == {kind.value for kind in WallKind}


@pytest.mark.parametrize("path", [p for p, wall in DEMO_WALLS.items() if wall.status == 200])
def test_the_walls_of_the_demo_are_recognised(path: str) -> None:
    reply = WallSite().answer(SiteRequest("GET", f"/{path}", {}))
    assert kind(reply.body).split()[0] == DEMO_WALLS[path].verdict


@pytest.mark.parametrize("path", ["/", *(f"/articles/{name}" for name in ARTICLES)])
def test_the_honest_pages_of_the_demo_pass(path: str) -> None:
    assert kind(WallSite().answer(SiteRequest("GET", path, {})).body) == "a page"


@pytest.mark.parametrize("room", ["/", "/boats", "/tides", "/crew", "/moorings"])
def test_the_shells_of_the_demo_need_javascript(room: str) -> None:
    verdict = judge(ScriptSite().answer(SiteRequest("GET", room, {})).body)
    assert verdict is not None
    assert (verdict.kind, verdict.wants_browser) == ("needs_javascript", True)


# What follows from a verdict.


def test_hard_soft_and_plain_kinds_are_told_apart() -> None:
    """VAL-1: hard ones cool the host down, soft ones go to the browser, no kind is both."""
    assert {"access_denied", "captcha", "ip_blocked"} == HARD
    assert {"challenge", "needs_javascript", "empty_shell"} == FOR_THE_BROWSER
    assert not HARD & FOR_THE_BROWSER
    soft = PageVerdict(WallKind.CHALLENGE, "x", "x")
    hard = PageVerdict(WallKind.CAPTCHA, "x", "x")
    plain = PageVerdict(WallKind.SOFT_404, "x", "x")
    assert [(v.is_hard, v.wants_browser) for v in (soft, hard, plain)] == [
        (False, True), (True, False), (False, False),
    ]  # fmt: skip


def test_evidence_names_the_phrase_and_where_it_stood() -> None:
    verdict = judge(page("403 Forbidden", "<h1>403 Forbidden</h1><p>nginx"))
    assert verdict is not None
    assert verdict.signature == "access-denied"
    assert "title '403 forbidden'" in verdict.evidence
    assert "(3 words, 0 links)" in verdict.evidence


def test_a_refused_answer_can_still_be_a_challenge() -> None:
    """A 403 or 503 that is a challenge belongs to the browser."""
    verdict = judge(page("Just a moment...", "<script>_cf_chl_opt={}</script>"), 503)
    assert verdict is not None
    assert verdict.wants_browser


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_gone_is_not_judged(status: int) -> None:
    assert kind(page("Page not found", "<h1>Page not found</h1>"), status) == "a page"
    assert kind(page("403 Forbidden", "<h1>403 Forbidden</h1>"), status) == "a page"


def test_other_statuses_are_only_compared_with_walls() -> None:
    for body in (
        "",
        "<html><body>OK</body></html>",
        page("Page not found", "<h1>Page not found</h1>"),
    ):
        assert kind(body, 500) == "a page"
    assert kind(page("App", '<div id="root"></div><script src=a.js></script>'), 500) == "a page"


def test_headers_decide_without_a_body() -> None:
    response = Response("https://a.example/", 403, Headers((("cf-mitigated", "challenge"),)), None)
    verdict = validate_unread(response, shipped())
    assert verdict is not None
    assert verdict.evidence == "header 'cf-mitigated: challenge'"


def test_headers_decide_on_long_pages_too() -> None:
    headers = (("CF-Mitigated", "Challenge"),)
    assert judge(page("Tides", f"<p>{PROSE * 100}"), headers=headers) is not None


# Pages about walls.


@pytest.mark.parametrize("body", ABOUT.values(), ids=ABOUT)
def test_a_page_about_walls_passes(body: str) -> None:
    assert kind(body) == "a page"


# Pages that are hardly there.


@pytest.mark.parametrize("body", SMALL.values(), ids=SMALL)
def test_a_small_page_with_something_on_it_passes(body: str) -> None:
    assert kind(body) == "a page"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("", "text/plain"),
        ("OK", "text/plain"),
        ("User-agent: *\nDisallow:", "text/plain"),
        ("403 Forbidden", "text/plain"),
        ("{}", "application/json"),
        ('{"error": "access denied"}', "application/json"),
        ("<rss><channel/></rss>", "application/rss+xml"),
        ("<?xml version='1.0'?><urlset/>", "application/xml"),
        ("a < b", "text/markdown"),
    ],
)
def test_only_html_is_judged(body: str, content_type: str) -> None:
    assert kind(body, content_type=content_type) == "a page"


def test_a_body_we_chose_not_to_read_is_not_judged() -> None:
    response = Response("https://a.example/", 200, Headers((("content-type", "image/png"),)), None)
    assert validate_unread(response, shipped()) is None


def test_xhtml_is_judged_like_html() -> None:
    body = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>403 Forbidden'
        "</title><script src='a.js'/></head><body><h1>Forbidden</h1></body></html>"
    )
    assert kind(body, content_type="application/xhtml+xml").startswith("access_denied")


def test_walls_in_other_charsets_are_recognised() -> None:
    body = page("Доступ запрещен", "<h1>Доступ запрещен</h1><p>\u0423 вас нет прав").replace(
        "utf-8", "koi8-r"
    )
    assert kind(body.encode("koi8-r"), content_type="text/html").startswith("access_denied")


def test_utf_16_is_never_called_truncated() -> None:
    raw = ("<html><body><p>" + PROSE * 20 + "</p><div cla").encode("utf-16")
    assert kind(raw, content_type="text/html") == "a page"


@pytest.mark.parametrize(
    "body",
    [
        f"<html><body><p>{PROSE * 20}</p></body></html>\n<!-- cached at noon",
        f"<html><body><p>{PROSE * 20}</p></BODY>\n<img src=count",
        f"<p>{PROSE * 20}</p><div cla",
    ],
    ids=["behind the end", "behind the body", "a piece that never was a whole page"],
)
def test_what_ends_oddly_is_not_always_cut_off(body: str) -> None:
    assert kind(body) == "a page"


def test_a_picture_that_counts_visitors_is_no_content() -> None:
    pixel = '<img src="/count.gif" width="1" height="1">'
    assert kind(page("Shop", f"{pixel}<script src=a.js></script>")).startswith("empty_shell")


def test_a_wall_inside_a_sites_frame_is_found_by_its_title() -> None:
    """Also where titles are written without spaces."""
    menu = "".join(f"<a href=/{n}>部门 {n}</a>" for n in range(30))
    text = "抱歉 您访问的页面不存在或已被删除。请检查地址是否正确 或者返回首页重新开始。" * 2
    body = f"<nav>{menu}</nav><main><p>{text} a b c d e f g h i j k</p></main>"
    assert kind(page("页面不存在_港口", body)).startswith("soft_404")
    assert kind(page("港口", body)) == "a page"


def test_a_large_source_with_words_is_looked_at_for_its_title_only() -> None:
    """What the second parse may cost is bounded: walls are small, or say so in their title."""
    filler = "<i></i>" * 4_000
    text = (
        "<h1>403 Forbidden</h1><p>You don't have permission to access this page on this server.</p>"
    )
    assert kind(page("Merrow", filler + text)) == "a page"
    assert kind(page("403 Forbidden", filler + text)).startswith("access_denied")
    assert kind(page("Merrow", filler + "<script src=a.js></script>")).startswith("empty_shell")


# Length and structure weigh.


@pytest.mark.parametrize(
    "wall", [w for w in CAUGHT if w.kind != "truncated" and not w.headers], ids=lambda w: w.name
)
def test_the_same_words_on_a_long_page_pass(wall: Wall) -> None:
    """Who explains a wall needs words; the marks of vendors stand on good pages as well."""
    assert judge(f"{wall.body}<main><p>{PROSE * 10}</p></main>") is None


def test_pages_longer_than_any_wall_are_not_parsed_again() -> None:
    """Parsing this page once takes longer than a millisecond, judging it a few microseconds."""
    response = Response(
        "https://a.example/",
        200,
        Headers((("Content-Type", HTML),)),
        page("a", "<p>a</p>" * 20_000 + PROSE * 40).encode(),
    )
    seen = read(response, fetched_at=0.0)
    assert seen.words > shipped().longest
    started = time.process_time()
    for _ in range(1_000):
        assert validate(response, seen, shipped()) is None
    assert time.process_time() - started < 0.5


# Forums made by scripts carry a login form that nobody sees.


FORUM = (
    "<!DOCTYPE html><html><head><title>Which knot? - A forum</title></head><body>"
    "{shell}<section id=main></section>"
    "<form {how} method=post action=/login><input name=username type=text>"
    "<input name=password type=password><input type=submit value='Log In'></form>"
    "<script src=/app.js></script></body></html>"
)


@pytest.mark.parametrize(
    "how",
    [
        "style='display: none;'", "hidden", "STYLE='Visibility:hidden'", "aria-hidden=true",
        "class='login-form d-none'", "class=modal", "class='visually-hidden x'",
        "style='position:absolute; left:-9999px'", "style='opacity: 0'", "style='height:0;'",
    ],
)  # fmt: skip
def test_a_hidden_login_form_is_no_login_wall(how: str) -> None:
    page = FORUM.format(how=how, shell="<div id=data-preloaded></div>")
    assert kind(page) == "needs_javascript by javascript-forum"
    assert kind(FORUM.format(how=how, shell="")) == "empty_shell by only-scripts"


@pytest.mark.parametrize(
    "how", ["", "class=form", "style='opacity: 0.9'", "style='height: 0.5em'", "aria-hidden=false"]
)
def test_a_login_form_that_is_seen_is_one_still(how: str) -> None:
    page = FORUM.format(how=how, shell="<div id=data-preloaded></div>")
    assert kind(page) == "login_wall by only-a-password"


def test_a_login_form_in_a_dialog_is_seen_when_that_is_open() -> None:
    for how, verdict in (("", "empty_shell by only-scripts"), ("open", "login_wall by")):
        form = "<form><input name=u><input type=password></form>"
        shown = page("A forum", f"<dialog {how}>{form}</dialog><script src=a.js></script>")
        assert kind(shown).startswith(verdict)


# An application draws its page itself: a browser may get it, and so none is thrown away.


@pytest.mark.parametrize(
    "root", ["<div id=root></div>", "<div id=app> </div>", "<app-root></app-root>", "<ion-app>"]
)
def test_an_empty_root_is_a_shell_whatever_stands_beside_it(root: str) -> None:
    for beside in ("", "<script src=a.js></script>", "<link rel=modulepreload href=a.js>"):
        assert kind(page("", root + beside)) == "empty_shell by empty-root"
    assert kind(page("", "<div id=frame></div>")) == "no_text by no-text"


# Some walls bring a style sheet with them, and some a picture of it.


@pytest.mark.parametrize("size", [1_000, 120_000, 400_000])
@pytest.mark.parametrize(
    "wall",
    [
        "<h1>Access Denied</h1><p>You do not have permission to view this page on this server, and"
        " nothing that you could do about it.</p>",
        "<h1>One more step</h1><p>Please complete the security check to go on to the pages that"
        " you have asked for.</p><div class=g-recaptcha></div>",
        "<p>One moment please, while we look at the browser that you came with today.</p>"
        "<script>window._cf_chl_opt={cvId:'3'}</script>",
    ],
    ids=["denied", "captcha", "challenge"],
)
def test_a_wall_behind_a_style_sheet_is_one(wall: str, size: int) -> None:
    style = "".join(f".c{n}{{color:#{n:06x}}}" for n in range(size // 18))
    head = f"<title>Merrow</title><style>{style}</style>"
    assert kind(f"<!doctype html><html><head>{head}</head><body>{wall}</body></html>") != "a page"


def test_under_a_403_forbidden_says_nothing_new() -> None:
    body = page("403 Forbidden", "<h1>403 Forbidden</h1>")
    assert kind(body) == "access_denied by access-denied"
    assert kind(body, 403) == "a page"
