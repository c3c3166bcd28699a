"""Is a wall told from a page, and a page about walls from a wall? (VAL-1, VAL-2)"""

from __future__ import annotations

import pytest

from tenax.demo.script import ScriptSite
from tenax.demo.site import Request
from tenax.demo.wall import ARTICLES, WALLS, WallSite
from tenax.model import Headers, Response
from tenax.page.read import read
from tenax.page.signatures import Kind, Signatures
from tenax.page.table import shipped
from tenax.page.validate import FOR_THE_BROWSER, HARD, Verdict, validate, validate_unread
from tests.unit.page import walls
from tests.unit.page.walls import MISSED, Wall, page

HTML = "text/html; charset=utf-8"
PROSE = (
    "The harbour of Merrow was dug by hand in a single winter, and every family of the town can "
    "still name the stretch of wall that its own people laid. "
)


def judge(
    body: str | bytes,
    status: int = 200,
    content_type: str = HTML,
    headers: tuple[tuple[str, str], ...] = (),
    signatures: Signatures | None = None,
) -> Verdict | None:
    raw = body.encode() if isinstance(body, str) else body
    response = Response(
        "https://a.example/x", status, Headers((("Content-Type", content_type), *headers)), raw
    )
    return validate_unread(response, signatures or shipped())


def kind(body: str | bytes, status: int = 200, content_type: str = HTML) -> str:
    verdict = judge(body, status, content_type)
    return "a page" if verdict is None else f"{verdict.kind} by {verdict.signature}"


# Walls.


@pytest.mark.parametrize("wall", [w for w in walls.WALLS if w.name not in MISSED], ids=lambda w: w.name)
def test_a_wall_is_recognised(wall: Wall) -> None:
    verdict = judge(wall.body, wall.status, headers=wall.headers)
    assert verdict is not None
    assert verdict.kind == wall.kind
    assert verdict.evidence
    assert verdict.signature


def test_what_is_missed_is_known() -> None:
    """The list must not rot: a wall that is recognised by now does not belong on it."""
    passed = {w.name for w in walls.WALLS if judge(w.body, w.status, headers=w.headers) is None}
    assert passed == MISSED
    assert len(walls.WALLS) >= 90


def test_every_kind_has_a_wall() -> None:
    assert {wall.kind for wall in walls.WALLS} == {kind.value for kind in Kind}


@pytest.mark.parametrize("path", [p for p, wall in WALLS.items() if wall.status == 200])
def test_the_walls_of_the_demo_are_recognised(path: str) -> None:
    reply = WallSite().answer(Request("GET", f"/{path}", {}))
    assert kind(reply.body).split()[0] == WALLS[path].verdict


@pytest.mark.parametrize("path", ["/", *(f"/articles/{name}" for name in ARTICLES)])
def test_the_honest_pages_of_the_demo_pass(path: str) -> None:
    assert kind(WallSite().answer(Request("GET", path, {})).body) == "a page"


@pytest.mark.parametrize("room", ["/", "/boats", "/tides", "/crew", "/moorings"])
def test_the_shells_of_the_demo_need_javascript(room: str) -> None:
    verdict = judge(ScriptSite().answer(Request("GET", room, {})).body)
    assert verdict is not None
    assert (verdict.kind, verdict.wants_browser) == ("needs_javascript", True)


# What follows from a verdict.


def test_hard_soft_and_plain_kinds_are_told_apart() -> None:
    """VAL-1: hard ones cool the host down, soft ones go to the browser, no kind is both."""
    assert {"access_denied", "captcha", "ip_blocked"} == HARD
    assert {"challenge", "needs_javascript", "empty_shell"} == FOR_THE_BROWSER
    assert not HARD & FOR_THE_BROWSER
    soft = Verdict(Kind.CHALLENGE, "x", "x")
    hard = Verdict(Kind.CAPTCHA, "x", "x")
    plain = Verdict(Kind.SOFT_404, "x", "x")
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


def test_other_statuses_are_only_compared_with_walls() -> None:
    for body in ("", "<html><body>OK</body></html>", page("Page not found", "<h1>Page not found</h1>")):
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

