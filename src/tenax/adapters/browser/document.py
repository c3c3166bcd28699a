"""A document's request headers, response head and DOM, as DevTools sends and tells them."""

from __future__ import annotations

import platform
from typing import Any

from msgspec import Struct

from tenax.fetch.answers import REDIRECTS
from tenax.model import Headers, Request

Event = dict[str, Any]
"""What Chromium tells about a request that it has stopped for us."""

_PAGES = ("text/html", "application/xhtml+xml")
_BODILESS = (204, 205, 304)
_OF_THE_WIRE = ("connection", "content-encoding", "content-length", "transfer-encoding")
_OF_THE_CONTEXT = ("accept-language", "cookie", "user-agent")
"""Set for every request of the page."""
_OF_CHROMIUM = ("accept-encoding", "connection", "content-length", "host", "te", "upgrade")

STOPS: list[dict[str, str]] = [
    # All of them, those of workers and each hop of a redirect too: they are counted.
    {"urlPattern": "*", "requestStage": "Request"},
    {"resourceType": "Document", "requestStage": "Response"},
]
"""Which requests Chromium asks us about."""
_WITHOUT_TEXT = ("Image", "Media", "Font", "Ping", "CSPViolationReport")

# Open shadow roots are written as templates, the way HTML declares them: outerHTML leaves them out.
READ = """(() => {
  const root = document.documentElement;
  if (root === null) return "";
  const type = document.doctype;
  const shadows = [];
  const gather = (tree) => {
    for (const element of tree.querySelectorAll("*")) {
      if (element.shadowRoot) { shadows.push(element.shadowRoot); gather(element.shadowRoot); }
    }
  };
  gather(document);
  let html = root.outerHTML;
  if (shadows.length && root.getHTML) {
    const shell = root.cloneNode(false).outerHTML;
    const end = shell.lastIndexOf("</");
    html = shell.slice(0, end) + root.getHTML({shadowRoots: shadows}) + shell.slice(end);
  }
  if (type) html = new XMLSerializer().serializeToString(type) + "\\n" + html;
  return html.length > %d ? null : html;
})()"""
"""A script that writes the DOM as text; null when it is longer than the number put in."""


class Head(Struct, frozen=True):
    """Status and headers of the document being shown."""

    status: int
    headers: Headers
    length: int = 0
    """What it declares its body to be long; 0 when it does not."""

    @property
    def media_type(self) -> str:
        return (self.headers.get("content-type") or "").split(";", 1)[0].strip().lower()

    @property
    def ends_here(self) -> bool:
        """Whether there is no body to wait for."""
        return self.status in REDIRECTS or self.status in _BODILESS

    @property
    def size(self) -> int:
        return sum(len(name) + len(value) + 4 for name, value in self.headers.pairs)

    @property
    def is_page(self) -> bool:
        disposition = (self.headers.get("content-disposition") or "").strip().lower()
        return self.media_type in _PAGES and not disposition.startswith("attachment")

    def as_text(self) -> Head:
        """The same, for the DOM as text instead of the body that came."""
        kept = [pair for pair in self.headers.pairs if pair[0].lower() != "content-type"]
        written = ("content-type", f"{self.media_type}; charset=utf-8")
        return Head(self.status, Headers((*kept, written)))


def read_head(event: Event) -> Head:
    """The head of an answer, without what was true only on the wire."""
    pairs = [(entry["name"], entry["value"]) for entry in event["responseHeaders"]]
    length = Headers(tuple(pairs)).get("content-length") or ""
    return Head(
        event["responseStatusCode"],
        Headers(tuple(pair for pair in pairs if pair[0].lower() not in _OF_THE_WIRE)),
        int(length) if length.isdecimal() and len(length) < 19 else 0,
    )


def moved_to(url: str) -> Head:
    """What a page that sends itself elsewhere amounts to."""
    return Head(302, Headers((("location", url),)))


def request_headers(event: Event, request: Request) -> list[dict[str, str]]:
    """Those of the document's request: Chromium's, and over them the ones asked for.

    Only this request gets them: what a site's rules tell that site is nobody else's business.
    """
    wanted = {name.lower(): (name, value) for name, value in event["request"]["headers"].items()}
    for name, value in request.headers:
        key = name.lower()
        if key not in _OF_THE_CONTEXT + _OF_CHROMIUM and not key.startswith("sec-"):
            wanted[key] = (name, value)
    return [{"name": name, "value": value} for name, value in wanted.values()]


def honest_agent(request: Request) -> dict[str, Any] | None:
    """The agent named in the request, on the system it really runs on; None to stay Chromium.

    From a name it does not know Playwright concludes Windows, and Sec-CH-UA-Platform says so.
    """
    agent = Headers(request.headers).get("user-agent")
    if agent is None:
        return None
    system = {"Darwin": "macOS"}.get(platform.system(), platform.system())
    details = {"platformVersion": "", "architecture": "", "model": "", "mobile": False}
    return {"userAgent": agent, "userAgentMetadata": {"platform": system, **details}}


def is_wanted(event: Event) -> bool:
    """Whether something that is not a document should be loaded at all."""
    accept = event["request"]["headers"].get("Accept", "")
    # Among "Other" are icons, and also the scripts of workers.
    is_icon = event["resourceType"] == "Other" and accept.startswith("image/")
    return event["resourceType"] not in _WITHOUT_TEXT and not is_icon
