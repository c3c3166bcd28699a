"""Does `tenax serve` serve as users run it: a process, keys, signals, others beside it? (MODE-3)"""

from __future__ import annotations

import http.client
import json
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import services
from services.ports import free_ports
from tenax.demo import DemoWeb, Reply, SiteRequest, TreeSite, serving
from tests.asking import Answer
from tests.e2e.command import PATIENCE, Running, Tenax, until
from tests.live import own_service

GETS = (
    "/health", "/metrics", "/api/stats", "/api/frontier/stats", "/api/frontier/urls", "/api/pages",
    "/api/domains", "/api/jobs", "/api/jobs/tree", "/api/jobs/tree/progress", "/api/dead-letters",
    "/api/records", "/api/records/rates", "/api/products", "/api/workers", "/api/search?q=page",
    "/api/why?url=http://127.0.0.1:9/", "/api/sites", "/api/openapi.json",
)  # fmt: skip
OPEN = ("/health", "/api/stats")


class SickSite(TreeSite):
    """A site with a page that is given up."""

    def answer(self, request: SiteRequest) -> Reply:
        if request.path == "/p/3":
            return Reply(b"out of order", 500)
        return super().answer(request)


@dataclass
class Served:
    """A data folder with a crawl in it, a server on it, and a key of each role."""

    tenax: Tenax
    web: DemoWeb
    site: TreeSite
    port: int
    running: Running
    keys: dict[str, str] = field(default_factory=dict)
    _addresses: int = 1

    def ask(
        self, path: str, role: str = "user", method: str = "GET", body: object = None
    ) -> Answer:
        # Those without a key are counted by their address: each request has one of its own.
        self._addresses += 1
        high, low = divmod(self._addresses, 250)
        address = f"127.0.{high + 1}.{low + 1}"
        return ask(self.port, path, self.keys.get(role), method, body, address)


def ask(
    port: int,
    path: str,
    key: str | None = None,
    method: str = "GET",
    body: object = None,
    address: str = "127.0.0.1",
) -> Answer:
    connection = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=PATIENCE, source_address=(address, 0)
    )
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    data = None if body is None else json.dumps(body)
    if data is not None:
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, told, answer.read())
    finally:
        connection.close()


def start(tenax: Tenax, *flags: str, **settings: object) -> tuple[Running, int]:
    """A server that answers."""
    (port,) = free_ports(1)
    settings = {"allow_private": "127.0.0.1/32", "pace__delay": 0, **settings}
    running = tenax.start("serve", "--port", str(port), *flags, **settings)
    until(lambda: not running.is_alive or is_ready(port), "it is ready")
    assert running.is_alive, running.err
    return running, port


def is_ready(port: int) -> bool:
    try:
        return ask(port, "/health").status == 200
    except OSError:
        return False


def key(tenax: Tenax, name: str, role: str, **settings: object) -> str:
    ended = tenax.run("key", "api", "add", name, "--role", role, **settings)
    assert ended.code == 0, ended.err
    return ended.out.strip()


