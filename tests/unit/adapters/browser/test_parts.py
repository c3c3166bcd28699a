"""Do the parts of the browser that need no browser do their work? FE-10, SEC-1."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.adapters.browser import chromium, watch
from tenax.adapters.browser.document import Head, is_wanted, read_head, request_headers
from tenax.adapters.browser.faults import fault_of
from tenax.adapters.browser.heads import Malformed, as_last, end_of_head, is_interim, read_ask
from tenax.adapters.browser.policy import BrowserPolicy, worn
from tenax.model import Fault, Headers, Request

# -- When is a browser worn out?

FRESH = {"pages": 0, "age": 0.0, "memory": 0, "errors": 0}


def test_a_fresh_browser_may_go_on() -> None:
    assert worn(BrowserPolicy(), **FRESH) == ""  # type: ignore[arg-type]  # one mapping for all


@pytest.mark.parametrize(
    ("what", "last_good", "first_bad"),
    [
        ("pages", 49, 50),
        ("age", 599.9, 600.0),
        ("memory", 2**30 - 1, 2**30),
        ("errors", 2, 3),
    ],
)
def test_a_browser_is_worn_at_its_limit_and_not_before(
    what: str, last_good: float, first_bad: float
) -> None:
    assert worn(BrowserPolicy(), **{**FRESH, what: last_good}) == ""  # type: ignore[arg-type]
    assert worn(BrowserPolicy(), **{**FRESH, what: first_bad})  # type: ignore[arg-type]


# -- Which fault is it?


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("net::ERR_NAME_NOT_RESOLVED", Fault.DNS),
        ("net::ERR_CONNECTION_REFUSED", Fault.CONNECT_REFUSED),
        ("net::ERR_CONNECTION_TIMED_OUT", Fault.CONNECT_TIMEOUT),
        ("net::ERR_TIMED_OUT", Fault.READ_TIMEOUT),
        ("net::ERR_CONNECTION_RESET", Fault.RESET),
        ("net::ERR_EMPTY_RESPONSE", Fault.RESET),
        ("net::ERR_CONTENT_LENGTH_MISMATCH", Fault.RESET),
        ("net::ERR_INCOMPLETE_CHUNKED_ENCODING", Fault.RESET),
        ("net::ERR_CERT_DATE_INVALID", Fault.TLS),
        ("net::ERR_SSL_PROTOCOL_ERROR", Fault.TLS),
        ("net::ERR_CONTENT_DECODING_FAILED", Fault.ENCODING),
        ("net::ERR_INVALID_HTTP_RESPONSE", Fault.PROTOCOL),
        ("net::ERR_HTTP2_PROTOCOL_ERROR", Fault.PROTOCOL),
        ("net::ERR_UNSAFE_PORT", Fault.PROTOCOL),
        ("Page.goto: net::ERR_TOO_MANY_REDIRECTS at http://a/", Fault.TOO_MANY_REDIRECTS),
        ("net::ERR_FAILED", Fault.RESET),
        ("net::ERR_TUNNEL_CONNECTION_FAILED", Fault.INTERNAL),
        ("net::ERR_NEVER_SEEN", Fault.INTERNAL),
        ("something else", Fault.INTERNAL),
    ],
)
def test_what_chromium_says_has_a_fault(text: str, fault: Fault) -> None:
    assert fault_of(text) == fault


# -- What a request to the proxy asks for


def test_a_plain_request_becomes_one_for_the_origin() -> None:
    ask = read_ask(
        b"GET http://A.example:8080/x?y HTTP/1.1\r\nHost: a.example:8080\r\n"
        b"Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic secret\r\nX: y\r\n\r\n"
    )
    assert (ask.place, ask.credentials, ask.body_bytes) == (("a.example", 8080), "Basic secret", 0)
    assert ask.forwarded() == (
        b"GET /x?y HTTP/1.1\r\nHost: a.example:8080\r\nX: y\r\nConnection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("line", "place", "target"),
    [
        (b"CONNECT a.example:443", ("a.example", 443), ""),
        (b"CONNECT [::1]:8443", ("::1", 8443), ""),
        (b"GET http://a.example", ("a.example", 80), "/"),
        (b"GET http://a.example?b", ("a.example", 80), "/?b"),
        (b"POST http://[fe80::1]:81/", ("fe80::1", 81), "/"),
    ],
)
def test_a_request_names_its_place(line: bytes, place: tuple[str, int], target: str) -> None:
    ask = read_ask(line + b" HTTP/1.1\r\n\r\n")
    assert (ask.place, ask.target) == (place, target)


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1",
        b"GET https://a.example/ HTTP/1.1",
        b"GET ftp://a.example/ HTTP/1.1",
        b"GET file:///etc/passwd HTTP/1.1",
        b"GET http://user@a.example/ HTTP/1.1",
        b"GET http://a.example/ HTTP/2",
        b"GET http://a.example:0/ HTTP/1.1",
        b"GET http://a.example:65536/ HTTP/1.1",
        b"CONNECT a.example:99999 HTTP/1.1",
        b"CONNECT a b HTTP/1.1",
        b"POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked",
        b"POST http://a.example/ HTTP/1.1\r\nContent-Length: -1",
        b"",
    ],
)
def test_what_no_browser_sends_is_refused(head: bytes) -> None:
    with pytest.raises(Malformed):
        read_ask(head + b"\r\n\r\n")


WORDS = (
    b"GET", b"CONNECT", b" ", b"http://", b"a.example", b":", b"80", b"/", b"@", b"[", b"]",
    b"HTTP/1.1", b"\r\n", b"Content-Length: 5",
)  # fmt: skip


@given(st.binary(max_size=200) | st.lists(st.sampled_from(WORDS)).map(b"".join))
def test_whatever_is_sent_is_read_or_refused(noise: bytes) -> None:
    try:
        ask = read_ask(noise + b"\r\n\r\n")
    except Malformed:
        return
    assert ask.place[0]
    assert 0 < ask.place[1] < 65_536


def test_an_answer_says_that_it_is_the_last_one() -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nA: b\r\nKeep-Alive: timeout=5\r\n\r\n"
    assert as_last(head) == b"HTTP/1.1 200 OK\nConnection: close\r\nA: b\r\n\r\n".replace(
        b"OK\n", b"OK\r\n"
    )


@pytest.mark.parametrize("end", [b"\r\n\r\n", b"\n\n", b"\n\r\n"])
def test_the_end_of_a_head_is_found_as_browsers_find_it(end: bytes) -> None:
    assert end_of_head(b"HTTP/1.1 200 OK" + end + b"body") == len(b"HTTP/1.1 200 OK" + end)
    assert end_of_head(b"HTTP/1.1 200 OK\r\n") == 0


@pytest.mark.parametrize(("status", "more"), [(100, True), (103, True), (101, False), (200, False)])
def test_another_head_follows_an_interim_one(status: int, more: bool) -> None:
    assert is_interim(b"HTTP/1.1 %d X\r\n\r\n" % status) is more


# -- The document's request and answer


def test_the_head_of_an_answer_loses_what_was_true_only_on_the_wire() -> None:
    pairs = {"Content-Encoding": "br", "Content-Length": "9", "X": "y", "Content-Type": "text/HTML"}
    entries = [{"name": name, "value": value} for name, value in pairs.items()]
    head = read_head({"responseStatusCode": 200, "responseHeaders": entries})
    assert head.headers.pairs == (("X", "y"), ("Content-Type", "text/HTML"))
    assert (head.length, head.media_type, head.is_page) == (9, "text/html", True)
    assert head.as_text().headers.get("content-type") == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("headers", "is_page"),
    [
        ((("Content-Type", "text/html"),), True),
        ((("Content-Type", "application/xhtml+xml; charset=x"),), True),
        ((("Content-Type", "text/html"), ("Content-Disposition", "Attachment; x")), False),
        ((("Content-Type", "text/html"), ("Content-Disposition", "inline")), True),
        ((("Content-Type", "text/plain"),), False),
        ((), False),
    ],
)
def test_a_page_is_what_would_be_shown_as_one(
    headers: tuple[tuple[str, str], ...], is_page: bool
) -> None:
    assert Head(200, Headers(headers)).is_page is is_page


def test_headers_that_are_chromiums_business_stay_its_own() -> None:
    event = {"request": {"headers": {"Accept": "own", "User-Agent": "set on the context"}}}
    given = (("accept", "asked for"), ("Host", "x"), ("Sec-Fetch-Mode", "cors"), ("Cookie", "a=b"))
    sent = request_headers(event, Request("http://a.example/", headers=given))
    assert sent == [
        {"name": "accept", "value": "asked for"},
        {"name": "User-Agent", "value": "set on the context"},
    ]


@pytest.mark.parametrize(
    ("kind", "accept", "wanted"),
    [
        ("Image", "image/avif", False),
        ("Font", "*/*", False),
        ("Other", "image/avif,image/webp", False),
        ("Other", "*/*", True),
    ],
)
def test_icons_are_not_wanted_and_workers_are(kind: str, accept: str, wanted: bool) -> None:
    event = {"resourceType": kind, "request": {"headers": {"Accept": accept}}}
    assert is_wanted(event) is wanted


# -- Which Chromium, and how it is started


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_chromium_is_found_in_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = program(tmp_path / "chromium-browser", "true")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert chromium.find() == expected


def test_the_one_named_is_taken_or_none(tmp_path: Path) -> None:
    named = program(tmp_path / "my-chrome", "true")
    assert chromium.find(named) == named
    assert chromium.find(str(tmp_path / "nothing")) is None
    assert str(tmp_path / "nothing") in chromium.missing(str(tmp_path / "nothing"))
    assert "apt install chromium" in chromium.missing()


def test_a_version_is_what_the_program_says(tmp_path: Path) -> None:
    talks = program(tmp_path / "chrome", "echo noise >&2; echo Google Chrome 140.0.1.2 unknown")
    assert chromium.version(talks) == "Google Chrome 140.0.1.2"
    with pytest.raises(OSError, match="use snap"):
        chromium.version(program(tmp_path / "stub", "echo use snap >&2; exit 1"))


def test_no_argument_of_the_user_undoes_the_proxy(tmp_path: Path) -> None:
    """The last one counts."""
    policy = BrowserPolicy(arguments=("--proxy-server=direct://", "--user-data-dir=/home/me"))
    line = chromium.arguments(policy, tmp_path, "http://127.0.0.1:1")
    last = {argument.partition("=")[0]: argument for argument in line}
    assert last["--proxy-server"] == "--proxy-server=http://127.0.0.1:1"
    assert last["--user-data-dir"] == f"--user-data-dir={tmp_path}"


@pytest.mark.parametrize(
    ("user", "sandbox", "boxed"), [(1000, True, True), (1000, False, False), (0, True, False)]
)
def test_the_sandbox_is_off_only_for_root_or_on_request(
    monkeypatch: pytest.MonkeyPatch, user: int, sandbox: bool, boxed: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    line = chromium.arguments(BrowserPolicy(sandbox=sandbox), Path("/p"), "http://127.0.0.1:1")
    assert ("--no-sandbox" not in line) is boxed


def test_the_browser_inherits_no_secrets_and_no_home(tmp_path: Path) -> None:
    ours = {"PATH": "/bin", "HOME": "/home/me", "TENAX_SECRET_KEY": "x", "http_proxy": "y"}
    theirs = chromium.environment(tmp_path, ours)
    assert theirs["PATH"] == "/bin"
    assert theirs["HOME"] == str(tmp_path)
    assert not {"TENAX_SECRET_KEY", "http_proxy"} & set(theirs)


# -- Processes, and their end


_SLEEPS = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]


def _until_it_runs(process: subprocess.Popen[bytes]) -> None:
    """For a moment after it was started, a process has no command line to be known by."""
    assert process.stdout is not None
    process.stdout.readline()


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that names the folder, in a session of its own."""
    program = [*_SLEEPS, f"{tmp_path}/profile"]
    with subprocess.Popen(program, start_new_session=True, stdout=subprocess.PIPE) as process:
        _until_it_runs(process)
        yield process
        process.kill()


def test_a_process_is_found_by_the_folder_it_names(
    sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    environment = {**os.environ, "HOME": f"{tmp_path}/home"}
    with subprocess.Popen(_SLEEPS, env=environment, stdout=subprocess.PIPE) as by_environment:
        try:
            _until_it_runs(by_environment)
            assert watch.members(str(tmp_path)) == {sleeper.pid, by_environment.pid}
            assert watch.members(str(tmp_path)[:-1]) == set()
            assert watch.memory(str(tmp_path)) > 1_000_000
        finally:
            by_environment.kill()


def test_sweeping_ends_the_processes_and_removes_the_folder(
    sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    assert watch.sweep(str(tmp_path))
    assert sleeper.wait(5) < 0
    assert not tmp_path.exists()


@pytest.mark.parametrize("last_words", [watch.FAREWELL, b"", b"all clo"])
def test_the_watcher_sweeps_when_its_pipe_ends(
    sleeper: subprocess.Popen[bytes], tmp_path: Path, last_words: bytes
) -> None:
    program = [sys.executable, "-I", "-S", watch.__file__, str(tmp_path)]
    assert subprocess.run(program, input=last_words, timeout=30).returncode == 0
    assert sleeper.wait(10) < 0
    assert not tmp_path.exists()
