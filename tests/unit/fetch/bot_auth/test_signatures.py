"""ROB-6: requests that prove who sends them, and the directory that publishes the keys.

The expected values are those of RFC 9421 appendix B.2.6, RFC 8037 appendix A.3 and the vectors
of draft-ietf-webbotauth-httpsig-protocol, all with the test key of RFC 9421 appendix B.1.4.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.fetch.bot_auth.signatures import (
    BotAuthPolicy,
    BotKey,
    BotSignatures,
    KeyRing,
    SignedTransport,
    agent_origin,
    authority_of,
    directory,
    directory_headers,
    signature_base,
    thumbprint,
)
from tenax.fetch.bot_auth.structured_fields import Parameters, inner_list, item
from tenax.model import Request
from tenax.testing import SimulatedWeb, VirtualClock, page, run_virtually
from tests.verifier import Rejected, verify_directory, verify_request

NOW = 1_735_689_600.0
SEED = base64.urlsafe_b64decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU=")
KEY_ID = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
POLICY = BotAuthPolicy(agent="https://signature-agent.test")


def bot_key(seed: bytes = SEED, since: float = 0.0, until: float | None = None) -> BotKey:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return BotKey(private.public_key().public_bytes_raw(), private.sign, since, until)


def other(number: int, since: float = 0.0, until: float | None = None) -> BotKey:
    return bot_key(bytes([number]) * 32, since, until)


def zeros(count: int) -> bytes:
    return bytes(count)


def signatures(
    policy: BotAuthPolicy = POLICY,
    *keys: BotKey,
    entropy: Callable[[int], bytes] = zeros,
) -> BotSignatures:
    return BotSignatures(KeyRing(keys or (bot_key(),)), policy, entropy)


KNOWN = {KEY_ID: bot_key().public}


# The standards' own vectors.


def test_the_request_of_rfc_9421_is_signed_as_the_rfc_has_it() -> None:
    covered = {
        '"date"': "Tue, 20 Apr 2021 02:07:55 GMT",
        '"@method"': "POST",
        '"@path"': "/foo",
        '"@authority"': "example.com",
        '"content-type"': "application/json",
        '"content-length"': "18",
    }
    params = inner_list(list(covered), {"created": 1618884473, "keyid": "test-key-ed25519"})
    assert item(bot_key().sign(signature_base(covered, params))) == (
        ":wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"
    )


def test_the_thumbprint_of_rfc_8037_is_found() -> None:
    public = base64.urlsafe_b64decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
    assert thumbprint(public) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_the_key_has_the_id_that_the_draft_has_for_it() -> None:
    assert bot_key().id == KEY_ID


@pytest.mark.parametrize(
    ("legacy", "component", "expires", "nonce", "signature"),
    [
        (
            False,
            '"signature-agent";key="agent2"',
            4889289600,
            "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==",
            "RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==",
        ),
        (
            True,
            '"signature-agent"',
            1735693200,
            "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==",
            "jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==",
        ),
    ],
)
def test_a_request_is_signed_as_the_draft_has_it(
    legacy: bool, component: str, expires: int, nonce: str, signature: str
) -> None:
    """The draft's dictionary vector has another label: its base is built by the same parts."""
    parameters: Parameters = {
        "created": 1735689600,
        "keyid": KEY_ID,
        "alg": "ed25519",
        "expires": expires,
        "nonce": nonce,
        "tag": "web-bot-auth",
    }
    params = inner_list(['"@authority"', component], parameters)
    covered = {'"@authority"': "example.com", component: '"https://signature-agent.test"'}
    assert item(bot_key().sign(signature_base(covered, params))) == f":{signature}:"
    if legacy:
        policy = replace(POLICY, legacy=True, expires=3600.0)
        made = signatures(policy, entropy=lambda _: base64.b64decode(nonce))
        assert made.headers("https://example.com/path/to/resource", NOW) == (
            ("Signature-Agent", '"https://signature-agent.test"'),
            ("Signature-Input", f"sig1={params}"),
            ("Signature", f"sig1=:{signature}:"),
        )


def test_a_directory_is_signed_as_the_draft_has_it() -> None:
    body = (
        b'{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",'
        b'"x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}]}'
    )
    policy = replace(POLICY, directory_expires=4889289600 - NOW)
    ring = KeyRing((bot_key(),))
    headers = dict(directory_headers(body, ring, "signature-agent.test", policy, NOW))
    assert headers["Content-Digest"] == "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"
    assert headers["Signature-Input"] == (
        'sig1=("@authority";req "content-digest");created=1735689600;expires=4889289600'
        f';keyid="{KEY_ID}";tag="http-message-signatures-directory"'
    )
    assert headers["Signature"] == (
        "sig1=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:"
    )