LINKS = "".join(f'<li><a href="/{n}">Part {n}</a>' for n in range(20))
ABOUT = {
    "the status 404 explained at length": page(
        "404 Not Found - HTTP | MDN", "<h1>404 Not Found</h1><p>The page you are looking for does not "
        f"exist: that is what it means.</p><p>{PROSE * 12}",
    ),
    "the status 404 explained briefly": page(
        "404 Not Found", "<h1>404 Not Found</h1><p>The server cannot find the page. This response "
        "status code is probably the most famous one on the web.</p>",
    ),
    "the status 403 in a glossary": page(
        "403 Forbidden", "<h1>403 Forbidden</h1><p>An HTTP status code. The server understood you and "
        "refuses to go on.</p>",
    ),
    "an encyclopedia on captchas": page(
        "CAPTCHA - Wikipedia", "<h1>CAPTCHA</h1><p>A CAPTCHA asks visitors to verify you are human, for "
        f"instance with g-recaptcha or h-captcha.</p><p>{PROSE * 12}",
    ),
    "a short article on captchas": page(
        "Captcha", "<h1>Captcha</h1><p>Sites ask you to confirm you are not a robot. The word was coined "
        "at a university; the pictures are of traffic lights, and the machines are now better at them "
        "than we are.</p>",
    ),
    "a help page about logging in": page(
        "Log in", "<h1>How to log in</h1><p>Choose Sign in at the top, type your name and your password. "
        "Forgot your password? You get a new one by mail.</p>",
    ),
    "a product with a question in its faq": page(
        "Kettle K2", "<h1>Kettle K2</h1><p>1.7 litres, steel.</p><h2>Product not found?</h2><p>Our shops "
        "have it.</p>",
    ),
    "a cookie banner and a noscript": page(
        "Ferry times", "<div class=cookies>We use cookies. <button>Accept</button></div><noscript>Please "
        "enable JavaScript to use this site.</noscript><h1>Ferry times</h1><p>The first ferry leaves at "
        "six, the last one at nine in the evening, every day but Sunday.</p><script src=a.js></script>",
    ),
    "a blog with a login in its sidebar": page(
        "A day on the river", f"<h1>A day on the river</h1><p>{PROSE}</p><aside><h2>Login</h2>"
        f"{walls.LOGIN}</aside>",
    ),
    "a changelog": page(
        "Changelog", "<h1>Changelog</h1><ul><li>Fixed access denied on start</li><li>403 Forbidden is "
        "retried</li><li>Page not found has a new picture</li><li>You don't have permission to access: "
        "clearer words</li></ul>",
    ),
    "a stub of twenty words": page(
        "Capstan", "<h1>Capstan</h1><p>A vertical drum around which a rope is wound to pull something "
        "heavy. See also windlass. This article is a stub.</p>",
    ),
    "a contact form with a captcha": page(
        "Contact", "<h1>Contact</h1><form><input name=mail><textarea name=message></textarea><div "
        "class=g-recaptcha></div><button>Send</button></form><script "
        "src=https://www.google.com/recaptcha/api.js></script>",
    ),
    "a newsletter that asks for a human": page(
        "Newsletter", "<h1>Newsletter</h1><p>Subscribe and confirm you are not a robot.</p><form><input>"
        "<div class=h-captcha></div></form>",
    ),
    "a novel called Forbidden": page(
        "Forbidden", "<h1>Forbidden</h1><p>A novel by A. Merrow. Two families, one harbour, and a wall "
        "between them that neither of them built.</p>",
    ),
    "a song called Access Denied": page(
        "Access Denied", "<h1>Access Denied</h1><p>The third song of the record, four minutes long, "
        "written on a ferry in the rain.</p>",
    ),
    "an exception class": page(
        "NotFound", "<h1>class NotFound</h1><p>Raised when the object does not exist.</p><a href=/>Index",
    ),
    "an exception called Page Not Found": page(
        "Page Not Found", "<h1>Page Not Found</h1><p>This exception is raised when a view has no "
        "template. Parameters: path.</p>",
    ),
    "advice on enabling javascript": page(
        "Enable JavaScript", "<h1>How to enable JavaScript</h1><p>You need to enable JavaScript: open the "
        "settings, choose privacy, and turn it on.</p><script src=a.js></script>",
    ),
    "what cloudflare injects into good pages": page(
        "Ropes", "<h1>Ropes</h1><p>Sold by the metre.</p><script>(function(){var a=document;a.src="
        "'/cdn-cgi/challenge-platform/scripts/jsd/main.js';})();</script>",
    ),
    "imperva's tag on a good page": page(
        "Ropes", "<h1>Ropes</h1><p>Sold by the metre.</p><script src='/_Incapsula_Resource?SWJIYLWA=7'>"
        "</script>",
    ),
    "a forum on ip blocks": page(
        "IP blocked", "<h1>My IP address is blocked, what now?</h1><p>If your IP is blocked, wait an "
        "hour. How to find out: ask the list.</p>",
    ),
    "a domain seller's own front page": page(
        "Names for sale", f"<h1>Names for sale</h1><p>Every one of them can be bought: buy this domain or "
        f"that one.</p><p>{PROSE * 4}",
    ),
    "moment photography": page(
        "Just a moment | Photographs", "<h1>Just a moment</h1><p>Forty pictures of the harbour, each "
        "taken at noon.</p>",
    ),
    "an account of a suspension bridge": page(
        "Suspended", "<h1>Suspended</h1><p>The bridge hangs from four cables.</p>",
    ),
    "a page on signing in, with an example form": page(
        "Forms", f"<h1>Forms</h1><p>{PROSE * 2}</p>{walls.LOGIN}",
    ),
    "a form to join": page(
        "Join", "<h1>Join the club</h1><form>Name <input> Mail <input> Town <input> Password <input "
        "type=password></form>",
    ),
    "a table of contents": page("Contents", f"<h1>Contents</h1><ul>{LINKS}</ul>"),
    "a list of links called 404": page("404", f"<h1>Room 404</h1><ul>{LINKS}</ul>"),
    "a page in a language without spaces": page(
        "港の歴史", "<h1>港の歴史</h1><p>" + "この港は一つの冬の間に人の手で掘られた。" * 12,
    ),
    "japanese on the status 404": page(
        "404 Not Found", "<h1>404 Not Found</h1><p>お探しのページが見つからないことを示すHTTPステータスコードです。</p>",
    ),
    "an unclosed page": "<html><body><h1>Tides</h1><p>High water is at noon, and low water at six",
    "an unclosed page that ends in a link": (
        "<html><body><h1>Tides</h1><p>High water is at noon, see <a href=/x>the table</a>"
    ),
    "an unclosed page with arithmetic": "<html><body><h1>Sums</h1><p>It holds that a < b and b > c & d",
    "a company at the end": "<html><body><h1>Phones</h1><p>All of them were made for years by AT&T",
}  # fmt: skip


