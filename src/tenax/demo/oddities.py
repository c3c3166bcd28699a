"""Which oddities does the manual's appendix hold? Charsets, redirects, sloppy HTML, huge pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tenax.demo.files import pdf, png
from tenax.demo.site import Reply, SiteRequest, listing, moved, paragraphs
from tenax.demo.truth import Truth
from tenax.demo.words import MANUAL, Dice, paragraph

if TYPE_CHECKING:
    from tenax.demo.docs import DocsSite

TOO_LARGE = 12_000_000
FAR = 6
"""Hops of the redirect chain that is longer than any sane client follows."""


class Encoded(NamedTuple):
    """A page in a charset: the one used, and what header and meta tag say of it."""

    charset: str
    header: str
    meta: str
    title: str
    sentence: str


CHARSETS = {
    "latin-1": Encoded(
        "iso-8859-1", "text/html; charset=iso-8859-1", "",
        "Übersicht der Größen", "Für größere Webstühle müßte man die Schäfte zählen.",
    ),
    "shift-jis": Encoded(
        "shift_jis", "text/html", "shift_jis",
        "織機の手引き", "糸が切れたときは、織機を止めて結び直します。",
    ),
    "utf-16": Encoded(
        "utf-16", "text/html", "", "Ткацкий станок", "Нить рвётся там, где её не ждут.",
    ),
    "wrong-header": Encoded(
        "windows-1252", "text/html; charset=utf-8", "windows-1252",
        "Métier à tisser", "Le tisserand préfère les pelotes bien serrées.",
    ),
}  # fmt: skip
FOUND = (
    "unquoted",
    "spaces",
    "amp?a=1&b=2",
    "area",
    "café",
    "no-scheme",
    "shouting",
    "dots",
    "iri-%C3%BC",
)
"""Pages that only a link in the sloppy page leads to, each spelled in a way of its own."""
GHOSTS = ("comment", "script", "textarea")
REDIRECTS = {
    "/old/install": ("/install/", 301),
    "/old/chain": ("/old/chain/2", 302),
    "/old/chain/2": ("3#ignored", 307),
    "/old/chain/3": ("/appendix/chain-end", 308),
    "/old/loop": ("/old/loop/b", 302),
    "/old/loop/b": ("/old/loop", 302),
} | {f"/old/far/{hop}": (f"/old/far/{hop + 1}", 302) for hop in range(1, FAR)}
GONE = {"/old/removed": 410, "/old/never-was": 404, "/appendix/missing.html": 404}
ABROAD = {"shop": "/pages/repairs", "news": "/about"}
"""Where the redirect to another host goes: to the first of these sites that is there."""
PROSE = ("chain-end", "refreshed", "deep/one.html", "chunked")


def answer(site: DocsSite, request: SiteRequest) -> Reply | None:
    """The reply of an odd page; None when there is no such page."""
    path = request.path
    if path in REDIRECTS:
        return moved(*REDIRECTS[path])
    if path in GONE:
        return site.missing(GONE[path])
    match request.segments:
        case ["appendix", ""]:
            return _index(site)
        case ["appendix", "found", *_] if _found_name(request) in FOUND:
            return _prose(site, _found_name(request))
        case ["appendix", name] if name in CHARSETS:
            return _encoded(name)
        case ["appendix", *rest]:
            return _special(site, "/".join(rest), request)
        case ["old", "far", hop] if hop == str(FAR):
            return moved("/appendix/")
        case ["old", "abroad"] if _abroad(site):
            return moved(_abroad(site), 301)
        case ["files", "manual.pdf"]:
            return Reply(pdf("Loomlight, the manual, on one page"), kind="application/pdf")
        case ["files", "diagram.png"]:
            return Reply(png("diagram"), kind="image/png")
        case _:
            return None


def complete(site: DocsSite, truth: Truth) -> Truth:
    """The truth of the manual with that of its appendix."""
    names = [*CHARSETS, *PROSE, "base", "sloppy", "sloppy?view=full", "long", "refresh", ""]
    pages = [f"/appendix/{name}" for name in names] + [f"/appendix/found/{name}" for name in FOUND]
    ghosts = [f"/appendix/ghost/{name}" for name in GHOSTS] + ["/appendix/one.html"]
    redirects = {
        site.at("/old/install"): site.at("/install/"),
        site.at("/old/chain"): site.at("/appendix/chain-end"),
    }
    if abroad := _abroad(site):
        redirects[site.at("/old/abroad")] = abroad
    return replace(
        truth,
        pages=truth.pages | site.all_at(pages),
        files=site.all_at(["/files/manual.pdf", "/files/diagram.png"]),
        never={**truth.never, **{site.at(path): "phantom" for path in ghosts}},
        gone={site.at(path): status for path, status in GONE.items()},
        failures={
            site.at("/old/loop"): "too_many_redirects",
            site.at("/old/far/1"): "too_many_redirects",
            site.at("/appendix/broken"): "server_error",
            site.at("/appendix/everything"): "too_large",
        },
        redirects=redirects,
        refreshes={site.at("/appendix/refresh"): site.at("/appendix/refreshed")},
        charsets={
            site.at(f"/appendix/{name}"): (page.charset, page.title)
            for name, page in CHARSETS.items()
        },
    )


def _index(site: DocsSite) -> Reply:
    names = [
        *CHARSETS,
        "base",
        "sloppy",
        "long",
        "everything",
        "broken",
        "refresh",
        "refreshed",
        "chunked",
    ]
    links = [(f"/appendix/{name}", f"Appendix: {name}") for name in names]
    links += [
        (path, f"Moved: {path}")
        for path in ("/old/install", "/old/chain", "/old/loop", "/old/far/1")
    ]
    links += [(path, f"Lost: {path}") for path in GONE]
    links += [("/files/manual.pdf", "The manual as PDF"), ("/files/diagram.png", "A diagram")]
    if _abroad(site):
        links.append(("/old/abroad", "Moved to another site"))
    text = paragraphs([paragraph(Dice("appendix"), MANUAL)])
    return site.sheet("Appendix", f"<h1>Appendix</h1>\n{text}{listing(links)}")


def _special(site: DocsSite, name: str, request: SiteRequest) -> Reply | None:
    match name:
        case "base":
            head = '<base href="/appendix/deep/">\n'
            text = paragraphs([paragraph(Dice("base"), MANUAL)])
            main = f'<h1>Base</h1>\n{text}<p><a href="one.html">One</a></p>'
            return site.sheet("Base", main, head=head)
        case "sloppy":
            return _sloppy(site, full=request.query == "view=full")
        case "long":
            return _long(site)
        case "everything":
            row = (
                b"<p>Every option of every release, in the order in which they were removed.</p>\n"
            )
            return Reply(
                b"<!DOCTYPE html><title>Everything</title>" + row * (TOO_LARGE // len(row))
            )
        case "broken":
            return Reply(b"<h1>Internal error</h1>", status=500, modified="")
        case "refresh":
            head = '<meta http-equiv="refresh" content="0; url=/appendix/refreshed">\n'
            text = paragraphs([paragraph(Dice("refresh"), MANUAL)])
            return site.sheet("Refresh", f"<h1>This page moves you on</h1>\n{text}", head=head)
        case _ if name in PROSE:
            return _prose(site, name, chunked=name == "chunked")
        case _:
            return None


def _prose(site: DocsSite, name: str, *, chunked: bool = False) -> Reply:
    title = f"Appendix: {name}".replace("&", "and")
    text = paragraphs([paragraph(Dice("appendix", name, part), MANUAL) for part in range(4)])
    reply = site.sheet(title, f"<h1>{title}</h1>\n{text}")
    reply.chunked = chunked
    return reply


def _encoded(name: str) -> Reply:
    """A page of its own charset, without the frame: the frame says utf-8."""
    page = CHARSETS[name]
    meta = f'<meta charset="{page.meta}">' if page.meta else ""
    rows = "\n".join(f"<p>{number}. {page.sentence}</p>" for number in range(1, 13))
    html = (
        f"<!DOCTYPE html>\n<html><head>{meta}<title>{page.title}</title></head>\n<body><main>"
        f'<h1>{page.title}</h1>\n{rows}\n<p><a href="/appendix/">&larr;</a></p>'
        "</main></body></html>\n"
    )
    if page.charset == "utf-16":
        # Python's own utf-16 follows this machine's byte order; the demo is the same on all.
        return Reply(b"\xff\xfe" + html.encode("utf-16-le"), kind=page.header)
    return Reply(html.encode(page.charset), kind=page.header)


def _sloppy(site: DocsSite, *, full: bool) -> Reply:
    """HTML as people write it by hand: every link here is one a browser would find, or not."""
    host = site.origin.removeprefix("http:")
    title = "Sloppy, in full" if full else "Sloppy"
    more = paragraphs([paragraph(Dice("sloppy", part), MANUAL) for part in range(5 if full else 2)])
    body = f"""<HTML><head><title>{title}</title>
