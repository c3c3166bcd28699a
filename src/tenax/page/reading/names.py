"""What do templates call the parts of a page? Ids and class names, read word by word.

`relatedArticles`, `related_articles` and `related-articles` are the same two words. A lookup per
word: patterns over whole names took longer than all the rest of finding the main content.
"""

from __future__ import annotations

import re
from functools import lru_cache

from turbohtml import Element


class NamePart:
    """What a name says about the element that has it; a name may say several things.

    Plain bits: those of an enum cost a call for each `&`, which is most of what is done here.
    """

    BODY = 1
    DISCUSSION = 2
    CLUTTER = 4
    CAPTION = 8
    FRAME = 16
    CONTENT = 32
    LEAD = 64
    CONSENT = 128
    BUTTON = 256
    POPUP = 512
    OFFER = 1024


_ARTICLES = (
    "article",
    "entry",
    "post",
    "story",
    "news",
    "blog",
    "page",
    "main",
    "content",
    "single",
)
_BODIES = ("body", "content", "text", "copy", "main", "inner")
_NOTES = (
    "meta", "footer", "info", "utility", "tools", "actions", "date", "time", "author", "topics",
    "tags",
)  # fmt: skip
# Whole words; two that stand together are also looked up as one: "tag-list" is "taglist".
_WORDS = {
    NamePart.DISCUSSION: """
        comment comments commentlist commentform commentarea commentlinks disqus discussion
        discussions replies respond livefyre community reviews reviewlist reviewwidget""",
    NamePart.CLUTTER: """
        readalso readnext seealso alsoread youmay morefrom moreon morein morenews
        morestories morearticles moreposts morelinks morelike mostread mostpopular mostviewed
        mostshared mostrecent latest recentposts recentnews nextpost nextarticle nextstory
        prevpost prevarticle prevstory previouspost previousarticle previousstory trending
        outbrain taboola share shares sharing sharedaddy followus optin
        login signin signup register breadcrumb breadcrumbs crumb crumbs pager pagenav
        postnav navbar navlinks navlink navigation skipto skiplink menu menus toolbar tooltip
        ad ads adslot adunit adcontainer adwrapper adwrap adblock adbox adlabel adtext
        adplaceholder bannerad dfp authorbio authorbox authorinfo authorprofile authordesc
        authordescription authorcard authorabout newsteaser disclaimer legal aboutauthor
        theauthor bio byline bylines tags tag
        taglist tagcloud taglinks catlinks keywords dateline timestamp pubdate published copyright
        noprint printonly printlink printbutton sronly visuallyhidden votes vote voting
        appdownload downloadapp appbanner apppromo videoplayer audioplayer feedback washelpful
        likebutton likebox likes postviews articleviews toc tableofcontents""",
    # What opens the rest of a text is named so, and now and then the text around it.
    NamePart.BUTTON: "button buttons btn btns cta readmore",
    NamePart.POPUP: "popup popups lightbox",
    NamePart.CAPTION: """
        caption captions captiontext imagecaption imagecredit photocaption photocredit credit
        credits mediacaption figcaption legend imgmetadata imgcaption""",
    NamePart.LEAD: """
        intro lead lede leadtext perex subtitle subheadline standfirst deck dek summary vorspann
        chapo abstract excerpt sapo ingress anrisstext articleintro articlelead abstracttext
        introtext introduction epigraph einleitung copete teasertext articleteaser bajada
        entradilla sottotitolo""",
    NamePart.FRAME: """
        header footer aside nav banner masthead rail rightcol leftcol rightcolumn leftcolumn meta
        foot head topbar extra overlay tools infobox teaser teasers rss utility secondary
        gallery""",
    # What asks whether data may be gathered. It is long, and nowhere what a page is for.
    NamePart.CONSENT: """
        truste osano klaro termly cmplz borlabs iubenda cookiebanner cookienotice cookielaw
        cookiehint cookieinfo cookiewarning cookiemessage cookielayer cookieoverlay cookiealert
        cookiebox cookiebar cookiepopup cookiemodal cookiedialog consentbanner consentmanager
        consentmodal gdprcookie gdprpopup gdprmodal""",
    NamePart.BODY: """
        articletext hentry bodytext bodycopy instapaperbody prose richtext""",
}  # fmt: skip
# Words that begin like this, whatever follows. At least four letters: that is how they are found.
_BEGINNINGS = {
    NamePart.DISCUSSION: "disqus",
    NamePart.CLUTTER: """
        related recommend recirc popular similar social addthis addtoany newsletter subscribe
        subscription paywall donat cookie consent gdpr dsgvo paginat dropdown advert sponsor
        adsense screenreader rating shariff yarpp heateor""",
    NamePart.CONSENT: """
        onetrust cybot cookiebot didomi usercentrics tarteaucitron cookielaw cookieconsent
        cookiescript""",
    # Ours and others': what a site has to offer is what its own pages are made of.
    NamePart.OFFER: "promo",
    NamePart.POPUP: "modal",
    NamePart.FRAME: "sidebar supplement carousel slider slideshow splide swiper",
    NamePart.CONTENT: """
        article body content main column entry post story text page wrap container layout""",
}
_WHOLE = {
    **dict.fromkeys(("hidden", "hide", "widget", "widgets", "widget-area"), NamePart.FRAME),
    **dict.fromkeys(("h-entry", "e-content"), NamePart.BODY),
    # Of Drupal: what editors put on the front page, and above others there. It advertises nothing.
    **dict.fromkeys(("node--promoted", "node-promoted"), 0),
}
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Letters among figures are a number, as in `tab-ad58f`.
_WORD = re.compile(r"(?<![a-z0-9])[a-z]++(?!\d+[a-z])")
_LONGEST, _LONGEST_LIST = 100, 1_000
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SLUG_WORD = re.compile(r"[a-z]+")
_SHORTEST_SLUG = 3