# What a site makes of our requests.


@pytest.mark.parametrize("legacy", [False, True])
def test_a_site_can_verify_a_request(legacy: bool) -> None:
    headers = signatures(replace(POLICY, legacy=legacy)).headers("https://a.example/x?y", NOW)
    found = verify_request(headers, "a.example", KNOWN, NOW + 59)
    assert found.keyid == KEY_ID
    assert found.agent == "https://signature-agent.test"
    assert len(found.covered) == 2
    assert found.parameters["expires"] - found.parameters["created"] == 60
    assert len(base64.b64decode(found.parameters["nonce"])) == 64


@pytest.mark.parametrize("authority", ["b.example", "a.example:443", "a.example.b.example"])
def test_it_is_good_for_one_host_only(authority: str) -> None:
    headers = signatures().headers("https://a.example/", NOW)
    with pytest.raises(Rejected, match="not the key's"):
        verify_request(headers, authority, KNOWN, NOW)


def test_it_runs_out() -> None:
    headers = signatures().headers("https://a.example/", NOW)
    with pytest.raises(Rejected, match="this time"):
        verify_request(headers, "a.example", KNOWN, NOW + 60)


def test_another_agent_cannot_be_claimed_with_it() -> None:
    headers = [
        (name, value.replace("signature-agent.test", "evil.test"))
        for name, value in signatures().headers("https://a.example/", NOW)
    ]
    with pytest.raises(Rejected, match="not the key's"):
        verify_request(headers, "a.example", KNOWN, NOW)


def test_no_two_requests_share_a_nonce() -> None:
    drawn = iter(range(9))
    made = signatures(entropy=lambda count: bytes([next(drawn)]) * count)
    first, second = (made.headers("https://a.example/", NOW) for _ in range(2))
    assert dict(first)["Signature"] != dict(second)["Signature"]


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://a.example:8443/", "a.example:8443"),
        ("https://a.example/", "a.example"),
        ("https://[2001:db8::1]:444/", "[2001:db8::1]:444"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
    ],
)
def test_the_host_is_covered_as_the_host_header_spells_it(url: str, authority: str) -> None:
    headers = signatures().headers(url, NOW)
    assert verify_request(headers, authority, KNOWN, NOW).keyid == KEY_ID


def test_plain_http_is_not_signed_unless_told_so() -> None:
    url = "http://a.example/"
    assert signatures().headers(url, NOW) == ()
    told = signatures(replace(POLICY, over_http=True)).headers(url, NOW)
    assert verify_request(told, "a.example", KNOWN, NOW).keyid == KEY_ID


@given(
    now=st.floats(min_value=1e9, max_value=4e9),
    host=st.from_regex(r"[a-z][a-z0-9]{0,9}(-[a-z0-9]{1,5})?\.example(:[1-9]00)?", fullmatch=True),
    seed=st.binary(min_size=32, max_size=32),
    noise=st.binary(min_size=64, max_size=64),
)  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_whatever_is_signed_can_be_verified(
    now: float, host: str, seed: bytes, noise: bytes
) -> None:
    key = bot_key(seed)
    headers = signatures(POLICY, key, entropy=lambda _: noise).headers(f"https://{host}/", now)
    assert verify_request(headers, host, {key.id: key.public}, now).keyid == key.id


def test_a_request_is_signed_the_moment_it_leaves_and_keeps_its_own_headers() -> None:
    async def story() -> None:
        clock, web = VirtualClock(), SimulatedWeb()
        web.at("https://a.example/", page("hello"))
        transport = SignedTransport(web, signatures(), clock)
        request = Request("https://a.example/", "HEAD", (("Accept", "*/*"),))
        await clock.sleep(3_600)
        await transport.send(request)
        (asked,) = web.requests
        assert asked.method == "HEAD"
        assert asked.headers[0] == ("Accept", "*/*")
        assert verify_request(asked.headers, "a.example", KNOWN, asked.at).keyid == KEY_ID
        assert transport.name == web.name

    run_virtually(story())


# Keys that follow one another.


