"""What do crawlers get instead of pages? Challenges, denials, login walls, parked domains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tenax.demo.site import Reply, Site, SiteRequest, listing, paragraphs
from tenax.demo.truth import Truth
from tenax.demo.words import TOWN, Dice, paragraph


class Wall(NamedTuple):
    status: int
    verdict: str
    """What a judge should call it; for a status that says it all, the fault of the visit."""
    title: str
    body: str


_CHALLENGE = (
    "<h1>Checking your browser before accessing this site</h1><p>This process is automatic. Your "
    "browser will redirect to your requested content shortly.</p><p>Please allow up to 5 seconds."
    '</p><div class="spinner"></div><script>setTimeout(()=>location.reload(),5000)</script>'
)
WALLS = {
    "challenge": Wall(200, "challenge", "Just a moment...", _CHALLENGE),
    "challenge-503": Wall(503, "challenge", "Just a moment...", _CHALLENGE),
    "denied": Wall(
        200,
        "access_denied",
        "Access Denied",
        "<h1>Access Denied</h1><p>You don't have permission to access this page on this server."
        "</p><p>Reference #18.2d3e1202.1767225600.4f1a</p>",
    ),
    "forbidden-in-disguise": Wall(
        200,
        "access_denied",
        "403 Forbidden",
        "<center><h1>403 Forbidden</h1></center><hr><center>tenax-demo</center>",
    ),
    "blocked": Wall(
        200,
        "ip_blocked",
        "Sorry, you have been blocked",
        "<h1>Sorry, you have been blocked</h1><p>Your IP address has been blocked because of "
        "unusual traffic from your network.</p>",
    ),
    "captcha": Wall(
        200,
        "captcha",
        "Are you a human?",
        "<h1>Please verify you are a human</h1><p>To continue, solve the captcha below.</p>"
        '<form action="/captcha" method="post"><div class="g-recaptcha" data-sitekey="demo"></div>'
        "<button>Continue</button></form>",
    ),
    "members": Wall(
        200,
        "login_wall",
        "Sign in",
        "<h1>Sign in to continue</h1><p>You must be logged in to view this page.</p>"
        '<form action="/members" method="post"><label>Name <input name="user"></label> <label>'
        'Password <input type="password" name="password"></label><button>Sign in</button></form>',
    ),
    "parked": Wall(
        200,
        "parked",
        "merrow-ferries.example",
        "<h1>merrow-ferries.example</h1><p>This domain is for sale! Buy this domain today.</p>"
        "<p>Related searches: ferry tickets, cheap cruises, harbour hotels</p>",
    ),
    "forbidden": Wall(403, "client_error", "Forbidden", "<h1>Forbidden</h1><p>Not for you.</p>"),
    "priced": Wall(402, "priced", "Payment required", "<h1>Payment required</h1>"),
}
_FAULTS = frozenset({"client_error", "priced"})
ARTICLES = {
    "captchas": "How the captcha came to be, and why it may go",
    "locked-doors": "A short history of locked doors",
}
_ON_CAPTCHAS = (
    'For twenty years the web has asked its readers to "verify you are a human", first with wavy '
    "letters, then with pictures of buses. The word captcha was coined for the first of these.",
    'Anyone who has met a page that says "checking your browser before accessing" knows its '
    "cousin, the challenge that asks for no answer and only for patience. Nobody likes it, least "
    "of all the people who put it there.",
    'The bluntest of them is the page that says "access denied" or "403 forbidden" and nothing '
    "more. It has the advantage of honesty: you have been blocked, and no clicking will help.",
    "A captcha measures how unlike a program one is. As programs became better at reading letters "
    "than people, the letters gave way to traffic lights, and those to a tick box that watches "
    "the mouse.",
)


@dataclass
class WallSite(Site):
    """The honest pages come first on the front page: a careful crawler cools down at a wall."""

    name: str = "wall"
    title: str = "Behind the Wall"
    tagline: str = "Some of these pages are what they seem."

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                return self._front()
            case ["robots.txt"]:
                return self.robots()
            case ["articles", name] if name in ARTICLES:
                return self._article(name)
            case [wall] if wall in WALLS:
                return _wall(wall)
            case _:
                return self.missing()

    def truth(self) -> Truth:
        return Truth(
            front=self.url,
            pages=self.all_at(["/", *(f"/articles/{name}" for name in ARTICLES)]),
            garbage=self._behind(is_wall=True),
            failures=self._behind(is_wall=False),
        )

    def _behind(self, *, is_wall: bool) -> dict[str, str]:
        return {
            self.at(f"/{path}"): wall.verdict
            for path, wall in WALLS.items()
            if (wall.verdict not in _FAULTS) is is_wall
        }

    def _front(self) -> Reply:
        links = [(f"/articles/{name}", title) for name, title in ARTICLES.items()]
        links += [(f"/{path}", f"Behind {path.replace('-', ' ')}") for path in WALLS]
        text = paragraphs([paragraph(Dice("wall"), TOWN)])
        return self.page("What crawlers get", f"<h1>What crawlers get</h1>\n{text}{listing(links)}")

    def _article(self, name: str) -> Reply:
        dice = Dice("wall", name)
        filler = [paragraph(dice, TOWN) for _ in range(3)]
        text = paragraphs([*(_ON_CAPTCHAS if name == "captchas" else ()), *filler])
        main = f"<article>\n<h1>{ARTICLES[name]}</h1>\n{text}\n</article>"
        return self.page(ARTICLES[name], main)


def _wall(path: str) -> Reply:
    """Bare, as such pages are: none of the site's frame around it."""
    wall = WALLS[path]
    head = f"<head><title>{wall.title}</title></head>"
    html = f"<!DOCTYPE html><html>{head}<body>{wall.body}</body></html>\n"
    headers = (("crawler-price", "USD 0.01"),) if wall.status == 402 else ()
    return Reply(html.encode(), status=wall.status, headers=headers, modified="")
