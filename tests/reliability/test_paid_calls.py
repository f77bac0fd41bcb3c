"""Calls that cost money, with a provider that keeps its own books: what was paid is kept, nothing is paid twice,
and what can't be bought costs nobody anything."""

from __future__ import annotations

import threading
import time

import pytest
from buying import CALL_MICROS, JUDGE, WRITER, PaidSite
from paid_provider import CUT, EMPTY, HOLD, refuse, work_then_fail

from scheduler_service.store import calls

TITLE = {"title": "The gate is open."}
TWO = TITLE | {"body": "The lamp is lit."}


def wait_for_charge(paid: PaidSite, count: int = 1) -> None:
    ends_at = time.monotonic() + 20
    while len(paid.provider.charges()) < count:
        assert time.monotonic() < ends_at, "the provider was not asked"
        time.sleep(0.01)


def test_what_the_provider_charged_is_what_the_ledger_says(paid):
    paid.inventory.scan(TWO)
    paid.work()
    assert {paid.item(name)["status"] for name in TWO} == {"draft"}
    assert paid.states() + paid.states("judge") == ["applied"] * 4
    assert (paid.held(), paid.spent()) == (0, 4 * CALL_MICROS)
    assert len(paid.provider.charges(WRITER)) == len(paid.provider.charges(JUDGE)) == 2
    paid.check_against_the_provider()


@pytest.mark.parametrize("ending", [CUT, work_then_fail(524), work_then_fail(500)], ids=["cut", "524", "500"])
def test_an_answer_that_got_lost_is_not_bought_again_without_an_allowance(paid, ending):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, ending)
    paid.work()
    assert (paid.states(), paid.work_state()) == (["unknown"], "waiting_unknown")
    reserved = paid.calls()[0]["reserved_micros"]
    assert (paid.held(), paid.spent()) == (reserved, 0) and reserved > CALL_MICROS
    paid.try_again(4)
    assert (paid.states(), paid.work_state()) == (["unknown"], "waiting_unknown")
    item = paid.item()
    assert (item["attempt_count"], item["status"]) == (0, "missing")
    assert item["last_error_code"] == "TranslationAI.OutcomeUnknown"
    assert len(paid.provider.charges(WRITER)) == 1
    paid.check_against_the_provider()


def test_a_missing_price_is_not_taken_for_free(unpriced):
    unpriced.inventory.scan(TITLE)
    unpriced.provider.script(WRITER, CUT)
    unpriced.work()
    unpriced.inventory.change("update credentials set duplicate_allowance_micros = 1000000")
    unpriced.try_again(3)
    assert (unpriced.states(), unpriced.work_state()) == (["unknown"], "waiting_unknown")
    assert unpriced.calls()[0]["reserved_micros"] == 0
    assert len(unpriced.provider.charges(WRITER)) == 1


def test_a_lost_answer_is_bought_again_within_the_allowance_and_both_are_booked(paid):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, CUT)
    paid.work()
    reserved = paid.calls()[0]["reserved_micros"]
    paid.inventory.change("update credentials set duplicate_allowance_micros = :micros", micros=reserved - 1)
    paid.try_again(2)
    assert paid.states() == ["unknown"], "the allowance doesn't cover it"
    paid.inventory.change("update credentials set duplicate_allowance_micros = :micros", micros=reserved)
    paid.try_again(1)
    assert paid.states() == ["written_off", "applied"]
    first, second = paid.calls()
    assert (first["settled_micros"], first["resolved_by"], second["is_rebuy"]) == (reserved, "allowance", True)
    assert paid.item()["status"] == "draft"
    assert (paid.held(), paid.spent()) == (0, reserved + 2 * CALL_MICROS)
    assert len(paid.provider.charges(WRITER)) == 2
    paid.check_against_the_provider()


