"""What would a site make of our signatures? A verifier of RFC 9421, written apart from the signer.

It reads the headers as they arrived, rebuilds what was signed from the message itself, and asks
the key. It shares no code with the signer.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Fields = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Verified:
    label: str
    keyid: str
    agent: str
    parameters: dict[str, Any]
    covered: tuple[str, ...]


class Rejected(Exception):
    """The signature does not hold, and why."""


def verify_request(fields: Fields, authority: str, keys: dict[str, bytes], now: float) -> Verified:
    """The one signature of a request, as a site that knows these keys checks it."""
    return _verify(fields, authority, keys, now, "web-bot-auth", is_response=False)[0]


def verify_directory(
    fields: Fields, body: bytes, authority: str, now: float
) -> tuple[list[dict[str, Any]], list[Verified]]:
    """The keys of a directory answer, and its signatures: each key has to have signed it."""
    digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
    if field(fields, "content-digest") != digest:
        raise Rejected("the digest is not the body's")
    published = json.loads(body)["keys"]
    keys = {jwk_thumbprint(jwk): _unbase64url(jwk["x"]) for jwk in published}
    tag = "http-message-signatures-directory"
    return published, _verify(fields, authority, keys, now, tag, is_response=True)


def jwk_thumbprint(jwk: dict[str, Any]) -> str:
    """RFC 7638, for OKP keys."""
    text = f'{{"crv":"{jwk["crv"]}","kty":"{jwk["kty"]}","x":"{jwk["x"]}"}}'
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().strip("=")


def field(fields: Fields, name: str) -> str:
    values = [value.strip() for key, value in fields if key.lower() == name]
    if not values:
        raise Rejected(f"no {name}")
    return ", ".join(values)


def _verify(
    fields: Fields,
    authority: str,
    keys: dict[str, bytes],
    now: float,
    tag: str,
    *,
    is_response: bool,
) -> list[Verified]:
    inputs = Reader(field(fields, "signature-input")).dictionary()
    signatures = Reader(field(fields, "signature")).dictionary()
    found = []
    for label, (components, parameters, written) in inputs.items():
        if parameters.get("tag") != tag:
            raise Rejected(f"tag {parameters.get('tag')}")
        if not parameters["created"] <= now < parameters["expires"]:
            raise Rejected("not good at this time")
        lines = [
            f"{identifier}: {_value(name, options, fields, authority, is_response)}"
            for name, options, identifier in components
        ]
        base = "\n".join([*lines, f'"@signature-params": {written}'])
        keyid = parameters["keyid"]
        if keyid not in keys:
            raise Rejected(f"unknown key {keyid}")
        try:
            Ed25519PublicKey.from_public_bytes(keys[keyid]).verify(
                signatures[label][0], base.encode("ascii")
            )
        except InvalidSignature:
            raise Rejected("the signature is not the key's") from None
        names = tuple(identifier for _, _, identifier in components)
        agent = "" if is_response else _agent(fields, label)
        found.append(Verified(label, keyid, agent, parameters, names))
    return found


def _value(
    name: str, options: dict[str, Any], fields: Fields, authority: str, is_response: bool
) -> str:
    if name == "@authority":
        if is_response != bool(options.get("req")):
            raise Rejected("@authority of the wrong message")
        return authority
    if "key" in options:
        member = Reader(field(fields, name)).dictionary()[options["key"]]
        return str(member[2])
    return field(fields, name)


def _agent(fields: Fields, label: str) -> str:
    header = field(fields, "signature-agent")
    if header.startswith('"'):
        return str(Reader(header).bare())
    return str(Reader(header).dictionary()[label][0])


def _unbase64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Reader:
    """Structured fields (RFC 9651), read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def dictionary(self) -> dict[str, tuple[Any, dict[str, Any], str]]:
        """Each member's value, its parameters, and how both are written."""
        members: dict[str, tuple[Any, dict[str, Any], str]] = {}
        while self.at < len(self.text):
            key = self._key()
            self._expect("=")
            start = self.at
            value = self._inner_list() if self._peek() == "(" else self.bare()
            parameters = self._parameters()
            members[key] = (value, parameters, self.text[start : self.at])
            self._spaces()
            if self.at < len(self.text):
                self._expect(",")
                self._spaces()
        return members

    def bare(self) -> Any:
        first = self._peek()
        if first == '"':
            return self._string()
        if first == ":":
            end = self.text.index(":", self.at + 1)
            raw, self.at = self.text[self.at + 1 : end], end + 1
            return base64.b64decode(raw, validate=True)
        start = self.at
        while self._peek() and self._peek() in "-0123456789":
            self.at += 1
        return int(self.text[start : self.at])

    def _inner_list(self) -> list[tuple[str, dict[str, Any], str]]:
        self._expect("(")
        items = []
        while self._peek() != ")":
            start = self.at
            name = self._string()
            options = self._parameters()
            items.append((name, options, self.text[start : self.at]))
            self._spaces()
        self._expect(")")
        return items

    def _parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._peek() == ";":
            self._expect(";")
            key = self._key()
            found[key] = True
            if self._peek() == "=":
                self._expect("=")
                found[key] = self.bare()
        return found

    def _string(self) -> str:
        self._expect('"')
        out = ""
        while (each := self.text[self.at]) != '"':
            if each == "\\":
                self.at += 1
                each = self.text[self.at]
            out += each
            self.at += 1
        self._expect('"')
        return out

    def _key(self) -> str:
        start = self.at
        while self._peek() and (self._peek().isalnum() or self._peek() in "_-.*"):
            self.at += 1
        return self.text[start : self.at]

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _spaces(self) -> None:
        while self._peek() == " ":
            self.at += 1

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            raise Rejected(f"{character!r} expected at {self.at} of {self.text!r}")
        self.at += 1
