"""PAGE-3 and URL-7: which links of a page are taken."""

from __future__ import annotations

import pytest

from tenax.page.html import parse
from tenax.page.links import FoundLinks, clean_href, find_links


def found_in(html: str) -> FoundLinks:
    return find_links(parse(html.encode(), "utf-8"))


def hrefs_in(html: str) -> list[str]:
    return list(found_in(html).links)


def test_links_come_in_document_order_and_raw() -> None:
    assert hrefs_in(
        '<a href="b?x=1&amp;y=2">1</a><map><area href="/c d"></map><a href="//e.example">2</a>'
        "<svg><a href=f>3</a></svg>"
    ) == ["b?x=1&y=2", "/c d", "//e.example", "f"]


def test_white_space_and_fragments_are_cut_off() -> None:
    assert hrefs_in('<a href="\n a#x "><a href=" b\t"><a href="c# "><a href="d#y#z">') == [
        "a", "b", "c", "d",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "href",
    ["", " ", "#", "#top", "mailto:a@b", "MAILTO:a@b", "javascript:void(0)", "tel:1", "data:,x",
     "about:blank", "blob:x", " java\nscript:alert(1)", "sms:1"],
)  # fmt: skip
def test_what_no_one_can_crawl_is_dropped(href: str) -> None:
    assert hrefs_in(f'<a href="{href}">x</a>') == []
    assert clean_href(href) == ""


def test_a_colon_does_not_make_a_scheme() -> None:
    assert hrefs_in('<a href="/wiki/Data:x"><a href="?q=a:b"><a href="x/tel:1">') == [
        "/wiki/Data:x", "?q=a:b", "x/tel:1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "link",
    ["rel=canonical href=x", "rel=next href=x", 'rel="PREV" href=x',
     "rel=alternate hreflang=de href=x",
     'rel=alternate type="text/html; charset=utf-8" href=x',
     "rel=alternate media=screen hreflang=de href=x"],
)  # fmt: skip
def test_link_elements_that_name_pages_are_links(link: str) -> None:
    assert hrefs_in(f"<link {link}>") == ["x"]


@pytest.mark.parametrize(
    "link",
    ["rel=stylesheet href=x", 'rel="alternate stylesheet" href=x', "rel=icon href=x",
     'rel=alternate media="only screen and (max-width: 640px)" href=x',
     "rel=alternate type=application/rss+xml href=x", "rel=preload href=x", "href=x",
     "rel=canonical"],
)  # fmt: skip
def test_link_elements_that_name_other_things_are_not(link: str) -> None:
    assert hrefs_in(f"<link {link}>") == []


@pytest.mark.parametrize("rel", ["nofollow", "UGC", "noopener sponsored", "\tnofollow\n"])
def test_relations_that_ask_not_to_follow_are_marked(rel: str) -> None:
    """ROB-3."""
    found = found_in(f'<a href=x rel="{rel}"><a href=y>')
    assert found.links == ("x", "y")
    assert found.unfollowed == frozenset({"x"})


def test_a_relation_that_only_contains_the_word_is_not_one() -> None:
    assert found_in('<a href=x rel="nofollower noopener">').links == ("x",)


@pytest.mark.parametrize(
    "html",
    ["<a href=x rel=nofollow></a><a href=x>", "<a href=x></a><a href=x rel=nofollow>",
     "<a href=x#1 rel=nofollow></a><a href=' x#2'>"],
)  # fmt: skip
def test_a_link_is_followable_when_one_of_its_occurrences_is(html: str) -> None:
    found = found_in(html)
    assert (found.links, found.unfollowed) == (("x",), frozenset())


@pytest.mark.parametrize("rel", ["rel=nofollow", "REL = ' NoFollow '", "rel='&#110;ofollow'"])
def test_occurrences_are_counted_however_they_are_written(rel: str) -> None:
    asked = f'<a {rel} href="/a"></a><a {rel} href=" /a#x"></a><a {rel} href="/a\n"></a>'
    assert found_in(asked + "<a href=/b>").unfollowed == {"/a"}
    assert found_in(asked + '<a href="\t/a#y">').unfollowed == frozenset()


def test_a_page_gives_at_most_a_thousand_links_from_its_start() -> None:
    """URL-7."""
    hrefs = hrefs_in("".join(f"<a href=/{n}></a>" for n in range(1_500)))
    assert hrefs == [f"/{n}" for n in range(1_000)]


def test_repeated_links_do_not_use_up_the_thousand() -> None:
    assert len(hrefs_in("<a href=/same></a>" * 5_000 + "<a href=/other></a>")) == 2


def test_links_in_noscript_count_and_those_in_templates_do_not() -> None:
    assert hrefs_in(
        "<noscript><a href=a></a></noscript><template><a href=b></a></template>"
        "<script>'<a href=c>'</script><!-- <a href=d> --><textarea><a href=e></textarea>"
    ) == ["a"]


def test_links_in_a_declared_shadow_root_count_as_a_browser_shows_them() -> None:
    assert hrefs_in(
        "<x-card><template shadowrootmode=open><a href=a></a><template><a href=b></a></template>"
        "</template></x-card><a href=c>"
    ) == ["a", "c"]


def test_licences_and_the_canonical_are_reported_beside_the_links() -> None:
    found = found_in(
        "<link rel=license href=/l1><link rel=canonical href=/c1><link rel=canonical href=/c2>"
        "<a rel='license noopener' href=/l2>"
    )
    assert found.licences == ("/l1", "/l2")
    assert found.canonical == "/c1"


def test_the_link_to_the_next_page_is_reported_as_it_is_spelled() -> None:
    """DISC-3: by `link` or `a`, whichever stands first; elements of the head do."""
    assert found_in("<a rel=next href=' /2#top'>on</a><a href=/3>3</a>").onward == "/2"
    assert found_in("<a rel='nofollow next' href=/a>on</a><link rel=NEXT href=/b>").onward == "/b"
    assert found_in("<a href=/next>next</a><link rel=prev href=/1>").onward == ""


def test_frames_show_what_links_would_lead_to() -> None:
    frames = "<frameset><frame src='a#x'><frame src=b><frame src=a></frameset>"
    assert found_in(frames).framed == ("a", "b")
    inline = "<p><iframe src=' c '></iframe><iframe src=about:blank></iframe><iframe></iframe>"
    assert found_in(inline).framed == ("c",)
    assert hrefs_in(frames + inline) == [], "the reader of the page adds those of its own site"


def test_links_for_browsers_without_frames_are_links() -> None:
    assert hrefs_in(
        "<frameset><frame src=a><noframes><body><a href='b?x=1&amp;y=2'>b</a></noframes></frameset>"
    ) == ["b?x=1&y=2"]
    assert hrefs_in("<p><a href=a>a</a><noframes><a href=b>b</a></noframes>") == ["a", "b"]
