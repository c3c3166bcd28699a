"""Forms that are sent, by the command on a real server that notes what it was sent (URL-3)."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import tenax as package
from tests.e2e.command import Tenax, until
from tests.postgres import empty_ledger

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


@dataclass
class Library:
    """A search that is posted. Whatever is asked for by GET besides is a page, too."""

    heard: list[tuple[str, str, str, str]] = field(default_factory=list)
    """Method, path, content type, body; in the order in which they came."""
    url: str = ""

    def sent(self) -> Counter[tuple[str, str]]:
        return Counter((path, body) for method, path, _, body in self.heard if method == "POST")

    def answer(self, method: str, path: str, body: str) -> tuple[int, str, dict[str, str]]:
        if path == "/robots.txt":
            return 404, "", {}
        if method == "POST" and path == "/see":
            return 303, "", {"Location": f"/seen?{body}"}
        if method == "POST" and path == "/api":
            return 200, '{"books": [{"title": "Lighthouses"}]}', {"Content-Type": JSON}
        if method == "POST" and path == "/broken":
            return 500, "broken", {}
        about = body or path
        link = f"<a href='/book/{len(body)}'>a book</a>" if body else ""
        text = f"All about {about}. {'A library has more to say than fits on a card. ' * 12}"
        return 200, f"<title>About {about}</title><main><p>{text}</p>{link}</main>", {}


@contextmanager
def serving(site: Library) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._hear("")

        def do_POST(self) -> None:
            self._hear(self.rfile.read(int(self.headers["content-length"])).decode())

        def _hear(self, body: str) -> None:
            kind = self.headers.get("content-type", "")
            site.heard.append((self.command, self.path, kind, body))
            code, said, headers = site.answer(self.command, self.path, body)
            self.send_response(code)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(said.encode())))
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Crawlers that end close their connections."""

    with Server(("127.0.0.1", 0), Handler) as server:
        site.url = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


def exported(tenax: Tenax, **settings: object) -> dict[tuple[str, str], dict[str, str]]:
    fields = "url,final_url,url_hash,method,sent,title"
    lines = tenax.run("export", "--fields", fields, **settings).out.splitlines()
    return {(each["url"], each["sent"]): each for each in map(json.loads, lines)}


def test_what_is_sent_by_flag_by_file_and_by_settings(tenax: Tenax) -> None:
    site = Library()
    with serving(site):
        search = f"{site.url}/search"
        lines = [
            {"url": search, "method": "POST", "body": "q=coffee"},
            {"url": f"{site.url}/api", "method": "POST", "body": '{"a": 1}',
             "content_type": "application/json"},
            {"url": f"{site.url}/see", "method": "POST", "body": "q=milk"},
            {"url": f"{site.url}/broken", "method": "POST", "body": "q=x"},
            {"url": search, "method": "GET"},
            {"url": search, "metod": "GET"},
            {"url": search, "body": "q=lost"},
        ]  # fmt: skip
        (tenax.folder / "seeds.jsonl").write_text("\n".join(map(json.dumps, lines)))
        (tenax.folder / "tenax.toml").write_text(
            f'[[job.posts]]\nurl = "{search}"\nbody = "q=jam"\n'
        )
        flags = ("--job", "books", "--delay", "0")
        first = tenax.crawl(search, "--post", "q=tea", *flags)
        assert first.code == 0, first.err
        assert site.sent() == {("/search", "q=tea"): 1}, "what is typed goes before the settings"
        second = tenax.crawl("--seeds", "seeds.jsonl", *flags)
        assert "Object contains unknown field `metod`" in second.err
        assert 'a body is sent by "method": "POST"' in second.err
        assert site.sent() == {
            ("/search", "q=tea"): 1, ("/search", "q=coffee"): 1, ("/search", "q=jam"): 1,
            ("/api", '{"a": 1}'): 1, ("/see", "q=milk"): 1, ("/broken", "q=x"): 1,
        }  # fmt: skip
        kinds = {body: kind for _, _, kind, body in site.heard if body}
        assert kinds.pop('{"a": 1}') == "application/json"
        assert set(kinds.values()) == {FORM}
        gets = Counter(path for method, path, _, _ in site.heard if method == "GET")
        assert gets == dict.fromkeys(
            ["/robots.txt", "/search", "/seen?q=milk", "/book/5", "/book/8"], 1
        )
        pages = exported(tenax)
        milk = pages[f"{site.url}/see", "q=milk"]
        assert (milk["method"], milk["final_url"]) == ("POST", f"{site.url}/seen?q=milk")
        assert pages[search, ""]["method"] == "GET"
        assert len({each["url_hash"] for each in pages.values()}) == len(pages) == 8
        told = tenax.run("why", search, "--post", "q=tea", allow_private="127.0.0.1").out
        assert "fetched and stored" in told
        assert f"sends       q=tea  ({FORM})" in told
        told = tenax.run("why", search, allow_private="127.0.0.1").out
        assert "sent there  done  --post q=tea" in told
        answer = ("--body", f"{site.url}/api", "--post", '{"a": 1}', "--content-type", JSON)
        assert json.loads(tenax.run("pages", *answer).out)["books"] == [{"title": "Lighthouses"}]
        text = tenax.run("pages", "--text", search, "--post", "q=coffee").out
        assert "All about q=coffee." in text
        returned = tenax.run("dead", "return", f"{site.url}/broken")
        assert returned.code == 0, returned.err
        tenax.crawl(search, *flags)
        assert site.sent()["/broken", "q=x"] == 2, "a person wanted it sent again"
    assert tenax.audit().code == 0