def test_the_allowance_is_used_up_by_what_it_bought(paid):
    paid.inventory.scan(TWO)
    paid.provider.script(WRITER, CUT, CUT)
    paid.work()
    assert paid.states() == ["unknown", "unknown"]
    dearer = max(call["reserved_micros"] for call in paid.calls())
    paid.inventory.change("update credentials set duplicate_allowance_micros = :micros", micros=dearer)
    paid.try_again(4)
    assert sorted(paid.states()) == ["applied", "unknown", "written_off"]
    assert len(paid.provider.charges(WRITER)) == 3
    paid.check_against_the_provider()


def test_a_translator_that_dies_with_a_paid_call_in_flight_leaves_it_unknown_and_unbought(paid):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, HOLD)
    join = paid.start_working()
    wait_for_charge(paid)
    paid.translator.kill()
    join()
    paid.translator.start()
    assert (paid.states(), paid.work_state()) == (["unknown"], "waiting_unknown")
    paid.try_again(3)
    assert (paid.states(), paid.item()["attempt_count"]) == (["unknown"], 0)
    assert len(paid.provider.charges(WRITER)) == 1
    paid.check_against_the_provider()


def test_a_worker_that_lost_its_lease_still_books_what_was_paid_and_moves_nothing(paid):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, HOLD)
    join = paid.start_working()
    wait_for_charge(paid)
    item_id = paid.inventory.item_id("title")
    paid.inventory.lapse([item_id])
    newer = paid.inventory.claim_one()
    before = paid.item()
    paid.provider.release()
    join()
    assert paid.item() == before, "the item is its new holder's"
    assert paid.states() == ["stored"] and paid.calls()[0]["settled_micros"] == CALL_MICROS
    assert (paid.held(), paid.spent()) == (0, CALL_MICROS)
    assert paid.inventory.one("select text from segments") == "O portão está aberto."
    # The new holder's successor goes on from the stored answer: only the judge is still to be paid.
    assert newer.claim_seq == before["claim_seq"]
    paid.inventory.lapse([item_id])
    paid.work()
    assert paid.item()["status"] == "draft"
    assert (len(paid.provider.charges(WRITER)), len(paid.provider.charges(JUDGE))) == (1, 1)
    paid.check_against_the_provider()


def test_an_answer_that_came_for_a_worker_who_is_gone_is_fetched_and_not_bought_again(paid):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, HOLD)
    join = paid.start_working()
    wait_for_charge(paid)
    item_id = paid.inventory.item_id("title")
    paid.inventory.lapse([item_id])
    # Another worker finds the call running, and waits without using an attempt.
    paid.work()
    assert (paid.states(), paid.work_state()) == (["dispatched"], "waiting_to_retry")
    assert paid.item()["last_error_code"] == "TranslationAI.OutcomeUnknown"
    paid.provider.release()
    join()
    paid.try_again(1)
    assert paid.item()["status"] == "draft"
    assert len(paid.provider.charges(WRITER)) == 1
    paid.check_against_the_provider()


def test_an_answer_for_a_text_that_has_changed_meanwhile_is_booked_and_never_used(paid):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, HOLD)
    join = paid.start_working()
    wait_for_charge(paid)
    paid.inventory.scan({"title": "The lamp is lit."})
    paid.provider.release()
    join()
    assert (paid.held(), paid.spent()) == (0, CALL_MICROS), "paid for all the same"
    paid.work()
    assert paid.item()["status"] == "draft"
    assert paid.inventory.one("select text from candidates where candidate_id = "
                              "(select candidate_id from items)") == "A lâmpada está acesa."
    assert paid.inventory.one("select count(*) from call_parts where is_open") == 0
    paid.check_against_the_provider()


def test_what_a_dead_worker_left_open_for_an_older_text_is_closed_by_the_next(paid, monkeypatch):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, HOLD)
    with monkeypatch.context() as dying:
        # The worker dies with its call in flight: it neither books an answer nor lets the item go.
        dying.setattr(calls, "store", _die)
        dying.setattr(calls, "mark_unknown", _die)
        join = paid.start_working()
        wait_for_charge(paid)
        paid.provider.release()
        join()
    assert paid.states() == ["dispatched"] and paid.held() > 0
    paid.inventory.scan({"title": "The lamp is lit."})
    paid.try_again(2)
    assert paid.item()["status"] == "draft"
    assert sorted(paid.states()) == ["applied", "unused"]
    assert (paid.held(), paid.spent()) == (0, 3 * CALL_MICROS)
    paid.check_against_the_provider()


