"""What does this text point at, and which URLs are the same one?

`resolve` gives what is requested, exactly as the WHATWG standard reads it; `normalise` gives
the identity, which decides what is fetched once (URL-2). The two are kept apart: sorting a
query or dropping a parameter must never change what a server is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from urllib.parse import unquote

import can_ada

from tenax.model import SESSION_PARAMETERS, TRACKING_PARAMETERS, Sends, Url
from tenax.urls.doubtful import any_doubtful, is_doubtful, resolve_anew
from tenax.urls.spelling import respelled

MAX_LENGTH = 2083
"""Characters of a URL that is taken: what browsers once agreed on."""
KEY_BYTES = 12
Say = Callable[[str], object]


def resolve(text: str, base: str | None = None) -> str | None:
    """The absolute URL without its fragment, or None when the text is no URL.

    Never raises. A base that is itself no URL counts as no base.
    """
    parent = None if base is None else _parent(base)
    # A base that it does not know may be one by the current standard.
    if is_doubtful(text) or (parent is None and base is not None):
        return _anew(text, base)
    try:
        url = can_ada.parse(text) if parent is None else parent + text
    except (ValueError, TypeError):
        return _anew(text, base)
    href = url.href
    # In a serialised URL the first # always starts the fragment; elsewhere it is escaped.
    return href.partition("#")[0] if "#" in href else href


def resolve_all(texts: Sequence[str], base: str) -> list[str | None]:
    """The same for the links of a page: their base is looked up once."""
    parent = _parent(base)
    joined = "".join(texts)
    if parent is None or any_doubtful(texts, joined):
        return [resolve(text, base) for text in texts]
    try:
        hrefs: list[str | None] = [(parent + text).href for text in texts]
    except (ValueError, TypeError):
        return [resolve(text, base) for text in texts]
    return hrefs if "#" not in joined else [href and href.partition("#")[0] for href in hrefs]


def _anew(text: str, base: str | None) -> str | None:
    plain = None if base is None else _without_surrogates(base)
    href = resolve_anew(_without_surrogates(text), plain)
    return None if href is None else href.partition("#")[0]


def seed_url(text: str) -> str:
    """What a person meant by a seed: a scheme is added where none was given.

    https for names; http for localhost and bare addresses, which rarely have certificates.
    """
    text = text.strip()
    if text.startswith("//"):
        text = text[2:]
    if not text or text[0] in "/\\.?#" or _HAS_SCHEME.match(text):
        return text
    return f"{'http' if _IS_LOCAL.match(text) else 'https'}://{text}"


class ParameterNames:
    """A set of parameter names, compared decoded and in lower case; a `*` may end a name."""

    __slots__ = ("_beginnings", "_exact")

    def __init__(self, patterns: tuple[str, ...]) -> None:
        names = [pattern.lower() for pattern in patterns]
        for name in names:
            if "*" in name[:-1]:
                raise ValueError(
                    f"drop_parameters: {name!r} has a * inside. "
                    "A * may only end a name, as in utm_*; spell the others out."
                )
        self._exact = frozenset(name for name in names if not name.endswith("*"))
        self._beginnings = tuple(name[:-1] for name in names if name.endswith("*"))

    def __contains__(self, name: str) -> bool:
        if "%" in name:
            name = unquote(name)
        name = name.lower()
        return name in self._exact or name.startswith(self._beginnings)


@dataclass(frozen=True, slots=True)
class IdentityRules:
    """What a job counts as the same URL, compiled once."""

    drop_parameters: tuple[str, ...] = TRACKING_PARAMETERS + SESSION_PARAMETERS
    drop_trailing_slash: bool = False
    dropped_from_query: ParameterNames = field(init=False, repr=False, compare=False)
    dropped_from_path: ParameterNames = field(init=False, repr=False, compare=False)
    """Path parameters, as in `;jsessionid=…`: `ref` and `source` may be content there, so the
    tracking names are left in."""

    def __post_init__(self) -> None:
        in_path = tuple(name for name in self.drop_parameters if name not in TRACKING_PARAMETERS)
        object.__setattr__(self, "dropped_from_query", ParameterNames(self.drop_parameters))
        object.__setattr__(self, "dropped_from_path", ParameterNames(in_path))


def normalise(href: str, rules: IdentityRules) -> Url:
    """The identity of a resolved URL: idempotent, and unchanged by parsing it again.

    `a` and `a=` stay two parameters, since servers can tell them apart. Parameters are
    separated by & alone, as the standard has it.
    """
    if (
        "?" in href
        or "%" in href
        or ";" in href
        or "./" in href
        or ".:" in href
        or rules.drop_trailing_slash
    ):
        return Url(_identity(href, rules, _silently))
    return Url(href)


def explain(text: str, base: str | None, rules: IdentityRules) -> tuple[Url, list[str]] | None:
    """The identity, and a sentence for each rule that changed something; None if malformed."""
    href = resolve(text, base)
    if href is None:
        return None
    notes = respelled(text, base, href)
    identity = _identity(href, rules, notes.append)
    if not notes and identity != text:
        notes.append("rewrote it as the URL standard spells it")
    return Url(identity), notes


def url_hash(url: Url) -> str:
    """SHA-256 of the identity, in hex: the name of a URL in every external contract (URL-3)."""
    return url_digest(url).hex()


def url_digest(url: Url) -> bytes:
    """The same in 32 bytes, as the ledger keeps it."""
    return sha256(url.encode()).digest()


def posted_digest(url: Url, sends: Sends) -> bytes:
    """The name of what a URL answers to what is sent there. No normal form has a space in it, so
    none has this name."""
    return sha256(f"POST {url}\n{sends.content_type}\n{sends.body}".encode()).digest()


def url_key(url: Url) -> bytes:
    """The first 12 bytes of the hash: what the ledger calls equal.

    The key stands in a table and in an index for every known URL, so each byte is paid twice.
    At 96 bits, ten billion URLs have a chance of about 1 in 1.6 billion of any collision; at
    64 bits they would have several.
    """
    return url_digest(url)[:KEY_BYTES]


def target_digest(url: Url, sends: Sends | None) -> bytes:
    """That of a URL, or of what it answers to what is sent there."""
    return url_digest(url) if sends is None else posted_digest(url, sends)


@lru_cache(maxsize=512)
def parts_of(href: str) -> tuple[str, str, str]:
    """Origin, host key and path of a resolved http(s) URL; no second parse.

    Unless the URL holds credentials, origin + path is the URL again. A visit asks for those of its
    own six times.
    """
    start = 8 if href[4] == "s" else 7
    # The standard gives every http URL a path, so the slash is there.
    end = href.index("/", start)
    authority = href[start:end]
    if "@" in authority:
        authority = authority.rpartition("@")[2]
        return href[:start] + authority, _without_root_dot(authority), href[end:]
    is_plain = authority[-1] != "." and ".:" not in authority
    return href[:end], authority if is_plain else _without_root_dot(authority), href[end:]


def origin_of(href: str) -> str:
    """scheme://host[:port], spelled as requested."""
    return parts_of(href)[0]


