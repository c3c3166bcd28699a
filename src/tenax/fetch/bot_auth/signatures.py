"""How does a request prove who sends it? HTTP Message Signatures for bots (RFC 9421; ROB-6).

Web Bot Auth, as the IETF's draft-ietf-webbotauth-httpsig-protocol has it:

- Every request is signed by itself. One signature for many requests would spare us a tenth of
  a millisecond each, and the draft warns against it: whoever sees it could use it as ours.
- It covers the host asked and where our keys are published, not the path: servers in front of
  a site rewrite paths, and a signature lives for a minute and is good for that host only.
- Over plain http nothing is signed unless told so: anyone on the way could take the signature
  to the same host's https.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from tenax.fetch.bot_auth.structured_fields import Parameters, dictionary, inner_list, item
from tenax.model import Failure, Forbidden, Request, Response
from tenax.model.knobs import SECONDS, Seconds
from tenax.ports import Clock, Transport
from tenax.urls.normalise import origin_of, resolve

if TYPE_CHECKING:
    from tenax.fetch.headers import Pairs

DIRECTORY_PATH = "/.well-known/http-message-signatures-directory"
DIRECTORY_TYPE = "application/http-message-signatures-directory+json"
_LABEL = "sig1"
_NONCE_BYTES = 64


class BotAuthPolicy(Struct, frozen=True):
    key: str = ""
    """The file of the private key, made by `tenax key bot`; empty for no signatures."""
    agent: str = ""
    """The https origin that publishes the public key, told to every site in Signature-Agent."""
    expires: Annotated[float, Meta(ge=1), SECONDS] = 60.0
    """Seconds a signature is good for. Clocks differ, and a caught one should be worth little."""
    over_http: bool = False
    """Sign plain http too; off, because anyone on the way could use the signature as well."""
    legacy: bool = False
    """Send Signature-Agent as the bare string of drafts before 2026, for older verifiers."""
    lead: Seconds = 86_400.0
    """Seconds between publishing a new key and signing with it: verifiers keep copies that long."""
    keep: Seconds = 7 * 86_400.0
    """Seconds a replaced key stays published after the new one has taken over."""
    directory_expires: Annotated[float, Meta(ge=1), SECONDS] = 30 * 86_400.0
    """Seconds the signature of the published directory is good for."""


class BotKey(Struct, frozen=True):
    """An Ed25519 key: its public half, and how to sign with the other."""

    public: bytes
    sign: Callable[[bytes], bytes]
    since: float = 0.0
    """Not used before this."""
    until: float | None = None
    """Not published after this; None while nothing replaces it."""

    @property
    def id(self) -> str:
        return thumbprint(self.public)


class KeyRing(Struct, frozen=True):
    """A bot's keys, at least one: the one in use, one that waits, some that were replaced."""

    keys: tuple[BotKey, ...]

    def current(self, now: float) -> BotKey:
        """What to sign with: the newest whose time has come."""
        ready = [key for key in self.keys if key.since <= now]
        return max(ready, key=lambda key: key.since) if ready else self.keys[0]

    def published(self, now: float) -> tuple[BotKey, ...]:
        """What verifiers should know: all but those whose time is over."""
        return tuple(key for key in self.keys if key.until is None or now < key.until)

    def rotated(self, fresh: BotKey, now: float, policy: BotAuthPolicy) -> KeyRing:
        """With a new key that waits to be known; the others go some time after it took over."""
        starts = now + policy.lead
        ends = starts + policy.keep
        old = (replace(key, until=key.until or ends) for key in self.published(now))
        return KeyRing((replace(fresh, since=starts, until=None), *old))


class BotSignatures:
    """The headers that sign a request. `entropy` gives so many random bytes."""

    def __init__(
        self, ring: KeyRing, policy: BotAuthPolicy, entropy: Callable[[int], bytes]
    ) -> None:
        """Raises ValueError, in a sentence, when the policy's agent is not an https origin."""
        self._ring = ring
        self._policy = policy
        self._entropy = entropy
        agent = item(agent_origin(policy.agent))
        if policy.legacy:
            self._component, self._agent = item("signature-agent"), agent
        else:
            self._component = item("signature-agent", {"key": _LABEL})
            self._agent = dictionary({_LABEL: agent})
        self._agent_value = agent

    def headers(self, url: str, now: float) -> Pairs:
        """Signature-Agent, Signature-Input and Signature for one request; none over plain http."""
        if not (url.startswith("https:") or self._policy.over_http):
            return ()
        key = self._ring.current(now)
        covered = {item("@authority"): _authority(url), self._component: self._agent_value}
        created = int(now)
        parameters: Parameters = {
            "created": created,
            "keyid": key.id,
            "alg": "ed25519",
            "expires": created + max(int(self._policy.expires), 1),
            "nonce": base64.b64encode(self._entropy(_NONCE_BYTES)).decode(),
            "tag": "web-bot-auth",
        }
        return (("Signature-Agent", self._agent), *_signed({_LABEL: (key, covered, parameters)}))


