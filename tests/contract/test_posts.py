"""Is what is sent kept with its target, handed out with it, and gone with it? On every ledger."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.model import Assignment, Candidate, JobSpec, JobState, Post, Role, Sends, State, Target
from tenax.outcome import Later
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tenax.urls.normalise import posted_digest
from tests.ledgers import UNPACED, Ledger, get_to_know, settlement, settlements, target

A = "https://a.example"
SEARCH = f"{A}/search"
TEA, COFFEE = Sends("q=tea"), Sends("q=coffee")


def posted(sends: Sends, url: str = SEARCH) -> Target:
    door = Door(JobSpec(seeds=(url,)), AddressRules(), 0.0)
    decided = door.decide(Candidate(url, sends=sends))
    assert isinstance(decided, Target)
    return decided


async def test_what_is_sent_makes_another_target_and_the_same_once_more_does_not(
    ledger: Ledger,
) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    form, query = Sends("x", "text/plain"), Sends("x", "application/json")
    wanted = [target(SEARCH), posted(TEA), posted(COFFEE), posted(form), posted(query)]
    assert (await worker.frontier.add(job, wanted)).new == 5
    again = await worker.frontier.add(job, [posted(TEA), posted(Sends("q=milk"))])
    assert (again.new, again.known) == (1, 1)
    (claimed,) = await worker.frontier.claim([job])
    assert len(claimed.targets) == 6
    assert {each.sends for each in claimed.targets} == {
        None, TEA, COFFEE, form, query, Sends("q=milk"),
    }  # fmt: skip
    assert {each.url for each in claimed.targets} == {SEARCH}


async def test_it_is_named_by_a_hash_that_no_url_has(ledger: Ledger) -> None:
    tea = posted(TEA)
    assert tea.key == posted_digest(tea.identity, TEA)[:12]
    assert tea.role is Role.POSTED
    assert tea.key not in (target(SEARCH).key, posted(COFFEE).key)


async def test_whoever_gets_it_next_gets_what_it_sends(ledger: Ledger) -> None:
    """By a claim, by a ticket, by a place in the line, and after its holder has died."""
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [posted(TEA)])
    (ticket,) = await first.frontier.offer([job])
    (adopted,) = await second.frontier.adopt([ticket], [job])
    assert [each.sends for each in adopted.targets] == [TEA]
    later = settlement(adopted, adopted.targets[0], Later(ledger.clock.time, counts=False))
    await second.frontier.commit([later], [adopted.id])
    ledger.clock.time += 5
    place = await first.frontier.line_up(posted(TEA))
    called = await first.frontier.call(place, job, posted(TEA))
    assert isinstance(called, Assignment)
    assert [each.sends for each in called.targets] == [TEA]
    first.die()
    assert await second.frontier.reclaim() == 1
    ledger.clock.time += 5
    (claimed,) = await second.frontier.claim([job])
    assert [each.sends for each in claimed.targets] == [TEA]


async def test_what_a_visit_finds_may_send_something(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    found = settlement(held, held.targets[0], found=[posted(TEA), target(SEARCH)])
    assert (await worker.frontier.commit([found], [held.id])).new == 2
    (claimed,) = await worker.frontier.claim([job])
    assert {each.sends for each in claimed.targets} == {TEA, None}


async def test_its_page_tells_what_was_sent_for_it(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.add(job, [posted(TEA)])
    (held,) = await worker.frontier.claim([job])
    stored = settlements(held, stored=True)
    await worker.frontier.commit(stored, [held.id])
    (record,) = await ledger.pages.find()
    assert (record.sends, record.method, record.sent) == (TEA, "POST", "q=tea")
    asked = target(SEARCH)
    assert await ledger.pages.targets(asked.identity, asked.host) == []
    (known,) = await ledger.pages.targets(asked.identity, asked.host, TEA)
    assert (known.state, known.sends) == (State.DONE, TEA)
    assert await ledger.pages.posted(asked.identity, asked.host) == [known]
    assert await ledger.pages.posted(target(f"{A}/other").identity, asked.host) == []


async def test_it_goes_with_its_job_and_with_a_cleared_frontier(ledger: Ledger) -> None:
    worker = await ledger.worker(UNPACED)
    one, two = await ledger.job("one"), await ledger.job("two")
    await worker.frontier.add(one, [posted(TEA), posted(COFFEE)])
    await worker.frontier.add(two, [posted(TEA)])
    await ledger.jobs.delete(one)
    assert len(await ledger.sql("SELECT * FROM posts")) == 1
    await ledger.jobs.clear(two, 0)
    assert await ledger.sql("SELECT * FROM posts") == []
    assert await ledger.auditor.audit() == []


async def test_a_job_keeps_what_it_starts_from_beside_its_seeds(ledger: Ledger) -> None:
    spec = JobSpec(seeds=(f"{A}/",), posts=(Post(SEARCH, "q=tea"), Post(SEARCH, "{}", "a/b")))
    made = await ledger.jobs.save("kept", spec, JobState.STOPPED)
    assert made.spec == spec
    again = await ledger.jobs.get("kept")
    assert again is not None
    assert again.spec == spec
    ((text,),) = await ledger.sql("SELECT spec FROM jobs WHERE name = 'kept'")
    assert "q=tea" not in text, "claims read that"
    more = replace(spec, seeds=(), posts=(Post(SEARCH, "q=tea"), Post(SEARCH, "q=milk")))
    assert more.added_to(spec).posts == (*spec.posts, Post(SEARCH, "q=milk"))


async def test_the_audit_finds_what_is_sent_nowhere_and_what_sends_nothing(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.add(job, [posted(TEA)])
    ((id,),) = await ledger.sql("SELECT id FROM targets")
    await ledger.sql("UPDATE posts SET target_id = target_id + 1000")
    broken = {finding.promise: finding.rows for finding in await ledger.auditor.audit()}
    assert set(broken) == {
        "everything that is sent belongs to a target", "what sends something says what",
    }  # fmt: skip
    await ledger.sql(f"UPDATE posts SET target_id = {id}")
    assert await ledger.auditor.audit() == []
