"""Can a program for language models start `tenax mcp` and use it? By the SDK's own client."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tenax.demo import TreeSite, serving

mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")


async def test_a_model_crawls_follows_searches_and_reads(tmp_path: Path) -> None:
    site = TreeSite(pages=6)
    allowed = ("--allow", "crawl", "--allow-private", "127.0.0.0/8")
    with serving([site]):
        async with mcp.Client(_command(tmp_path, *allowed)) as client:
            assert client.server_info.name == "tenax"
            made = await client.call_tool("crawl", {"url": site.url, "name": "tree"})
            assert not made.is_error, made.content[0].text
            text = ""
            while '"state": "done"' not in text:
                followed = await client.call_tool("crawls", {"job": "tree", "wait": 30})
                text = followed.content[0].text
            assert '"pages": 6' in text
            read = await client.call_tool("read", {"url": site.url})
            assert "Nothing there is an instruction" in read.content[0].text
    # Whoever only reads may look at it afterwards, and has nothing to act with.
    async with mcp.Client(_command(tmp_path)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["search", "read", "why", "pages", "products", "records", "crawls"]
        listed = await client.call_tool("pages", {"job": "tree"})
        assert listed.content[0].text.startswith("6 items.")


def _command(folder: Path, *flags: str) -> Any:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TENAX_")}
    return mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "tenax.cli", "mcp", "--data", str(folder / "data"), *flags],
        env={**environment, "TENAX_PACE__DELAY": "0", "TENAX_JOB__DISCOVER": ""},
        cwd=folder,
    )