def _die(*_arguments, **_more):
    raise SystemExit("as if killed")


@pytest.mark.parametrize(
    ("refusal", "code"),
    [(refuse(401, "invalid_api_key"), "TranslationAI.AuthenticationFailed"),
     (refuse(429, "insufficient_quota"), "TranslationAI.QuotaExceeded"),
     (refuse(404, "model_not_found"), "TranslationAI.NotConfigured")],
    ids=["401", "quota", "404"],
)
def test_a_credential_that_does_not_work_is_halted_and_costs_no_attempt(paid, refusal, code):
    paid.inventory.scan({name: text for name, text in (TWO | {"foot": "The well is deep."}).items()})
    paid.inventory.change("update items set next_attempt_at = now() + interval '1 hour' where field_name <> 'title'")
    paid.provider.script(WRITER, refusal)
    paid.work()
    item = paid.item()
    assert (item["status"], item["attempt_count"], item["reasons"]) == ("needs_credential", 0, [code])
    halted = paid.inventory.one("select to_jsonb(credentials) from credentials where credential_id = 'paid'")
    assert (halted["halted_until"], halted["halt_code"]) == ("infinity", code)
    assert (paid.states(), paid.held(), paid.spent()) == (["refused"], 0, 0)
    paid.inventory.change("update items set next_attempt_at = now()")
    assert not paid.work(), "nothing else is claimed on it"
    assert {paid.item(name)["claim_seq"] for name in ("body", "foot")} == {0}
    assert {paid.work_state(name) for name in ("body", "foot")} == {"paused"}
    assert paid.provider.charges() == []


def test_a_rate_limit_cools_the_credential_for_everybody_and_uses_no_attempt(paid):
    paid.inventory.scan(TWO)
    paid.inventory.change("update items set next_attempt_at = now() + interval '1 hour' where field_name <> 'title'")
    paid.provider.script(WRITER, refuse(429, "rate_limit_exceeded", Retry_After="30"))
    paid.work()
    item = paid.item()
    assert (item["status"], item["attempt_count"], item["last_error_code"]) == (
        "missing", 0, "TranslationAI.RateLimited")
    seconds = paid.inventory.one("select extract(epoch from cooling_until - now()) from credentials")
    assert 20 < seconds <= 30, "as long as the provider asked for"
    assert paid.inventory.one("select extract(epoch from next_attempt_at - now()) from items "
                              "where field_name = 'title'") > 20
    assert (paid.states(), paid.held()) == (["refused"], 0)
    paid.inventory.change("update items set next_attempt_at = now()")
    assert not paid.work(), "the others wait too"
    assert {paid.work_state(name) for name in TWO} == {"waiting_to_retry"}
    paid.try_again(1)
    assert {paid.item(name)["status"] for name in TWO} == {"draft"}
    assert {paid.item(name)["attempt_count"] for name in TWO} == {1}
    paid.check_against_the_provider()


def test_an_empty_answer_is_paid_for_and_uses_an_attempt(paid):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, EMPTY)
    paid.work()
    assert (paid.states(), paid.held(), paid.spent()) == (["unused"], 0, CALL_MICROS)
    item = paid.item()
    assert (item["attempt_count"], item["last_error_code"]) == (1, "TranslationAI.EmptyResponse")
    assert 40 < paid.inventory.one("select extract(epoch from next_attempt_at - now()) from items") < 75
    paid.try_again(1)
    assert paid.states() == ["unused", "applied"]
    paid.check_against_the_provider()


def test_four_failing_attempts_end_with_the_credential_in_question_and_buy_nothing_more(paid):
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, *[EMPTY] * 6)
    paid.work()
    paid.try_again(6)
    item = paid.item()
    assert (item["status"], item["attempt_count"]) == ("needs_credential", 4)
    assert paid.states() == ["unused"] * 4
    assert len(paid.provider.charges()) == 4
    paid.check_against_the_provider()


