"""DISC-1: what sitemaps, feeds and lists of URLs name, in all the forms they come in."""

from __future__ import annotations

import gzip

import pytest
from msgspec.structs import replace

from tenax.discover.gathered import ListingPolicy
from tenax.discover.listings import read_listing
from tenax.model import Listing, ListingEntry, Role

URL = "https://a.example/maps/sitemap.xml"
NOW = 1_790_000_000.0
JANUARY_2 = 1_704_153_600.0  # 2024-01-02, midnight


def read(body: str | bytes, content_type: str = "", **policy: int) -> Listing | None:
    raw = body.encode() if isinstance(body, str) else body
    return read_listing(raw, URL, content_type, replace(ListingPolicy(), **policy), now=NOW)


def listed(body: str | bytes, content_type: str = "", **policy: int) -> Listing:
    listing = read(body, content_type, **policy)
    assert listing is not None
    return listing


def urls(body: str | bytes, content_type: str = "") -> list[str]:
    listing = listed(body, content_type)
    assert listing.problem == ""
    return [entry.url for entry in listing.entries]


def urlset(*items: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"{''.join(f'<url>{item}</url>' for item in items)}</urlset>"
    )


# Sitemaps.


def test_a_urlset_lists_pages_with_the_time_of_their_last_change() -> None:
    body = urlset(
        "<loc>https://a.example/1</loc><lastmod>2024-01-02</lastmod><priority>0.5</priority>",
        "<loc>https://a.example/2</loc>",
    )
    assert read(body) == Listing(
        Role.SITEMAP,
        (ListingEntry("https://a.example/1", JANUARY_2), ListingEntry("https://a.example/2")),
    )


def test_an_index_lists_further_sitemaps() -> None:
    body = (
        "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc>"
        "<lastmod>2024-01-02</lastmod></sitemap></sitemapindex>"
    )
    expected = ListingEntry("https://a.example/1.xml.gz", JANUARY_2, is_sitemap=True)
    assert read(body) == Listing(Role.SITEMAP, (expected,))


def test_pages_and_sitemaps_in_one_document_are_told_apart() -> None:
    body = "<urlset><sitemap><loc>/1.xml</loc></sitemap><url><loc>/2</loc></url></urlset>"
    assert [entry.is_sitemap for entry in listed(body).entries] == [True, False]


def test_an_empty_sitemap_is_one() -> None:
    assert read(urlset()) == Listing(Role.SITEMAP, ())


@pytest.mark.parametrize(
    "loc",
    [
        "https://a.example/x?a=1&amp;b=2",
        "https://a.example/x?a=1&b=2",
        "<![CDATA[https://a.example/x?a=1&b=2]]>",
        "\n\t https://a.example/x?a=1&#38;b=2 \r\n",
        "<![CDATA[\n https://a.example/x?a=1]]>&amp;b<![CDATA[=2 ]]>",
        "/x?a=1&amp;b=2",
        "../x?a=1&amp;b=2",
        "//a.example/x?a=1&amp;b=2",
        "<!-- here -->https://a.example/x?a=1&amp;b=2",
    ],
)
def test_a_url_is_read_however_it_is_written(loc: str) -> None:
    assert urls(urlset(f"<loc>{loc}</loc>")) == ["https://a.example/x?a=1&b=2"]


def test_bare_ampersands_are_told_from_others_wherever_the_pieces_end_that_are_read() -> None:
    item = "<loc>/1?a&b&amp;c</loc></url><url><loc><![CDATA[/2?a&b&amp;c]]></loc>"
    expected = ["https://a.example/1?a&b&c", "https://a.example/2?a&b&amp;c"]
    before = len(urlset(f"<!--{item}")) - len("</url></urlset>")
    for end in range(len(item) + 10):
        body = urlset(f"<!--{'x' * (16_384 - before + end - 7)}-->{item}")
        assert urls(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "<urlset><url><loc>/x</loc></url></urlset>",
        '<urlset xmlns="http://wrong.example/"><url><loc>/x</loc></url></urlset>',
        "<sm:urlset><sm:url><sm:loc>/x</sm:loc></sm:url></sm:urlset>",
        "<urlset><ns0:url><ns0:loc>/x</ns0:loc></ns0:url></urlset>",
        "<URLSET><Url><LOC>/x</LOC></Url></URLSET>",
        "\n\n <?xml version='1.0'?><urlset><url><loc>/x</loc></url></urlset>",
        "Notice: something failed\n<urlset><url><loc>/x</loc></url></urlset>",
        '<br />\n<b>Warning</b>: failed in <i>x</i><br />\n<?xml version="1.0"?>'
        "<urlset><url><loc>/x</loc></url></urlset>",
        "<?xml-stylesheet href='x.xsl'?><!-- a > b --><urlset><url><loc>/x</loc></url></urlset>",
        "<!DOCTYPE urlset SYSTEM 'x.dtd'><urlset><url><loc>/x</loc></url></urlset>",
        "<urlset><a><b><url><loc>/x</loc></url></b></a></urlset>",
        "<urlset><url>&nbsp;<loc>/x</loc></url></urlset>",
        "<urlset><url><loc>/x</loc></url>\x0c\x00</urlset>",
    ],
)
def test_what_is_wrong_about_the_frame_does_not_matter(body: str) -> None:
    assert urls(body) == ["https://a.example/x"]


