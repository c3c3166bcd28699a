"""What does the browser promise, on a real Chromium? FE-10, and SEC-1 inside it.

One browser serves most tests; those about its life and death have their own. 127.0.0.1 plays
the public web here and 127.0.0.2 the network behind it that nobody may reach.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from tenax.adapters.browser import process, watch
from tenax.adapters.browser.policy import BrowserPolicy
from tenax.adapters.browser.transport import BrowserTransport
from tenax.adapters.local.clock import SystemClock
from tenax.model import (
    Failure,
    Fault,
    Forbidden,
    ProxyAddress,
    ProxyScheme,
    Request,
    RequestLimits,
    Response,
)
from tests.e2e.command import is_alive
from tests.proxies import HttpProxy, ProxyServer, SocksProxy
from tests.servers import (
    OK,
    Connection,
    Script,
    Server,
    answer,
    endless,
    gzip_bomb,
    key_digest,
    raw,
    raw_then_hang,
    raw_then_reset,
    self_signed,
)

pytestmark = [
    pytest.mark.alone,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform == "win32", reason="Tenax runs on Unix"),
]

BRISK = BrowserPolicy(quiet=0.15, settle=2.0, pages=1000, age=3600.0, nice=0)
"""No browser stands back here: it would share what is left with tests that compute."""
LEISURE = RequestLimits(total=60.0)
HASTE = RequestLimits(connect=1.0, total=1.5)
ALLOWED = "127.0.0.1"
INSIDE = "127.0.0.2"


def judge(address: str) -> str | None:
    return None if address == ALLOWED else "behind the fence"


class Names:
    """A resolver of ours; `rebound.example` is somewhere else each time it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        if host == "inside.example":
            return [INSIDE]
        if host == "mixed.example":
            return [INSIDE, ALLOWED]
        if host == "rebound.example":
            return [ALLOWED if self.asked.count(host) == 1 else INSIDE]
        if host.endswith(".example"):
            return [ALLOWED]
        raise socket.gaierror("no such name")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def transport(chromium: str) -> AsyncIterator[BrowserTransport]:
    opened = BrowserTransport(judge=judge, policy=BRISK, resolver=Names())
    yield opened
    await opened.close()


SITE: dict[str, Script] = {}
SECRETS: dict[str, Script] = {}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def web() -> AsyncIterator[Server]:
    async with Server(SITE) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def inside() -> AsyncIterator[Server]:
    """What must never be asked."""
    async with Server(SECRETS, address=INSIDE) as server:
        yield server


@pytest.fixture(autouse=True)
def _fresh(request: pytest.FixtureRequest) -> None:
    SITE.clear()
    SITE["/next"] = answer(b"next")
    for name in {"web", "inside"} & set(request.fixturenames):
        server: Server = request.getfixturevalue(name)
        server.asked.clear()
        server.connections = 0


def page(text: str) -> Script:
    return answer(f"<!doctype html><title>t</title><body>{text}".encode())


def script(text: str) -> Script:
    return page(f"<p id=p>before</p><script>{text}</script>")


def targets(server: Server) -> list[str]:
    return [asked.target for asked in server.asked]


async def shown(transport: BrowserTransport, url: str, limits: RequestLimits = LEISURE) -> str:
    result = await transport.send(Request(url, limits=limits))
    assert isinstance(result, Response), result
    assert result.body is not None
    return result.body.decode()


async def fault_of(transport: BrowserTransport, url: str, limits: RequestLimits = LEISURE) -> Fault:
    result = await transport.send(Request(url, limits=limits))
    assert isinstance(result, Failure), result
    assert result.detail
    return result.fault


# -- A page


