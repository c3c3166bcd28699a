"""What does a visit say of its kind of URL? (URL-6)"""

from __future__ import annotations

from itertools import count

import pytest
from msgspec.structs import replace

from tenax.crawl.settle import Admitted
from tenax.crawl.traps.detector import TrapDetector
from tenax.crawl.traps.judgement import TrapPolicy
from tenax.crawl.traps.kin import Kin
from tenax.model import Page, Product, Reason, Role, Target, Url
from tenax.model.record import HandledRecord
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
    return traps.judge(HOST, shape, read, Admitted(found), Kin())


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
    assert word_hash("kettle") & ~3 in unpack(other.said)
    assert word_hash("lantern") & ~3 not in unpack(other.said)


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
    assert not traps.judge(HOST, "/a/N", page(says, path), deeper, Kin()).says
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


def test_what_sells_something_new_is_no_way_to_ever_more_of_the_same(
    traps: TrapDetector,
) -> None:
    """A shop may be as large as it likes, but not by one product on ever so many pages."""
    tent = Product(url="", name="Tent", price="20.00", currency="EUR")
    kin = Kin((b"one", b"two"))

    def sells(nth: int, product: Product, *, late: bool = False) -> tuple[bool, int]:
        read = page(f"Tent {'again ' * nth}", f"/a/{nth}", product=product)
        told = traps.judge(HOST, "/a/N", read, Admitted(), kin, late=late)
        return told.looked, len(told.kin)

    assert sells(1, tent) == (False, 0)
    assert sells(2, tent) == (True, 2), "it was sold there already"
    assert sells(3, replace(tent, price="19.00"), late=True) == (True, 0), "here it ends"


def test_what_somebody_takes_from_a_page_is_worth_its_visit_once(traps: TrapDetector) -> None:
    record = HandledRecord("lot", "", "take", "1", 0, "{}", b"r" * 32)
    judge(traps, "/a/N", page("Nothing"))
    silent = judge(traps, "/a/N", page("Nothing", "/a/2"))
    first = traps.credit(HOST, replace(silent, kin=(b"one",)), [record])
    assert (silent.says, first.says, first.worded) == (False, True, True)
    assert (first.looked, first.kin) == (False, ())
    assert traps.credit(HOST, silent, [record]) == silent, "another page had it"
    assert traps.credit(
        HOST, replace(silent, late=True), [replace(record, digest=b"s" * 32)]
    ).looked


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
    evidence = traps.judge(HOST, "/a/N", page("x"), offer, Kin((b"k",), (b"o",), 2))
    assert (evidence.deeper, evidence.looked, evidence.kin) == (4, True, (b"k",))
    assert (evidence.others, evidence.more) == ((b"o",), 2)


def test_known_words_are_no_copy_and_the_same_text_as_before_is(traps: TrapDetector) -> None:
    """Photographs, of which a few words are all that is said, and those were said before."""
    judge(traps, "/p/N", page("View Harbour Castle 2011"))
    for n, says in enumerate(("View Castle 2011", "View Harbour", "View Castle 2011")):
        other = judge(traps, "/p/N", page(says, f"/p/{n + 2}"))
        assert not other.says
        assert not other.copy
    assert judge(traps, "/p/N", page("View Castle 2011", "/p/9")).copy


STORY = "the cooper bound barrels by the harbour where brambles crept up a broken pump "


def test_known_prose_is_a_copy_and_what_all_of_a_kind_say_is_not(traps: TrapDetector) -> None:
    """To be printed, in another language that nobody translated; the notice below a picture."""
    stories = [STORY.replace("b", f"b{letter}") * 2 for letter in "xyz"]
    for n, told in enumerate(stories):
        judge(traps, "/story/N", page(told, f"/story/{n}"))
    views = [judge(traps, "/story/N?print", page(told, "/story/1?print")) for told in stories]
    assert [view.says for view in views] == [False] * 3
    assert [view.copy for view in views] == [False, True, True]
    notice = STORY * 2
    judge(traps, "/p/N", page(f"Castle\n{notice}"))
    words = ("Castle", "Castle", "castle harbour", "Castle")
    pictures = [
        judge(traps, "/p/N", page(f"{w}\n{notice}", f"/p/{n}")) for n, w in enumerate(words)
    ]
    assert [picture.copy for picture in pictures] == [False, True, False, False]


def test_a_copy_with_a_line_of_its_own_is_one_and_says_something(traps: TrapDetector) -> None:
    stories = [STORY.replace("b", f"b{letter}") * 2 for letter in "vwxyz"]
    for n, told in enumerate(stories):
        judge(traps, "/story/N", page(told, f"/story/{n}"))
    judge(traps, "/story/N?print", page(stories[0], "/story/0?print"))
    view = judge(traps, "/story/N?print", page(f"{stories[1]}\nOn paper", "/story/1?print"))
    assert (view.copy, view.says, view.worded) == (True, True, True), "as documentation does"
    assert word_hash("paper") & ~3 in unpack(view.said)
    more = stories[2] + "and above all a cobbler began to beat time upon a tub by the bridge"
    other = judge(traps, "/story/N?print", page(more, "/story/2?print"))
    assert (other.copy, other.says) == (False, True), "one in eight is no copy"


