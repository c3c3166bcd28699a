"""What does a visit say of its kind of URL? (URL-6)"""

from __future__ import annotations

from itertools import count

import pytest

from tenax.crawl.settle import Admitted
from tenax.crawl.traps.detector import Kin, TrapDetector
from tenax.crawl.traps.judgement import TrapPolicy
from tenax.model import Page, Product, Reason, Role, Target, Url
from tenax.outcome import Evidence
from tenax.page.sketch import pack, unpack, word_hash
from tenax.ports import ShapeBook, ShapeCounts

HOST = "a.example"
TEMPLATE = "\nThank you for coming here, and write to us if there is anything that you miss.\n"


def page(
    says: str, path: str = "/a/1", *, product: Product | None = None, digest: bytes = b"d" * 32
) -> Page:
    return Page(
        f"https://{HOST}{path}", 200, "text/html", b"", 0.0, sample=says.encode(),
        product=product, digest=digest,
    )  # fmt: skip


def new(*shapes: str, host: str = HOST, role: Role = Role.PAGE) -> tuple[Target, ...]:
    keys = count()
    return tuple(
        Target("", Url(""), b"%d" % next(keys), host, "", 1, 5, role=role, shape=shape)
        for shape in shapes
    )


def judge(traps: TrapDetector, shape: str, read: Page, found: tuple[Target, ...] = ()) -> Evidence:
    return traps.judge(HOST, shape, read, Admitted(found), None)


@pytest.fixture
def traps() -> TrapDetector:
    return TrapDetector(TrapPolicy())


def test_a_page_says_something_once(traps: TrapDetector) -> None:
    said = "the harbour lantern went out" + TEMPLATE
    assert judge(traps, "/a/N", page(said)).says
    assert not judge(traps, "/a/N", page(said, "/a/2")).says
    other = judge(traps, "/a/N", page("a copper kettle stood there" + TEMPLATE, "/a/3"))
    assert other.says
    assert unpack(other.said), "the ledger is told what is new"
    assert word_hash("kettle") in unpack(other.said)
    assert word_hash("lantern") not in unpack(other.said)


def test_a_word_in_a_long_page_is_not_enough(traps: TrapDetector) -> None:
    words = [f"w{n}" for n in range(60)]
    judge(traps, "/a/N", page(" ".join(words)))
    longer = " ".join([*words, "x1"])
    assert not judge(traps, "/a/N", page(longer, "/a/2"), new("/a/N")).says
    assert judge(traps, "/a/N", page(f"{longer} x2", "/a/3")).says, "it asks for nothing"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/a/5521", "Number 5521"),
        ("/a/0044", "Number 44"),
        ("/find?color=teal&size=xl", "Teal Number"),
        ("/a/c3f9d1e07b5a4d21", "Number c3f9d1e07b5a4d21"),
        ("/a/no-such-page", "Number of /a/no-such-page"),
    ],
)
def test_what_its_own_url_says_is_no_news_of_a_page_that_asks_for_more(
    traps: TrapDetector, path: str, says: str
) -> None:
    judge(traps, "/a/N", page("Number"))
    assert not judge(traps, "/a/N", page(says, path), new("/a/N")).says
    deeper = Admitted((), {Reason.TOO_DEEP: 1})
    assert not traps.judge(HOST, "/a/N", page(says, path), deeper, None).says
    number = judge(traps, "/a/N", page(says, path)).says
    assert number == ("teal" not in path), "one that asks for nothing may say its number"


def test_a_name_that_somebody_gave_is_news_though_the_url_says_it_too(traps: TrapDetector) -> None:
    judge(traps, "/a/A", page("Picture"))
    picture = page("Picture img_1234", "/a/img_1234")
    assert judge(traps, "/a/A", picture, new("/a/A")).says


def test_a_price_is_news(traps: TrapDetector) -> None:
    tent = Product(url="", name="Tent", price="20.00", currency="EUR")
    cheaper = Product(url="", name="Tent", price="19.00", currency="EUR")
    assert judge(traps, "/a/N", page("Tent", product=tent)).says
    assert not judge(traps, "/a/N", page("Tent", "/a/2", product=tent)).says
    assert judge(traps, "/a/N", page("Tent", "/a/3", product=cheaper)).says


def test_what_is_no_text_is_known_by_its_bytes(traps: TrapDetector) -> None:
    assert judge(traps, "/a/N", page("", digest=b"1" * 32)).says
    assert not judge(traps, "/a/N", page("", "/a/2", digest=b"1" * 32)).says
    assert judge(traps, "/a/N", page("", "/a/3", digest=b"2" * 32)).says


def test_a_page_that_says_nothing_is_judged_by_what_it_leads_to(traps: TrapDetector) -> None:
    judge(traps, "/list/N", page("Choose one"))
    found = new("/list/N", "/list/W", "/article/N") + new("/x/N", role=Role.SITEMAP)
    evidence = judge(traps, "/list/N", page("Choose one", "/list/2"), found)
    assert not evidence.says
    assert [lead.shape for lead in evidence.leads] == ["/article/N"], "no kin, and pages only"


def test_of_a_page_that_says_something_nobody_has_to_be_asked(traps: TrapDetector) -> None:
    assert judge(traps, "/list/N", page("A list"), new("/article/N")).leads == ()


