"""What goes over the wire and comes back: requests, answers, and the ways they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from tenax.model.knobs import Bytes, SomeSeconds
from tenax.model.words import Fault


class RequestLimits(Struct, frozen=True):
    """What one request may cost us (FE-2)."""

    connect: SomeSeconds = 10.0
    """Seconds for looking up the name, connecting and TLS."""
    total: SomeSeconds = 30.0
    """Seconds for the whole exchange, however slowly it drips."""
    body_bytes: Bytes = 10_000_000
    """Counted on the wire and, separately, after decompression."""
    header_bytes: Bytes = 65_536
    """All header lines of an answer together."""


class ProxyScheme(StrEnum):
    """How we speak to a proxy."""

    HTTP = "http"
    HTTPS = "https"
    SOCKS5 = "socks5"


class ProxyAddress(Struct, frozen=True):
    """What a transport needs to go through a proxy. Its secrets are in no repr (SEC-3)."""

    scheme: ProxyScheme
    host: str
    """A name or an address, IPv6 without brackets."""
    port: int
    username: str = ""
    password: str = ""
    pinned: bool = True
    """Ask it for the address we judged, never for a name: then it resolves nothing (SEC-1)."""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __repr__(self) -> str:
        return f"ProxyAddress({self})"


class ProxyEvent(StrEnum):
    """What a visit says about the proxy it went through (FE-11)."""

    ANSWERED = "answered"
    FAILED = "failed"
    SHUNNED = "shunned"
    """The site turned the proxy away, and not others."""


class ProxyReport(Struct, frozen=True):
    """One thing that happened to a proxy; replayed in order, reports give its health."""

    proxy_id: int
    event: ProxyEvent
    at: float
    ms: float = 0.0
    """How long the answer took; only of those that came."""


class ProxyHealth(Struct, frozen=True):
    """How a proxy has been doing, and whether it may be used."""

    successes: int = 0
    failures: int = 0
    average_ms: float = 0.0
    """Of the answers through it, old ones fading; 0 when there was none."""
    last_used_at: float | None = None
    failed_in_row: int = 0
    worked_in_row: int = 0
    bans: int = 0
    """Bans not yet forgiven."""
    banned_until: float = 0.0
    disabled: str = ""
    """Why it is out of service; empty when it is in."""


class Proxy(Struct, frozen=True):
    """A proxy in the ledger. Its user and password are there only where they are used."""

    name: str
    address: ProxyAddress
    id: int = 0
    group: str = "default"
    priority: int = 100
    """Lower goes first, where the strategy is `priority`."""
    has_login: bool = False
    """Whether it wants a user and password, known or not."""
    health: ProxyHealth = field(default_factory=ProxyHealth)


class Request(Struct, frozen=True):
    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    limits: RequestLimits = RequestLimits()
    any_type: bool = False
    """Read the body whatever its content type, and as it is: a browser shows nothing of it. Else
    only text-like bodies are read."""
    pdf: bool = False
    """Those of PDF files, too."""
    proxy: ProxyAddress | None = None
    """The proxy to go through; None to connect directly."""
    may_leave: Callable[[], bool] | None = None
    """Asked when the connection stands and nothing is left to wait for; by False, not sent."""
    fresh: bool = False
    """Over a connection of its own, not one that was kept from an earlier request."""
    body: bytes = b""
    """Of a POST: what a login or a job sends, and nobody repeats by himself."""


class Headers:
    """Response headers: case-insensitive, repeated names kept, order kept."""

    __slots__ = ("_named", "pairs")

    def __init__(self, pairs: tuple[tuple[str, str], ...] = ()) -> None:
        self.pairs = pairs
        self._named: dict[str, list[str]] | None = None

    @property
    def named(self) -> Mapping[str, Sequence[str]]:
        """The values by name in lower case: spelled out once for all who read them."""
        named = self._named
        if named is None:
            named = {name.lower(): [value] for name, value in self.pairs}
            if len(named) < len(self.pairs):
                named = {name: [] for name in named}
                for name, value in self.pairs:
                    named[name.lower()].append(value)
            self._named = named
        return named

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value, or the default."""
        values = self.named.get(name.lower())
        return values[0] if values else default

    def all(self, name: str) -> list[str]:
        return [*self.named.get(name.lower(), ())]

    def __repr__(self) -> str:
        return f"Headers({self.pairs!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Headers) and self.pairs == other.pairs

    def __hash__(self) -> int:
        return hash(self.pairs)


class Timing(Struct, frozen=True):
    """How long one exchange took, in milliseconds, and what it moved over the wire."""

    sent_ms: float = 0.0
    """From our start until the request was on its way: name look-up, connect, TLS."""
    ttfb_ms: float = 0.0
    total_ms: float = 0.0
    wire_bytes: int = 0


class Response(Struct, frozen=True):
    """A complete answer. Its body is already decompressed; None means we chose not to read it."""

    url: str
    status: int
    headers: Headers
    body: bytes | None
    timing: Timing = Timing()
    address: str = ""
    note: str = ""
    """What its record should tell besides: what was left out on the way to it."""

    @property
    def content_type(self) -> str:
        """The media type alone, lower case; empty when the server named none."""
        return (self.headers.get("content-type") or "").split(";", 1)[0].strip().lower()


class Failure(Struct, frozen=True):
    """No complete answer. `status` is known when the headers had arrived."""

    fault: Fault
    detail: str
    status: int | None = None
    timing: Timing = Timing()
    address: str = ""
    proxy_alive: bool = False
    """Of a proxy fault: the proxy answered, so that it or the host may be to blame."""
    withheld: bool = False
    """Nothing was sent: the request might not leave any more."""
    kept: bool = False
    """It was sent over a connection kept from an earlier request, which ended before any answer:
    of old age perhaps, and then nobody is to blame. No client repeats it by itself (FE-9)."""


WITHHELD = Failure(Fault.INTERNAL, "not sent: it might not leave any more", withheld=True)


class Forbidden(Struct, frozen=True):
    """The address behind a name is one we may not connect to; nothing was sent (SEC-1)."""

    address: str
    why: str = ""