def host_of(href: str) -> str:
    """The host key: the name, with its port only when that is not the scheme's default.

    So http and https of a name are one host, and so are `example.com.` and `example.com`.
    """
    return parts_of(href)[1]


def hostname_of(href: str) -> str:
    """The name or address alone: no port, no brackets."""
    return name_of(parts_of(href)[1])


def name_of(host: str) -> str:
    """The name or address in a host key."""
    if host[0] == "[":
        return host[1 : host.index("]")]
    return host.partition(":")[0]


def path_of(href: str) -> str:
    """Path and query."""
    return parts_of(href)[2]


def plain_escapes(text: str) -> str:
    """Decode escapes of unreserved characters and upper-case the others (RFC 3986, 6.2.2).

    A % that starts no escape is left alone, and nothing is decoded that could complete one:
    `%%341` would become `%41`, and `A` the next time round.
    """
    if "%" not in text:
        return text
    table = _ESCAPES_BESIDE_STRAY if _STRAY_PERCENT.search(text) else _ESCAPES
    return _ESCAPE.sub(lambda match: table[match[0]], text)


_LONGEST_KNOWN = 4096
_HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)
_IS_LOCAL = re.compile(
    r"(?:[^/?#]*\.)?localhost\.?(?:[:/?#]|$)|\d+(?:\.\d+){3}(?:[:/?#]|$)|\[", re.IGNORECASE
)


def _parent(base: str) -> can_ada.URL | None:
    """Every link of a page shares its base, so it is parsed once; but a hostile page may name
    a base of megabytes, and those are not remembered.
    """
    return _known_parent(base) if len(base) <= _LONGEST_KNOWN else _parse(base)


@lru_cache(maxsize=1024)
def _known_parent(base: str) -> can_ada.URL | None:
    return _parse(base)


def _parse(base: str) -> can_ada.URL | None:
    try:
        return can_ada.parse((_anew(base, None) or base) if is_doubtful(base) else base)
    except ValueError:
        return None
    except TypeError:
        return _parse(_without_surrogates(base))


