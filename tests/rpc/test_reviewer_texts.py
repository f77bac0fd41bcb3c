"""A text that a person writes is checked like a machine's, and no machine writes over it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from desk import BROKEN, GOOD, refusal
from stocked_site import OPEN_GATE

from scheduler_service.domain.authority import NOBODY
from scheduler_service.domain.items import ItemStatus, text_hash
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.configure import put_glossary
from scheduler_service.store import candidates

TERM = {"do_not_translate": False, "accepted_forms": [], "forbidden_forms": [], "case_sensitive": False,
        "part_of_speech": "", "sense": "", "note": ""}

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


def test_a_persons_text_stays_the_best_when_the_engine_has_nothing_better(desk):
    machine = desk.site.drafted("title", BROKEN, verdict="fail", score=6.0)
    edited = desk.ana.edit(desk.item_id, version=desk.row()["version"], candidate_id=machine, text=GOOD, approve=False)
    desk.rui.reject(desk.item_id, version=edited.version, candidate_id=edited.candidate_id, note="Again", ask_again=True)
    best = desk.site.database.read(lambda connection: candidates.best(connection, desk.item_id, 1))
    assert best.candidate_id == edited.candidate_id
