"""A COMMIT whose answer is lost is neither a success nor a failure: it is looked up, and nothing is lost or doubled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from uuid import uuid4

import pytest
from commit_cutter import CommitCutter, Cut
from inventory import Inventory
from sqlalchemy import text

from scheduler_service.domain.calls import CallKind, CallState, Part
from scheduler_service.errors import Code
from scheduler_service.operations.fail import fail
from scheduler_service.operations.scan import SourceField, SourcePage, scan_pages
from scheduler_service.store import calls, finishes
from scheduler_service.store.engine import CommitUnknown, Database, StoreUnavailable

TEXT = {"title": "The gate is open."}
# Each cut costs a new connection; the racing kind is the only one whose outcome differs from time to time.
CUTS = {Cut.BEFORE: 10, Cut.AFTER: 10, Cut.RACING: 40, Cut.LATE: 4}


@pytest.fixture
def cutter(database_url: str, tmp_path_factory) -> Iterator[CommitCutter]:
    # A socket's path has room for about a hundred characters.
    folder = tmp_path_factory.mktemp("s", numbered=True)
    os.chmod(folder, 0o700)
    with CommitCutter(database_url, folder) as cutter:
        yield cutter


@pytest.fixture
def behind(cutter: CommitCutter) -> Iterator[Database]:
    """The same database, over connections that can be cut."""
    database = Database(cutter.url, seed=1)
    yield database
    database.close()


@pytest.mark.parametrize("how", Cut)
def test_a_transaction_whose_commit_breaks_takes_effect_exactly_once(database, behind, cutter, how):
    # No unique key: a transaction that was repeated although it had committed would show as a second row.
    database.transact(lambda connection: connection.execute(text("create table kept (key int)")) and None)

    def put(key: int):
        def work(connection):
            connection.execute(text("insert into kept values (:key)"), {"key": key})
            return f"written {key}"

        def committed(connection):
            there = connection.execute(text("select from kept where key = :key"), {"key": key}).first()
            return f"found {key}" if there is not None else None

        return behind.transact(work, committed=committed)

    told = []
    for key in range(CUTS[how]):
        cutter.cut_next(how)
        told.append(put(key))
    assert cutter.cut == CUTS[how], "every transaction lost its connection"
    cutter.settle()
    rows = database.read(lambda connection: list(connection.execute(text("select key from kept order by key")).scalars()))
    assert rows == list(range(CUTS[how]))
    found = sum(one.startswith("found") for one in told)
    assert found == {Cut.BEFORE: 0, Cut.AFTER: CUTS[how]}.get(how, found)


@pytest.mark.parametrize("how", Cut)
def test_without_a_way_to_look_it_up_the_outcome_is_said_to_be_unknown(database, behind, cutter, how):
    database.transact(lambda connection: connection.execute(text("create table kept (key int)")) and None)
    cutter.cut_next(how)
    with pytest.raises(CommitUnknown):
        behind.transact(lambda connection: connection.execute(text("insert into kept values (1)")) and None)
    cutter.settle()
    expected = 0 if how is Cut.BEFORE else 1
    assert database.read(
        lambda connection: connection.execute(text("select count(*) from kept")).scalar_one()) == expected


def test_a_commit_that_keeps_breaking_ends_as_unavailable_and_changes_nothing(database, behind, cutter):
    database.transact(lambda connection: connection.execute(text("create table kept (key int)")) and None)
    cutter.cut_next(Cut.BEFORE, 100)
    with pytest.raises(StoreUnavailable):
        behind.transact(lambda connection: connection.execute(text("insert into kept values (1)")) and None,
                        committed=lambda connection: None)
    assert database.read(lambda connection: connection.execute(text("select count(*) from kept")).scalar_one()) == 0


@pytest.mark.parametrize("how", Cut)
def test_an_attempt_that_ends_with_a_broken_commit_is_given_back_once(database, behind, cutter, how):
    inventory = Inventory(database)
    inventory.scan(TEXT)
    inventory.change("update items set attempt_count = 2")
    claim = inventory.claim_one()
    cutter.cut_next(how)
    fail(behind, claim, Code.OUTCOME_UNKNOWN, credential_id="offline", spread=0.5)
    assert cutter.cut == 1
    cutter.settle()
    row = inventory.row(claim.item_id)
    assert (row["attempt_count"], row["unknown_count"], row["lease_until"]) == (2, 1, None)
    assert inventory.one("select count(*) from item_log where event = 'attempt_ended'") == 1


@pytest.mark.parametrize("how", Cut)
def test_an_item_finished_by_a_broken_commit_is_announced_once(database, behind, cutter, how):
    inventory = Inventory(database)
    inventory.scan(TEXT)
    claim = inventory.claim_one()
    cutter.cut_next(how)

    def finish(connection):
        return finishes.finish_if_held(connection, claim, status="draft", event="drafted", candidate_id=None,
                                       score=9.0, reasons=[], turns=1, is_pass=True)

    def committed(connection):
        return connection.execute(text("select true from items where status = 'draft'")).scalar()

    assert behind.transact(finish, committed=committed)
    assert cutter.cut == 1
    cutter.settle()
    assert inventory.one("select count(*) from outbox") == 1
    assert inventory.row(claim.item_id)["status"] == "draft"


@pytest.mark.parametrize("is_one_statement", [False, True])
@pytest.mark.parametrize("how", Cut)
def test_a_reservation_with_a_broken_commit_is_one_row_of_the_ledger(database, behind, cutter, how, is_one_statement):
    inventory = Inventory(database)
    inventory.scan(TEXT)
    claim = inventory.claim_one()
    call_id = uuid4()
    cutter.cut_next(how, **({"statement": b"insert into calls"} if is_one_statement else {}))

    def reserve(connection):
        return calls.reserve(
            connection, call_id=call_id, part=Part(claim.item_id, 1, 1, 0, CallKind.GENERATE),
            credential_id="offline", site_id=claim.site_id, claim_seq=claim.claim_seq, worker_id=uuid4(),
            reserved_micros=0)

    def committed(connection):
        return calls.is_in(connection, call_id, CallState.RESERVED)

    assert behind.transact(reserve, committed=committed, is_one_statement=is_one_statement)
    assert cutter.cut == 1
    cutter.settle()
    assert [tuple(row) for row in inventory.all("select call_id, state from calls")] == [(call_id, "reserved")]


@pytest.mark.parametrize("how", Cut)
def test_a_dispatch_with_a_broken_commit_is_known_to_be_dispatched(database, behind, cutter, how):
    inventory = Inventory(database)
    inventory.scan(TEXT)
    claim = inventory.claim_one()
    call_id = uuid4()
    database.transact(lambda connection: calls.reserve(
        connection, call_id=call_id, part=Part(claim.item_id, 1, 1, 0, CallKind.GENERATE), credential_id="offline",
        site_id=claim.site_id, claim_seq=claim.claim_seq, worker_id=uuid4(), reserved_micros=0))
    cutter.cut_next(how, statement=b"dispatched_at")
    assert behind.transact(
        lambda connection: calls.dispatch(connection, call_id), is_one_statement=True,
        committed=lambda connection: calls.is_in(connection, call_id, CallState.DISPATCHED))
    assert cutter.cut == 1
    cutter.settle()
    assert inventory.one("select state from calls") == "dispatched"


@pytest.mark.parametrize("statement", [b"copy scanned from stdin", b"insert into items"])
def test_a_scan_whose_connection_breaks_half_way_is_done_again(database, behind, cutter, statement):
    inventory = Inventory(database)
    cutter.cut_next(Cut.RACING, statement=statement)
    pages = [SourcePage("page.md", (SourceField("title", "The gate is open."),))]
    counts = scan_pages(behind, site_id=inventory.site_id, target_locale="pt-BR", pages=pages)
    assert cutter.cut == 1 and counts.new == 1
    assert inventory.one("select count(*) from items") == 1
