"""How is the browser used: how many pages at once, how long is one kept, when is a page ready?"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from tenax.model.knobs import AtLeastOne, Bytes, Count, Seconds, SomeSeconds


class BrowserPolicy(Struct, frozen=True):
    executable: str = ""
    """The Chromium to run; empty to look for one in PATH and in the usual places."""
    sandbox: bool = True
    """Chromium's own sandbox. As root it is off whatever this says: Chromium refuses it there."""
    arguments: tuple[str, ...] = ()
    """More command line arguments for Chromium; where they contradict ours, ours win."""
    concurrency: AtLeastOne = 2
    """Pages rendered at once."""
    pages: AtLeastOne = 50
    """Pages after which a browser is replaced."""
    age: Seconds = 600.0
    """Seconds after which a browser is replaced, or ended when nobody needs it."""
    memory: Bytes = 1 << 30
    """Bytes of its processes above which a browser is replaced; at twice as much it is killed."""
    errors: AtLeastOne = 3
    """Failures of the browser itself, in a row, after which it is replaced."""
    health_every: SomeSeconds = 30.0
    """Seconds between health checks of a browser that has shown no sign of health meanwhile."""
    quiet: Seconds = 0.5
    """A page is ready when its network has been quiet for this many seconds."""
    settle: Seconds = 5.0
    """A page that never gets quiet is read this many seconds after its DOM was there."""
    reloads: Count = 1
    """How often a page may load itself again, as those do that set a cookie first."""
    visit_bytes: Bytes = 50_000_000
    """What one visit may move over the wire, scripts and styles included."""
    requests: AtLeastOne = 250
    """Requests that one visit may send; images, media and fonts are not loaded and do not count."""
    requests_elsewhere: Count = 50
    """How many of them to any one site but the page's own: a script must not aim us at others."""
    patience: SomeSeconds = 30.0
    """Seconds for a browser to start, and for a page in it to open."""
    nice: Annotated[int, Meta(ge=0, le=19)] = 10
    """How far a browser stands back behind the crawl where the processor is busy: 0 to 19."""


def worn(policy: BrowserPolicy, *, pages: int, age: float, memory: int, errors: int) -> str:
    """Why a browser should be replaced; empty when it may go on (FE-10)."""
    if errors >= policy.errors:
        return f"{errors} errors in a row"
    if pages >= policy.pages:
        return f"{pages} pages"
    if age >= policy.age:
        return f"{age:.0f} s old"
    if memory >= policy.memory:
        return f"{memory / 1e6:.0f} MB"
    return ""