def test_what_is_poor_itself_is_no_lead(traps: TrapDetector) -> None:
    """Two kinds of URLs that name each other, and say nothing."""
    traps.hear(HOST, {"/day/N": ShapeCounts(judged=6, idle=6)})
    judge(traps, "/month/N", page("Nothing"))
    evidence = judge(traps, "/month/N", page("Nothing", "/month/2"), new("/day/N", "/event/N"))
    assert [lead.shape for lead in evidence.leads] == ["/event/N"]
    elsewhere = new("/day/N", host="b.example")
    assert judge(traps, "/month/N", page("Nothing", "/month/3"), elsewhere).leads == elsewhere


def test_what_is_too_deep_is_more_of_the_kind(traps: TrapDetector) -> None:
    offer = Admitted((), {Reason.TOO_DEEP: 4, Reason.KNOWN: 2})
    evidence = traps.judge(HOST, "/a/N", page("x"), offer, Kin((b"k",), 2))
    assert (evidence.deeper, evidence.looked, evidence.kin) == (4, True, (b"k",))
    assert evidence.more == 2


def test_known_words_are_no_copy_and_the_same_text_is(traps: TrapDetector) -> None:
    """Photographs, of which a few words are all that is said, and those were said before."""
    judge(traps, "/p/N", page("View Harbour Castle 2011"))
    other = judge(traps, "/p/N", page("View Castle 2011", "/p/2"))
    assert not other.says
    assert not other.copy
    assert judge(traps, "/p/N", page("View Castle 2011", "/p/3")).copy


def test_what_was_chosen_by_a_query_makes_no_other_page(traps: TrapDetector) -> None:
    judge(traps, "/p?color", page("nothing red", "/p?color=red"), new("/x/N"))
    assert judge(traps, "/p?color", page("nothing blue", "/p?color=blue"), new("/x/N")).copy


def test_of_what_has_proved_good_a_few_are_judged(traps: TrapDetector) -> None:
    traps.hear(HOST, {"/a/N": ShapeCounts(judged=60, fruitful=60)})
    seen = [judge(traps, "/a/N", page(f"word{n}", f"/a/{n}")) for n in range(400)]
    judged = [evidence for evidence in seen if evidence.judged]
    assert 30 <= len(judged) <= 75
    assert all(evidence.says for evidence in judged)


def test_once_a_good_one_brings_nothing_the_next_are_judged_until_one_does(
    traps: TrapDetector,
) -> None:
    traps.hear(HOST, {"/a/N": ShapeCounts(judged=60, fruitful=60, looked=40, grew=40, met=30)})
    judge(traps, "/b/N", page("Nothing"))
    paths = [f"/a/{n}" for n in range(100)]
    is_sampled = [traps.looks_for_kin(HOST, "/a/N", f"https://{HOST}{path}") for path in paths]
    sampled = paths[is_sampled.index(True)]
    others = [path for path, is_one in zip(paths, is_sampled, strict=True) if not is_one]
    assert not judge(traps, "/a/N", page("Nothing", others[0])).judged
    assert judge(traps, "/a/N", page("Nothing", sampled)).judged
    assert judge(traps, "/a/N", page("Nothing", others[1])).judged
    assert judge(traps, "/a/N", page("kettle", others[2])).says
    assert not judge(traps, "/a/N", page("Nothing", others[3])).judged


def test_the_ledger_is_asked_at_first_and_once_a_minute(traps: TrapDetector) -> None:
    assert traps.is_due(HOST, 1000.0)
    assert traps.last_heard(HOST) == 0
    book = ShapeBook({"/cal/N": ShapeCounts(judged=30, idle=30)}, pack((word_hash("kettle"),)), 7)
    traps.learn(HOST, book, 1000.0)
    assert traps.why_deferred(HOST, "/cal/N")
    assert traps.why_deferred("b.example", "/cal/N") == ""
    assert traps.last_heard(HOST) == 7
    assert not judge(traps, "/a/N", page("kettle")).says, "another process has read that"
    assert not traps.is_due(HOST, 1059.0)
    assert traps.is_due(HOST, 1060.0)


def test_the_ledger_is_asked_after_many_visits(traps: TrapDetector) -> None:
    traps.learn(HOST, ShapeBook(), 1000.0)
    for n in range(63):
        judge(traps, "/a/N", page("x", f"/a/{n}"))
    assert not traps.is_due(HOST, 1001.0)
    judge(traps, "/a/N", page("x", "/a/63"))
    assert traps.is_due(HOST, 1001.0)
    assert traps.is_due("b.example", 1001.0), "of which nothing was asked"
    traps.learn(HOST, ShapeBook(), 1001.0)
    assert not traps.is_due(HOST, 1002.0)


def test_whether_pages_name_their_kind_is_asked_until_it_is_known(traps: TrapDetector) -> None:
    assert traps.looks_for_kin(HOST, "/a/N", f"https://{HOST}/a/1")
    traps.hear(HOST, {"/a/N": ShapeCounts(looked=40, grew=40, met=30)})
    looked = sum(traps.looks_for_kin(HOST, "/a/N", f"https://{HOST}/a/{n}") for n in range(400))
    assert 30 <= looked <= 75