def test_an_archive_has_the_request_with_what_was_sent(tenax: Tenax) -> None:
    site = Library()
    with serving(site):
        for path in ("search", "see"):
            ended = tenax.crawl(f"{site.url}/{path}", "--post", "q=tea", "--delay", "0")
            assert ended.code == 0, ended.err
    assert tenax.run("export", "-o", "all.warc.gz").code == 0
    held = gzip.decompress((tenax.folder / "all.warc.gz").read_bytes()).decode()
    for path in ("search", "see"):
        start = held.index(f"POST /{path} HTTP/1.1\r\n")
        head, _, rest = held[start:].partition("\r\n\r\n")
        assert f"Content-Type: {FORM}" in head
        assert "Content-Length: 5" in head
        assert rest.startswith("q=tea\r\n\r\n")
    assert "GET /seen?q=tea HTTP/1.1" in held
    assert held.count("POST /") == 2
    taken = tenax.run(
        "import-warc", "all.warc.gz", "--data", "other", "--job", "tea", allow_private="127.0.0.1"
    )
    assert taken.code == 0, taken.err
    there = tenax.run("export", "--data", "other", "--fields", "final_url,sent").out.splitlines()
    pages = {(each["final_url"], each["sent"]) for each in map(json.loads, there)}
    assert {(f"{site.url}/search", "q=tea"), (f"{site.url}/seen?q=tea", "")} <= pages


def test_one_fetch_sends_and_a_kill_loses_nothing(tenax: Tenax) -> None:
    site = Library()
    with serving(site):
        search = f"{site.url}/search"
        got = tenax.run(
            "fetch", search, "--post", "q=now", "--delay", "0", allow_private="127.0.0.1"
        )
        assert (got.code, "All about q=now." in got.out) == (0, True)
        assert site.sent() == {("/search", "q=now"): 1}
        lines = [{"url": search, "method": "POST", "body": f"q={n}"} for n in range(40)]
        (tenax.folder / "seeds.jsonl").write_text("\n".join(map(json.dumps, lines)))
        order = ("--seeds", "seeds.jsonl", "--job", "many", "--delay", "0.02", "--max-depth", "0")
        running = tenax.start_crawl(*order)
        until(lambda: len(site.sent()) > 10, "some were sent")
        running.kill()
        assert tenax.crawl(*order).code == 0
        sent = site.sent()
        assert all(sent["/search", f"q={n}"] in (1, 2) for n in range(40)), "what was under way"
        assert sum(sent.values()) < 60
    pages = exported(tenax)
    assert [url for url, body in pages if not body] == []
    assert {body for _, body in pages} == {f"q={n}" for n in range(40)} | {"q=now"}
    assert tenax.audit().code == 0


def test_a_program_starts_from_a_form(tmp_path: Path) -> None:
    site = Library()

    async def main() -> list[str]:
        async with package.open(tmp_path, allow_private=("127.0.0.1",), pace__delay=0) as crawl:
            start = package.Post(f"{site.url}/search", "q=tea")
            titles = [page.title async for page in crawl.run(start, job="j", discover=())]
            one = await crawl.fetch(f"{site.url}/search", post="q=one")
            assert one.page is not None
            return [*titles, one.page.title]

    with serving(site):
        titles = asyncio.run(main())
    assert titles == ["About q=tea", "About /book/5", "About q=one"]


def test_a_fleet_on_postgresql_sends_each_once(tenax: Tenax) -> None:
    site, database = Library(), asyncio.run(empty_ledger())
    with serving(site):
        lines = [
            {"url": f"{site.url}/search", "method": "POST", "body": f"q={n}"} for n in range(20)
        ]
        (tenax.folder / "seeds.jsonl").write_text("\n".join(map(json.dumps, lines)))
        ended = tenax.crawl(
            "--seeds", "seeds.jsonl", "--processes", "2", "--delay", "0", "--max-depth", "0",
            database=database,
        )  # fmt: skip
        assert ended.code == 0, ended.err
        assert site.sent() == {("/search", f"q={n}"): 1 for n in range(20)}
    assert len(exported(tenax, database=database)) == 20


def test_flags_that_say_nothing_are_errors(tenax: Tenax) -> None:
    for words, told in (
        (("crawl", "--post", "q=tea"), "--post: where to? Name the URL"),
        (("crawl", "http://a.example/", "--content-type", "a/b"), "--content-type says what"),
        (("why", "http://a.example/", "--post", "x", "--content-type", ""), "use 1 to 255"),
        (("pages", "--post", "q=tea"), "use it with --text URL"),
    ):
        ended = tenax.run(*words, contact="mailto:test@example.org")
        assert (ended.code, told in ended.err) == (2, True), ended.err