<!-- <a href="/appendix/ghost/comment">not a link</a> -->
<BODY bgcolor=white><h1>{title}</h1>
<p>First <A HREF=/appendix/found/unquoted>unquoted</A>
<p>Then <a href='
    /appendix/found/spaces
  '>spaces</a><b><i>crossed</b></i>
<p><a href="/appendix/found/amp?a=1&amp;b=2">ampersand</a> <a>no href</a> <a href="">here</a>
<map name=m><area shape=rect coords=0,0,9,9 href="/appendix/found/area"></map>
<p><a href="/appendix/found/café">not ASCII</a> <a href="/appendix/found/iri-%c3%bc">small</a>
<p><a href="{host}/appendix/found/no-scheme">no scheme</a>
<p><a href="HTTP:{host}/appendix/found/shouting">loud</a>
<p><a href="../x/../appendix/./found/dots">dots</a> <a href="?view=full">in full</a>
<p><a href="javascript:void(0)">js</a> <a href="data:text/html,hi">data</a>
<p><a href="ftp://ftp.example/">ftp</a>
<p><a href="http://[broken">broken</a> <a href="http://">empty</a>
<script>document.write('<a href="/appendix/ghost/script">later</a>')</script>
<textarea><a href="/appendix/ghost/textarea">typed</a></textarea>
{more}<table><tr><td>unclosed"""
    return Reply(body.encode())


def _long(site: DocsSite) -> Reply:
    """About a megabyte and a half, with few links: long, not large enough to refuse."""
    dice = Dice("long")
    stock = [paragraph(dice, MANUAL, 8) for _ in range(24)]
    parts = (f"<h2>{n}. Notes</h2>\n<p>{stock[n * 7 % 24]}</p>" for n in range(1, 2200))
    return site.sheet("A long page", "<h1>A long page</h1>\n" + "\n".join(parts))


def _found_name(request: SiteRequest) -> str:
    """The name as the truth spells it: with the query, and escaped where that was the point."""
    name = request.path.removeprefix("/appendix/found/")
    if name == "iri-ü":
        return "iri-%C3%BC"
    return f"{name}?{request.query}" if request.query else name


def _abroad(site: DocsSite) -> str:
    return next(
        (site.origins[name] + path for name, path in ABROAD.items() if name in site.origins), ""
    )
