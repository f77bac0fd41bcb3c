"""What a person decides happens once, on exactly what was seen."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from desk import BROKEN, GOOD, refusal
from stocked_site import OPEN_GATE

from scheduler_service.client import SchedulerClient
from scheduler_service.domain.items import ItemStatus, text_hash
from scheduler_service.errors import Reason, Refused

# Approve -------------------------------------------------------------------------------------


def test_an_approval_is_of_exactly_this_text_for_this_revision_and_is_on_record(desk):
    candidate_id = desk.site.drafted("title", GOOD)
    answer = desk.ana.approve(desk.item_id, **desk.seen(), note="Fine")
    row = desk.row()
    assert (answer.status, row["status"], answer.version) == (ItemStatus.APPROVED, "approved", row["version"])
    approval = desk.site.one("select to_jsonb(approvals) from approvals")
    assert (approval["candidate_id"], approval["text_hash"], approval["source_revision"], approval["source_hash"]) == (
        candidate_id, text_hash(GOOD), 1, row["source_hash"])
    [audit] = desk.site.all("select * from audit where action = 'approve'")
    assert (audit.role, audit.after_hash, audit.reason, audit.object_id) == (
        "reviewer", text_hash(GOOD), "Fine", str(desk.item_id))
    assert audit.person_id and audit.session_id
    assert desk.site.one("select count(*) from outbox where event_type = 'translation.approved'") == 1
    assert [entry.event for entry in desk.look().history][0] == "approved"


def test_two_who_approve_at_once_approve_once_and_the_late_one_is_told(desk):
    desk.site.drafted("title", GOOD)
    seen = desk.seen()
    barrier = threading.Barrier(2)

    def approve(client: SchedulerClient) -> str:
        barrier.wait()
        try:
            client.approve(desk.item_id, **seen)
        except Refused as late:
            return late.reason.value
        return "approved"

    with ThreadPoolExecutor(2) as pool:
        told = sorted(pool.map(approve, (desk.ana, desk.rui)))
    assert told == ["VERSION_CONFLICT", "approved"]
    assert desk.site.one("select count(*) from approvals") == 1


def test_a_hash_of_another_text_approves_nothing(desk):
    desk.site.drafted("title", GOOD)
    before = desk.everything()
    late = refusal(desk.ana.approve, desk.item_id, **desk.seen() | {"text_hash": text_hash("Outro")})
    assert (late.reason, late.field) == (Reason.TEXT_CHANGED, "text_hash")
    assert desk.everything() == before


def test_a_text_of_another_item_approves_nothing(desk):
    desk.site.drafted("title", GOOD)
    seen = desk.seen()
    desk.site.scan({"title": "See the [map](https://example.org/map).", "body": "Two"}, text_format="markdown")
    foreign = desk.site.drafted("body", "Dois")
    before = desk.everything()
    late = refusal(desk.ana.approve, desk.item_id, **seen | {"candidate_id": foreign, "text_hash": text_hash("Dois")})
    assert late.reason is Reason.NOTHING_TO_DECIDE
    late = refusal(desk.ana.edit, desk.item_id, version=seen["version"], candidate_id=foreign, text=GOOD, approve=False)
    assert late.reason is Reason.NOTHING_TO_DECIDE
    late = refusal(desk.ana.edit, desk.item_id, version=seen["version"], candidate_id=2**40, text=GOOD, approve=False)
    assert late.reason is Reason.NOTHING_TO_DECIDE
    assert desk.everything() == before


def test_a_source_that_changed_after_the_page_was_opened_refuses_every_decision(desk):
    desk.site.drafted("title", GOOD)
    seen = desk.seen()
    desk.site.scan({"title": "See the [plan](https://example.org/map)."}, text_format="markdown")
    before = desk.everything()
    version, candidate_id = seen["version"], seen["candidate_id"]
    late = [
        refusal(desk.ana.approve, desk.item_id, **seen),
        refusal(desk.ana.edit, desk.item_id, version=version, candidate_id=candidate_id, text=GOOD, approve=True),
        refusal(desk.ana.reject, desk.item_id, version=version, candidate_id=candidate_id, note="No", ask_again=True),
        refusal(desk.eva.publish, desk.item_id, version=version, text_hash=seen["text_hash"]),
        refusal(desk.ana.reopen, desk.item_id, version=version),
    ]
    assert {one.reason for one in late} == {Reason.VERSION_CONFLICT}
    assert desk.everything() == before


def test_a_field_that_has_gone_is_not_decided_on(desk):
    desk.site.drafted("title", GOOD)
    seen = desk.seen()
    desk.site.scan({})
    assert refusal(desk.ana.approve, desk.item_id, **seen | {"version": desk.row()["version"]}).reason is Reason.NOT_FOUND


def test_approving_one_of_several_texts_closes_the_others(desk):
    first = desk.site.drafted("title", GOOD)
    seen = desk.seen()
    desk.ana.edit(desk.item_id, version=seen["version"], candidate_id=first, text=GOOD + " ", approve=False)
    desk.ana.approve(desk.item_id, version=desk.row()["version"], candidate_id=first, text_hash=text_hash(GOOD))
    assert {row.candidate_id: row.closed_reason for row in desk.site.all("select * from candidates")} == {
        first: None, first + 1: "another_approved"}
    assert desk.row()["candidate_id"] == first


# Hard gates ----------------------------------------------------------------------------------


def test_an_open_hard_gate_is_overridden_only_by_who_may_and_only_with_a_reason(desk):
    desk.site.drafted("title", BROKEN, verdict="fail", score=0.0, gates=[OPEN_GATE])
    before, seen = desk.everything(), desk.seen()
    for client, reason in ((desk.ana, ""), (desk.ana, "It is right"), (desk.eva, ""), (desk.eva, "  ")):
        late = refusal(client.approve, desk.item_id, **seen, override_reason=reason)
        assert (late.reason, late.field) == (Reason.OPEN_HARD_GATE, "override_reason")
    assert desk.everything() == before
    desk.eva.approve(desk.item_id, **seen, override_reason="The link is dead")
    approval = desk.site.one("select to_jsonb(approvals) from approvals")
    assert (approval["override_reason"], approval["overridden_gates"]) == ("The link is dead", [OPEN_GATE.gate])
    assert desk.site.one("select reason from audit where action = 'approve'") == "The link is dead"


def test_a_reason_where_no_gate_is_open_is_no_override(desk):
    desk.site.drafted("title", GOOD)
    desk.eva.approve(desk.item_id, **desk.seen(), override_reason="Just so")
    assert desk.site.one("select override_reason from approvals") == ""


# Reject and ask again ------------------------------------------------------------------------


def test_a_rejection_needs_a_note_and_closes_the_text(desk):
    candidate_id = desk.site.drafted("title", GOOD)
    seen = {name: value for name, value in desk.seen().items() if name != "text_hash"}
    for note in ("", "  \n"):
        late = refusal(desk.ana.reject, desk.item_id, **seen, note=note, ask_again=False)
        assert (late.reason, late.field) == (Reason.INVALID_FIELD, "note")
    answer = desk.ana.reject(desk.item_id, **seen, note="Wrong tone", ask_again=False)
    assert answer.status is ItemStatus.REJECTED
    assert desk.site.one("select closed_reason from candidates where candidate_id = :id", id=candidate_id) == "rejected"
    assert desk.site.one("select reason from audit where action = 'reject'") == "Wrong tone"


def test_rejecting_an_approved_text_takes_the_approval_back(desk):
    candidate_id = desk.site.drafted("title", GOOD)
    version = desk.approved()
    answer = desk.rui.reject(desk.item_id, version=version, candidate_id=candidate_id, note="No", ask_again=False)
    assert answer.status is ItemStatus.REJECTED
    assert desk.row()["approval_id"] is None
    assert desk.site.one("select count(*) from approvals where revoked_at is null") == 0
    late = refusal(desk.eva.publish, desk.item_id, version=answer.version, text_hash=text_hash(GOOD))
    assert late.reason is Reason.NOT_APPROVED


def test_a_rejected_text_can_be_approved_after_all_and_is_open_again(desk):
    candidate_id = desk.site.drafted("title", GOOD)
    desk.ana.reject(desk.item_id, version=desk.row()["version"], candidate_id=candidate_id, note="No", ask_again=False)
    desk.approved()
    assert desk.site.one("select closed_at is null from candidates where candidate_id = :id", id=candidate_id)


def test_asking_again_grants_one_more_turn_and_a_fresh_budget(desk):
    candidate_id = desk.site.drafted("title", GOOD)
    desk.site.change("update items set turns = 3, turns_granted = 3, attempt_count = 4")
    answer = desk.ana.reject(
        desk.item_id, version=desk.row()["version"], candidate_id=candidate_id, note="Warmer", ask_again=True)
    row = desk.row()
    assert (answer.status, row["turns"], row["turns_granted"], row["attempt_count"], row["person_note"]) == (
        ItemStatus.MISSING, 3, 4, 0, "Warmer")
    # What was there is still shown meanwhile.
    assert desk.look().candidate.candidate_id == candidate_id


def test_asking_again_works_without_any_text_to_refuse(desk):
    desk.site.change("update items set status = 'needs_review', turns = 3")
    answer = desk.ana.reject(desk.item_id, version=desk.row()["version"], candidate_id=0, note="Try", ask_again=True)
    assert answer.status is ItemStatus.MISSING


# Reopen --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("verdict", "gates", "expected"), [
    ("pass", [], ItemStatus.DRAFT), ("fail", [], ItemStatus.NEEDS_REVIEW), ("unscored", [], ItemStatus.NEEDS_REVIEW),
    ("fail", [OPEN_GATE], ItemStatus.NEEDS_REVIEW)])
def test_a_reopened_item_is_a_draft_only_if_its_text_had_passed(desk, verdict, gates, expected):
    candidate_id = desk.site.drafted("title", GOOD, verdict=verdict, gates=gates, score=5.0)
    reasons = desk.look().summary.reasons
    version = desk.ana.reject(desk.item_id, version=desk.row()["version"], candidate_id=candidate_id, note="No",
                              ask_again=False).version
    assert desk.ana.reopen(desk.item_id, version=version, note="After all").status is expected
    item = desk.look()
    assert item.candidate.closed_reason == "" and item.summary.reasons == reasons


def test_a_reopened_edit_is_a_draft_again(desk):
    answer = desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=0, text=GOOD, approve=True)
    assert desk.ana.reopen(desk.item_id, version=answer.version).status is ItemStatus.DRAFT
    assert desk.site.one("select revoked_at is not null from approvals")


def test_what_was_refused_without_a_text_waits_for_a_person_again(desk):
    desk.site.change("update items set status = 'needs_review'")
    version = desk.ana.reject(desk.item_id, version=desk.row()["version"], candidate_id=0, note="No",
                              ask_again=False).version
    assert desk.ana.reopen(desk.item_id, version=version).status is ItemStatus.NEEDS_REVIEW


def test_only_who_approved_or_an_admin_takes_an_approval_back(desk):
    desk.site.drafted("title", GOOD)
    version = desk.approved()
    assert refusal(desk.rui.reopen, desk.item_id, version=version).reason is Reason.NOT_ALLOWED
    version = desk.ana.reopen(desk.item_id, version=version).version
    assert desk.row()["status"] == "draft"
    version = desk.approved()
    assert desk.root.reopen(desk.item_id, version=version).status is ItemStatus.DRAFT


def test_what_is_published_is_not_reopened(desk):
    desk.site.drafted("title", GOOD)
    desk.published()
    late = refusal(desk.ana.reopen, desk.item_id, version=desk.row()["version"])
    assert late.reason is Reason.NOTHING_TO_DECIDE


# Publish -------------------------------------------------------------------------------------


def test_only_an_approved_text_is_published_and_only_the_one_that_was_shown(desk):
    desk.site.drafted("title", GOOD)
    late = refusal(desk.eva.publish, desk.item_id, version=desk.row()["version"], text_hash=text_hash(GOOD))
    assert late.reason is Reason.NOT_APPROVED
    version = desk.approved()
    late = refusal(desk.eva.publish, desk.item_id, version=version, text_hash=text_hash(BROKEN))
    assert late.reason is Reason.TEXT_CHANGED
    assert desk.eva.publish(desk.item_id, version=version, text_hash=text_hash(GOOD)).status is ItemStatus.PUBLISHED
    assert desk.look().published_text == GOOD
    assert desk.site.one("select count(*) from outbox where event_type = 'translation.published'") == 1


def test_publishing_twice_publishes_once(desk):
    desk.site.drafted("title", GOOD)
    version = desk.approved()
    desk.eva.publish(desk.item_id, version=version, text_hash=text_hash(GOOD))
    again = refusal(desk.eva.publish, desk.item_id, version=version, text_hash=text_hash(GOOD))
    assert again.reason is Reason.VERSION_CONFLICT
    again = refusal(desk.eva.publish, desk.item_id, version=desk.row()["version"], text_hash=text_hash(GOOD))
    assert again.reason is Reason.NOT_APPROVED
    assert desk.site.one("select count(*) from publications") == 1
    assert desk.site.one("select count(*) from audit where action = 'publish'") == 1
