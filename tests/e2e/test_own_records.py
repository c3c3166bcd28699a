"""Does the guide to records of one's own hold, command by command, as its reader would type it?"""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tenax.demo import serving
from tests.e2e.command import Tenax
from tests.sites.quotes import AUTHORS, QuotesSite

GUIDE = (Path(__file__).parents[2] / "docs/howto/your-own-records.md").read_text()
FIRST, TYPED, _, SHOP = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
(RULES,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)


def authors(tenax: Tenax, name: str = "quote") -> list[str]:
    out = tenax.run("records", name, "--json").out
    return [json.loads(line)["data"]["author"] for line in out.splitlines()]


def test_the_guide_from_the_first_crawl_to_a_mended_selector(tenax: Tenax) -> None:
    site = QuotesSite()
    (tenax.folder / "quotes.py").write_text(FIRST)
    with serving([site]) as web:
        ended = tenax.crawl(site.url, "--handlers", "quotes.py", "--processes", "2")
        assert ended.code == 0, ended.err
        assert "5 records of your own: tenax records" in ended.err
        assert authors(tenax) == [AUTHORS[n % 3] for n in range(1, 6)]
        exported = tenax.run("export", "--records", "quote", "-o", "quotes.parquet")
        assert exported.code == 0, exported.err
        table = pq.read_table(tenax.folder / "quotes.parquet")
        assert table.column("author").to_pylist() == [AUTHORS[n % 3] for n in range(1, 6)]
        assert table.column_names[:2] == ["text", "author"]
        csv = tenax.run(
            "export", "--records", "quote", "--format", "csv", "--fields", "author,_url"
        )
        assert csv.out.splitlines()[:2] == ["author,_url", f"{AUTHORS[1]},{site.origin}/quote/1"]

        asked = len(web.log)
        mended = FIRST.replace('page.css(".author").text', 'page.css(".author").text.upper()')
        (tenax.folder / "quotes.py").write_text(mended + "    1 / 0\n")
        ended = tenax.run("replay", "--handlers", "quotes.py")
        assert ended.code == 0, ended.err
        assert "5 records are told of 5 pages, 5 new, changed or gone" in ended.err
        assert len(web.log) == asked, "a request was sent"
    assert authors(tenax) == [AUTHORS[n % 3].upper() for n in range(1, 6)]
    shown = tenax.run("records", "--history", "1").out
    assert f"author: {AUTHORS[1]}\n" in shown
    assert f"author: {AUTHORS[1].upper()}\n" in shown
    rates = tenax.run("records", "--rates").out
    assert "ZeroDivisionError: division by zero" in rates
    assert f"{site.origin}/quote/" in rates
    assert len(tenax.run("records", "--changed-since", "1h", "--json").out.splitlines()) == 5
    assert tenax.audit().code == 0


def test_the_other_programs_of_the_guide(tenax: Tenax) -> None:
    site = QuotesSite(pages=3)
    for name, text in (("typed.py", TYPED), ("shop.py", SHOP.replace("article", "quote"))):
        (tenax.folder / name).write_text(text)
    (tenax.folder / "tenax.toml").write_text(
        f'handlers = ["typed.py", "shop.py"]\n{RULES.replace("quote", "rule", 1)}'
    )
    with serving([site]):
        assert tenax.crawl(site.url, "--job", "q").code == 0
        liked = tenax.run("records", "liked", "--json").out
        first = json.loads(liked.splitlines()[0])
        assert (first["data"]["likes"], first["version"]) == (1, "2")
        assert first["key"] == f"{site.origin}/quote/1"
        ruled = tenax.run("records", "rule", "--json").out.splitlines()
        assert [json.loads(line)["data"]["likes"] for line in ruled] == [1, 2, 3]
        site.likes[1] = 100
        assert tenax.crawl(site.url, "--job", "q", "--again").code == 0
    record = tenax.run("records", "--history", str(first["id"]), "--json").json
    assert [state["data"]["likes"] for state in record["history"]] == [1, 100]


RULE = '[[records]]\nname = "a"\npattern = "*"\n[records.fields]\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[records]]\nname = "a"\npattern = "*"\n', "needs 'fields'"),
        (RULE.replace("pattern", "patern") + 'b = "b"\n',
         "unknown setting 'patern' in [[records]] number 1, a (tenax.toml). Did you mean"),
        (RULE + 'b = {cs = "b"}\n', "fields: b: unknown field `cs`. Use css, attr,"),
        (RULE + 'b = {css = "b", type = "int"}\n', "fields: b: "),
        (RULE + 'b = "b["\n', "fields.b: invalid CSS selector"),
        ('[records]\nname = "a"\n', "Write it in a table of its own: [[records]]."),
    ],
)  # fmt: skip
def test_a_misspelt_rule_is_an_error(tenax: Tenax, text: str, told: str) -> None:
    (tenax.folder / "tenax.toml").write_text(text)
    ended = tenax.run("config")
    assert ended.code == 2
    assert told in ended.err


def test_a_replay_that_a_handler_ends_names_its_line(tenax: Tenax) -> None:
    site = QuotesSite(pages=1)
    with serving([site]):
        assert tenax.crawl(site.url, "--max-depth", "0", "--delay", "0").code == 0
    (tenax.folder / "deadly.py").write_text(
        "import ctypes\nfrom tenax import on\n\n@on('*')\ndef deadly(page):\n"
        "    ctypes.string_at(0)\n"
    )
    ended = tenax.run("replay", "--handlers", "deadly.py")
    assert ended.code == -signal.SIGSEGV
    assert 'deadly.py", line 6 in deadly' in ended.err
