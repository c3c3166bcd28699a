"""Can Kafka be told by TLS, with an authority of one's own and a certificate of ours?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from services.ports import free_ports
from tenax.adapters.events import kafka
from tenax.adapters.events.kafka import KafkaEvents, KafkaSink, brokers
from tenax.model import Event, EventKind
from tenax.ops.secrets import masked
from tenax.ports import Unavailable
from tests.authority import Authority
from tests.live import own_service

TOPICS = {EventKind.FETCHED: "log", EventKind.FAILED: "dead"}
EVENT = Event(1, EventKind.FETCHED, b"k" * 32, b"{}", 0.0)


@dataclass
class Broker:
    """A Kafka that lets nobody in whom its authority does not vouch for."""

    port: int
    authority: Authority

    def url(self, **options: object) -> str:
        asked = "&".join(f"{name}={quote(str(value))}" for name, value in options.items())
        return f"kafka://127.0.0.1:{self.port}?{asked}"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    folder = tmp_path_factory.mktemp("kafka")
    authority = Authority(folder / "certificates")
    certificate, key = authority.vouch("server")
    both = folder / "certificates" / "keystore.pem"
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    (port,) = free_ports(1)
    options = {
        "tls.port": str(port),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(both),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.path),
        "ssl.client.auth": "required",
    }
    with own_service("kafka", folder / "server", **options):
        yield Broker(port, authority)


async def test_events_are_told_and_read_with_a_certificate_of_ours(broker: Broker) -> None:
    cert, key = broker.authority.vouch("client", "hush")
    where = brokers(broker.url(ca=broker.authority.path, cert=cert, key=key, key_password="hush"))
    sink = KafkaSink(where, TOPICS)
    await sink.send([EVENT])
    await sink.close()
    source = KafkaEvents(where, TOPICS, "readers", from_beginning=True)
    assert [event.value for event in await source.read(10)] == [EVENT.value]
    await source.close()


@pytest.mark.parametrize("lacks", ["ca", "cert"])
async def test_without_either_nobody_is_told_anything(
    broker: Broker, lacks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that we do not know, and one that does not know us."""
    monkeypatch.setattr(kafka, "_FLUSH", 10.0)
    cert, key = broker.authority.vouch("client")
    options = {"ca": broker.authority.path, "cert": cert, "key": key}
    given = {"cert": ("ca",), "ca": ("cert", "key")}[lacks]
    where = brokers(broker.url(**{name: options[name] for name in given}))
    sink = KafkaSink(where, TOPICS)
    with pytest.raises(Unavailable, match="Kafka does not answer"):
        await sink.send([EVENT])
    await sink.close()


def test_what_cannot_be_read_is_told_by_its_name_and_the_password_is_not(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    cert, key = authority.vouch("client", "hush")
    nowhere = tmp_path / "nowhere.pem"
    for wrong, told in (
        (f"ca={nowhere}", r"ca=.*nowhere\.pem: no certificates can be read there \(No such file"),
        (f"cert={nowhere}", r"cert=.*nowhere\.pem: no certificate with its key"),
        (f"cert={cert}&key={key}", r"client\.key: no certificate with its key .* key_password"),
        (f"cert={cert}&key={key}&key_password=wrong-one", r"client\.key: no certificate with"),
        (f"key={key}", "a key needs the certificate"),
    ):
        with pytest.raises(ValueError, match=told) as caught:
            brokers(f"kafka://a?{wrong}")
        assert "wrong-one" not in str(caught.value)


def test_a_certificate_means_tls_and_its_password_is_never_shown(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    cert, key = authority.vouch("client", "hush")
    url = f"kafka://a?cert={cert}&key={key}&key_password=hush"
    assert brokers(url).options["security_protocol"] == "SSL"
    assert (
        brokers(f"kafka://me:pw@a?ca={authority.path}").options["security_protocol"] == "SASL_SSL"
    )
    assert "hush" not in str(masked("events", url))
