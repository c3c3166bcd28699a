"""How is a RabbitMQ of one's own run? With its own node name, folders and port mapper."""

from __future__ import annotations

import signal

from services.kind import Launch, Place
from services.obtain import program
from services.ports import ask

# The one in PATH is Debian's wrapper, which becomes another user and another HOME.
_PLACES = ["/usr/lib/rabbitmq/bin", "/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin"]

# The port mapper that Erlang nodes find each other by would otherwise be started as a daemon,
# shared by the whole machine and left behind. As a child it ends with the server.
_RUN = """
"$1" -address 127.0.0.1 -port "$ERL_EPMD_PORT" & mapper=$!
"$2" & server=$!
trap 'kill -TERM $server' TERM INT
wait $server; wait $server
kill $mapper
"""


class RabbitMQ:
    name = "rabbitmq"
    ports = 3
    farewell = signal.SIGTERM
    patience = 120.0

    def obtain(self) -> None:
        program("rabbitmq-server", "rabbitmq-server", _PLACES)

    def prepare(self, place: Place) -> None:
        place.data.mkdir(exist_ok=True)
        settings = {
            "listeners.tcp.1": f"127.0.0.1:{place.port}",
            "default_user": "tenax",
            "default_pass": place.secret,
            "disk_free_limit.absolute": "50MB",
            **place.options,
        }
        lines = "".join(f"{key} = {value}\n" for key, value in settings.items())
        (place.folder / "rabbitmq.conf").write_text(lines)
        (place.folder / "enabled_plugins").write_text("[].\n")
        # Named so that no setting of the machine is read instead.
        (place.folder / "env.conf").write_text("")

    def launch(self, place: Place) -> Launch:
        folder = place.folder
        _, distribution, mapper = place.ports
        quiet = "+sbwt none +sbwtdcpu none +sbwtdio none"
        local = "-kernel inet_dist_use_interface {127,0,0,1}"
        environment = {
            "HOME": str(folder),
            "RABBITMQ_NODENAME": "tenax@localhost",
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "env.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(place.data),
            "RABBITMQ_LOG_BASE": str(folder / "logs"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": f"{quiet} {local}",
            "ERL_EPMD_PORT": str(mapper),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        }
        return Launch(["sh", "-c", _RUN, "sh", _mapper(), _server()], environment)

    def is_ready(self, place: Place) -> bool:
        # A server that speaks this version answers with a method frame, whose first byte is 1.
        return ask(place.port, b"AMQP\x00\x00\x09\x01").startswith(b"\x01")

    def furnish(self, place: Place) -> None:
        pass

    def url(self, place: Place) -> str:
        return f"amqp://tenax:{place.secret}@127.0.0.1:{place.port}//"

    def exports(self, place: Place) -> dict[str, str]:
        return {"TENAX_QUEUE": self.url(place)}


def _server() -> str:
    return program("rabbitmq-server", "rabbitmq-server", _PLACES)


def _mapper() -> str:
    return program("epmd", "erlang-base")
