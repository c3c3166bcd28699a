"""Does the audit notice what is wrong? One damage for every promise that no other suite breaks."""

from __future__ import annotations

import pytest

from tests.contract.test_products import KETTLE, sell
from tests.ledgers import UNPACED, Ledger, get_to_know, settlements, target

A = "https://a.example"
NOBODY = 987_654


async def under_way(ledger: Ledger) -> None:
    """A job with a page that is stored, one that is being visited, and one that waits."""
    worker, job_id = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job_id, "a.example")
    await worker.frontier.add(job_id, [target(f"{A}/stored")])
    (held,) = await worker.frontier.claim([job_id])
    await worker.frontier.commit(settlements(held, stored=True), [held.id])
    await worker.frontier.add(job_id, [target(f"{A}/visited")])
    await worker.frontier.claim([job_id])
    await worker.frontier.add(job_id, [target(f"{A}/waiting")])
    states = await ledger.sql("SELECT state FROM targets ORDER BY id")
    assert [state for (state,) in states] == ["done", "done", "leased", "pending"]
    assert await ledger.auditor.audit() == []


async def broken(ledger: Ledger) -> dict[str, tuple[str, ...]]:
    return {finding.promise: finding.rows for finding in await ledger.auditor.audit()}


@pytest.mark.parametrize(
    ("promise", "damage"),
    [
        ("every target is in a known state", "UPDATE targets SET state = 'lost' WHERE id = {id}"),
        (
            "every target belongs to a job",
            "UPDATE targets SET job_id = {nobody} WHERE id = {id}",
        ),
        (
            "every target belongs to a host",
            "UPDATE targets SET host_id = {nobody} WHERE id = {id}",
        ),
        (
            "a target is leased exactly while it has a lease",
            "UPDATE targets SET state = 'pending' WHERE lease_id IS NOT NULL",
        ),
        (
            "a target is leased exactly while it has a lease",
            "UPDATE targets SET lease_id = NULL WHERE state = 'leased'",
        ),
        ("every lease belongs to an assignment", "DELETE FROM assignments"),
        ("waiting work can be found", "UPDATE lanes SET ready_at = NULL"),
        ("waiting work can be found", "DELETE FROM lanes"),
        ("discovered per host equals its targets", "UPDATE lanes SET known = known + 1"),
        ("totals equal the rows they count", "DELETE FROM tallies WHERE name = 'done'"),
        ("totals equal the rows they count", "DELETE FROM targets WHERE state = 'pending'"),
    ],
)
async def test_what_is_wrong_with_targets_is_found(
    ledger: Ledger, promise: str, damage: str
) -> None:
    await under_way(ledger)
    ((id,),) = await ledger.sql("SELECT id FROM targets WHERE state = 'pending'")
    await ledger.sql(damage.format(id=id, nobody=NOBODY))
    assert promise in await broken(ledger)


@pytest.mark.parametrize(
    ("promise", "damage"),
    [
        ("every page belongs to a target", "UPDATE pages SET target_id = {nobody}"),
        ("every attempt belongs to a target", "UPDATE attempts SET target_id = {nobody}"),
        ("every assignment belongs to a worker", "UPDATE assignments SET worker_id = {nobody}"),
    ],
)
async def test_what_belongs_to_nothing_is_found(ledger: Ledger, promise: str, damage: str) -> None:
    await under_way(ledger)
    await ledger.sql(damage.format(nobody=NOBODY))
    assert promise in await broken(ledger)


@pytest.mark.parametrize(
    ("promise", "damage"),
    [
        ("every product was offered at some target", "DELETE FROM product_jobs"),
        ("every target of a product has its URL, and its job",
         "UPDATE product_jobs SET job_id = {nobody}"),
        ("every target of a product has its URL, and its job",
         "UPDATE products SET host_id = {nobody}"),
        ("every price belongs to a product",
         "INSERT INTO product_prices (product_id, at) VALUES ({nobody}, 1)"),
        ("every availability belongs to a product",
         "UPDATE product_stock SET product_id = {nobody}"),
        ("every picture belongs to a product", "UPDATE images SET product_id = {nobody}"),
        ("every term belongs to a product",
         "INSERT INTO product_terms VALUES ('sku', 'x', {nobody})"),
        ("the last price of a history is what the product costs",
         "UPDATE products SET price = '1.00'"),
        ("the last price of a history is what the product costs", "DELETE FROM product_prices"),
        ("the last availability of a history is the product's", "DELETE FROM product_stock"),
        ("the last availability of a history is the product's",
         "UPDATE products SET availability = NULL"),
        ("a product is listed, delisted or unknown, as was last known",
         "UPDATE products SET status = 'delisted'"),
        ("no product was seen, read or changed before it was first seen",
         "UPDATE products SET last_seen_at = 1"),
        ("a product with a number is found by it", "DELETE FROM product_terms"),
        ("a picture that was downloaded has its size", "UPDATE images SET size = 7"),
    ],
)  # fmt: skip
async def test_what_is_wrong_with_products_is_found(
    ledger: Ledger, promise: str, damage: str
) -> None:
    await sell(ledger, f"{A}/kettle", KETTLE)
    assert await ledger.auditor.audit() == []
    await ledger.sql(damage.format(nobody=NOBODY))
    assert promise in await broken(ledger)


async def test_a_url_that_is_there_twice_is_found(sqlite_ledger: Ledger) -> None:
    """Only where the index that forbids it is gone."""
    await under_way(sqlite_ledger)
    ((first,),) = await sqlite_ledger.sql("SELECT min(id) FROM targets")
    await sqlite_ledger.sql("DROP INDEX targets_identity")
    await sqlite_ledger.sql(
        f"UPDATE targets SET key = (SELECT key FROM targets WHERE id = {first})"
    )
    assert (await broken(sqlite_ledger))["no URL is in a job twice"] == (f"id {first}",)


async def test_of_many_rows_a_few_are_shown_and_all_counted(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.add(job_id, [target(f"{A}/{n}") for n in range(25)])
    await ledger.sql("UPDATE targets SET state = 'lost'")
    (finding,) = [
        f for f in await ledger.auditor.audit() if f.promise == "every target is in a known state"
    ]
    assert (len(finding.rows), finding.count) == (10, 25)
    assert all(row.startswith("id ") for row in finding.rows)