def test_images_and_videos_are_no_pages() -> None:
    body = urlset(
        "<image:image><image:loc>https://a.example/0.png</image:loc></image:image>"
        "<image><loc>https://a.example/0.png</loc></image><loc>https://a.example/1</loc>"
        "<image:image><image:loc>https://a.example/1.png</image:loc></image:image>"
        '<image xmlns="http://www.google.com/schemas/sitemap-image/1.1"><loc>/2.png</loc></image>'
        "<image:loc>https://a.example/3.png</image:loc>"
        "<video:video><video:player_loc>https://a.example/player</video:player_loc>"
        "<video:content_loc>https://a.example/4.mp4</video:content_loc></video:video>"
    )
    assert urls(body) == ["https://a.example/1"]


def test_news_changed_when_it_was_published_unless_the_sitemap_says_otherwise() -> None:
    news = (
        "<news:news><news:publication><news:name>N</news:name></news:publication>"
        "<news:publication_date>2024-01-02</news:publication_date></news:news>"
    )
    body = urlset(
        f"<loc>/1</loc>{news}", f"<loc>/2</loc><lastmod>2024-01-03</lastmod>{news}", "<loc>/3</loc>"
    )
    modified = [entry.modified for entry in listed(body).entries]
    assert modified == [JANUARY_2, JANUARY_2 + 86_400, None]


def test_translations_are_listed_after_their_page_and_once() -> None:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="/{language}/1?a=1&amp;b=2"/>'
        for language in ("fr", "de", "en")
    )
    style = '<xhtml:link rel="stylesheet" href="/x.css"/>'
    one = f"<loc>/en/1?a=1&amp;b=2</loc>{style}{links}<lastmod>2024-01-02</lastmod>"
    other = f"<loc>/de/1?a=1&amp;b=2</loc>{links}<lastmod>2024-01-03</lastmod>"
    assert listed(urlset(one, other)).entries == (
        ListingEntry("https://a.example/en/1?a=1&b=2", JANUARY_2),
        ListingEntry("https://a.example/fr/1?a=1&b=2"),
        ListingEntry("https://a.example/de/1?a=1&b=2", JANUARY_2 + 86_400),
    )


def test_a_page_for_other_screens_is_no_translation() -> None:
    """Mobile alternates are the same pages once more: a crawl would be twice as long."""
    mobile = '<xhtml:link rel="alternate" media="only screen and (max-width: 640px)" href="/m/1"/>'
    german = '<xhtml:link rel="alternate" media="screen" hreflang="de" href="/de/1"/>'
    found = listed(urlset(f"<loc>/1</loc>{mobile}{german}")).entries
    assert [entry.url for entry in found] == ["https://a.example/1", "https://a.example/de/1"]


def test_a_page_listed_twice_is_one() -> None:
    body = urlset("<loc>/1</loc>", "<loc>/1</loc><lastmod>2024-01-02</lastmod>")
    assert listed(body).entries == (ListingEntry("https://a.example/1", JANUARY_2),)


@pytest.mark.parametrize(
    "loc", ["", " ", "mailto:a@b", "ftp://a.example/", "javascript:1", "http:"]
)
def test_what_is_no_url_of_the_web_is_left_out(loc: str) -> None:
    assert urls(urlset(f"<loc>{loc}</loc>", "<loc>/1</loc>")) == ["https://a.example/1"]


def test_urls_of_other_hosts_are_listed_too_for_the_door_to_decide() -> None:
    assert urls(urlset("<loc>https://b.example/1</loc>")) == ["https://b.example/1"]


# How they come packed.


@pytest.mark.parametrize("content_type", ["", "text/html", "application/x-gzip", "text/plain"])
def test_gzip_is_told_by_its_bytes(content_type: str) -> None:
    assert urls(gzip.compress(urlset("<loc>/1</loc>").encode()), content_type) == [
        "https://a.example/1"
    ]


