"""A small site of quotes, as the guide to records of one's own has it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tenax.demo.site import Reply, Site, SiteRequest
from tenax.demo.truth import Truth

AUTHORS = ("Ada", "Bob", "Cyd")


@dataclass
class QuotesSite(Site):
    """`pages` quotes, each of which only its handler leads from to the next."""

    name: str = "quotes"
    title: str = "Quotes"
    tagline: str = "Nobody ever said that."
    pages: int = 5
    likes: dict[int, int] = field(default_factory=dict)
    """What has changed since."""

    def answer(self, request: SiteRequest) -> Reply:
        if request.path == "/":
            words = "Quotes of people who never were, one to a page. " * 5
            html = f"<title>Quotes</title><main><p>{words}</p><a href=/quote/1>first</a></main>"
            return Reply(f"<!doctype html>{html}".encode(), modified="")
        folder, _, number = request.path[1:].partition("/")
        if folder != "quote" or not number.isdecimal() or not 1 <= int(number) <= self.pages:
            return Reply(b"not here", status=404)
        return Reply(self._quote(int(number)).encode(), modified="")

    def truth(self) -> Truth:
        quotes = {f"{self.origin}/quote/{n}" for n in range(1, self.pages + 1)}
        return Truth(front=self.url, pages=frozenset({self.url, *quotes}))

    def _quote(self, n: int) -> str:
        onward = f"<a class=next href=/quote/{n + 1}>next</a>" if n < self.pages else ""
        return (
            f"<!doctype html><title>Quote {n}</title><main><h1>Quote {n}</h1><p class=text>Quote"
            f" {n} says what {n * n} quotes of its length would say, and no more than that.</p>"
            f"<p class=author>{AUTHORS[n % 3]}</p><p>liked <b class=likes>{self.likes.get(n, n)}"
            f"</b> times</p><p>{f'word{n} ' * 30}</p>{onward}</main>"
        )