async def test_the_body_is_the_page_after_its_scripts(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = script("p.textContent = 'made by ' + 'a script \\u00e9'")
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    assert (result.url, result.status, result.address) == (web.url(), 200, ALLOWED)
    assert result.headers.get("content-type") == "text/html; charset=utf-8"
    assert result.headers.get("content-length") is None
    assert result.body is not None
    assert result.body.startswith(b"<!DOCTYPE html>\n<html>")
    assert "made by a script é" in result.body.decode()


async def test_what_scripts_fetch_is_waited_for(transport: BrowserTransport, web: Server) -> None:
    SITE["/data"] = answer(b"fetched", content_type="text/plain")
    SITE["/"] = script("fetch('/data').then(r => r.text()).then(t => { p.textContent = t })")
    assert '<p id="p">fetched</p>' in await shown(transport, web.url())


async def test_what_a_socket_says_is_waited_for_however_late_it_opens(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/ws"] = websocket(web, late=4 * BRISK.quiet)
    SITE["/"] = script(
        f"new WebSocket('ws://page.example:{web.port}/ws').onmessage ="
        " e => { p.textContent = e.data }"
    )
    assert "a message" in await shown(transport, web.url())


async def test_a_page_that_never_gets_quiet_is_read_all_the_same(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/hang"] = raw_then_hang()
    SITE["/"] = script("fetch('/hang'); p.textContent = 'busy'")
    assert "busy" in await shown(transport, web.url())


async def test_a_script_that_does_not_arrive_costs_time_but_not_the_page(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/hang.js"] = raw_then_hang()
    SITE["/"] = page("<p>above</p><script src=/hang.js></script><p>below</p>")
    body = await shown(transport, web.url(), RequestLimits(total=8))
    assert "above" in body
    assert "below" in body


async def test_open_shadow_roots_are_written_as_templates(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = script("p.attachShadow({mode: 'open'}).innerHTML = '<b>in the shadow</b>'")
    body = await shown(transport, web.url())
    assert '<template shadowrootmode="open"><b>in the shadow</b></template>' in body
    assert body.endswith("</body></html>")


async def test_a_page_cannot_falsify_how_it_is_read(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = script(
        "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'forged'})"
    )
    body = await shown(transport, web.url())
    assert '<p id="p">before</p>' in body


async def test_an_error_page_comes_with_its_status(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = answer(b"<p>sorry", "503 Busy")
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    assert result.status == 503
    assert b"sorry" in (result.body or b"")


async def test_what_is_no_page_comes_as_it_is(transport: BrowserTransport, web: Server) -> None:
    packed = gzip.compress('{"a": "é"}'.encode())
    head = {"Content-Encoding": "gzip"}
    SITE["/"] = answer(packed, headers=head, content_type="application/json; charset=utf-8")
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    assert result.body == '{"a": "é"}'.encode()
    assert result.content_type == "application/json"


async def test_what_is_not_text_is_read_only_when_asked_for(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = answer(bytes(range(256)) * 99, content_type="image/png")
    unread = await transport.send(Request(web.url()))
    read = await transport.send(Request(web.url(), any_type=True))
    assert isinstance(unread, Response)
    assert isinstance(read, Response)
    assert (unread.body, read.body) == (None, bytes(range(256)) * 99)


async def test_a_download_is_not_downloaded(transport: BrowserTransport, web: Server) -> None:
    SITE["/"] = answer(b"a,b", headers={"Content-Disposition": "attachment; filename=x.html"})
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    assert result.body == b"a,b"


@pytest.mark.parametrize("status", [204, 304])
async def test_answers_without_a_body_have_an_empty_one(
    transport: BrowserTransport, web: Server, status: int
) -> None:
    SITE["/"] = raw(b"HTTP/1.1 %d X\r\n\r\n" % status)
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    assert (result.status, result.body) == (status, b"")


async def test_it_says_how_long_it_took_and_what_it_moved(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = page("x" * 50_000)
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    timing = result.timing
    assert 0 < timing.sent_ms <= timing.ttfb_ms <= timing.total_ms
    assert 50_000 < timing.wire_bytes < 52_000


# -- What is sent


async def test_the_headers_given_go_to_the_page_and_only_there(
    transport: BrowserTransport, web: Server
) -> None:
    """A site's own headers are nobody else's business; its cookies stay at home by themselves, and
    one that Chromium will not have takes no others with it."""
    SITE["/"] = script(f"fetch('http://other.example:{web.port}/theirs').catch(() => 0)")
    given = (
        ("User-Agent", "tenax/1 (+mailto:a@b.example)"), ("Accept-Language", "de"),
        ("X-Key", "secret"), ("Accept-Encoding", "identity"),
        ("Cookie", "session=secret; __Host-x=no; b=c"),
    )  # fmt: skip
    await transport.send(Request(web.url(), headers=given))
    own, theirs = web.asked
    for asked in (own, theirs):
        assert asked.header("user-agent") == "tenax/1 (+mailto:a@b.example)"
        assert asked.header("accept-language") == "de"
        assert asked.header("proxy-authorization") is None
    assert (own.header("x-key"), own.header("cookie")) == ("secret", "session=secret; b=c")
    assert (theirs.header("x-key"), theirs.header("cookie")) == (None, None)
    assert own.header("sec-ch-ua-platform") != '"Windows"'
    assert "gzip" in (own.header("accept-encoding") or "")


async def test_it_does_not_pretend_to_be_a_person(transport: BrowserTransport, web: Server) -> None:
    SITE["/"] = script("p.textContent = 'driven ' + navigator.webdriver")
    assert "driven true" in await shown(transport, web.url())


async def test_nothing_is_remembered_between_visits(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = script(
        "p.textContent = `[${document.cookie}${localStorage.x || ''}]`;"
        "document.cookie = 'a=b'; localStorage.x = 'y'"
    )
    for _ in range(2):
        assert "[]" in await shown(transport, web.url())


async def test_images_media_fonts_and_icons_are_not_loaded(
    transport: BrowserTransport, web: Server
) -> None:
    """Also not in the frame of another site."""
    heavy = (
        "<link rel=icon href=/i.ico><img src=/i.png><video src=/v.mp4></video><audio src=/a.mp3>"
        "</audio><style>@font-face{font-family:f;src:url(/f.woff2)}p{font-family:f;"
        "background:url(/b.png)}</style><p>text</p><script>navigator.sendBeacon('/beacon')</script>"
    )
    SITE["/frame"] = page(heavy)
    SITE["/"] = page(f"{heavy}<iframe src=http://other.example:{web.port}/frame></iframe>")
    await shown(transport, web.url())
    assert sorted(set(targets(web))) == ["/", "/frame"]


async def test_scripts_of_workers_are_loaded(transport: BrowserTransport, web: Server) -> None:
    SITE["/w.js"] = answer(b"postMessage('from a worker')", content_type="text/javascript")
    SITE["/"] = script("new Worker('/w.js').onmessage = e => { p.textContent = e.data }")
    assert "from a worker" in await shown(transport, web.url())


@pytest.mark.parametrize("method", ["HEAD", "POST"])
async def test_it_only_gets(transport: BrowserTransport, web: Server, method: str) -> None:
    result = await transport.send(Request(web.url(), method))
    assert isinstance(result, Failure)
    assert (result.fault, web.asked) == (Fault.PROTOCOL, [])


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "data:text/html,x", "chrome://crash", "view-source:http://a/", ""]
)
async def test_only_http_and_https_are_spoken(transport: BrowserTransport, url: str) -> None:
    assert isinstance(await transport.send(Request(url)), Failure)


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
async def test_all_that_a_page_asks_for_goes_through_its_proxy(
    transport: BrowserTransport, web: Server, kind: type[ProxyServer]
) -> None:
    """With user and password; page, scripts of others, data and sockets (FE-11)."""
    SITE["/data"] = answer(b"data", headers={"Access-Control-Allow-Origin": "*"})
    SITE["/ws"] = websocket(web)
    SITE["/"] = script(
        f"fetch('http://other.example:{web.port}/data').then(r => r.text()).then(t => {{"
        f"const s = new WebSocket('ws://third.example:{web.port}/ws');"
        "s.onmessage = e => { p.textContent = t + ' and ' + e.data } })"
    )
    url = f"http://page.example:{web.port}/"
    async with kind(login=("me", "p:\u00df@/ w")) as proxy:
        request = Request(url, limits=LEISURE, proxy=proxy.address())
        result = await transport.send(request)
        assert isinstance(result, Response), result
        assert b"data and a message" in (result.body or b"")
        assert result.address == ALLOWED
        assert len(proxy.asked) == len(web.asked) == web.connections
        assert {wanted.user for wanted in proxy.asked} == {"me"}
        there = {f"{ALLOWED}:{web.port}"}
        assert {wanted.target for wanted in proxy.asked} == there, "no name is left to it"
    assert all(asked.header("proxy-authorization") is None for asked in web.asked)


async def test_a_dead_proxy_is_the_proxy_s_fault_and_nothing_goes_around_it(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = page("hello")
    proxy = ProxyAddress(ProxyScheme.HTTP, "127.0.0.1", 1)
    result = await transport.send(Request(web.url(), limits=LEISURE, proxy=proxy))
    assert isinstance(result, Failure)
    assert result.fault is Fault.PROXY
    assert web.asked == []


async def test_a_header_that_would_break_the_request_is_not_sent(
    transport: BrowserTransport, web: Server
) -> None:
    result = await transport.send(Request(web.url(), headers=(("X", "a\r\nY: b"),)))
    assert isinstance(result, Failure)
    assert web.asked == []


# -- Redirects: one exchange, whoever redirects


@pytest.mark.parametrize(
    ("status", "to"),
    [(301, "/next"), (302, "http://other.example/next"), (308, "//inside.example")],
)
async def test_redirects_are_handed_over_not_followed(
    transport: BrowserTransport, web: Server, status: int, to: str
) -> None:
    SITE["/"] = answer(b"", f"{status} Moved", {"Location": to})
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    assert (result.status, result.headers.get("location")) == (status, to)
    assert targets(web) == ["/"]


@pytest.mark.parametrize(
    "how",
    [
        "<script>location = '/next'</script>",
        "<meta http-equiv=refresh content='0; url=/next'>",
        "<form action=/next></form><script>document.forms[0].submit()</script>",
        "<iframe srcdoc=\"<script>parent.location='/next'</script>\"></iframe>",
    ],
)
async def test_a_page_that_sends_itself_elsewhere_is_a_redirect(
    transport: BrowserTransport, web: Server, how: str
) -> None:
    SITE["/"] = page(how)
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    location = (result.headers.get("location") or "").removesuffix("?")
    assert (result.status, location) == (302, web.url("/next"))
    assert targets(web) == ["/"]


async def test_a_page_may_load_itself_again_once(transport: BrowserTransport, web: Server) -> None:
    """As those do that set a cookie and look whether it comes back."""
    SITE["/"] = script(
        "if (document.cookie) p.textContent = 'let in';"
        "else { document.cookie = 'a=b'; location.reload() }"
    )
    assert "let in" in await shown(transport, web.url())


async def test_a_page_that_keeps_loading_itself_is_read(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = script("location.reload()")
    assert "before" in await shown(transport, web.url())
    assert len(web.asked) == 2


async def test_a_page_that_sends_a_form_stays_where_it_is(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = page("<form method=post action=/next></form><script>document.forms[0].submit()")
    assert "<form" in await shown(transport, web.url())
    assert targets(web) == ["/"]


# -- Addresses (SEC-1)


async def test_a_forbidden_address_is_not_connected_to(
    transport: BrowserTransport, inside: Server
) -> None:
    result = await transport.send(Request(inside.url()))
    assert result == Forbidden(INSIDE, "behind the fence")
    assert inside.connections == 0


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_name_is_judged_by_the_address_behind_it(
    transport: BrowserTransport, inside: Server, scheme: str
) -> None:
    result = await transport.send(Request(f"{scheme}://inside.example:{inside.port}/"))
    assert result == Forbidden(INSIDE, "behind the fence")
    assert inside.connections == 0


async def test_a_name_with_one_allowed_address_is_reached_there(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = page("open")
    result = await transport.send(Request(web.url(host="mixed.example")))
    assert isinstance(result, Response)
    assert result.address == ALLOWED


EVERY_WAY_IN = """
  const tried = [];
  const attempt = (what) => { try { tried.push(what()) } catch {} };
  const to = (path) => 'URL' + path;
  const ws = (path) => new Promise(done => {
    const s = new WebSocket(to(path).replace('http', 'ws'));
    s.onopen = () => done('open'); s.onerror = () => done('shut') });
  attempt(() => fetch(to('/fetch'), {mode: 'no-cors'}));
  attempt(() => fetch('/hop'));
  attempt(() => ws('/ws'));
  attempt(() => { const x = new XMLHttpRequest(); x.open('GET', to('/xhr')); x.send() });
  attempt(() => new EventSource(to('/events')));
  attempt(() => import(to('/module.js')));
  attempt(() => { new Worker(URL.createObjectURL(new Blob([`fetch('${to('/worker')}')`]))) });
  attempt(() => navigator.serviceWorker.register('/sw.js'));
  attempt(() => { for (const [tag, name] of [['iframe', 'src'], ['script', 'src'], ['img', 'src'],
      ['object', 'data'], ['embed', 'src'], ['video', 'src']])
    document.body.append(Object.assign(document.createElement(tag), {[name]: to('/' + tag)})) });
  attempt(() => { for (const rel of ['stylesheet', 'preconnect', 'prefetch', 'preload', 'icon',
      'dns-prefetch', 'modulepreload', 'prerender', 'manifest'])
    document.head.append(Object.assign(document.createElement('link'),
                         {rel, href: to('/' + rel), as: 'script'})) });
  attempt(() => document.head.append(Object.assign(document.createElement('script'),
    {type: 'speculationrules', textContent: JSON.stringify({prefetch: [{source: 'list',
     urls: [to('/speculation')], eagerness: 'immediate'}], prerender: [{source: 'list',
     urls: [to('/prerendered')], eagerness: 'immediate'}]})})));
  attempt(() => navigator.sendBeacon(to('/beacon')));
  attempt(() => new WebTransport(to('/transport').replace('http:', 'https:')));
  attempt(() => { const c = new RTCPeerConnection({iceServers: [{urls: 'stun:HOST:UDP'},
      {urls: 'turn:HOST:UDP', username: 'a', credential: 'b'},
      {urls: 'turn:HOST:PORT?transport=tcp', username: 'a', credential: 'b'}]});
    c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o)) });
  attempt(() => window.open(to('/popup')));
  Promise.allSettled(tried).then(() => { p.textContent = 'tried' });
"""


async def test_no_request_of_a_page_reaches_a_forbidden_address(
    transport: BrowserTransport, web: Server, inside: Server
) -> None:
    """Every way that a page has to make a browser connect, TCP and UDP."""
    host = INSIDE  # no name that Chromium could fail to look up
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.bind((INSIDE, 0))
        datagrams.setblocking(False)
        text = EVERY_WAY_IN.replace("URL'", f"http://{host}:{inside.port}'").replace("HOST", host)
        text = text.replace("UDP", str(datagrams.getsockname()[1]))
        SITE["/"] = script(text.replace("PORT", str(inside.port)))
        SITE["/hop"] = answer(b"", "302 Found", {"Location": f"http://{host}:{inside.port}/hop"})
        SITE["/sw.js"] = answer(b"fetch('/next?from-sw')", content_type="text/javascript")
        body = await shown(transport, web.url())
        assert "tried" in body
        assert inside.connections == 0
        with pytest.raises(BlockingIOError):
            datagrams.recv(1)
    assert "/next?from-sw" not in targets(web)
    assert "/sw.js" not in targets(web)


async def test_what_a_page_asks_of_allowed_addresses_works(
    transport: BrowserTransport, web: Server
) -> None:
    """Or the test above would prove nothing."""
    cors = {"Access-Control-Allow-Origin": "*"}
    SITE["/theirs"] = answer(b"theirs", headers=cors)
    SITE["/ws"] = websocket(web)
    SITE["/"] = script(
        f"fetch('http://other.example:{web.port}/theirs').then(r => r.text()).then(t => {{"
        f"const s = new WebSocket('ws://third.example:{web.port}/ws');"
        "s.onmessage = e => { p.textContent = t + ' and ' + e.data } })"
    )
    assert "theirs and a message" in await shown(transport, web.url())


def websocket(server: Server, late: float = 0.0) -> Script:
    """A server that has one thing to say, and takes its time to open."""

    async def script(connection: Connection) -> None:
        key = server.asked[-1].header("sec-websocket-key")
        proof = hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()
        await asyncio.sleep(late)
        await connection.send(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: %b\r\n\r\n\x81\x09a message" % base64.b64encode(proof)
        )
        await connection.hang()

    return script


AIMED = {
    "a script": "for (let i = 0; i < 660; i++) fetch(to(i), {mode: 'no-cors'}).catch(() => 0);",
    "a worker": "new Worker(URL.createObjectURL(new Blob(["
    "`for (let i = 0; i < 660; i++) fetch('TO/' + i, {mode: 'no-cors'}).catch(() => 0)`])));",
    "many names": "for (let i = 0; i < 300; i++)"
    " fetch(to(i).replace('//', `//n${i}.`), {mode: 'no-cors'}).catch(() => 0);",
    "redirects": "for (let i = 0; i < 120; i++) fetch('/hop', {mode: 'no-cors'}).catch(() => 0);",
    "frames": "for (let i = 0; i < 120; i++) document.body.append("
    "Object.assign(document.createElement('iframe'), {src: to(i)}));",
}


@pytest.mark.parametrize("way", AIMED)
async def test_no_page_can_aim_the_browser_at_others(
    transport: BrowserTransport, web: Server, way: str
) -> None:
    async with Server({}) as victim:
        there = f"http://victim.example:{victim.port}"
        SITE["/hop"] = answer(b"", "302 Found", {"Location": f"{there}/hop"})
        aimed = "const to = (path) => 'TO/' + path; " + AIMED[way]
        SITE["/"] = script(aimed.replace("TO", there) + "p.textContent = 'after'")
        result = await transport.send(Request(f"http://page.example:{web.port}/", limits=LEISURE))
    assert isinstance(result, Response)
    assert b"after" in (result.body or b"")
    assert 0 < len(victim.asked) <= BRISK.requests_elsewhere
    assert "requests of the page not sent" in result.note
    assert "to victim.example" in result.note


async def test_an_ordinary_page_has_all_that_it_asks_for(
    transport: BrowserTransport, web: Server
) -> None:
    """A shop that loads itself in a hundred pieces, from servers of its own and from others'."""
    for name in ("own", "static", "cdn"):
        for i in range(40):
            text = f"window.got = (window.got || 0) + 1; p.textContent = 'pieces: ' + got // {i}"
            SITE[f"/{name}/{i}.js"] = answer(text.encode(), content_type="text/javascript")
    places = {"own": "page", "static": "static.page", "cdn": "elsewhere"}
    pieces = "".join(
        f"<script src='http://{place}.example:{web.port}/{name}/{i}.js'></script>"
        f"<img src='http://pictures.example:{web.port}/{name}/{i}.png'>"
        for name, place in places.items()
        for i in range(40)
    )
    SITE["/"] = page(f"<p id=p></p>{pieces}")
    result = await transport.send(Request(f"http://page.example:{web.port}/", limits=LEISURE))
    assert isinstance(result, Response)
    assert b"pieces: 120" in (result.body or b"")
    assert result.note == ""


async def test_a_visit_sends_so_many_requests_and_no_more(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = script("for (let i = 0; i < 400; i++) fetch('/' + i).catch(() => 0);")
    result = await transport.send(Request(web.url(), limits=LEISURE))
    assert isinstance(result, Response)
    assert len(web.asked) <= BRISK.requests + 1  # and the page
    assert "to 127.0.0.1" in result.note


async def test_a_redirect_to_a_forbidden_address_is_only_told(
    transport: BrowserTransport, web: Server, inside: Server
) -> None:
    SITE["/"] = answer(b"", "302 Found", {"Location": inside.url()})
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Response)
    assert (result.status, inside.connections) == (302, 0)


async def test_a_name_that_changes_its_address_changes_nothing(
    transport: BrowserTransport, web: Server, inside: Server
) -> None:
    """DNS rebinding: the second answer would be an address inside."""
    SITE["/again"] = answer(b"again")
    SITE["/"] = script("fetch('/again').then(r => r.text()).then(t => { p.textContent = t })")
    url = f"http://rebound.example:{web.port}/"
    assert "again" in await shown(transport, url)
    assert inside.connections == 0


# -- Faults (FE-6)


async def test_nobody_listening_is_connect_refused(transport: BrowserTransport) -> None:
    with socket.socket() as probe:
        probe.bind((ALLOWED, 0))
        port = probe.getsockname()[1]
    assert await fault_of(transport, f"http://{ALLOWED}:{port}/") == Fault.CONNECT_REFUSED
    assert await fault_of(transport, f"https://{ALLOWED}:{port}/") == Fault.CONNECT_REFUSED


async def test_a_name_without_an_address_is_a_dns_fault(transport: BrowserTransport) -> None:
    assert await fault_of(transport, "http://nowhere.invalid/") == Fault.DNS


async def test_a_port_no_browser_connects_to_is_a_protocol_fault(
    transport: BrowserTransport,
) -> None:
    assert await fault_of(transport, f"http://{ALLOWED}:25/") == Fault.PROTOCOL


@pytest.mark.parametrize(
    ("answering", "fault"),
    [
        pytest.param(raw_then_hang(), Fault.READ_TIMEOUT, id="hangs before the headers"),
        pytest.param(
            endless(b"x", first=OK + b"Content-Length: 9999\r\n\r\n", every=0.05),
            Fault.READ_TIMEOUT,
            id="drips",
        ),
        pytest.param(raw(), Fault.RESET, id="closes without a word"),
        pytest.param(raw_then_reset(OK), Fault.RESET, id="resets"),
        pytest.param(raw(OK + b"Content-Length: 9\r\n\r\nabc"), Fault.RESET, id="cut short"),
        pytest.param(raw(OK + b"X: %b\r\n\r\n" % (b"a" * 70_000)), Fault.PROTOCOL, id="long head"),
        pytest.param(endless(b"X-A: b\r\n" * 500, first=OK), Fault.PROTOCOL, id="endless head"),
        pytest.param(raw(b"SSH-2.0-OpenSSH_9.2\r\n"), Fault.PROTOCOL, id="another protocol"),
    ],
)
async def test_a_server_that_misbehaves_is_a_fault(
    transport: BrowserTransport, web: Server, answering: Script, fault: Fault
) -> None:
    SITE["/"] = answering
    limits = HASTE if fault is Fault.READ_TIMEOUT else LEISURE
    assert await fault_of(transport, web.url(), limits) == fault


async def ending(connection: Connection) -> None:
    """Takes the request and hangs up on it."""
    connection.reset()


async def test_a_page_under_which_the_connection_ends_is_asked_for_once(
    transport: BrowserTransport, web: Server
) -> None:
    """FE-9: Chromium repeats what a kept connection ended under. A visit begins without one."""
    SITE["/"] = page("before")
    await shown(transport, web.url())
    SITE["/"] = ending
    assert await fault_of(transport, web.url()) == Fault.RESET
    assert targets(web) == ["/", "/"]


async def test_what_is_wanted_as_it_is_comes_so_whatever_its_type(
    transport: BrowserTransport, web: Server
) -> None:
    """A robots.txt that is said to be HTML, shown, would have lost its first line."""
    rules = b"User-agent: *\nDisallow: /private\n"
    SITE["/robots.txt"] = answer(rules, content_type="text/html")
    result = await transport.send(Request(web.url("/robots.txt"), any_type=True, limits=LEISURE))
    assert isinstance(result, Response)
    assert result.body == rules


async def test_tls_goes_through_and_is_verified(
    transport: BrowserTransport, chromium: str, tmp_path: Path
) -> None:
    """SEC-3: nobody vouches for this certificate."""
    certificate = self_signed(tmp_path)
    scripts = {"/": page("private"), "/ending": ending}
    async with Server(scripts, tls=certificate.context()) as server:
        assert await fault_of(transport, server.url()) == Fault.TLS
        assert server.asked == []
        trust = f"--ignore-certificate-errors-spki-list={key_digest(certificate.path)}"
        trusting = BrowserTransport(judge=judge, policy=BrowserPolicy(arguments=(trust,), nice=0))
        assert "private" in await shown(trusting, server.url())
        assert await fault_of(trusting, server.url("/ending")) == Fault.RESET
        assert targets(server) == ["/", "/ending"], "each asked for once"
        await trusting.close()


async def test_the_crawl_s_own_certificates_are_trusted(chromium: str, tmp_path: Path) -> None:
    """As by the other clients: who signed it counts, for the names that it is made out to."""
    ours, mallory, late = tmp_path / "ours", tmp_path / "mallory", tmp_path / "late"
    for folder in (ours, mallory, late):
        folder.mkdir()
    certificate = self_signed(ours)
    other, expired = self_signed(mallory), self_signed(late, expired=True)
    bundle = tmp_path / "roots.pem"
    bundle.write_bytes(certificate.path.read_bytes() + expired.path.read_bytes())
    trusting = BrowserTransport(judge=judge, policy=BRISK, resolver=Names(), ca_file=str(bundle))
    async with (
        Server({"/": page("private")}, tls=certificate.context()) as server,
        Server({"/": page("forged")}, tls=other.context()) as forger,
        Server({"/": page("late")}, tls=expired.context()) as old,
    ):
        assert "private" in await shown(trusting, server.url())
        assert await fault_of(trusting, server.url("/", "a.example")) == Fault.TLS, "another name"
        assert await fault_of(trusting, forger.url()) == Fault.TLS, "signed by somebody else"
        assert await fault_of(trusting, old.url()) == Fault.TLS, "out of date"
        assert forger.asked == old.asked == []
    await trusting.close()


# -- Hostile pages (SEC-2)


@pytest.mark.parametrize(
    "big",
    [
        pytest.param(page("x" * 200_000), id="as served"),
        pytest.param(script("p.textContent = 'x'.repeat(200000)"), id="as rendered"),
        pytest.param(script("p.textContent = '\\u00e9'.repeat(60000)"), id="in bytes"),
        pytest.param(endless(b"<p>x</p>" * 1000, first=OK + b"\r\n"), id="without an end"),
        pytest.param(
            answer(gzip_bomb(200), headers={"Content-Encoding": "gzip"}), id="a compressed bomb"
        ),
        pytest.param(
            raw_then_hang(OK + b"Content-Length: 100001\r\n\r\n<p>"), id="declared one byte over"
        ),
    ],
)
async def test_a_page_over_the_limit_is_too_large(
    transport: BrowserTransport, web: Server, big: Script
) -> None:
    SITE["/"] = big
    limits = RequestLimits(total=20, body_bytes=100_000)
    assert await fault_of(transport, web.url(), limits) == Fault.TOO_LARGE


async def test_a_large_error_page_is_still_that_error(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = answer(b"x" * 200_000, "404 Not Found")
    limits = RequestLimits(total=20, body_bytes=100_000)
    result = await transport.send(Request(web.url(), limits=limits))
    assert isinstance(result, Response)
    assert (result.status, result.body) == (404, None)


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param("while (true) {}", id="while it loads"),
        pytest.param("addEventListener('load', () => { while (true) {} })", id="once loaded"),
    ],
)
async def test_a_script_without_an_end_is_a_timeout_and_harms_nobody(
    transport: BrowserTransport, web: Server, hostile: str
) -> None:
    SITE["/"] = script(hostile)
    SITE["/good"] = page("good")
    started = time.monotonic()
    fault, good = await asyncio.gather(
        fault_of(transport, web.url(), HASTE), shown(transport, web.url("/good"))
    )
    assert fault == Fault.READ_TIMEOUT
    assert "good" in good
    assert time.monotonic() - started < 30


async def test_dialogs_and_popups_are_refused(transport: BrowserTransport, web: Server) -> None:
    SITE["/"] = script(
        "alert(1); p.textContent = `${confirm(2)} ${prompt(3)} ${window.open('/popup')}`;"
        "Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => 0);"
        "onbeforeunload = () => 'stay'; print()"
    )
    assert '<p id="p">false null null</p>' in await shown(transport, web.url())
    assert targets(web) == ["/"]


async def test_a_page_that_crashes_is_a_fault_and_the_next_one_works(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/"] = script("while (true) {}")
    SITE["/good"] = page("good")
    visit = asyncio.create_task(transport.send(Request(web.url(), limits=RequestLimits(total=20))))
    await until(lambda: bool(web.asked))
    await asyncio.sleep(0.3)  # let the script begin; before, there is no process to kill
    kill(renderers(transport))
    result = await visit
    assert isinstance(result, Failure)
    assert result.fault == Fault.RESET
    assert "good" in await shown(transport, web.url("/good"))


async def test_a_window_has_no_pages_of_its_own(transport: BrowserTransport, web: Server) -> None:
    """Menus and suggestions that nobody sees: a process for each visit, as dear as the page's."""

    async def slowly(connection: Connection) -> None:
        await asyncio.sleep(1.0)  # time for them to begin
        await page("hello")(connection)

    SITE["/"] = slowly
    visit = asyncio.create_task(shown(transport, web.url()))
    seen: set[bytes] = set()
    while not visit.done():
        seen |= set(renderers(transport).values())
        await asyncio.sleep(0.05)
    assert "hello" in await visit
    assert seen
    assert [line for line in seen if b"top-chrome" in line] == []


# -- Its life and its end


class SetClock(SystemClock):
    """Stands where it is put; sleeping on it is real, so that the pool's care goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = 0.0

    def now(self) -> float:
        return super().now() + self.ahead


@pytest_asyncio.fixture(loop_scope="module")
async def opener(chromium: str) -> AsyncIterator[Callable[..., BrowserTransport]]:
    opened: list[BrowserTransport] = []

    def make(policy: BrowserPolicy = BRISK, clock: SystemClock | None = None) -> BrowserTransport:
        opened.append(BrowserTransport(judge=judge, policy=policy, clock=clock))
        return opened[-1]

    yield make
    for transport in opened:
        await transport.close()


def folder(transport: BrowserTransport) -> Path | None:
    return transport._pool._folder


def members(transport: BrowserTransport) -> set[int]:
    return watch.members(str(folder(transport)))


def kill(pids: Iterable[int]) -> None:
    """All of them: with the first, others may be gone already."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def renderers(transport: BrowserTransport) -> dict[int, bytes]:
    """And how each was called."""
    lines = {pid: Path(f"/proc/{pid}/cmdline") for pid in members(transport)}
    called = {pid: line.read_bytes() for pid, line in lines.items() if line.exists()}
    return {pid: words for pid, words in called.items() if b"--type=renderer" in words}


def browsers(transport: BrowserTransport) -> set[bytes]:
    """The profiles in use: one for each running browser."""
    lines = (Path(f"/proc/{pid}/cmdline") for pid in members(transport))
    words = (word for line in lines if line.exists() for word in line.read_bytes().split(b"\0"))
    return {word for word in words if word.startswith(b"--user-data-dir=")}


async def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        await asyncio.sleep(0.05)


Opener = Callable[..., BrowserTransport]


async def test_nothing_is_started_before_it_is_needed(opener: Opener) -> None:
    transport = opener()
    await transport.send(Request("ftp://a.example/"))
    assert folder(transport) is None


async def test_closing_cancels_what_is_under_way_and_leaves_nothing(
    opener: Opener, web: Server
) -> None:
    SITE["/"] = raw_then_hang()
    transport = opener()
    visit = asyncio.create_task(transport.send(Request(web.url())))
    await until(lambda: bool(web.asked))
    left = folder(transport)
    assert left is not None
    assert members(transport)
    await transport.close()
    with pytest.raises(asyncio.CancelledError):
        await visit
    assert members(transport) == set()
    assert not left.exists()
    await transport.close()
    assert isinstance(await transport.send(Request(web.url())), Failure)


async def test_a_browser_stands_back_as_far_as_it_is_told(
    opener: Opener, web: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[bool, int]] = []
    monkeypatch.setattr(process, "stand_back", lambda pids, nice: told.append((bool(pids), nice)))
    SITE["/"] = page("x")
    await shown(opener(replace(BRISK, nice=7)), web.url())
    assert told == [(True, 7)]


async def test_an_idle_browser_ends_when_its_time_is_over(opener: Opener, web: Server) -> None:
    SITE["/"] = page("x")
    clock = SetClock()
    transport = opener(BrowserPolicy(quiet=0.1, health_every=0.2, nice=0), clock)
    await shown(transport, web.url())
    clock.ahead = 601
    await until(lambda: members(transport) == set())


async def test_a_worn_browser_finishes_its_pages_while_the_next_one_works(
    opener: Opener, web: Server
) -> None:
    SITE["/slow"] = script("fetch('/hang').finally(() => { p.textContent = 'finished' })")
    released = asyncio.Event()

    async def hang(connection: Connection) -> None:
        await released.wait()
        await answer(b"")(connection)

    SITE["/hang"] = hang
    SITE["/"] = page("next one")
    transport = opener(BrowserPolicy(quiet=0.1, settle=10, pages=1, nice=0))
    slow = asyncio.create_task(shown(transport, web.url("/slow"), RequestLimits(total=20)))
    await until(lambda: "/hang" in targets(web))
    (worn,) = browsers(transport)
    assert "next one" in await shown(transport, web.url())
    assert worn in browsers(transport)
    released.set()
    assert "finished" in await slow
    await until(lambda: members(transport) == set())


async def test_a_browser_over_its_memory_is_replaced(opener: Opener, web: Server) -> None:
    SITE["/"] = page("x")
    transport = opener(BrowserPolicy(quiet=0.1, memory=120_000_000, health_every=0.2, nice=0))
    # Every browser has more than that: on a busy machine it may be found out during the visit.
    await transport.send(Request(web.url(), limits=LEISURE))
    await until(lambda: members(transport) == set())


async def test_a_page_that_eats_memory_is_ended(opener: Opener, web: Server) -> None:
    eat = "const a = []; setInterval(() => a.push(new Uint8Array(5e7).fill(1)), 20); fetch('/hang')"
    SITE["/hang"] = raw_then_hang()
    SITE["/"] = script(eat)
    policy = BrowserPolicy(settle=20, memory=400_000_000, health_every=0.3, nice=0)
    result = await opener(policy).send(Request(web.url(), limits=RequestLimits(total=25)))
    assert isinstance(result, Failure)
    assert result.fault == Fault.RESET


@pytest.mark.parametrize("name", [b"chromium", b"run-driver"])
async def test_a_browser_killed_between_visits_is_replaced(
    opener: Opener, web: Server, name: bytes
) -> None:
    SITE["/"] = page("alive")
    transport = opener()
    await shown(transport, web.url())
    victims = members(transport) if name == b"chromium" else watch.drivers(str(folder(transport)))
    kill(victims)
    assert "alive" in await shown(transport, web.url())


async def test_a_browser_that_dies_during_a_visit_is_a_fault(opener: Opener, web: Server) -> None:
    SITE["/"] = raw_then_hang()
    transport = opener()
    visit = asyncio.create_task(transport.send(Request(web.url())))
    await until(lambda: bool(web.asked))
    kill(members(transport))
    result = await visit
    assert isinstance(result, Failure)
    assert result.fault == Fault.RESET


async def test_a_browser_that_hangs_is_found_and_replaced(
    opener: Opener, web: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped, not ended: only a health check can tell."""
    SITE["/"] = page("alive")
    transport = opener(BrowserPolicy(quiet=0.1, health_every=0.3, nice=0))
    await shown(transport, web.url())
    # Not before: on a busy machine it is slow to begin.
    monkeypatch.setattr("tenax.adapters.browser.pool._HEALTH_SECONDS", 0.5)
    monkeypatch.setattr("tenax.adapters.browser.process._GOODBYE", 0.5)
    hangs = members(transport)
    for pid in hangs:
        os.kill(pid, signal.SIGSTOP)
    await until(lambda: not any(is_alive(pid) for pid in hangs))
    monkeypatch.undo()
    assert "alive" in await shown(transport, web.url())


async def test_no_more_pages_at_once_than_allowed(transport: BrowserTransport, web: Server) -> None:
    at_once: list[int] = [0]
    two = asyncio.Event()

    async def together(connection: Connection) -> None:
        at_once.append(at_once[-1] + 1)
        if at_once[-1] == 2:
            two.set()
        await two.wait()
        await asyncio.sleep(0.3)  # time for a third one, were it allowed
        at_once.append(at_once[-1] - 1)
        await page("x")(connection)

    SITE["/"] = together
    await asyncio.gather(*(shown(transport, web.url()) for _ in range(4)))
    assert max(at_once) == 2


async def test_a_cancelled_visit_gives_its_place_back(
    transport: BrowserTransport, web: Server
) -> None:
    SITE["/hang"] = raw_then_hang()
    SITE["/"] = page("next")
    for count in range(BRISK.concurrency):
        visit = asyncio.create_task(transport.send(Request(web.url("/hang"))))
        await until(lambda: len(web.asked) == count + 1)  # noqa: B023 called before it changes
        visit.cancel()
        with pytest.raises(asyncio.CancelledError):
            await visit
    assert "next" in await shown(transport, web.url())


async def test_without_a_chromium_it_says_what_to_do(opener: Opener, web: Server) -> None:
    result = await opener(BrowserPolicy(executable="/nowhere/chromium")).send(Request(web.url()))
    assert isinstance(result, Failure)
    assert result.fault == Fault.INTERNAL
    assert "/nowhere/chromium" in result.detail


async def test_a_program_that_is_no_browser_is_a_failure(opener: Opener, web: Server) -> None:
    transport = opener(BrowserPolicy(executable="/bin/true", patience=5))
    result = await transport.send(Request(web.url()))
    assert isinstance(result, Failure)
    assert "/bin/true did not start" in result.detail
    assert members(transport) == set()


CHILD = """
    import asyncio, sys
    import uvloop
    from tenax.adapters.browser.transport import BrowserTransport
    from tenax.model import Request

    async def main():
        transport = BrowserTransport(judge=lambda _: None)
        print((await transport.send(Request(sys.argv[1]))).body, flush=True)
        print(transport._pool._folder, flush=True)
        END

    RUN(main())
"""


HANG = "await transport.send(Request(sys.argv[1] + 'hang'))"


@pytest.mark.parametrize(
    ("end", "how", "run"),
    [
        pytest.param(HANG, signal.SIGKILL, "uvloop.run", id="kill -9"),
        pytest.param(HANG, signal.SIGTERM, "asyncio.run", id="SIGTERM"),
        pytest.param("raise SystemExit", None, "asyncio.run", id="exit without closing"),
    ],
)
async def test_nothing_remains_however_the_process_ends(
    chromium: str, web: Server, end: str, how: signal.Signals | None, run: str
) -> None:
    SITE["/"] = page("rendered")
    SITE["/hang"] = raw_then_hang()
    program = textwrap.dedent(CHILD).replace("END", end).replace("RUN", run)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, web.url(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert child.stdout is not None
    assert b"rendered" in await child.stdout.readline()
    left = Path((await child.stdout.readline()).decode().strip())
    started_by = watch.drivers(str(left))
    assert started_by
    if how is not None:
        assert watch.members(str(left))
        await until(lambda: "/hang" in targets(web))
        child.send_signal(how)
    await child.wait()
    await until(lambda: not watch.members(str(left)) and not left.exists())
    await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started_by))
