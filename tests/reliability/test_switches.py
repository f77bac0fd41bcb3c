"""What changes under work: the credential of a site, the source of an item, the hands that hold it."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from buying import PaidSite
from paid_provider import CUT, WRITER

from scheduler_service.domain.leases import LeaseTerms
from scheduler_service.store import calls, claims
from scheduler_service.store.engine import StoreUnavailable
from scheduler_service.working.holding import Holding
from scheduler_service.working.item import ItemWork

TITLE = {"title": "The gate is open."}


def test_a_turn_planned_for_nothing_is_priced_again_when_its_site_gets_a_paid_credential(
    paid: PaidSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid.inventory.change("insert into credentials (credential_id) values ('offline') on conflict do nothing")
    switch = "update sites set credential_id = :name, judge_credential_id = :name"
    paid.inventory.change(switch, name="offline")
    paid.inventory.scan(TITLE)

    def die(_connection: object, _call_id: object, _boot_id: str) -> bool:
        raise SystemExit("as if killed after the turn was planned")

    with monkeypatch.context() as dying:
        dying.setattr(calls, "dispatch", die)
        paid.work()
    assert paid.calls()[0]["is_free"] and paid.calls()[0]["reserved_micros"] == 0
    paid.inventory.change(switch, name="paid")
    paid.inventory.lapse([paid.inventory.item_id("title")])
    paid.work()
    bought = paid.calls()[-1]
    assert (bought["credential_id"], bought["is_free"], bought["state"]) == ("paid", False, "applied")
    assert bought["reserved_micros"] > 0
    assert len(paid.provider.charges(WRITER)) == 1
    assert paid.inventory.one("select provider from candidates") == "openai"


def test_an_unknown_call_of_an_older_source_does_not_keep_the_newer_one_waiting(paid: PaidSite) -> None:
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, CUT)
    paid.work()
    assert paid.work_state() == "waiting_unknown"
    paid.inventory.scan({"title": "The gate is shut."})
    assert paid.work_state() == "ready"
    paid.work()
    assert (paid.item()["status"], paid.states()) == ("draft", ["unknown", "applied"])
    # Its money stays held: nobody knows whether it was charged.
    assert paid.held() == paid.calls()[0]["reserved_micros"]


def test_a_free_call_that_an_older_source_left_open_is_closed(paid: PaidSite, monkeypatch: pytest.MonkeyPatch) -> None:
    paid.inventory.change("insert into credentials (credential_id) values ('offline') on conflict do nothing")
    paid.inventory.change("update sites set credential_id = 'offline', judge_credential_id = 'offline'")
    paid.inventory.scan(TITLE)

    def sent_and_killed(connection: object, call_id: object, boot_id: str) -> bool:
        really_dispatch(connection, call_id, boot_id)
        raise SystemExit("as if killed with the call on its way")

    really_dispatch = calls.dispatch
    with monkeypatch.context() as dying:
        dying.setattr(calls, "dispatch", sent_and_killed)
        paid.work()
    assert paid.states() == ["dispatched"]
    paid.inventory.scan({"title": "The gate is shut."})
    paid.work()
    assert paid.item()["status"] == "draft"
    assert paid.states()[0] in ("refused", "written_off")


def test_a_thread_that_ends_late_does_not_let_go_of_the_newer_claim_of_its_item(paid: PaidSite) -> None:
    paid.inventory.scan(TITLE)
    worker = paid.worker()
    older = Holding(paid.inventory.claim_one(), LeaseTerms(), time.monotonic())
    newer = Holding(replace(older.claim, claim_seq=older.claim.claim_seq + 1), LeaseTerms(), time.monotonic())
    worker._held[older.claim.item_id] = newer
    ended: Future[None] = Future()
    ended.set_result(None)
    worker._let_go(older, ended)
    assert worker._held[older.claim.item_id] is newer
    worker._let_go(newer, ended)
    assert not worker._held


def test_claims_whose_answer_got_lost_are_given_back_with_their_attempts(paid: PaidSite) -> None:
    paid.inventory.scan(TITLE | {"body": "The lamp is lit."})
    worker = paid.worker()
    heard = paid.database.statement(lambda connection: claims.claim(
        connection, site_id=paid.inventory.site_id, worker_id=worker.worker_id, most=1, lease=LeaseTerms().lease))
    unheard = paid.database.statement(lambda connection: claims.claim(
        connection, site_id=paid.inventory.site_id, worker_id=worker.worker_id, most=1, lease=LeaseTerms().lease))
    given = paid.database.statement(
        lambda connection: claims.take_back(connection, worker.worker_id, [heard[0].item_id]))
    assert given == {unheard[0].item_id}
    rows = {row["item_id"]: row for row in (paid.item("title"), paid.item("body"))}
    assert rows[unheard[0].item_id]["attempt_count"] == 0 and rows[unheard[0].item_id]["lease_until"] is None
    assert rows[heard[0].item_id]["attempt_count"] == 1 and rows[heard[0].item_id]["lease_until"] is not None


def test_a_database_that_went_away_uses_no_attempt(paid: PaidSite, monkeypatch: pytest.MonkeyPatch) -> None:
    paid.inventory.scan(TITLE)
    worker = paid.worker()

    def gone(_work: ItemWork) -> None:
        raise StoreUnavailable("53100")

    with monkeypatch.context() as away, ThreadPoolExecutor(1) as hands:
        away.setattr(ItemWork, "run", gone)
        assert worker.step(hands)
    assert (paid.item()["attempt_count"], paid.item()["lease_until"] is not None) == (1, True)
    with ThreadPoolExecutor(1) as hands:
        assert worker.step(hands), "it is due again at once"
    assert (paid.item()["status"], paid.item()["attempt_count"]) == ("draft", 1)
