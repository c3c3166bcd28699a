"""What the committer owes to visits whose lease was lost meanwhile, and to those that find much."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import pytest
from msgspec.structs import replace

from tenax.crawl import commit
from tenax.crawl.commit import Committer
from tenax.crawl.outages.bodies import Bodies
from tenax.crawl.policy import CommitPolicy
from tenax.crawl.steps import Steps
from tenax.model import LeasedTarget, Page, State, Target, Url
from tenax.outcome import End, Settlement
from tenax.ports import Added, Committed, Unavailable
from tenax.testing import VirtualClock, run_virtually


class LosingFrontier:
    """Says of every settlement that its lease is gone, and remembers what is added instead."""

    def __init__(self) -> None:
        self.added: list[Target] = []

    async def commit(
        self, settlements: Sequence[Settlement], released: Sequence[int] = ()
    ) -> Committed:
        return Committed(lost=frozenset(s.lease for s in settlements))

    async def add(self, job_id: int, targets: Sequence[Target]) -> Added:
        self.added += targets
        return Added(new=len(targets))


class KeepingFrontier:
    """Remembers how many URLs each of its transactions brought; some of them fail."""

    def __init__(self, failures: Iterable[int] = ()) -> None:
        self.brought: list[tuple[str, int]] = []
        self.pages: list[Page | None] = []
        self._failures = set(failures)
        self._calls = 0

    async def commit(
        self, settlements: Sequence[Settlement], released: Sequence[int] = ()
    ) -> Committed:
        self._call()
        found = sum(len(s.found) for s in settlements)
        self.brought.append(("commit", found))
        self.pages += [settlement.page for settlement in settlements]
        return Committed(new=found)

    async def add(self, job_id: int, targets: Sequence[Target]) -> Added:
        self._call()
        self.brought.append(("add", len(targets)))
        return Added(new=len(targets))

    def _call(self) -> None:
        self._calls += 1
        if self._calls in self._failures:
            raise Unavailable("the disk is full")


class NoContent:
    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        raise AssertionError("no bodies in this test")


class AnyContent:
    """Takes its time, and remembers which bodies came together; `failures` are calls that fail."""

    def __init__(self, failures: Iterable[int] = ()) -> None:
        self.stored: list[list[int]] = []
        self._failures = set(failures)
        self._calls = 0

    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        self._calls += 1
        await asyncio.sleep(1)  # a batch does not wait so long for company
        if self._calls in self._failures:
            raise Unavailable("the disk is full")
        self.stored.append([len(body) for _, body in bodies])


def committer_on(
    frontier: object,
    told: list[Committed] | None = None,
    steps: Steps | None = None,
    content: object = None,
) -> Committer:
    return Committer(
        frontier,  # type: ignore[arg-type]  # the two methods a committer calls
        Bodies(content or NoContent()),  # type: ignore[arg-type]  # nothing is read here
        VirtualClock(),
        CommitPolicy(),
        lambda _batch, result, _released: (told if told is not None else []).append(result),
        steps=steps,
    )


def found(number: int) -> Target:
    url = f"https://a.example/{number}"
    return Target(url, Url(url), b"%d" % number, "a.example", "https://a.example", 1, 5)


def visit(*numbers: int) -> Settlement:
    targets = tuple(found(number) for number in numbers)
    return Settlement(1, 1, 1, End(State.DONE, "read"), None, found=targets)


def page_of(size: int) -> Page:
    return Page("https://a.example/", 200, "text/html", bytes(size), 0.0)


async def write(committer: Committer, *settlements: Settlement) -> None:
    running = asyncio.create_task(committer.run())
    await asyncio.gather(*map(committer.put, settlements))
    committer.close()
    await running


def test_what_is_given_up_after_the_committer_failed_is_under_way_no_more() -> None:
    """Its mark would stand for ever: nobody is left to write it."""
    steps = Steps(VirtualClock())

    async def story() -> None:
        failing = KeepingFrontier(failures=range(1, 9))
        committer = committer_on(failing, steps=steps)
        target = LeasedTarget(1, 1, "https://a.example/", 0, 5, 0)
        steps.begin(target, 1, "a.example")
        with pytest.raises(Unavailable):
            await write(committer, visit())
        steps.begin(target, 1, "a.example")
        committer.add(visit())
        steps.leave((1, 1))
        assert steps.look().visits == ()

    run_virtually(story())


class TimedFrontier(KeepingFrontier):
    """Remembers how many visits came together, and after how many seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.came: list[tuple[float, int]] = []

    async def commit(
        self, settlements: Sequence[Settlement], released: Sequence[int] = ()
    ) -> Committed:
        self.came.append((asyncio.get_running_loop().time(), len(settlements)))
        return await super().commit(settlements, released)


def leased(number: int) -> LeasedTarget:
    return LeasedTarget(number, 1, f"https://a.example/{number}", 0, 5, 0)