def _without_surrogates(text: str) -> str:
    """Lone surrogates become U+FFFD, as the standard's USVString conversion does."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HEX_DIGITS = "0123456789abcdefABCDEF"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DOT_SEGMENTS = (".", "..")


def _escape_table(decodable: frozenset[str]) -> dict[str, str]:
    escapes = (f"%{high}{low}" for high in _HEX_DIGITS for low in _HEX_DIGITS)
    return {
        escape: char if (char := chr(int(escape[1:], 16))) in decodable else escape.upper()
        for escape in escapes
    }


_ESCAPES = _escape_table(_UNRESERVED)
_ESCAPES_BESIDE_STRAY = _escape_table(_UNRESERVED.difference(_HEX_DIGITS))


def _silently(_note: str) -> None:
    pass


def _identity(href: str, rules: IdentityRules, say: Say) -> str:
    if not href.startswith(("http://", "https://")):
        return href
    end = href.index("/", 8)
    path, mark, query = href[end:].partition("?")
    authority = _plain_authority(href[:end], say)
    # Dropping comes before decoding: whether an escape can be decoded depends on what is
    # beside it, and a second pass must find the same neighbours.
    path = _plain_path(_path_without_sessions(path, rules, say), rules, say)
    if mark:
        query = _plain_query(query, rules, say)
    return f"{authority}{path}?{query}" if query else authority + path


def _plain_authority(authority: str, say: Say) -> str:
    if authority.endswith(".") or ".:" in authority:
        host = authority.rpartition("@" if "@" in authority else "/")[2]
        plain = _without_root_dot(host)
        if plain != host:
            say("dropped the dot after the host: it names the same host")
            return authority[: len(authority) - len(host)] + plain
    return authority


def _without_root_dot(host: str) -> str:
    """`example.com.` is `example.com`; names with empty labels are left as they are."""
    if host[-1] != "." and ".:" not in host:
        return host
    name, colon, port = host.partition(":")
    plain = name.removesuffix(".")
    if not plain or plain[-1] == "." or name == plain:
        return host
    return plain + colon + port


def _path_without_sessions(path: str, rules: IdentityRules, say: Say) -> str:
    if ";" not in path:
        return path
    segments = (_segment_without_sessions(segment, rules, say) for segment in path.split("/"))
    return "/".join(segments)


def _segment_without_sessions(segment: str, rules: IdentityRules, say: Say) -> str:
    if ";" not in segment:
        return segment
    name, *parameters = segment.split(";")
    dropped = rules.dropped_from_path
    kept = [p for p in parameters if p.partition("=")[0] not in dropped]
    # `..;sid=1` without its parameter would climb out of its folder when parsed again.
    if len(kept) == len(parameters) or (not kept and plain_escapes(name) in _DOT_SEGMENTS):
        return segment
    say(f"dropped session id from the path segment {name or '/'}")
    return ";".join([name, *kept])


def _plain_path(path: str, rules: IdentityRules, say: Say) -> str:
    plain = plain_escapes(path)
    if plain != path:
        say("decoded needless percent-escapes and upper-cased the others in the path")
    if rules.drop_trailing_slash and plain[-1] == "/" and plain != "/":
        say("dropped the trailing slash")
        plain = plain.rstrip("/") or "/"
    return plain


def _plain_query(query: str, rules: IdentityRules, say: Say) -> str:
    dropped = rules.dropped_from_query
    kept = []
    for parameter in query.split("&"):
        name = parameter.partition("=")[0]
        if not parameter:
            say("dropped an empty query parameter" if query else "dropped the empty query")
        elif name not in dropped:
            kept.append(parameter)
        elif say is not _silently:
            say(f"dropped {_kind(name)} parameter {name}")
    if "%" in query:
        plain = [plain_escapes(parameter) for parameter in kept]
        if plain != kept:
            say("decoded needless percent-escapes and upper-cased the others in the query")
        kept = plain
    if len(kept) > 1:
        ordered = sorted(kept, key=_name_then_value)
        if ordered != kept:
            say("sorted query parameters")
        kept = ordered
    return "&".join(kept)


def _name_then_value(parameter: str) -> tuple[str, str, str]:
    name, sign, value = parameter.partition("=")
    return name, value, sign


_SESSION = ParameterNames(SESSION_PARAMETERS)
_TRACKING = ParameterNames(TRACKING_PARAMETERS)


def _kind(name: str) -> str:
    if name in _SESSION:
        return "session"
    return "tracking" if name in _TRACKING else "unwanted"
