"""Which servers can the tests and a developer have? Private ones, started here and kept apart.

    import services

    services.require("postgres").url                   # shared by this checkout, started if needed
    with services.private("redis", folder) as redis:   # one's own, to take down and up again
        redis.kill()
        redis.start()

Everything lies in `.services/` at the root of the repository; what had to be downloaded is kept in
`$XDG_CACHE_HOME/tenax-services`. Nothing outside is started, stopped or configured.
"""

from __future__ import annotations

from services.catalogue import NAMES, private, require, running, shared
from services.errors import Missing
from services.instance import Service

__all__ = ["NAMES", "Missing", "Service", "private", "require", "running", "shared"]
