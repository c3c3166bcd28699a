"""What did reading a text as a URL change? Sentences for `tenax why`; decides nothing."""

from __future__ import annotations

import re

_WHITE_SPACE_INSIDE = re.compile(r"[\t\n\r]")
_AROUND = "".join(map(chr, range(0x21)))
"""What the standard strips from both ends: the C0 controls and the space."""
_PIECES = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?:[/\\]{2}(?P<authority>[^/\\?#]*))?"
    r"(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?P<fragment>#.*)?",
    re.DOTALL,
)
_DOT_SEGMENT = re.compile(r"(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)", re.IGNORECASE)
_UNSAFE = " \"'<>`{}^"
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def respelled(text: str, base: str | None, href: str) -> list[str]:
    """One sentence for each visible difference between a text and the URL it resolved to."""
    clean = _WHITE_SPACE_INSIDE.sub("", text.strip(_AROUND))
    pieces = _PIECES.match(clean)
    assert pieces is not None, "every part of the pattern is optional"
    notes = ["removed white space"] if clean != text else []
    if base is not None and pieces["scheme"] is None:
        notes.append(f"resolved against {base}")
    if pieces["scheme"] and pieces["scheme"] != pieces["scheme"].lower():
        notes.append("lower-cased scheme")
    if pieces["authority"] is not None and href.startswith(("http://", "https://")):
        notes += _authority_notes(pieces["authority"], href)
    notes += _path_notes(pieces["path"], pieces["query"] or "", href)
    if pieces["fragment"]:
        notes.append(f"dropped fragment {pieces['fragment']}")
    return notes


def _authority_notes(given: str, href: str) -> list[str]:
    scheme, _, rest = href.partition("://")
    host, port = _host_and_port(rest.partition("/")[0])
    given_host, given_port = _host_and_port(given)
    notes = []
    if given_host != host:
        if not given_host.isascii():
            notes.append(f"wrote the international host as {host}")
        elif given_host.lower() == host:
            notes.append("lower-cased host")
        else:
            notes.append(f"wrote host {given_host} as {host}")
    if given_port and not port and given_port.lstrip("0") == _DEFAULT_PORTS[scheme]:
        notes.append(f"dropped default port {given_port}")
    return notes


def _host_and_port(authority: str) -> tuple[str, str]:
    host = authority.rpartition("@")[2]
    if host.endswith("]"):
        return host, ""
    name, colon, port = host.rpartition(":")
    return (name, port) if colon else (host, "")


def _path_notes(path: str, query: str, href: str) -> list[str]:
    notes = []
    if "\\" in path:
        notes.append("read \\ as /")
    if _DOT_SEGMENT.search(path):
        notes.append("resolved dot segments")
    given = set(path + query)
    if any(char not in href for char in given if not char.isascii() or char in _UNSAFE):
        notes.append("percent-encoded characters that may not stand in a URL")
    return notes