def _table() -> dict[str, int]:
    table: dict[str, int] = {}
    for part, words in _WORDS.items():
        table.update(dict.fromkeys(words.split(), part))
    for article in _ARTICLES:
        table.update(dict.fromkeys((article + body for body in _BODIES), NamePart.BODY))
        table.update(dict.fromkeys((article + note for note in _NOTES), NamePart.CLUTTER))
    # Said of the whole page by templates everywhere, so it says nothing.
    for name in ("pagemain", "pageinner", "mainmain", "mainpage", "contentmain", "maininner"):
        table.pop(name, None)
    return table


_TABLE = _table()
_STEMS: dict[str, list[tuple[str, int]]] = {}
for _part, _words in _BEGINNINGS.items():
    for _word in _words.split():
        _STEMS.setdefault(_word[:4], []).append((_word, _part))


def parts_named(element: Element) -> int:
    """Everything that the id and the classes of an element say, as flags of `NamePart`."""
    parts = 0
    if names := element.attr("class"):
        parts = _parts_of_all(names[:_LONGEST_LIST])
    if (name := element.attr("id")) and (said := parts_of(name[:_LONGEST])):
        parts |= 0 if _is_slug(name, element) else said
    return parts


@lru_cache(8_192)
def _parts_of_all(names: str) -> int:
    """What classes say together. Cards have the same ones over and over."""
    parts = 0
    for name in names.split():
        parts |= parts_of(name)
    return parts


def _is_slug(name: str, element: Element) -> bool:
    """Whether an id repeats the heading below it: whoever wrote the text chose it, no template."""
    words = _SLUG_WORD.findall(name[:_LONGEST].lower())
    if len(words) < _SHORTEST_SLUG:
        return False
    heading = element if element.tag in _HEADINGS else next(element.iter_elements(_HEADINGS), None)
    if heading is None:
        return False
    return "".join(words) in "".join(_SLUG_WORD.findall(heading.text[:_LONGEST].lower()))


@lru_cache(16_384)
def parts_of(name: str) -> int:
    """What a single name says."""
    written = name[:_LONGEST]
    if not written.islower():
        written = _CAPITAL.sub("-", written).lower()
    if written in _WHOLE:
        return _WHOLE[written]
    parts, last = 0, ""
    for word in _WORD.findall(written):
        parts |= _TABLE.get(word, 0) | _TABLE.get(last + word, 0)
        for stem, part in _STEMS.get(word[:4], ()):
            if word.startswith(stem):
                parts |= part
        last = word
    return parts