def state(tenax: Tenax, job: str) -> str:
    """As the ledger has it: whoever looks every few milliseconds would reach the limit."""
    ((found,),) = tenax.live(f"SELECT state FROM jobs WHERE name = '{job}'")
    return str(found)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One crawl and one server for all tests of this file; those that end a server start their
    own on the same folder."""
    tenax = Tenax(tmp_path_factory.mktemp("serve"))
    site, sick = TreeSite(pages=30), SickSite("sick", pages=8)
    try:
        with serving([site, sick]) as web:
            for job, url in (("tree", site.url), ("sick", sick.url)):
                ended = tenax.crawl(url, "--job", job, "--delay", "0", "--quiet", retry__attempts=1)
                assert ended.code == 0, ended.err
            running, port = start(tenax)
            keys = {role: key(tenax, role, role) for role in ("user", "admin")}
            yield Served(tenax, web, site, port, running, keys)
    finally:
        tenax.clean_up()


@pytest.mark.parametrize("path", GETS)
def test_every_get_is_for_users_and_two_are_for_everybody(served: Served, path: str) -> None:
    nobody = served.ask(path, "nobody")
    assert nobody.status == (200 if path in OPEN else 401)
    assert nobody.is_problem == (path not in OPEN)
    for role in ("user", "admin"):
        said = served.ask(path, role)
        assert said.status == 200, said.body
        assert said.headers["x-content-type-options"] == "nosniff"
        assert "server" not in said.headers


def test_the_routes_asked_here_are_all_there_are(served: Served) -> None:
    told = served.ask("/api/openapi.json").json
    assert told["openapi"].startswith("3.1")
    known = {path for path, verbs in told["paths"].items() if "get" in verbs}
    filled = {path.partition("?")[0].replace("jobs/tree", "jobs/{name}") for path in GETS}
    besides = {"/api/pages/{url_hash}", "/api/domains/{domain}", "/api/sites/{pattern}",
               "/api/products/{product_id}", "/api/products/{product_id}/prices",
               "/api/products/{product_id}/images/{position}", "/api/auth/me",
               "/api/records/{record_id}"}  # fmt: skip
    # Asked in tests/unit/api: test_auth, test_acts.
    besides |= {"/api/users", "/api/keys", "/api/acts", "/api/proxies", "/api/settings",
                "/api/find", "/api/live", "/api/visits", "/api/stats/timeseries",
                "/api/jobs/{name}/failures", "/api/dead-letters/counts",
                "/api/pages/{url_hash}/similar",
                # test_lists
                "/api/audit", "/api/products/prices", "/api/products/rates", "/api/why/path",
                "/api/jobs/{name}/rejections", "/api/jobs/{name}/shapes",
                "/api/domains/{domain}/timeline", "/api/domains/{domain}/shapes",
                "/api/domains/{domain}/robots", "/api/domains/{domain}/learned",
                "/api/alerts", "/api/alerts/rules",
                # test_records
                "/api/records", "/api/records/rates", "/api/records/{record_id}"}  # fmt: skip
    assert known == filled - {"/api/openapi.json"} | besides


def test_a_job_is_an_admins_from_its_creation_to_its_end(served: Served) -> None:
    wanted = {"name": "again", "seeds": [served.site.url], "max_pages": 5}
    for role, status in (("nobody", 401), ("user", 403), ("admin", 201), ("admin", 409)):
        assert served.ask("/api/jobs", role, "POST", wanted).status == status
    for act in ("start", "pause", "resume", "stop"):
        assert served.ask(f"/api/jobs/again/{act}", "user", "POST").status == 403
    assert served.ask("/api/jobs/again/pause", "admin", "POST").status == 409, "it is stopped"
    assert served.ask("/api/jobs/again/start", "admin", "POST").json["state"] == "running"
    # The workers beside the API take it up.
    until(lambda: state(served.tenax, "again") == "done", "it is done")
    assert served.ask("/api/jobs/again/progress").json["pages"] == 5
    assert served.ask("/api/jobs/again", "user", "DELETE").status == 403
    assert served.ask("/api/jobs/again", "admin", "DELETE").json["is_gone"]
    assert served.ask("/api/jobs/again").status == 404
    act = "api: key admin DELETE /api/jobs/again: 200"
    assert any(line.endswith(act) for line in served.running.err.splitlines())


def test_a_job_rests_and_goes_on_when_it_is_told(served: Served) -> None:
    wanted = {"name": "slow", "seeds": [served.site.url], "start": True}
    created = served.ask("/api/jobs", "admin", "POST", wanted)
    assert created.json["state"] == "running"
    paused = served.ask("/api/jobs/slow/pause", "admin", "POST")
    assert paused.json["state"] == "paused"
    assert served.ask("/api/jobs/slow/resume", "admin", "POST").json["state"] == "running"
    assert served.ask("/api/jobs/slow/stop", "admin", "POST").json["state"] == "stopped"
    until(lambda: leased(served.tenax) == 0, "nobody has any of it in hand")
    assert served.ask("/api/jobs/slow", "admin", "DELETE").json["is_gone"]


def test_lists_go_on_where_they_ended_and_end(served: Served) -> None:
    found: list[str] = []
    cursor = ""
    while True:
        said = served.ask(f"/api/pages?job=tree&limit=7{cursor}", "admin").json
        found += [page["url"] for page in said["items"]]
        if said["next"] is None:
            break
        cursor = f"&cursor={said['next']}"
    assert len(found) == len(set(found)) == served.site.pages


def test_a_page_is_text_or_bytes_to_be_saved_and_never_a_page(served: Served) -> None:
    (page,) = served.ask("/api/pages?limit=1").json["items"]
    path = f"/api/pages/{page['url_hash']}"
    told = served.ask(path).json
    assert told["url"] == page["url"]
    assert told["text"]
    markdown = served.ask(f"{path}?form=markdown")
    assert (markdown.status, markdown.headers["content-type"]) == (
        200,
        "text/markdown; charset=utf-8",
    )
    assert served.ask(f"{path}/similar").json == {"items": [], "next": None}
    text = served.ask(f"{path}?form=text")
    assert text.headers["content-type"].startswith("text/plain")
    assert text.body.decode() == told["text"]
    body = served.ask(f"{path}?form=body")
    assert body.headers["content-type"] == "application/octet-stream"
    assert b"<html" in body.body
    for said in (text, body):
        assert said.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in said.headers["content-security-policy"]


def test_dead_letters_are_returned_by_admins(served: Served) -> None:
    (letter,) = served.ask("/api/dead-letters").json["items"]
    assert letter["job"] == "sick"
    body = {"ids": [letter["target_id"]]}
    assert served.ask("/api/dead-letters/return", "user", "POST", body).status == 403
    said = served.ask("/api/dead-letters/return", "admin", "POST", body)
    assert said.json == {"returned": 1, "jobs": {"sick": 1}, "not_found": []}
    assert served.ask("/api/dead-letters").json["items"] == []


def test_search_why_and_hosts_tell_of_the_crawl(served: Served) -> None:
    (page,) = served.ask("/api/pages?limit=1").json["items"]
    word = re.findall(r"[a-z]{4,}", page["title"].lower())[0]
    assert served.ask(f"/api/search?q={word}").json["total"] > 0
    story = served.ask(f"/api/why?url={page['url']}&job=tree").json
    assert story["jobs"][0]["answer"].startswith("fetched and stored")
    host = page["url"].split("/")[2]
    assert served.ask(f"/api/domains/{host}").json["host"]["name"] == host
    assert host in {each["host"]["name"] for each in served.ask("/api/domains").json["items"]}


def test_metrics_are_those_of_the_ledger_without_a_url(served: Served) -> None:
    until(lambda: served.running.pid in workers(served.tenax), "its workers have joined")
    said = served.ask("/metrics")
    assert said.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    told = said.body.decode()
    found = dict(re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", told, re.M))
    assert float(found["crawler_ledger_pages"]) >= served.site.pages
    assert float(found['crawler_frontier_size{state="done"}']) >= served.site.pages
    assert float(found["crawler_active_workers"]) >= 1
    assert "://" not in told
    assert "127.0.0.1" not in told


@pytest.mark.parametrize(
    "path",
    [
        "/api/pages/..%2f..%2f..%2fetc%2fpasswd",
        "/api/pages/%00",
        "/api/pages/" + "g" * 64,
        "/api/jobs/'%3BDROP%20TABLE%20jobs%3B--",
        "/api/domains/" + "a" * 3_000,
        "/api/pages?cursor=' OR 1=1".replace(" ", "%20"),
        "/" + "x" * 30_000,
    ],
)
def test_hostile_input_is_a_problem_and_nothing_breaks(served: Served, path: str) -> None:
    said = served.ask(path, "admin")
    assert 400 <= said.status < 500
    assert said.is_problem
    assert b"Traceback" not in said.body
    assert "Traceback" not in served.running.err


def test_keys_are_shown_once_and_stored_as_hashes(served: Served) -> None:
    tenax = served.tenax
    secret = key(tenax, "passing", "user")
    assert ask(served.port, "/api/jobs", secret).status == 200
    listed = tenax.run("key", "api", "--json")
    assert {json.loads(line)["name"] for line in listed.out.splitlines()} >= {"passing", "admin"}
    assert secret not in listed.out
    again = tenax.run("key", "api", "add", "passing", "--role", "admin")
    assert again.code == 2
    assert "revoke passing" in again.err
    written = b"".join(file.read_bytes() for file in tenax.data.glob("ledger.db*"))
    assert secret.encode() not in written
    assert tenax.run("key", "api", "revoke", "passing").code == 0
    assert ask(served.port, "/api/jobs", secret).status == 401
    assert tenax.run("key", "api", "revoke", "passing").code == 1


def test_a_port_that_is_taken_is_told(served: Served) -> None:
    ended = served.tenax.run("serve", "--port", str(served.port))
    assert ended.code == 3
    assert f"127.0.0.1:{served.port} cannot be listened on" in ended.err
    assert "--port" in ended.err
    assert "Traceback" not in ended.err


def test_it_listens_where_only_this_machine_reaches_it(served: Served) -> None:
    hexed = f"{served.port:04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines()
    listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    assert [each for each in listening if each.endswith(f":{hexed}")] == [f"0100007F:{hexed}"]
    others = Path("/proc/net/tcp6")
    assert not others.exists() or f":{hexed} " not in others.read_text()


@pytest.mark.alone
def test_told_to_end_it_hands_back_what_it_holds_within_ten_seconds(tenax: Tenax) -> None:
    running, port = start(tenax, pace__delay=1)
    admin = key(tenax, "admin", "admin")
    site = TreeSite(pages=30)
    with serving([site]):
        wanted = {"name": "tree", "seeds": [site.url], "start": True}
        assert ask(port, "/api/jobs", admin, "POST", wanted).status == 201
        until(lambda: leased(tenax) > 0, "its workers have something in hand")
        took = told_to_end(running, port)
    assert took < 10
    assert leased(tenax) == 0
    assert tenax.live("SELECT * FROM assignments") == []
    assert tenax.live("SELECT * FROM workers") == []
    assert state(tenax, "tree") == "running", "the next worker goes on with it"


@pytest.mark.alone
def test_without_workers_it_works_on_nothing_and_ends_as_soon(served: Served) -> None:
    running, port = start(served.tenax, "--no-workers")
    until(lambda: served.running.pid in workers(served.tenax), "the one with workers has joined")
    assert running.pid not in workers(served.tenax)
    assert told_to_end(running, port) < 10


def told_to_end(running: Running, port: int) -> float:
    """How long it takes, although somebody keeps a connection open."""
    idle = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    idle.request("GET", "/health")
    idle.getresponse().read()
    begun = time.monotonic()
    running.interrupt(signal.SIGTERM)
    ended = running.wait()
    took = time.monotonic() - begun
    idle.close()
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    return took


def workers(tenax: Tenax) -> set[int]:
    return {pid for (pid,) in tenax.live("SELECT pid FROM workers")}


def leased(tenax: Tenax) -> int:
    ((count,),) = tenax.live("SELECT COUNT(*) FROM targets WHERE lease_id IS NOT NULL")
    return int(count)


def test_two_servers_and_a_worker_share_a_ledger(served: Served) -> None:
    tenax = served.tenax
    other, port = start(tenax, "--no-workers")
    worker = tenax.start("worker", "--quiet", allow_private="127.0.0.1/32", pace__delay=0)
    admin = served.keys["admin"]
    until(lambda: worker.crawler in workers(tenax), "the worker has joined")
    wanted = {"name": "shared", "seeds": [served.site.url], "start": True}
    assert ask(port, "/api/jobs", admin, "POST", wanted).status == 201
    until(lambda: state(tenax, "shared") == "done", "the job is done")
    for each in (port, served.port):
        assert ask(each, "/api/jobs/shared", admin).json["pages"] == served.site.pages
    pids = {each["pid"] for each in ask(port, "/api/workers", admin).json["items"]}
    assert {worker.crawler, served.running.pid} <= pids
    for running in (worker, other):
        running.interrupt(signal.SIGTERM)
        assert running.wait().code == 0
    assert ask(served.port, "/api/jobs/shared", admin, "DELETE").status == 200
    assert tenax.run("audit").code == 0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[services.Service]:
    with own_service("postgres", tmp_path / "server") as own:
        yield own


@pytest.mark.alone
def test_while_postgresql_is_away_it_says_so_and_ends_in_ten_seconds(
    tenax: Tenax, server: services.Service
) -> None:
    url = server.url
    assert tenax.run("db", "upgrade", database=url).code == 0
    admin = key(tenax, "admin", "admin", database=url)
    running, port = start(tenax, database=url)
    site = TreeSite(pages=400, delay=0.2)
    with serving([site]) as web:
        wanted = {"name": "tree", "seeds": [site.url], "start": True}
        assert ask(port, "/api/jobs", admin, "POST", wanted).status == 201
        until(lambda: len(web.log) > 20, "it crawls")
        server.stop()
        until(lambda: ask(port, "/health").status == 503, "it has noticed")
        assert ask(port, "/health").json["parts"]["ledger"] == "away"
        begun = time.monotonic()
        running.interrupt(signal.SIGTERM)
        ended = running.wait()
        took = time.monotonic() - begun
    assert took < 10
    assert ended.code in (0, 3), ended.err
    assert "Traceback" not in ended.err
