"""A claim is one statement: nothing is handed out twice, lapsed work comes back, and attempts are counted fairly."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from inventory import LEASE, Inventory, many
from racing import side_by_side

from scheduler_service.errors import Code
from scheduler_service.operations.sweep import Swept, sweep
from scheduler_service.store import candidates, claims, finishes, work
from scheduler_service.store.claims import Claim

ITEMS = 120
WORKERS = 6
TEXT = {"title": "The gate is open."}


def test_racing_workers_are_never_handed_the_same_item(inventory: Inventory):
    inventory.scan(many(ITEMS))
    taken: list[list[Claim]] = [[] for _ in range(WORKERS)]

    def take_until_nothing_is_due(number: int) -> None:
        while claimed := inventory.claim(1 + number % 3):
            taken[number] += claimed

    side_by_side(take_until_nothing_is_due, WORKERS)
    handed_out = [claim.item_id for claims in taken for claim in claims]
    assert len(handed_out) == len(set(handed_out)) == ITEMS
    assert {claim.claim_seq for claims in taken for claim in claims} == {1}
    assert inventory.one("select count(*) from items where lease_until > now() and attempt_count = 1") == ITEMS


def test_racing_for_lapsed_leases_gives_each_claim_its_own_number(inventory: Inventory):
    inventory.scan(many(20))
    taken: list[tuple[int, int]] = []
    lock = threading.Lock()

    def take_and_lapse(_number: int) -> None:
        for _ in range(8):
            claimed = inventory.claim(5)
            with lock:
                taken.extend((claim.item_id, claim.claim_seq) for claim in claimed)
            inventory.lapse([claim.item_id for claim in claimed])

    side_by_side(take_and_lapse, WORKERS)
    assert max(Counter(taken).values()) == 1
    by_item = {item_id: sorted(seq for i, seq in taken if i == item_id) for item_id, _ in taken}
    assert all(seqs == list(range(1, len(seqs) + 1)) for seqs in by_item.values())
    assert all(len(seqs) <= 4 for seqs in by_item.values()), "four attempts, and no more"


def test_a_claim_never_exceeds_what_was_asked_for(inventory: Inventory):
    inventory.scan(many(30))
    sizes: list[int] = []
    side_by_side(lambda _number: sizes.append(len(inventory.claim(4))), WORKERS)
    assert sizes == [4] * WORKERS


def test_the_first_due_goes_first(inventory: Inventory):
    inventory.scan(many(3))
    inventory.change("update items set next_attempt_at = now() - make_interval(mins => position)")
    assert [claim.field_name for claim in inventory.claim(3)] == ["f002", "f001", "f000"]


@pytest.mark.parametrize("column", ["paused_until", "halted_until", "cooling_until"])
def test_nothing_is_claimed_while_site_or_credential_may_not_run(inventory: Inventory, column):
    inventory.scan(TEXT)
    table = "sites" if column == "paused_until" else "credentials"
    inventory.change(f"update {table} set {column} = now() + interval '1 hour'")
    assert inventory.claim() == []
    assert inventory.database.statement(claims.runnable_sites) == []
    assert inventory.row(inventory.item_id("title"))["claim_seq"] == 0
    inventory.change(f"update {table} set {column} = now() - interval '1 second'")
    assert inventory.database.statement(claims.runnable_sites) == ["garden"]
    assert len(inventory.claim()) == 1


def test_a_halted_judge_stops_claims_as_well(database):
    inventory = Inventory(database, judge_credential="judge")
    inventory.scan(TEXT)
    inventory.change("update credentials set halted_until = 'infinity' where credential_id = 'judge'")
    assert inventory.claim() == []


def test_a_lapsed_lease_comes_back_and_costs_an_attempt(inventory: Inventory):
    inventory.scan(TEXT)
    for attempt in (1, 2, 3, 4):
        assert inventory.claim() and inventory.claim() == []
        row = inventory.row(inventory.item_id("title"))
        assert (row["attempt_count"], row["claim_seq"]) == (attempt, attempt)
        inventory.lapse([row["item_id"]])
    assert inventory.claim() == []
    assert inventory.work_state(row["item_id"]) == "failed"


def test_a_lapsed_lease_that_had_stored_an_answer_costs_nothing(inventory: Inventory):
    inventory.scan(TEXT)
    for _ in range(7):
        claim = inventory.claim_one()
        assert claim.attempt_count == 1
        inventory.database.transact(lambda connection, claim=claim: work.note_progress(connection, claim))
        inventory.lapse([claim.item_id])
    # One claim without progress, and the count goes on from there.
    inventory.claim_one()
    inventory.lapse([claim.item_id])
    assert inventory.claim_one().attempt_count == 2


@pytest.mark.parametrize("by", ["claim", "sweep"])
def test_the_last_attempt_is_given_back_too_when_it_made_progress(inventory: Inventory, by):
    inventory.scan(TEXT)
    item_id = inventory.item_id("title")
    inventory.change("update items set attempt_count = 3")
    claim = inventory.claim_one()
    inventory.database.transact(lambda connection: work.note_progress(connection, claim))
    inventory.lapse([item_id])
    assert inventory.work_state(item_id) == "ready"
    if by == "sweep":
        assert sweep(inventory.database) == Swept(checked=1, requeued=1)
        assert inventory.row(item_id)["attempt_count"] == 3
    again = inventory.claim_one()
    assert again.attempt_count == 4


def test_handing_back_returns_the_attempt_and_takes_the_fence_along(inventory: Inventory):
    inventory.scan(many(2))
    first, second = inventory.claim(2)
    held = {first.item_id: first.claim_seq, second.item_id: second.claim_seq - 1}
    assert inventory.database.transact(lambda connection: finishes.hand_back(connection, held)) == {first.item_id}
    row = inventory.row(first.item_id)
    assert (row["attempt_count"], row["lease_until"], row["claim_seq"]) == (0, None, first.claim_seq + 1)
    assert inventory.row(second.item_id)["attempt_count"] == 1
    again = {first.item_id: first.claim_seq}
    assert inventory.database.transact(lambda connection: finishes.hand_back(connection, again)) == set()
    assert inventory.database.statement(lambda connection: claims.renew(connection, again, LEASE)) == set()
    assert inventory.claim_one().item_id == first.item_id


def _candidate(inventory: Inventory, item_id: int, score: float) -> int:
    def add(connection):
        candidate_id = candidates.add(connection, item_id=item_id, source_revision=1, turn=1, origin="model", target="x")
        candidates.set_verdict(connection, candidate_id, "fail", score, ["weak"])
        return candidate_id

    return inventory.database.transact(add)


def test_used_up_attempts_end_by_what_there_is_to_show(inventory: Inventory):
    inventory.scan({"bare": "The gate is open.", "shown": "The lamp is lit.", "fresh": "The well is deep.",
                    "live": "The wall is high."})
    bare, shown, fresh, live = (inventory.item_id(name) for name in ("bare", "shown", "fresh", "live"))
    candidate_id = _candidate(inventory, shown, 4.5)
    inventory.change("update items set attempt_count = 3 where item_id = any(:ids)", ids=[bare, shown, live])
    inventory.claim(4)
    inventory.lapse([bare, shown, fresh])
    assert sweep(inventory.database) == Swept(checked=3, requeued=1, to_review=1, failed=1)
    rows = {name: inventory.row(item_id) for name, item_id in
            (("bare", bare), ("shown", shown), ("fresh", fresh), ("live", live))}
    assert (rows["shown"]["status"], rows["shown"]["candidate_id"], rows["shown"]["score"]) == (
        "needs_review", candidate_id, 4.5)
    assert rows["shown"]["reasons"] == [Code.WORKER_TIMEOUT.value]
    assert (rows["bare"]["status"], inventory.work_state(bare)) == ("missing", "failed")
    assert (rows["fresh"]["attempt_count"], inventory.work_state(fresh)) == (1, "ready")
    assert inventory.work_state(live) == "running"
    logged = inventory.all("select item_id, to_status, code from item_log where event = 'lease_lapsed' order by item_id")
    assert [tuple(row) for row in logged] == sorted([
        (bare, "missing", "Worker.Timeout"), (shown, "needs_review", "Worker.Timeout"),
        (fresh, "missing", "Worker.Timeout")])
    assert sweep(inventory.database) == Swept(), "a second sweep finds nothing left to do"


def test_two_sweeps_at_once_end_each_item_once(inventory: Inventory):
    inventory.scan(many(60))
    inventory.change("update items set attempt_count = 3")
    inventory.lapse([claim.item_id for claim in inventory.claim(60)])
    swept: list[Swept] = []
    side_by_side(lambda _number: swept.append(sweep(inventory.database)), 4)
    assert sum(swept, Swept()) == Swept(checked=60, failed=60)
    assert inventory.one("select count(*) from item_log where event = 'lease_lapsed'") == 60