def test_gzip_of_several_members_with_something_behind_them() -> None:
    text = urlset("<loc>/1</loc>").encode()
    members = b"".join(gzip.compress(text[n : n + 1], mtime=0) for n in range(len(text)))
    assert urls(members + b"\0\0\n") == ["https://a.example/1"]


@pytest.mark.parametrize(
    ("declared", "header", "encoding"),
    [
        ("", "", "utf-8"),
        ("", "", "utf-8-sig"),
        ("", "", "utf-16"),
        ("", "", "utf-32"),
        ("", "", "utf-16-le"),
        ("", "", "utf-16-be"),
        ("UTF-16", "", "utf-8"),
        ("UTF-8", "", "utf-16"),
        ("ISO-8859-1", "", "latin-1"),
        ("ISO-8859-1", "", "utf-8"),
        ("windows-1252", "", "cp1252"),
        ("", "text/xml; charset=iso-8859-1", "latin-1"),
        ("", "text/xml; charset=latin1", "utf-8"),
        ("no-such", "", "utf-8"),
        ("utf-7", "", "utf-8"),
        ("base64", "", "utf-8"),
    ],
)
def test_the_charset_is_found_whatever_is_said_of_it(
    declared: str, header: str, encoding: str
) -> None:
    declaration = f' encoding="{declared}"' if declared else ""
    body = f"<?xml version='1.0'{declaration}?><urlset><url><loc>/é</loc></url></urlset>"
    (entry,) = listed(body.encode(encoding), header).entries
    assert entry.url in ("https://a.example/é", "https://a.example/%C3%A9")


# Lists of URLs.


@pytest.mark.parametrize(
    "body",
    [
        b"https://a.example/1\nhttps://a.example/2\n",
        b"\xef\xbb\xbfhttps://a.example/1\r\nhttps://a.example/2",
        b"\n\n  https://a.example/1\t\r\r https://a.example/2 \n\n",
        "https://a.example/1\nhttps://a.example/2".encode("utf-16"),
        gzip.compress(b"https://a.example/1\nhttps://a.example/2", mtime=0),
    ],
)
def test_a_text_with_a_url_on_each_line_is_a_sitemap(body: bytes) -> None:
    assert urls(body) == ["https://a.example/1", "https://a.example/2"]
    assert listed(body).kind is Role.SITEMAP


def test_a_list_is_read_over_the_ends_of_its_pieces() -> None:
    expected = [f"https://a.example/{'x' * (n % 13)}{n}" for n in range(10_000)]
    assert urls("\r\n".join(expected)) == expected


def test_lines_that_are_no_urls_are_a_problem_and_too_many_make_it_another_text() -> None:
    listing = listed("https://a.example/1\nhttps://a.example/2\nand some more\n")
    assert (len(listing.entries), listing.problem) == (2, "lines that are no URLs: 1")
    assert read("https://a.example/1\nis a page\nthat I like\n") is None


# Feeds.


def test_rss_2_lists_its_items_and_not_its_channel() -> None:
    body = (
        '<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">'
        "<channel><title>T</title><link>https://a.example/home</link>"
        '<atom:link rel="self" href="https://a.example/feed"/>'
        "<image><url>https://a.example/logo.png</url><link>https://a.example/home</link></image>"
        "<item><title>1</title><link>https://a.example/1?a=1&amp;b=2</link>"
        "<pubDate>Tue, 02 Jan 2024 00:00:00 GMT</pubDate>"
        "<description>&lt;a href='https://a.example/in-text'&gt;</description>"
        '<enclosure url="https://a.example/1.mp3" type="audio/mpeg"/>'
        "<comments>https://a.example/1#comments</comments></item>"
        '<item><guid>https://a.example/2</guid></item><item><guid isPermaLink="false">'
        "https://a.example/no</guid></item><item><guid>tag:a.example,3</guid></item>"
        "</channel></rss>"
    )
    entries = (
        ListingEntry("https://a.example/1?a=1&b=2", JANUARY_2),
        ListingEntry("https://a.example/2"),
    )
    assert read(body, "text/html") == Listing(Role.FEED, entries)


