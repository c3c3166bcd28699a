"""PAGE-1: of a thread, every post is read, with its author and date, and nothing around it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tenax.page.reading.main_content import Markup, main_markdown, main_text

SAID = (
    "My kettle leaks.",
    "Mine did as well, until I turned the seal round. It takes five minutes, and no tools.",
    "Thanks, that was it!",
)
NAMES = ("ann", "bob", "ann")
DAYS = ("Mar 3, 2026", "Mar 4, 2026", "Mar 5, 2026")
READ = [line for post in zip(NAMES, DAYS, SAID, strict=True) for line in post]


def xenforo(name: str, day: str, text: str) -> str:
    return f"""<article class="message"><div class="message-user"><h4 class="message-name">
        <a class="username">{name}</a></h4><h5 class="userTitle">Member of the Year</h5></div>
        <header><time>{day}</time></header>
        <article class="message-body"><div class="bbWrapper">{text}<script>embed()</script>
        <button>Click to expand</button></div></article>
        <aside class="message-signature"><div class="bbWrapper">I like tea more than most.</div>
        </aside><button>Like</button></article>"""


def phpbb(name: str, day: str, text: str) -> str:
    return f"""<div class="post"><dl class="postprofile"><dt><a class="username">{name}</a></dt>
        <dd>Posts: 138</dd></dl><div class="postbody"><h3>Re: Kettles</h3>
        <p class="author">by <a>{name}</a> » <time>{day}</time></p>
        <div class="content">{text}</div><div class="signature">I like tea.</div></div></div>"""


def vbulletin(name: str, day: str, text: str) -> str:
    return f"""<table><tr><td class="thead"><span class="postdate">{day}</span></td></tr>
        <tr><td><a class="bigusername">{name}</a> Join Date: 2001</td>
        <td><div id="post_message_{len(text)}">{text}</div></td></tr></table>"""


def discourse(name: str, day: str, text: str) -> str:
    return f"""<div class="topic-body crawler-post" itemscope itemtype="http://schema.org/Comment">
        <span itemprop="author"><a><span itemprop="name">{name}</span></a></span>
        <time itemprop="datePublished">{day}</time><div class="post" itemprop="text">{text}</div>
        <div><span>3 Likes</span></div></div>"""


def invision(name: str, day: str, text: str) -> str:
    return f"""<article class="ipsComment"><aside><h3 class="ipsComment_author"><a>{name}</a></h3>
        <ul><li>Members</li><li>12 posts</li></ul></aside><time>{day}</time>
        <div data-role="commentContent"><p>{text}</p></div>
        <ul><li><a>Quote</a></li></ul></article>"""


def vanilla(name: str, day: str, text: str) -> str:
    return f"""<li class="Item ItemComment"><a class="Username">{name}</a> <span>Posts: 3</span>
        <time>{day}</time><div class="Message userContent">{text}</div></li>"""


def bbpress(name: str, day: str, text: str) -> str:
    return f"""<div class="bbp-reply-header"><span class="bbp-reply-post-date">{day}</span></div>
        <div class="reply"><div class="bbp-reply-author"><a class="bbp-author-link">
        <span class="bbp-author-name">{name}</span></a><div>Participant</div></div>
        <div class="bbp-reply-content"><p>{text}</p></div></div>"""


def flarum(name: str, day: str, text: str) -> str:
    return f"""<article><div class="PostUser"><h3 class="PostUser-name">{name}</h3></div>
        <time>{day}</time><div class="Post-body"><p>{text}</p></div></article>"""


def lemmy(name: str, day: str, text: str) -> str:
    return f"""<li class="comment"><a class="person-listing username">{name}</a>
        <span class="moment-time">{day}</span><div class="md-div"><p>{text}</p></div></li>"""


Software = Callable[[str, str, str], str]


def thread(software: Software, said: tuple[str, ...] = SAID) -> str:
    posts = "".join(
        f"<div>{software(name, day, text)}</div>"
        for name, day, text in zip(NAMES, DAYS, said, strict=True)
    )
    if software is discourse:
        posts = (
            '<noscript><div itemscope itemtype="http://schema.org/DiscussionForumPosting">'
            f"{posts}</div></noscript>"
        )
    return f"""<html><body><nav>Menu</nav><h1>Kettles that leak</h1><div>{posts}</div>
        <div><p>Who is online now: nobody but you, and three who would rather not be named.</p>
        <p>You must log in before you may answer here, or register, which costs nothing.</p></div>
        </body></html>"""


def text_of(html: str) -> str:
    return main_text(Markup(html.encode(), "utf-8"))


def lines_of(html: str) -> list[str]:
    return [line.strip() for line in text_of(html).splitlines() if line.strip()]


@pytest.mark.parametrize(
    "software", [xenforo, phpbb, vbulletin, discourse, invision, vanilla, bbpress, flarum, lemmy]
)
def test_every_post_is_read_below_its_author_and_date(software: Software) -> None:
    assert lines_of(thread(software)) == READ


@pytest.mark.parametrize("software", [xenforo, phpbb, discourse])
def test_markdown_has_the_same_posts(software: Software) -> None:
    markdown = main_markdown(Markup(thread(software).encode(), "utf-8"), "https://a.example/")
    assert [line.replace("\\", "") for line in markdown.splitlines() if line] == READ


def test_what_is_quoted_from_above_is_read_once() -> None:
    quoting = f"<blockquote><cite>bob said:</cite><p>{SAID[1]}</p></blockquote>{SAID[2]}"
    assert lines_of(thread(phpbb, (*SAID[:2], quoting))) == READ


def test_a_post_that_is_shown_twice_is_read_once() -> None:
    """Above all of them, and again as the first of them; short ones are said by several people."""
    long = f"{SAID[0]} And {SAID[1]} And {SAID[2]} That is what I wanted to ask you."
    text = text_of(thread(xenforo, (long, long, "So do I.")) + thread(xenforo, ("So do I.",) * 3))
    assert text.count("That is what I wanted") == 1
    assert text.count("So do I.") == 4


def test_what_is_quoted_from_elsewhere_is_kept() -> None:
    quoting = f"<blockquote>The manual says to turn it round.</blockquote>{SAID[2]}"
    assert "The manual says" in text_of(thread(phpbb, (*SAID[:2], quoting)))


def test_a_question_and_its_answers_are_posts_and_remarks_on_them_are_none() -> None:
    answers = "".join(
        f"""<div itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Answer">
        <div itemprop="text"><p>{text}</p></div><div class="user-details" itemprop="author">
        <span itemprop="name">{name}</span> 1,764 points</div>
        <ul><li itemprop="comment" itemscope itemtype="https://schema.org/Comment">
        <span itemprop="text">I would not do that without gloves.</span></li></ul></div>"""
        for name, text in (("bob", SAID[1]), ("cid", SAID[2]))
    )
    html = f"""<html itemscope itemtype="https://schema.org/QAPage"><body>
        <div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question">
        <h1>Kettles</h1><div itemprop="text"><p>{SAID[0]}</p></div>{answers}</div>
        <div><p>Not what you were looking for? Ask a question of your own about kettles.</p></div>
        </body></html>"""
    assert lines_of(html) == [SAID[0], "bob", SAID[1], "cid", SAID[2]]


def test_a_first_post_that_is_marked_otherwise_is_read_too() -> None:
    first = f'<tr><td><div class="narrow">{SAID[0]}</div></td></tr>'
    others = "".join(
        f'<tr itemprop="comment" itemscope itemtype="https://schema.org/Comment"><td>'
        f'<div class="narrow" itemprop="text">{text}</div></td></tr>'
        for text in SAID[1:]
    )
    html = f"""<html><body><div itemscope itemtype="https://schema.org/DiscussionForumPosting">
        <table>{first}{others}</table></div></body></html>"""
    assert lines_of(html) == list(SAID)


def test_answers_of_a_shop_are_no_thread() -> None:
    questions = "".join(
        f"""<div itemscope itemprop="mainEntity" itemtype="https://schema.org/Question">
        <h3>Question {n}</h3><div itemprop="text"><p>{SAID[1]}</p></div></div>"""
        for n in range(3)
    )
    story = "<p>We sell kettles of all sizes, and have done so for as long as there is tea.</p>"
    html = f"""<html><body itemscope itemtype="https://schema.org/FAQPage"><main>{story * 4}
        {questions}</main></body></html>"""
    assert "We sell kettles" in text_of(html)
    assert "Question 2" in text_of(html)


def test_a_name_alone_makes_no_post() -> None:
    entries = "".join(
        f'<section><h2>Chapter {n}</h2><div class="post_body"><p>{SAID[1]}</p></div></section>'
        for n in range(3)
    )
    assert "Chapter 2" in text_of(f"<html><body><main>{entries}</main></body></html>")


@pytest.mark.parametrize("kind", ["DiscussionForumPosting", "https://schema.org/QAPage", "Article"])
def test_what_is_discussed_is_the_text_of_a_page_that_announces_a_thread(kind: str) -> None:
    announced = f'<script type="application/ld+json">{{"@type": "{kind}"}}</script>'
    answers = "".join(f'<div class="comment"><p>{SAID[1]}</p></div>' for _ in range(6))
    first = f"<div><h1>Kettles</h1><p>{'It leaks at the seal, and always has. ' * 10}</p></div>"
    html = (
        f"<html><body>{announced}<div>{first}<div id=comments>{answers}</div></div></body></html>"
    )
    assert (SAID[1] in text_of(html)) is (kind != "Article")
