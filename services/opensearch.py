"""How is an OpenSearch of one's own run? One node from Maven's jars, with the modules we need."""

from __future__ import annotations

import json
import signal
import urllib.request
from pathlib import Path

from services.java import java
from services.kind import Launch, Place
from services.obtain import compiled, jars

# The last line that runs on Java 17; the next wants 21.
VERSION = "2.19.1"

_SOURCE = Path(__file__).with_name("OpenSearchNode.java")
# Its own jar calls this optional, and does not start without it.
_LOGGING = "org.apache.logging.log4j:log4j-core:2.21.0"
_MODULES = [
    "transport-netty4-client",
    "analysis-common",
    "lang-painless",
    "mapper-extras-client",
    "reindex-client",
]


class OpenSearch:
    name = "opensearch"
    ports = 2
    farewell = signal.SIGTERM
    patience = 180.0

    def obtain(self) -> None:
        java()
        _classes()

    def prepare(self, place: Place) -> None:
        place.data.mkdir(exist_ok=True)

    def launch(self, place: Place) -> Launch:
        http, transport = place.ports
        settings = {
            "path.home": str(place.folder),
            "path.data": str(place.data),
            "path.logs": str(place.folder / "logs"),
            "cluster.name": "tenax",
            "node.name": "tenax",
            "discovery.type": "single-node",
            "http.type": "netty4",
            "http.host": "127.0.0.1",
            "http.port": str(http),
            "transport.type": "netty4",
            "transport.host": "127.0.0.1",
            "transport.port": str(transport),
            # A full disk is the developer's business; it must not make an index read-only.
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            **place.options,
        }
        given = [f"{key}={value}" for key, value in settings.items()]
        command = [*java(512), "-cp", f"{_classes()}:{_jars()}/*", "OpenSearchNode", *given]
        return Launch(command)

    def is_ready(self, place: Place) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url(place)}/_cluster/health", timeout=5) as answer:
                return json.load(answer)["status"] in ("green", "yellow")
        except OSError:
            return False

    def furnish(self, place: Place) -> None:
        pass

    def url(self, place: Place) -> str:
        return f"http://127.0.0.1:{place.port}"

    def exports(self, place: Place) -> dict[str, str]:
        return {"OPENSEARCH_URL": self.url(place)}


def _classes() -> Path:
    return compiled(f"opensearch-node-{VERSION}", _SOURCE, _jars())


def _jars() -> Path:
    modules = [f"org.opensearch.plugin:{module}:{VERSION}" for module in _MODULES]
    server = [f"org.opensearch:opensearch:{VERSION}", _LOGGING]
    return jars(f"opensearch-{VERSION}", *server, *modules)