@pytest.mark.parametrize(
    "namespace", ["http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "wrong"]
)
def test_rss_0_9_and_1_0_are_rdf(namespace: str) -> None:
    body = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="{namespace}">'
        '<channel rdf:about="https://a.example/"><link>https://a.example/</link><items><rdf:Seq>'
        '<rdf:li rdf:resource="https://a.example/1"/></rdf:Seq></items></channel>'
        '<item rdf:about="https://a.example/x"><link>https://a.example/1</link>'
        "<dc:date>2024-01-02T00:00:00Z</dc:date></item>"
        '<item rdf:about="https://a.example/2"><title>2</title></item></rdf:RDF>'
    )
    entries = (ListingEntry("https://a.example/1", JANUARY_2), ListingEntry("https://a.example/2"))
    assert read(body) == Listing(Role.FEED, entries)


def test_rdf_without_items_is_no_feed() -> None:
    assert read("<rdf:RDF><foaf:Person><link>/x</link></foaf:Person></rdf:RDF>") is None


def test_rss_0_91_has_a_document_type_that_nobody_fetches() -> None:
    body = (
        '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"'
        ' "http://my.netscape.com/publish/formats/rss-0.91.dtd">'
        '<rss version="0.91"><channel><item><link>/caf&eacute;</link></item></channel></rss>'
    )
    assert urls(body) == ["https://a.example/caf%C3%A9"]


def test_atom_lists_its_entries_by_their_alternate_link() -> None:
    body = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/blog/">'
        '<link href="/"/><link rel="self" href="feed"/><link rel="next" href="?page=2"/>'
        '<entry><link rel="edit" href="edit/1"/><link rel="enclosure" href="1.mp3"/>'
        '<link rel="alternate" href="1"/><link rel="alternate" href="1.fr"/>'
        "<published>2023-01-01T00:00:00Z</published><updated>2024-01-02T00:00:00Z</updated>"
        '<content type="xhtml"><div><a href="x"/><link href="y"/><entry/></div></content>'
        '<source><link href="z"/><updated>2024-02-02T00:00:00Z</updated></source></entry>'
        '<entry xml:base="deep/"><link href="2"/></entry>'
        "<entry><id>https://a.example/3</id></entry><entry><id>urn:uuid:4</id></entry></feed>"
    )
    assert read(body) == Listing(
        Role.FEED,
        (
            ListingEntry("https://a.example/blog/?page=2", is_sitemap=True),
            ListingEntry("https://a.example/blog/1", JANUARY_2),
            ListingEntry("https://a.example/blog/deep/2"),
            ListingEntry("https://a.example/3"),
        ),
    )


def test_where_a_link_leads_through_a_counter_the_page_itself_is_listed() -> None:
    body = (
        "<rss><channel><item><link>http://feeds.example/~r/1</link>"
        "<feedburner:origLink>https://a.example/1</feedburner:origLink></item></channel></rss>"
    )
    assert urls(body) == ["https://a.example/1"]


def test_json_feeds() -> None:
    body = (
        '{"version": "https:\\/\\/jsonfeed.org\\/version\\/1.1", "title": "T",'
        ' "home_page_url": "https://a.example/", "next_url": "/feed2.json", "items": ['
        '{"id": 1, "url": "/1", "content_html": "{", "date_published": "2023-01-01T00:00:00Z",'
        ' "date_modified": "2024-01-02T00:00:00Z", "tags": [1, null]},'
        '{"id": "https://a.example/2"}, {"id": "3", "external_url": "https://b.example/3"},'
        ' {"id": "4", "url": false}]}'
    )
    assert read(body, "application/feed+json") == Listing(
        Role.FEED,
        (
            ListingEntry("https://a.example/1", JANUARY_2),
            ListingEntry("https://a.example/2"),
            ListingEntry("https://b.example/3"),
            ListingEntry("https://a.example/feed2.json", is_sitemap=True),
        ),
    )


# What is none of these.


@pytest.mark.parametrize(
    "body",
    [
        "",
        " \n",
        "<!doctype html><html><title>Not found</title><a href='/x'>x</a></html>",
        "<html xmlns='http://www.w3.org/1999/xhtml'><body><urlset><url><loc>/x</loc></url>",
        "<?xml version='1.0'?><opml><outline><item><link>/x</link></item></outline></opml>",
        "<error>no such file</error>",
        "not found",
        "User-agent: *\nSitemap: https://a.example/sitemap.xml",
        '{"error": 404}',
        '{"items": [{"url": "https://a.example/"}]}',
        '{"version": "1", "about": "https://jsonfeed.org/version/1.1", "items": [{"url": "/1"}]}',
        '{"version": "https://jsonfeed.org/version/1.1"' + " " * 10_000_000,
        "[]",
        b"\x89PNG\r\n\x1a\n\0\0",
        b"PK\x03\x04",
        gzip.compress(b"<html>", mtime=0),
    ],
    ids=lambda body: repr(body[:20]),
)
def test_other_documents_are_no_listings(body: str | bytes) -> None:
    assert read(body, "application/xml") is None


