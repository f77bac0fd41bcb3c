"""Money ceilings: held before it is spent, never passed by anybody together, and given free to the last micro."""

from __future__ import annotations

import random
import threading
from uuid import uuid4

import pytest
from inventory import Inventory, many
from racing import side_by_side
from sqlalchemy import text
from sqlalchemy.engine import Connection

from scheduler_service.domain.calls import CallKind, Part
from scheduler_service.store import budgets, calls
from scheduler_service.store.budgets import Shortfall
from scheduler_service.store.claims import Claim

RESERVERS = 8
ROUNDS = 25
CEILINGS = {"item": ("sites", "item_ceiling_micros"), "site_day": ("sites", "day_ceiling_micros"),
            "credential_day": ("credentials", "day_ceiling_micros")}


def _limit(inventory: Inventory, scope: str, micros: int) -> None:
    table, column = CEILINGS[scope]
    inventory.change(f"update {table} set {column} = :micros", micros=micros)


def _hold(connection: Connection, claim: Claim, micros: int, segment: int = 0) -> tuple[object, Shortfall | None]:
    call_id = uuid4()
    assert calls.reserve(
        connection, call_id=call_id, part=Part(claim.item_id, 1, 1, segment, CallKind.GENERATE),
        credential_id="offline", site_id=claim.site_id, claim_seq=claim.claim_seq, worker_id=uuid4(),
        reserved_micros=micros)
    short = budgets.hold(connection, call_id=call_id, item_id=claim.item_id, site_id=claim.site_id,
                         credential_id="offline", micros=micros)
    if short is not None:
        calls.refuse(connection, call_id, "Budget.Ceiling")
    return call_id, short


@pytest.mark.parametrize("scope", CEILINGS)
def test_reservers_side_by_side_never_pass_a_ceiling_and_leave_nothing_held(inventory: Inventory, scope):
    # The item's ceiling needs them on one item, the others on many.
    inventory.scan(many(1 if scope == "item" else RESERVERS))
    claimed = inventory.claim(RESERVERS)
    ceiling = 1_000
    _limit(inventory, scope, ceiling)
    refused, spent, worst = [], [], []
    over = threading.Event()

    def watch(stop: threading.Event) -> None:
        while not stop.is_set():
            used = inventory.one("select coalesce(max(held_micros + spent_micros), 0) from budgets where scope = :scope",
                                 scope=scope)
            worst.append(used)
            if used > ceiling:
                over.set()

    def buy(number: int) -> None:
        chance = random.Random(number)
        claim = claimed[number % len(claimed)]
        in_flight: list[tuple[object, int]] = []

        def end_one() -> None:
            call_id, micros = in_flight.pop(0)
            if chance.random() < 0.9:
                inventory.database.transact(lambda connection: budgets.release(connection, call_id))
            else:
                cost = chance.randint(0, micros // 4)
                inventory.database.transact(lambda connection: budgets.settle(connection, call_id, cost))
                spent.append(cost)

        for round_number in range(ROUNDS):
            micros = chance.randint(1, 300)
            call_id, short = inventory.database.transact(
                lambda connection: _hold(connection, claim, micros, number * ROUNDS + round_number))
            if short is not None:
                assert (short.scope, short.needs) == (scope, micros) and 0 <= short.has < micros
                refused.append(micros)
            else:
                in_flight.append((call_id, micros))
            # Three at once, by eight: together far more than the ceiling allows.
            if len(in_flight) == 3 or short is not None and in_flight:
                end_one()
        while in_flight:
            end_one()

    stop = threading.Event()
    watching = threading.Thread(target=watch, args=(stop,))
    watching.start()
    side_by_side(buy, RESERVERS)
    stop.set()
    watching.join(10)
    assert not over.is_set() and max(worst) <= ceiling
    assert refused, "the ceiling was never met: this proved nothing"
    assert spent, "nothing was ever spent: this proved nothing"
    rows = inventory.all("select held_micros, sum(spent_micros) over (partition by scope) as spent from budgets")
    assert {row.held_micros for row in rows} == {0}
    assert {int(row.spent) for row in rows} == {sum(spent)}, "each level has booked the same"
    assert inventory.one(
        "select count(*) from budgets b join (select budget_id, sum(held_micros) as held, sum(spent_micros) as spent "
        "from budget_entries group by budget_id) e using (budget_id) "
        "where (b.held_micros, b.spent_micros) is distinct from (e.held, e.spent)") == 0, "the journal explains the sums"
    # All of the room that nobody spent is there again.
    used = max(row.spent for row in rows)
    with_room = inventory.database.transact(
        lambda connection: _hold(connection, claimed[0], ceiling - int(used), 10_000))
    assert with_room[1] is None


def test_the_first_ceiling_in_the_way_is_named_with_what_it_needs_and_has(inventory: Inventory):
    inventory.scan(many(2))
    first, second = inventory.claim(2)
    _limit(inventory, "site_day", 100)
    _limit(inventory, "item", 70)
    assert inventory.database.transact(lambda connection: _hold(connection, first, 70))[1] is None
    shorts = [
        inventory.database.transact(lambda connection: _hold(connection, second, 71, 1))[1],
        inventory.database.transact(lambda connection: _hold(connection, second, 31, 2))[1],
        inventory.database.transact(lambda connection: _hold(connection, second, 30, 3))[1],
    ]
    assert shorts == [Shortfall("item", 71, 70), Shortfall("site_day", 31, 30), None]


def test_what_costs_nothing_holds_and_writes_nothing_even_under_a_ceiling_of_zero(inventory: Inventory):
    inventory.scan(many(1))
    claim = inventory.claim_one()
    for scope in CEILINGS:
        _limit(inventory, scope, 0)
    assert inventory.database.transact(lambda connection: _hold(connection, claim, 0))[1] is None
    assert inventory.one("select count(*) from budgets") == 0
    assert inventory.database.transact(lambda connection: _hold(connection, claim, 1, 1))[1] == Shortfall("item", 1, 0)


def test_a_reservation_that_is_rolled_back_holds_nothing(inventory: Inventory):
    inventory.scan(many(1))
    claim = inventory.claim_one()

    def hold_and_fail(connection: Connection) -> None:
        _hold(connection, claim, 50)
        connection.execute(text("select 1 / 0"))

    with pytest.raises(Exception, match="22012"):
        inventory.database.transact(hold_and_fail)
    assert inventory.one("select count(*) from calls") == 0
    assert inventory.one("select coalesce(sum(held_micros), 0) from budgets") == 0


def test_an_answer_dearer_than_its_reservation_is_booked_in_full(inventory: Inventory):
    inventory.scan(many(1))
    claim = inventory.claim_one()
    call_id, _short = inventory.database.transact(lambda connection: _hold(connection, claim, 50))
    inventory.database.transact(lambda connection: budgets.settle(connection, call_id, 80))
    assert {tuple(row) for row in inventory.all("select held_micros, spent_micros from budgets")} == {(0, 80)}


def test_money_that_was_never_held_can_not_be_released(inventory: Inventory):
    inventory.scan(many(1))
    claim = inventory.claim_one()
    call_id, _short = inventory.database.transact(lambda connection: _hold(connection, claim, 50))
    inventory.database.transact(lambda connection: budgets.release(connection, call_id))
    inventory.database.transact(lambda connection: budgets.release(connection, call_id))
    assert {tuple(row) for row in inventory.all("select held_micros, spent_micros from budgets")} == {(0, 0)}
