"""Does the benchmark serve saved pages so that every link of theirs is answered?"""

from pathlib import Path

from bench.made_pages import made_pages
from bench.saved import saved_pages, site_of, turned_inwards

NAMES = ["one.html", "two.html"]


def test_relative_links_lead_to_another_page_and_absolute_ones_stay() -> None:
    page = b"""<base href="/x/"><a href="/a#top">1</a><a class=b href='b?c=1'>2</a><a href=c>3</a>
        <a href="https://away.example/">4</a><a href="#here">5</a><a href="mailto:a@b.c">6</a>"""
    turned = turned_inwards(page, NAMES)
    assert b"<base" not in turned
    for name in (b'"/a', b"'b?c", b"=c>"):
        assert name not in turned
    assert turned.count(b"one.html") + turned.count(b"two.html") == 3
    assert b".html#top" in turned
    for kept in (b'"https://away.example/"', b'"#here"', b'"mailto:a@b.c"'):
        assert kept in turned


def test_the_same_link_always_leads_to_the_same_page() -> None:
    page = b'<a href="/a">1</a>'
    assert turned_inwards(page, NAMES) == turned_inwards(page, NAMES)


def test_the_index_names_every_page_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "a.html").write_bytes(b"<p>a")
    (tmp_path / "in" / "deep" / "b.HTM").write_bytes(b"<p>b")
    (tmp_path / "in" / "c.css").write_bytes(b"p{}")
    pages = saved_pages(tmp_path / "in")
    site = site_of(tmp_path / "www", pages)
    index = (site.root / "index.html").read_text()
    names = [path.name for path in site.root.iterdir() if path.name != "index.html"]
    assert pages == [b"<p>a", b"<p>b"]
    assert site.pages == 3
    assert len(names) == 2
    assert all(name in index for name in names)


def test_made_pages_are_the_same_each_time() -> None:
    assert made_pages(5) == made_pages(5)
    assert len(set(made_pages(5))) == 5
