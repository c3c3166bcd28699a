"""Chromium's `net::ERR_…` as our faults."""

from __future__ import annotations

import re

from tenax.model import Fault

_FAULTS: tuple[tuple[str, Fault], ...] = (
    (r"NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|DNS_.*|ICANN_NAME_COLLISION", Fault.DNS),
    (r"CONNECTION_REFUSED|CONNECTION_FAILED|ADDRESS_UNREACHABLE", Fault.CONNECT_REFUSED),
    (r"CONNECTION_TIMED_OUT", Fault.CONNECT_TIMEOUT),
    (r"TIMED_OUT", Fault.READ_TIMEOUT),
    (r"CONNECTION_(RESET|CLOSED|ABORTED)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED", Fault.RESET),
    (r"CONTENT_LENGTH_MISMATCH|INCOMPLETE_.*|HTTP2_PING_FAILED|NETWORK_CHANGED", Fault.RESET),
    (r"CERT_.*|SSL_.*|BAD_SSL_.*|ECH_.*|CERTIFICATE_.*", Fault.TLS),
    (r"CONTENT_DECODING_.*", Fault.ENCODING),
    (r"TOO_MANY_REDIRECTS", Fault.TOO_MANY_REDIRECTS),
    (r"FILE_TOO_BIG|MSG_TOO_BIG", Fault.TOO_LARGE),
    (r"HTTP2_.*|INVALID_.*|RESPONSE_HEADERS_.*|UNEXPECTED.*|UNSAFE_.*", Fault.PROTOCOL),
    (r"(UNKNOWN|DISALLOWED)_URL_SCHEME|BLOCKED_BY_.*|METHOD_NOT_SUPPORTED", Fault.PROTOCOL),
    # What the guard refuses it explains itself; this is the guard out of reach, or confused.
    (r"PROXY_.*|TUNNEL_.*|INSUFFICIENT_RESOURCES|OUT_OF_MEMORY", Fault.INTERNAL),
    # Broken off for no reason given: its network process died, say.
    (r"FAILED|ABORTED", Fault.RESET),
)
_NAMED = re.compile(r"net::ERR_([A-Z0-9_]+)")


def fault_of(text: str) -> Fault:
    """INTERNAL for what Chromium does not name, or names as we have never seen it."""
    found = _NAMED.search(text)
    if found is None:
        return Fault.INTERNAL
    return next((fault for form, fault in _FAULTS if re.fullmatch(form, found[1])), Fault.INTERNAL)
