"""Which posts does a thread have? Who wrote, when and what, in forums and below questions.

A thread has no prose in the middle: it has posts, long and short, between ranks, signatures and
buttons. Software for forums marks the text of a post, in the words of schema.org or by a name of
its own, so posts are looked up, and only what belongs to them is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from turbohtml import Element, Text

_MARKED = '[itemprop~="text"],[itemprop~="articleBody"]'
_THREAD = '[itemtype$="/DiscussionForumPosting"],[itemtype$="/QAPage"]'
# What XenForo, phpBB, vBulletin, Discourse, Vanilla, bbPress, MyBB, FluxBB, Flarum, Khoros, SMF,
# Invision, NodeBB, Lemmy, Hacker News, WoltLab and Jive call the text of a post. All are `div`s,
# and to ask for them in one group takes a third of the time.
_NAMED = (
    "div:is(.bbWrapper,.postbody .content,.js-post__content-text,.cooked,.userContent,"
    ".bbp-topic-content,.bbp-reply-content,.post_body,.postmsg,.Post-body,"
    ".lia-message-body-content,.usertext-body,.md-div,.toptext,.commtext,.messageText,"
    ".jive-rendered-content,"
    '[id^="post_message_"],[id^="msg_"].inner,[data-role="commentContent"],'
    '[component="post/content"])'
)
# Signatures, and remarks on a question or an answer, which are marked like posts.
_BESIDE = (
    '.signature,.message-signature,[itemtype$="/Answer"] [itemtype$="/Comment"],'
    '[itemtype$="/Question"] [itemtype$="/Comment"]'
)
_AUTHORS = (
    '[itemprop~="author"] [itemprop~="name"]',
    '[class*="username" i],.message-name,.bbp-author-name',
    '[itemprop~="author"],.creator,.poster,[rel~="author"],[class*="author" i]',
    '[class*="user" i]',
)
_DATES = ("time", '[itemprop~="datePublished"],[class*="date" i],[class*="time" i]')
_LONGEST_NOTE = 60
_LEVELS = 12
_FRAME = frozenset({"html", "body", "main"})
_NOT_READ = ("script", "style", "template", "noscript", "button", "form")
_MOST_POSTS, _MOST_QUOTATIONS, _MOST_NOTES = 10_000, 20, 20
_SHORTEST_REPEATED = 80
_LONGEST_COMPARED, _MOST_COMPARED = 200, 200_000


class ThreadPost(Struct, frozen=True):
    """What somebody wrote; the notes say who and when, as far as the page does."""

    body: Element
    notes: tuple[str, ...]


def find_thread(page: Element) -> Element | None:
    """The posts of a thread one after another, each below its author and date; None: it is none.

    Takes the posts out of the page.
    """
    marked = _marked_bodies(page)
    posts = _posts_of(marked)
    if len(posts) < 2:
        named = _posts_of(_bodies(page, page.select(_NAMED)))
        # Others use these names too, but what they call so has no authors and dates.
        if len(named) > max(1, len(posts)) and sum(bool(p.notes) for p in named) * 2 > len(named):
            posts = named
    return _joined(posts) if posts else None


def _marked_bodies(page: Element) -> list[Element]:
    marked = page.select(_MARKED)
    if not marked or (page.select_one(_THREAD) is None and page.closest(_THREAD) is None):
        return []
    return _bodies(page, _with_twins(page, marked))


def _with_twins(page: Element, marked: list[Element]) -> list[Element]:
    """What is marked, and what only looks the same: of the first post, many mark something else."""
    name = marked[0].attr("class")
    if not name or any(body.attr("class") != name for body in marked):
        return marked
    tag, parent = marked[0].tag, getattr(marked[0].parent, "tag", "")
    alike = [
        twin
        for twin in page.find_all(tag)
        if twin.attr("class") == name and getattr(twin.parent, "tag", "") == parent
    ]
    return alike if len(alike) <= 2 * len(marked) else marked


def _bodies(page: Element, found: Sequence[Element]) -> list[Element]:
    """Those found that are posts of their own: not in another one, in no signature or remark."""
    if not found:
        return []
    around = {*found, *page.select(_BESIDE)}
    return [b for b in found[:_MOST_POSTS] if around.isdisjoint(islice(b.ancestors, _LEVELS))]


def _posts_of(bodies: Sequence[Element]) -> list[ThreadPost]:
    posts = []
    for body, around in zip(bodies, _surroundings(bodies), strict=True):
        notes = (_note(around, body, _AUTHORS), _note(around, body, _DATES))
        posts.append(ThreadPost(body, tuple(note for note in notes if note)))
    return posts


def _surroundings(bodies: Sequence[Element]) -> Iterator[Element]:
    """Of each body, the largest part of the page around it that has no other one."""
    paths = [list(islice(body.ancestors, _LEVELS)) for body in bodies]
    held = Counter(above for path in paths for above in path)
    for body, path in zip(bodies, paths, strict=True):
        around = body
        for above in path:
            if held[above] > 1 or not isinstance(above, Element) or above.tag in _FRAME:
                break
            around = above
        yield around


def _note(around: Element, body: Element, selectors: Sequence[str]) -> str:
    """The first short text around a body that is marked as its author or date."""
    for selector in selectors:
        for element in around.select(selector)[:_MOST_NOTES]:
            if element == body or body in islice(element.ancestors, _LEVELS):
                continue
            for part in (*element.find_all("a")[:_MOST_NOTES], element):
                text = " ".join(part.text.split())
                if 0 < len(text) <= _LONGEST_NOTE:
                    return text
    return ""


def _joined(posts: Sequence[ThreadPost]) -> Element:
    thread = Element("div")
    said, left = "", _MOST_COMPARED
    read: set[str] = set()
    for post in posts:
        # Some show the first post twice: as the question, and as the first of all.
        bare = _bare(post.body.text)
        if len(bare) >= _SHORTEST_REPEATED and bare in read:
            continue
        read.add(bare)
        for note in post.notes:
            line = Element("p")
            line.append(Text(note))
            thread.append(line)
        for element in list(post.body.iter_elements(_NOT_READ)):
            element.extract()
        for quotation in post.body.find_all("blockquote")[:_MOST_QUOTATIONS]:
            # Inside each other, they would be compared over and over.
            left -= len(quotation.text)
            if left > 0:
                _cut_repeated(quotation, said)
        if len(said) < _MOST_COMPARED:
            said += _bare(post.body.text)[:_MOST_COMPARED]
        thread.append(post.body)
    return thread


def _cut_repeated(quotation: Element, said: str) -> None:
    """Cut what is quoted from a post above, which has been read already."""
    lines = quotation.to_text().splitlines()
    if _bare(max(lines, key=len, default=""))[:_LONGEST_COMPARED] not in said:
        return
    around = quotation.parent
    if isinstance(around, Element) and around.tag == "aside":
        around.extract()
    else:
        quotation.extract()


def _bare(text: str) -> str:
    return "".join(text.split())
