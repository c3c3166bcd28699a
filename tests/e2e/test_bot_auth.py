"""Do sites get signed requests that they can verify? And is who we are asked for first? (ROB-6)"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.command import Ended, Tenax
from tests.servers import Asked, Script, Server, answer, self_signed
from tests.verifier import Rejected, verify_directory, verify_request

AGENT = "https://bot.example.org"
SITE: Mapping[str, Script] = {
    "/robots.txt": answer(b"User-agent: *\nAllow: /\n", content_type="text/plain"),
    "/": answer(b"<p>Home <a href=/moved>moved</a> <a href=/last>last</a></p>"),
    "/moved": answer(status="302 Found", headers={"Location": "/here"}),
    "/here": answer(b"<p>Here it is.</p>"),
    "/last": answer(b"<p>The last page.</p>"),
}
PATHS = ["/", "/here", "/last", "/moved", "/robots.txt"]


async def crawl(tenax: Tenax, server: Server, *flags: str, **settings: object) -> Ended:
    flags = ("--delay", "0", *flags)
    return await asyncio.to_thread(tenax.crawl, server.url(), *flags, **settings)


def key(tenax: Tenax, *flags: str, **settings: object) -> Ended:
    return tenax.run("key", "bot", *flags, **settings)


def public_keys(tenax: Tenax) -> dict[str, bytes]:
    """By thumbprint, as published."""
    document = json.loads(key(tenax, "--directory").out)
    return {jwk["kid"]: urlsafe_b64decode(jwk["x"] + "=") for jwk in document["keys"]}


def authority(asked: Asked) -> str:
    return asked.header("host") or ""


async def test_a_site_can_verify_every_request_of_a_crawl_over_https(
    tenax: Tenax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """robots.txt and redirects included, each with a signature of its own."""
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.path))
    key(tenax)
    keys = public_keys(tenax)
    file = str(tenax.data / "bot-key.pem")
    async with Server(SITE, tls=certificate.context()) as server:
        ended = await crawl(tenax, server, bot_auth__key=file, bot_auth__agent=AGENT)
    assert ended.code == 0, ended.err
    assert sorted(asked.target for asked in server.asked) == PATHS
    nonces = set()
    for asked in server.asked:
        found = verify_request(asked.headers, authority(asked), keys, time.time())
        assert found.agent == AGENT
        assert found.covered == ('"@authority"', '"signature-agent";key="sig1"')
        nonces.add(found.parameters["nonce"])
        with pytest.raises(Rejected, match="not the key's"):
            verify_request(asked.headers, "evil.example", keys, time.time())
    assert len(nonces) == len(server.asked)


async def test_plain_http_is_signed_only_when_told_so(tenax: Tenax) -> None:
    key(tenax)
    named = {"bot_auth__key": str(tenax.data / "bot-key.pem"), "bot_auth__agent": AGENT}
    async with Server(SITE) as unsigned:
        await crawl(tenax, unsigned, **named)
    async with Server(SITE) as signed:
        await crawl(tenax, signed, **named, bot_auth__over_http="true", bot_auth__legacy="true")
    assert len(unsigned.asked) == len(signed.asked) == len(PATHS)
    assert {asked.header("signature") for asked in unsigned.asked} == {None}
    keys = public_keys(tenax)
    for asked in signed.asked:
        assert asked.header("signature-agent") == f'"{AGENT}"'
        assert verify_request(asked.headers, authority(asked), keys, time.time()).agent == AGENT


async def test_without_a_key_nothing_is_signed(tenax: Tenax) -> None:
    async with Server(SITE) as server:
        await crawl(tenax, server, bot_auth__agent=AGENT, bot_auth__over_http="true")
    assert {asked.header("signature-input") for asked in server.asked} == {None}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"bot_auth__agent": AGENT, "bot_auth__key": "gone.pem"}, "gone.pem: no such file"),
        ({"bot_auth__key": "KEY"}, "bot_auth.agent: '' is not an https origin"),
        (
            {"bot_auth__agent": "http://bot.example.org", "bot_auth__key": "KEY"},
            "bot_auth.agent: 'http://bot.example.org' is not an https origin",
        ),
        (
            {"bot_auth__expires": "0"},
            "bot_auth.expires = 0 (environment): must be at least 1",
        ),
    ],
)
async def test_a_signature_that_could_not_be_made_stops_the_crawl_before_it_starts(
    tenax: Tenax, settings: dict[str, str], says: str
) -> None:
    key(tenax)
    named = {name: value.replace("KEY", f"{tenax.data}/bot-key.pem") for name, value in
             settings.items()}  # fmt: skip
    async with Server(SITE) as server:
        ended = await crawl(tenax, server, **named)
    assert ended.code == 2
    assert says in ended.err
    assert "Traceback" not in ended.err
    assert server.asked == []


def test_a_key_is_made_once_and_told_how_to_publish(tenax: Tenax) -> None:
    first, second = key(tenax), key(tenax)
    assert (first.code, second.code) == (0, 0)
    assert first.out.split()[:2] == second.out.split()[:2]
    assert "made now" in first.out
    assert "made now" not in second.out
    assert "/.well-known/http-message-signatures-directory" in first.out
    assert f'key = "{tenax.data}/bot-key.pem"' in first.out
    assert "PRIVATE" not in first.out + second.out


def test_the_directory_can_be_hosted_as_printed(tenax: Tenax) -> None:
    key(tenax)
    told = key(tenax, "--directory", bot_auth__agent=f"{AGENT}/")
    headers = [
        (name, value)
        for name, colon, value in (line.partition(": ") for line in told.err.splitlines())
        if colon
    ]
    published, signed = verify_directory(headers, told.out.encode(), "bot.example.org", time.time())
    assert [each.keyid for each in signed] == [jwk["kid"] for jwk in published]
    as_json = key(tenax, "--json", bot_auth__agent=AGENT).json
    assert as_json["document"] == told.out
    assert as_json["thumbprint"] == published[0]["kid"]
    verify_directory(
        list(as_json["headers"].items()), told.out.encode(), "bot.example.org", time.time()
    )


def test_a_rotated_key_waits_while_the_old_one_signs_on(tenax: Tenax) -> None:
    old = key(tenax, "--json").json["thumbprint"]
    rotated = key(tenax, "--rotate", "--json", bot_auth__agent=AGENT).json
    assert rotated["thumbprint"] == old
    new, kept = rotated["keys"]
    assert (kept["thumbprint"], kept["in_use"], new["in_use"]) == (old, True, False)
    assert kept["until"] > new["since"]
    body = rotated["document"].encode()
    headers = list(rotated["headers"].items())
    _, signed = verify_directory(headers, body, "bot.example.org", time.time())
    assert [each.keyid for each in signed] == [new["thumbprint"], old]


@pytest.mark.parametrize("flag", ["--directory", "--rotate"])
def test_what_needs_a_key_says_how_to_make_one(tenax: Tenax, flag: str) -> None:
    ended = key(tenax, flag)
    assert ended.code == 2
    assert "`tenax key bot` makes a key" in ended.err


def test_a_key_that_others_can_read_is_told(tenax: Tenax) -> None:
    key(tenax)
    (tenax.data / "bot-key.pem").chmod(0o644)
    assert "chmod 600" in key(tenax).err


# A contact comes first.


@pytest.mark.parametrize(
    "url", ["https://example.org/", "example.org", "http://93.184.216.34/", "https://[2600::1]/"]
)
def test_a_public_host_is_not_crawled_without_a_contact(tenax: Tenax, url: str) -> None:
    ended = tenax.crawl("http://127.0.0.1:9/", url)
    assert ended.code == 2
    assert "is a public host, and no contact is set" in ended.err
    assert "--contact" in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not tenax.data.exists(), "nothing was started"


def test_a_program_is_told_before_it_starts_too(tenax: Tenax) -> None:
    program = f"""
import asyncio, tenax
async def main():
    async with tenax.open({str(tenax.data)!r}) as crawl:
        async for page in crawl.run("https://example.org/"):
            pass
asyncio.run(main())
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1
    assert "SettingsError: example.org is a public host, and no contact is set" in ended.stderr


def test_a_contact_that_reaches_nobody_is_refused(tenax: Tenax) -> None:
    ended = tenax.crawl("https://example.org/", "--contact", "me")
    assert ended.code == 2
    assert "contact = 'me' (flag): neither a URL nor a mail address" in ended.err