class SignedTransport:
    """A transport whose requests are signed the moment they leave: a turn may be long in coming."""

    def __init__(self, transport: Transport, signatures: BotSignatures, clock: Clock) -> None:
        self._transport = transport
        self._signatures = signatures
        self._clock = clock
        self.name = transport.name

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        signed = self._signatures.headers(request.url, self._clock.now())
        return await self._transport.send(replace(request, headers=request.headers + signed))

    async def close(self) -> None:
        await self._transport.close()


@cache
def thumbprint(public: bytes) -> str:
    """What verifiers call the key: its JWK thumbprint (RFC 7638; RFC 8037 appendix A.3)."""
    canonical = json.dumps(_jwk(public), sort_keys=True, separators=(",", ":"))
    return _base64url(hashlib.sha256(canonical.encode()).digest())


def directory(ring: KeyRing, now: float) -> bytes:
    """The document to publish at `DIRECTORY_PATH`: a JSON Web Key Set (RFC 7517)."""
    keys = [_published(key) for key in ring.published(now)]
    return json.dumps({"keys": keys}, separators=(",", ":")).encode()


def directory_headers(
    document: bytes, ring: KeyRing, authority: str, policy: BotAuthPolicy, now: float
) -> Pairs:
    """What to serve the document with. Each key signs it, for this host and no other."""
    digest = dictionary({"sha-256": item(hashlib.sha256(document).digest())})
    covered = {item("@authority", {"req": True}): authority, item("content-digest"): digest}
    created = int(now)
    signatures = {}
    for number, key in enumerate(ring.published(now), start=1):
        parameters: Parameters = {
            "created": created,
            "expires": created + int(policy.directory_expires),
            "keyid": key.id,
            "tag": "http-message-signatures-directory",
        }
        signatures[f"sig{number}"] = (key, covered, parameters)
    return (
        ("Content-Type", DIRECTORY_TYPE),
        ("Cache-Control", f"max-age={int(policy.lead)}"),
        ("Content-Digest", digest),
        *_signed(signatures),
    )


def signature_base(covered: Mapping[str, str], params: str) -> bytes:
    """What is signed (RFC 9421 section 2.5): component identifiers with their values, in order."""
    lines = [f"{identifier}: {value}" for identifier, value in covered.items()]
    if any(control in line for line in lines for control in "\r\n"):
        raise ValueError("a covered component has a line break in it")
    return "\n".join([*lines, f'"@signature-params": {params}']).encode("ascii")


def agent_origin(agent: str) -> str:
    """The agent as its origin, `https://bot.example.org`; ValueError says what it has to be."""
    href = resolve(agent.strip()) or ""
    origin = origin_of(href) if href.startswith("https://") else ""
    if not origin or href.rstrip("/") != origin:
        raise ValueError(
            f"{agent!r} is not an https origin. Name the site that publishes your key, without a"
            " path: https://bot.example.org"
        )
    return origin


def authority_of(agent: str) -> str:
    """The host (and port) that publishes the key."""
    return agent_origin(agent).partition("://")[2]


_Signing = tuple[BotKey, Mapping[str, str], Parameters]


def _signed(signatures: Mapping[str, _Signing]) -> Pairs:
    inputs: dict[str, str] = {}
    values: dict[str, str] = {}
    for label, (key, covered, parameters) in signatures.items():
        inputs[label] = inner_list(list(covered), parameters)
        values[label] = item(key.sign(signature_base(covered, inputs[label])))
    return (("Signature-Input", dictionary(inputs)), ("Signature", dictionary(values)))


def _authority(url: str) -> str:
    """`@authority` (RFC 9421 section 2.2.3): as in the Host header, the default port left out."""
    return origin_of(url).partition("://")[2]


def _jwk(public: bytes) -> dict[str, Any]:
    return {"kty": "OKP", "crv": "Ed25519", "x": _base64url(public)}


def _published(key: BotKey) -> dict[str, Any]:
    jwk = {**_jwk(key.public), "kid": key.id, "use": "sig"}
    if key.since:
        jwk["nbf"] = int(key.since)
    if key.until is not None:
        jwk["exp"] = int(key.until)
    return jwk


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
