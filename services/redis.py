"""How is a Redis of one's own run? With a password, and so that a crash loses no answered write."""

from __future__ import annotations

import signal

from services.kind import Launch, Place
from services.obtain import program
from services.ports import ask


class Redis:
    name = "redis"
    ports = 1
    farewell = signal.SIGTERM
    patience = 30.0

    def obtain(self) -> None:
        program("redis-server", "redis-server")

    def prepare(self, place: Place) -> None:
        place.data.mkdir(exist_ok=True)
        settings = {
            "bind": "127.0.0.1",
            "port": str(place.port),
            "requirepass": place.secret,
            "dir": f'"{place.data}"',
            "daemonize": "no",
            "databases": "256",
            # Written before it is answered, so that killing it loses nothing; what the system
            # has not yet brought to the disk is only lost when the machine stops.
            "appendonly": "yes",
            "appendfsync": "no",
            "save": '""',
            **place.options,
        }
        lines = "".join(f"{key} {value}\n" for key, value in settings.items())
        (place.folder / "redis.conf").write_text(lines)

    def launch(self, place: Place) -> Launch:
        server = program("redis-server", "redis-server")
        return Launch([server, str(place.folder / "redis.conf")])

    def is_ready(self, place: Place) -> bool:
        question = f"AUTH {place.secret}\r\nPING\r\n".encode()
        # While it reads its log it answers the second with -LOADING.
        return ask(place.port, question).startswith(b"+OK") and b"+PONG" in ask(
            place.port, question
        )

    def furnish(self, place: Place) -> None:
        pass

    def url(self, place: Place) -> str:
        return f"redis://:{place.secret}@127.0.0.1:{place.port}/0"

    def exports(self, place: Place) -> dict[str, str]:
        return {"TENAX_REDIS": self.url(place)}
