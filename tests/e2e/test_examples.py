"""Do the example programs do what they say?"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

from tenax.adapters.events.kafka import KafkaSink, brokers
from tenax.demo import Reply, Site, SiteRequest, Truth, serving
from tenax.model import Event, EventKind
from tests.live import service
from tests.test_docs import ROOT

EXAMPLES = ROOT / "examples"
TEXT = "The river rose in the night, and by morning the lower bridge could not be crossed. " * 4


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENAX_ALLOW_PRIVATE", "127.0.0.0/8")
    monkeypatch.setenv("TENAX_PACE__DELAY", "0")
    monkeypatch.setenv("TENAX_JOB__DISCOVER", "")


class Shop(Site):
    """One kettle, whose price a test changes."""

    price = "79.00"

    def answer(self, request: SiteRequest) -> Reply:
        offer = {"@type": "Offer", "price": self.price, "priceCurrency": "EUR"}
        told = {"@context": "https://schema.org", "@type": "Product", "name": "Kettle"}
        pages = {
            "/": f'<h1>Shop</h1><p>{TEXT}<a href="/kettle">Kettle</a> <a href="/lost">Lost</a></p>',
            "/kettle": f"<h1>Kettle</h1><p>{TEXT} Steel.</p><script type='application/ld+json'>"
            f"{json.dumps({**told, 'offers': offer})}</script>",
        }
        body = pages.get(request.path)
        return self.missing() if body is None else self.page("Page", body)

    def truth(self) -> Truth:
        return Truth(front=self.url, pages=self.all_at(["/", "/kettle"]))


@pytest.fixture
def shop() -> Iterator[Shop]:
    made = Shop(name="shop", title="Shop", tagline="")
    with serving([made]):
        yield made


def test_a_price_that_falls_is_told_to_a_command(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = load("price_watcher")
    watcher.main([shop.url])
    assert capsys.readouterr().out == ""
    shop.price = "59.00"
    watcher.main([shop.url, "--alert", 'printf %s "$1" > told'])
    line = f"Kettle: 59.00 EUR, was 79.00: {shop.url}kettle"
    assert (capsys.readouterr().out, Path("told").read_text()) == (f"{line}\n", line)
    watcher.main([shop.url])
    assert capsys.readouterr().out == ""


def test_a_broken_link_is_told_with_its_page(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load("broken_links").main([shop.url]) == 1
    assert capsys.readouterr().out == f"{shop.url}lost\n  on {shop.url}\n1 broken links.\n"


def test_news_become_a_table_of_articles() -> None:
    with serving(["news"]) as web:
        load("news_archive").main([web.sites["news"].url, "news.parquet", "--max-pages", "12"])
    table = pq.read_table("news.parquet")
    assert table.column_names == load("news_archive").FIELDS
    assert table.num_rows == 12
    assert any(table["published"].to_pylist())


def test_a_manual_becomes_pieces() -> None:
    with serving(["docs"]) as web:
        load("docs_chunks").main([web.sites["docs"].url, "chunks.jsonl", "--max-pages", "12"])
    rows = [json.loads(line) for line in Path("chunks.jsonl").read_text().splitlines()]
    assert len({row["url"] for row in rows}) > 5
    assert all(0 < len(row["text"]) <= 1_500 for row in rows)


async def test_what_kafka_was_told_is_read_once() -> None:
    broker = urlsplit(service("kafka").url).netloc
    topic = f"example-{uuid.uuid4().hex[:12]}"
    sink = KafkaSink(brokers(f"kafka://{broker}"), {EventKind.FETCHED: topic})
    told = {"fetched_at": "2026-11-18T12:00:00.000Z", "status_code": 200, "cache_key": "ab"}
    events = [
        Event(n, EventKind.FETCHED, bytes(32), json.dumps(
            {**told, "event_id": str(n // 2), "url": f"https://a.example/{n // 2}"}).encode(), 0.0)
        for n in range(4)
    ]  # fmt: skip
    await sink.send(events)
    await sink.close()
    asked = ["--topic", topic, "--group", topic, "--limit", "2"]
    command = [sys.executable, str(EXAMPLES / "kafka_consumer.py"), broker, *asked]
    ran = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=240
    )
    assert ran.returncode == 0, ran.stderr
    assert [line.split()[2] for line in ran.stdout.splitlines()] == [
        "https://a.example/0",
        "https://a.example/1",
    ]


def test_every_example_is_run_and_listed() -> None:
    source, listed = Path(__file__).read_text(), (EXAMPLES / "README.md").read_text()
    for path in EXAMPLES.glob("*.py"):
        assert path.stem in source, f"{path.name} is not run"
        assert f"`{path.name} " in listed, f"{path.name} is not in examples/README.md"