# What cannot be read to its end.


def test_of_a_document_that_was_cut_off_what_came_is_listed() -> None:
    whole = urlset("<loc>/1</loc>", "<loc>/2</loc><lastmod>2024-01-02</lastmod>", "<loc>/3</loc>")
    expected = ["https://a.example/1", "https://a.example/2"]
    for end in ("<loc>/3</loc>", "</lastmod>"):
        listing = listed(whole[: whole.index(end)])
        assert [entry.url for entry in listing.entries] == expected
        assert listing.problem == "cut off: its XML ends early"


def test_of_a_packed_one_too() -> None:
    whole = gzip.compress(urlset(*(f"<loc>/{n}</loc>" for n in range(20_000))).encode())
    listing = listed(whole[:-2_000])
    assert 0 < len(listing.entries) < 20_000
    assert listing.problem == "cut off: its gzip ends early"
    listing = listed(whole[:-2_000] + b"\xff" * 2_000)
    assert 0 < len(listing.entries) < 20_000
    assert listing.problem != ""


def test_of_broken_xml_what_stands_before_is_listed() -> None:
    listing = listed("<urlset><url><loc>/1</loc></url><url><loc>/2</url><url><loc>/3</loc></url>")
    assert [entry.url for entry in listing.entries] == ["https://a.example/1"]
    assert listing.problem == (
        "broken XML (mismatched tag: line 1, column 46); the rest was not read"
    )


def test_what_stands_behind_the_end_takes_nothing_away() -> None:
    listing = listed(f"{urlset('<loc>/1</loc>')} and more")
    assert [entry.url for entry in listing.entries] == ["https://a.example/1"]
    assert "junk after document element" in listing.problem


@pytest.mark.parametrize(
    "body", [b"\x1f\x8b", b"\x1f\x8bxx", gzip.compress(gzip.compress(b"x", mtime=0), mtime=0)]
)
def test_what_cannot_be_unpacked_was_meant_to_be_a_sitemap(body: bytes) -> None:
    listing = listed(body)
    assert (listing.kind, listing.entries) == (Role.SITEMAP, ())
    assert "gzip" in listing.problem


@pytest.mark.parametrize("form", ["xml", "text", "json", "rss"])
def test_more_urls_than_the_limit_are_left_out(form: str) -> None:
    names = [f"https://a.example/{n}" for n in range(11)]
    body = {
        "xml": urlset(*(f"<loc>{url}</loc>" for url in names)),
        "text": "\n".join(names),
        "json": '{"version":"https://jsonfeed.org/version/1","items":['
        + ",".join(f'{{"url":"{url}"}}' for url in names)
        + "]}",
        "rss": f"<rss>{''.join(f'<item><link>{url}</link></item>' for url in names)}</rss>",
    }[form]
    assert listed(body, urls=11).problem == ""
    listing = listed(body, urls=10)
    assert [entry.url for entry in listing.entries] == names[:10]
    assert listing.problem == "more than 10 URLs; the rest was not read"


def test_more_translations_than_the_limit_are_left_out_but_no_pages() -> None:
    items = [
        f'<loc>/{n}</loc><xhtml:link rel="alternate" hreflang="de" href="/de/{n}"/>'
        for n in range(5)
    ]
    listing = listed(urlset(*items), alternates=2)
    assert len(listing.entries) == 7
    assert listing.problem == "more than 2 translations; the others were not read"


def test_a_document_larger_than_the_limit_is_read_up_to_there() -> None:
    policy = ListingPolicy()
    policy = replace(policy, limits=replace(policy.limits, body_bytes=20_000))
    body = urlset(*(f"<loc>https://a.example/{n}</loc>" for n in range(1_000))).encode()
    for packed in (body, gzip.compress(body, mtime=0)):
        listing = read_listing(packed, URL, "", policy, now=NOW)
        assert listing is not None
        assert 300 < len(listing.entries) < 1_000
        assert listing.problem == "larger than the limit; the rest was not read"


def test_urls_too_long_for_the_door_are_counted() -> None:
    long = "https://a.example/" + "x" * 2_083
    listing = listed(urlset(f"<loc>{long}</loc>", "<loc>/1</loc>", f"<loc>/{'y' * 9_000}</loc>"))
    assert [entry.url for entry in listing.entries] == ["https://a.example/1"]
    assert listing.problem == "2 URLs over 2,083 characters"
    assert listed(f"https://a.example/1\n{long * 100}\n").problem == "1 URL over 2,083 characters"
