"""How is a Kafka of one's own run? One node that is broker and controller, from Maven's jars."""

from __future__ import annotations

import shutil
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from services.errors import Missing
from services.java import java
from services.kind import Launch, Place
from services.obtain import jars, once
from services.ports import ask, free_ports

VERSION = "4.1.0"
_ARCHIVE = "classes.jsa"
_CLUSTER = f"{'tenax':A<22}"
"""Its name: 16 bytes in the URL's base64."""

_ONE_NODE = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "4",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # After a crash it is let in again only when it has been missed.
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "500",
    "group.initial.rebalance.delay.ms": "0",
}


class Kafka:
    name = "kafka"
    ports = 2
    farewell = signal.SIGTERM
    patience = 120.0

    def obtain(self) -> None:
        java()
        _jars()
        _classes()

    def prepare(self, place: Place) -> None:
        broker, controller = place.ports
        options = dict(place.options)
        # Ours, not Kafka's: where it is to speak TLS besides, with the `ssl.` settings.
        tls = options.pop("tls.port", "")
        clients = f"PLAINTEXT://127.0.0.1:{broker}" + (f",SSL://127.0.0.1:{tls}" if tls else "")
        settings = _ONE_NODE | {
            "listeners": f"{clients},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": clients,
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "log.dirs": str(place.data),
            **options,
        }
        (place.folder / "server.properties").write_text(_lines(settings))
        _format(place)

    def launch(self, place: Place) -> Launch:
        return Launch(_broker(place, f"-XX:SharedArchiveFile={_classes() / _ARCHIVE}"))

    def is_ready(self, place: Place) -> bool:
        # ApiVersions, version 0, with correlation 1: answered as soon as anything is.
        question = struct.pack(">hhih", 18, 0, 1, -1)
        answer = ask(place.port, struct.pack(">i", len(question)) + question)
        return answer[4:8] == b"\x00\x00\x00\x01"

    def furnish(self, place: Place) -> None:
        pass

    def url(self, place: Place) -> str:
        return f"kafka://127.0.0.1:{place.port}"

    def exports(self, place: Place) -> dict[str, str]:
        return {"TENAX_EVENTS": self.url(place)}


def _broker(place: Place, *flags: str) -> list[str]:
    return [*_kafka(*flags), "kafka.Kafka", str(place.folder / "server.properties")]


def console(script: str) -> list[str]:
    """The command of one of Kafka's own tools, such as org.apache.kafka.tools.ConsoleConsumer."""
    return [*_kafka(), script]


def _format(place: Place) -> None:
    if not (place.data / "meta.properties").exists():
        shutil.copytree(_formatted(), place.data, dirs_exist_ok=True)


def _formatted() -> Path:
    """What a node of ours finds in its empty storage. To write it takes a Java of its own, and it
    is the same for all of them."""

    def fill(folder: Path) -> None:
        settings = _ONE_NODE | {
            "listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
            "advertised.listeners": "PLAINTEXT://127.0.0.1:9092",
            "controller.quorum.voters": "1@127.0.0.1:9093",
            "log.dirs": str(folder),
        }
        with tempfile.NamedTemporaryFile("w", suffix=".properties") as file:
            file.write(_lines(settings))
            file.flush()
            tool = [*_kafka(), "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", file.name]
            made = subprocess.run(tool, capture_output=True, text=True, cwd=folder)
        if made.returncode:
            raise Missing(f"Kafka's storage could not be prepared: {made.stderr.strip()[-500:]}")

    return once(f"kafka-storage-{VERSION}", fill)


def _lines(settings: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def _classes() -> Path:
    """The classes of a running node, checked and laid out, for Java to map into memory: half of
    what starting takes. Where they are missing, or another Java's, they are read from the jars."""

    def fill(folder: Path) -> None:
        kafka, place = Kafka(), Place(folder / "node", tuple(free_ports(Kafka.ports)), "")
        place.folder.mkdir()
        kafka.prepare(place)
        command = _broker(place, f"-XX:ArchiveClassesAtExit={folder / _ARCHIVE}")
        node = subprocess.Popen(
            command, cwd=place.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + kafka.patience
        while not kafka.is_ready(place) and node.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        node.terminate()
        node.wait()
        shutil.rmtree(place.folder)

    return once(f"{_jars().name}-classes", fill)


def _kafka(*flags: str) -> list[str]:
    return [*java(256), *flags, "-cp", f"{_jars()}/*"]


def _jars() -> Path:
    return jars(
        f"kafka-{VERSION}",
        f"org.apache.kafka:kafka_2.13:{VERSION}",
        f"org.apache.kafka:kafka-tools:{VERSION}",
    )
