"""What may be claimed, in which order, and what it costs to find it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text
from stocked_site import StockedSite

from scheduler_service.store import claims, credentials

BATCH = 10


def claim(site: StockedSite, most: int = BATCH, site_id: str = "") -> list[claims.Claim]:
    return site.database.statement(lambda connection: claims.claim(
        connection, site_id=site_id or site.site_id, worker_id=uuid4(), most=most, lease=timedelta(minutes=2)))


def fields(claimed: list[claims.Claim]) -> list[str]:
    return [one.field_name for one in claimed]


def test_what_was_due_first_is_claimed_first(site):
    site.scan({"a": "One", "b": "Two", "c": "Three"})
    site.change("update items set next_attempt_at = now() - case field_name when 'b' then interval '3 minutes' "
                "when 'c' then interval '2 minutes' else interval '1 minute' end")
    assert [fields(claim(site, 1)) for _ in range(4)] == [["b"], ["c"], ["a"], []]


def test_a_claim_takes_no_more_than_asked_for(site):
    site.scan({f"field {number}": "Text" for number in range(7)})
    assert [len(claim(site, 3)) for _ in range(4)] == [3, 3, 1, 0]


def test_a_claim_writes_lease_fence_source_and_attempt(site):
    site.scan({"title": "One"})
    [held] = claim(site)
    row = site.row(held.item_id)
    assert (row["claim_seq"], row["attempt_count"], row["claimed_revision"]) == (1, 1, 1)
    assert (held.claim_seq, held.attempt_count, held.source_revision) == (1, 1, 1)
    assert row["claimed_hash"] == row["source_hash"] == held.source_hash
    assert row["last_error_code"] is None and row["last_attempt_at"] is not None and row["status"] == "missing"
    assert site.one("select lease_until between now() + interval '1 minute' and now() + interval '2 minutes' from items")


NOT_DUE = {
    "inactive": "update items set is_active = false",
    "not due yet": "update items set next_attempt_at = now() + interval '1 minute'",
    "out of attempts": "update items set attempt_count = 4",
    "failed for good": "update items set next_attempt_at = 'infinity'",
    "held by somebody": "update items set lease_until = now() + interval '1 minute'",
    "drafted": "update items set status = 'draft'",
    "paused for good": "update sites set paused_until = 'infinity'",
    "paused for now": "update sites set paused_until = now() + interval '1 minute'",
    "with a halted credential": "update credentials set halted_until = 'infinity'",
    "with a cooling credential": "update credentials set cooling_until = now() + interval '1 minute'",
}


@pytest.mark.parametrize("why", NOT_DUE)
def test_an_item_is_not_claimed_while_it_is(site, why: str):
    site.scan({"title": "One"})
    site.change(NOT_DUE[why])
    before = site.row(site.item_id("title"))
    assert claim(site) == []
    assert site.row(site.item_id("title")) == before


@pytest.mark.parametrize("why", [why for why in NOT_DUE if "paused" in why or "credential" in why])
def test_a_site_that_may_not_run_is_not_among_those_that_may(site, why: str):
    other = StockedSite(site.database, "garden")
    site.change("insert into credentials (credential_id) values ('own')")
    site.change("update sites set credential_id = 'own', judge_credential_id = 'own' where site_id = 'garden'")
    site.change(NOT_DUE[why] + (" where site_id = 'harbour'" if "sites" in NOT_DUE[why] else " where credential_id = 'offline'"))
    assert site.database.statement(claims.runnable_sites) == [other.site_id]


def test_a_halted_judge_stops_its_sites_too(site):
    site.scan({"title": "One"})
    site.change("insert into credentials (credential_id) values ('judge')")
    site.change("update sites set judge_credential_id = 'judge'")
    site.database.transact(lambda connection: credentials.halt(connection, "judge", "TranslationAI.QuotaExceeded"))
    assert claim(site) == []
    assert site.database.statement(claims.runnable_sites) == []


def test_a_pause_that_is_over_ends_by_itself(site):
    site.scan({"title": "One"})
    site.change("update sites set paused_until = now() - interval '1 second'")
    site.change("update credentials set cooling_until = now() - interval '1 second'")
    assert fields(claim(site)) == ["title"]


def test_cooling_never_shortens_a_longer_pause(site):
    for minutes in (10, 1):
        site.database.transact(
            lambda connection, minutes=minutes: credentials.cool(connection, "offline", timedelta(minutes=minutes)))
    assert site.one("select cooling_until > now() + interval '9 minutes' from credentials")


def test_halting_twice_keeps_the_first_reason(site):
    halt = credentials.halt
    assert site.database.transact(lambda connection: halt(connection, "offline", "TranslationAI.QuotaExceeded"))
    assert not site.database.transact(lambda connection: halt(connection, "offline", "TranslationAI.Disabled"))
    assert site.one("select halt_code from credentials") == "TranslationAI.QuotaExceeded"
    assert site.one("select halt_generation from credentials") == 1


# The plan ------------------------------------------------------------------------------------

READY = 50_000


@pytest.fixture
def backlog(site: StockedSite) -> StockedSite:
    """Fifty thousand ready items, a tenth of them of a paused site and due before all others."""
    StockedSite(site.database, "garden")
    site.change("""
        insert into items (site_id, page_id, field_name, target_locale, source_locale, source_text, source_hash,
                           next_attempt_at)
        select case when n % 10 = 0 then 'garden' else 'harbour' end, 'page ' || n / 10, 'field ' || n % 10, 'pt-BR',
               'en', 'Text', repeat('0', 64),
               now() - make_interval(secs => n + case when n % 10 = 0 then 100000 else 0 end)
        from generate_series(1, :ready) n""", ready=READY)
    site.change("update sites set paused_until = 'infinity' where site_id = 'garden'")
    with site.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("vacuum analyze items"))
    return site


def explained(site: StockedSite, site_id: str) -> list[dict[str, Any]]:
    """Return every node of the claim's plan with what it really did; nothing is changed."""
    statement = text("explain (analyze, format json) " + claims._CLAIM.text)
    with site.database.engine.connect() as connection:
        plan = connection.execute(statement, {
            "site_id": site_id, "worker_id": uuid4(), "most": BATCH, "lease": timedelta(minutes=2)}).scalar_one()
        connection.rollback()
    return list(nodes(plan[0]["Plan"]))


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from nodes(below)


