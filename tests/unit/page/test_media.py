"""What a body is taken for when the server says, and when it does not."""

from __future__ import annotations

import pytest

from tenax.page.media import MediaKind, kind_of, settle_type


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<!DOCTYPE html><p>x", "text/html"),
        (b"\xef\xbb\xbf  <html lang=en>", "text/html"),
        (b"<!-- saved page --> <head>", "text/html"),
        (b'<?xml version="1.0"?><rss version="2.0">', "application/xml"),
        (b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="x">', "application/xhtml+xml"),
        (b'{"a": 1}', "application/json"),
        (b"[1, 2]", "application/json"),
        (b"Dear reader,\n", "text/plain"),
        (b"", "text/plain"),
        (b"\x89PNG\r\n\x1a\n\0\0", "application/octet-stream"),
        (b"\xff\xfea\0b\0", "text/plain"),
    ],
)
def test_a_body_without_a_type_is_looked_at(body: bytes, content_type: str) -> None:
    assert settle_type("", body) == content_type
    assert settle_type("application/octet-stream", body) == content_type


@pytest.mark.parametrize("header", ["html", "*/*", ";charset=utf-8", "binary/octet-stream"])
def test_a_header_that_names_no_type_is_no_header(header: str) -> None:
    assert settle_type(header, b"<!doctype html>") == "text/html"


@pytest.mark.parametrize("header", ["Text/HTML; charset=x", "text/html, text/html", " text/html "])
def test_a_type_is_read_however_it_is_written(header: str) -> None:
    assert settle_type(header, b"") == "text/html"


def test_a_type_the_server_names_is_believed() -> None:
    assert settle_type("text/plain", b"<!DOCTYPE html>") == "text/plain"


def test_only_markup_meant_to_be_html_is_parsed() -> None:
    assert kind_of("text/html") is MediaKind.HTML
    assert kind_of("application/xhtml+xml") is MediaKind.XHTML
    for other in ("text/plain", "application/json", "application/rss+xml", "text/css"):
        assert kind_of(other) is MediaKind.TEXT
    assert kind_of("application/octet-stream") is MediaKind.BINARY
    assert kind_of("application/pdf") is MediaKind.PDF
