"""What does the transport keep of an answer it has handed on? Nothing."""

from __future__ import annotations

import gc

from tenax.adapters.libcurl.http import HttpTransport, _Answer
from tenax.model import Request, Response
from tests.servers import Server, answer


async def test_an_idle_handle_keeps_no_answer_alive() -> None:
    """Hundreds of them may wait for their next request, and a body has up to ten megabytes."""
    gc.collect()  # what other tests left
    transport = HttpTransport(judge=lambda _: None)
    try:
        async with Server({"/": answer(b"<p>a page")}) as server:
            response = await transport.send(Request(server.url()))
        assert isinstance(response, Response)
        assert response.body == b"<p>a page"
        # Not isinstance: that asks each object's __class__, and Celery's proxies compute theirs.
        assert [each for each in gc.get_objects() if type(each) is _Answer] == []
    finally:
        await transport.close()
