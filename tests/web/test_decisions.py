"""What becomes of a reviewer's forms, against the real scheduler."""

from __future__ import annotations

import pytest
from flask import Flask
from running_site import LOCALE, PAGES, ReadySite, RunningSite
from visiting import Visitor, forms

from scheduler_service.answers import ItemKey, ItemStatus, Queue
from scheduler_service.answers_content import SourceField, SourcePage
from scheduler_service.errors import Reason, Refused

EDITED = "Bem-vindos ao nosso porto"


@pytest.fixture
def site(running: RunningSite) -> ReadySite:
    return running.scanned()


@pytest.fixture
def reviewer(running: RunningSite, application: Flask, site: ReadySite) -> Visitor:
    link = running.invited("Ana", (site.site_id, "reviewer"), (site.site_id, "publisher"))
    return Visitor(application, running.session(link))


def item_page(site: ReadySite, field: str, **query: str) -> str:
    text = "&".join(f"{name}={value}" for name, value in query.items())
    return f"/review/item/{site.item_id(field)}" + (f"?{text}" if text else "")


def now(running: RunningSite, site: ReadySite, field: str):
    return running.admin.get_item(site.item_id(field))


def test_an_approved_text_leads_to_the_next_of_the_queue_and_says_so(running, site, reviewer):
    page = reviewer.get(item_page(site, "title", queue="to_review"))
    answer = reviewer.send(page, "/approve")
    following = reviewer.follow(answer)
    assert "Approved." in following.text and 'role="status"' in following.text
    assert f"/review/item/{site.item_id('title')}/approve" not in following.text
    assert now(running, site, "title").summary.status is ItemStatus.APPROVED
    assert "Approved." not in reviewer.get("/review/" + site.site_id).text, "a notice is said once"


def test_the_last_of_a_queue_leads_back_to_the_list(running, site, reviewer):
    for field in ("title", "lead"):
        answer = reviewer.send(reviewer.get(item_page(site, field, queue="to_review")), "/approve")
    assert answer.headers["Location"].startswith(f"/review/{site.site_id}")
    assert "No draft waits for a review." in reviewer.follow(answer).text


def test_only_a_published_text_reaches_readers(running, site, reviewer):
    key = ItemKey(site.site_id, "pages/welcome.md", "title", LOCALE)

    def served() -> str | None:
        try:
            return running.admin.read_text(key).text
        except Refused as refused:
            assert refused.reason is Reason.NOT_FOUND
            return None

    page = reviewer.get(item_page(site, "title", edit="1"))
    assert served() is None
    reviewer.send(page, "/edit", text=EDITED, does_approve="y")
    assert served() is None
    page = reviewer.get(item_page(site, "title"))
    reviewer.send(page, "/publish")
    assert served() == EDITED


def test_a_saved_text_stays_on_the_screen_and_waits_for_approval(running, site, reviewer):
    page = reviewer.get(item_page(site, "title", edit="1"))
    following = reviewer.follow(reviewer.send(page, "/edit", text=EDITED))
    assert "Saved as the draft" in following.text and EDITED in following.text
    item = now(running, site, "title")
    assert (item.summary.status, item.candidate.text) == (ItemStatus.DRAFT, EDITED)


def test_line_ends_and_blank_lines_survive_the_form(running, site, reviewer):
    text = "\n\nPrimeira linha\n\n\nÚltima linha  \n"
    reviewer.send(reviewer.get(item_page(site, "lead", edit="1")), "/edit", text=text.replace("\n", "\r\n"))
    assert now(running, site, "lead").candidate.text == text
    again = reviewer.get(item_page(site, "lead", edit="1"))
    assert next(f["text"] for a, f in forms(again).items() if a.endswith("/edit")) == text


def test_an_untouched_text_in_the_editor_is_approved_as_drafted(running, site, reviewer):
    reviewer.send(reviewer.get(item_page(site, "title", edit="1")), "/edit", does_approve="y")
    item = now(running, site, "title")
    assert (item.summary.status, item.candidate.origin) == (ItemStatus.APPROVED, "model")