def test_figures_are_less_than_words(traps: TrapDetector) -> None:
    first = judge(traps, "/a/N", page("Height 17.5"))
    assert (first.says, first.worded) == (True, True)
    other = judge(traps, "/a/N", page("Height 19.5", "/a/2"))
    assert (other.says, other.worded) == (True, False)


def test_what_was_chosen_by_a_query_makes_no_other_page(traps: TrapDetector) -> None:
    for color in ("red", "teal"):
        judge(traps, "/p?color", page(f"nothing {color}", f"/p?color={color}"), new("/x/N"))
    assert judge(traps, "/p?color", page("nothing blue", "/p?color=blue"), new("/x/N")).copy


PROVED = ShapeCounts(judged=60, fruitful=60, worded=60, looked=60, grew=60, met=45)


def asked(traps: TrapDetector, paths: list[str], *, grows: bool = False) -> list[int]:
    urls = [f"https://{HOST}{path}" for path in paths]
    return [traps.speaks_for(HOST, "/a/N", url, grows=grows) for url in urls]


def test_of_what_has_proved_good_a_few_speak_for_all(traps: TrapDetector) -> None:
    paths = [f"/a/{n}" for n in range(400)]
    assert asked(traps, paths[:3]) == [1, 1, 1], "as long as nothing is known"
    traps.hear(HOST, {"/a/N": PROVED})
    assert set(asked(traps, paths)) == {0, 16}
    assert 200 <= sum(asked(traps, paths)) <= 600
    assert asked(traps, paths, grows=True) == asked(traps, paths), "it was seen to meet"
    traps.hear(HOST, {"/a/N": replace(PROVED, met=0)})
    assert set(asked(traps, paths, grows=True)) == {1}
    leads_on = replace(PROVED, added=60)
    traps.hear(HOST, {"/a/N": leads_on})
    assert set(asked(traps, paths, grows=True)) == {0, 2}, "it leads on"
    assert set(asked(traps, paths)) == {0, 16}, "and was seen to meet"
    traps.hear(HOST, {"/a/N": replace(leads_on, met=0)})
    assert set(asked(traps, paths)) == {0, 2}, "these are its ends"


def test_once_a_good_one_brings_nothing_the_next_are_judged_until_one_does(
    traps: TrapDetector,
) -> None:
    traps.hear(HOST, {"/a/N": PROVED})
    judge(traps, "/b/N", page("Nothing"))
    paths = [f"/a/{n}" for n in range(100)]
    is_sampled = asked(traps, paths)
    sampled = paths[is_sampled.index(16)]
    others = [path for path, times in zip(paths, is_sampled, strict=True) if not times]
    assert not judge(traps, "/a/N", page("Nothing", others[0])).judged
    assert judge(traps, "/a/N", page("Nothing", sampled)).judged
    assert asked(traps, others[:1]) == [1]
    assert judge(traps, "/a/N", page("Nothing", others[1])).judged
    assert judge(traps, "/a/N", page("kettle", others[2])).says
    assert not judge(traps, "/a/N", page("Nothing", others[3])).judged


def test_what_others_speak_for_is_heard_where_it_names_views_of_itself(
    traps: TrapDetector,
) -> None:
    traps.hear(HOST, {"/a/N": replace(PROVED, met=0)})
    told = [STORY.replace("b", f"b{letter}") * 2 for letter in "wxyz"]
    is_sampled = asked(traps, [f"/a/{n}" for n in range(40)])
    one, two = [f"/a/{n}" for n, times in enumerate(is_sampled) if not times][:2]
    heard = traps.listen(HOST, "/a/N", page(told[0], one))
    assert heard is not None
    assert (heard.judged, heard.looked, heard.times) == (False, False, 0)
    assert traps.listen(HOST, "/a/N", page(told[0], two)) is None, "the ledger has that"
    grown = judge(traps, "/a/N", page(told[1], two), new("/a/N/W", "/a/N/W"))
    assert (grown.judged, bool(grown.said)) == (False, True)
    judge(traps, "/b/N", page(told[3], "/b/9"))
    views = [judge(traps, "/b/N", page(said, f"/b/{n}")) for n, said in enumerate(told)]
    assert [view.copy for view in views] == [True, True, False, True]


def test_what_was_let_go_and_comes_back_has_the_ledger_asked(traps: TrapDetector) -> None:
    """Of two workers one may know less: it sent back what the other let go, for a minute."""
    traps.learn(HOST, ShapeBook(), 1000.0)
    for _ in range(63):
        traps.doubt(HOST)
    assert not traps.is_due(HOST, 1000.0)
    traps.doubt(HOST)
    assert traps.is_due(HOST, 1000.0)


def test_the_ledger_is_asked_at_first_and_once_a_minute(traps: TrapDetector) -> None:
    assert traps.is_due(HOST, 1000.0)
    assert traps.last_heard(HOST) == 0
    said = pack((word_hash("kettle") & ~3,))
    book = ShapeBook({"/cal/N": ShapeCounts(judged=30, idle=30)}, said, 7)
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
