"""Which S3 do tests use? A folder of their own in the bucket that all share."""

from __future__ import annotations

import uuid
from urllib.parse import parse_qs, urlsplit

import pytest

import services
from tenax.adapters.content.s3 import Bucket
from tests.live import service


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """An empty place in a running server, and the account to use it with."""
    return bucket_in(service("s3"), monkeypatch)


def bucket_in(server: services.Service, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    for name, value in server.exports.items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    url = urlsplit(server.url)
    asked = {name: values[0] for name, values in parse_qs(url.query).items()}
    return Bucket(url.netloc, uuid.uuid4().hex, **asked)


def url_of(bucket: Bucket) -> str:
    asked = f"endpoint={bucket.endpoint}&region={bucket.region}"
    return f"s3://{bucket.name}/{bucket.prefix}?{asked}"
