"""What a person decides happens once, on exactly what was seen, and no machine writes over it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from running_scheduler import RunningScheduler
from stocked_site import OPEN_GATE, StockedSite

from scheduler_service.answers import GetItemResponse
from scheduler_service.client import SchedulerClient
from scheduler_service.domain.authority import NOBODY
from scheduler_service.domain.items import ItemStatus, text_hash
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.configure import put_glossary
from scheduler_service.store import candidates

TERM = {"do_not_translate": False, "accepted_forms": [], "forbidden_forms": [], "case_sensitive": False,
        "part_of_speech": "", "sense": "", "note": ""}


@dataclass
class Desk:
    """A site and the people who work on it; the item on it is called ``title``."""

    site: StockedSite
    ana: SchedulerClient
    rui: SchedulerClient
    eva: SchedulerClient  # reviewer and publisher
    root: SchedulerClient

    @property
    def item_id(self) -> int:
        return self.site.item_id("title")

    def look(self) -> GetItemResponse:
        return self.ana.get_item(self.item_id)

    def seen(self) -> dict[str, Any]:
        """Return what a decision on the shown text carries."""
        item = self.look()
        assert item.candidate is not None
        return {"version": item.summary.version, "candidate_id": item.candidate.candidate_id,
                "text_hash": item.candidate.text_hash}

    def approved(self) -> int:
        """Approve the shown text as Ana; return the version."""
        return self.ana.approve(self.item_id, **self.seen()).version

    def published(self) -> None:
        version = self.approved()
        self.eva.publish(self.item_id, version=version, text_hash=self.look().candidate.text_hash)

    def row(self) -> dict[str, Any]:
        return self.site.row(self.item_id)

    def everything(self) -> list[Any]:
        """Return what a refused decision must leave as it was."""
        return [self.row(), *(self.site.one(f"select count(*) from {table}") for table in (
            "candidates", "approvals", "publications", "item_log", "audit", "outbox"))]


@pytest.fixture
def desk(checking_scheduler: RunningScheduler) -> Any:
    site = checking_scheduler.site()
    site.scan({"title": "See the [map](https://example.org/map)."}, text_format="markdown")
    clients = [checking_scheduler.client(checking_scheduler.person(name, *roles)) for name, roles in (
        ("Ana", ["reviewer"]), ("Rui", ["reviewer"]), ("Eva", ["reviewer", "publisher"]), ("Root", ["admin"]))]
    yield Desk(site, *clients)
    for client in clients:
        client.close()


GOOD = "Veja o [mapa](https://example.org/map)."
# The link has gone: a hard gate.
BROKEN = "Veja o mapa."


def refusal(act: Any, *arguments: Any, **values: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        act(*arguments, **values)
    return refused.value


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


# Edit ----------------------------------------------------------------------------------------


def test_an_edit_is_stored_as_the_persons_with_what_the_gates_say_of_it(desk):
    base = desk.site.drafted("title", BROKEN, verdict="fail", score=0.0, gates=[OPEN_GATE])
    answer = desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=base, text=GOOD, approve=False)
    assert (answer.is_stored, answer.status) == (True, ItemStatus.DRAFT)
    assert answer.gates and not [gate for gate in answer.gates if gate.is_open]
    item = desk.look()
    shown = item.candidate
    assert (shown.candidate_id, shown.origin, shown.text, shown.person) == (answer.candidate_id, "person", GOOD, "Ana")
    assert (item.summary.score, item.summary.reasons, item.summary.hard_gates_failed) == (None, (), 0)
    assert desk.site.one("select based_on_candidate_id from candidates where origin = 'person'") == base
    [audit] = desk.site.all("select * from audit where action = 'edit'")
    assert (audit.before_hash, audit.after_hash) == (text_hash(BROKEN), text_hash(GOOD))


def test_an_edit_that_breaks_a_gate_is_kept_but_waits_for_a_person(desk):
    base = desk.site.drafted("title", GOOD)
    answer = desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=base, text=BROKEN, approve=False)
    assert (answer.is_stored, answer.status) == (True, ItemStatus.NEEDS_REVIEW)
    open_gates = [gate.gate for gate in answer.gates if gate.is_open]
    assert open_gates and list(desk.look().summary.reasons) == [f"gate:{gate}" for gate in open_gates]


def test_an_edit_that_breaks_a_gate_is_not_approved_and_loses_nothing(desk):
    base = desk.site.drafted("title", GOOD)
    before = desk.everything()
    version = desk.row()["version"]
    for client, reason in ((desk.ana, ""), (desk.ana, "It is right"), (desk.eva, "")):
        answer = client.edit(desk.item_id, version=version, candidate_id=base, text=BROKEN, approve=True,
                             override_reason=reason)
        assert not answer.is_stored and [gate for gate in answer.gates if gate.is_open]
    assert desk.everything() == before
    answer = desk.eva.edit(desk.item_id, version=version, candidate_id=base, text=BROKEN, approve=True,
                           override_reason="The link is dead")
    assert (answer.is_stored, answer.status) == (True, ItemStatus.APPROVED)
    assert desk.site.one("select text_hash from approvals") == text_hash(BROKEN)


def test_an_edit_approved_at_once_carries_no_score_of_another_text(desk):
    base = desk.site.drafted("title", GOOD, score=9.0)
    answer = desk.ana.edit(
        desk.item_id, version=desk.row()["version"], candidate_id=base, text=GOOD.replace("Veja", "Olhe"), approve=True)
    assert answer.is_stored
    assert desk.look().summary.score is None


def test_a_forbidden_term_in_a_persons_text_is_found_too(desk):
    base = desk.site.drafted("title", GOOD)
    version, is_new = put_glossary(
        desk.site.database, NOBODY, site_id="harbour", target_locale="pt-BR",
        terms=[TERM | {"source": "map", "target": "mapa"}], forbidden_terms=["estacionamento"])
    assert is_new
    text = GOOD.replace("mapa", "mapa do estacionamento")
    answer = desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=base, text=text, approve=True)
    assert not answer.is_stored
    assert [gate.gate for gate in answer.gates if gate.is_open]
    desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=base, text=GOOD, approve=True)
    assert desk.site.one("select glossary_version from approvals") == version


WITHOUT_TEXT = {
    "missing": "update items set next_attempt_at = now()",
    "failed": "update items set attempt_count = 4, last_error_code = 'Translation.TooLong', next_attempt_at = 'infinity'",
    "waiting for a credential": "update items set status = 'needs_credential'",
    "given up without a candidate": "update items set status = 'needs_review'",
    "in a worker's hands": "update items set lease_until = now() + interval '1 hour', attempt_count = 1, claim_seq = 5",
}


@pytest.mark.parametrize("state", WITHOUT_TEXT)
@pytest.mark.parametrize("approve", [False, True])
def test_a_person_can_write_a_text_from_nothing_while_an_item_is(desk, state: str, approve: bool):
    desk.site.change(WITHOUT_TEXT[state])
    before = desk.row()
    answer = desk.ana.edit(desk.item_id, version=before["version"], candidate_id=0, text=GOOD, approve=approve)
    assert (answer.is_stored, answer.status) == (True, ItemStatus.APPROVED if approve else ItemStatus.DRAFT)
    row = desk.row()
    assert (row["candidate_id"], row["lease_until"]) == (answer.candidate_id, None)
    # Whoever held it lost it: a machine may not write over a person's text.
    assert row["claim_seq"] > before["claim_seq"]


@pytest.mark.parametrize("state", ["approved", "published"])
def test_an_approved_or_published_text_is_corrected_only_by_another_approval(desk, state: str):
    desk.site.drafted("title", GOOD)
    desk.approved() if state == "approved" else desk.published()
    before = desk.everything()
    kept = refusal(desk.ana.edit, desk.item_id, version=desk.row()["version"],
                   candidate_id=desk.row()["candidate_id"], text="Olhe o [mapa](https://example.org/map).", approve=False)
    assert kept.reason is Reason.NOTHING_TO_DECIDE and desk.everything() == before
    better = "Olhe o [mapa](https://example.org/map)."
    corrected = desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=desk.row()["candidate_id"],
                              text=better, approve=True)
    assert (corrected.is_stored, corrected.status) == (True, ItemStatus.APPROVED)
    read = "select text from publications where superseded_at is null"
    assert desk.site.one(f"select count(*) from ({read}) shown") == (0 if state == "approved" else 1)
    if state == "published":
        assert desk.site.one(read) == GOOD, "readers keep the published text until the correction is published"
    desk.eva.publish(desk.item_id, version=corrected.version, text_hash=text_hash(better))
    assert desk.site.one(read) == better
    assert desk.site.one("select count(*) from approvals where revoked_at is not null") == (
        1 if state == "approved" else 0)


def test_without_a_translator_an_edit_says_so_and_stores_nothing(scheduler):
    site = scheduler.site()
    site.scan({"title": "One"})
    candidate_id = site.drafted("title", "Um")
    ana = scheduler.client(scheduler.person("Ana", "reviewer"))
    item_id = site.item_id("title")
    late = refusal(ana.edit, item_id, version=site.row(item_id)["version"], candidate_id=candidate_id, text="Dois",
                   approve=True)
    assert late.reason is Reason.CHECK_UNAVAILABLE
    assert site.one("select count(*) from candidates") == 1
    # What needs no gates goes on.
    assert ana.approve(item_id, version=site.row(item_id)["version"], candidate_id=candidate_id,
                       text_hash=text_hash("Um")).status is ItemStatus.APPROVED


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


def test_a_persons_text_stays_the_best_when_the_engine_has_nothing_better(desk):
    machine = desk.site.drafted("title", BROKEN, verdict="fail", score=6.0)
    edited = desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=machine, text=GOOD, approve=False)
    desk.rui.reject(desk.item_id, version=edited.version, candidate_id=edited.candidate_id, note="Again", ask_again=True)
    best = desk.site.database.read(lambda connection: candidates.best(connection, desk.item_id, 1))
    assert best.candidate_id == edited.candidate_id


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


# A person's text and a machine ---------------------------------------------------------------


@pytest.mark.parametrize("how", ["approved", "published"])
def test_after_a_change_of_the_source_a_new_draft_is_made_beside_the_persons_text(desk, how: str):
    answer = desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=0, text=GOOD, approve=True)
    if how == "published":
        desk.eva.publish(desk.item_id, version=answer.version, text_hash=text_hash(GOOD))
    desk.site.scan({"title": "See the new [map](https://example.org/map)."}, text_format="markdown")
    assert desk.row()["status"] == "stale"
    machine = desk.site.drafted("title", "Veja o novo [mapa](https://example.org/map).")
    item = desk.look()
    assert (item.summary.status, item.candidate.candidate_id) == (ItemStatus.DRAFT, machine)
    assert (item.previous_text, item.previous_source_text) == (GOOD, "See the [map](https://example.org/map).")
    assert item.published_text == (GOOD if how == "published" else "")
    assert desk.site.one("select text from candidates where origin = 'person'") == GOOD
    assert desk.site.one("select count(*) from approvals where revoked_at is null") == 1


def test_decisions_and_scans_at_once_never_leave_an_old_text_approved_for_a_new_source(desk):
    """Whichever comes first, an approval is of the source it was made for."""
    sources = [f"See [map {number}](https://example.org/map)." for number in range(12)]
    told = []
    for number, source in enumerate(sources):
        desk.site.scan({"title": source}, text_format="markdown")
        desk.site.drafted("title", f"Veja [mapa {number}](https://example.org/map).")
        seen = desk.seen()
        barrier = threading.Barrier(2)

        def approve(seen=seen, barrier=barrier) -> str:
            barrier.wait()
            try:
                return desk.ana.approve(desk.item_id, **seen).status.value
            except Refused as late:
                return late.reason.value

        def scan(number=number, barrier=barrier) -> None:
            barrier.wait()
            desk.site.scan({"title": f"Changed {number}"}, text_format="markdown")

        with ThreadPoolExecutor(2) as pool:
            approving, scanning = pool.submit(approve), pool.submit(scan)
            told.append(approving.result())
            scanning.result()
        row = desk.row()
        assert row["status"] in {"stale", "missing"} and row["approval_id"] is None
    assert set(told) <= {"approved", "VERSION_CONFLICT"}
    assert desk.site.one("select count(*) from approvals a join candidates c using (candidate_id) "
                         "where a.source_revision <> c.source_revision") == 0
    assert desk.site.one("select count(*) from approvals") == told.count("approved")


def test_remarks_have_an_end(desk):
    candidate_id = desk.site.drafted("title", GOOD)
    seen, endless = desk.seen(), "a" * 4_001
    late = [
        refusal(desk.ana.approve, desk.item_id, **seen, note=endless),
        refusal(desk.eva.approve, desk.item_id, **seen, override_reason=endless),
        refusal(desk.ana.reject, desk.item_id, version=seen["version"], candidate_id=candidate_id, note=endless,
                ask_again=True),
        refusal(desk.ana.edit, desk.item_id, version=seen["version"], candidate_id=0, text="a" * 500_001, approve=False),
        refusal(desk.ana.edit, desk.item_id, version=seen["version"], candidate_id=0, text=" \n", approve=False),
    ]
    assert [(one.reason, one.field) for one in late] == [
        (Reason.INVALID_FIELD, field) for field in ("note", "override_reason", "note", "text", "text")]
