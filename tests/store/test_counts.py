"""Counts partition: whatever state the items are in, statuses and work states add up and none is counted twice."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from stocked_site import StockedSite

from scheduler_service import wire
from scheduler_service.domain.items import WORKABLE, ItemStatus, WorkState
from scheduler_service.errors import Code
from scheduler_service.store import counts, queues

SECONDS = st.none() | st.sampled_from([-60, 60])
ITEM = st.fixed_dictionaries({
    "status": st.sampled_from(sorted(ItemStatus)),
    "is_active": st.booleans(),
    "attempt_count": st.integers(0, 4),
    # Seconds from now; None is 'infinity' for the due time and no lease.
    "due": SECONDS,
    "lease": SECONDS,
    "has_progress": st.booleans(),
    "code": st.none() | st.sampled_from(sorted(Code)),
    "is_unknown": st.booleans(),
    "site": st.sampled_from(["harbour", "garden"]),
})
PLACE = st.fixed_dictionaries({"is_paused": st.booleans(), "is_halted": st.booleans(), "is_cooling": st.booleans()})


def expected_work_state(item: dict, place: dict) -> WorkState:
    """The design's list, first that applies, written down a second time."""
    if item["lease"] is not None and item["lease"] > 0:
        return WorkState.RUNNING
    if item["is_unknown"]:
        return WorkState.WAITING_UNKNOWN
    is_given_back = item["lease"] is not None and item["has_progress"]
    if item["due"] is None or (item["attempt_count"] == 4 and not is_given_back):
        return WorkState.FAILED
    if place["is_paused"] or place["is_halted"]:
        return WorkState.PAUSED
    if item["code"] == Code.CEILING:
        return WorkState.WAITING_CEILING
    if item["due"] > 0 or place["is_cooling"]:
        return WorkState.WAITING_TO_RETRY
    return WorkState.READY


def stock(site: StockedSite, items: list[dict], place: dict) -> None:
    def write(connection):
        connection.execute(text("delete from calls"))  # its parts with it
        connection.execute(text("delete from items"))
        connection.execute(
            text("update sites set paused_until = cast(:until as timestamptz) where site_id = 'harbour'"),
            {"until": "infinity" if place["is_paused"] else "-infinity"})
        connection.execute(
            text("update credentials set halted_until = cast(:halted as timestamptz), "
                 "cooling_until = now() + :cooling where credential_id = 'offline'"),
            {"halted": "infinity" if place["is_halted"] else "-infinity",
             "cooling": timedelta(minutes=1 if place["is_cooling"] else -1)})
        for number, item in enumerate(items):
            item_id = connection.execute(text("""
                insert into items (site_id, page_id, field_name, target_locale, source_locale, source_text, source_hash,
                    status, is_active, attempt_count, next_attempt_at, lease_until, claim_seq, progress_claim_seq,
                    last_error_code)
                values (:site, 'page', :number, 'pt-BR', 'en', 'Text', repeat('0', 64), :status, :is_active,
                    :attempt_count, coalesce(now() + cast(:due as interval), 'infinity'),
                    now() + cast(:lease as interval), 7, :progress, :code)
                returning item_id"""), item | {
                "number": str(number), "due": None if item["due"] is None else timedelta(seconds=item["due"]),
                "lease": None if item["lease"] is None else timedelta(seconds=item["lease"]),
                "progress": 7 if item["has_progress"] else 6}).scalar_one()
            if item["is_unknown"]:
                connection.execute(text("""
                    with made as (
                        insert into calls (call_id, kind, state, credential_id, site_id, reserved_micros)
                        values (gen_random_uuid(), 'generate', 'unknown', 'offline', :site, 0) returning call_id)
                    insert into call_parts (call_id, item_id, source_revision, turn, segment, kind)
                    select call_id, :item_id, 1, 1, 0, 'generate' from made"""),
                    {"item_id": item_id, "site": item["site"]})

    site.database.transact(write)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(ITEM, max_size=12), place=PLACE)
def test_whatever_the_items_are_in_the_counts_add_up(site, items, place):
    StockedSite(site.database, "garden")
    site.change("insert into credentials (credential_id) values ('own') on conflict do nothing")
    site.change("update sites set credential_id = 'own', judge_credential_id = 'own' where site_id = 'garden'")
    stock(site, items, place)
    found = site.database.snapshot(lambda connection: counts.status(connection, ["harbour"]))
    mine = [item for item in items if item["site"] == "harbour"]
    active = [item for item in mine if item["is_active"]]
    by_status = {row.status: row.count for row in found["by_status"]}
    assert by_status == Counter(item["status"] for item in active)
    assert found["inactive"] == len(mine) - len(active)
    workable = [item for item in active if item["status"] in WORKABLE]
    by_work_state = {row.work_state: row.count for row in found["by_work_state"]}
    assert by_work_state == Counter(expected_work_state(item, place).value for item in workable)
    assert sum(by_work_state.values()) == by_status.get("missing", 0) + by_status.get("stale", 0)
    failed = [item for item in workable if expected_work_state(item, place) is WorkState.FAILED]
    clusters = {(row.field_name, row.code): row.count for row in found["failures"]}
    assert sum(clusters.values()) == len(failed)
    assert Counter(code for _, code in clusters) == Counter(item["code"] or "Worker.Timeout" for item in failed)
    assert found["unknown_calls"] == sum(item["is_unknown"] for item in mine)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(ITEM, max_size=12))
def test_several_sites_add_up_to_the_sum_of_each(site, items):
    StockedSite(site.database, "garden")
    stock(site, items, {"is_paused": False, "is_halted": False, "is_cooling": False})

    def totals(*site_ids: str) -> Counter:
        found = site.database.snapshot(lambda connection: counts.status(connection, site_ids))
        return Counter(
            {("status", row.status): row.count for row in found["by_status"]}
            | {("work", row.work_state): row.count for row in found["by_work_state"]} | {"inactive": found["inactive"]})

    assert totals("harbour", "garden") == totals("harbour") + totals("garden")
    statuses, work_states = site.database.snapshot(counts.by_site)
    assert sum(row.count for row in statuses) == sum(item["is_active"] for item in items)
    assert {row.site_id for row in work_states} <= {"harbour", "garden"}


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(ITEM, max_size=12))
def test_each_active_item_is_in_exactly_one_queue(site, items):
    StockedSite(site.database, "garden")
    stock(site, items, {"is_paused": False, "is_halted": False, "is_cooling": False})
    listed = [
        row.item_id for statuses in wire.QUEUES.values()
        for row in site.database.read(lambda connection, statuses=statuses: queues.list_items(
            connection, site_id="harbour", statuses=statuses, most=100))
    ]
    assert len(listed) == len(set(listed)) == sum(
        item["is_active"] for item in items if item["site"] == "harbour")


def test_the_most_frequent_trouble_comes_first(site):
    for number, code in enumerate(["MaskLost", "TooLong", "TooLong", "MaskLost", "TooLong"]):
        site.scan({"body": "Text"}, page_id=f"page {number}")
        site.change("update items set next_attempt_at = 'infinity', last_error_code = :code where page_id = :page_id",
                    code=f"Translation.{code}", page_id=f"page {number}")
    found = site.database.snapshot(lambda connection: counts.status(connection, [site.site_id]))
    assert [(row.field_name, row.code, row.count) for row in found["failures"]] == [
        ("body", "Translation.TooLong", 3), ("body", "Translation.MaskLost", 2)]