def test_a_new_key_is_published_before_it_is_used_and_the_old_one_longer_than_it_is() -> None:
    old, new = bot_key(), other(1)
    ring = KeyRing((old,)).rotated(new, NOW, POLICY)
    day = 86_400.0
    assert [key.id for key in ring.published(NOW)] == [new.id, old.id]
    assert ring.current(NOW).id == old.id
    assert ring.current(NOW + day - 1).id == old.id
    assert ring.current(NOW + day).id == new.id
    assert old.id in {key.id for key in ring.published(NOW + 8 * day - 1)}
    assert [key.id for key in ring.published(NOW + 8 * day)] == [new.id]


def test_a_request_is_signed_with_the_key_whose_time_has_come() -> None:
    ring = KeyRing((bot_key(),)).rotated(other(1), NOW, POLICY)
    made = BotSignatures(ring, POLICY, zeros)
    keys = {key.id: key.public for key in ring.keys}
    used = [
        verify_request(made.headers("https://a.example/", at), "a.example", keys, at).keyid
        for at in (NOW, NOW + 86_400)
    ]
    assert used == [bot_key().id, other(1).id]


def test_rotating_again_leaves_the_end_of_older_keys_as_it_was() -> None:
    first = KeyRing((bot_key(),)).rotated(other(1), NOW, POLICY)
    second = first.rotated(other(2), NOW + 100, POLICY)
    ends = {key.id: key.until for key in second.keys}
    assert ends[bot_key().id] == NOW + 8 * 86_400
    assert ends[other(1).id] == NOW + 100 + 8 * 86_400
    assert ends[other(2).id] is None


def test_rotating_forgets_what_has_run_out() -> None:
    ring = KeyRing((bot_key(until=NOW - 1), other(1))).rotated(other(2), NOW, POLICY)
    assert [key.id for key in ring.keys] == [other(2).id, other(1).id]


# The directory.


def test_the_directory_names_every_key_with_its_times() -> None:
    ring = KeyRing((other(1, since=NOW + 10.7), bot_key(until=NOW + 5), other(2, until=NOW)))
    new, old = json.loads(directory(ring, NOW))["keys"]
    assert old == {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
        "kid": KEY_ID,
        "use": "sig",
        "exp": int(NOW) + 5,
    }
    assert new["nbf"] == int(NOW) + 10
    assert "exp" not in new


def test_every_key_of_the_directory_has_signed_it() -> None:
    ring = KeyRing((other(1, since=NOW + 10), bot_key(until=NOW + 500)))
    body = directory(ring, NOW)
    headers = directory_headers(body, ring, "bot.example", POLICY, NOW)
    published, signed = verify_directory(headers, body, "bot.example", NOW)
    assert [each.keyid for each in signed] == [jwk["kid"] for jwk in published]
    assert ("Content-Type", "application/http-message-signatures-directory+json") in headers


@pytest.mark.parametrize("body", [b'{"keys":[]}', b" "])
def test_another_document_cannot_be_served_with_its_headers(body: bytes) -> None:
    ring = KeyRing((bot_key(),))
    headers = directory_headers(directory(ring, NOW), ring, "bot.example", POLICY, NOW)
    with pytest.raises(Rejected, match="digest"):
        verify_directory(headers, body, "bot.example", NOW)


def test_the_directory_cannot_be_served_by_another_host() -> None:
    ring = KeyRing((bot_key(),))
    body = directory(ring, NOW)
    headers = directory_headers(body, ring, "bot.example", POLICY, NOW)
    with pytest.raises(Rejected, match="not the key's"):
        verify_directory(headers, body, "evil.example", NOW)


# The agent.


@pytest.mark.parametrize(
    ("agent", "origin"),
    [
        ("https://bot.example.org", "https://bot.example.org"),
        ("https://Bot.Example.org/", "https://bot.example.org"),
        (" https://bot.example.org:8443 ", "https://bot.example.org:8443"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_an_agent_is_told_as_its_origin(agent: str, origin: str) -> None:
    assert agent_origin(agent) == origin
    assert authority_of(agent) == origin.removeprefix("https://")


@pytest.mark.parametrize(
    "agent",
    [
        "", "bot.example.org", "http://bot.example.org", "https://bot.example.org/keys",
        "https://bot.example.org/?a", "https://u:p@bot.example.org", "https://", "mailto:a@b.c",
        'https://bot.example.org"\r\nX: y',
    ],
)  # fmt: skip
def test_an_agent_that_is_no_https_origin_is_refused(agent: str) -> None:
    with pytest.raises(ValueError, match="https origin"):
        signatures(replace(POLICY, agent=agent))


def test_nothing_signed_can_have_a_line_break_in_it() -> None:
    with pytest.raises(ValueError, match="line break"):
        signature_base({'"a"': 'x\n"@authority": evil.example'}, "()")
