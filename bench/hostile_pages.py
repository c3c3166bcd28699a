"""What does a page take that was made to take everything? Shape by shape, each in a child.

    python -m bench.hostile_pages [--size 10000000] [--json]

Prints of each shape its bytes, how many nodes its tree has at most as told by its bytes alone, how
many it has where it is built, and the memory and processor time of reading it: as a visit does,
then as Markdown. Nothing may take more than 300 MB and 3 s.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

import turbohtml
from msgspec import Struct

from bench.report import Table
from tenax.fetch.reading import Reading, examine
from tenax.model import Headers, Response
from tenax.page.bounds import MOST_NODES, most_nodes
from tenax.page.read import read
from tenax.page.reading.document import Document
from tenax.page.verdict.pattern_table import shipped

MEGABYTE = 1_000_000
SIZE = 10 * MEGABYTE
MOST_MEMORY = 2_000 * MEGABYTE
"""Where the kernel ends a child, so that no shape takes the machine down."""
MOST_SECONDS = 60
_DIED = "died"

Make = Callable[[int], bytes]


def again(head: bytes, unit: bytes, tail: bytes = b"") -> Make:
    return lambda size: head + unit * ((size - len(head) - len(tail)) // len(unit)) + tail


def counted(unit: bytes, head: bytes = b"", tail: bytes = b"") -> Make:
    """Units that differ by their number."""

    def make(size: int) -> bytes:
        count = (size - len(head) - len(tail)) // (len(unit) + 4)
        return head + b"".join(unit.replace(b"#", b"%d" % n) for n in range(count)) + tail

    return make


def opened(count: int, tag: bytes = b"b") -> bytes:
    """Formatting that is never closed, no two alike."""
    return b"".join(b"<%s a%d=1>" % (tag, n) for n in range(count))


def nested(start: bytes, end: bytes, around: bytes = b"<script type=application/ld+json>") -> Make:
    return lambda size: around + start * (size // 2) + end * (size // 2 - 100) + b"</script>"


_DEEP = b"<span>" * 100_000
_LD = b"<script type=application/ld+json>"
_SHOP = b'<meta property="og:type" content="product">'

SHAPES: dict[str, Make] = {
    "paragraphs in open formatting": again(b"<p>" + opened(480), b"<p>x"),
    "few formatting elements": again(b"<p>" + opened(20), b"<p>x"),
    "equal formatting elements": again(b"<p>" + b"<b><i><u><s>" * 10, b"<p>x"),
    "fonts": again(b"<div>" + opened(300, b"font") + b"</div>", b"<div>x</div>"),
    "formatting with many attributes": again(
        b"<p><font " + b" ".join(b"a%d" % n for n in range(1000)) + b">", b"<p>x"),
    "attributes behind a <": again(
        b"<p><font <" + b" <".join(b"a%d" % n for n in range(1000)) + b">", b"<p>x"),
    "formatting hidden in a comment": again(
        b"<p>" + b"".join(b"<b a%d><!--</b>-->" % n for n in range(400)), b"<p>x"),
    "formatting hidden in a quote": again(
        b"<p>" + b"".join(b"<b a%d><i b='</b>'></i>" % n for n in range(400)), b"<p>x"),
    "formatting hidden in a script": again(
        b"<p>" + b"".join(b"<b a%d><script>'</b>'</script>" % n for n in range(300)), b"<p>x"),
    "formatting behind a marker": again(
        b"<p>" + b"".join(b"<b a%d><object></b></object>" % n for n in range(300)), b"<p>x"),
    "formatting in a drawing": again(
        b"<p>" + b"".join(b"<b a%d><svg><desc></b></desc></svg>" % n for n in range(300)), b"<p>x"),
    "formatting around nine blocks": again(b"<section>" + b"".join(
        b"<b a%d>%s</b>%s" % (n, b"<div>" * 9, b"</div>" * 9) for n in range(300)) + b"</section>",
        b"<section>x</section>"),
    "paragraphs closed by blocks": again(b"<section>" + b"".join(
        b"<b a%d>%s</b>%s" % (n, b"<p><div></p>" * 9, b"</div>" * 9) for n in range(300))
        + b"</section>", b"<section>x</section>"),
    "one of two of a name": again(b"<section>" + b"".join(
        b"<tt a%d><nav><nav><tt></nav></tt></nav>" % n for n in range(300)) + b"</section>",
        b"<section>x</section>"),
    "anchors around nine blocks": counted(b"<a x#>" + b"<div>" * 9),
    "anchors never closed": counted(b"<a href=#><p>"),
    "nobr": counted(b"<p><nobr a#>"),
    "misnested": again(b"", b"<b><p></b>"),
    "misnested eightfold": again(
        b"<a><b><i><u><em><big><tt><s><code>", b"<p></a></b></i></u></em></big></tt></s></code>"),
    "formatting in tables": counted(b"<table><b a#>"),
    "rows in open formatting": again(b"<table>" + opened(300), b"<tr>x"),
    "cells in open formatting": again(b"<table><td><p>" + opened(300), b"<p>x"),
    "templates in open formatting": again(b"<template><p>" + opened(300), b"<p>x"),
    "tables in tables": again(b"", b"<table><tr><td>"),
    "text in tables": again(b"<table>", b"x<b>"),
    "html attributes": counted(b"<html a#=1>"),
    "body attributes": counted(b"<body a#=1>"),
    "attributes of one tag": counted(b" a#", b"<p", b">"),
    "one attribute again": again(b"<p", b" a", b">"),
    "many small tags": again(b"", b"<p>"),
    "formatting and paragraphs": again(b"", b"<b><p>"),
    "deep blocks": again(b"", b"<div>"),
    "deep formatting": counted(b"<b a#>"),
    "ends in a deep page": again(_DEEP, b"</x>"),
    "ends in a deep drawing": again(b"<svg>" + b"<g>" * 100_000, b"</x>"),
    "items in a deep page": again(b"<ul>" + _DEEP, b"<li></li>"),
    "headings ended in a deep page": again(_DEEP, b"</h1>"),
    "ends of formatting in formatting": again(opened(80_000), b"</i>"),
    "list items": again(b"<ul>", b"<li>"),
    "terms": again(b"<dl>", b"<dd><dt>"),
    "templates": again(b"", b"<template>"),
    "options": again(b"<select>", b"<option>"),
    "drawings": again(b"", b"<svg><p>"),
    "formulas": again(b"", b"<math><mi><p>"),
    "frames": again(b"<frameset>", b"<frame>"),
    "ruby": again(b"<ruby>", b"<rb>x<rt>y<rp>"),
    "buttons": again(b"", b"<button><p>"),
    "headings": again(b"", b"<h1><h2>"),
    "forms": again(b"", b"<form><div></form>"),
    "markers": again(b"", b"<marquee><b>x"),
    "ends that make elements": again(b"", b"</p></br>"),
    "comments": again(b"", b"<!>"),
    "doctypes": again(b"", b"<!doctype html>"),
    "text": again(b"", b"word "),
    "references": again(b"", b"&#1"),
    "zeros": again(b"", b"\0"),
    "zeros in a name": again(b"<p a", b"\0", b">"),
    "nothing but <": again(b"", b"<"),
    "slashes in a tag": again(b"<p ", b"/", b">"),
    "unclosed values": again(b"", b"<p a='"),
    "unclosed values of formatting": again(b"", b"<b a='<b \""),
    "scripts": again(b"", b"<script></script>"),
    "script in script": again(b"<script>", b"<!--<script>"),
    "text areas": again(b"", b"<textarea></textarea>"),
    "shadow roots": again(b"", b"<div><template shadowrootmode=open>x"),
    "data nested": nested(b"[", b"]"),
    "data of objects": again(_SHOP + _LD, b'{"@type":'),
    "data of lists": again(_SHOP + _LD + b'["articleBody",', b"[],", b"1]</script>"),
    "data again and again": again(
        _SHOP, _LD + b'{"@type":"Product","name":"x","offers":{"price":3}}</script>'),
    "markings": again(
        _SHOP, b"<div itemscope itemtype=http://schema.org/Product><i itemprop=name>x</i>"),
    "links": counted(b"<p><a href=#>x</a>"),
    "metas": counted(b"<meta name=a# content=b>"),
    "UTF-16": lambda size: (
        b"\xff\xfe" + again(b"<p>" + opened(480), b"<p>x")(size // 2).decode().encode("utf-16le")),
}  # fmt: skip
XML = "application/xhtml+xml"
_XHTML = b'<html xmlns="http://www.w3.org/1999/xhtml"><body>'
XHTML_SHAPES: dict[str, Make] = {
    "XHTML, many small tags": again(_XHTML, b"<p/>", b"</body></html>"),
    "XHTML, deep": lambda size: _XHTML + b"<i>" * (size // 7) + b"</i>" * (size // 7),
    "XHTML, open formatting": again(
        _XHTML + b"<p>" + opened(400).replace(b"=1", b"='1'"), b"<p>x</p>"),
    "XHTML, entities": again(
        b'<!DOCTYPE x [<!ENTITY a "bbbbbbbbbb"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>' + _XHTML,
        b"&b;", b"</body></html>"),
    "XHTML, data": again(_XHTML, b"<![CDATA[<b>]]>", b"</body></html>"),
    "XHTML, namespaces": again(_XHTML, b"<a:p xmlns:a='a'/>", b"</body></html>"),
}  # fmt: skip


class Taken(Struct):
    """What reading one shape took."""

    shape: str
    bytes: int
    bound: int
    nodes: int = -1
    """Of its tree; -1 where none is built."""
    megabytes: float = 0.0
    seconds: float = 0.0
    end: str = _DIED


def measure(shape: str, size: int) -> Taken:
    """In a child of ours: what it took is all gone afterwards, whatever it was."""
    make = SHAPES.get(shape) or XHTML_SHAPES[shape]
    kind = XML if shape in XHTML_SHAPES else "text/html; charset=utf-8"
    body = make(size)
    charset = "utf-16le" if body[:2] == b"\xff\xfe" else "utf-8"
    taken = Taken(shape, len(body), most_nodes(body, charset))
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        _limit()
        _answer(writer, _read(body, kind, taken))
    os.close(writer)
    with open(reader, "rb") as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return Taken(**json.loads(said)) if said else taken


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_virtual() + MOST_MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(body: bytes, kind: str, taken: Taken) -> Taken:
    base, began = _status("VmRSS"), time.process_time()
    response = Response("https://a.example/", 200, Headers((("content-type", kind),)), body)
    try:
        seen = examine(Reading(response, 1.0, products=True), SIGNATURES)
        Document(body, response.url, kind).markdown  # noqa: B018
    except MemoryError:
        return taken
    taken.seconds = round(time.process_time() - began, 2)
    taken.megabytes = round((_status("VmHWM") - base) / 1000, 1)
    taken.end = "too_large" if getattr(seen, "too_large", "") else type(seen).__name__
    if taken.bound <= MOST_NODES and kind != XML:
        tree = turbohtml.parse(body, positions=False, allow_declarative_shadow_roots=False)
        taken.nodes = sum(1 for _ in tree.descendants)
    return taken


def _answer(writer: int, taken: Taken) -> None:
    os.write(writer, json.dumps({name: getattr(taken, name) for name in TOLD}).encode())
    os._exit(0)


def _status(name: str) -> int:
    """In kilobytes."""
    told = Path("/proc/self/status").read_text()
    return int(told.partition(f"{name}:")[2].split()[0])


def _virtual() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


TOLD = Taken.__struct_fields__
SIGNATURES = shipped()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=SIZE, help="bytes of each page")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each shape")
    options = parser.parse_args()
    # What is loaded when first needed is no page's.
    warm = Response("https://a.example/", 200, Headers(()), b"<p>" + _SHOP)
    read(warm, fetched_at=1.0, products=True)
    Document(b"<p>x", warm.url).markdown  # noqa: B018
    rows = []
    for shape in (*SHAPES, *XHTML_SHAPES):
        taken = measure(shape, options.size)
        rows.append(taken)
        if options.json:
            print(json.dumps({name: getattr(taken, name) for name in TOLD}), flush=True)
    if not options.json:
        lines = [
            [row.shape, f"{row.bytes:,}", f"{row.bound:,}", f"{row.nodes:,}" if row.nodes >= 0
             else "", f"{row.megabytes:.0f}", f"{row.seconds:.2f}", row.end] for row in rows
        ]  # fmt: skip
        columns = ["shape", "bytes", "bound", "nodes", "MB", "s", "end"]
        notes = ["`bound`: nodes at most, as told by the bytes; `nodes`: of the tree, if any."]
        print(Table("hostile pages", "what reading them takes", columns, lines, notes).markdown())


if __name__ == "__main__":
    main()
