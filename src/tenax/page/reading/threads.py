"""Which posts does a thread have? Who wrote, when and what, in forums and below questions.

A thread has no prose in the middle: it has posts, long and short, between ranks, signatures and
buttons. Software for forums marks the text of a post, in the words of schema.org or by a name of
its own, so posts are looked up, and only what belongs to them is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from turbohtml import Element, Text

_MARKED = '[itemprop~="text"],[itemprop~="articleBody"]'
_THREAD = '[itemtype$="/DiscussionForumPosting"]'
_QUESTION = '[itemtype$="/Question"]'
# What XenForo, phpBB, vBulletin, Discourse, Invision, Vanilla, bbPress, MyBB, SMF, FluxBB, NodeBB,
# Flarum and Khoros call the text of a post.
_NAMED = ",".join((
    ".bbWrapper", ".postbody .content", '[id^="post_message_"]', ".js-post__content-text",
    ".cooked", '[data-role="commentContent"]', ".userContent", ".bbp-topic-content",
    ".bbp-reply-content", ".post_body", '[id^="msg_"].inner', ".postmsg",
    '[component="post/content"]', ".Post-body", ".lia-message-body-content", ".usertext-body",
))  # fmt: skip
# Signatures, and remarks on an answer, which are marked like posts.
_BESIDE = (
    '.signature,.message-signature,[itemtype$="/Answer"] [itemtype$="/Comment"],'
    '[itemtype$="/Question"]>* [itemtype$="/Comment"]'
)
_AUTHORS = (
    '[itemprop~="author"] [itemprop~="name"]',
    '[class*="username" i],.message-name,.bbp-author-name',
    '[itemprop~="author"],.creator,.poster,[rel~="author"],[class*="author" i]',
)
_DATES = ("time", '[itemprop~="datePublished"],[class*="date" i],[class*="time" i]')
_LONGEST_NOTE = 60
_LEVELS = 12
_FRAME = frozenset({"html", "body", "main"})
_NOT_READ = ("script", "style", "template", "noscript", "button", "form")
_MOST_QUOTED, _LONGEST_COMPARED, _MOST_SAID = 20, 200, 20_000
_MOST_POSTS = 1_000


def find_thread(page: Element) -> Element | None:
    """The posts of a thread one after another, each below its author and date; None: it is none.

    Takes them out of the page.
    """
    bodies = _bodies(page)
    if not bodies:
        return None
    thread = Element("div")
    said = ""
    for body, around in zip(bodies, _surroundings(bodies), strict=True):
        for note in (_note(around, body, _AUTHORS), _note(around, body, _DATES)):
            if note:
                thread.append(_line(note))
        for element in list(body.iter_elements(_NOT_READ)):
            element.extract()
        said = _cut_repeated(body, said)
        thread.append(body)
    return thread


def _cut_repeated(body: Element, said: str) -> str:
    """Cut quotations of what was said before; what has been said with this post."""
    for quotation in body.find_all("blockquote")[:_MOST_QUOTED]:
        lines = quotation.to_text().splitlines()
        if _bare(max(lines, key=len, default=""))[:_LONGEST_COMPARED] in said:
            around = quotation.parent
            whole = isinstance(around, Element) and around.tag == "aside"
            (around if whole else quotation).extract()
    return said + _bare(body.text)[:_MOST_SAID]


def _bare(text: str) -> str:
    return "".join(text.split())


def _bodies(page: Element) -> list[Element]:
    marked = page.select(_MARKED)
    if marked and not _is_thread(page):
        marked = []
    found = _outermost(_with_twins(page, marked))
    if len(found) > 1:
        return found
    named = _outermost(page.select(_NAMED))
    return named if len(named) > max(1, len(found)) else found


def _with_twins(page: Element, marked: list[Element]) -> list[Element]:
    """What is marked, and what only looks the same: of the first post, many mark something else."""
    name = marked[0].attr("class") if marked else None
    if not name or any(body.attr("class") != name for body in marked):
        return marked
    tag, parent = marked[0].tag, getattr(marked[0].parent, "tag", "")
    alike = [
        twin
        for twin in page.find_all(tag)
        if twin.attr("class") == name and getattr(twin.parent, "tag", "") == parent
    ]
    return alike if len(alike) <= 2 * len(marked) else marked


def _is_thread(page: Element) -> bool:
    """Whether it is about one question, or discussed; answers of a shop have many questions."""
    return page.select_one(_THREAD) is not None or len(page.select(_QUESTION)) == 1


def _outermost(bodies: Sequence[Element]) -> list[Element]:
    known = set(bodies)
    return [
        body
        for body in bodies[:_MOST_POSTS]
        if known.isdisjoint(islice(body.ancestors, _LEVELS)) and body.closest(_BESIDE) is None
    ]


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
        for element in around.select(selector):
            if _is_within(element, body):
                continue
            for part in (*element.find_all("a"), element):
                text = " ".join(part.text.split())
                if 0 < len(text) <= _LONGEST_NOTE:
                    return text
    return ""


def _is_within(element: Element, body: Element) -> bool:
    return element == body or body in islice(element.ancestors, _LEVELS)


def _line(text: str) -> Element:
    line = Element("p")
    line.append(Text(text))
    return line