def test_a_visit_is_written_at_once_when_no_other_is_under_way() -> None:
    frontier, steps = TimedFrontier(), Steps(VirtualClock())

    async def story() -> None:
        committer = committer_on(frontier, steps=steps)
        running = asyncio.create_task(committer.run())
        steps.begin(leased(1), 1, "a.example")
        await committer.put(visit())
        await asyncio.sleep(1.0)
        committer.close()
        await running

    run_virtually(story())
    assert frontier.came == [(0.0, 1)]


def test_a_visit_waits_for_one_that_is_under_way_to_be_written_with_it() -> None:
    frontier, steps = TimedFrontier(), Steps(VirtualClock())

    async def story() -> None:
        committer = committer_on(frontier, steps=steps)
        running = asyncio.create_task(committer.run())
        for number in (1, 2):
            steps.begin(leased(number), 1, "a.example")
        await committer.put(visit())
        await asyncio.sleep(CommitPolicy().lull / 2)
        await committer.put(replace(visit(), target_id=2))
        await asyncio.sleep(1.0)
        committer.close()
        await running

    run_virtually(story())
    assert frontier.came == [(CommitPolicy().lull, 2)]


def test_what_a_lost_visit_found_is_found_all_the_same() -> None:
    """The pages behind it did not offer these URLs again: they would be lost with it."""
    frontier = LosingFrontier()
    run_virtually(write(committer_on(frontier), visit(1)))
    assert frontier.added == [found(1)]


def test_very_many_urls_are_added_ahead_of_their_visit_and_the_last_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(commit, "_MOST_FOUND", 3)
    frontier, told = KeepingFrontier(), list[Committed]()
    run_virtually(write(committer_on(frontier, told), visit(*range(8))))
    assert frontier.brought == [("add", 3), ("add", 3), ("commit", 2)]
    assert [result.new for result in told] == [8]


def test_as_many_as_fit_are_written_in_the_visits_own_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(commit, "_MOST_FOUND", 3)
    frontier = KeepingFrontier()
    run_virtually(write(committer_on(frontier), visit(*range(3))))
    assert frontier.brought == [("commit", 3)]


def test_a_part_that_fails_is_tried_again_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "_MOST_FOUND", 3)
    frontier = KeepingFrontier(failures=[2, 4])
    run_virtually(write(committer_on(frontier), visit(*range(8))))
    assert frontier.brought == [("add", 3), ("add", 3), ("commit", 2)]


def test_a_lost_visit_that_found_very_many_loses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "_MOST_FOUND", 3)
    frontier = LosingFrontier()
    run_virtually(write(committer_on(frontier), visit(*range(8))))
    assert frontier.added == [found(number) for number in range(8)]


@pytest.mark.parametrize(
    "brought",
    [
        [visit(*range(CommitPolicy().most * 20))],
        # Few pages, but heavy ones: their bodies wait in memory.
        [replace(visit(), page=page_of(4_200_000)), replace(visit(), image=page_of(4_200_000))],
    ],
)
def test_who_is_about_to_bring_very_much_waits_until_the_rest_is_written(
    brought: list[Settlement],
) -> None:
    async def story() -> tuple[bool, bool]:
        committer = committer_on(KeepingFrontier(), content=AnyContent())
        for settlement in brought:
            committer.add(settlement)
        asking = asyncio.create_task(committer.room())
        await asyncio.sleep(1)
        was_let_in = asking.done()
        await write(committer)
        await asyncio.wait_for(asking, 1)
        return was_let_in, asking.done()

    assert run_virtually(story()) == (False, True)


@pytest.mark.parametrize(
    ("failures", "stored"),
    [((), [[90_000], [70]]), ((1,), [[90_000, 70]]), ((1, 2), [[90_000, 70]])],
)
def test_a_body_is_let_go_of_once_it_is_stored_and_its_size_is_told_all_the_same(
    failures: tuple[int, ...], stored: list[list[int]]
) -> None:
    """Heavy ones by whoever brings them, before the batch; what fails then is stored with it."""
    frontier, content = KeepingFrontier(), AnyContent(failures)
    heavy, light = replace(visit(), page=page_of(90_000)), replace(visit(), page=page_of(70))
    run_virtually(write(committer_on(frontier, content=content), heavy, light))
    assert content.stored == stored
    assert [page and (page.body, page.size) for page in frontier.pages] == [
        (None, 90_000), (None, 70),
    ]  # fmt: skip


def test_a_visit_that_is_cut_off_while_its_body_is_stored_is_written_all_the_same() -> None:
    async def story() -> list[list[int]]:
        content = AnyContent()
        committer = committer_on(KeepingFrontier(), content=content)
        bringing = asyncio.create_task(committer.put(replace(visit(), page=page_of(90_000))))
        await asyncio.sleep(0)
        bringing.cancel()
        await write(committer)
        return content.stored

    assert run_virtually(story()) == [[90_000]]
