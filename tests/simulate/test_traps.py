"""Whole crawls: what endless sites cost, and what no rule against them may put off (URL-6).

Every honest site here is one that a careless rule would leave half visited.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.hosts.pace import PacePolicy
from tenax.model import Request, Response
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, simulate, status
from tests.simulate.sites import assert_whole

POLITE = Settings(contact="mailto:test@example.org")
AT_MOST = 400
"""Requests for a trap: the budget of its host, and what it takes to know it."""
HURRY = replace(POLITE, pace=PacePolicy(delay=0.0, slots_unpaced=8))
SYLLABLES = ("ber", "lan", "mor", "tip", "fen", "wa", "do", "sel", "gra", "pi", "nu", "chor", "vi")
Pages = Callable[[str], Response | None]
"""From path and query to an answer; None for what is not there."""


def text(*seed: object, words: int = 80) -> str:
    """Prose that is another for every seed."""
    dice = Random(repr(seed))
    return " ".join(word(dice) for _ in range(words))


def word(dice: Random) -> str:
    return "".join(dice.choices(SYLLABLES, k=3))


def html(title: str, body: str, *links: str, canonical: str = "") -> Response:
    named = "".join(f'<li><a href="{link}">More of it</a></li>\n' for link in links)
    head = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    frame = "<p>Thank you for coming here; write to us if there is anything that you miss.</p>"
    return status(
        200,
        f"<!doctype html><title>{title}</title>{head}<main><h1>{title}</h1>\n<p>{body}</p>\n{frame}"
        f"\n<ul>{named}</ul></main>",
        **{"content-type": "text/html; charset=utf-8"},
    )


def serve(web: SimulatedWeb, host: str, pages: Pages) -> str:
    def answer(request: Request) -> Response:
        path = request.url.removeprefix(f"https://{host}")
        answer = None if path == "/robots.txt" else pages(path)
        return answer or status(404, "<h1>Not found</h1>")

    web.host(host, answer)
    return f"https://{host}/"


def crawled(*sites: tuple[str, Pages], settings: Settings = HURRY, **spec: int) -> list[str]:
    """Crawl these sites, all from one job, until nothing is left but what is deferred; what was
    asked for."""

    async def story(web: SimulatedWeb, app: Crawler) -> list[str]:
        seeds = [serve(web, host, pages) for host, pages in sites]
        counts = await crawl(app, *seeds, name="test", again=False, **spec)
        assert counts.unfinished == 0
        await assert_whole(app)
        return web.urls()

    return simulate(story, settings)


def under(asked: list[str], *beginnings: str) -> int:
    return sum(url.startswith(beginnings) for url in asked)


# What has to end.


def archive(path: str, pages: int, per_list: int = 25) -> Response | None:
    """Lists that lead to articles; each article has text of its own and leads nowhere new."""
    lists = -(-pages // per_list)
    name, _, query = path.partition("?page=")
    if name == "/":
        page = int(query or 1)
        names = [f"/article/{n}" for n in range((page - 1) * per_list, min(page * per_list, pages))]
        more = [f"/?page={n}" for n in range(1, lists + 1)]
        return html("All articles", "Choose one.", *names, *more) if page <= lists else None
    number = name.removeprefix("/article/")
    if number.isdecimal() and int(number) < pages:
        return html(f"Article {number}", text("article", number), "/")
    return None


def maze(path: str) -> Response:
    """Made-up pages that name made-up pages."""
    dice = Random(path)
    links = [f"/maze/{word(dice)}-{word(dice)}-{dice.random()}" for _ in range(6)]
    return html(f"About {word(dice)}", text("maze", path), "/", *links)


def test_a_maze_takes_nothing_from_a_healthy_site_beside_it() -> None:
    asked = crawled(("maze.example", maze), ("good.example", lambda path: archive(path, 300)))
    assert under(asked, "https://good.example/article/") == 300
    assert under(asked, "https://maze.example/") <= AT_MOST


def calendar(path: str) -> Response | None:
    parts = path.strip("/").split("/")
    if path == "/":
        return html("Our club", text("club"), "/calendar/2026/9", "/about")
    if path == "/about":
        return html("About us", text("about"), "/")
    if parts[0] != "calendar" or not all(part.isdecimal() for part in parts[1:]):
        return None
    months = int(parts[1]) * 12 + int(parts[2]) - 1
    links = [f"/calendar/{m // 12}/{m % 12 + 1}" for m in (months - 12, months - 1, months + 1)]
    if len(parts) == 3:
        links += [f"{path}/{day}" for day in (7, 14, 21, 28)]
    return html(f"Events of {'/'.join(parts[1:])}", "Nothing has been announced.", *links)


def test_an_empty_calendar_ends_and_says_why() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        counts = await crawl(app, serve(web, "club.example", calendar), max_depth=100)
        (job,) = await app.parts.jobs.all()
        assert under(web.urls(), "https://club.example/about") == 1
        assert under(web.urls(), "https://club.example/calendar/") <= AT_MOST
        assert counts.unfinished == 0
        assert counts.deferred > 0
        told = await app.parts.frontier.deferred(job.id, 5)
        assert all(why.startswith("deferred: /calendar/") for _, why in told)
        assert all(" visits brought nothing new" in why for _, why in told)
        (shape, *_) = await app.ledger.overview.fruitless("club.example")
        assert shape.fruitless >= 0.8 * shape.visits

    simulate(story, HURRY)


CHOICES = {
    "color": ("red", "blue", "green", "sand", "black", "white", "grey"),
    "size": ("s", "m", "l", "xl", "xxl"),
    "brand": ("fell", "fern", "merrow", "loom"),
    "price": ("10", "20", "50", "100"),
    "sort": ("price", "name", "newest"),
    "view": ("grid", "list"),
}


def narrowed(query: str) -> list[str]:
    """The same choice with one thing more, or another."""
    chosen = dict(each.partition("=")[::2] for each in query.split("&") if each)
    options = [(option, value) for option, values in CHOICES.items() for value in values]
    picked = [sorted({**chosen, option: value}.items()) for option, value in options]
    return ["&".join(f"{key}={each}" for key, each in choice) for choice in picked]


def test_a_session_in_every_link_is_the_same_few_pages() -> None:
    def pages(path: str) -> Response:
        token = f"{Random(path).getrandbits(64):016x}"
        name = path.rpartition("/")[2] or "home"
        links = [f"/{token}/{each}" for each in ("home", "about", "terms", "prices", "help")]
        return html(name, text("session", name), *links)

    asked = crawled(("token.example", pages), max_depth=100)
    assert len(asked) <= AT_MOST


def test_a_link_relative_to_itself_grows_only_so_far() -> None:
    """Every page of the site is at every address below it."""

    def pages(path: str) -> Response:
        name = path.strip("/").rpartition("/")[2]
        links = [f"{path.rstrip('/')}/{each}/" for each in ("tours", "rooms", "meals", "map")]
        return html(name or "Inn", text("inn", name), *links)

    asked = crawled(("inn.example", pages), max_depth=100)
    assert len(asked) <= AT_MOST


def tickets(query: str) -> Response:
    """One page, at a new address from wherever one comes."""
    dice = Random(query)
    links = [f"/desk?visit={dice.getrandbits(64):016x}" for _ in range(3)]
    return html("The desk", text("desk"), *links)


def house(path: str) -> Response:
    """Every room is entered from every other: the same few, at every depth."""
    here = path.strip("/").rpartition("/")[2]
    doors = [door for door in ("attic", "cellar", "kitchen", "stable") if door != here]
    return html(f"The {here}", text("house", here), *(f"{path}{door}/" for door in doors))


def stock(query: str) -> Response:
    """Always the same twelve things, in whatever order."""
    links = [f"/stock?{more}" for more in narrowed(query)]
    shown = Random(query).sample(range(12), 12)
    things = "</p>\n<p>".join(text("thing", number, words=12) for number in shown)
    return html("In stock", things, *links)


def village(path: str, articles: int) -> Response | None:
    """A small archive with four traps at one host."""
    name, _, query = path.partition("?")
    match name.split("/")[1]:
        case "calendar":
            return calendar(path)
        case "desk":
            return tickets(query)
        case "house":
            return house(name)
        case "stock":
            return stock(query)
        case "" if not query:
            lists = [f"/?page={number}" for number in range(1, articles // 25 + 1)]
            ways = ("/calendar/2026/9", "/desk?visit=0", "/house/", "/stock?view=list")
            return html("The village", text("village"), *lists, *ways)
        case _:
            return archive(path, articles)


def test_four_traps_of_a_site_take_nothing_from_the_rest_of_it() -> None:
    asked = crawled(("v.example", lambda path: village(path, 200)))
    assert under(asked, "https://v.example/article/") == 200
    for trap in ("calendar/", "desk", "house/", "stock"):
        assert 3 <= under(asked, f"https://v.example/{trap}") <= AT_MOST


def test_what_seems_to_have_no_end_is_visited_after_all_else() -> None:
    """Though most of what is asked of the maze was found long before the last article."""

    def pages(path: str) -> Response | None:
        if path == "/":
            return html("Home", text("home"), "/maze/way-in", *(f"/?page={n}" for n in range(1, 9)))
        return maze(path) if path.startswith("/maze/") else archive(path, 200)

    asked = crawled(("a.example", pages), settings=POLITE)
    last = max(place for place, url in enumerate(asked) if "/article/" in url)
    assert under(asked, "https://a.example/article/") == 200
    before, after = (
        under(some, "https://a.example/maze/") for some in (asked[:last], asked[last:])
    )
    assert before < after
    assert before + after <= AT_MOST


# What must not be touched.


def test_an_archive_of_one_shape_is_complete() -> None:
    asked = crawled(("a.example", lambda path: archive(path, 500)))
    assert under(asked, "https://a.example/article/") == 500
    assert under(asked, "https://a.example/?page=") == 20


def test_documentation_from_one_template_is_complete() -> None:
    """Nearly all of each page is the same on all of them, and each leads to the next few."""
    boilerplate = text("template", words=300)

    def pages(path: str) -> Response | None:
        number = int(path.removeprefix("/ref/function-") or 0) if path != "/" else 0
        if number >= 400:
            return None
        more = [f"/ref/function-{n}" for n in range(number * 5 + 1, min(number * 5 + 6, 400))]
        own = f"{text('fn', number, words=4)}. {boilerplate} {text('see', number, words=9)}"
        above = f"/ref/function-{(number - 1) // 5}" if number > 1 else "/"
        return html(f"Function {number}", own, "/", above, *more)

    asked = crawled(("docs.example", pages))
    assert under(asked, "https://docs.example/ref/") == 400


def test_a_wiki_that_only_leads_to_itself_is_complete() -> None:
    def pages(path: str) -> Response | None:
        number = int(path.removeprefix("/wiki/Page_") or 0) if path != "/" else 0
        dice = Random(number)
        # Some pages are named on every other one, as everywhere.
        names = {int(400 * dice.random() ** 2) for _ in range(12)} | {(number * 7 + 1) % 400}
        return html(f"Page {number}", text("wiki", number), *(f"/wiki/Page_{n}" for n in names))

    asked = crawled(("wiki.example", pages), max_depth=100)
    assert len(asked) > 375


def test_an_album_of_pictures_without_a_word_is_complete() -> None:
    """Pages that say nothing, but are named by albums: they have an end."""

    def pages(path: str) -> Response | None:
        name, _, number = path.strip("/").partition("/")
        match name:
            case "":
                return html("Albums", "Choose one.", *(f"/album/{n}" for n in range(20)))
            case "album":
                first = int(number) * 20
                photos = [f"/photo/{n}" for n in range(first, first + 20)]
                return html(f"Album {number}", "Photographs.", "/", *photos)
            case _:
                n = int(number)
                last = f"/photo/{max(n - 1, 0)}"
                return html(f"Photo {number}", "A picture.", last, f"/album/{n // 20}")

    asked = crawled(("photo.example", pages))
    assert under(asked, "https://photo.example/photo/") == 400


def test_a_calendar_with_events_is_complete() -> None:
    """Its months say nothing; the events that they name do."""

    def pages(path: str) -> Response | None:
        parts = path.strip("/").split("/")
        if parts[0] == "event":
            return html(f"Event {parts[1]}", text("event", parts[1]), "/")
        month = int(parts[1]) if parts[0] == "month" else 0
        if month > 60:
            return None
        events = [f"/event/{month * 5 + n}" for n in range(5)]
        return html(f"Month {month}", "What is on.", f"/month/{month + 1}", *events)

    asked = crawled(("agenda.example", pages), max_depth=200)
    assert under(asked, "https://agenda.example/event/") == 305


def test_quotations_a_line_each_are_complete() -> None:
    """Little text is not the same text."""

    def pages(path: str) -> Response | None:
        number = int(path.removeprefix("/quote/") or 0) if path != "/" else 0
        if number >= 400:
            return None
        near = (number * 2 + 1, number * 2 + 2, number // 2)
        links = [f"/quote/{n}" for n in near if n < 400]
        return html(f"Quotation {number}", text("quote", number, words=14), *links)

    asked = crawled(("quotes.example", pages), max_depth=100)
    assert under(asked, "https://quotes.example/quote/") == 400


def test_measurements_that_differ_in_figures_only_are_complete() -> None:
    def pages(path: str) -> Response | None:
        number = path.removeprefix("/station/")
        if path == "/":
            return html("Stations", "Choose one.", *(f"/station/{n}" for n in range(300)))
        return html("Weather", f"Temperature {int(number) % 30} degrees, wind {number} knots.", "/")

    asked = crawled(("weather.example", pages))
    assert len(asked) == 301


def labelled(*day: object) -> str:
    dice = Random(repr(day))
    names = (
        "Highest temperature",
        "Lowest temperature",
        "Rain",
        "Air pressure",
        "Wind",
        "Sunshine",
    )
    return "\n".join(f"{name}: {dice.uniform(0, 40):.1f} units" for name in names)


def test_figures_that_lead_from_one_to_the_next_are_complete() -> None:
    """Nothing else leads there, and nothing else differs."""

    def pages(path: str) -> Response | None:
        if path == "/":
            return html("A station on a hill", text("station"), "/day/300")
        day = int(path.removeprefix("/day/"))
        near = {"The one before": day - 1, "The next one": day + 1}
        links = [f'<a href="/day/{n}">{name}</a>' for name, n in near.items() if 0 < n < 301]
        body = f"<h1>Day {day}</h1>\n<p>{labelled(day)}</p>\n{' '.join(links)}"
        return status(
            200,
            f"<!doctype html><title>Day {day}</title>{body}",
            **{"content-type": "text/html; charset=utf-8"},
        )

    asked = crawled(("weather.example", pages), max_depth=400)
    assert len(asked) == 301


def test_an_endless_calendar_of_figures_ends() -> None:
    """Days and numbers of weeks in rows: they count on, and say nothing."""

    def pages(path: str) -> Response | None:
        if path == "/":
            return html("Our club", text("club"), "/month/0", "/about")
        if path == "/about":
            return html("About us", text("about"), "/")
        month = int(path.removeprefix("/month/"))
        first, rows = month * 3 % 7, []
        for week in range(5):
            days = [
                str(day) for day in range(week * 7 - first + 1, week * 7 - first + 8) if day > 0
            ]
            rows.append(" ".join([str((month * 4 + week) % 52 + 1), *days]))
        return html(
            f"{month % 12 + 1}/{2026 + month // 12}", "\n".join(rows), f"/month/{month + 1}"
        )

    asked = crawled(("club.example", pages), max_depth=400)
    assert under(asked, "https://club.example/month/") <= AT_MOST


def test_a_second_list_is_followed_past_what_the_first_one_named() -> None:
    """Tags name what the main list named, until they come to the old articles it does not have."""

    def pages(path: str) -> Response | None:
        name, _, query = path.partition("?page=")
        if name == "/tag/all":
            number = int(query or 1)
            names = [f"/article/{n}" for n in range((number - 1) * 25, number * 25)]
            more = [f"/tag/all?page={number + 1}"] if number < 24 else []
            return html("Tagged", "A list.", *names, *more)
        if path == "/":
            return html("News", "The latest.", "/tag/all", "/?page=1")
        return archive(path, 350) or archive(path, 600 if "article" in path else 0)

    asked = crawled(("news.example", pages), max_depth=200)
    assert under(asked, "https://news.example/article/") == 600


def test_profiles_that_lead_to_lists_of_what_is_known_are_complete() -> None:
    """A forum: its members say nothing, and neither do the lists of what they wrote."""

    def pages(path: str) -> Response | None:
        name, *rest = path.strip("/").split("/")
        match name:
            case "":
                return html("Forum", "Boards.", *(f"/board/{n}" for n in range(8)))
            case "board":
                first = int(rest[0]) * 50
                threads = [f"/thread/{n}" for n in range(first, first + 50)]
                return html(f"Board {rest[0]}", "Threads.", "/", *threads)
            case "thread":
                number = int(rest[0])
                links = (f"/board/{number // 50}", f"/user/{number % 20}")
                return html(f"Thread {number}", text("thread", number), *links)
            case _ if len(rest) == 1:
                return html(f"Member {rest[0]}", "Since last year.", f"/user/{rest[0]}/posts")
            case _:
                written = [f"/thread/{n}" for n in range(int(rest[0]), 400, 20)]
                return html(f"Posts of {rest[0]}", "Posts.", *written)

    asked = crawled(("forum.example", pages))
    assert len(asked) == 1 + 8 + 400 + 20 + 20
