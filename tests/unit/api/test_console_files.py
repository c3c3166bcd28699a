"""Are the console's files served as they should be, and to everybody? And what without them?"""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from tenax.api import console_files, problems
from tenax.api.envelope import Envelope
from tenax.api.guard import Doors, RouteGuard
from tests.asking import Asker, ask, opened

ROOT = Path(__file__).parents[3]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
SCRIPT = "main-ABCD1234.js"
GZIPPED = gzip.compress(b"script", mtime=0)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "console"
    (folder / "assets").mkdir(parents=True)
    for name, body in {
        "index.html": b"<title>Tenax</title>",
        f"assets/{SCRIPT}": b"script",
        "assets/LICENSES.txt": b"MIT",
        "assets/inter-ABCD1234.woff2": b"font",
    }.items():
        (folder / name).write_bytes(body)
    (folder / f"assets/{SCRIPT}.br").write_bytes(b"brotli")
    (folder / f"assets/{SCRIPT}.gz").write_bytes(GZIPPED)
    return folder


@pytest.fixture
async def api(tmp_path: Path, built: Path) -> AsyncIterator[FastAPI]:
    async with opened(tmp_path) as made:
        api = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        api.state.guard = RouteGuard(made)
        problems.install(api)
        console_files.add(Doors(api), built)
        api.add_middleware(Envelope)
        yield api


async def test_every_page_is_the_same_file_under_a_strict_policy(api: FastAPI) -> None:
    pages = [f"/{first}" for first in console_files.PAGES]
    for path in ("/", "/?range=1h", "/jobs/a%2Fb", "/url?u=https%3A%2F%2Fx%2F%3Fa%3D1", *pages):
        answer = await ask(api, path)
        assert (answer.status, answer.body) == (200, b"<title>Tenax</title>"), path
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_what_changes_its_name_with_its_content_is_kept_for_ever(api: FastAPI) -> None:
    script = await ask(api, f"/assets/{SCRIPT}")
    assert (script.body, script.headers["content-type"]) == (
        b"script",
        "text/javascript; charset=utf-8",
    )
    assert script.headers["cache-control"] == "max-age=31536000, immutable"
    assert (await ask(api, "/assets/LICENSES.txt")).headers["cache-control"] == "no-cache"
    font = await ask(api, "/assets/inter-ABCD1234.woff2")
    assert font.headers["content-type"] == "font/woff2"


@pytest.mark.parametrize(
    ("accepted", "encoding", "body"),
    [
        ("gzip, br", "br", b"brotli"),
        ("gzip", "gzip", GZIPPED),
        ("br;q=0, gzip;q=0.5", "gzip", GZIPPED),
        ("identity", None, b"script"),
    ],
)
async def test_what_is_compressed_goes_to_those_who_can_read_it(
    api: FastAPI, accepted: str, encoding: str | None, body: bytes
) -> None:
    answer = await ask(api, f"/assets/{SCRIPT}", headers={"accept-encoding": accepted})
    assert (answer.headers.get("content-encoding"), len(answer.body)) == (encoding, len(body))
    assert answer.headers["vary"] == "Accept-Encoding"


async def test_nothing_else_is_served(api: FastAPI) -> None:
    for path in ("/assets/main.js", "/assets/..%2findex.html", "/nowhere", "/jobsx", "/api/x"):
        answer = await ask(api, path)
        assert answer.status == 404, path
        assert answer.headers["content-security-policy"].startswith("default-src 'none'"), path
        assert answer.headers["cache-control"] == "no-store", path
    assert (await ask(api, "/jobs", "POST")).status == 405


async def test_what_is_built_anew_is_served_anew(api: FastAPI, built: Path) -> None:
    assert (await ask(api, f"/assets/{SCRIPT}")).status == 200
    (built / f"assets/{SCRIPT}").unlink()
    (built / "assets/main-EFGH5678.js").write_bytes(b"newer")
    index = built / "index.html"
    index.write_bytes(b"newer")
    index.touch()
    assert (await ask(api, "/")).body == b"newer"
    assert (await ask(api, "/assets/main-EFGH5678.js")).body == b"newer"
    assert (await ask(api, f"/assets/{SCRIPT}")).status == 404


async def test_without_files_the_api_works_and_the_page_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as made:
        api = FastAPI()
        api.state.guard = RouteGuard(made)
        console_files.add(Doors(api), tmp_path / "never built")
        answer = await ask(api, "/")
        assert answer.status == 404
        assert b"make console" in answer.body
        whole = Asker(made).api
        for _ in range(50):  # nobody is counted who asks for a page
            assert (await ask(whole, "/jobs")).status in (200, 404)
        assert (await ask(whole, "/api/stats")).status == 200


def test_what_the_console_has_to_show_is_held_by_tests_that_are_there() -> None:
    told = next((ROOT / "docs/decisions").glob("0035-*.md")).read_text()
    named = set(re.findall(r"`(test_\w+)`", told))
    files = [*(ROOT / "tests/e2e").glob("test_console*.py"), ROOT / "tests/unit/api/test_live.py"]
    there = set(re.findall(r"def (test_\w+)", "".join(file.read_text() for file in files)))
    assert named <= there
    rows = [line for line in told.splitlines() if line.startswith("| ") and "`test_" in line]
    assert len(rows) >= 29


def test_the_pages_are_those_of_the_console() -> None:
    routes = (ROOT / "console/src/routes.ts").read_text()
    first = set(re.findall(r'^ *\["/([a-z]*)', routes, re.M)) - {""}
    assert first <= set(console_files.PAGES)
