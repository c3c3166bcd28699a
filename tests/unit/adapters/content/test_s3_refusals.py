"""What is said when an S3 server answers, and refuses? No real one says all of it on request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from hashlib import sha256

import pytest

from tenax.adapters.content.s3 import Bucket, S3ContentStore
from tenax.ports import Unavailable, Unusable

BODY = b"body"
DIGEST = sha256(BODY).digest()
ASKED: dict[str, Callable[[S3ContentStore], Awaitable[object]]] = {
    "put": lambda store: store.put([(DIGEST, BODY)]),
    "get": lambda store: store.get(DIGEST),
    "missing": lambda store: store.missing([DIGEST]),
}


@asynccontextmanager
async def answering(status: str, word: str) -> AsyncIterator[S3ContentStore]:
    """A store whose server always says the same; no word where it says nothing besides."""
    body = f"<Error><Code>{word}</Code></Error>".encode() if word else b""
    answer = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(answer.encode() + (b"" if head.startswith(b"HEAD") else body))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    store = S3ContentStore(Bucket("b", "p", f"http://127.0.0.1:{port}", "us-east-1"))
    try:
        yield store
    finally:
        await store.close()
        server.close()


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "me")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize(
    ("status", "word", "advice"),
    [
        ("403 Forbidden", "AccessDenied", "an account that may"),
        ("403 Forbidden", "", "an account that may"),
        ("401 Unauthorized", "", "an account that may"),
        ("400 Bad Request", "ExpiredToken", "AWS_SESSION_TOKEN"),
        ("403 Forbidden", "RequestTimeTooSkewed", "clock"),
        ("400 Bad Request", "AuthorizationHeaderMalformed", "region"),
        ("301 Moved Permanently", "PermanentRedirect", "region"),
    ],
)
async def test_what_a_person_has_to_mend_is_not_waited_for(
    status: str, word: str, advice: str, ask: str
) -> None:
    async with answering(status, word) as store:
        with pytest.raises(Unusable, match=advice) as caught:
            await ASKED[ask](store)
    assert "hush" not in str(caught.value)


async def test_a_server_that_knows_no_objects_is_no_bug_of_ours() -> None:
    """As any web server at a wrong endpoint."""
    async with answering("404 Not Found", "") as store:
        with pytest.raises(Unusable, match="endpoint"):
            await store.put([(DIGEST, BODY)])


async def test_a_server_that_is_busy_is_waited_for() -> None:
    async with answering("503 Slow Down", "SlowDown") as store:
        with pytest.raises(Unavailable, match="SlowDown") as caught:
            await store.put([(DIGEST, BODY)])
    assert not isinstance(caught.value, Unusable)
