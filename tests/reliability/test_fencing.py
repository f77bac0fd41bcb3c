"""Whoever lost the claim changes nothing: every write that a worker can make, by somebody who no longer holds."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from scheduler_service.domain.authority import NOBODY
from scheduler_service.errors import Code
from scheduler_service.operations.fail import fail
from scheduler_service.operations.reset import reset_items
from scheduler_service.operations.sweep import Swept, sweep
from scheduler_service.store import claims, finishes, work
from scheduler_service.store.work import SegmentRow, TurnRow

TEXT = {"title": "The gate is open."}
TURN = TurnRow(turn=1, request_hash="h", is_deterministic=True, glossary_version="", provider="", judge_worst_case_micros=0)


def _finish(connection, claim):
    return finishes.finish_if_held(connection, claim, status="needs_review", event="needs_person", candidate_id=None,
                                   score=None, reasons=["stale"], turns=1)


def _retry(connection, claim):
    return finishes.retry_if_held(connection, claim, code=Code.UNAVAILABLE.value, delay=timedelta(minutes=1),
                                  gives_back=True, is_waiting=True)


def _plan(connection, claim):
    if work.hold(connection, claim):
        work.plan_turn(connection, claim, TURN, previous_candidate_id=None, person_note="",
                       segments=[SegmentRow(0, 0, 5, 0, True, None, None)])


STALE_WRITES = {
    "finish": _finish,
    "retry": _retry,
    "hand back": lambda connection, claim: finishes.hand_back(connection, {claim.item_id: claim.claim_seq}),
    "use a turn": lambda connection, claim: finishes.use_turn(connection, claim, 1),
    "give the attempt back": lambda connection, claim: finishes.give_back(connection, claim),
    "note progress": lambda connection, claim: work.note_progress(connection, claim),
    "renew": lambda connection, claim: claims.renew(
        connection, {claim.item_id: claim.claim_seq}, timedelta(days=1)),
    "plan": _plan,
}


@pytest.mark.parametrize("how", STALE_WRITES)
def test_a_stale_worker_cannot_move_a_reclaimed_item(inventory, how):
    inventory.scan(TEXT)
    stale = inventory.claim_one()
    inventory.lapse([stale.item_id])
    current = inventory.claim_one()
    assert current.claim_seq > stale.claim_seq
    before = inventory.row(stale.item_id)
    inventory.database.transact(lambda connection: STALE_WRITES[how](connection, stale) and None)
    assert inventory.row(stale.item_id) == before
    assert inventory.one("select count(*) from outbox") == inventory.one("select count(*) from turns") == 0
    assert inventory.database.read(lambda connection: work.load(connection, stale)) is None
    # The same write by the holder takes effect: the test can tell the two apart.
    inventory.database.transact(lambda connection: STALE_WRITES[how](connection, current) and None)
    changed = inventory.row(stale.item_id) != before or inventory.one("select count(*) from turns")
    assert changed


@pytest.mark.parametrize("code", [Code.UNAVAILABLE, Code.OUTCOME_UNKNOWN, Code.REFUSED, Code.ITEM_CEILING])
def test_a_stale_workers_failure_leaves_the_item_to_its_new_holder(inventory, code):
    inventory.scan(TEXT)
    stale = inventory.claim_one()
    inventory.lapse([stale.item_id])
    inventory.claim_one()
    before = inventory.row(stale.item_id)
    assert fail(inventory.database, stale, code, credential_id="offline", spread=0.5) is None
    assert inventory.row(stale.item_id) == before


def test_a_stale_workers_dead_key_halts_the_credential_and_leaves_the_item_alone(inventory):
    inventory.scan(TEXT)
    stale = inventory.claim_one()
    inventory.lapse([stale.item_id])
    inventory.claim_one()
    before = inventory.row(stale.item_id)
    assert fail(inventory.database, stale, Code.AUTHENTICATION_FAILED, credential_id="offline", spread=0) is None
    assert inventory.row(stale.item_id) == before
    assert inventory.one("select halted_until = 'infinity' from credentials where credential_id = 'offline'")


def test_a_changed_text_fences_its_worker_off_and_gets_a_fresh_budget(inventory):
    inventory.scan(TEXT)
    for _ in range(3):
        claim = inventory.claim_one()
        inventory.lapse([claim.item_id])
    claim = inventory.claim_one()
    assert inventory.row(claim.item_id)["attempt_count"] == 4
    assert inventory.scan({"title": "The gate is shut."}).changed == 1
    assert not inventory.database.transact(lambda connection: _finish(connection, claim))
    row = inventory.row(claim.item_id)
    assert (row["status"], row["attempt_count"], row["source_revision"]) == ("missing", 0, 2)
    assert (row["lease_until"], row["worker_id"], row["last_error_code"]) == (None, None, None)
    fresh = inventory.claim_one()
    assert (fresh.source_revision, fresh.attempt_count) == (2, 1)
    assert inventory.scan(TEXT).changed == 1
    assert not inventory.database.transact(lambda connection: _finish(connection, fresh)), "back to an old text is new"
    assert inventory.claim_one().source_revision == 3


def test_an_unchanged_scan_leaves_a_worker_its_claim(inventory):
    inventory.scan(TEXT)
    claim = inventory.claim_one()
    assert inventory.scan(TEXT).unchanged == 1
    assert inventory.database.transact(lambda connection: _finish(connection, claim))


def test_a_field_that_disappears_is_taken_from_its_worker(inventory):
    inventory.scan(TEXT)
    claim = inventory.claim_one()
    assert inventory.scan({}).deactivated == 1
    assert not inventory.database.transact(lambda connection: _finish(connection, claim))
    assert inventory.claim(9) == []
    assert inventory.scan(TEXT).reactivated == 1
    assert not inventory.database.transact(lambda connection: _finish(connection, claim)), "a return is a new claim's"


def test_a_worker_whose_lease_ran_out_still_ends_its_item_if_nobody_took_it(inventory):
    inventory.scan(TEXT)
    claim = inventory.claim_one()
    inventory.lapse([claim.item_id])
    assert inventory.database.transact(lambda connection: _finish(connection, claim))
    assert sweep(inventory.database) == Swept()


def test_a_renewal_that_comes_late_does_not_lease_an_item_that_was_let_go(inventory):
    inventory.scan(TEXT)
    claim = inventory.claim_one()
    inventory.database.transact(lambda connection: finishes.retry_if_held(
        connection, claim, code=Code.REFUSED.value, delay=None, gives_back=False, is_waiting=False))
    held = {claim.item_id: claim.claim_seq}
    assert inventory.database.statement(lambda connection: claims.renew(connection, held, timedelta(minutes=2))) == set()
    assert inventory.row(claim.item_id)["lease_until"] is None
    assert inventory.work_state(claim.item_id) == "failed"


def test_a_reset_leaves_items_with_a_live_lease_alone_and_fences_the_rest(inventory):
    inventory.scan(TEXT | {"body": "The lamp is lit."})
    live, done = inventory.claim(2)
    inventory.database.transact(lambda connection: finishes.retry_if_held(
        connection, done, code=Code.REFUSED.value, delay=None, gives_back=False, is_waiting=False))
    before = inventory.row(live.item_id)
    assert reset_items(inventory.database, NOBODY, site_id=inventory.site_id, item_ids=[], reason="mended") == 1
    assert inventory.row(live.item_id) == before
    again = inventory.claim_one()
    assert (again.item_id, again.attempt_count) == (done.item_id, 1)
    assert not inventory.database.transact(lambda connection: _retry(connection, done))


def test_a_workers_name_is_no_fence(inventory):
    inventory.scan(TEXT)
    worker_id = uuid4()
    (stale,) = inventory.claim(worker_id=worker_id)
    inventory.lapse([stale.item_id])
    (current,) = inventory.claim(worker_id=worker_id)
    assert not inventory.database.transact(lambda connection: _finish(connection, stale))
    assert inventory.database.transact(lambda connection: _finish(connection, current))
