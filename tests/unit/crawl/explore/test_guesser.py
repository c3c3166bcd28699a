"""A lesson is learned whole or not at all, also where visits are side by side (DISC-2, DISC-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tenax.crawl.admit import Admission
from tenax.crawl.explore.guesser import Guesser
from tenax.crawl.settle import Lesson
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import observe
from tenax.discover.sights import Result
from tenax.model import (
    Host,
    HostRules,
    Job,
    JobSpec,
    JobState,
    LeasedTarget,
    Page,
    Reason,
    Role,
    Target,
    UrlSource,
)
from tenax.outcome import Outcome, Read
from tenax.testing import START, VirtualClock, run_virtually
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door

HOME = "https://a.example"
HOST = Host("a.example", HOME, id=7, visits=100)
POLICY = GuessPolicy()


class Ledger:
    """What the guesser reads: it is never asked to write."""

    def __init__(self, rules: HostRules | None = None, known: Sequence[str] = ()) -> None:
        self._rules = rules
        self._known = known
        self.answers = asyncio.Event()
        self.answers.set()

    async def load(self, host_id: int) -> HostRules | None:
        return self._rules

    async def objections(self, job_id: int, targets: Sequence[Target]) -> list[Reason | None]:
        await self.answers.wait()
        return [Reason.KNOWN if target.url in self._known else None for target in targets]


class NoSitemaps:
    async def sitemaps(self, origin: str) -> tuple[str, ...]:
        return ()


def admission() -> Admission:
    spec = JobSpec(seeds=(f"{HOME}/",), discover=(UrlSource.PAGINATION,))
    job = Job(1, "job", JobState.RUNNING, spec, START)
    return Admission(job, Door(spec, AddressRules(()), START))


def guesser_on(ledger: Ledger) -> Guesser:
    return Guesser(
        ledger,  # type: ignore[arg-type]  # the one thing it is asked
        ledger,  # type: ignore[arg-type]  # the same
        NoSitemaps(),  # type: ignore[arg-type]  # the same
        VirtualClock(),
        POLICY,
    )


def a_listing() -> HostRules:
    """Pages 1 to 3 of a listing are known and the last of them was read: 4 is worth a try."""
    rules = observe(HostRules(), f"{HOME}/", Role.PAGE, Result.READ, _urls(1, 2), START, POLICY)
    for number in (1, 2):
        url = f"{HOME}/list?page={number}"
        rules = observe(rules, url, Role.PAGE, Result.READ, [f"{HOME}/x{number}"], START, POLICY)
    return rules


def _urls(*numbers: int) -> list[str]:
    return [f"{HOME}/list?page={number}" for number in numbers]


async def learn(guesser: Guesser, door: Admission, path: str = "/item") -> Lesson:
    url = f"{HOME}{path}"
    outcome: Outcome = Read(Page(url, 200, "text/html", b"", START))
    leased = LeasedTarget(1, door.job.id, url, 1, 5, 0)
    return await guesser.learn(outcome, leased, HOST, door, ())


def guessed(lesson: Lesson) -> list[str]:
    return [target.url for target in lesson.guesses]


def test_a_guess_comes_with_the_rules_that_remember_it() -> None:
    async def story() -> Lesson:
        return await learn(guesser_on(Ledger(a_listing())), admission())

    lesson = run_virtually(story())
    assert guessed(lesson) == _urls(3)
    assert lesson.rules is not None
    assert list(lesson.rules.asked) == ["/list?page=3"]


def test_a_visit_that_teaches_nothing_new_has_nothing_written() -> None:
    async def story() -> Lesson:
        guesser, door = guesser_on(Ledger(a_listing())), admission()
        await learn(guesser, door)
        return await learn(guesser, door, "/other")

    assert run_virtually(story()) == Lesson()


def test_a_guess_that_the_job_knows_is_not_made_and_not_waited_for() -> None:
    async def story() -> Lesson:
        return await learn(guesser_on(Ledger(a_listing(), known=_urls(3))), admission())

    lesson = run_virtually(story())
    assert guessed(lesson) == []
    assert lesson.rules is not None
    assert lesson.rules.asked == {}
    assert lesson.rules.series["/list?page={n}"].high == 3


def test_visits_side_by_side_do_not_make_one_guess_twice() -> None:
    async def story() -> list[Lesson]:
        ledger, door = Ledger(a_listing()), admission()
        guesser = guesser_on(ledger)
        ledger.answers.clear()
        visits = [asyncio.create_task(learn(guesser, door, f"/{n}")) for n in range(3)]
        await asyncio.sleep(1)
        ledger.answers.set()
        return await asyncio.gather(*visits)

    assert [guessed(lesson) for lesson in run_virtually(story())] == [_urls(3), [], []]


def test_a_lesson_that_is_broken_off_is_learned_by_the_next_visit() -> None:
    async def story() -> Lesson:
        ledger, door = Ledger(a_listing()), admission()
        guesser = guesser_on(ledger)
        ledger.answers.clear()
        visit = asyncio.create_task(learn(guesser, door))
        await asyncio.sleep(1)
        visit.cancel()
        await asyncio.gather(visit, return_exceptions=True)
        ledger.answers.set()
        return await learn(guesser, door)

    assert guessed(run_virtually(story())) == _urls(3)


def test_what_others_have_learned_is_heeded_also_in_the_middle_of_a_lesson() -> None:
    ended = observe(a_listing(), f"{HOME}/list?page=9", Role.PAGE, Result.GONE, (), START, POLICY)

    async def story() -> tuple[Lesson, Lesson]:
        ledger, door = Ledger(a_listing()), admission()
        guesser = guesser_on(ledger)
        ledger.answers.clear()
        visit = asyncio.create_task(learn(guesser, door))
        await asyncio.sleep(1)
        guesser.heard({HOST.id: ended})
        ledger.answers.set()
        return await visit, await learn(guesser, door, "/other")

    first, second = run_virtually(story())
    assert first.rules is not None
    assert first.rules.series["/list?page={n}"].ended == "page 9 is not there"
    assert second == Lesson()