def test_a_failed_hard_gate_switches_approval_off_and_an_override_needs_a_reason(running, site, reviewer):
    page = reviewer.get(item_page(site, "closed"))
    assert "Approve is off" in page.text and "disabled aria-describedby" in page.text
    action = f"/review/item/{site.item_id('closed')}/approve"
    fields = forms(page)[action] | {"override_reason": ""}
    refused = reviewer.post(action, fields)
    assert refused.status_code == 422 and 'role="alert"' in refused.text
    assert now(running, site, "closed").summary.status is ItemStatus.NEEDS_REVIEW
    reviewer.follow(reviewer.post(action, fields | {"override_reason": "The button was made wider."}))
    item = now(running, site, "closed")
    assert item.summary.status is ItemStatus.APPROVED
    assert any(entry.note == "The button was made wider." for entry in item.history)


def test_an_edited_text_that_fails_a_hard_gate_comes_back_as_typed(running, site, reviewer):
    text = "Um texto longo demais para este botão"
    answer = reviewer.send(reviewer.get(item_page(site, "closed", edit="1")), "/edit", text=text, does_approve="y")
    assert answer.status_code == 422
    assert text in answer.text and "Not stored yet" in answer.text and "8 are allowed" in answer.text
    assert now(running, site, "closed").summary.status is ItemStatus.NEEDS_REVIEW


def test_an_empty_text_is_refused_at_the_field(running, site, reviewer):
    answer = reviewer.send(reviewer.get(item_page(site, "title", edit="1")), "/edit", text="  ", does_approve="y")
    assert answer.status_code == 422
    assert "The text is empty." in answer.text and 'aria-invalid="true"' in answer.text


def test_a_rejection_needs_a_note_and_keeps_the_choice(running, site, reviewer):
    page = reviewer.get(item_page(site, "title"))
    answer = reviewer.send(page, "/reject", note="  ")
    assert answer.status_code == 422 and "Say what is wrong" in answer.text
    assert 'name="ask_again" value="y">' in answer.text, "the box that was cleared is still clear"
    reviewer.follow(reviewer.send(page, "/reject", note="Too stiff."))
    item = now(running, site, "title")
    assert item.summary.status is ItemStatus.REJECTED
    assert item.history[0].note == "Too stiff." or item.history[-1].note == "Too stiff."


def test_asking_again_sends_the_item_back_to_the_machine_with_the_note(running, site, reviewer):
    page = reviewer.get(item_page(site, "title"))
    following = reviewer.follow(reviewer.send(page, "/reject", note="Friendlier, please.", ask_again="y"))
    assert "a new draft will come" in following.text
    item = now(running, site, "title")
    assert any(entry.event == "asked_again" and entry.note == "Friendlier, please." for entry in item.history)


def test_a_decision_can_be_taken_back_until_it_is_published(running, site, reviewer):
    reviewer.send(reviewer.get(item_page(site, "title")), "/approve")
    following = reviewer.follow(reviewer.send(reviewer.get(item_page(site, "title")), "/reopen"))
    assert "Reopened" in following.text
    assert now(running, site, "title").summary.status is ItemStatus.DRAFT
    reviewer.send(reviewer.get(item_page(site, "title")), "/approve")
    reviewer.send(reviewer.get(item_page(site, "title")), "/publish")
    assert "/reopen" not in reviewer.get(item_page(site, "title")).text


def test_a_double_click_is_no_conflict(running, site, reviewer):
    page = reviewer.get(item_page(site, "title"))
    for action, fields in (("/approve", {}), ("/publish", {})):
        page = reviewer.get(item_page(site, "title"))
        assert reviewer.send(page, action, **fields).status_code == 303
        assert reviewer.send(page, action, **fields).status_code == 303
    assert now(running, site, "title").summary.status is ItemStatus.PUBLISHED


def test_of_two_reviewers_the_later_sees_both_texts_and_loses_nothing(running, application, site, reviewer):
    other = Visitor(application, running.session(running.invited("Bruno", (site.site_id, "reviewer"))))
    mine, theirs = (visitor.get(item_page(site, "title", edit="1")) for visitor in (reviewer, other))
    other.send(theirs, "/edit", text="Bem-vindo ao cais")
    answer = reviewer.send(mine, "/edit", text=EDITED, does_approve="y")
    assert answer.status_code == 409
    assert EDITED in answer.text and "Bem-vindo ao cais" in answer.text and "Bruno" in answer.text
    assert now(running, site, "title").summary.status is ItemStatus.DRAFT
    assert reviewer.send(answer, "/edit", does_approve="y").status_code == 303
    item = now(running, site, "title")
    assert (item.summary.status, item.candidate.text) == (ItemStatus.APPROVED, EDITED)


