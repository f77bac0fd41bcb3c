"""The ledger: an intent before each call, one open call a part, and an end that comes once and stays."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from inventory import Inventory
from racing import side_by_side
from sqlalchemy import text
from sqlalchemy.engine import Connection

from scheduler_service.domain.calls import OPEN, CallKind, CallState, Part, Spent, may_buy_again
from scheduler_service.errors import Code
from scheduler_service.store import budgets, calls
from scheduler_service.store.claims import Claim
from scheduler_service.store.engine import StoreError

COST, WORST = 40, 100
SPENT = Spent(COST, input_tokens=0, output_tokens=12, provider="openai")
ENDS = {
    "stored": lambda connection, call_id: calls.store(connection, call_id, SPENT, CallState.STORED),
    "unused": lambda connection, call_id: calls.store(
        connection, call_id, SPENT, CallState.UNUSED, code=Code.TRUNCATED.value),
    "refused": lambda connection, call_id: calls.refuse(connection, call_id, Code.RATE_LIMITED.value),
    "written_off": lambda connection, call_id: (
        calls.mark_unknown(connection, call_id, Code.OUTCOME_UNKNOWN.value),
        calls.write_off(connection, call_id, "allowance"))[1],
}


@pytest.fixture
def claim(inventory: Inventory) -> Claim:
    inventory.scan({"title": "The gate is open."})
    return inventory.claim_one()


def reserve(connection: Connection, claim: Claim, call_id: UUID, *, segment: int = 0) -> bool:
    reserved = calls.reserve(
        connection, call_id=call_id, part=Part(claim.item_id, claim.source_revision, 1, segment, CallKind.GENERATE),
        credential_id="offline", site_id=claim.site_id, claim_seq=claim.claim_seq, worker_id=uuid4(),
        reserved_micros=WORST)
    if reserved:
        assert budgets.hold(connection, call_id=call_id, item_id=claim.item_id, site_id=claim.site_id,
                            credential_id="offline", micros=WORST) is None
    return reserved


def open_call(inventory: Inventory, claim: Claim, state: str = "dispatched", *, segment: int = 0) -> UUID:
    """Return the id of a new call in an open state."""
    call_id = uuid4()

    def begin(connection: Connection) -> None:
        assert reserve(connection, claim, call_id, segment=segment)
        if state != "reserved":
            assert calls.dispatch(connection, call_id)
        if state == "unknown":
            calls.mark_unknown(connection, call_id, Code.OUTCOME_UNKNOWN.value)

    inventory.database.transact(begin)
    return call_id


@pytest.mark.parametrize("state", sorted(OPEN))
def test_a_part_with_an_open_call_can_not_be_bought_again(inventory, claim, state):
    open_call(inventory, claim, state)
    with pytest.raises(StoreError) as refused:
        inventory.database.transact(lambda connection: reserve(connection, claim, uuid4()))
    assert (refused.value.sqlstate, refused.value.constraint) == ("23505", "call_parts_one_open")
    assert inventory.one("select count(*) from calls") == 1
    assert inventory.one("select sum(held_micros) from budgets where scope = 'site_day'") == WORST, "nothing more is held"
    assert inventory.database.transact(lambda connection: reserve(connection, claim, uuid4(), segment=1))


@pytest.mark.parametrize("end", ENDS)
def test_a_part_whose_call_has_ended_can_be_bought(inventory, claim, end):
    call_id = open_call(inventory, claim)
    inventory.database.transact(lambda connection: ENDS[end](connection, call_id) and None)
    assert inventory.database.transact(lambda connection: reserve(connection, claim, uuid4()))


def test_of_many_who_buy_one_part_at_once_exactly_one_may(inventory, claim):
    ended: list[str] = []

    def buy(_number: int) -> None:
        try:
            inventory.database.transact(lambda connection: reserve(connection, claim, uuid4()))
            ended.append("bought")
        except StoreError as refused:
            ended.append(refused.constraint)

    side_by_side(buy, 8)
    assert sorted(ended) == ["bought"] + ["call_parts_one_open"] * 7
    assert inventory.one("select count(*) from call_parts where is_open") == 1


@pytest.mark.parametrize("first", ENDS)
def test_a_call_ends_once(inventory, claim, first):
    for segment, then in enumerate(ENDS):
        call_id = open_call(inventory, claim, segment=segment)
        assert inventory.database.transact(lambda connection: ENDS[first](connection, call_id)) == WORST
        before = inventory.one("select to_jsonb(calls) from calls where call_id = :id", id=call_id)
        assert inventory.database.transact(lambda connection: ENDS[then](connection, call_id)) is None
        assert not inventory.database.transact(lambda connection: calls.dispatch(connection, call_id))
        assert inventory.one("select to_jsonb(calls) from calls where call_id = :id", id=call_id) == before


def test_a_late_answer_ends_an_unknown_call_with_what_it_cost(inventory, claim):
    call_id = open_call(inventory, claim, "unknown")

    def book(connection: Connection) -> None:
        assert calls.store(connection, call_id, SPENT, CallState.STORED, resolved_by="translator") == WORST
        budgets.settle(connection, call_id, COST)

    inventory.database.transact(book)
    row = inventory.one("select to_jsonb(calls) from calls")
    assert (row["state"], row["settled_micros"], row["input_tokens"], row["resolved_by"]) == (
        "stored", COST, 0, "translator"), "zero tokens are a value"
    assert _money(inventory) == {(0, COST)}


def test_an_unknown_calls_money_stays_held_until_somebody_settles_it(inventory, claim):
    call_id = open_call(inventory, claim, "unknown")
    assert _money(inventory) == {(WORST, 0)}

    def write_off(connection: Connection) -> None:
        assert calls.write_off(connection, call_id, "operator") == WORST
        budgets.write_off(connection, call_id, WORST)

    inventory.database.transact(write_off)
    assert _money(inventory) == {(0, WORST)}


def test_of_many_who_ask_at_once_only_those_buy_again_whom_the_allowance_covers(inventory, claim):
    unknown = [open_call(inventory, claim, "unknown", segment=segment) for segment in range(8)]
    inventory.change("update credentials set duplicate_allowance_micros = :micros", micros=3 * WORST + WORST // 2)

    def ask(number: int) -> None:
        def decide(connection: Connection) -> None:
            if may_buy_again(WORST, calls.allowance_left(connection, "offline"), is_free=False):
                # As long as anything else that happens in the same transaction.
                connection.execute(text("select pg_sleep(0.02)"))
                calls.write_off(connection, unknown[number], "allowance")

        inventory.database.transact(decide)

    side_by_side(ask, len(unknown))
    assert inventory.one("select count(*) from calls where state = 'written_off'") == 3
    assert inventory.database.transact(lambda connection: calls.allowance_left(connection, "offline")) == WORST // 2


def test_only_a_reserved_call_is_sent_and_a_refused_one_never(inventory, claim):
    call_id = open_call(inventory, claim, "reserved")
    inventory.database.transact(lambda connection: calls.refuse(connection, call_id, Code.WORKER_LOST_LEASE.value))
    assert not inventory.database.transact(lambda connection: calls.dispatch(connection, call_id))
    assert inventory.one("select dispatched_at is null from calls")


def test_a_stale_worker_can_not_reserve(inventory, claim):
    inventory.lapse([claim.item_id])
    current = inventory.claim_one()
    assert not inventory.database.transact(lambda connection: reserve(connection, claim, uuid4()))
    assert inventory.one("select count(*) from calls") == inventory.one("select count(*) from budgets") == 0
    assert inventory.database.transact(lambda connection: reserve(connection, current, uuid4()))


def test_an_ended_call_without_its_cost_is_impossible(inventory, claim):
    call_id = open_call(inventory, claim)
    with pytest.raises(StoreError) as refused:
        inventory.change("update calls set state = 'stored', ended_at = now() where call_id = :id", id=call_id)
    assert refused.value.sqlstate == "23514"
    with pytest.raises(StoreError) as refused:
        inventory.change("update calls set ended_at = now() where call_id = :id", id=call_id)
    assert refused.value.sqlstate == "23514"


def _money(inventory: Inventory) -> set[tuple[int, int]]:
    """Return what is held and what is spent, once for all ceilings that agree."""
    return {tuple(row) for row in inventory.all("select held_micros, spent_micros from budgets")}