def rows_read(plan: list[dict[str, Any]]) -> float:
    return sum(node["Actual Rows"] * node["Actual Loops"] + node.get("Rows Removed by Filter", 0) for node in plan)


def test_a_claim_reads_a_batch_from_the_ready_index_sorts_nothing_and_looks_at_no_paused_site(backlog):
    plan = explained(backlog, "harbour")
    on_items = [node for node in plan if node.get("Relation Name") == "items" and "Scan" in node["Node Type"]]
    assert "items_ready" in {node.get("Index Name") for node in on_items}
    assert all(node["Node Type"] != "Seq Scan" for node in on_items)
    assert not [node for node in plan if "Sort" in node["Node Type"]]
    assert BATCH <= rows_read(on_items) <= 4 * BATCH
    paused = explained(backlog, "garden")
    assert rows_read([node for node in paused if node.get("Relation Name") == "items" and "Scan" in node["Node Type"]]) == 0


def test_renewing_leases_writes_to_no_index(site):
    """Such an update stays in its page (HOT), so that a lease costs no index write: the schema's promise."""
    site.scan({f"field {number}": "Text" for number in range(20)})
    held = {one.item_id: one.claim_seq for one in claim(site, 20)}
    columns = {"lease_until", "claim_seq", "worker_id", "attempt_count", "claimed_hash", "claimed_revision",
               "last_attempt_at", "last_error_code", "progress_claim_seq"}
    indexed = site.all("""
        select a.attname, pg_get_expr(i.indpred, i.indrelid) as predicate
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
        where i.indrelid = 'items'::regclass""")
    assert columns.isdisjoint(row.attname for row in indexed)
    assert not [name for name in columns for row in indexed if name in (row.predicate or "")]
    renewed = site.database.statement(
        lambda connection: claims.renew(connection, held, timedelta(minutes=2)))
    assert renewed == set(held)
