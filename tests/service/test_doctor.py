"""Does `doctor` see each server that the settings name, up, down and refused? (MODE-1)"""

from __future__ import annotations

import asyncio
from pathlib import Path

import kombu
import pytest
from msgspec.structs import replace

from tenax.adapters.celery import queue as celery_queue
from tenax.adapters.content.s3 import Bucket
from tenax.adapters.events import kafka
from tenax.compose.checkup import examine
from tenax.crawl.fleet.handout import DispatchPolicy
from tenax.ops.events.delivery import RelayPolicy
from tenax.ops.health.doctor import Check, CheckVerdict, diagnose
from tenax.settings import Settings
from tests.buckets import url_of
from tests.live import service

pytestmark = pytest.mark.usefixtures("patient_redis")

NOBODY = "127.0.0.1:9"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the servers, too, that have other limits than Redis."""
    monkeypatch.setattr(kafka, "_REQUEST_MS", 120_000)
    monkeypatch.setattr(celery_queue, "_LIMIT", 120)


async def look(settings: Settings, name: str) -> list[Check]:
    facts = await asyncio.to_thread(examine, settings)
    return [check for check in diagnose(facts) if check.name == name]


async def test_where_no_server_is_named_none_is_spoken_of(tmp_path: Path) -> None:
    facts = await asyncio.to_thread(examine, Settings(data=str(tmp_path)))
    assert facts.servers == ()


@pytest.mark.parametrize("name", ["redis", "rabbitmq"])
async def test_a_queue_that_answers_is_fine(tmp_path: Path, name: str) -> None:
    settings = Settings(data=str(tmp_path), queue=service(name).url)
    (check,) = await look(settings, "queue")
    assert check.verdict is CheckVerdict.OK
    assert service(name).url not in str(check), "the password stays with us"


async def test_a_look_makes_no_queue(tmp_path: Path) -> None:
    url = service("rabbitmq").url
    settings = Settings(data=str(tmp_path), queue=url, dispatch=DispatchPolicy(name="never-made"))
    await look(settings, "queue")
    with kombu.Connection(url) as connection, pytest.raises(Exception, match="404"):
        connection.default_channel.queue_declare("never-made", passive=True)


@pytest.mark.parametrize(
    "queue", [f"redis://:secret@{NOBODY}/0", f"amqp://u:secret@{NOBODY}", "redis:", "sqs://x"]
)
async def test_a_queue_that_cannot_be_had_fails_with_what_to_do(tmp_path: Path, queue: str) -> None:
    (check,) = await look(Settings(data=str(tmp_path), queue=queue), "queue")
    assert check.verdict is CheckVerdict.FAIL
    assert check.advice
    assert "secret" not in str(check)


async def test_the_queue_on_the_shared_redis_is_looked_at(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path), queue="redis:", redis=service("redis").url)
    (check,) = await look(settings, "queue")
    assert check.verdict is CheckVerdict.OK


async def test_a_kafka_without_the_topics_is_a_warning(tmp_path: Path) -> None:
    settings = Settings(
        data=str(tmp_path), events=service("kafka").url, relay=RelayPolicy(topic="never-made")
    )
    (check,) = await look(settings, "Kafka")
    assert check.verdict is CheckVerdict.WARN
    assert "never-made" in check.advice


@pytest.mark.parametrize("events", [f"kafka://u:secret@{NOBODY}", "kafka://", "nats://x"])
async def test_a_kafka_that_cannot_be_had_fails(tmp_path: Path, events: str) -> None:
    (check,) = await look(Settings(data=str(tmp_path), events=events), "Kafka")
    assert check.verdict is CheckVerdict.FAIL
    assert "secret" not in str(check)


async def test_a_bucket_that_answers_is_fine(tmp_path: Path, s3: Bucket) -> None:
    (check,) = await look(Settings(data=str(tmp_path), content=url_of(s3)), "content")
    assert check.verdict is CheckVerdict.OK


async def test_a_bucket_that_is_not_there_and_an_account_that_may_not_are_told_apart(
    tmp_path: Path, s3: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Settings(data=str(tmp_path), content=url_of(replace(s3, name="nowhere")))
    (check,) = await look(elsewhere, "content")
    assert check.verdict is CheckVerdict.FAIL
    assert "Create the bucket" in check.advice
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    (check,) = await look(Settings(data=str(tmp_path), content=url_of(s3)), "content")
    assert check.verdict is CheckVerdict.FAIL
    assert "AWS_SECRET_ACCESS_KEY" in check.advice