@pytest.mark.parametrize("name", ABOUT)
def test_a_page_about_walls_passes(name: str) -> None:
    assert kind(ABOUT[name]) == "a page"


# Pages that are hardly there.

SMALL = {
    "a frameset": "<html><frameset cols='20%,80%'><frame src=menu.html><frame src=a.html></frameset></html>",
    "a redirect in the page": '<html><head><meta http-equiv="refresh" content="0; url=new/"></head></html>',
    "a redirect with words": (
        '<meta http-equiv="Refresh" content="0;new.html"><title>Moved</title><p>Redirecting to new.html'
    ),
    "a redirect for those without scripts": (
        "<script>location.replace('b.html')</script><noscript><meta http-equiv=refresh content='0;b.html'>"
        "</noscript><p><a href=b.html>b.html</a></p>"
    ),
    "a redirect by hand": "<html><body><a href=/new>Moved</a></body></html>",
    "a picture": '<html><body><img src="harbour.jpg"></body></html>',
    "a drawing": "<html><body><svg viewBox='0 0 9 9'><path d='M0 0h9'/></svg></body></html>",
    "a film": "<html><body><video src=a.webm></video><script src=player.js></script></body></html>",
    "an embedded page": "<html><body><iframe src=/map></iframe><script src=a.js></script></body></html>",
    "a search": "<html><body><form><input name=q></form><script src=a.js></script></body></html>",
    "six words": "<html><body><p>Closed on Sundays from May on.</p></body></html>",
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_a_small_page_with_something_on_it_passes(name: str) -> None:
    assert kind(SMALL[name]) == "a page"


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
    body = page("Доступ запрещен", "<h1>Доступ запрещен</h1><p>У вас нет прав").replace("utf-8", "koi8-r")
    assert kind(body.encode("koi8-r"), content_type="text/html").startswith("access_denied")


def test_utf_16_is_never_called_truncated() -> None:
    raw = ("<html><body><p>" + PROSE * 20 + "</p><div cla").encode("utf-16")
    assert kind(raw, content_type="text/html") == "a page"


# Length and structure weigh.


@pytest.mark.parametrize("wall", [w for w in walls.WALLS if w.name not in MISSED], ids=lambda w: w.name)
def test_the_same_words_on_a_long_page_pass(wall: Wall) -> None:
    """Who explains a wall needs words; the marks of vendors stand on good pages as well."""
    if wall.kind == "truncated":
        pytest.skip("a long page can be cut off")
    assert judge(f"{wall.body}<main><p>{PROSE * 10}</p></main>") is None


def test_pages_longer_than_any_wall_are_not_parsed_again() -> None:
    """A broken charset name would be an error in a second parse: none is made."""
    response = Response(
        "https://a.example/", 200, Headers((("Content-Type", HTML),)), page("a", PROSE * 40).encode()
    )
    seen = read(response, fetched_at=0.0)
    assert seen.words > shipped().longest
    broken = type(seen)(**{**_fields(seen), "charset": "no such charset"})
    assert validate(response, broken, shipped()) is None


def _fields(of: object) -> dict[str, object]:
    return {name: getattr(of, name) for name in type(of).__slots__}  # type: ignore[attr-defined]
