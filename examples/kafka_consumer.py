"""Read what a fleet of Tenax tells on Kafka: one line a page, with the place of its body.

    python kafka_consumer.py 127.0.0.1:9092

Needs `pip install 'tenax-crawler[kafka]'`. An event may come twice: `event_id` tells.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from aiokafka import AIOKafkaConsumer


async def pages(broker: str, topic: str, group: str) -> AsyncIterator[dict[str, Any]]:
    """Each page once, also where its event comes twice; those dealt with are not read again."""
    consumer = AIOKafkaConsumer(
        topic,
        bootstrap_servers=broker,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    seen: set[str] = set()
    await consumer.start()
    try:
        async for message in consumer:
            event = json.loads(message.value)
            if event["event_id"] not in seen:
                seen.add(event["event_id"])
                yield event
            # Behind what was dealt with: who is killed reads it again, and loses nothing.
            await consumer.commit()
    finally:
        await consumer.stop()


async def read(broker: str, topic: str, group: str, limit: int | None) -> None:
    count = 0
    async for event in pages(broker, topic, group):
        print(
            event["fetched_at"], event["status_code"], event["url"], event["cache_key"], flush=True
        )
        count += 1
        if count == limit:
            break


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("broker")
    parser.add_argument("--topic", default="webpage_log")
    parser.add_argument("--group", default="example")
    parser.add_argument("--limit", type=int, help="end after so many")
    asked = parser.parse_args(arguments)
    asyncio.run(read(asked.broker, asked.topic, asked.group, asked.limit))


if __name__ == "__main__":
    main()