def test_a_ceiling_stops_a_call_before_it_is_sent(paid):
    paid.inventory.scan(TITLE)
    paid.inventory.change("update sites set day_ceiling_micros = 1")
    paid.work()
    item = paid.item()
    assert (item["attempt_count"], item["last_error_code"], paid.work_state()) == (0, "Budget.Ceiling", "waiting_ceiling")
    assert (paid.states(), paid.held(), paid.provider.charges()) == (["refused"], 0, [])
    paid.inventory.change("update sites set day_ceiling_micros = null")
    paid.try_again(1)
    assert paid.item()["status"] == "draft"


def test_a_text_in_parts_pays_again_only_for_the_part_that_failed(paid):
    sentence = "Mill number {} stands beside the river and turns slowly. "
    paid.inventory.scan({"title": "\n\n".join(sentence.format(number) * 60 for number in range(4))})
    paid.provider.script(WRITER, {"do": "answer"}, refuse(503, "overloaded"))
    paid.work()
    assert len(paid.provider.charges(WRITER)) == 1
    parts = paid.inventory.one("select count(*) from segments")
    assert parts >= 3
    paid.try_again(1)
    charges = paid.provider.charges(WRITER)
    assert len(charges) == len({charge.prompt_hash for charge in charges}) == parts
    assert sorted(paid.states()) == ["applied"] * parts + ["refused"]
    paid.check_against_the_provider()


def test_nothing_is_claimed_while_no_translator_answers(paid):
    paid.inventory.scan(TITLE)
    paid.translator.kill()
    try:
        assert not paid.work()
        assert paid.item()["claim_seq"] == 0
    finally:
        paid.translator.start()
    assert paid.work()
    assert paid.item()["status"] == "draft"


def test_a_reservation_that_was_never_sent_is_released_and_bought_anew(paid, monkeypatch):
    paid.inventory.scan(TITLE)

    def die(_connection, _call_id, _boot_id):
        raise SystemExit("as if killed between reservation and dispatch")

    with monkeypatch.context() as dying:
        dying.setattr(calls, "dispatch", die)
        paid.work()
    assert paid.states() == ["reserved"] and paid.held() > 0
    paid.inventory.lapse([paid.inventory.item_id("title")])
    paid.work()
    assert (paid.states(), paid.calls()[0]["resolved_by"]) == (["refused", "applied"], "never_dispatched")
    assert (paid.held(), paid.item()["status"], paid.calls()[1]["is_rebuy"]) == (0, "draft", False)
    paid.check_against_the_provider()


def test_a_reservation_that_was_sent_in_the_last_moment_is_not_taken_back(paid, monkeypatch):
    """The older worker dispatches between the newer one's look at its reservation and what it then does."""
    paid.inventory.scan(TITLE)
    paid.provider.script(WRITER, HOLD)
    real_open_call = calls.open_call
    slow, looked = threading.Event(), threading.Event()
    real_dispatch = calls.dispatch

    def dispatch_slowly(connection, call_id, boot_id):
        if not looked.is_set():
            slow.set()
            assert looked.wait(20)
        return real_dispatch(connection, call_id)

    def look_then_wait(connection, part):
        found = real_open_call(connection, part)
        if found is not None and not looked.is_set():
            looked.set()
            wait_for_charge(paid)
        return found

    monkeypatch.setattr(calls, "dispatch", dispatch_slowly)
    monkeypatch.setattr(calls, "open_call", look_then_wait)
    join = paid.start_working()
    assert slow.wait(20)
    paid.inventory.lapse([paid.inventory.item_id("title")])
    paid.work()
    paid.provider.release()
    join()
    assert paid.states() == ["stored"] and paid.held() == 0
    paid.try_again(2)
    assert paid.item()["status"] == "draft"
    assert len(paid.provider.charges(WRITER)) == 1
    paid.check_against_the_provider()