def test_an_approval_of_a_source_that_has_changed_meanwhile_approves_nothing(running, site, reviewer):
    page = reviewer.get(item_page(site, "title"))
    changed = SourcePage(
        "pages/welcome.md",
        (SourceField("title", "Welcome to the new harbour", label="Title"), PAGES[0].fields[1]),
    )
    running.admin.scan_pages(site.site_id, LOCALE, [changed], is_complete=False)
    answer = reviewer.send(page, "/approve")
    assert answer.status_code == 409
    assert "It changed while you were looking at it" in answer.text and "Welcome to the new harbour" in answer.text
    assert now(running, site, "title").summary.status is not ItemStatus.APPROVED


def test_a_session_that_ends_keeps_what_was_typed(running, application, site, reviewer):
    page = reviewer.get(item_page(site, "title", edit="1"))
    token = reviewer.cookie("draftgate-session")
    running.admin.with_token(token).sign_out()
    answer = reviewer.send(page, "/edit", text=EDITED, does_approve="y")
    assert answer.status_code == 401 and EDITED in answer.text
    fresh = running.invited("Ana again", (site.site_id, "reviewer"))
    reviewer.send(reviewer.get(f"/sign-in?token={fresh}"), "/sign-in")
    # Signing in makes older form tokens worthless; the text is still there, and goes through at the second try.
    expired = reviewer.send(answer, "/edit")
    assert expired.status_code == 400 and EDITED in expired.text
    assert reviewer.send(expired, "/edit").status_code == 303
    assert now(running, site, "title").candidate.text == EDITED


def test_what_is_shown_depends_on_the_role_and_the_scheduler_has_the_last_word(running, application, site):
    publisher = Visitor(application, running.session(running.invited("Paula", (site.site_id, "publisher"))))
    page = publisher.get(item_page(site, "title"))
    assert page.status_code == 200 and "needs the role reviewer" in page.text
    assert not any(action.endswith(("/approve", "/edit", "/reject")) for action in forms(page))
    token = next(iter(forms(page).values()))["csrf_token"]
    item = now(running, site, "title")
    answer = publisher.post(
        item_page(site, "title") + "/approve",
        {
            "csrf_token": token,
            "version": str(item.summary.version),
            "candidate_id": str(item.candidate.candidate_id),
            "text_hash": item.candidate.text_hash,
        },
    )
    assert answer.status_code == 403 and "reviewer" in answer.text
    assert now(running, site, "title").summary.status is ItemStatus.DRAFT


def test_a_foreign_item_looks_like_one_that_does_not_exist(running, application, site):
    elsewhere = running.scanned(()).site_id
    stranger = Visitor(application, running.session(running.invited("Sam", (elsewhere, "reviewer"))))
    foreign = stranger.get(item_page(site, "title"))
    absent = stranger.get("/review/item/999999999")
    assert foreign.status_code == absent.status_code == 404
    assert "Welcome" not in foreign.text and site.site_id not in foreign.text
    assert stranger.get(f"/review/{site.site_id}").status_code == 404
    assert stranger.get(f"/status/{site.site_id}").status_code == 404


def test_filters_live_in_the_address_and_counts_add_up(running, site, reviewer):
    everything = reviewer.get(f"/review/{site.site_id}?queue=all")
    assert everything.text.count('class="cell-field"') == 3
    found = reviewer.get(f"/review/{site.site_id}?queue=all&q=harbour&locale={LOCALE}")
    assert found.text.count('class="cell-field"') == 1
    assert "Nothing in this queue matches" in reviewer.get(f"/review/{site.site_id}?q=nowhere-to-be-found").text
    counts = {count.queue: count.count for count in running.admin.list_items(site.site_id).counts}
    assert sum(counts.get(queue, 0) for queue in Queue) == 3
    status = reviewer.get(f"/status/{site.site_id}")
    assert "equals the total" in status.text and "3 active" in status.text
